//! Holds the numbers of a record against the theorems that bound them, trial by trial.

use report::record::Record;

/// What a comparison found.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// The pairs of numbers that were compared.
    pub(crate) compared: usize,
    /// Those that break their theorem, and numbers that have nothing to be compared with.
    pub(crate) broken: Vec<String>,
}

/// For each pair of methods (below, above, slack): in every trial, data set and metric of the first its
/// number is at most that of the second, but for the slack and for rounding.
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
