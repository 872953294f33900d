//! When a run ends, and why.

use super::BoostError;
use serde::{Deserialize, Serialize};
use std::fmt;
use weak_learners::LearnerError;

/// When a run ends, unless its algorithm ends by itself: after T rounds in all, at a training error, or at
/// the least error that the algorithm promises to reach.
///
/// The number of rounds always ends a run, with [`BoostStop::Rounds`]. A target error ends it earlier, with
/// [`BoostStop::TargetError`]. The reachable error, 1/k where no weight exceeds kD, ends it with
/// [`BoostStop::ReachableError`] only on demand. The theorem promises nothing below it, but the training
/// error often falls further, and so does the error on other rows.
///
/// The rounds are those of the run from its first one on, so a run that was stopped and continued keeps its
/// rules. Time, validation and the caller's own reasons are in [`Watch`](super::Watch).
///
/// ```
/// use boosters::maboost::{Active, BoostError, BoostingRun, Examples, SmoothBoost, BoostStop, Stopping};
/// use rows::RowMatrix;
/// use weak_learners::Label::{Minus, Plus};
/// use weak_learners::batch::{ExactStump, SortedColumns};
/// let sample = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 3.0, 4.0, 5.0])?)?;
/// let examples = Examples::uniform(vec![Minus, Minus, Plus, Minus, Minus])?;
/// let smooth = SmoothBoost::<Active>::smooth(&examples, 4.0)?;
/// let mut run = BoostingRun::new(examples, ExactStump::default(), smooth)?;
///
/// // Smoothness 4 promises a training error of 1/4 and nothing below.
/// let stopping = Stopping::after(40);
/// let unreachable = run.run(&sample, &stopping.at_error(0.2)?);
/// assert_eq!(unreachable, Err(BoostError::UnreachableAccuracy { target: 0.2, reachable: 0.25 }));
/// assert_eq!(run.run(&sample, &stopping.at_reachable_error())?, BoostStop::ReachableError);
/// assert_eq!((run.record().len(), run.error()), (1, 0.2));
///
/// // It goes on where nothing is promised.
/// assert_eq!(run.run(&sample, &stopping)?, BoostStop::Rounds);
/// assert_eq!((run.record().len(), run.error()), (40, 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct Stopping {
    rules: Unchecked,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Unchecked {
    rounds: usize,
    target: Option<f64>,
    /// Whether the run goes on at the reachable error.
    past_reachable: bool,
    /// Whether a target below the reachable error is allowed. Files of older versions allow it.
    #[serde(default = "allowed")]
    any_target: bool,
}

fn allowed() -> bool {
    true
}

/// The tolerance for the rounding of k·D_i and D_i/(k·D_i) in a comparison with 1/k.
pub(super) const ROUNDING: f64 = 1e-12;

impl Stopping {
    /// Stops after T rounds, or when the algorithm ends by itself.
    #[must_use]
    pub fn after(rounds: usize) -> Self {
        Self { rules: Unchecked { rounds, target: None, past_reachable: true, any_target: false } }
    }

    /// Stops also at this training error, a share of D. A target below the least error that the algorithm
    /// promises is refused when the run begins.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for a target outside \[0, 1).
    pub fn at_error(self, target: f64) -> Result<Self, LearnerError> {
        Unchecked { target: Some(target), ..self.rules }.try_into()
    }

    /// Stops also at this training error, whatever the algorithm promises. If it is never reached, the number
    /// of rounds ends the run.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for a target outside \[0, 1).
    pub fn at_any_error(self, target: f64) -> Result<Self, LearnerError> {
        Unchecked { target: Some(target), past_reachable: true, any_target: true, ..self.rules }.try_into()
    }

    /// Stops also at the least error that the algorithm promises, if that is above 0: at 1/k, where no weight
    /// exceeds kD. Theorem 3 of \[NP14\] promises nothing below it.
    #[must_use]
    pub fn at_reachable_error(self) -> Self {
        Self { rules: Unchecked { past_reachable: false, ..self.rules } }
    }

