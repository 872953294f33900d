//! What boosted off-policy learning refuses.

use off_policy::estimators::EstimateError;
use off_policy::{LogError, PolicyError};
use thiserror::Error;
use weak_learners::LearnerError;

/// Why a run could not start, or refused a round. A refused round leaves the run as it was; only a base learner that had
/// answered has moved on.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BoplError {
    /// What the log refuses.
    #[error(transparent)]
    Log(#[from] LogError),
    /// What a policy refuses.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// What the base learner refuses.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// What an estimate on a held-out log refuses.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// A reward, translated or not, that over its propensity is beyond the range of doubles.
    #[error("row {row}: the reward {reward} over the propensity {propensity} is beyond the range of numbers")]
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
    /// A reward below 0 where the objective is to be convex.
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
        /// Where it had to lie.
        domain: &'static str,
    },
    /// Parts that do not belong together.
    #[error("{argument} has {got} {unit}, not {expected}")]
    Mismatch {
        /// Which part.
        argument: &'static str,
        /// Rows, actions, coordinates, …
        unit: &'static str,
        /// What the rest of the run says.
        expected: usize,
        /// What was found.
        got: usize,
    },
    /// A number of a saved state that is not finite, or of a predictor.
    #[error("{argument} is {value} at {index}, not a finite number")]
    NotFinite {
        /// Which part.
        argument: &'static str,
        /// Where.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// Contexts of the log's shape whose values or order are not the log's.
    #[error("the contexts are not those of the log: their values or the order of their rows differ")]
    OtherContexts,
    /// A model whose log was made of bare numbers, asked for names.
    #[error("the model was trained on a log without a schema, so that its columns have no names")]
    NoSchema,
    /// A saved model whose columns of a log are not those of its schema.
    #[error("the columns of the saved model are not those that it was trained on")]
    OtherColumns,
    /// A base learner that cannot be saved.
    #[error("the base learner cannot be written as JSON: {reason}")]
    NotSerialisable {
        /// What the writer said.
        reason: String,
    },
    /// A saved run and a log that is not the one it was trained on.
    #[error("the log is not the one that the saved run was trained on")]
    AnotherLog,
    /// A saved run of another objective.
    #[error("the saved run minimises {found}, not {expected}")]
    AnotherObjective {
        /// What was asked for.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A saved run whose record, as far as it is checked, is not that of its ensemble.
    #[error("the record of the saved run says {quantity} = {recorded}, its ensemble {found}")]
    NotReproduced {
        /// Which number.
        quantity: &'static str,
        /// What the record says.
        recorded: f64,
        /// What was found.
        found: f64,
    },
    /// An estimator that looks at predicted rewards, without a model of them.
    #[error("{estimator} needs a model of rewards")]
    NoModel {
        /// Which one.
        estimator: &'static str,
    },
}
