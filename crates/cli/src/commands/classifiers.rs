//! `predict`, `evaluate` and `inspect` of models that are no policies.

use super::classes::{Kept, confusion, show};
use super::confidence::delta;
use super::output::{cells, write_to};
use super::reading::{options, tell};
use super::streams;
use crate::arguments::{Evaluate, Form, Inspect, Manners, Predict};
use crate::failure::Failure;
use formats::{Source, Table};
use ocoboost::model_file::{Content, ModelFileError};
use ocoboost::{ClassTable, Classifier, JobError};
use report::output::say;
use std::path::Path;

/// A table as the library has it.
pub(super) fn class_table(table: Table) -> Result<ClassTable, JobError> {
    ClassTable::new(table.contexts, table.labels, table.schema)
}

/// Said where a classifier meets the table that it comes from.
const OWN_TABLE: &str = "the classifier was trained on this table, so this is too good to be true; \
                         what `inspect` shows is of rows that had no part in the choice";

/// A content that a command has no use for.
fn other(path: &Path, content: &Content) -> Failure {
    let expected = "a policy, a classifier or a learner of a stream";
    let source = ModelFileError::OtherContent { expected, found: content.kind() };
    Failure::Model { path: path.to_owned(), source }
}

/// A classifier explores nothing, and ranks nothing.
fn check_policy_options(asked: &Predict) -> Result<(), Failure> {
    let refused = |name, value: String, what: &str| {
        let why = format!("the model is a classifier, and {what} nothing");
        Err(Failure::Argument { name, value, why })
    };
    match (asked.explore, asked.top) {
        (Some(epsilon), _) => refused("explore", epsilon.to_string(), "explores"),
        (_, Some(most)) => refused("top", most.to_string(), "ranks"),
        _ => Ok(()),
    }
}

/// Whose rows are at the second path.
pub(super) fn predict(
    content: Content,
    (path, rows): (&Path, &Path),
    asked: &Predict,
    manners: &Manners,
) -> Result<u8, Failure> {
    check_policy_options(asked)?;
    manners.form("predict of a classifier", Form::Csv, &[])?;
    let model = match content {
        Content::Classifier(model) => model,
        Content::Stream(learner) => return streams::predict(*learner, rows, asked, manners),
        _ => return Err(other(path, &content)),
    };
    let (_, kept) = Kept::read(model.format());
    let options = options(kept, &asked.columns)?;
    let source = Source::path(rows)?;
    let read = formats::read_contexts(source, model.schema(), &options, &mut formats::quiet)?;
    tell(&read.facts, manners);
    let mut lines = Vec::with_capacity(read.contexts.len());
    let failed = |source: JobError| Failure::Job { file: read.facts.file.clone(), source };
    let mut header = vec!["class".to_owned(), "margin".to_owned()];
    let start =
        |answer: ocoboost::ClassAnswer| vec![model.class_name(answer.class), answer.margin.to_string()];
    if asked.probabilities {
        header.extend(
            (0..model.schema().actions()).filter_map(|k| u32::try_from(k).ok()).map(|k| model.class_name(k)),
        );
        let see = |answer, pi: &[f64]| {
            lines.push(start(answer).into_iter().chain(pi.iter().map(f64::to_string)).collect());
        };
        model.probabilities(&read.contexts, see).map_err(failed)?;
    } else {
        lines = model.predict(&read.contexts).map_err(failed)?.into_iter().map(start).collect();
    }
    write_to(asked.output.as_deref(), |out| {
        cells(out, &header)?;
        Ok(lines.iter().try_for_each(|row: &Vec<String>| cells(out, row))?)
    })?;
    Ok(0)
}

pub(super) fn evaluate(content: Content, asked: &Evaluate, manners: &Manners) -> Result<u8, Failure> {
    if asked.html.is_some() {
        return Err(Failure::Flag {
            name: "html",
            why: "the page is one of policies, and this is a classifier",
        });
    }
    let model = match content {
        Content::Classifier(model) => model,
        Content::Stream(learner) => return streams::evaluate(*learner, asked, manners),
        _ => return Err(other(Path::new(&asked.policy), &content)),
    };
    let (label, kept) = Kept::read(model.format());
    let options = options(kept, &asked.columns)?;
    let Some(label) = asked.label.clone().or(label) else {
        let why = "the model does not know the column of the classes";
        return Err(Failure::Flag { name: "label", why });
    };
    let source = Source::path(&asked.log)?;
    let table = formats::read_table_coded(source, &label, model.schema(), &options, &mut formats::quiet)?;
    tell(&table.facts, manners);
    let (file, sha256) = (table.facts.file.clone(), table.facts.sha256.clone());
    let failed = |source: JobError| Failure::Job { file: file.clone(), source };
    let report = model
        .judge(&class_table(table).map_err(failed)?, delta(asked.certainty.confidence)?)
        .map_err(failed)?;
    let is_own = model.record().sources.iter().any(|source| source.sha256 == sha256);
    show(&report, |class| model.class_name(class), is_own.then_some(OWN_TABLE), manners)
}

pub(super) fn inspect(content: &Content, asked: &Inspect) -> Result<u8, Failure> {
    match content {
        Content::Classifier(model) => inspect_classifier(model, asked.most)?,
        Content::Stream(learner) => streams::inspect(learner, asked.most)?,
        Content::Regressor(regressor) => say(&regressor.sentence())?,
        Content::Bandit(bandit) => say(&format!("{}, after {} rounds", content.kind(), bandit.rounds()))?,
        _ => return Err(other(&asked.model, content)),
    }
    Ok(0)
}

fn inspect_classifier(model: &Classifier, most: usize) -> Result<(), Failure> {
    let record = model.record();
    say(&format!("{} trees with {} leaves, by {}", record.trees, record.leaves, record.program))?;
    for source in &record.sources {
        say(&format!("trained on {} (SHA-256 {})", source.name, source.sha256))?;
    }
    let rows = record.rows;
    let learning = format!("{} rows to learn from", rows.learning);
    let secondary = match rows.secondary {
        0 => String::new(),
        rows => format!(", {rows} of them of the second table"),
    };
    say(&format!("{learning}{secondary}, {} to choose and {} to judge on", rows.choosing, rows.judging))?;
    for tried in &record.tried {
        let k = tried.smoothness.map(|k| format!("k = {k}, ")).unwrap_or_default();
        let (best, rounds, error) = (tried.best_round, tried.rounds, 100.0 * tried.error);
        let depth = tried.max_depth;
        let name = tried.algorithm.name();
        say(&format!("tried {name}, {k}depth {depth}: {error:.1}% wrong in round {best} of {rounds}"))?;
    }
    if record.is_of_choice {
        say("it was interrupted, and has not learnt from the rows that it was chosen on")?;
    }
    say(&model.sentence())?;
    confusion(model.report(), |class| model.class_name(class)).iter().try_for_each(|row| say(row))?;
    say("columns, by their share of the splits, weighted by the steps:")?;
    let names = model.schema().feature_names();
    for (feature, share) in record.importance.iter().take(most) {
        let name = names.get(*feature as usize).map_or("", String::as_str);
        say(&format!("  {:5.1}%  {name}", 100.0 * share))?;
    }
    Ok(())
}
