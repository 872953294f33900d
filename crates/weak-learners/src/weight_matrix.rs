//! The weights of a linear model, saved with their extents.

use crate::LearnerError;
use projections::{ProjectionError, filled};
use serde::{Deserialize, Serialize, Serializer};

/// A d×m matrix by columns, so that the d weights of a feature are contiguous; d·m is the number of weights.
///
/// It is saved as (weights, d, m). It is not nalgebra's matrix, whose deserialisation does not check that d·m
/// is the number of weights.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "(Vec<f64>, usize, usize)")]
pub(crate) struct WeightMatrix {
    weights: Vec<f64>,
    outputs: usize,
    inputs: usize,
}

impl WeightMatrix {
    /// The zero matrix.
    pub(crate) fn zeros(outputs: usize, inputs: usize) -> Result<Self, LearnerError> {
        let weights = filled("weights", outputs.saturating_mul(inputs), 0.0)?;
        (weights, outputs, inputs).try_into()
    }

    /// d.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// m.
    pub(crate) fn inputs(&self) -> usize {
        self.inputs
    }

    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.weights
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.weights
    }

    /// Multiplies every weight.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.weights.iter_mut().for_each(|w| *w *= factor);
    }
}

impl Serialize for WeightMatrix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.weights, self.outputs, self.inputs).serialize(serializer)
    }
}

impl TryFrom<(Vec<f64>, usize, usize)> for WeightMatrix {
    type Error = LearnerError;

    fn try_from((weights, outputs, inputs): (Vec<f64>, usize, usize)) -> Result<Self, LearnerError> {
        for (argument, extent) in [("inputs", inputs), ("outputs", outputs)] {
            if extent == 0 {
                return Err(ProjectionError::Empty { argument }.into());
            }
        }
        if outputs.checked_mul(inputs) != Some(weights.len()) {
            let (expected, got) = (outputs.saturating_mul(inputs), weights.len());
            return Err(LearnerError::LengthMismatch { argument: "weights", expected, got });
        }
        projections::check_finite("weights", &weights)?;
        Ok(Self { weights, outputs, inputs })
    }
}
