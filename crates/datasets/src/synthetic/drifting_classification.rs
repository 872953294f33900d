//! Linear classification whose truth drifts.

use super::{DriftingRegression, Generator, GeneratorError};
use crate::dataset::Targets;
use serde::{Deserialize, Serialize};

/// `y_t = sgn⟨w_t, x_t⟩` where `w_t` turns by θ a round: [`DriftingRegression`] with the signs of its
/// targets. As a data set, the classes are `-1` and `+1`.
///
/// ```
/// use datasets::synthetic::{DriftingClassification, DriftingRegression, Generator};
/// let mut numbers = DriftingRegression::new(5, 0.01, 7)?;
/// let mut labels = DriftingClassification::new(5, 0.01, 7)?;
/// let (mut x, mut same_x) = (Vec::new(), Vec::new());
/// assert_eq!(labels.draw(&mut x), numbers.draw(&mut same_x).signum());
/// assert_eq!(x, same_x);
/// # Ok::<(), datasets::synthetic::GeneratorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DriftingClassification {
    scores: DriftingRegression,
}

impl Generator for DriftingClassification {
    fn dimension(&self) -> usize {
        self.scores.dimension()
    }

    fn seed(&self) -> u64 {
        self.scores.seed()
    }

    fn draw(&mut self, x: &mut Vec<f64>) -> f64 {
        if self.scores.draw(x) >= 0.0 { 1.0 } else { -1.0 }
    }

    fn targets(&self, drawn: Vec<f64>) -> Targets {
        super::sign_classes(&drawn)
    }
}

impl DriftingClassification {
    /// A generator with m features whose truth turns by `angle` radians a round.
    ///
    /// # Errors
    /// As [`DriftingRegression::new`].
    pub fn new(m: usize, angle: f64, seed: u64) -> Result<Self, GeneratorError> {
        Ok(Self { scores: DriftingRegression::new(m, angle, seed)? })
    }

    /// `w_t`, the hidden vector of the next example.
    pub fn truth(&self) -> Vec<f64> {
        self.scores.truth()
    }
}
