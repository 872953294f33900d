//! The hinge loss, at any threshold.

use super::prediction::Prediction;
use super::{Bounded, Loss};
use crate::{OcoError, check_magnitudes};

/// ℓ(w) = max(0, θ − y⟨w, x⟩) for a label y = ±1: θ = 1 is the support vector machine's, θ = 0 the
/// Perceptron's \[W13, Example 1\].
///
/// The subgradient is −y·x if y⟨w, x⟩ ≤ θ, else 0. At the kink it is the steepest one, so that w = 0 counts
/// as a mistake and moves the Perceptron.
///
/// ```
/// use oco_core::losses::{HingeLoss, Loss};
/// let (x, mut g) = ([3.0, 4.0], [0.0; 2]);
/// let perceptron = HingeLoss::at_zero(&x, -1.0)?;
/// perceptron.subgradient(&[0.0, 0.0], &mut g);
/// assert_eq!((perceptron.value(&[0.0, 0.0]), g), (0.0, [3.0, 4.0]));
/// assert_eq!(HingeLoss::new(&x, -1.0)?.value(&[0.0, 0.25]), 2.0);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HingeLoss<'a> {
    prediction: Prediction<'a>,
    threshold: f64,
}

impl<'a> HingeLoss<'a> {
    /// max(0, 1 − y⟨w, x⟩).
    ///
    /// # Errors
    /// No features, a number that is not finite, or a label other than −1 and +1.
    pub fn new(x: &'a [f64], y: f64) -> Result<Self, OcoError> {
        Self::at(1.0, x, y)
    }

    /// max(0, −y⟨w, x⟩).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn at_zero(x: &'a [f64], y: f64) -> Result<Self, OcoError> {
        Self::at(0.0, x, y)
    }

    /// max(0, θ − y⟨w, x⟩).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn at(threshold: f64, x: &'a [f64], y: f64) -> Result<Self, OcoError> {
        check_magnitudes("threshold", &[threshold])?;
        Ok(Self { prediction: Prediction::of_label(x, y)?, threshold })
    }
}

impl Loss for HingeLoss<'_> {
    fn dimension(&self) -> usize {
        self.prediction.x.len()
    }

    fn value(&self, w: &[f64]) -> f64 {
        (self.threshold - self.prediction.margin(w)).max(0.0)
    }

    fn subgradient(&self, w: &[f64], g: &mut [f64]) {
        let inside = self.prediction.margin(w) <= self.threshold;
        self.prediction.along_features(if inside { -self.prediction.y } else { 0.0 }, g);
    }
}

impl Bounded for HingeLoss<'_> {
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        (self.threshold - self.prediction.lowest_margin(centre, radius)).max(0.0)
    }

    fn lipschitz_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        let reached = self.prediction.lowest_margin(centre, radius) <= self.threshold;
        if reached { self.prediction.steepness() } else { 0.0 }
    }
}
