//! The course of one run: error, bound, margins and zero weights by round.

use super::MaboostError;
use super::methods::{Learner, Method, Moment};
use super::sets::Task;
use boosters::maboost::{Promise, Stop};
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
        let mut watch = Watch::new(method, task.labels.len());
        let stop = method.boost(learner, task, rounds, &mut |now| watch.see(now))?;
        Ok(watch.finish(stop))
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

/// Follows a run.
struct Watch {
    course: Course,
    /// N.
    n: f64,
    bounds_the_best_round: bool,
    eta_sum: f64,
    squares: f64,
    used: f64,
    /// The least training error so far.
    least: f64,
    last: Option<Place>,
    last_margins: Vec<f64>,
}

impl Watch {
    fn new(method: Method, examples: usize) -> Self {
        let (stop, places, margins) = (None, Vec::new(), Vec::new());
        Self {
            course: Course { method: method.to_string(), stop, broken: 0, places, margins },
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
        self.course.broken += u32::from(!keeps(&round.promise, bounded, round.min_margin));
        let place = Place {
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
            self.course.margins.push((*t, distribution(margins, self.eta_sum)));
        }
        if is_kept(*t) {
            self.course.places.push(place);
        }
        self.last = Some(place);
        self.last_margins.clear();
        self.last_margins.extend_from_slice(margins);
    }

    fn finish(self, stop: Option<Stop>) -> Course {
        let Self { mut course, eta_sum, last, last_margins, .. } = self;
        course.stop = stop;
        if let Some(place) = last {
            if course.places.last() != Some(&place) {
                course.places.push(place);
            }
            if course.margins.last().is_none_or(|(round, _)| *round != place.round) {
                course.margins.push((place.round, distribution(&last_margins, eta_sum)));
            }
        }
        course
    }
}

/// Whether an error and the least margin are what the theorems say, but for rounding.
fn keeps(promise: &Promise, error: f64, margin: f64) -> bool {
    error <= promise.tight.unwrap_or(promise.error).min(promise.error) + 1e-9
        && promise.margin.is_none_or(|bound| margin >= bound - 1e-9)
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

#[cfg(test)]
mod tests {
    use super::super::made_up::place;
    use super::*;
    use boosters::maboost::Round;

    fn promise(error: f64, tight: Option<f64>, margin: Option<f64>) -> Promise {
        Promise { error, tight, margin }
    }

    fn round(error: f64, min_margin: f64, promise: Promise) -> Round {
        Round {
            edge: 0.5,
            eta: 2.0,
            flipped: false,
            error,
            min_margin,
            promise,
            trained_on: 6,
            zeros: 2,
            capped: 1,
        }
    }

    fn moment(t: u32, round: Round) -> Moment<'static> {
        Moment { t, round, margins: &[-2.0, 0.0, 1.0, 2.0], test_error: 1.0 / f64::from(t) }
    }

    /// How many of these rounds a watch counts as broken.
    fn broken(method: Method, rounds: &[(f64, f64, Promise)]) -> u32 {
        let mut watch = Watch::new(method, 8);
        for (t, &(error, margin, promise)) in (1..).zip(rounds) {
            watch.see(&moment(t, round(error, margin, promise)));
        }
        watch.finish(None).broken
    }

    #[test]
    fn a_round_above_any_bound_is_counted() {
        let kept = (0.25, 0.0, promise(0.25, None, None));
        let rounds = [
            kept,
            // Above the bound; above the sharper one alone; above the paper's alone; below the margin's.
            (0.5, 0.0, promise(0.25, None, None)),
            (0.5, 0.0, promise(0.75, Some(0.25), None)),
            (0.5, 0.0, promise(0.25, Some(0.75), None)),
            (0.25, 0.125, promise(0.5, None, Some(0.25))),
            (0.25, 0.25, promise(0.5, Some(0.25), Some(0.25))),
            (0.25, -0.25, promise(0.5, None, Some(-0.5))),
        ];
        assert_eq!(broken(Method::Entropy, &rounds), 4);
        for (place, expected) in [0, 1, 1, 1, 1, 0, 0].into_iter().enumerate() {
            assert_eq!(broken(Method::Entropy, &rounds[place..=place]), expected, "{:?}", rounds[place]);
        }
        let near = |by: f64| [(0.25 + by, 0.25 - by, promise(0.25, None, Some(0.25)))];
        assert_eq!([near(1e-12), near(1e-6)].map(|rounds| broken(Method::Entropy, &rounds)), [0, 1]);
    }

    /// The bound of MadaBoost is one on the least error so far; no other method's is.
    #[test]
    fn the_best_round_is_bounded_where_the_theorem_says_so() {
        let of = |error, bound| (error, 0.0, promise(bound, None, None));
        let rounds = [of(0.25, 0.5), of(0.75, 0.5), of(0.75, 0.25), of(0.5, 0.125)];
        assert_eq!([Method::Mada, Method::Entropy].map(|method| broken(method, &rounds)), [1, 3]);
        assert!(
            Method::ALL.into_iter().all(|method| method.bounds_the_best_round() == (method == Method::Mada))
        );
    }

    #[test]
    fn what_is_kept_of_a_round_is_what_was_booked() {
        let mut watch = Watch::new(Method::Entropy, 8);
        for t in 1..=3 {
            let promise = promise(0.75, Some(0.625), Some(-0.5));
            watch.see(&moment(t, round(0.5 / f64::from(t), -0.25, promise)));
        }
        let course = watch.finish(Some(Stop::NoEdge));
        let place = course.at(3).unwrap();
        let expected = Place {
            round: 3,
            error: 0.5 / 3.0,
            test: 1.0 / 3.0,
            bound: 0.75,
            tight: Some(0.625),
            margin: -0.25,
            margin_bound: Some(-0.5),
            squares: 0.75,
            zeros: 0.25,
            capped: 0.125,
            used: 2.25,
        };
        assert_eq!((place, course.last(), course.stop), (&expected, Some(&expected), Some(Stop::NoEdge)));
        // Of the margins −2, 0, 1 and 2 over Ση = 6.
        let (t, shares) = course.margins.last().unwrap();
        let at = |level: f64| {
            levels().zip(shares).filter(|(at, _)| *at <= level + 1e-9).last().map(|(_, share)| *share)
        };
        let shares = [-1.0, -0.34, -0.32, -0.02, 0.0, 0.16, 0.18, 0.32, 0.34, 1.0].map(at);
        assert_eq!((*t, shares), (3, [0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0].map(Some)));
    }

    /// Margins are kept after 10, 100 and the last round; rounds at first nearly all, and twelve to a factor of ten.
    #[test]
    fn rounds_are_kept_evenly_on_a_logarithmic_scale() {
        let run = |rounds: u32| {
            let mut watch = Watch::new(Method::Entropy, 8);
            (1..=rounds).for_each(|t| watch.see(&moment(t, round(0.5, 0.0, promise(1.0, None, None)))));
            watch.finish(None)
        };
        let rounds = |course: &Course| course.places.iter().map(|place| place.round).collect::<Vec<_>>();
        let margins = |course: &Course| course.margins.iter().map(|(t, _)| *t).collect::<Vec<_>>();
        let course = run(105);
        let kept = rounds(&course);
        assert_eq!(kept[..9], [1, 2, 3, 4, 5, 6, 7, 9, 10], "{kept:?}");
        assert_eq!(kept[kept.len() - 3..], [83, 100, 105], "{kept:?}");
        assert_eq!(margins(&course), [10, 100, 105]);
        assert_eq!((margins(&run(10)), margins(&run(9))), (vec![10], vec![9]));
        assert_eq!(rounds(&run(10)).last(), Some(&10));
        assert!(run(0).places.is_empty() && run(0).margins.is_empty());
    }

    #[test]
    fn a_course_is_looked_at_where_it_was() {
        let places = vec![place(1, 0.5), place(4, 0.75), place(6, 0.25)];
        let (method, margins) = (String::new(), Vec::new());
        let course = Course { method, stop: None, broken: 0, places, margins };
        let at = |round| course.at(round).map(|place| place.round);
        assert_eq!(
            [0, 1, 3, 4, 5, 6, 9].map(at),
            [None, Some(1), Some(1), Some(4), Some(4), Some(6), Some(6)]
        );
        assert_eq!(course.last().map(|place| place.round), Some(6));
    }
}
