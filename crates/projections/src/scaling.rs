//! Vectors scaled by powers of two.

use rows::numeric::{exponent_above, scale, scale_up};

/// y ← y·2^exponent if all of it is within the range; returns whether it is.
pub(crate) fn scaled_up_in_range(y: &mut [f64], exponent: u32) -> bool {
    let fits = y.iter().all(|v| scale_up(*v, exponent).is_finite());
    if fits {
        y.iter_mut().for_each(|v| *v = scale_up(*v, exponent));
    }
    fits
}

/// y ← y·2^−e; returns e. Afterwards max |yᵢ| is in [½, 1), or below if y was 0 or subnormal.
pub(crate) fn bring_to_ordinary_size(y: &mut [f64]) -> i32 {
    let e = exponent_above(y.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
    y.iter_mut().for_each(|v| *v = scale(*v, -e));
    e
}

/// v·2^exponent, clamped to the range.
pub(crate) fn scaled_up_to_the_end(v: f64, exponent: u32) -> f64 {
    scale_up(v, exponent).clamp(f64::MIN, f64::MAX)
}

/// y ← (y − p)·2^exponent, clamped to the range. On a set with Σx fixed a common offset p has no effect, so p
/// is chosen near the threshold.
pub(crate) fn scale_up_around(y: &mut [f64], p: f64, exponent: u32) {
    y.iter_mut().for_each(|v| *v = scaled_up_to_the_end(*v - p, exponent));
}
