//! Errors of boosted off-policy learning.

use off_policy::estimators::EstimateError;
use off_policy::{LogError, PolicyError};
use thiserror::Error;
use weak_learners::{LearnerError, RankError};

/// Why a run could not start, or refused a round. A refused round leaves the run as it was, except for a base
/// learner that was already trained. After an error between ranks none of their runs can
/// go on: each starts again from a checkpoint.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BoplError {
    /// An error of the log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// An error of a policy.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// An error of the base learner.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// An error of an estimate on a held-out log.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// A propensity p with 1/p, or with r/p of a reward, translated or not, beyond 1e140.
    #[error("row {row}: 1 or the reward {reward:e} over the propensity {propensity:e} is beyond 1e140")]
    Importance {
        /// The row.
        row: usize,
        /// r̃ or r.
        reward: f64,
        /// p.
        propensity: f64,
    },
    /// A log of more pairs of a row and an action than memory holds.
    #[error("{rows} rows of {actions} actions do not fit into memory")]
    TooManyPairs {
        /// n.
        rows: usize,
        /// |A|.
        actions: usize,
    },
    /// A negative reward, with which the surrogate is not convex.
    #[error("row {row}: the reward {reward} is below 0, so that the surrogate is not convex")]
    NegativeReward {
        /// The row.
        row: usize,
        /// r.
        reward: f64,
    },
    /// A parameter outside its domain.
    #[error("{name} = {value} is outside {domain}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its domain.
        domain: &'static str,
    },
    /// Parts that do not belong together.
    #[error("{argument} has {got} {unit}, not {expected}")]
    Mismatch {
        /// The part.
        argument: &'static str,
        /// Rows, actions, coordinates, …
        unit: &'static str,
        /// The number that the other parts require.
        expected: usize,
        /// The number found.
        got: usize,
    },
    /// A number of a predictor or a saved state that is not finite, or beyond 1e140.
    #[error("{argument} is {value:e} at {index}, not a number up to 1e140 in magnitude")]
    NotFinite {
        /// The part.
        argument: &'static str,
        /// Its index.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// Contexts of the log's shape whose values or order are not the log's.
    #[error("the contexts are not those of the log: their values or the order of their rows differ")]
    OtherContexts,
    /// A request for names from a model whose log had no schema.
    #[error("the model was trained on a log without a schema, so that its columns have no names")]
    NoSchema,
    /// A saved model whose columns contradict its schema.
    #[error("the columns of the saved model are not those that it was trained on")]
    OtherColumns,
    /// A base learner that cannot be saved.
    #[error("the base learner cannot be written as JSON: {reason}")]
    NotSerialisable {
        /// The message of the writer.
        reason: String,
    },
    /// A saved run and a log other than the one it was trained on.
    #[error("the log is not the one that the saved run was trained on")]
    AnotherLog,
    /// Predicted rewards other than those that a saved run was trained on, or none where it had some.
    #[error("the predicted rewards are not those that the saved run was trained on")]
    OtherPredictions,
    /// A saved run of another objective.
    #[error("the saved run minimises {found}, not {expected}")]
    AnotherObjective {
        /// The objective asked for.
        expected: &'static str,
        /// The objective of the saved run.
        found: String,
    },
    /// A saved run whose record contradicts its ensemble.
    #[error("the record of the saved run says {quantity} = {recorded}, its ensemble {found}")]
    NotReproduced {
        /// The quantity.
        quantity: &'static str,
        /// Its value in the record.
        recorded: f64,
        /// The number found.
        found: f64,
    },
    /// A saved search of other settings.
    #[error("the saved search has other settings")]
    AnotherRecipe,
    /// A saved search whose parts do not fit together.
    #[error("the saved search contradicts itself: {reason}")]
    BrokenSearch {
        /// What does not fit.
        reason: &'static str,
    },
    /// An estimator that needs predicted rewards, without a model of them.
    #[error("{estimator} needs a model of rewards")]
    NoModel {
        /// Its name.
        estimator: &'static str,
    },
}

impl From<RankError> for BoplError {
    fn from(error: RankError) -> Self {
        LearnerError::from(error).into()
    }
}
