//! `predict`, `evaluate` and `inspect` of models that are no policies.

use super::judging::delta;
use super::predict::{line, printed};
use super::reading::{options, tell};
use crate::arguments::{Columns, Evaluate, Form, Inspect, Manners, Predict};
use crate::failure::{Failure, NOT_SHOWN};
use formats::{LogOptions, Source, Table};
use ocoboost::model_file::{Content, ModelFileError};
use ocoboost::{ClassTable, ClassificationReport, Classifier, ErrorRate, JobError};
use report::output::say;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;

/// What is kept with a classifier of the reading of its table.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) label: String,
    options: LogOptions,
}

impl Kept {
    /// The options for later files, whose format may be another one.
    pub(super) fn of(label: &str, columns: &LogOptions) -> Result<Value, Failure> {
        Ok(json!({ "label": label, "options": super::models::kept(columns)? }))
    }

    /// What was kept, but for what is asked for.
    fn read(kept: &Value, columns: &Columns) -> Result<(Option<String>, LogOptions), Failure> {
        let kept: Option<Self> = serde_json::from_value(kept.clone()).ok();
        let (label, start) = kept.map(|kept| (kept.label, kept.options)).unzip();
        Ok((label, options(start.unwrap_or_default(), columns)?))
    }
}

/// A table as the library has it.
pub(super) fn class_table(table: Table) -> Result<ClassTable, JobError> {
    ClassTable::new(table.contexts, table.labels, table.schema)
}

/// Said where a classifier meets the table that it comes from.
const OWN_TABLE: &str = "the classifier was trained on this table, so this is too good to be true; \
                         what `inspect` shows is of rows that had no part in the choice";

/// A content that a command has no use for.
fn other(path: &Path, content: &Content) -> Failure {
    let source = ModelFileError::OtherContent { expected: "a policy or a classifier", found: content.kind() };
    Failure::Model { path: path.to_owned(), source }
}

pub(super) fn predict(content: &Content, asked: &Predict, manners: &Manners) -> Result<u8, Failure> {
    let Content::Classifier(model) = content else { return Err(other(&asked.model, content)) };
    if let Some(epsilon) = asked.explore {
        let why = "the model is a classifier, and explores nothing".to_owned();
        return Err(Failure::Argument { name: "explore", value: epsilon.to_string(), why });
    }
    let (_, options) = Kept::read(model.format(), &asked.columns)?;
    let source = Source::path(&asked.contexts)?;
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
    printed(|out| {
        line(out, &header)?;
        lines.iter().try_for_each(|cells: &Vec<String>| line(out, cells))
    })
}

pub(super) fn evaluate(content: &Content, asked: &Evaluate, manners: &Manners) -> Result<u8, Failure> {
    let Content::Classifier(model) = content else { return Err(other(Path::new(&asked.policy), content)) };
    let (kept, options) = Kept::read(model.format(), &asked.columns)?;
    let Some(label) = asked.label.clone().or(kept) else {
        let why = "the model does not know the column of the classes".to_owned();
        return Err(Failure::Argument { name: "label", value: String::new(), why });
    };
    let source = Source::path(&asked.log)?;
    let table = formats::read_table_coded(source, &label, model.schema(), &options, &mut formats::quiet)?;
    tell(&table.facts, manners);
    let (file, sha256) = (table.facts.file.clone(), table.facts.sha256.clone());
    let failed = |source: JobError| Failure::Job { file: file.clone(), source };
    let report =
        model.judge(&class_table(table).map_err(failed)?, delta(asked.confidence)?).map_err(failed)?;
    let is_own = model.record().sources.iter().any(|source| source.sha256 == sha256);
    show(&report, |class| model.class_name(class), is_own.then_some(OWN_TABLE), manners)
}

