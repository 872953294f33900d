//! The logarithmic loss of a portfolio.

use super::{Bounded, Loss, Smooth, inner, norm, reach};
use crate::{OcoError, check_magnitudes};
use projections::ProjectionError;
use rows::numeric::LARGEST;

/// ℓ(x) = −log⟨r, x⟩ for price relatives r ≥ 0: minus the growth of the portfolio x. +∞ if ⟨r, x⟩ ≤ 0.
///
/// Gradient −r/⟨r, x⟩. It is neither smooth nor Lipschitz near ⟨r, x⟩ = 0, so the loss carries a lower bound
/// a of ⟨r, x⟩. Above it β = ‖r‖²/a², and the Lipschitz constant is ‖r‖/a. On the simplex a = min r_j.
///
/// ```
/// use oco_core::losses::{LogPortfolioLoss, Loss};
/// let loss = LogPortfolioLoss::on_simplex(&[2.0, 0.5])?;
/// assert_eq!(loss.value(&[1.0 / 3.0, 2.0 / 3.0]), 0.0);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogPortfolioLoss<'a> {
    relatives: &'a [f64],
    floor: f64,
}

impl<'a> LogPortfolioLoss<'a> {
    /// The loss on points with ⟨r, x⟩ ≥ `floor` > 0.
    ///
    /// # Errors
    /// No assets, a number that is not finite, a negative r_j, or a floor that is not positive.
    pub fn above(relatives: &'a [f64], floor: f64) -> Result<Self, OcoError> {
        check_magnitudes("price relatives", relatives)?;
        check_magnitudes("floor", &[floor])?;
        if relatives.is_empty() {
            return Err(ProjectionError::Empty { argument: "price relatives" }.into());
        }
        if let Some((index, &value)) = relatives.iter().enumerate().find(|(_, r)| **r < 0.0) {
            return Err(ProjectionError::NegativeEntry { argument: "price relatives", index, value }.into());
        }
        if floor <= 0.0 {
            return Err(
                ProjectionError::BadParameter { name: "floor", value: floor, domain: "(0, ∞)" }.into()
            );
        }
        Ok(Self { relatives, floor })
    }

    /// The loss on the probability simplex, where ⟨r, x⟩ ≥ min r_j.
    ///
    /// # Errors
    /// As [`above`](Self::above), hence also if some r_j = 0.
    pub fn on_simplex(relatives: &'a [f64]) -> Result<Self, OcoError> {
        Self::above(relatives, relatives.iter().copied().fold(LARGEST, f64::min))
    }

    fn growth(&self, x: &[f64]) -> f64 {
        inner(self.relatives, x)
    }
}

impl Loss for LogPortfolioLoss<'_> {
    fn dimension(&self) -> usize {
        self.relatives.len()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let growth = self.growth(x);
        if growth > 0.0 { -growth.ln() } else { f64::INFINITY }
    }

    fn subgradient(&self, x: &[f64], g: &mut [f64]) {
        let growth = self.growth(x);
        g.iter_mut().zip(self.relatives).for_each(|(g, r)| *g = -(r / growth));
    }
}

/// For points with ⟨r, x⟩ ≥ the floor.
impl Smooth for LogPortfolioLoss<'_> {
    fn smoothness(&self) -> f64 {
        (norm(self.relatives) / self.floor).powi(2)
    }
}

/// For the points of the ball with ⟨r, x⟩ ≥ the floor.
impl Bounded for LogPortfolioLoss<'_> {
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        let highest = (self.growth(centre) + reach(norm(self.relatives), radius)).max(self.floor);
        self.floor.ln().abs().max(highest.ln().abs())
    }

    fn lipschitz_on_ball(&self, _centre: &[f64], _radius: f64) -> f64 {
        norm(self.relatives) / self.floor
    }
}
