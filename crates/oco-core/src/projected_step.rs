//! The projected gradient step over the whole range of doubles.

use crate::OcoError;
use projections::{Euclidean, Projection, Scratch, exponent_above, scale_down, scale_up};

/// step ← Π_K(x − η·g·2^exponent), for finite x and g.
///
/// A step that leaves the range is formed in units of 2^unit, the smallest in which it is certain to stay; a coordinate
/// then has the absolute error 2^(unit−1074), far below anything visible unless η and g are both near the ends.
pub(crate) fn projected_step<K: Projection<Euclidean>>(
    set: &K,
    x: &[f64],
    eta: f64,
    g: &[f64],
    exponent: u32,
    step: &mut Vec<f64>,
    scratch: &mut Scratch,
) -> Result<(), OcoError> {
    step.clear();
    if exponent == 0 {
        step.extend(x.iter().zip(g).map(|(x, g)| x - eta * g));
        if step.iter().all(|z| z.is_finite()) {
            return Ok(set.project_with(step, scratch)?);
        }
        step.clear();
    }
    let largest = |v: &[f64]| exponent_above(v.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
    let of_step = (exponent_above(eta) + largest(g)).saturating_add_unsigned(exponent);
    let unit = (of_step.max(largest(x)) - 1022).max(0).unsigned_abs();
    let eta = scale_up(scale_down(eta, unit), exponent);
    step.extend(x.iter().zip(g).map(|(x, g)| scale_down(*x, unit) - eta * g));
    Ok(set.project_scaled_with(step, unit, scratch)?)
}
