//! A run of many rounds, and what ends it.

use super::{BoostError, BoostingRun, Reweighting, Stop, Watch};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::LearnerError;
use weak_learners::batch::WeakLearner;

/// When a run ends, apart from where its algorithm ends by itself: after T rounds in all, at a training error, or at
/// the least one that the algorithm promises to reach.
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
/// let stopping = Stopping::after(1000);
/// let unreachable = run.run(&sample, &stopping.at_error(0.2)?);
/// assert_eq!(unreachable, Err(BoostError::UnreachableAccuracy { target: 0.2, reachable: 0.25 }));
/// assert_eq!(run.run(&sample, &stopping)?, Stop::ReachableError);
/// assert!(run.error() <= 0.25);
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
    past_reachable: bool,
}

/// Room for the rounding of k·D_i and D_i/(k·D_i) when an error is compared with 1/k.
pub(super) const ROUNDING: f64 = 1e-12;

impl<W: WeakLearner, A: Reweighting> BoostingRun<W, A> {
    /// Plays rounds until there is a reason to stop, and says which one it was.
    ///
    /// # Errors
    /// [`BoostError::UnreachableAccuracy`] before any round, unless the run goes
    /// [past](Stopping::past_reachable_error) the reachable error; what a [`round`](Self::round) refuses, with all
    /// rounds before it booked.
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
    /// Stops after T rounds, and where the algorithm promises no smaller error.
    #[must_use]
    pub fn after(rounds: usize) -> Self {
        Self { rules: Unchecked { rounds, target: None, past_reachable: false } }
    }

    /// Stops at this training error too, a share of D.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for one that is not in \[0, 1).
    pub fn at_error(self, target: f64) -> Result<Self, LearnerError> {
        Unchecked { target: Some(target), ..self.rules }.try_into()
    }

    /// Goes on at an error of 1/k, from where on the algorithm promises nothing; often it still falls. Every target is
    /// then legal, for the number of rounds ends the run where it is not reached.
    #[must_use]
    pub fn past_reachable_error(self) -> Self {
        Self { rules: Unchecked { past_reachable: true, ..self.rules } }
    }

    fn check_target(&self, reachable: f64) -> Result<(), BoostError> {
        match self.rules.target {
            Some(target) if !self.rules.past_reachable && target < reachable * (1.0 - ROUNDING) => {
                Err(BoostError::UnreachableAccuracy { target, reachable })
            }
            _ => Ok(()),
        }
    }

    /// Why a run of this training error after so many rounds ends, if it does.
    fn reached(&self, error: f64, reachable: f64, rounds: usize) -> Option<Stop> {
        let Unchecked { rounds: limit, target, past_reachable } = self.rules;
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
