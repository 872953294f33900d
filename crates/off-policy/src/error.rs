//! What a log and a policy refuse.

use thiserror::Error;

/// Why values make no log. Rows count from 0.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LogError {
    /// No row.
    #[error("the log is empty")]
    Empty,
    /// No action to choose from.
    #[error("there are no actions")]
    NoActions,
    /// A column of another length than the contexts.
    #[error("column {column} has {got} rows, the contexts have {expected}")]
    LengthMismatch {
        /// Which column.
        column: &'static str,
        /// The number of contexts.
        expected: usize,
        /// The length found.
        got: usize,
    },
    /// A propensity that is no positive probability.
    #[error("row {row}, column propensity: {value} is outside (0, 1]")]
    BadPropensity {
        /// The row.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// A number that had to be finite.
    #[error("row {row}, column {column}: {value} is not a finite number")]
    NotFinite {
        /// The row.
        row: usize,
        /// Which column.
        column: &'static str,
        /// The value found.
        value: f64,
    },
    /// An action that is not there.
    #[error("row {row}, column action: {action} is not one of {actions} actions")]
    ActionOutOfRange {
        /// The row.
        row: usize,
        /// The action.
        action: u64,
        /// |A|.
        actions: usize,
    },
    /// A logged action that was not on offer.
    #[error("row {row}, column action: {action} was not on offer")]
    NotOnOffer {
        /// The row.
        row: usize,
        /// The action.
        action: u64,
    },
    /// Nothing to choose from.
    #[error("row {row}: no action is on offer")]
    EmptyActionSet {
        /// The row.
        row: usize,
    },
    /// Action sets of another number of actions than the log's.
    #[error("the action sets are of {got} actions, the log of {expected}")]
    ActionCount {
        /// |A| of the log.
        expected: usize,
        /// |A| of the sets.
        got: usize,
    },
}

/// Why a policy could not be made or does not answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A context of another dimension than the policy's.
    #[error("the context has {got} coordinates, the policy {expected}")]
    InputDimension {
        /// m.
        expected: usize,
        /// The dimension found.
        got: usize,
    },
    /// An action set or a slice of another number of actions than the policy's.
    #[error("{argument} has {got} actions, the policy {expected}")]
    ActionCount {
        /// Which argument.
        argument: &'static str,
        /// |A|.
        expected: usize,
        /// The number found.
        got: usize,
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
    /// A score that is no finite number.
    #[error("the score of action {action} is {value}, not a finite number")]
    NotFiniteScore {
        /// The action.
        action: usize,
        /// Its score.
        value: f64,
    },
    /// What the model behind the policy refused.
    #[error("the model behind the policy refused: {reason}")]
    Model {
        /// What it said.
        reason: String,
    },
    /// What the data refuse.
    #[error(transparent)]
    Log(#[from] LogError),
}
