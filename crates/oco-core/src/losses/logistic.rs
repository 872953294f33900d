//! The logistic loss.

use super::prediction::Prediction;
use super::{Bounded, Loss, Smooth};
use crate::OcoError;

/// ℓ(w) = log(1 + e^{−m}), m = y⟨w, x⟩, for a label y = ±1: exact to rounding for any margin.
///
/// Gradient −y·σ(−m)·x with σ(z) = 1/(1 + e^{−z}); smooth with ‖x‖²/4, Lipschitz with ‖x‖ everywhere.
///
/// ```
/// use oco_core::losses::{LogisticLoss, Loss};
/// let loss = LogisticLoss::new(&[1.0], 1.0)?;
/// assert_eq!([loss.value(&[-1e300]), loss.value(&[800.0])], [1e300, 0.0]);
/// assert!((loss.value(&[40.0]) / (-40.0_f64).exp() - 1.0).abs() < 1e-15);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogisticLoss<'a> {
    prediction: Prediction<'a>,
}

impl<'a> LogisticLoss<'a> {
    /// The loss of predicting the label y from the features x.
    ///
    /// # Errors
    /// No features, a number that is not finite, or a label other than −1 and +1.
    pub fn new(x: &'a [f64], y: f64) -> Result<Self, OcoError> {
        Ok(Self { prediction: Prediction::of_label(x, y)? })
    }
}

impl Loss for LogisticLoss<'_> {
    fn dimension(&self) -> usize {
        self.prediction.x.len()
    }

    fn value(&self, w: &[f64]) -> f64 {
        at_margin(self.prediction.margin(w))
    }

    fn subgradient(&self, w: &[f64], g: &mut [f64]) {
        let doubt = sigmoid(-self.prediction.margin(w));
        self.prediction.along_features(-self.prediction.y * doubt, g);
    }
}

impl Smooth for LogisticLoss<'_> {
    fn smoothness(&self) -> f64 {
        (0.5 * self.prediction.steepness()).powi(2)
    }
}

impl Bounded for LogisticLoss<'_> {
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        at_margin(self.prediction.lowest_margin(centre, radius))
    }

    fn lipschitz_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        sigmoid(-self.prediction.lowest_margin(centre, radius)) * self.prediction.steepness()
    }
}

/// log(1 + e^{−m}) without overflow: the exponential is of −|m|.
fn at_margin(m: f64) -> f64 {
    (-m).max(0.0) + (-m.abs()).exp().ln_1p()
}

/// 1/(1 + e^{−z}); if e^{−z} overflows, the result 0 is right.
fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) }
}
