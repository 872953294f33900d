//! What is kept of the rounds, as comma-separated values: means over the trials.

use super::Measured;
use super::course::Place;
use crate::table::significant;
use std::fmt::Write as _;

/// What is kept of a round, by the heading of its column.
type Read = fn(&Place) -> Option<f64>;
const COLUMNS: [(&str, Read); 5] = [
    ("gradient norm", |place| Some(place.gradient_norm)),
    ("training SNIPS", |place| place.snips),
    ("test reward", |place| Some(place.reward)),
    ("objective", |place| place.objective),
    ("bound", |place| place.bound),
];
/// Significant digits.
const DIGITS: usize = 6;

/// A line a kept round of each method on a task. A trial that had stopped counts as it was; a field is empty where there
/// is no such number.
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
