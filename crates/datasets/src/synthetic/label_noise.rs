//! Linear classification with flipped labels.

use super::unit_sphere::Component;
use super::{Generator, GeneratorError, LinearRegression};
use crate::dataset::Targets;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// y = sgn⟨w, x⟩, flipped with probability p < ½: the best classifier errs with probability p, and is w. As a
/// data set, the classes are `-1` and `+1`.
///
/// ```
/// use datasets::synthetic::{Generator, LabelNoise};
/// let mut clean = LabelNoise::new(5, 0.0, 7)?;
/// let mut x = Vec::new();
/// let y = clean.draw(&mut x);
/// assert_eq!(y, rows::dot(clean.truth(), &x).signum());
/// # Ok::<(), datasets::synthetic::GeneratorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct LabelNoise {
    exact: LinearRegression,
    flip_probability: f64,
    noise: ChaCha8Rng,
}

#[derive(Serialize, Deserialize)]
struct State {
    exact: LinearRegression,
    flip_probability: f64,
    noise: ChaCha8Rng,
}

impl Generator for LabelNoise {
    fn dimension(&self) -> usize {
        self.exact.dimension()
    }

    fn seed(&self) -> u64 {
        self.exact.seed()
    }

    fn draw(&mut self, x: &mut Vec<f64>) -> f64 {
        let label = if self.exact.draw(x) >= 0.0 { 1.0 } else { -1.0 };
        if self.noise.random::<f64>() < self.flip_probability { -label } else { label }
    }

    fn targets(&self, drawn: Vec<f64>) -> Targets {
        super::sign_classes(&drawn)
    }
}

impl LabelNoise {
    /// A generator with m features whose labels flip with probability p.
    ///
    /// # Errors
    /// [`GeneratorError::TooFewFeatures`]; [`GeneratorError::BadParameter`] unless 0 ≤ p < ½.
    pub fn new(m: usize, flip_probability: f64, seed: u64) -> Result<Self, GeneratorError> {
        let exact = LinearRegression::new(m, seed)?;
        State { exact, flip_probability, noise: Component::Noise.rng(seed) }.try_into()
    }

    /// w, the normal vector of the hidden half-space.
    pub fn truth(&self) -> &[f64] {
        self.exact.truth()
    }
}

impl From<LabelNoise> for State {
    fn from(generator: LabelNoise) -> Self {
        Self { exact: generator.exact, flip_probability: generator.flip_probability, noise: generator.noise }
    }
}

impl TryFrom<State> for LabelNoise {
    type Error = GeneratorError;

    fn try_from(State { exact, flip_probability, noise }: State) -> Result<Self, GeneratorError> {
        if !(0.0..0.5).contains(&flip_probability) {
            let (name, requirement) = ("probability of a flip", "at least 0 and below 1/2");
            return Err(GeneratorError::BadParameter { name, value: flip_probability, requirement });
        }
        Ok(Self { exact, flip_probability, noise })
    }
}
