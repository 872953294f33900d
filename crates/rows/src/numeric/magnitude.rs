//! The magnitudes for which results are promised.

/// The largest magnitude of a number that a caller hands in, 1e140. Larger ones are refused with a typed
/// error where they enter.
///
/// A sum of 2^53 products of two such numbers stays below 1e296, so it needs no other scale.
/// Numbers below 1e−140 are accepted. Their products may underflow to 0.
pub const LARGEST: f64 = 1e140;

/// The position of the first number that is NaN or whose magnitude exceeds [`LARGEST`]; `None` if all are
/// in range.
///
/// *Cost:* one pass without branches.
///
/// ```
/// use rows::numeric::first_beyond;
/// assert_eq!(first_beyond(&[0.0, -1e140, 5e-324]), None);
/// assert_eq!(first_beyond(&[0.0, 1e141, f64::NAN]), Some(1));
/// assert_eq!(first_beyond(&[f64::NAN]), Some(0));
/// ```
#[must_use]
#[inline]
pub fn first_beyond(values: &[f64]) -> Option<usize> {
    let beyond = |v: &f64| !(v.abs() <= LARGEST);
    // A fold without a way out compiles to vector instructions; only a refusal looks for the place.
    if values.iter().fold(false, |any, v| any | beyond(v)) { values.iter().position(beyond) } else { None }
}
