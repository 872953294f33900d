//! Scores that ignore the context.

use super::Scores;
use crate::PolicyError;
use crate::error::check_scores;
use rows::Row;
use serde::{Deserialize, Serialize};

/// F(x, a) = s_a in every context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Tabular {
    inputs: usize,
    scores: Vec<f64>,
}

impl Tabular {
    /// One score an action, for contexts of `inputs` coordinates.
    ///
    /// # Errors
    /// [`LogError::NoActions`](crate::LogError::NoActions), [`PolicyError::NotFiniteScore`].
    pub fn new(inputs: usize, scores: Vec<f64>) -> Result<Self, PolicyError> {
        Unchecked { inputs, scores }.try_into()
    }
}

impl Scores for Tabular {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn actions(&self) -> usize {
        self.scores.len()
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError> {
        if x.dimension() != self.inputs {
            return Err(PolicyError::InputDimension { expected: self.inputs, got: x.dimension() });
        }
        if scores.len() != self.scores.len() {
            let (argument, expected, got) = ("scores", self.scores.len(), scores.len());
            return Err(PolicyError::ActionCount { argument, expected, got });
        }
        scores.copy_from_slice(&self.scores);
        Ok(())
    }
}

#[derive(Deserialize)]
struct Unchecked {
    inputs: usize,
    scores: Vec<f64>,
}

impl TryFrom<Unchecked> for Tabular {
    type Error = PolicyError;

    fn try_from(Unchecked { inputs, scores }: Unchecked) -> Result<Self, PolicyError> {
        if scores.is_empty() {
            return Err(crate::LogError::NoActions.into());
        }
        check_scores(&scores)?;
        Ok(Self { inputs, scores })
    }
}
