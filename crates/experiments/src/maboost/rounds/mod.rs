//! The kept rounds as comma-separated values: means over the trials.

use super::history::{Snapshot, levels};
use super::measured::{Measured, of_part};
use super::methods::Method;
use super::parts::Part;
use report::table::significant;
use std::fmt::Write as _;

/// The kept numbers of a round, with the headings of their columns.
type Read = fn(&Snapshot) -> Option<f64>;
const COLUMNS: [(&str, Read); 10] = [
    ("training error", |snapshot| Some(snapshot.error)),
    ("test error", |snapshot| Some(snapshot.test)),
    ("bound", |snapshot| Some(snapshot.bound)),
    ("sharper bound", |snapshot| snapshot.tight),
    ("least margin", |snapshot| Some(snapshot.margin)),
    ("bound on the margin", |snapshot| snapshot.margin_bound),
    ("sum of squared edges", |snapshot| Some(snapshot.squares)),
    ("share of zero weights", |snapshot| Some(snapshot.zeros)),
    ("share of weights at the cap", |snapshot| Some(snapshot.capped)),
    ("passes over the rows", |snapshot| Some(snapshot.used)),
];
const KEY: &str = "set,learner,data,trials,method";
/// Significant digits.
const DIGITS: usize = 5;

/// One line per algorithm, learner, set and kept round. A stopped trial counts with its last value. A field
/// is empty if the number does not exist.
pub(super) fn rounds(measured: &[Measured]) -> String {
    let header = COLUMNS.map(|(heading, _)| heading).join(",");
    let mut text = format!("{KEY},round,{header}\n");
    for (one, method) in runs(measured) {
        for round in one.rounds(&method) {
            let cells = COLUMNS.map(|(_, read)| match one.at(&method, round, read) {
                Some(found) => significant(found.mean, DIGITS),
                None => String::new(),
            });
            let _ = writeln!(text, "{},{round},{}", key(one, &method), cells.join(","));
        }
    }
    text
}

/// One line per distribution of margins: the share of the training examples with a normalised margin up to
/// each level.
pub(super) fn margins(measured: &[Measured]) -> String {
    let header: Vec<String> = levels().map(|level| level.to_string()).collect();
    let mut text = format!("{KEY},after round,{}\n", header.join(","));
    for (one, method) in runs(measured) {
        for after in [Some(10), Some(100), None] {
            if let Some(shares) = one.margins(&method, after) {
                let shares: Vec<String> =
                    shares.into_iter().map(|share| significant(share, DIGITS)).collect();
                let after = after.map_or_else(|| "last".to_owned(), |round| round.to_string());
                let _ = writeln!(text, "{},{after},{}", key(one, &method), shares.join(","));
            }
        }
    }
    text
}

fn runs(measured: &[Measured]) -> impl Iterator<Item = (&Measured, String)> {
    of_part(measured, Part::Histories)
        .flat_map(|one| Method::ALL.into_iter().map(move |method| (one, method.to_string())))
}

/// Method names are quoted because they contain commas.
fn key(one: &Measured, method: &str) -> String {
    let data = one.provenance.label().unwrap_or("official");
    format!("{},{},{data},{},\"{method}\"", one.set, one.learner, one.trials.len())
}

#[cfg(test)]
mod tests;
