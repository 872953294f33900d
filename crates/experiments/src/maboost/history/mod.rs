//! The history of one run: error, bound, margins and zero weights by round.

use super::methods::{Learner, Method, Moment};
use super::sets::Task;
use crate::runner::ExperimentError;
use boosters::maboost::{BoostStop, Promise};
use serde::{Deserialize, Serialize};

/// One run of one algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The algorithm.
    pub method: String,
    /// The reason for an early stop, if any.
    pub stop: Option<BoostStop>,
    /// The number of rounds above a bound; 0 if the theorems hold.
    pub broken: u32,
    /// The kept rounds, including the last.
    // Kept trials use the field's first name.
    #[serde(rename = "places")]
    pub snapshots: Vec<Snapshot>,
    /// The round, and the share of the training examples with a normalised margin up to each of [`levels`].
    pub margins: Vec<(u32, Vec<f64>)>,
}

/// The kept numbers of a round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// t.
    pub round: u32,
    /// The training error; a margin of 0 counts as an error.
    pub error: f64,
    /// The test error.
    pub test: f64,
    /// The paper's bound on the training error.
    pub bound: f64,
    /// A sharper bound, if there is one.
    pub tight: Option<f64>,
    /// The least normalised margin.
    pub margin: f64,
    /// The bound of \[NP14, Theorem 2\] on the least margin.
    pub margin_bound: Option<f64>,
    /// Σγ².
    pub squares: f64,
    /// The share of zero weights.
    pub zeros: f64,
    /// The share of weights at their cap.
    pub capped: f64,
    /// The rows that weak learners were trained on so far, in units of N.
    pub used: f64,
}

/// The levels of the kept margin distributions: −1, −0.98, …, 1.
pub fn levels() -> impl Iterator<Item = f64> {
    (-50..=50_i32).map(|level| f64::from(level) / 50.0)
}

/// The rounds after which margins are kept, besides the last.
const MARGINS_AFTER: [u32; 2] = [10, 100];
/// Kept rounds per factor of ten.
const A_DECADE: f64 = 12.0;

impl History {
    /// Runs an algorithm for up to `rounds` rounds.
    ///
    /// # Errors
    /// The errors of the boosters.
    pub fn run(
        method: Method,
        learner: Learner,
        task: &Task<'_>,
        rounds: u32,
    ) -> Result<Self, ExperimentError> {
        let mut watch = Watch::new(method, task.labels.len());
        let stop = method.boost(learner, task, rounds, &mut |now| watch.see(now))?;
        Ok(watch.finish(stop))
    }

    /// The run after this round, or at its end if it stopped earlier.
    pub fn at(&self, round: u32) -> Option<&Snapshot> {
        self.snapshots.iter().rfind(|snapshot| snapshot.round <= round)
    }

    /// The run at its end.
    pub fn last(&self) -> Option<&Snapshot> {
        self.snapshots.last()
    }
}

/// Observes a run round by round.
struct Watch {
    history: History,
    /// N.
    n: f64,
    bounds_the_best_round: bool,
    eta_sum: f64,
    squares: f64,
    used: f64,
    /// The least training error so far.
    least: f64,
    last: Option<Snapshot>,
    last_margins: Vec<f64>,
}

impl Watch {
    fn new(method: Method, examples: usize) -> Self {
        let (stop, snapshots, margins) = (None, Vec::new(), Vec::new());
        Self {
            history: History { method: method.to_string(), stop, broken: 0, snapshots, margins },
            n: examples as f64,
            bounds_the_best_round: method.bounds_the_best_round(),
            eta_sum: 0.0,
            squares: 0.0,
            used: 0.0,
            least: 1.0,
            last: None,
            last_margins: Vec::new(),
        }
    }

    fn see(&mut self, now: &Moment<'_>) {
        let Moment { t, round, margins, test_error } = now;
        self.eta_sum += round.eta;
        self.squares += round.edge * round.edge;
        self.used += round.trained_on as f64 / self.n;
        self.least = self.least.min(round.error);
        let bounded = if self.bounds_the_best_round { self.least } else { round.error };
        self.history.broken += u32::from(!keeps(&round.promise, bounded, round.min_margin));
        let snapshot = Snapshot {
            round: *t,
            error: round.error,
            test: *test_error,
            bound: round.promise.error,
            tight: round.promise.tight,
            margin: round.min_margin,
            margin_bound: round.promise.margin,
            squares: self.squares,
            zeros: round.zeros as f64 / self.n,
            capped: round.capped as f64 / self.n,
            used: self.used,
        };
        if MARGINS_AFTER.contains(t) {
            self.history.margins.push((*t, distribution(margins, self.eta_sum)));
        }
        if is_kept(*t) {
            self.history.snapshots.push(snapshot);
        }
        self.last = Some(snapshot);
        self.last_margins.clear();
        self.last_margins.extend_from_slice(margins);
    }

    fn finish(self, stop: Option<BoostStop>) -> History {
        let Self { mut history, eta_sum, last, last_margins, .. } = self;
        history.stop = stop;
        if let Some(snapshot) = last {
            if history.snapshots.last() != Some(&snapshot) {
                history.snapshots.push(snapshot);
            }
            if history.margins.last().is_none_or(|(round, _)| *round != snapshot.round) {
                history.margins.push((snapshot.round, distribution(&last_margins, eta_sum)));
            }
        }
        history
    }
}

/// Whether an error and the least margin satisfy the theorems, up to rounding.
fn keeps(promise: &Promise, error: f64, margin: f64) -> bool {
    error <= promise.tight.unwrap_or(promise.error).min(promise.error) + 1e-9
        && promise.margin.is_none_or(|bound| margin >= bound - 1e-9)
}

/// Whether curves have a point at this round: about twelve per factor of ten.
fn is_kept(t: u32) -> bool {
    let step = |t: u32| (A_DECADE * f64::from(t).log10()).floor();
    step(t) > step(t - 1)
}

/// The share of the examples with a margin up to each level.
fn distribution(margins: &[f64], eta_sum: f64) -> Vec<f64> {
    let share = |level: f64| {
        let below = margins.iter().filter(|margin| **margin / eta_sum <= level);
        below.count() as f64 / margins.len() as f64
    };
    levels().map(share).collect()
}

#[cfg(test)]
mod tests;
