//! `predict`.

use super::classifiers;
use super::csv::{line, printed};
use super::models::{content, options_of};
use super::reading::tell;
use crate::arguments::{Manners, Predict};
use crate::failure::Failure;
use formats::Source;
use ocoboost::model_file::Content;
use ocoboost::{Explore, JobError, OnOffer};

pub(super) fn predict(asked: &Predict, manners: &Manners) -> Result<u8, Failure> {
    let model = match content(&asked.model)? {
        Content::Policy(model) => model,
        other => return classifiers::predict(other, asked, manners),
    };
    let options = options_of(Some(&model), &asked.columns)?;
    let failed = |source: JobError| Failure::Job { file: asked.contexts.display().to_string(), source };
    let schema = model.schema().ok_or_else(|| Failure::NoColumns { path: asked.model.clone() })?;
    let read = formats::read_contexts(Source::path(&asked.contexts)?, schema, &options, &mut formats::quiet)?;
    tell(&read.facts, manners);
    let offer = match &read.on_offer {
        Some(sets) => OnOffer::sets(sets),
        None => OnOffer::all(schema.actions()).map_err(failed)?,
    };
    let explore = Explore::EpsilonGreedy(asked.explore.unwrap_or(0.0));
    let drawn = model.explore(&read.contexts, offer, explore, manners.seed.unwrap_or(0)).map_err(failed)?;
    let mut probabilities = Vec::new();
    if asked.probabilities {
        let push = |pi: &[f64]| probabilities.push(pi.to_vec());
        model.probabilities(&read.contexts, offer, explore, push).map_err(failed)?;
    }
    let name = |action: usize| schema.action_name(action).unwrap_or_default().into_owned();
    let mut header = vec!["action".to_owned(), "propensity".to_owned()];
    if asked.probabilities {
        header.extend((0..schema.actions()).map(&name));
    }
    printed(|out| {
        line(out, &header)?;
        for (row, (action, propensity)) in drawn.actions.iter().zip(&drawn.propensities).enumerate() {
            let mut cells = vec![name(*action as usize), propensity.to_string()];
            cells.extend(probabilities.get(row).into_iter().flatten().map(ToString::to_string));
            line(out, &cells)?;
        }
        Ok(())
    })
}
