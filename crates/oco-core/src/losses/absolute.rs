//! The absolute loss.

use super::prediction::Prediction;
use super::{Bounded, Loss};
use crate::OcoError;

/// ℓ(w) = |⟨w, x⟩ − y|, with subgradient sgn(⟨w, x⟩ − y)·x, sgn 0 = 0. Lipschitz with ‖x‖, not smooth.
///
/// ```
/// use oco_core::losses::{AbsoluteLoss, Loss};
/// assert_eq!(AbsoluteLoss::new(&[2.0, 1.0], 5.0)?.value(&[1.0, 1.0]), 2.0);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AbsoluteLoss<'a> {
    prediction: Prediction<'a>,
}

impl<'a> AbsoluteLoss<'a> {
    /// The loss of predicting y from the features x.
    ///
    /// # Errors
    /// No features, or a number that is not finite.
    pub fn new(x: &'a [f64], y: f64) -> Result<Self, OcoError> {
        Ok(Self { prediction: Prediction::of_target(x, y)? })
    }
}

impl Loss for AbsoluteLoss<'_> {
    fn dimension(&self) -> usize {
        self.prediction.x.len()
    }

    fn value(&self, w: &[f64]) -> f64 {
        self.prediction.residual(w).abs()
    }

    fn subgradient(&self, w: &[f64], g: &mut [f64]) {
        let residual = self.prediction.residual(w);
        let sign = if residual == 0.0 { 0.0 } else { residual.signum() };
        self.prediction.along_features(sign, g);
    }
}

impl Bounded for AbsoluteLoss<'_> {
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        self.prediction.largest_residual(centre, radius)
    }

    fn lipschitz_on_ball(&self, _centre: &[f64], _radius: f64) -> f64 {
        self.prediction.steepness()
    }
}
