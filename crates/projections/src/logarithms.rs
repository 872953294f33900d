//! Weights written down as logarithms, where −∞ stands for the weight 0.

use crate::power_of_two::scaled_up_to_the_end;

/// log y ← (log y − p)·2^exponent, kept in range; −∞ stays.
pub(crate) fn scale_up_logarithms_around(log_y: &mut [f64], p: f64, exponent: u32) {
    for v in log_y.iter_mut().filter(|v| **v != f64::NEG_INFINITY) {
        *v = scaled_up_to_the_end(*v - p, exponent);
    }
}

/// log y ← log x, where x is the entropic projection of y onto a simplex, capped or not: xᵢ = min(cᵢ, ρ·yᵢ) with Σx fixed.
///
/// What is too small for its own logarithm is not at its cap, so it was multiplied by ρ. That is the largest ratio x/y: the
/// mass that the caps leave makes some coordinate below its cap visible, and a coordinate at its cap has a smaller ratio.
pub(crate) fn logarithms_of_scaled(x: &[f64], log_y: &mut [f64]) {
    let seen = x.iter().zip(&*log_y).filter(|(x, _)| **x > 0.0);
    let log_rho = seen.map(|(x, v)| x.ln() - v).fold(f64::NEG_INFINITY, f64::max);
    for (v, x) in log_y.iter_mut().zip(x) {
        if *x >= f64::MIN_POSITIVE {
            *v = x.ln();
        } else if *v != f64::NEG_INFINITY {
            *v = (*v + log_rho).max(f64::MIN);
        }
    }
}