/// Prints a judgement, and returns its exit code.
pub(super) fn show(
    report: &ClassificationReport,
    name: impl Fn(u32) -> String + Copy,
    caution: Option<&str>,
    manners: &Manners,
) -> Result<u8, Failure> {
    if manners.format == Form::Json {
        say(&answer(report, name, caution).to_string())?;
    } else {
        say(&report.sentence("", name))?;
        confusion(report, name).iter().try_for_each(|row| say(row))?;
        caution.iter().try_for_each(|caution| say(&format!("warning: {caution}")))?;
    }
    Ok(if report.is_better() { 0 } else { NOT_SHOWN })
}

/// The judgement as JSON.
pub(super) fn answer(
    report: &ClassificationReport,
    name: impl Fn(u32) -> String,
    caution: Option<&str>,
) -> Value {
    let ErrorRate { value, lower, upper } = report.error();
    let classes = 0..report.classes();
    let counts = |truth| classes.clone().map(move |answer| report.count(truth, answer)).collect::<Vec<_>>();
    json!({
        "rows": report.rows(),
        "error": { "value": value, "lower": lower, "upper": upper },
        "constant": { "class": name(report.constant()), "error": report.constant_error() },
        "confidence": 1.0 - report.delta(),
        "is_better": report.is_better(),
        "classes": classes.clone().map(|class| name(number(class))).collect::<Vec<_>>(),
        "confusion": classes.clone().map(counts).collect::<Vec<_>>(),
        "warnings": caution.into_iter().collect::<Vec<_>>(),
        "sentence": report.sentence("", name),
    })
}

/// More classes than this are not shown as a square.
const MOST_SHOWN: usize = 12;

/// The table of classes and answers; of many classes the commonest mistakes.
fn confusion(report: &ClassificationReport, name: impl Fn(u32) -> String) -> Vec<String> {
    let classes = report.classes();
    let names: Vec<String> = (0..classes).map(|class| name(number(class))).collect();
    if classes > MOST_SHOWN {
        let all = (0..classes).flat_map(|truth| (0..classes).map(move |answer| (truth, answer)));
        let mistakes = all.filter(|(truth, answer)| truth != answer);
        let mut mistakes: Vec<_> = mistakes.map(|(t, a)| (report.count(t, a), t, a)).collect();
        mistakes.sort_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mistakes = mistakes.iter().take(10).filter(|(count, ..)| *count > 0);
        let said =
            |(count, t, a): &(u64, usize, usize)| format!("  {count:>8}  {} as {}", names[*t], names[*a]);
        return ["the commonest mistakes:".to_owned()].into_iter().chain(mistakes.map(said)).collect();
    }
    let letters = |text: &str| text.chars().count();
    let counts = (0..classes).flat_map(|t| (0..classes).map(move |a| (t, a)));
    let widest = counts.map(|(t, a)| report.count(t, a).to_string().len()).max().unwrap_or_default();
    let first = names.iter().map(|name| letters(name)).max().unwrap_or_default();
    let of_column = |k: usize| letters(&names[k]).max(widest);
    let cell = |text: &str, width: usize| " ".repeat(width.saturating_sub(letters(text))) + text;
    let mut lines = vec!["classes in rows, answers in columns:".to_owned()];
    let header = (0..classes).map(|k| cell(&names[k], of_column(k)));
    lines.push(format!("  {}  {}", " ".repeat(first), header.collect::<Vec<_>>().join("  ")));
    for (truth, own) in names.iter().enumerate() {
        let counts = (0..classes).map(|k| cell(&report.count(truth, k).to_string(), of_column(k)));
        lines.push(format!("  {}  {}", cell(own, first), counts.collect::<Vec<_>>().join("  ")));
    }
    lines
}

/// Classes are fewer than 2¹⁶.
fn number(class: usize) -> u32 {
    u32::try_from(class).unwrap_or(u32::MAX)
}

pub(super) fn inspect(content: &Content, asked: &Inspect) -> Result<u8, Failure> {
    let Content::Classifier(model) = content else { return Err(other(&asked.model, content)) };
    inspect_classifier(model, asked.most)?;
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
