//! The sum of losses, whose minimiser is the comparator of a stream.

use super::{Bounded, Loss, Smooth};
use crate::OcoError;
use projections::ProjectionError;

/// F(u) = Σ ℓ_t(u) over a slice of losses. A subgradient takes one vector of working memory.
///
/// ```
/// use oco_core::losses::{AbsoluteLoss, Loss, LossSum};
/// let stream = [AbsoluteLoss::new(&[1.0], 2.0)?, AbsoluteLoss::new(&[1.0], -1.0)?];
/// assert_eq!(LossSum::new(&stream)?.value(&[0.0]), 3.0);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossSum<'a, L> {
    losses: &'a [L],
    dimension: usize,
}

impl<'a, L: Loss> LossSum<'a, L> {
    /// The sum of losses of one dimension.
    ///
    /// # Errors
    /// No losses, or losses of different dimensions.
    pub fn new(losses: &'a [L]) -> Result<Self, OcoError> {
        let dimension = losses.first().ok_or(ProjectionError::Empty { argument: "losses" })?.dimension();
        match losses.iter().map(Loss::dimension).find(|got| *got != dimension) {
            Some(got) => {
                let expected = dimension;
                Err(ProjectionError::LengthMismatch { argument: "loss", expected, got }.into())
            }
            None => Ok(Self { losses, dimension }),
        }
    }
}

impl<L: Loss> Loss for LossSum<'_, L> {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn value(&self, u: &[f64]) -> f64 {
        self.losses.iter().map(|loss| loss.value(u)).sum()
    }

    fn subgradient(&self, u: &[f64], g: &mut [f64]) {
        let mut own = vec![0.0; self.dimension];
        g.fill(0.0);
        for loss in self.losses {
            loss.subgradient(u, &mut own);
            g.iter_mut().zip(&own).for_each(|(g, own)| *g += own);
        }
    }
}

impl<L: Smooth> Smooth for LossSum<'_, L> {
    fn smoothness(&self) -> f64 {
        self.losses.iter().map(Smooth::smoothness).sum()
    }
}

impl<L: Bounded> Bounded for LossSum<'_, L> {
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        self.losses.iter().map(|loss| loss.magnitude_on_ball(centre, radius)).sum()
    }

    fn lipschitz_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        self.losses.iter().map(|loss| loss.lipschitz_on_ball(centre, radius)).sum()
    }
}
