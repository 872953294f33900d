//! `boost`.

use super::classes::{Kept, answer};
use super::classifiers::class_table;
use super::confidence::delta;
use super::interruption::{is_asked, listen};
use super::models::{check_apart, check_model_output};
use super::reading::{tell, within};
use crate::arguments::{Algorithm, Boost, Form, Manners};
use crate::failure::{Failure, INTERRUPTED, NOT_SHOWN};
use formats::{LogOptions, Source, Table};
use ocoboost::{BoostAlgorithm, BoostEvent, BoostJob, Classifier, JobError, Split};
use report::output::{say, warn};
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;

pub(super) fn boost(asked: &Boost, manners: &Manners) -> Result<u8, Failure> {
    let form = manners.form("boost", Form::Text, &[Form::Json])?;
    check_model_output(&asked.output)?;
    check_apart([&*asked.output], [&*asked.table].into_iter().chain(asked.secondary.as_deref()))?;
    let mut options = within(LogOptions::default(), &asked.columns)?;
    if let Some(time) = &asked.time {
        options = options.time(time);
    }
    // Settings are checked before a large file is read.
    let builder = settings(asked, manners)?;
    builder.clone().build().map_err(Failure::Setting)?;
    let table =
        formats::read_table(Source::path(&asked.table)?, &asked.label, &options, &mut formats::quiet)?;
    tell(&table.facts, manners);
    let file = table.facts.file.clone();
    let failed = |source: JobError| Failure::Job { file: file.clone(), source };
    let second =
        asked.secondary.as_deref().map(|path| secondary(path, asked, &table, manners)).transpose()?;
    let kept = Kept::of(Some(&asked.label), &options)?;
    let mut builder = builder.source(source(&table)).format(kept);
    if let Some(second) = &second {
        builder = builder.source(source(second));
    }
    if let Some(times) = table.time.clone() {
        builder = builder.validation(Split::ByTime(times));
    }
    let second = second.map(class_table).transpose().map_err(&failed)?;
    let table = class_table(table).map_err(&failed)?;
    listen();
    let is_shown = !manners.quiet && io::stderr().is_terminal();
    let watch = |event: BoostEvent| {
        if is_shown {
            progress(event);
        }
        if is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let job = builder.build().map_err(Failure::Setting)?;
    let classifier = job.fit(&table, second.as_ref(), watch).map_err(&failed)?;
    if is_shown {
        warn("");
    }
    let written = |source| Failure::Write { path: asked.output.clone(), source };
    classifier.save(&asked.output).map_err(written)?;
    show(&classifier, form)?;
    Ok(match is_asked() {
        true => INTERRUPTED,
        false if classifier.report().is_better() => 0,
        false => NOT_SHOWN,
    })
}

pub(super) fn settings(asked: &Boost, manners: &Manners) -> Result<ocoboost::BoostJobBuilder, Failure> {
    let mut job = BoostJob::builder().seed(manners.seed.unwrap_or(0)).delta(delta(asked.confidence)?);
    let algorithm = asked.algorithm.map(|algorithm| match algorithm {
        Algorithm::Adaboost => BoostAlgorithm::AdaBoost,
        Algorithm::Smooth => BoostAlgorithm::Smooth,
        Algorithm::Sparse => BoostAlgorithm::Sparse,
        Algorithm::Madaboost => BoostAlgorithm::MadaBoost,
        Algorithm::Combined => BoostAlgorithm::Combined,
    });
    if let Some(algorithm) = algorithm {
        job = job.algorithm(algorithm);
    }
    match (algorithm, &asked.secondary) {
        (Some(BoostAlgorithm::Combined), None) => {
            let why = "needs a second table: name it with --secondary".to_owned();
            return Err(Failure::Argument { name: "algorithm", value: "combined".to_owned(), why });
        }
        (Some(other), Some(path)) if other != BoostAlgorithm::Combined => {
            let why = "is for --algorithm combined".to_owned();
            let value = path.display().to_string();
            return Err(Failure::Argument { name: "secondary", value, why });
        }
        _ => {}
    }
    if let Some(k) = asked.smoothness {
        job = job.smoothness(k);
    }
    if let Some(rounds) = asked.rounds {
        job = job.rounds(rounds);
    }
    if let Some(rounds) = asked.early_stopping_rounds {
        job = job.early_stopping_rounds(rounds);
    }
    if let Some(depth) = asked.max_depth {
        job = job.max_depth(depth);
    }
    if let Some(share) = asked.min_weight_fraction_leaf {
        job = job.min_weight_fraction_leaf(share);
    }
    if let Some(share) = asked.holdout {
        job = job.holdout_share(share);
    }
    Ok(job)
}

/// The second table, by the columns and classes of the first.
fn secondary(path: &Path, asked: &Boost, first: &Table, manners: &Manners) -> Result<Table, Failure> {
    let options = within(LogOptions::default(), &asked.columns)?;
    let source = Source::path(path)?;
    let table =
        formats::read_table_coded(source, &asked.label, &first.schema, &options, &mut formats::quiet)?;
    tell(&table.facts, manners);
    Ok(table)
}

fn source(table: &Table) -> ocoboost::Source {
    ocoboost::Source { name: table.facts.file.clone(), sha256: table.facts.sha256.clone() }
}

fn show(classifier: &Classifier, form: Form) -> Result<(), Failure> {
    if form == Form::Json {
        let name = |class| classifier.class_name(class);
        let mut found = answer(classifier.report(), name, None);
        found["record"] = serde_json::to_value(classifier.record())?;
        found["sentence"] = classifier.sentence().into();
        return Ok(say(&found.to_string())?);
    }
    Ok(say(&classifier.sentence())?)
}

/// A line that is written over.
fn progress(event: BoostEvent) {
    let text = match event {
        BoostEvent::Choosing { candidate, candidates, round, error } => {
            format!("candidate {}/{candidates}, round {round}, error {error:.4}", candidate + 1)
        }
        BoostEvent::Training { done, planned } => format!("training, round {done}/{planned}"),
        _ => return,
    };
    // A failure to print progress is no failure.
    let _ = write!(io::stderr(), "\r{text}\x1b[K");
}
