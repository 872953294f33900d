//! A sum of squares that neither overflows nor underflows.

use crate::OcoError;
use projections::{ProjectionError, check_finite};
use rows::numeric::exponent_above;
use rows::numeric::scale;
use serde::{Deserialize, Serialize};

/// Σ g², as digits·4^exponent with every |g| ≤ 2^exponent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "(f64, i32)", into = "(f64, i32)")]
pub(crate) struct SumOfSquares {
    digits: f64,
    exponent: i32,
}

/// The least exponent: that of 0 and of subnormal numbers.
const ZERO: SumOfSquares = SumOfSquares { digits: 0.0, exponent: -1022 };

impl Default for SumOfSquares {
    fn default() -> Self {
        ZERO
    }
}

impl SumOfSquares {
    /// Adds g² for a finite g.
    pub(crate) fn add(&mut self, g: f64) {
        let exponent = exponent_above(g);
        if exponent > self.exponent {
            self.digits = scale(self.digits, 2 * (self.exponent - exponent));
            self.exponent = exponent;
        }
        let g = scale(g, -self.exponent);
        self.digits += g * g;
    }

    /// g/√Σ for a summand g², a number in [−1, 1]; 0 if the sum is 0.
    pub(crate) fn share(self, g: f64) -> f64 {
        if self.digits == 0.0 { 0.0 } else { scale(g, -self.exponent) / self.digits.sqrt() }
    }

    /// The sum as a double: +∞ beyond the range.
    pub(crate) fn value(self) -> f64 {
        scale(self.digits, 2 * self.exponent)
    }
}

impl From<SumOfSquares> for (f64, i32) {
    fn from(sum: SumOfSquares) -> Self {
        (sum.digits, sum.exponent)
    }
}

impl TryFrom<(f64, i32)> for SumOfSquares {
    type Error = OcoError;

    fn try_from((digits, exponent): (f64, i32)) -> Result<Self, OcoError> {
        check_finite("sum of squares", &[digits])?;
        if digits < 0.0 {
            let (name, domain) = ("sum of squares", "[0, ∞)");
            return Err(ProjectionError::BadParameter { name, value: digits, domain }.into());
        }
        if !(-1022..=1024).contains(&exponent) {
            let (name, domain) = ("exponent of a sum of squares", "[-1022, 1024]");
            return Err(ProjectionError::BadParameter { name, value: exponent.into(), domain }.into());
        }
        Ok(Self { digits, exponent })
    }
}
