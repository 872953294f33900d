//! Errors of the boosters of this family.

use oco_core::OcoError;
use projections::ProjectionError;
use thiserror::Error;
use weak_learners::LearnerError;

/// Why a booster refused a parameter or could not finish a round. The round is then not booked; only a weak
/// learner that was already trained has changed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BoostError {
    /// An error of the weak learner or of a layer below it.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// A prediction outside \[−1, 1\].
    #[error("h(x_{index}) = {value} is outside [-1, 1]")]
    BadPrediction {
        /// The example, from 0.
        index: usize,
        /// The prediction.
        value: f64,
    },
    /// A smoothness k below 1: no distribution lies below k times the start distribution.
    #[error("smoothness k = {k}, must be at least 1")]
    BadSmoothness {
        /// k.
        k: f64,
    },
    /// A run and an algorithm for different examples, or a saved run whose parts disagree.
    #[error("{argument} is {got} at {index}, and {expected} by the rest of the run")]
    Inconsistent {
        /// The part.
        argument: &'static str,
        /// The example or the round, from 0.
        index: usize,
        /// The value that the other parts require.
        expected: f64,
        /// The value found.
        got: f64,
    },
    /// A target below the least training error that the algorithm promises to reach, 1/k for a distribution
    /// with w ≤ kD.
    #[error("a training error of {target} was asked for, {reachable} is the least that can be promised")]
    UnreachableAccuracy {
        /// The error asked for.
        target: f64,
        /// The least error that is promised.
        reachable: f64,
    },
    /// An error of a multi-class code.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// A regularisation α_t of [`SparseBoost`](super::SparseBoost) outside the range of Theorem 4.
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
    /// More classes than an exhaustive code supports.
    #[error("an exhaustive code of {classes} classes has 2^(k-1) - 1 columns; it is made for 2 to {most}")]
    TooManyClasses {
        /// k.
        classes: usize,
        /// The largest k.
        most: usize,
    },
    /// More entries than a constructor allows.
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
    /// A column without −1 or without +1.
    #[error("column {column} has not both signs")]
    OneSidedColumn {
        /// The column, from 0.
        column: usize,
    },
    /// A class without an entry in any column.
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
    /// No random code with the wanted least distance.
    #[error("the best of {draws} random codes has least distance {best}, not {wanted}")]
    TooClose {
        /// The wanted distance.
        wanted: f64,
        /// The largest least distance drawn; 0 where no draw was a code.
        best: f64,
        /// The number of draws.
        draws: u32,
    },
    /// A class without a row in the code.
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
