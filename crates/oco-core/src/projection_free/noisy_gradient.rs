//! Gradients with noise that is independent of the point.

use super::stochastic_gradient::StochasticGradient;
use crate::OcoError;
use crate::bandit::SphericalEstimator;
use crate::losses::Loss;
use crate::step::check_step;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// A source of gradients g(x; ξ) = ∇ℓ(x) + ζ with E ζ = 0: each draw has a new ζ, the same at every point.
///
/// The source outlives the rounds and owns their generator; [`over`](Self::over) lends it to the loss of one
/// round.
///
/// ```
/// use oco_core::{losses::SquaredLoss, projection_free::{GradientNoise, StochasticGradient}};
/// use rand::SeedableRng;
/// let mut noise = GradientNoise::on_sphere(0.5, rand_chacha::ChaCha8Rng::seed_from_u64(7))?;
/// let loss = SquaredLoss::new(&[1.0, 0.0])?;
/// let (mut oracle, mut g) = (noise.over(&loss), [0.0; 2]);
/// oracle.draw();
/// oracle.gradient(&[1.0, 0.0], &mut g);
/// assert!((g[0].hypot(g[1]) - 0.5).abs() < 1e-15);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GradientNoise {
    law: Law,
    rng: ChaCha8Rng,
    /// ζ, valid until the next draw, hence within a round.
    #[serde(skip)]
    zeta: Vec<f64>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
enum Law {
    /// ζ = r·v, v uniform on the unit sphere.
    Sphere(SphericalEstimator),
    /// Independent normal coordinates.
    Gaussian(f64),
}

impl GradientNoise {
    /// ‖ζ‖ = radius with uniform direction: bounded, as \[BH20, Assumption 2\] and its high-probability
    /// theorem require.
    ///
    /// # Errors
    /// A radius that is not positive and finite.
    pub fn on_sphere(radius: f64, rng: ChaCha8Rng) -> Result<Self, OcoError> {
        Ok(Self { law: Unchecked::Sphere(radius).try_into()?, rng, zeta: Vec::new() })
    }

    /// Independent normal coordinates: E‖ζ‖² = d·deviation², unbounded.
    ///
    /// # Errors
    /// A standard deviation that is not positive and finite.
    pub fn gaussian(deviation: f64, rng: ChaCha8Rng) -> Result<Self, OcoError> {
        Ok(Self { law: Unchecked::Gaussian(deviation).try_into()?, rng, zeta: Vec::new() })
    }

    /// The oracle of one round.
    pub fn over<'a, L: Loss + ?Sized>(&'a mut self, loss: &'a L) -> NoisyGradient<'a, L> {
        NoisyGradient { noise: self, loss }
    }
}

/// The oracle that [`GradientNoise::over`] makes of a loss.
#[derive(Debug)]
pub struct NoisyGradient<'a, L: ?Sized> {
    noise: &'a mut GradientNoise,
    loss: &'a L,
}

impl<L: Loss + ?Sized> StochasticGradient for NoisyGradient<'_, L> {
    fn dimension(&self) -> usize {
        self.loss.dimension()
    }

    fn draw(&mut self) {
        let GradientNoise { law, rng, zeta } = &mut *self.noise;
        zeta.resize(self.loss.dimension(), 0.0);
        match law {
            Law::Sphere(radius) => {
                radius.draw(rng, zeta);
                zeta.iter_mut().for_each(|z| *z *= radius.delta());
            }
            Law::Gaussian(deviation) => {
                zeta.fill_with(|| *deviation * rng.sample::<f64, _>(StandardNormal));
            }
        }
    }

    fn gradient(&mut self, x: &[f64], g: &mut [f64]) {
        self.loss.subgradient(x, g);
        g.iter_mut().zip(&self.noise.zeta).for_each(|(g, z)| *g += z);
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Unchecked {
    Sphere(f64),
    Gaussian(f64),
}

impl TryFrom<Unchecked> for Law {
    type Error = OcoError;

    fn try_from(law: Unchecked) -> Result<Self, OcoError> {
        match law {
            Unchecked::Sphere(radius) => Ok(Self::Sphere(SphericalEstimator::new(radius)?)),
            Unchecked::Gaussian(deviation) => {
                check_step("deviation", deviation)?;
                Ok(Self::Gaussian(deviation))
            }
        }
    }
}

impl From<Law> for Unchecked {
    fn from(law: Law) -> Self {
        match law {
            Law::Sphere(radius) => Self::Sphere(radius.delta()),
            Law::Gaussian(deviation) => Self::Gaussian(deviation),
        }
    }
}
