//! What the estimators refuse.

use crate::error::{LogError, PolicyError, SchemaMismatch};
use rows::numeric::first_beyond;
use thiserror::Error;

/// Why there is no estimate. Rows count from 0.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EstimateError {
    /// The log itself.
    #[error(transparent)]
    Log(#[from] LogError),
    /// What the policy refused.
    #[error("row {row}: {source}")]
    Policy {
        /// The row.
        row: usize,
        /// What it said.
        source: PolicyError,
    },
    /// What the model refused.
    #[error("row {row}, the model of rewards: {source}")]
    Model {
        /// The row.
        row: usize,
        /// What it said.
        source: PolicyError,
    },
    /// No number to work on.
    #[error("{argument} is empty")]
    Empty {
        /// Which argument.
        argument: &'static str,
    },
    /// A number that had to be finite; of a table, the entry row·|A| + action.
    #[error("{argument}[{index}] = {value} is not a finite number")]
    NotFinite {
        /// Which argument.
        argument: &'static str,
        /// Which entry.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// A number beyond [`LARGEST`](rows::numeric::LARGEST); of a table, the entry row·|A| + action.
    #[error("{argument}[{index}] = {value:e}: magnitudes above 1e140 are not supported")]
    TooLarge {
        /// Which argument.
        argument: &'static str,
        /// Which entry.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// A table of another length than n·|A|, or a column of another than n.
    #[error("{argument} has {got} entries, expected {expected}")]
    LengthMismatch {
        /// Which argument.
        argument: &'static str,
        /// The length expected.
        expected: usize,
        /// The length found.
        got: usize,
    },
    /// A policy, or a model, and a log that mean different things by the same number.
    #[error("{argument} and the log: {source}")]
    Coding {
        /// Policy or model.
        argument: &'static str,
        /// The first difference.
        source: SchemaMismatch,
    },
    /// A policy and a log of other actions, or a model and a log.
    #[error("{argument} has {got} actions, the log {expected}")]
    ActionCount {
        /// Policy or model.
        argument: &'static str,
        /// |A| of the log.
        expected: usize,
        /// |A| found.
        got: usize,
    },
    /// Probabilities with a negative entry, or whose sum is not 1 within 1e−9.
    #[error("row {row}: the target's probabilities sum to {sum}, the least of them is {least}")]
    NotADistribution {
        /// The row.
        row: usize,
        /// Their sum.
        sum: f64,
        /// The least of them.
        least: f64,
    },
    /// Mass on an action that was not on offer.
    #[error("row {row}: the target plays action {action}, which was not on offer")]
    NotOnOffer {
        /// The row.
        row: usize,
        /// The action.
        action: usize,
    },
    /// An average with weights that are all 0.
    #[error("the target never plays a logged action: all weights are 0")]
    ZeroWeights,
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
    /// A weight beyond the largest double.
    #[error("row {row}: the weight {target}/{propensity} is beyond the largest double")]
    Weight {
        /// The row.
        row: usize,
        /// π(a_i|x_i).
        target: f64,
        /// p_i.
        propensity: f64,
    },
    /// A result beyond the largest double.
    #[error("{quantity} is beyond the largest double")]
    Overflow {
        /// Which result.
        quantity: &'static str,
    },
    /// Terms outside the range that the caller vouched for.
    #[error("the terms lie in [{least}, {largest}], outside the stated [{lower}, {upper}]")]
    OutsideRange {
        /// The least term.
        least: f64,
        /// The largest term.
        largest: f64,
        /// The stated lower end.
        lower: f64,
        /// The stated upper end.
        upper: f64,
    },
    /// A row outside the ranges that were stated before it was seen.
    #[error("row {row}: {column} = {value} is outside the stated [{lower}, {upper}]")]
    OutsideStated {
        /// The row.
        row: usize,
        /// Which of its numbers.
        column: &'static str,
        /// The value found.
        value: f64,
        /// The stated lower end.
        lower: f64,
        /// The stated upper end.
        upper: f64,
    },
    /// A range that an interval rests on.
    #[error("{what} was not stated beforehand")]
    NotStated {
        /// The range.
        what: &'static str,
    },
    /// More rows than doubles count exactly.
    #[error("{rows} rows, more than {limit}")]
    TooManyRows {
        /// How many they would be.
        rows: u64,
        /// The largest number.
        limit: u64,
    },
    /// More pairs of a row and an action than memory holds.
    #[error("{rows} rows of {actions} actions do not fit into memory")]
    TooManyPairs {
        /// n.
        rows: usize,
        /// |A|.
        actions: usize,
    },
    /// Accumulators of other settings.
    #[error("accumulators with other settings, or one with a model and one without")]
    OtherSettings,
}

impl EstimateError {
    /// The same of a row behind so many others, where they were counted apart.
    #[must_use]
    pub fn behind(self, rows: usize) -> Self {
        match self {
            Self::Log(LogError::BadPropensity { row, value }) => {
                Self::Log(LogError::BadPropensity { row: row + rows, value })
            }
            Self::NotFinite { argument, index, value } => {
                Self::NotFinite { argument, index: index + rows, value }
            }
            Self::TooLarge { argument, index, value } => {
                Self::TooLarge { argument, index: index + rows, value }
            }
            Self::Weight { row, target, propensity } => Self::Weight { row: row + rows, target, propensity },
            Self::OutsideStated { row, column, value, lower, upper } => {
                Self::OutsideStated { row: row + rows, column, value, lower, upper }
            }
            other => other,
        }
    }
}

/// Numbers within [`LARGEST`](rows::numeric::LARGEST), entries of an argument from `from` on.
pub(crate) fn check_magnitudes(
    argument: &'static str,
    from: usize,
    values: &[f64],
) -> Result<(), EstimateError> {
    let Some(position) = first_beyond(values) else { return Ok(()) };
    let (index, value) = (from + position, values[position]);
    Err(if value.is_finite() {
        EstimateError::TooLarge { argument, index, value }
    } else {
        EstimateError::NotFinite { argument, index, value }
    })
}
