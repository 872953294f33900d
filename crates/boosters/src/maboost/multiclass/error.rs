//! What a code of classes refuses.

use thiserror::Error;

/// Why a matrix is no code, or an example does not fit one.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CodeError {
    /// Fewer than two classes.
    #[error("a code of {classes} classes, at least 2 are needed")]
    TooFewClasses {
        /// k.
        classes: usize,
    },
    /// More classes than an exhaustive code is made for.
    #[error("an exhaustive code of {classes} classes has 2^(k-1) - 1 columns; it is made for 2 to {most}")]
    TooManyClasses {
        /// k.
        classes: usize,
        /// The largest k.
        most: usize,
    },
    /// More entries than a constructor makes.
    #[error("a code of {classes} classes in {columns} columns has more than {most} entries")]
    TooLarge {
        /// k.
        classes: usize,
        /// L.
        columns: usize,
        /// The largest k·L.
        most: usize,
    },
    /// Rows of different lengths.
    #[error("row {row} has {got} entries, the first one {expected}")]
    RaggedRow {
        /// The row, from 0.
        row: usize,
        /// L.
        expected: usize,
        /// The length found.
        got: usize,
    },
    /// An entry other than −1, 0 and 1.
    #[error("row {row}, column {column} is {value}, not -1, 0 or 1")]
    BadEntry {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// The entry.
        value: i8,
    },
    /// A column that asks for nothing: without −1 or without +1.
    #[error("column {column} has not both signs")]
    OneSidedColumn {
        /// The column, from 0.
        column: usize,
    },
    /// A class that takes part in no column.
    #[error("row {row} has no entry but 0")]
    EmptyRow {
        /// The row, from 0.
        row: usize,
    },
    /// Two classes with one code word.
    #[error("rows {first} and {second} are equal")]
    EqualRows {
        /// The upper one, from 0.
        first: usize,
        /// The lower one, from 0.
        second: usize,
    },
    /// No draw was as far apart as was asked for.
    #[error("the best of {draws} random codes has least distance {best}, not {wanted}")]
    TooClose {
        /// What was asked for.
        wanted: f64,
        /// The largest least distance drawn; 0 where no draw was a code.
        best: f64,
        /// How many were drawn.
        draws: u32,
    },
    /// A class that the code has no row for.
    #[error("the class of example {index} is {class}, there are classes 0 to {classes} - 1")]
    ClassOutOfRange {
        /// The example, from 0.
        index: usize,
        /// Its class.
        class: u32,
        /// k.
        classes: usize,
    },
    /// Scores of another number than the code has columns.
    #[error("{got} scores for a code of {expected} columns")]
    ScoreCount {
        /// L.
        expected: usize,
        /// The number found.
        got: usize,
    },
}
