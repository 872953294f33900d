//! What a booster of this family refuses.

use super::CodeError;
use oco_core::OcoError;
use projections::ProjectionError;
use thiserror::Error;
use weak_learners::LearnerError;

/// Why a booster refused a parameter or could not finish a round. The round is then not booked; only a weak learner
/// that had answered has moved on.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BoostError {
    /// What the weak learner, or a layer below it, refuses.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// A hypothesis that answered outside \[−1, 1\].
    #[error("h(x_{index}) = {value} is outside [-1, 1]")]
    BadPrediction {
        /// The example, from 0.
        index: usize,
        /// The answer.
        value: f64,
    },
    /// A smoothness k below 1: no distribution lies below k times the start distribution.
    #[error("smoothness k = {k}, must be at least 1")]
    BadSmoothness {
        /// k.
        k: f64,
    },
    /// A run and an algorithm that do not belong together, or a saved run whose parts disagree.
    #[error("{argument} is {got} at {index}, and {expected} by the rest of the run")]
    Inconsistent {
        /// Which part.
        argument: &'static str,
        /// The example or the round, from 0.
        index: usize,
        /// What the rest of the run says.
        expected: f64,
        /// What was found.
        got: f64,
    },
    /// A target below the least training error that the algorithm promises to reach, 1/k for a distribution with w ≤
    /// kD.
    #[error("a training error of {target} was asked for, {reachable} is the least that can be promised")]
    UnreachableAccuracy {
        /// The error asked for.
        target: f64,
        /// The least that is promised.
        reachable: f64,
    },
    /// What a multi-class code refuses.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// A regularisation α_t of [`SparseBoost`](super::SparseBoost) for which Theorem 4 says nothing.
    #[error("alpha = {alpha} in round {round} is outside [0, {limit}]")]
    AlphaTooLarge {
        /// The round, from 1.
        round: usize,
        /// α_t.
        alpha: f64,
        /// γ_t/2.
        limit: f64,
    },
}

impl From<ProjectionError> for BoostError {
    fn from(error: ProjectionError) -> Self {
        LearnerError::from(error).into()
    }
}

impl From<OcoError> for BoostError {
    fn from(error: OcoError) -> Self {
        LearnerError::from(error).into()
    }
}
