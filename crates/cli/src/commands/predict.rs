//! `predict`.

use super::candidates;
use super::classifiers;
use super::models::{check_apart, content, options_of};
use super::output::{Unwritten, cells, write_to};
use super::reading::{tell, watched};
use crate::arguments::{Form, Manners, Predict};
use crate::failure::Failure;
use formats::{ReadContexts, Source};
use ocoboost::model_file::Content;
use ocoboost::{Decision, Explore, JobError, Model, OnOffer, Ranked};
use off_policy::Schema;
use serde_json::{Map, Value, json};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

pub(super) fn predict(asked: &Predict, manners: &Manners) -> Result<u8, Failure> {
    let form = manners.form("predict", Form::Csv, &[Form::Jsonl])?;
    // Two are given as arguments, or two as options.
    let of = |argument: &Option<PathBuf>, option: &Option<PathBuf>| {
        argument.clone().or_else(|| option.clone()).unwrap_or_default()
    };
    let path = of(&asked.model, &asked.initial_regressor);
    let rows = of(&asked.contexts, &asked.data);
    check_apart(asked.output.as_deref(), [&*path, &*rows])?;
    let model = match content(&path)? {
        Content::Policy(model) => model,
        Content::Candidates(model) => return candidates::predict(&model, (&path, &rows), asked, manners),
        other => return classifiers::predict(other, (&path, &rows), asked, manners),
    };
    let options = options_of(Some(&model), &asked.columns)?;
    let failed = |source: JobError| Failure::Job { file: rows.display().to_string(), source };
    let schema = model.schema().ok_or_else(|| Failure::NoColumns { path: path.clone() })?;
    let source = Source::path(&rows)?;
    let read = watched(
        || rows.display().to_string(),
        manners,
        |watch| formats::read_contexts(source, schema, &options, watch),
    )?;
    tell(&read.facts, manners);
    let offer = match &read.on_offer {
        Some(sets) => OnOffer::sets(sets),
        None => OnOffer::all(schema.actions()).map_err(failed)?,
    };
    let answer = Answer { model: &model, schema, read: &read, offer, form };
    write_to(asked.output.as_deref(), |out| {
        let found = match asked.top {
            Some(most) => answer.top(most.get(), out)?,
            None => {
                let explore = Explore::EpsilonGreedy(asked.explore.unwrap_or(0.0));
                answer.decisions((explore, seed(asked, manners)), asked.probabilities, out)?
            }
        };
        Ok(found.map_err(failed)?)
    })?;
    Ok(0)
}

/// The seed that is asked for; else one that no other call has: decisions that are drawn alike on every call
/// do not have the propensities that are written beside them.
fn seed(asked: &Predict, manners: &Manners) -> u64 {
    let fresh = || if asked.explore.is_some() { RandomState::new().build_hasher().finish() } else { 0 };
    manners.seed.unwrap_or_else(fresh)
}

/// What is known before the first line of an answer.
struct Answer<'a> {
    model: &'a Model,
    schema: &'a Schema,
    read: &'a ReadContexts,
    offer: OnOffer<'a>,
    form: Form,
}

impl Answer<'_> {
    fn name(&self, action: u32) -> String {
        self.schema.action_name(action as usize).unwrap_or_default().into_owned()
    }

    fn names(&self) -> Vec<String> {
        (0..u32::try_from(self.schema.actions()).unwrap_or(u32::MAX)).map(|a| self.name(a)).collect()
    }

    /// `action,propensity`, and a probability an action if they are asked for.
    fn decisions(
        &self,
        (explore, seed): (Explore, u64),
        has_probabilities: bool,
        out: &mut dyn Write,
    ) -> Result<Result<(), JobError>, Unwritten> {
        let names = self.names();
        if self.form == Form::Csv {
            let header = ["action", "propensity"].into_iter();
            let all = names.iter().map(String::as_str).filter(|_| has_probabilities);
            cells(out, header.chain(all))?;
        }
        let mut line = |decision: Decision<'_>| -> io::Result<()> {
            let Decision { action, propensity, probabilities } = decision;
            let action = names.get(action as usize).map(String::as_str).unwrap_or_default();
            if self.form == Form::Csv {
                let probabilities = probabilities.iter().filter(|_| has_probabilities);
                let numbers = std::iter::once(&propensity).chain(probabilities).map(f64::to_string);
                return cells(out, std::iter::once(action.to_owned()).chain(numbers));
            }
            let mut object = json!({ "action": action, "propensity": propensity });
            if has_probabilities {
                let all: Map<String, Value> =
                    names.iter().cloned().zip(probabilities.iter().map(|p| Value::from(*p))).collect();
                object["probabilities"] = Value::Object(all);
            }
            writeln!(out, "{object}")
        };
        let mut written = Ok(());
        let found = self.model.decide(&self.read.contexts, self.offer, explore, seed, |decision| {
            written = line(decision);
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        written?;
        Ok(found)
    }

    /// `action_1,score_1,action_2,…`, the best first; empty cells where fewer actions are on offer.
    fn top(&self, most: usize, out: &mut dyn Write) -> Result<Result<(), JobError>, Unwritten> {
        let names = self.names();
        let most = most.min(names.len());
        if self.form == Form::Csv {
            cells(out, (1..=most).flat_map(|k| [format!("action_{k}"), format!("score_{k}")]))?;
        }
        let mut line = |Ranked { actions, scores }: &Ranked| -> io::Result<()> {
            let actions = actions.iter().filter_map(|action| names.get(*action as usize));
            if self.form == Form::Csv {
                let pairs = actions.zip(scores).flat_map(|(name, score)| [name.clone(), score.to_string()]);
                let rest = std::iter::repeat_with(String::new);
                return cells(out, pairs.chain(rest).take(2 * most));
            }
            writeln!(out, "{}", json!({ "actions": actions.collect::<Vec<_>>(), "scores": scores }))
        };
        let mut written = Ok(());
        let found = self.model.top(&self.read.contexts, self.offer, most, |ranked| {
            written = line(ranked);
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        written?;
        Ok(found)
    }
}
