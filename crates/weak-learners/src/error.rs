//! What a predictor refuses.

use oco_core::OcoError;
use projections::ProjectionError;
use thiserror::Error;

/// Why a predictor refused an example, a feedback or a parameter. Whoever returns it is unchanged.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LearnerError {
    /// A step, a radius or a vector that the layers below refuse.
    #[error(transparent)]
    Oco(#[from] OcoError),
    /// Values that make no row.
    #[error(transparent)]
    Row(#[from] rows::RowError),
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
        /// Which argument.
        argument: &'static str,
        /// d.
        expected: usize,
        /// The dimension found.
        got: usize,
    },
    /// A number that had to be finite.
    #[error("{argument} is {value} at coordinate {index}, not a finite number")]
    NotFinite {
        /// Which argument.
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
    /// A label, a vote or a target that is not one: neither −1 nor +1, or outside [−1, 1] where means are allowed.
    #[error("{argument} is {value}, no label")]
    BadLabel {
        /// Which argument.
        argument: &'static str,
        /// The value found.
        value: f64,
    },
    /// No learner, no expert, no example.
    #[error("{argument} is empty")]
    Empty {
        /// Which argument.
        argument: &'static str,
    },
    /// An argument of another length than the sample or the learners.
    #[error("{argument} has {got} entries, not {expected}")]
    LengthMismatch {
        /// Which argument.
        argument: &'static str,
        /// The length that was needed.
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
        /// Where the pair stands.
        index: usize,
        /// Its gradient.
        value: f64,
    },
    /// Weights that are all 0.
    #[error("every weight is 0")]
    ZeroWeights,
    /// A library behind a learner refused what the learner had checked.
    #[error("{by} refused: {reason}")]
    Refused {
        /// Which library.
        by: &'static str,
        /// What it said.
        reason: String,
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
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(LearnerError::NotFinite { argument, index, value: values[index] }),
        None => Ok(()),
    }
}
