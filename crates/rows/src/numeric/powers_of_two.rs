//! Scaling by powers of two, exact within the range of `f64`.

/// v·2^exponent; ±∞ beyond the range.
///
/// ```
/// use rows::numeric::scale_up;
/// assert_eq!(scale_up(0.75, 2), 3.0);
/// assert_eq!(scale_up(f64::MIN_POSITIVE, 1022), 1.0);
/// assert_eq!(scale_up(-1.0, 1024), f64::NEG_INFINITY);
/// ```
#[must_use]
#[inline]
pub fn scale_up(v: f64, exponent: u32) -> f64 {
    parts(exponent).into_iter().fold(v, |v, part| v * f64::from_bits(u64::from(1023 + part) << 52))
}

/// v·2^−exponent, exact if the result is normal; a subnormal result is rounded.
///
/// ```
/// use rows::numeric::scale_down;
/// assert_eq!(scale_down(3.0, 2), 0.75);
/// assert_eq!(scale_down(f64::MAX, 1100), scale_down(2.0 - f64::EPSILON, 77));
/// ```
#[must_use]
#[inline]
pub fn scale_down(v: f64, exponent: u32) -> f64 {
    parts(exponent).into_iter().fold(v, |v, part| v * f64::from_bits(u64::from(1023 - part) << 52))
}

/// v·2^exponent for an exponent of either sign, rounded as [`scale_up`] and [`scale_down`] do.
///
/// ```
/// use rows::numeric::scale;
/// assert_eq!((scale(3.0, 1), scale(3.0, 0), scale(3.0, -1)), (6.0, 3.0, 1.5));
/// ```
#[must_use]
#[inline]
pub fn scale(v: f64, exponent: i32) -> f64 {
    if exponent < 0 { scale_down(v, exponent.unsigned_abs()) } else { scale_up(v, exponent.unsigned_abs()) }
}

/// The least e with |v| < 2^e for a normal v; −1022 for 0 and a subnormal v.
///
/// ```
/// use rows::numeric::exponent_above;
/// assert_eq!([1.0, -1.5, 2.0, 0.0, f64::MAX].map(exponent_above), [1, 1, 2, -1022, 1024]);
/// ```
#[must_use]
#[inline]
pub fn exponent_above(v: f64) -> i32 {
    i32::try_from(v.abs().to_bits() >> 52).map_or(1025, |biased| biased - 1022)
}

/// The largest power of two that does not exceed a normal v > 0; the least normal number for 0 and a
/// subnormal v.
///
/// ```
/// use rows::numeric::power_of_two_below;
/// assert_eq!([1.0, 3.5, 0.0].map(power_of_two_below), [1.0, 2.0, f64::MIN_POSITIVE]);
/// ```
#[must_use]
#[inline]
pub fn power_of_two_below(v: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(v.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

/// The exponent as a sum of three, each the exponent of a normal number. Exponents above 3000 act as 3000.
#[inline]
fn parts(exponent: u32) -> [u32; 3] {
    let exponent = exponent.min(3000);
    let third = exponent / 3;
    [third, third, exponent - 2 * third]
}
