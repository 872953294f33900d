//! The course of one run: error, bound, margins and zero weights by round.

use super::MaboostError;
use super::methods::{Learner, Method, Moment};
use super::sets::Task;
use boosters::maboost::Stop;
use serde::{Deserialize, Serialize};

/// One run of one algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The algorithm.
    pub method: String,
    /// Why it stopped before the last round, if it did.
    pub stop: Option<Stop>,
    /// How many rounds broke their bound; none, if the theorems are right.
    pub broken: u32,
    /// The rounds that are kept, the last among them.
    pub places: Vec<Place>,
    /// The round, and the share of the training examples with a normalised margin up to each of [`levels`].
    pub margins: Vec<(u32, Vec<f64>)>,
}

/// What is kept of a round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// t.
    pub round: u32,
    /// The training error, with a margin of 0 for an error.
    pub error: f64,
    /// The test error.
    pub test: f64,
    /// The paper's bound on the training error.
    pub bound: f64,
    /// A sharper one, where there is one.
    pub tight: Option<f64>,
    /// The least normalised margin.
    pub margin: f64,
    /// The bound of \[NP14, Theorem 2\] on it.
    pub margin_bound: Option<f64>,
    /// Σγ².
    pub squares: f64,
    /// The share of weights that are 0.
    pub zeros: f64,
    /// The share of weights at their cap.
    pub capped: f64,
    /// Rows that weak learners were trained on so far, in units of N.
    pub used: f64,
}

/// The margins at which distributions are kept: −1, −0.98, …, 1.
pub fn levels() -> impl Iterator<Item = f64> {
    (-50..=50_i32).map(|level| f64::from(level) / 50.0)
}

/// After which rounds margins are kept; and after the last.
const MARGINS_AFTER: [u32; 2] = [10, 100];
/// Kept rounds a factor of ten.
const A_DECADE: f64 = 12.0;

impl Course {
    /// Runs an algorithm for up to `rounds` rounds.
    ///
    /// # Errors
    /// What boosters refuse.
    pub fn run(method: Method, learner: Learner, task: &Task<'_>, rounds: u32) -> Result<Self, MaboostError> {
        let n = task.labels.len() as f64;
        let mut course = Self {
            method: method.to_string(),
            stop: None,
            broken: 0,
            places: Vec::new(),
            margins: Vec::new(),
        };
        let (mut eta_sum, mut squares, mut used, mut least) = (0.0, 0.0, 0.0, 1.0_f64);
        let (mut last, mut last_margins) = (None, Vec::new());
        course.stop = method.boost(learner, task, rounds, &mut |now: &Moment<'_>| {
            let Moment { t, round, margins, test_error } = now;
            eta_sum += round.eta;
            squares += round.edge * round.edge;
            used += round.trained_on as f64 / n;
            least = least.min(round.error);
            let bounded = if method.bounds_the_best_round() { least } else { round.error };
            let promise = round.promise;
            let kept = bounded <= promise.tight.unwrap_or(promise.error).min(promise.error) + 1e-9
                && promise.margin.is_none_or(|bound| round.min_margin >= bound - 1e-9);
            course.broken += u32::from(!kept);
            let place = Place {
                round: *t,
                error: round.error,
                test: *test_error,
                bound: promise.error,
                tight: promise.tight,
                margin: round.min_margin,
                margin_bound: promise.margin,
                squares,
                zeros: round.zeros as f64 / n,
                capped: round.capped as f64 / n,
                used,
            };
            if MARGINS_AFTER.contains(t) {
                course.margins.push((*t, distribution(margins, eta_sum)));
            }
            if is_kept(*t) {
                course.places.push(place);
            }
            last = Some(place);
            last_margins.clear();
            last_margins.extend_from_slice(margins);
        })?;
        if let Some(place) = last {
            if course.places.last() != Some(&place) {
                course.places.push(place);
            }
            if course.margins.last().is_none_or(|(round, _)| *round != place.round) {
                course.margins.push((place.round, distribution(&last_margins, eta_sum)));
            }
        }
        Ok(course)
    }

    /// The run after this round, or where it had stopped before.
    pub fn at(&self, round: u32) -> Option<&Place> {
        self.places.iter().rfind(|place| place.round <= round)
    }

    /// The run at its end.
    pub fn last(&self) -> Option<&Place> {
        self.places.last()
    }
}

/// Whether curves have a point at this round: about twelve to a factor of ten.
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
