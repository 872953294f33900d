//! Errors of the encoders.

use rows::RowError;
use thiserror::Error;

/// Why an encoder was not fitted or not applied. Rows and columns count from 0.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// Nothing to fit on.
    #[error("an encoder needs at least one row to be fitted on")]
    NoRows,
    /// A row behind the last one.
    #[error("row {row} was asked for, there are {rows}")]
    RowOutOfRange {
        /// The row asked for.
        row: usize,
        /// How many there are.
        rows: usize,
    },
    /// A column behind the last one.
    #[error("column {column} was asked for, there are {dimension}")]
    ColumnOutOfRange {
        /// The column asked for.
        column: usize,
        /// How many there are.
        dimension: usize,
    },
    /// A column was named twice.
    #[error("column {column} is named twice")]
    RepeatedColumn {
        /// The column.
        column: usize,
    },
    /// The matrix has another number of columns than the one the encoder was fitted on.
    #[error("the encoder was fitted on {expected} columns, the matrix has {got}")]
    DimensionMismatch {
        /// Columns at the fit.
        expected: usize,
        /// Columns now.
        got: usize,
    },
    /// A matrix cannot have more columns than a 32-bit index can name.
    #[error("{dimension} columns are more than a sparse row can index")]
    TooWide {
        /// How many columns there would be.
        dimension: usize,
    },
    /// A fitted parameter is not a number that a fit can give.
    #[error("{name} of column {column} is {value}: {requirement}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// The column it belongs to.
        column: usize,
        /// Its value.
        value: f64,
        /// What it must be.
        requirement: &'static str,
    },
    /// A category that was not there at the fit.
    #[error("no category is called {category:?}")]
    UnknownCategory {
        /// The category.
        category: String,
    },
    /// A category was named twice.
    #[error("category {category:?} is named twice")]
    RepeatedCategory {
        /// The category.
        category: String,
    },
    /// A class index behind the last class.
    #[error("class {class} was asked for, there are {classes}")]
    ClassOutOfRange {
        /// The class asked for.
        class: u32,
        /// How many there are.
        classes: usize,
    },
    /// Numbers were asked of a classification task.
    #[error("the targets are classes, not numbers")]
    NotNumbers,
    /// Classes were asked of a regression task.
    #[error("the targets are numbers, not classes")]
    NotClasses,
    /// A target that is not finite, or beyond 1e140.
    #[error("target {position} is {value:e}, not a number up to 1e140 in magnitude")]
    NotFinite {
        /// Its position.
        position: usize,
        /// Its value.
        value: f64,
    },
    /// A target beyond [`LARGEST`](rows::numeric::LARGEST).
    #[error("target {position} is {value:e}: magnitudes above 1e140 are not supported")]
    TooLarge {
        /// Its position.
        position: usize,
        /// Its value.
        value: f64,
    },
    /// The encoded rows do not make a matrix: a value far outside the fitted range goes beyond 1e140.
    #[error(transparent)]
    Rows(#[from] RowError),
}
