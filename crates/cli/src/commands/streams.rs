//! `predict`, `evaluate` and `inspect` of learners of streams, which read rows one by one.

use super::classes::{Kept, show};
use super::confidence::delta;
use super::output::{self, write_to};
use super::reading::{options, tell};
use crate::arguments::{Columns, Evaluate, Manners, Predict};
use crate::failure::Failure;
use formats::{Example, Examples, FormatError, Source};
use ocoboost::{ClassificationReport, JobError, StreamFeature, StreamLearner};
use off_policy::Value;
use report::output::say;
use std::path::Path;

/// The cells of a row.
pub(super) fn cells(row: Example<'_>) -> Vec<(&str, Value<'_>)> {
    row.cells().collect()
}

/// A row that a learner refuses.
pub(super) fn refused_row(row: Example<'_>, source: JobError) -> Failure {
    Failure::Row { place: row.place().to_string(), source }
}

/// The rows of a file for a learner, by what was kept with it.
fn rows(
    learner: &StreamLearner,
    path: &Path,
    label: Option<&str>,
    columns: &Columns,
) -> Result<Examples, Failure> {
    let options = options(Kept::read(learner.format()).1, columns)?;
    Ok(Examples::open(Source::path(path)?, label, &options)?)
}

/// Its answers have no probabilities: a vote of learners is none, and no rows are kept apart to calibrate it.
pub(super) fn predict(
    mut learner: StreamLearner,
    path: &Path,
    asked: &Predict,
    manners: &Manners,
) -> Result<u8, Failure> {
    if asked.probabilities {
        let why = "a learner of a stream answers a class alone";
        return Err(Failure::Flag { name: "probabilities", why });
    }
    let (label, _) = Kept::read(learner.format());
    let mut rows = rows(&learner, path, label.as_deref(), &asked.columns)?;
    let mut answers = Vec::new();
    while let Some(row) = rows.advance()? {
        let class = learner.predict(cells(row)).map_err(|source| refused_row(row, source))?;
        answers.push(class);
    }
    tell(&rows.finish()?, manners);
    let name = |class: &Option<u32>| class.and_then(|class| learner.class_name(class)).unwrap_or_default();
    write_to(asked.output.as_deref(), |out| {
        output::cells(out, ["class"])?;
        Ok(answers.iter().try_for_each(|class| output::cells(out, [name(class)]))?)
    })?;
    Ok(0)
}

pub(super) fn evaluate(
    mut learner: StreamLearner,
    asked: &Evaluate,
    manners: &Manners,
) -> Result<u8, Failure> {
    let label = asked.label.clone().or(Kept::read(learner.format()).0);
    let mut rows = rows(&learner, Path::new(&asked.log), label.as_deref(), &asked.columns)?;
    rows.check_columns()?;
    let (constant, known) = (learner.error().commonest(), learner.classes().to_vec());
    let report = ClassificationReport::new(known.len(), constant, delta(asked.certainty.confidence)?);
    let mut report = report.map_err(|source| Failure::Job { file: asked.policy.clone(), source })?;
    while let Some(row) = rows.advance()? {
        let answer = learner.predict(cells(row)).map_err(|source| refused_row(row, source))?;
        let Some(class) = row.label() else { continue };
        let Some(truth) = known.iter().position(|own| own == class) else {
            let (column, value) = (label.clone().unwrap_or_default(), class.to_owned());
            let (place, classes) = (row.place(), known.len());
            return Err(FormatError::UnknownClass { place, column, value, classes }.into());
        };
        let counted = report.add(u32::from(truth > 0), answer.unwrap_or(constant));
        counted.map_err(|source| refused_row(row, source))?;
    }
    rows.check_columns()?;
    let facts = rows.finish()?;
    tell(&facts, manners);
    let is_own = learner.sources().iter().any(|source| source.sha256 == facts.sha256);
    let name = |class| learner.class_name(class).unwrap_or_default().to_owned();
    show(&report, name, is_own.then_some(OWN_ROWS), manners)
}

/// Said where a learner meets the rows that it comes from.
const OWN_ROWS: &str = "the learner has learnt from these rows, so this is too good to be true; \
                        what `inspect` shows is of rows before they were learnt from";

pub(super) fn inspect(learner: &StreamLearner, most: usize) -> Result<(), Failure> {
    let learners = match learner.booster() {
        ocoboost::StreamBooster::Alone => String::new(),
        _ => format!(" of {}", learner.learners()),
    };
    say(&format!("{}{learners}, by {}", learner.booster().name(), learner.program()))?;
    for source in learner.sources() {
        say(&format!("has learnt from {} (SHA-256 {})", source.name, source.sha256))?;
    }
    say(&learner.sentence())?;
    say(&format!("classes: {}", learner.classes().join(", ")))?;
    let features = learner.features();
    say(&format!("{} of {} coordinates are given out:", features.len(), learner.coordinates()))?;
    let names: Vec<String> = features.iter().take(most).map(StreamFeature::name).collect();
    let more = if features.len() > names.len() { ", …" } else { "" };
    Ok(say(&format!("  {}{more}", names.join(", ")))?)
}
