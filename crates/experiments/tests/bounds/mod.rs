//! Compares the numbers of a record with their bounds, trial by trial.

use report::record::Record;

/// The result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// The number of compared pairs.
    pub(crate) compared: usize,
    /// The pairs that violate their bound, and numbers without a bound.
    pub(crate) broken: Vec<String>,
}

/// For each pair of methods (below, above, slack): in every trial, data set and metric of `below`, its number
/// is at most that of `above`, up to the slack and rounding.
pub(crate) fn compare(record: &Record, pairs: &[(&str, &str, f64)]) -> Comparison {
    let mut found = Comparison::default();
    for &(below, above, slack) in pairs {
        for low in record.trials.iter().filter(|row| row.method == below) {
            let high = record.trials.iter().find(|row| {
                (&row.dataset, row.method.as_str(), &row.metric, row.trial)
                    == (&low.dataset, above, &low.metric, low.trial)
            });
            found.compared += 1;
            if !high.is_some_and(|high| low.value <= high.value + slack + 1e-9) {
                found.broken.push(format!("{low:?} against {high:?}"));
            }
        }
    }
    found
}
