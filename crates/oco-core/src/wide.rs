//! Inner products and their sums, which may leave the range of doubles.

use rows::numeric::{scale_down, scale_up};
use serde::{Deserialize, Serialize};

/// A number in units of 1, or of 2^1100 if it is beyond the range of doubles. The larger unit holds a sum of
/// 2^60 products of doubles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Wide {
    digits: f64,
    far: bool,
}

/// The exponent of the larger unit.
const FAR: u32 = 1100;

impl Wide {
    /// digits·2^exponent with exponent ≤ 1100.
    fn new(digits: f64, exponent: u32) -> Self {
        let value = scale_up(digits, exponent);
        if value.is_finite() {
            Self { digits: value, far: false }
        } else {
            Self { digits: scale_down(digits, FAR - exponent), far: true }
        }
    }

    /// ⟨a, b⟩·2^exponent with exponent ≤ 64, for finite a and b: the plain sum if it stays in range.
    pub(crate) fn inner(a: &[f64], b: &[f64], exponent: u32) -> Self {
        let plain: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        if plain.is_finite() {
            return Self::new(plain, exponent);
        }
        // A term that vanishes is below 2^-300 of the one that left the range.
        let half = |v: &f64| scale_down(*v, FAR / 2);
        let scaled: f64 = a.iter().zip(b).map(|(a, b)| half(a) * half(b)).sum();
        Self::new(scale_up(scaled, exponent), FAR)
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        let plain = self.digits + other.digits;
        if !self.far && !other.far && plain.is_finite() {
            return Self { digits: plain, far: false };
        }
        let far = |v: Self| if v.far { v.digits } else { scale_down(v.digits, FAR) };
        Self::new(far(self) + far(other), FAR)
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        self.plus(Self { digits: -other.digits, ..other })
    }

    /// The digits in either unit, for the check of a saved number.
    pub(crate) fn digits(self) -> f64 {
        self.digits
    }

    /// 1/v for v > 0, which is beyond the range for a subnormal v.
    pub(crate) fn reciprocal(v: f64) -> Self {
        let inverse = v.recip();
        if inverse.is_finite() { inverse.into() } else { Self::new(scale_up(v, FAR / 2).recip(), FAR / 2) }
    }

    /// The quotient, for a result in the range of doubles.
    pub(crate) fn over(self, other: Self) -> f64 {
        match (self.far, other.far) {
            (false, true) => scale_down(self.digits, FAR) / other.digits,
            (true, false) => self.digits / scale_down(other.digits, FAR),
            _ => self.digits / other.digits,
        }
    }

    /// The number as a double: ±∞ beyond the range.
    pub(crate) fn value(self) -> f64 {
        if self.far { scale_up(self.digits, FAR) } else { self.digits }
    }
}

impl From<f64> for Wide {
    fn from(v: f64) -> Self {
        Self { digits: v, far: false }
    }
}
