//! Multinomial logistic regression: linear scores, and how they are learnt from labels.

mod lbfgs;
mod objective;
mod record;
mod scales;
mod training;

pub use record::{LogisticRecord, LogisticStop, TrainedLogistic};
pub use scales::Columns;
pub use training::{LogisticTraining, LogisticTrainingBuilder};

use super::Scores;
use crate::{LogError, PolicyError};
use rows::Row;
use serde::{Deserialize, Serialize};

/// F(x, a) = ⟨w_a, x⟩ + b_a: the scores of multinomial logistic regression, whose [`Softmax`](super::Softmax)
/// with β = 1 is the conditional distribution of the labels, and the logging policy of \[L23, Appendix F.3\].
///
/// [`LogisticTraining`] learns them.
///
/// *Shapes:* w is |A|×m in row order, b has |A| entries, all finite. *Cost:* scores cost O(|A|) a stored
/// value of x.
///
/// ```
/// use off_policy::policies::{MultinomialLogistic, Scores};
/// let model = MultinomialLogistic::new(2, vec![1.0, 0.0, 0.0, -1.0], vec![0.5, 0.0])?;
/// let mut scores = [0.0; 2];
/// model.scores(rows::Row::dense(&[3.0, 4.0])?, &mut scores)?;
/// assert_eq!(scores, [3.5, -4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct MultinomialLogistic {
    inputs: usize,
    weights: Vec<f64>,
    intercepts: Vec<f64>,
}

impl MultinomialLogistic {
    /// The model of these numbers.
    ///
    /// # Errors
    /// [`LogError::NoActions`], [`PolicyError::WeightCount`] for weights that are not m ≥ 1 an action,
    /// [`PolicyError::NotFiniteWeight`].
    pub fn new(inputs: usize, weights: Vec<f64>, intercepts: Vec<f64>) -> Result<Self, PolicyError> {
        Unchecked { inputs, weights, intercepts }.try_into()
    }

    /// w_a, or `None` behind the last action.
    #[must_use]
    pub fn weights(&self, action: usize) -> Option<&[f64]> {
        self.weights.chunks_exact(self.inputs).nth(action)
    }

    /// b.
    #[must_use]
    pub fn intercepts(&self) -> &[f64] {
        &self.intercepts
    }
}

impl Scores for MultinomialLogistic {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn actions(&self) -> usize {
        self.intercepts.len()
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError> {
        if x.dimension() != self.inputs {
            return Err(PolicyError::InputDimension { expected: self.inputs, got: x.dimension() });
        }
        if scores.len() != self.actions() {
            let (argument, expected, got) = ("scores", self.actions(), scores.len());
            return Err(PolicyError::ActionCount { argument, expected, got });
        }
        linear(x, &self.weights, &self.intercepts, scores);
        Ok(())
    }
}

/// s_a = ⟨w_a, x⟩ + b_a.
fn linear(x: Row<'_>, weights: &[f64], intercepts: &[f64], scores: &mut [f64]) {
    for ((s, w), b) in scores.iter_mut().zip(weights.chunks_exact(x.dimension())).zip(intercepts) {
        *s = x.dot(w) + b;
    }
}

#[derive(Deserialize)]
struct Unchecked {
    inputs: usize,
    weights: Vec<f64>,
    intercepts: Vec<f64>,
}

impl TryFrom<Unchecked> for MultinomialLogistic {
    type Error = PolicyError;

    fn try_from(Unchecked { inputs, weights, intercepts }: Unchecked) -> Result<Self, PolicyError> {
        if intercepts.is_empty() {
            return Err(LogError::NoActions.into());
        }
        if inputs == 0 || inputs.checked_mul(intercepts.len()) != Some(weights.len()) {
            let (weights, actions) = (weights.len(), intercepts.len());
            return Err(PolicyError::WeightCount { inputs, actions, weights });
        }
        for (name, values) in [("weight", &weights), ("intercept", &intercepts)] {
            if let Some(index) = values.iter().position(|v| !v.is_finite()) {
                return Err(PolicyError::NotFiniteWeight { name, index, value: values[index] });
            }
        }
        Ok(Self { inputs, weights, intercepts })
    }
}
