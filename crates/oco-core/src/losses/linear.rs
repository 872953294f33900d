//! The linear loss.

use super::{Bounded, Loss, Smooth, inner, norm, reach};
use crate::{OcoError, check_magnitudes};
use projections::ProjectionError;

/// ℓ(y) = ⟨g, y⟩, the loss that a booster gives a weak learner.
///
/// ```
/// use oco_core::losses::{LinearLoss, Loss};
/// assert_eq!(LinearLoss::new(&[2.0, -1.0])?.value(&[3.0, 4.0]), 2.0);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearLoss<'a> {
    slope: &'a [f64],
}

impl<'a> LinearLoss<'a> {
    /// The loss with the given slope g.
    ///
    /// # Errors
    /// An empty slope or one with an entry that is not finite.
    pub fn new(slope: &'a [f64]) -> Result<Self, OcoError> {
        check_magnitudes("slope", slope)?;
        if slope.is_empty() {
            return Err(ProjectionError::Empty { argument: "slope" }.into());
        }
        Ok(Self { slope })
    }
}

impl Loss for LinearLoss<'_> {
    fn dimension(&self) -> usize {
        self.slope.len()
    }

    fn value(&self, y: &[f64]) -> f64 {
        inner(self.slope, y)
    }

    fn subgradient(&self, _y: &[f64], g: &mut [f64]) {
        g.copy_from_slice(self.slope);
    }
}

impl Smooth for LinearLoss<'_> {
    fn smoothness(&self) -> f64 {
        0.0
    }
}

impl Bounded for LinearLoss<'_> {
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        self.value(centre).abs() + reach(norm(self.slope), radius)
    }

    fn lipschitz_on_ball(&self, _centre: &[f64], _radius: f64) -> f64 {
        norm(self.slope)
    }
}
