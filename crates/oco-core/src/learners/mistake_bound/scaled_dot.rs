//! The sign of an inner product whose terms may leave the range of doubles.

use rows::Row;
use rows::numeric::{exponent_above, scale};

/// A number with the sign of ⟨w, x⟩, even if products or sums leave the range of doubles. It is the sum
/// itself if that is finite and above 1e−280 in size; else a positive multiple of it, without terms below
/// 2^−1000 of the largest. Those terms decide if all others cancel and the sum is finite. O(stored values).
/// `w` must be finite.
///
/// ```
/// use oco_core::learners::signed_inner;
/// use rows::Row;
/// let x = Row::dense(&[1e200, -1e200])?;
/// assert!(signed_inner(x, &[1e200, 2e200]) < 0.0, "where the sum would be ∞ − ∞");
/// assert_eq!(signed_inner(x, &[3e-200, 1e-200]), 2.0);
/// let x = Row::dense(&[1e300, -1e300, -1e-300])?;
/// assert_eq!(signed_inner(x, &[1.0; 3]), -1e-300, "the rest after the others cancel");
/// # Ok::<(), rows::RowError>(())
/// ```
///
/// # Panics
/// If `w` is shorter than the row's dimension, as [`Row::dot`].
#[must_use]
pub fn signed_inner(x: Row<'_>, w: &[f64]) -> f64 {
    let plain = x.dot(w);
    // Above this, underflowed products, each off by less than 1e-323, do not count.
    if plain.is_finite() && plain.abs() > 1e-280 {
        return plain;
    }
    scaled_or_plain(scaled_dot(x, |j| (w[j], 0)), plain)
}

/// The scaled sum; the plain one if the terms of the scaled one cancel.
pub(crate) fn scaled_or_plain(scaled: f64, plain: f64) -> f64 {
    if scaled == 0.0 && plain.is_finite() { plain } else { scaled }
}

/// Σ_j a_j·2^(k_j)·x_j over the stored coordinates of a row, divided by a power of two near the largest term;
/// `weight(j)` is (a_j, k_j). Terms that vanish are below 2^−1000 of the largest.
pub(crate) fn scaled_dot(x: Row<'_>, weight: impl Fn(usize) -> (f64, i32)) -> f64 {
    // The term as a number below 1 and an exponent.
    let term = |j: usize, x_j: f64| {
        let (a, k) = weight(j);
        let (of_a, of_x) = (exponent_above(a), exponent_above(x_j));
        (scale(a, -of_a) * scale(x_j, -of_x), of_a + k + of_x)
    };
    let (mut largest, mut sum) = (i32::MIN, 0.0);
    x.for_each(|j, x_j| {
        if let (digits, exponent) = term(j, x_j)
            && digits != 0.0
        {
            largest = largest.max(exponent);
        }
    });
    x.for_each(|j, x_j| {
        if let (digits, exponent) = term(j, x_j)
            && digits != 0.0
        {
            sum += scale(digits, exponent - largest);
        }
    });
    sum
}
