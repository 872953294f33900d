//! Doubles with a wider exponent.

use std::ops::{Add, Div, Mul, Sub};

/// m·2^e with 1 ≤ |m| < 2, or 0: a double with an exponent of 64 bits.
///
/// Every operation rounds once, as that of doubles does. A product of up to 2^50 doubles stays in range. The
/// double that a `Wide` is made of must be finite.
/// *Cost:* about ten times that of a double.
///
/// ```
/// use rows::numeric::Wide;
/// assert_eq!((Wide::from(3e300).squared() + Wide::from(4e300).squared()).sqrt().get(), 5e300);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wide {
    mantissa: f64,
    exponent: i64,
}

const FRACTION_BITS: u32 = 52;
const EXPONENT_MASK: u64 = 0x7ff;
const BIAS: i64 = 1023;

impl Wide {
    /// 0.
    pub const ZERO: Self = Self { mantissa: 0.0, exponent: 0 };

    /// A finite m times 2^e.
    #[must_use]
    #[inline]
    pub fn scaled(m: f64, e: i64) -> Self {
        if m == 0.0 {
            return Self::ZERO;
        }
        let (m, e) = if m.is_subnormal() { (m * power_of_two(54), e - 54) } else { (m, e) };
        let bits = m.to_bits();
        let shift = (bits >> FRACTION_BITS & EXPONENT_MASK).cast_signed() - BIAS;
        let one = bits & !(EXPONENT_MASK << FRACTION_BITS) | BIAS.cast_unsigned() << FRACTION_BITS;
        Self { mantissa: f64::from_bits(one), exponent: e + shift }
    }

    /// The nearest double; ±∞ beyond the range.
    #[must_use]
    #[inline]
    pub fn get(self) -> f64 {
        let Self { mantissa, exponent } = self;
        match exponent {
            _ if mantissa == 0.0 => 0.0,
            1024.. => f64::INFINITY.copysign(mantissa),
            -1022..=1023 => mantissa * power_of_two(exponent),
            -1100..=-1023 => mantissa * power_of_two(-600) * power_of_two(exponent + 600),
            _ => 0.0_f64.copysign(mantissa),
        }
    }

    /// The nearest double; ±[`f64::MAX`] beyond the range.
    #[must_use]
    #[inline]
    pub fn saturated(self) -> f64 {
        self.get().clamp(f64::MIN, f64::MAX)
    }

    /// Whether the number is 0.
    #[must_use]
    #[inline]
    pub fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }

    /// Whether the number is below 0.
    #[must_use]
    #[inline]
    pub fn is_negative(self) -> bool {
        self.mantissa < 0.0
    }

    /// e; `None` for 0.
    #[must_use]
    #[inline]
    pub fn exponent(self) -> Option<i64> {
        (!self.is_zero()).then_some(self.exponent)
    }

    /// The nearest double to this/2^e.
    #[must_use]
    #[inline]
    pub fn over_power_of_two(self, e: i64) -> f64 {
        Self { exponent: self.exponent - e, ..self }.get()
    }

    /// m and e as 64 bits each.
    #[must_use]
    pub fn to_words(self) -> [u64; 2] {
        [self.mantissa.to_bits(), self.exponent.cast_unsigned()]
    }

    /// The number that gave these words; `None` for others.
    ///
    /// ```
    /// use rows::numeric::Wide;
    /// let number = Wide::from(-6e300).squared();
    /// assert_eq!(Wide::of_words(number.to_words()), Some(number));
    /// assert_eq!(Wide::of_words([f64::NAN.to_bits(), 0]), None);
    /// ```
    #[must_use]
    pub fn of_words([mantissa, exponent]: [u64; 2]) -> Option<Self> {
        let (mantissa, exponent) = (f64::from_bits(mantissa), exponent.cast_signed());
        let is_zero = mantissa == 0.0 && exponent == 0;
        let is_normal = (1.0..2.0).contains(&mantissa.abs()) && exponent.unsigned_abs() < 1 << 60;
        (is_zero || is_normal).then_some(Self { mantissa, exponent })
    }

    /// The square.
    #[must_use]
    #[inline]
    pub fn squared(self) -> Self {
        self * self
    }

    /// √ of a number ≥ 0.
    #[must_use]
    #[inline]
    pub fn sqrt(self) -> Self {
        let odd = self.exponent.rem_euclid(2);
        let mantissa = self.mantissa * if odd == 1 { 2.0 } else { 1.0 };
        Self::scaled(mantissa.sqrt(), (self.exponent - odd) / 2)
    }
}

impl From<f64> for Wide {
    #[inline]
    fn from(value: f64) -> Self {
        Self::scaled(value, 0)
    }
}

impl Add for Wide {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { other } else { self };
        }
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let gap = large.exponent - small.exponent;
        if gap > 64 {
            return large;
        }
        Self::scaled(large.mantissa + small.mantissa * power_of_two(-gap), large.exponent)
    }
}

impl Sub for Wide {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + Self { mantissa: -other.mantissa, ..other }
    }
}

impl Mul for Wide {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        Self::scaled(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }
}

/// The divisor must not be 0.
impl Div for Wide {
    type Output = Self;

    #[inline]
    fn div(self, other: Self) -> Self {
        Self::scaled(self.mantissa / other.mantissa, self.exponent - other.exponent)
    }
}

/// 2^e for −1022 ≤ e ≤ 1023.
fn power_of_two(e: i64) -> f64 {
    f64::from_bits((e + BIAS).cast_unsigned() << FRACTION_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(value: f64) -> Wide {
        value.into()
    }

    #[test]
    fn every_double_comes_back() {
        let odd = [5e-324, -3e-310, 2.2e-308, 1.0, -1.5, 1e-300, 1e300, f64::MAX, f64::MIN, 0.0];
        for value in odd.into_iter().chain((0..64).map(|e| f64::from_bits(0x3333_3333_3333_3333 >> e))) {
            assert_eq!(wide(value).get().to_bits(), value.to_bits(), "{value}");
        }
    }

    #[test]
    fn operations_round_as_those_of_doubles_where_these_do_not_overflow() {
        let values = [1.0, -3.7, 1e-9, 6.02e23, -1.0 / 3.0, 0.0, 7e-31, 1.0 + f64::EPSILON];
        for a in values {
            for b in values {
                assert_eq!((wide(a) + wide(b)).get(), a + b, "{a} + {b}");
                assert_eq!((wide(a) - wide(b)).get(), a - b, "{a} - {b}");
                assert_eq!((wide(a) * wide(b)).get(), a * b, "{a} * {b}");
                if b != 0.0 {
                    assert_eq!((wide(a) / wide(b)).get(), a / b, "{a} / {b}");
                }
            }
            assert_eq!(wide(a.abs()).sqrt().get(), a.abs().sqrt(), "√{a}");
        }
    }

    #[test]
    fn exponents_do_not_run_out() {
        for big in [1e300, -1e-300, 5e-324, f64::MAX] {
            assert_eq!(wide(big).squared().sqrt().get(), big.abs());
            let again = (wide(big).squared().squared() / wide(big).squared() / wide(big)).get();
            assert!((again / big - 1.0).abs() < 1e-15 || again == big, "{again}, not {big}");
        }
        assert_eq!(wide(-1e300).squared().get(), f64::INFINITY);
        assert_eq!((wide(f64::MIN) + wide(f64::MIN)).saturated(), f64::MIN);
        assert_eq!(wide(1e-300).squared().get(), 0.0);
    }
}
