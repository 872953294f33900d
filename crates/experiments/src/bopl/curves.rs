//! The kept rounds as comma-separated values: means over the trials.

use super::history::Snapshot;
use super::measured::Measured;
use report::table::significant;
use std::fmt::Write as _;

/// The kept numbers of a round, with the headings of their columns.
type Read = fn(&Snapshot) -> Option<f64>;
const COLUMNS: [(&str, Read); 5] = [
    ("gradient norm", |snapshot| Some(snapshot.gradient_norm)),
    ("training SNIPS", |snapshot| snapshot.snips),
    ("test reward", |snapshot| Some(snapshot.reward)),
    ("objective", |snapshot| snapshot.objective),
    ("bound", |snapshot| snapshot.bound),
];
/// Significant digits.
const DIGITS: usize = 6;

/// One line per task, method and kept round. A stopped trial counts with its last value. A field is empty if
/// the number does not exist.
pub(super) fn curves(measured: &[Measured]) -> String {
    let header = COLUMNS.map(|(heading, _)| heading).join(",");
    let mut text = format!("task,data,trials,method,round,{header}\n");
    for one in measured {
        let data = one.provenance.label().unwrap_or("official");
        for round in one.rounds() {
            let cells = COLUMNS.map(|(_, read)| match one.at(round, read) {
                Some(found) => significant(found.mean, DIGITS),
                None => String::new(),
            });
            let (task, trials, method) = (one.task, one.trials.len(), one.method);
            let _ = writeln!(text, "{task},{data},{trials},{method},{round},{}", cells.join(","));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{history, measured, snapshot};
    use super::super::methods::Method;
    use super::*;
    use crate::bopl::task_name::TaskName::Tmc;

    #[test]
    fn a_stopped_trial_counts_with_its_last_value() {
        let mut trials = [history(0.0), history(0.0)];
        trials[0].snapshots = vec![snapshot(1, 0.5), snapshot(2, 1.5)];
        trials[1].snapshots = vec![snapshot(1, 1.5), snapshot(2, 2.5), snapshot(3, 3.5)];
        trials.iter_mut().for_each(|trial| trial.snapshots[0].snips = None);
        let text = curves(&[measured(Tmc, Method::BoplRegr, trials.to_vec())]);
        let expected =
            "task,data,trials,method,round,gradient norm,training SNIPS,test reward,objective,bound
tmc,official,2,BOPL-regr,1,2.00000,,1.00000,5.00000,9.00000
tmc,official,2,BOPL-regr,2,3.00000,4.00000,2.00000,6.00000,10.0000
tmc,official,2,BOPL-regr,3,3.50000,4.50000,2.50000,6.50000,10.5000
";
        assert_eq!(text, expected);
    }
}