    pub(super) fn check_target(&self, reachable: f64) -> Result<(), BoostError> {
        match self.rules.target {
            Some(target) if !self.allows_any() && target < reachable * (1.0 - ROUNDING) => {
                Err(BoostError::UnreachableAccuracy { target, reachable })
            }
            _ => Ok(()),
        }
    }

    fn allows_any(&self) -> bool {
        self.rules.past_reachable && self.rules.any_target
    }

    /// The reason to end at this training error after so many rounds, if there is one.
    pub(super) fn reached(&self, error: f64, reachable: f64, rounds: usize) -> Option<BoostStop> {
        let Unchecked { rounds: limit, target, past_reachable, .. } = self.rules;
        let at = |least: f64| error <= least * (1.0 + ROUNDING);
        if target.is_some_and(at) {
            Some(BoostStop::TargetError)
        } else if reachable > 0.0 && !past_reachable && at(reachable) {
            Some(BoostStop::ReachableError)
        } else {
            (rounds >= limit).then_some(BoostStop::Rounds)
        }
    }
}

impl From<Stopping> for Unchecked {
    fn from(stopping: Stopping) -> Self {
        stopping.rules
    }
}

impl TryFrom<Unchecked> for Stopping {
    type Error = LearnerError;

    fn try_from(rules: Unchecked) -> Result<Self, LearnerError> {
        match rules.target {
            Some(value) if !(0.0..1.0).contains(&value) => {
                Err(LearnerError::BadParameter { name: "target error", value, domain: "[0, 1)" })
            }
            _ => Ok(Self { rules }),
        }
    }
}

/// Why a run ended.
///
/// A run may end early, so a caller has to use the reason:
///
/// ```
/// #![deny(unused_must_use)]
/// # use boosters::maboost::{AdaBoost, BoostError, BoostingRun, Examples, BoostStop, Stopping};
/// # use weak_learners::batch::{ExactStump, SortedColumns};
/// fn play(run: &mut BoostingRun<ExactStump, AdaBoost>, sample: &SortedColumns) -> Result<bool, BoostError> {
///     let why = run.run(sample, &Stopping::after(200))?;
///     Ok(why == BoostStop::Rounds)
/// }
/// ```
///
/// Ignoring the reason does not compile:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// # use boosters::maboost::{AdaBoost, BoostError, BoostingRun, Examples, BoostStop, Stopping};
/// # use weak_learners::batch::{ExactStump, SortedColumns};
/// fn play(run: &mut BoostingRun<ExactStump, AdaBoost>, sample: &SortedColumns) -> Result<bool, BoostError> {
///     run.run(sample, &Stopping::after(200))?;
///     Ok(true)
/// }
/// ```
#[must_use = "a run may end long before its rounds are played"]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BoostStop {
    /// The weak learner's hypothesis has no positive edge, nor, in a symmetric class, a negative one.
    NoEdge,
    /// No example has a margin of 0 or less, and the algorithm's step is proportional to their share.
    NoError,
    /// The last hypothesis has no error, and the algorithm's step for that is infinite.
    Perfect,
    /// The training error is at most the target.
    TargetError,
    /// The training error is at most 1/k, below which the algorithm promises nothing, and the run was
    /// [told](super::Stopping::at_reachable_error) to end there. Further rounds may still lower it, and the
    /// error on other rows.
    ReachableError,
    /// The validation error has not fallen for as many rounds as the patience allows.
    Patience,
    /// All rounds were played.
    Rounds,
    /// The time budget is spent.
    TimeBudget,
    /// The caller's watcher ended the run.
    Watcher,
}

impl fmt::Display for BoostStop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NoEdge => "the weak learner found nothing: its hypothesis has no edge",
            Self::NoError => "no example has a margin of 0 or less, so there is nothing to correct",
            Self::Perfect => "the last hypothesis has no error",
            Self::TargetError => "the training error is at most the target",
            Self::ReachableError => "the training error is at most 1/k, below which nothing is promised",
            Self::Patience => "the validation error has not fallen for as many rounds as the patience allows",
            Self::Rounds => "all rounds were played",
            Self::TimeBudget => "the time budget is spent",
            Self::Watcher => "the caller ended the run",
        })
    }
}
