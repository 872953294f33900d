//! Linear regression with bounded noise.

use super::unit_sphere::Component;
use super::{Generator, GeneratorError, LinearRegression};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};

/// y = ⟨w, x⟩ + a·u with u uniform on [−1, 1): the stream of [`LinearRegression`] with noise of mean 0,
/// variance a²/3 and a known bound, |y| ≤ 1 + a.
///
/// ```
/// use datasets::synthetic::{Generator, LinearRegression, NoisyRegression};
/// let (mut exact, mut noisy) = (LinearRegression::new(5, 7)?, NoisyRegression::new(5, 0.1, 7)?);
/// let (mut x, mut same_x) = (Vec::new(), Vec::new());
/// assert!((exact.draw(&mut x) - noisy.draw(&mut same_x)).abs() <= 0.1);
/// assert_eq!(x, same_x);
/// # Ok::<(), datasets::synthetic::GeneratorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct NoisyRegression {
    exact: LinearRegression,
    half_width: f64,
    noise: ChaCha8Rng,
}

#[derive(Serialize, Deserialize)]
struct State {
    exact: LinearRegression,
    half_width: f64,
    noise: ChaCha8Rng,
}

impl Generator for NoisyRegression {
    fn dimension(&self) -> usize {
        self.exact.dimension()
    }

    fn seed(&self) -> u64 {
        self.exact.seed()
    }

    fn draw(&mut self, x: &mut Vec<f64>) -> f64 {
        let y = self.exact.draw(x);
        y + self.half_width * (2.0 * self.noise.random::<f64>() - 1.0)
    }
}

impl NoisyRegression {
    /// A generator with m features and noise on [−a, a), a = `half_width`.
    ///
    /// # Errors
    /// [`GeneratorError::TooFewFeatures`]; [`GeneratorError::BadParameter`] unless 0 ≤ a < ∞.
    pub fn new(m: usize, half_width: f64, seed: u64) -> Result<Self, GeneratorError> {
        let exact = LinearRegression::new(m, seed)?;
        State { exact, half_width, noise: Component::Noise.rng(seed) }.try_into()
    }

    /// w, the hidden vector.
    pub fn truth(&self) -> &[f64] {
        self.exact.truth()
    }
}

impl From<NoisyRegression> for State {
    fn from(generator: NoisyRegression) -> Self {
        Self { exact: generator.exact, half_width: generator.half_width, noise: generator.noise }
    }
}

impl TryFrom<State> for NoisyRegression {
    type Error = GeneratorError;

    fn try_from(State { exact, half_width, noise }: State) -> Result<Self, GeneratorError> {
        if !(0.0..=LARGEST).contains(&half_width) {
            let (name, requirement) = ("half width of the noise", "between 0 and 1e140");
            return Err(GeneratorError::BadParameter { name, value: half_width, requirement });
        }
        Ok(Self { exact, half_width, noise })
    }
}
