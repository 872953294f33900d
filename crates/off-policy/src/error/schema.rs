//! What a schema refuses.

use rows::RowError;
use thiserror::Error;

/// How the coding of a log differs from that of a policy or a model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SchemaMismatch {
    /// Another number of coordinates.
    #[error(
        "contexts are coded differently: {found} coordinates, not {expected}; read the log by the columns of the policy"
    )]
    Coordinates {
        /// m of the policy.
        expected: usize,
        /// m of the log.
        found: usize,
    },
    /// A coordinate of another name.
    #[error(
        "contexts are coded differently: coordinate {coordinate} is {found:?}, not {expected:?}; read the log by the columns of the policy"
    )]
    Coordinate {
        /// The coordinate, from 0.
        coordinate: usize,
        /// What it is in the policy.
        expected: String,
        /// What it is in the log.
        found: String,
    },
    /// Another number of actions.
    #[error(
        "actions are coded differently: {found} actions, not {expected}; read the log by the columns of the policy"
    )]
    Actions {
        /// |A| of the policy.
        expected: usize,
        /// |A| of the log.
        found: usize,
    },
    /// An action of another name.
    #[error(
        "actions are coded differently: action {action} is {found:?}, not {expected:?}; read the log by the columns of the policy"
    )]
    Action {
        /// The action, from 0.
        action: usize,
        /// What it is in the policy.
        expected: String,
        /// What it is in the log.
        found: String,
    },
}

/// Why columns make no schema, or a record no context.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// No coordinate.
    #[error("there is no column of contexts")]
    NoCoordinates,
    /// More coordinates than can be numbered.
    #[error("{coordinates} coordinates, more than 2^32 − 1")]
    TooManyCoordinates {
        /// m.
        coordinates: usize,
    },
    /// Two columns of one name.
    #[error("two columns are called {column:?}")]
    DuplicateColumn {
        /// The name.
        column: String,
    },
    /// The same label twice.
    #[error("label {label:?} of column {column:?} is there twice")]
    DuplicateLabel {
        /// The column.
        column: String,
        /// The label.
        label: String,
    },
    /// Two actions of one name.
    #[error("two actions are called {action:?}")]
    DuplicateAction {
        /// The name.
        action: String,
    },
    /// No action, or more than a log may have.
    #[error("{actions} actions, not between 1 and 2^24")]
    Actions {
        /// |A|.
        actions: usize,
    },
    /// A record without a value for a column.
    #[error("there is no value for column {column:?}")]
    MissingValue {
        /// The column.
        column: String,
    },
    /// A record with two values for a column.
    #[error("there are two values for column {column:?}")]
    DuplicateValue {
        /// The column.
        column: String,
    },
    /// A value that is no number, NaN, ±∞ or beyond 1e±140, in a column of numbers.
    #[error("column {column:?}: {value:?} is not a number up to 1e140 in magnitude")]
    NotANumber {
        /// The column.
        column: String,
        /// What was there.
        value: String,
    },
    /// A value that is no date, in a column of dates.
    #[error("column {column:?}: {value:?} is not a date as 2026-01-31 or 2026-01-31T12:00:00Z")]
    NotADate {
        /// The column.
        column: String,
        /// What was there.
        value: String,
    },
    /// The values make no row.
    #[error(transparent)]
    Row(#[from] RowError),
}
