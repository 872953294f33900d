//! Which rows of a log judge.

use crate::arguments::Train;
use crate::failure::Failure;
use formats::RowLabels;
use ocoboost::Split;

/// The column that says which rows judge, and the value that says so where one is named.
fn marked(asked: &Train) -> Option<(&str, Option<&str>)> {
    asked.validation.as_deref().map(|asked| match asked.split_once('=') {
        Some((column, value)) => (column, Some(value)),
        None => (asked, None),
    })
}

/// The column that splits the rows, which is no context.
pub(super) fn column(asked: &Train) -> Option<&str> {
    marked(asked).map(|(column, _)| column).or(asked.groups.as_deref())
}

/// The split by what was read of a file; `None` for one by lot.
pub(super) fn of(
    asked: &Train,
    file: &str,
    time: Option<Vec<f64>>,
    split: Option<RowLabels>,
) -> Result<Option<Split>, Failure> {
    Ok(match (split, marked(asked)) {
        (Some(RowLabels { labels, codes }), Some((column, value))) => {
            Some(judged(file, column, value, &labels, &codes)?)
        }
        (Some(RowLabels { codes, .. }), None) => {
            Some(Split::ByGroup(codes.into_iter().map(u64::from).collect()))
        }
        (None, _) => time.map(Split::ByTime),
    })
}

/// The rows whose label says that they judge.
fn judged(
    file: &str,
    column: &str,
    value: Option<&str>,
    labels: &[String],
    codes: &[u32],
) -> Result<Split, Failure> {
    const MEANS_JUDGED: [&str; 4] = ["true", "yes", "1", "test"];
    let is_judged = |label: &String| match value {
        Some(value) => label == value.trim(),
        None => MEANS_JUDGED.iter().any(|word| label.eq_ignore_ascii_case(word)),
    };
    let of_label: Vec<bool> = labels.iter().map(is_judged).collect();
    if !of_label.contains(&true) {
        let shown = labels.iter().take(10).map(|label| format!("{label:?}")).collect::<Vec<_>>().join(", ");
        let asked = value.map_or("true, yes, 1 or test".to_owned(), |value| format!("{value:?}"));
        let (file, column) = (file.to_owned(), column.to_owned());
        return Err(Failure::NoneJudged { file, column, asked, shown });
    }
    let judged = codes.iter().map(|code| of_label.get(*code as usize).copied().unwrap_or_default());
    Ok(Split::Given(judged.collect()))
}
