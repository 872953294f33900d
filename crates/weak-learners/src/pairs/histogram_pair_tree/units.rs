//! What a quantum is.

use super::sums::Sums;
use crate::batch::contract::in_units;
use projections::{exponent_above, scale_down, scale_up};

/// A quantum of g is 2^g, one of h 2^h.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Units {
    pub(super) g: i32,
    pub(super) h: i32,
}

impl Units {
    /// v·2^−unit as two factors: the power itself may be beyond the range.
    pub(super) fn factors(unit: i32) -> [f64; 2] {
        [in_units(1.0, unit / 2), in_units(1.0, unit - unit / 2)]
    }

    /// A gradient in quanta of g, not rounded to one.
    pub(super) fn gradient(self, g: f64) -> f64 {
        in_units(g, self.g)
    }

    /// A weight in quanta of h.
    pub(super) fn weight(self, h: f64) -> f64 {
        in_units(h, self.h)
    }

    /// G/(H + λ) of sums in quanta, with H + λ > 0; ±[`f64::MAX`] beyond the range.
    pub(super) fn mean(self, sums: Sums, lambda: f64) -> f64 {
        // H + λ between 1/2 and 2^54 in units of the larger of a quantum and λ.
        let unit = if lambda > 0.0 { self.h.max(exponent_above(lambda)) } else { self.h };
        let mean = sums.g / (scale_down(sums.h, (unit - self.h).unsigned_abs()) + in_units(lambda, unit));
        let exponent = self.g - unit;
        let scaled = if exponent > 0 { scale_up } else { scale_down }(mean, exponent.unsigned_abs());
        scaled.clamp(f64::MIN, f64::MAX)
    }
}
