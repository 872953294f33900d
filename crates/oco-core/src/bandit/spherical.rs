//! A gradient from one number: the spherical estimate of \[FKM05\].

use crate::OcoError;
use crate::step::check_step;
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// The one-point gradient estimate g = (d/δ)·ℓ(y + δv)·v, with v uniform on the unit sphere of R^d (±1 for d
/// = 1).
///
/// *Guarantee* \[BH20, Lemma 7\]: its mean is the gradient at y of ℓ̂(y) = E ℓ(y + δu), u uniform on the unit
/// **ball**; see [`SmoothedLoss`](crate::bandit::SmoothedLoss). Zero-mean noise on the observed loss does not
/// change the mean.
/// *Size:* ‖g‖ = (d/δ)|observed loss|, so σ = d(M + M_noise)/δ with M taken on the δ-enlarged set.
/// *Errata.* The paper averages ℓ̂ over the sphere, and its Lemma 8.3 omits the noise.
///
/// ```
/// use oco_core::bandit::SphericalEstimator;
/// let estimator = SphericalEstimator::new(0.5)?;
/// let mut g = [0.0];
/// estimator.estimate(3.0, &[-1.0], &mut g);
/// assert_eq!(g, [-6.0]);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct SphericalEstimator {
    delta: f64,
}

impl SphericalEstimator {
    /// An estimator with queries at distance δ > 0.
    ///
    /// # Errors
    /// [`ProjectionError::BadStep`](projections::ProjectionError::BadStep).
    pub fn new(delta: f64) -> Result<Self, OcoError> {
        check_step("delta", delta)?;
        Ok(Self { delta })
    }

    /// δ.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// Draws v uniformly on the unit sphere of R^d, d = `v.len()`.
    pub fn draw(&self, rng: &mut (impl Rng + ?Sized), v: &mut [f64]) {
        if let [only] = v {
            *only = if rng.random::<bool>() { 1.0 } else { -1.0 };
            return;
        }
        // The direction of a Gaussian vector is uniform. A zero or tiny vector is drawn again.
        while !v.is_empty() {
            v.fill_with(|| rng.sample(StandardNormal));
            let norm = v.iter().map(|z| z * z).sum::<f64>().sqrt();
            if norm > 1e-100 {
                v.iter_mut().for_each(|z| *z /= norm);
                return;
            }
        }
    }

    /// Writes y + δv.
    pub fn query(&self, y: &[f64], v: &[f64], point: &mut [f64]) {
        for ((point, y), v) in point.iter_mut().zip(y).zip(v) {
            *point = y + self.delta * v;
        }
    }

    /// Writes g = (d/δ)·(observed loss)·v.
    pub fn estimate(&self, observed: f64, v: &[f64], g: &mut [f64]) {
        // A dimension is far below 2^53.
        #[allow(clippy::cast_precision_loss, reason = "a dimension")]
        let scale = v.len() as f64 / self.delta * observed;
        for (g, v) in g.iter_mut().zip(v) {
            *g = scale * v;
        }
    }
}

impl From<SphericalEstimator> for f64 {
    fn from(estimator: SphericalEstimator) -> f64 {
        estimator.delta
    }
}

impl TryFrom<f64> for SphericalEstimator {
    type Error = OcoError;

    fn try_from(delta: f64) -> Result<Self, OcoError> {
        Self::new(delta)
    }
}
