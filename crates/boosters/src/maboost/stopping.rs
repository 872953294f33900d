//! A run of many rounds, and what ends it.

use super::{BoostError, BoostingRun, Reweighting, Stop, Watch};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::LearnerError;
use weak_learners::batch::WeakLearner;

/// When a run ends, apart from where its algorithm ends by itself: after T rounds in all, at a training error, or at
/// the least one that the algorithm promises to reach.
///
/// The number of rounds always ends a run, with [`Stop::Rounds`]. A target error ends it earlier, with
/// [`Stop::TargetError`]. The reachable error, 1/k where no weight exceeds kD, ends it with [`Stop::ReachableError`], and
/// only on demand: the theorem promises nothing below it, but the training error often falls further, and so does the error
/// on other rows.
///
/// The rounds are those of the run from its first one on, so a run that was stopped in between goes on under the same
/// rules. Time, validation and the caller's own reasons are in [`Watch`].
///
/// ```
/// use boosters::maboost::{Active, BoostError, BoostingRun, Examples, SmoothBoost, Stop, Stopping};
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
/// assert_eq!(run.run(&sample, &stopping.at_reachable_error())?, Stop::ReachableError);
/// assert_eq!((run.record().len(), run.error()), (1, 0.2));
///
/// // It goes on where nothing is promised.
/// assert_eq!(run.run(&sample, &stopping)?, Stop::Rounds);
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
    /// Whether a run that goes on may be asked for less. What was saved before there was a choice allowed it.
    #[serde(default = "allowed")]
    any_target: bool,
}

fn allowed() -> bool {
    true
}

/// Room for the rounding of k·D_i and D_i/(k·D_i) when an error is compared with 1/k.
pub(super) const ROUNDING: f64 = 1e-12;

impl<W: WeakLearner, A: Reweighting> BoostingRun<W, A> {
    /// Plays rounds until there is a reason to stop, and says which one it was.
    ///
    /// # Errors
    /// [`BoostError::UnreachableAccuracy`] before any round, for a target below the reachable error, unless
    /// [any](Stopping::at_any_error) is allowed; what a [`round`](Self::round) refuses, with all rounds before it booked.
    pub fn run(&mut self, sample: &W::Sample, stopping: &Stopping) -> Result<Stop, BoostError> {
        self.run_watched(sample, stopping, Watch::default())
    }

    /// As [`run`](Self::run), while time is taken, a validation sample is followed or somebody looks on.
    ///
    /// # Errors
    /// As [`run`](Self::run), and what [`Validation::follow`](super::Validation::follow) refuses.
    pub fn run_watched(
        &mut self,
        sample: &W::Sample,
        stopping: &Stopping,
        mut watch: Watch<'_, W, A>,
    ) -> Result<Stop, BoostError> {
        let reachable = self.algorithm().reachable_error();
        stopping.check_target(reachable)?;
        watch.follow(self)?;
        loop {
            let reached = stopping.reached(self.error(), reachable, self.record().len());
            if let Some(stop) = reached.or_else(|| watch.reached()) {
                return Ok(stop);
            }
            if let ControlFlow::Break(stop) = self.round(sample)? {
                return Ok(stop);
            }
            watch.follow(self)?;
            if watch.shows(self).is_break() {
                return Ok(Stop::Watcher);
            }
        }
    }
}

impl Stopping {
    /// Stops after T rounds, and where the algorithm ends by itself.
    #[must_use]
    pub fn after(rounds: usize) -> Self {
        Self { rules: Unchecked { rounds, target: None, past_reachable: true, any_target: false } }
    }

    /// Stops at this training error too, a share of D. One below the least error that the algorithm promises to reach is
    /// refused when the run begins.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for one that is not in \[0, 1).
    pub fn at_error(self, target: f64) -> Result<Self, LearnerError> {
        Unchecked { target: Some(target), ..self.rules }.try_into()
    }

    /// Stops at this training error too, whatever the algorithm promises: where it is not reached, the number of rounds ends
    /// the run.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for one that is not in \[0, 1).
    pub fn at_any_error(self, target: f64) -> Result<Self, LearnerError> {
        Unchecked { target: Some(target), past_reachable: true, any_target: true, ..self.rules }.try_into()
    }

    /// Stops also at the least error that the algorithm promises to reach, if that is above 0: at 1/k, where no weight
    /// exceeds kD. There Theorem 3 of \[NP14\] has said all that it says.
    #[must_use]
    pub fn at_reachable_error(self) -> Self {
        Self { rules: Unchecked { past_reachable: false, ..self.rules } }
    }

    fn check_target(&self, reachable: f64) -> Result<(), BoostError> {
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

    /// Why a run of this training error after so many rounds ends, if it does.
    fn reached(&self, error: f64, reachable: f64, rounds: usize) -> Option<Stop> {
        let Unchecked { rounds: limit, target, past_reachable, .. } = self.rules;
        let at = |least: f64| error <= least * (1.0 + ROUNDING);
        if target.is_some_and(at) {
            Some(Stop::TargetError)
        } else if reachable > 0.0 && !past_reachable && at(reachable) {
            Some(Stop::ReachableError)
        } else {
            (rounds >= limit).then_some(Stop::Rounds)
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
