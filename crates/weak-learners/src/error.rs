//! Errors of predictors.

use oco_core::OcoError;
use projections::ProjectionError;
use ranks::RankError;
use rows::numeric::first_beyond;
use thiserror::Error;

/// Why a predictor refused an example, a feedback or a parameter. The predictor is unchanged.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LearnerError {
    /// An error of the layers below: a step, a radius or a vector.
    #[error(transparent)]
    Oco(#[from] OcoError),
    /// Values that are not a row.
    #[error(transparent)]
    Row(#[from] rows::RowError),
    /// An error between the ranks of a training.
    #[error(transparent)]
    Ranks(#[from] RankError),
    /// A row of another dimension than the model's.
    #[error("the row has {got} coordinates, the model {expected}")]
    InputDimension {
        /// m.
        expected: usize,
        /// The dimension of the row.
        got: usize,
    },
    /// A prediction, gradient or loss of another dimension than the model's output.
    #[error("{argument} has {got} coordinates, the model's output {expected}")]
    OutputDimension {
        /// The argument.
        argument: &'static str,
        /// d.
        expected: usize,
        /// The dimension found.
        got: usize,
    },
    /// A number that had to be finite.
    #[error("{argument} is {value} at coordinate {index}, not a finite number")]
    NotFinite {
        /// The argument.
        argument: &'static str,
        /// The coordinate.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// A number beyond [`LARGEST`](rows::numeric::LARGEST).
    #[error("{argument} is {value:e} at coordinate {index}: magnitudes above 1e140 are not supported")]
    TooLarge {
        /// The argument.
        argument: &'static str,
        /// The coordinate.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// The loss that the environment reported for a query is not a finite number.
    #[error("query {query} of the round was answered by {value}, not a finite number")]
    NotFiniteFeedback {
        /// Which query of the round, from 0.
        query: usize,
        /// The answer.
        value: f64,
    },
    /// A label, vote or target other than ±1, or outside [−1, 1] where means are allowed.
    #[error("{argument} is {value}, not a label")]
    BadLabel {
        /// The argument.
        argument: &'static str,
        /// The value found.
        value: f64,
    },
    /// No learner, no expert, no example.
    #[error("{argument} is empty")]
    Empty {
        /// The argument.
        argument: &'static str,
    },
    /// An argument of another length than the sample or the learners.
    #[error("{argument} has {got} entries, not {expected}")]
    LengthMismatch {
        /// The argument.
        argument: &'static str,
        /// The length required.
        expected: usize,
        /// The length found.
        got: usize,
    },
    /// A weight below 0.
    #[error("the weight of example {index} is {value}, below 0")]
    NegativeWeight {
        /// The example.
        index: usize,
        /// Its weight.
        value: f64,
    },
    /// A pair that has a gradient, but no weight: its target would be infinite.
    #[error("pair {index} has gradient {value} and weight 0")]
    GradientWithoutWeight {
        /// The place of the pair.
        index: usize,
        /// Its gradient.
        value: f64,
    },
    /// Weights that are all 0.
    #[error("every weight is 0")]
    ZeroWeights,
    /// A column that is no indicator of the missing values of another one.
    #[error("column {indicator} is no indicator of where column {column} is missing: {reason}")]
    BadIndicator {
        /// The column of values.
        column: usize,
        /// Its indicator.
        indicator: usize,
        /// Why it is none.
        reason: &'static str,
    },
    /// An external library refused checked arguments.
    #[error("{by} refused: {reason}")]
    Refused {
        /// The library.
        by: &'static str,
        /// Its message.
        reason: String,
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
}

impl From<ProjectionError> for LearnerError {
    fn from(error: ProjectionError) -> Self {
        OcoError::from(error).into()
    }
}

/// A vector over the output space: the right length, finite entries.
pub(crate) fn check_output(
    argument: &'static str,
    values: &[f64],
    expected: usize,
) -> Result<(), LearnerError> {
    if values.len() != expected {
        return Err(LearnerError::OutputDimension { argument, expected, got: values.len() });
    }
    check_magnitudes(argument, values)
}

/// Numbers within [`LARGEST`](rows::numeric::LARGEST).
pub(crate) fn check_magnitudes(argument: &'static str, values: &[f64]) -> Result<(), LearnerError> {
    match first_beyond(values) {
        Some(index) => Err(beyond(argument, index, values[index])),
        None => Ok(()),
    }
}

/// The error of a number that is NaN, infinite or too large.
pub(crate) fn beyond(argument: &'static str, index: usize, value: f64) -> LearnerError {
    if value.is_finite() {
        LearnerError::TooLarge { argument, index, value }
    } else {
        LearnerError::NotFinite { argument, index, value }
    }
}
