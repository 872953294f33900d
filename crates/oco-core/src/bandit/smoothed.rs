//! The smoothed loss ℓ̂, whose gradient is the mean of the spherical estimate.

use crate::OcoError;
use crate::bandit::SphericalEstimator;
use crate::losses::Loss;
use rand::{Rng, RngExt};

/// ℓ̂(y) = E ℓ(y + δu) with u uniform on the unit ball of R^d \[BH20, Lemma 7\].
///
/// *Guarantee* \[BH20, Lemma 8\]: for an L-Lipschitz convex ℓ, ℓ̂ is convex and L-Lipschitz, 0 ≤ ℓ̂ − ℓ ≤ δL,
/// and ℓ̂ is (dL/δ)-smooth.
/// *Errata.* The paper draws u from the unit sphere; with that, its gradient formula is wrong for every loss
/// that is not quadratic (ℓ = e^y, δ = 0.1: 1.00167 by the formula, 1.00500 by the printed average).
///
/// ```
/// use oco_core::{bandit::{SmoothedLoss, SphericalEstimator}, losses::Loss};
/// struct Exponential;
/// impl Loss for Exponential {
///     fn dimension(&self) -> usize { 1 }
///     fn value(&self, y: &[f64]) -> f64 { y[0].exp() }
///     fn subgradient(&self, y: &[f64], g: &mut [f64]) { g[0] = y[0].exp() }
/// }
/// let smoothed = SmoothedLoss::new(Exponential, SphericalEstimator::new(0.1)?);
/// let slope = (smoothed.value_on_line(1e-4) - smoothed.value_on_line(-1e-4)) / 2e-4;
/// assert!((slope - 1.00167).abs() < 1e-5);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SmoothedLoss<L> {
    loss: L,
    estimator: SphericalEstimator,
}

/// Nodes and weights of the ten-point Gauss–Legendre rule on [−1, 1], positive half.
const GAUSS_LEGENDRE: [(f64, f64); 5] = [
    (0.148_874_338_981_631_22, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

impl<L: Loss> SmoothedLoss<L> {
    /// ℓ smoothed over a ball of the estimator's radius δ.
    pub fn new(loss: L, estimator: SphericalEstimator) -> Self {
        Self { loss, estimator }
    }

    /// ℓ̂(y) for d = 1 by ten-point Gauss–Legendre quadrature of (1/2δ)∫ℓ: exact for polynomials up to degree
    /// 19.
    pub fn value_on_line(&self, y: f64) -> f64 {
        let delta = self.estimator.delta();
        let pair = |node: f64| self.loss.value(&[y + delta * node]) + self.loss.value(&[y - delta * node]);
        0.5 * GAUSS_LEGENDRE.iter().map(|&(node, weight)| weight * pair(node)).sum::<f64>()
    }

    /// ℓ̂(y) by Monte Carlo over the ball: the mean of `samples` draws and its standard error.
    ///
    /// # Errors
    /// A point of the wrong length, or fewer than two samples.
    pub fn value(
        &self,
        y: &[f64],
        samples: u32,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<(f64, f64), OcoError> {
        crate::check_vector("point", y, self.loss.dimension())?;
        if samples < 2 {
            let (name, domain) = ("samples", "[2, ∞)");
            let value = f64::from(samples);
            return Err(projections::ProjectionError::BadParameter { name, value, domain }.into());
        }
        let (mut v, mut point) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        let (mut mean, mut squares) = (0.0, 0.0);
        for n in 1..=samples {
            self.estimator.draw(rng, &mut v);
            // A uniform point of the ball: a uniform direction at radius U^(1/d).
            #[allow(clippy::cast_precision_loss, reason = "a dimension")]
            let radius = rng.random::<f64>().powf(1.0 / y.len() as f64);
            v.iter_mut().for_each(|v| *v *= radius);
            self.estimator.query(y, &v, &mut point);
            let deviation = self.loss.value(&point) - mean;
            mean += deviation / f64::from(n);
            squares += deviation * (self.loss.value(&point) - mean);
        }
        let n = f64::from(samples);
        Ok((mean, (squares / (n - 1.0) / n).sqrt()))
    }
}
