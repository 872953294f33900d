//! The Huber loss.

use super::prediction::Prediction;
use super::{Bounded, Loss, Smooth};
use crate::{OcoError, check_magnitudes};
use projections::ProjectionError;

/// ℓ(w) = ½r² if |r| ≤ δ, else δ(|r| − δ/2), with r = ⟨w, x⟩ − y.
///
/// Gradient clip(r, −δ, δ)·x; smooth with ‖x‖², Lipschitz with δ‖x‖.
///
/// ```
/// use oco_core::losses::{HuberLoss, Loss};
/// let loss = HuberLoss::new(&[1.0], 0.0, 2.0)?;
/// assert_eq!([1.0, 2.0, 10.0].map(|w| loss.value(&[w])), [0.5, 2.0, 18.0]);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HuberLoss<'a> {
    prediction: Prediction<'a>,
    delta: f64,
}

impl<'a> HuberLoss<'a> {
    /// The loss of predicting y from the features x, quadratic up to the residual δ.
    ///
    /// # Errors
    /// No features, a number that is not finite, or δ not positive.
    pub fn new(x: &'a [f64], y: f64, delta: f64) -> Result<Self, OcoError> {
        check_magnitudes("delta", &[delta])?;
        let prediction = Prediction::of_target(x, y)?;
        if delta <= 0.0 {
            return Err(
                ProjectionError::BadParameter { name: "delta", value: delta, domain: "(0, ∞)" }.into()
            );
        }
        Ok(Self { prediction, delta })
    }

    fn at_residual(&self, r: f64) -> f64 {
        let (r, delta) = (r.abs(), self.delta);
        if r <= delta { (0.5 * r) * r } else { delta * (r - 0.5 * delta) }
    }
}

impl Loss for HuberLoss<'_> {
    fn dimension(&self) -> usize {
        self.prediction.x.len()
    }

    fn value(&self, w: &[f64]) -> f64 {
        self.at_residual(self.prediction.residual(w))
    }

    fn subgradient(&self, w: &[f64], g: &mut [f64]) {
        let slope = self.prediction.residual(w).clamp(-self.delta, self.delta);
        self.prediction.along_features(slope, g);
    }
}

impl Smooth for HuberLoss<'_> {
    fn smoothness(&self) -> f64 {
        self.prediction.steepness().powi(2)
    }
}

impl Bounded for HuberLoss<'_> {
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        self.at_residual(self.prediction.largest_residual(centre, radius))
    }

    fn lipschitz_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        self.prediction.largest_residual(centre, radius).min(self.delta) * self.prediction.steepness()
    }
}
