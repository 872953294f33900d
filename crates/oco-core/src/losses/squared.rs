//! The squared loss.

use super::{Bounded, Loss, Smooth, distance};
use crate::{OcoError, check_magnitudes};
use projections::ProjectionError;

/// ℓ(y) = ‖y − target‖², with gradient 2(y − target) and smoothness β = 2.
///
/// The Euclidean projection onto a convex set that contains the target does not increase it (Assumption 3 of
/// \[BH20\]).
///
/// ```
/// use oco_core::losses::{Loss, SquaredLoss};
/// let loss = SquaredLoss::new(&[1.0, 0.0])?;
/// let mut g = [0.0; 2];
/// loss.subgradient(&[3.0, -1.0], &mut g);
/// assert_eq!((loss.value(&[3.0, -1.0]), g), (5.0, [4.0, -2.0]));
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SquaredLoss<'a> {
    target: &'a [f64],
}

impl<'a> SquaredLoss<'a> {
    /// The loss with its minimum 0 at the target.
    ///
    /// # Errors
    /// An empty target or one with an entry that is not finite.
    pub fn new(target: &'a [f64]) -> Result<Self, OcoError> {
        check_magnitudes("target", target)?;
        if target.is_empty() {
            return Err(ProjectionError::Empty { argument: "target" }.into());
        }
        Ok(Self { target })
    }
}

impl Loss for SquaredLoss<'_> {
    fn dimension(&self) -> usize {
        self.target.len()
    }

    fn value(&self, y: &[f64]) -> f64 {
        y.iter().zip(self.target).map(|(y, target)| (y - target) * (y - target)).sum()
    }

    fn subgradient(&self, y: &[f64], g: &mut [f64]) {
        for ((g, y), target) in g.iter_mut().zip(y).zip(self.target) {
            *g = 2.0 * (y - target);
        }
    }
}

impl Smooth for SquaredLoss<'_> {
    fn smoothness(&self) -> f64 {
        2.0
    }
}

impl Bounded for SquaredLoss<'_> {
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        (distance(centre, self.target) + radius).powi(2)
    }

    fn lipschitz_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        2.0 * (distance(centre, self.target) + radius)
    }
}
