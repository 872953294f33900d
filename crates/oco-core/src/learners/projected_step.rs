//! The gradient step over the whole range of doubles, and its projection.

use crate::OcoError;
use projections::{Euclidean, Projection, Scratch};
use rows::numeric::{exponent_above, scale_down, scale_up};

/// step ← Π_K(x − η·g·2^exponent), for finite x and g.
pub(crate) fn projected_step<K: Projection<Euclidean>>(
    set: &K,
    x: &[f64],
    eta: f64,
    g: &[f64],
    exponent: u32,
    step: &mut Vec<f64>,
    scratch: &mut Scratch,
) -> Result<(), OcoError> {
    match scaled_step(x, eta, g, exponent, step) {
        0 => Ok(set.project_with(step, scratch)?),
        unit => Ok(set.project_scaled_with(step, unit, scratch)?),
    }
}

/// step·2^unit ← x − η·g·2^exponent; returns the unit. g is finite; x is finite or −∞, and −∞ stays.
///
/// A step that leaves the range is computed in units of 2^unit, the smallest unit that certainly holds it. A
/// coordinate then has the absolute error 2^(unit−1074), negligible unless η and g are both near the ends of
/// the range.
pub(crate) fn scaled_step(x: &[f64], eta: f64, g: &[f64], exponent: u32, step: &mut Vec<f64>) -> u32 {
    step.clear();
    if exponent == 0 {
        step.extend(x.iter().zip(g).map(|(x, g)| x - eta * g));
        if step.iter().all(|z| z.is_finite()) {
            return 0;
        }
        step.clear();
    }
    let largest =
        |v: &[f64]| exponent_above(v.iter().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs())));
    let of_step = (exponent_above(eta) + largest(g)).saturating_add_unsigned(exponent);
    let unit = (of_step.max(largest(x)) - 1022).max(0).unsigned_abs();
    let eta = scale_up(scale_down(eta, unit), exponent);
    let far = |x: f64, g: f64| {
        if x == f64::NEG_INFINITY { x } else { scale_down(x, unit) - eta * g }
    };
    step.extend(x.iter().zip(g).map(|(x, g)| far(*x, *g)));
    unit
}
