//! Test fixtures: runs with known numbers, and sets that need no files.

use super::history::{History, Snapshot, levels};
use super::methods::{Learner, Method};
use super::parts::Part;
use super::sets::Split;
use super::{Measured, Outcome, Point};
use datasets::{Name, SearchPath, StandIn, load};
use report::record::Provenance;
use std::sync::Arc;

/// A split of a stand-in into at most 200 training and 100 test rows.
pub(super) fn split(name: Name, rows: usize) -> Split {
    let dataset = load(name, &SearchPath::nowhere(), StandIn { seed: 3, rows: Some(rows) }).unwrap();
    Split::draw(name, &dataset, [200, 100], 3, 1).unwrap()
}

/// A kept round whose numbers all differ.
pub(super) fn snapshot(round: u32, of: f64) -> Snapshot {
    Snapshot {
        round,
        error: of,
        test: of + 0.25,
        bound: of + 0.5,
        tight: Some(of + 0.75),
        margin: of + 1.0,
        margin_bound: Some(of + 2.0),
        squares: of + 3.0,
        zeros: of + 4.0,
        capped: of + 5.0,
        used: of + 6.0,
    }
}

/// A training history of these rounds. After the last round, every level of the margin distribution has this
/// share.
pub(super) fn history(method: Method, snapshots: Vec<Snapshot>, broken: u32, share: f64) -> History {
    let round = snapshots.last().unwrap().round;
    let margins = vec![(round, levels().map(|_| share).collect())];
    History { method: method.to_string(), stop: None, broken, snapshots, margins }
}

/// Trials of a part over stumps on official spambase.
fn measured(part: Part, outcomes: Vec<Outcome>) -> Measured {
    let trials = outcomes.into_iter().map(|outcome| Arc::new((1.0, outcome))).collect();
    Measured { part, set: Name::Spambase, learner: Learner::Stumps, provenance: Provenance::Official, trials }
}

/// Histories, trial by trial.
pub(super) fn histories(trials: Vec<Vec<History>>) -> Measured {
    measured(Part::Histories, trials.into_iter().map(Outcome::Histories).collect())
}

/// Case, method, metric, x and value of a number.
pub(super) type Numbered<'a> = (&'a str, &'a str, &'a str, f64, f64);

/// Single numbers, trial by trial.
pub(super) fn points(part: Part, trials: &[Vec<Numbered<'_>>]) -> Measured {
    let point =
        |(case, method, metric, x, value): &Numbered<'_>| Point::new(case, method, metric, *x, *value);
    let outcome = |points: &Vec<_>| Outcome::Points(points.iter().map(point).collect());
    measured(part, trials.iter().map(outcome).collect())
}
