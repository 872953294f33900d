//! Bandit feedback: the value of a loss, with zero-mean bounded noise.

use oco_core::OcoError;
use projections::ProjectionError;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// Zero-mean noise w, |w| ≤ M_noise, as in \[BH20, §3.1\].
///
/// ```
/// use boosters::feedback::Noise;
/// use rand::SeedableRng;
/// let noise = Noise::uniform(0.1)?;
/// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
/// let mean = (0..10_000).map(|_| noise.draw(&mut rng)).sum::<f64>() / 1e4;
/// // Hoeffding: a mean of 10,000 draws from [−0.1, 0.1] exceeds 0.005 with probability below 10^(−5).
/// assert!(mean.abs() < 0.005 && noise.bound() == 0.1);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Kind", into = "Kind")]
pub struct Noise(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    None,
    Uniform { half_width: f64 },
    TwoPoint { size: f64 },
}

impl Noise {
    /// The loss itself.
    pub const NONE: Self = Self(Kind::None);

    /// Uniform on [−h, h]; the experiments of \[BH20\] use h = 0.1.
    ///
    /// # Errors
    /// A half-width that is negative or not finite.
    pub fn uniform(half_width: f64) -> Result<Self, OcoError> {
        Kind::Uniform { half_width }.try_into()
    }

    /// ±a with equal probability: the largest variance that the bound a allows.
    ///
    /// # Errors
    /// A size that is negative or not finite.
    pub fn two_point(size: f64) -> Result<Self, OcoError> {
        Kind::TwoPoint { size }.try_into()
    }

    /// One draw of w.
    pub fn draw(&self, rng: &mut (impl Rng + ?Sized)) -> f64 {
        match self.0 {
            Kind::None => 0.0,
            Kind::Uniform { half_width } => half_width * (2.0 * rng.random::<f64>() - 1.0),
            Kind::TwoPoint { size } => {
                if rng.random() {
                    size
                } else {
                    -size
                }
            }
        }
    }

    /// M_noise.
    pub fn bound(&self) -> f64 {
        match self.0 {
            Kind::None => 0.0,
            Kind::Uniform { half_width } => half_width,
            Kind::TwoPoint { size } => size,
        }
    }
}

impl From<Noise> for Kind {
    fn from(noise: Noise) -> Self {
        noise.0
    }
}

impl TryFrom<Kind> for Noise {
    type Error = OcoError;

    fn try_from(kind: Kind) -> Result<Self, OcoError> {
        let value = Self(kind).bound();
        projections::check_finite("noise bound", &[value])?;
        if value < 0.0 {
            let (name, domain) = ("noise bound", "[0, ∞)");
            return Err(ProjectionError::BadParameter { name, value, domain }.into());
        }
        Ok(Self(kind))
    }
}
