//! Linear regression without noise.

use super::unit_sphere::{Component, draw_unit, is_unit};
use super::{Generator, GeneratorError, check_features};
use rand_chacha::ChaCha8Rng;
use rows::dot;
use serde::{Deserialize, Serialize};

/// y = ⟨w, x⟩ with a hidden w, ‖w‖ = 1, and x uniform on the unit sphere; so |y| ≤ 1, and the best linear
/// model has loss 0.
///
/// ```
/// use datasets::synthetic::{Generator, LinearRegression};
/// let mut linear = LinearRegression::new(5, 7)?;
/// let mut x = Vec::new();
/// let y = linear.draw(&mut x);
/// assert_eq!(y, rows::dot(linear.truth(), &x));
/// # Ok::<(), datasets::synthetic::GeneratorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct LinearRegression {
    seed: u64,
    truth: Vec<f64>,
    contexts: ChaCha8Rng,
}

#[derive(Serialize, Deserialize)]
struct State {
    seed: u64,
    truth: Vec<f64>,
    contexts: ChaCha8Rng,
}

impl Generator for LinearRegression {
    fn dimension(&self) -> usize {
        self.truth.len()
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn draw(&mut self, x: &mut Vec<f64>) -> f64 {
        draw_unit(self.truth.len(), &mut self.contexts, x);
        dot(&self.truth, x)
    }
}

impl LinearRegression {
    /// A generator with m features.
    ///
    /// # Errors
    /// [`GeneratorError::TooFewFeatures`] for m = 0, [`GeneratorError::TooManyFeatures`].
    pub fn new(m: usize, seed: u64) -> Result<Self, GeneratorError> {
        if m == 0 {
            return Err(GeneratorError::TooFewFeatures { least: 1, got: m });
        }
        check_features(m)?;
        let mut truth = Vec::new();
        draw_unit(m, &mut Component::Truth.rng(seed), &mut truth);
        Ok(Self { seed, truth, contexts: Component::Contexts.rng(seed) })
    }

    /// w, the hidden vector.
    pub fn truth(&self) -> &[f64] {
        &self.truth
    }
}

impl From<LinearRegression> for State {
    fn from(generator: LinearRegression) -> Self {
        Self { seed: generator.seed, truth: generator.truth, contexts: generator.contexts }
    }
}

impl TryFrom<State> for LinearRegression {
    type Error = GeneratorError;

    fn try_from(State { seed, truth, contexts }: State) -> Result<Self, GeneratorError> {
        if !is_unit(&truth) {
            let (name, requirement) = ("‖w‖²", "1 for a hidden vector");
            return Err(GeneratorError::BadParameter { name, value: dot(&truth, &truth), requirement });
        }
        Ok(Self { seed, truth, contexts })
    }
}
