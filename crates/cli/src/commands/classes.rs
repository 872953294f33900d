//! What classifiers of tables and learners of streams have in common: what is kept with them, and how their
//! judgement is shown.

use crate::arguments::{Form, Manners};
use crate::failure::{Failure, NOT_SHOWN};
use formats::LogOptions;
use ocoboost::{ClassificationReport, ErrorRate};
use report::output::say;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is kept with a model of the reading of its rows.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    label: Option<String>,
    options: LogOptions,
}

impl Kept {
    /// The options for later files, whose format may be another one. A stream has no schema that says which
    /// columns are learnt from, so all else is kept.
    pub(super) fn of(label: Option<&str>, columns: &LogOptions) -> Result<Value, Failure> {
        let mut options = serde_json::to_value(columns)?;
        if let Some(fields) = options.as_object_mut() {
            fields.remove("format");
        }
        Ok(json!({ "label": label, "options": options }))
    }

    /// What was kept: the column of the classes, and the options.
    pub(super) fn read(kept: &Value) -> (Option<String>, LogOptions) {
        let kept: Option<Self> = serde_json::from_value(kept.clone()).ok();
        kept.map_or_else(
            || (None, LogOptions::default()),
            |kept| (kept.label, kept.options.may_lack_columns()),
        )
    }
}

/// Prints a judgement, and returns its exit code.
pub(super) fn show(
    report: &ClassificationReport,
    name: impl Fn(u32) -> String + Copy,
    caution: Option<&str>,
    manners: &Manners,
) -> Result<u8, Failure> {
    if manners.form("evaluate of a classifier", Form::Text, &[Form::Json])? == Form::Json {
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
pub(super) fn confusion(report: &ClassificationReport, name: impl Fn(u32) -> String) -> Vec<String> {
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
