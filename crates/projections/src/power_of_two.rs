//! Numbers scaled by powers of two, through which a point beyond the range of `f64` is handed over.

/// v·2^exponent, exact, and ±∞ beyond the range.
///
/// ```
/// assert_eq!(projections::scale_up(0.75, 2), 3.0);
/// assert_eq!(projections::scale_up(f64::MIN_POSITIVE, 1022), 1.0);
/// assert_eq!(projections::scale_up(-1.0, 1024), f64::NEG_INFINITY);
/// ```
#[must_use]
pub fn scale_up(v: f64, exponent: u32) -> f64 {
    parts(exponent).into_iter().fold(v, |v, part| v * f64::from_bits(u64::from(1023 + part) << 52))
}

/// v·2^−exponent, exact where the result is normal; a subnormal result is rounded.
///
/// ```
/// assert_eq!(projections::scale_down(3.0, 2), 0.75);
/// assert_eq!(projections::scale_down(f64::MAX, 1100), projections::scale_down(2.0 - f64::EPSILON, 77));
/// ```
#[must_use]
pub fn scale_down(v: f64, exponent: u32) -> f64 {
    parts(exponent).into_iter().fold(v, |v, part| v * f64::from_bits(u64::from(1023 - part) << 52))
}

/// The least e with |v| < 2^e, for a normal number; −1022 for 0 and a subnormal one.
///
/// ```
/// assert_eq!([1.0, -1.5, 2.0, 0.0, f64::MAX].map(projections::exponent_above), [1, 1, 2, -1022, 1024]);
/// ```
#[must_use]
pub fn exponent_above(v: f64) -> i32 {
    i32::try_from(v.abs().to_bits() >> 52).map_or(1025, |biased| biased - 1022)
}

/// The exponent as a sum of three, each that of a normal number, and so its negative. Above 3000 nothing changes any more.
fn parts(exponent: u32) -> [u32; 3] {
    let exponent = exponent.min(3000);
    let third = exponent / 3;
    [third, third, exponent - 2 * third]
}

/// Whether y·2^exponent fits the range; if so, y becomes it.
pub(crate) fn scaled_up_in_range(y: &mut [f64], exponent: u32) -> bool {
    let fits = y.iter().all(|v| scale_up(*v, exponent).is_finite());
    if fits {
        y.iter_mut().for_each(|v| *v = scale_up(*v, exponent));
    }
    fits
}

/// y ← y·2^−e, and e: the largest entry of y in size comes to lie in [½, 1), or below it where y is 0 or subnormal.
pub(crate) fn bring_to_ordinary_size(y: &mut [f64]) -> i32 {
    let e = exponent_above(y.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
    y.iter_mut().for_each(|v| *v = scale(*v, -e));
    e
}

/// v·2^e for e of either sign.
pub(crate) fn scale(v: f64, e: i32) -> f64 {
    if e < 0 { scale_down(v, e.unsigned_abs()) } else { scale_up(v, e.unsigned_abs()) }
}

/// v·2^exponent, or the end of the range that it passes.
pub(crate) fn scaled_up_to_the_end(v: f64, exponent: u32) -> f64 {
    scale_up(v, exponent).clamp(f64::MIN, f64::MAX)
}

/// y ← (y − p)·2^exponent, kept in range: what a set on which Σx is fixed, hence a common offset without effect, looks
/// at in the neighbourhood of its threshold.
pub(crate) fn scale_up_around(y: &mut [f64], p: f64, exponent: u32) {
    y.iter_mut().for_each(|v| *v = scaled_up_to_the_end(*v - p, exponent));
}
