//! The convex case of Algorithm 2 of [L23].

use super::{BoplError, BoplS, PolicyBoosting, Settings, Step};
use off_policy::Log;
use weak_learners::pairs::PairLearner;

/// BOPL-CS \[L23, Section 5.3\]: [`BoplS`] on rewards that are nonnegative and not translated, where the surrogate is convex
/// in the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoplCs {}

impl BoplCs {
    /// A run of [`BoplS`] without translation.
    ///
    /// # Errors
    /// [`BoplError::NegativeReward`], and what [`PolicyBoosting::new`] refuses.
    pub fn start<L: PairLearner>(
        log: &Log,
        learner: L,
        ridge: f64,
        step: Step,
    ) -> Result<PolicyBoosting<BoplS, L>, BoplError> {
        if let Some(row) = log.rewards().iter().position(|r| *r < 0.0) {
            return Err(BoplError::NegativeReward { row, reward: log.rewards()[row] });
        }
        PolicyBoosting::new(log, learner, Settings::builder().ridge(ridge).step(step).build()?)
    }
}
