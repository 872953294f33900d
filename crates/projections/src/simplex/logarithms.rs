//! Weights given by logarithms; −∞ stands for the weight 0.

use crate::ProjectionError;
use crate::error::check_logarithms;
use crate::scaling::scaled_up_to_the_end;
use rows::numeric::{BLOCK, CompensatedSum, LANES, exp, ln, sum_of_block, vectorised};

/// The largest of non-empty logarithms, in one pass. Refuses NaN, +∞ and a vector of −∞.
pub(crate) fn top_logarithm(argument: &'static str, log_y: &[f64]) -> Result<f64, ProjectionError> {
    let (mut tops, mut illegal) = ([f64::NEG_INFINITY; LANES], [0_u64; LANES]);
    let (rows, rest) = log_y.as_chunks::<LANES>();
    for row in rows {
        for lane in 0..LANES {
            tops[lane] = if row[lane] > tops[lane] { row[lane] } else { tops[lane] };
            illegal[lane] += u64::from(!(row[lane] < f64::INFINITY));
        }
    }
    if illegal.iter().sum::<u64>() > 0 || check_logarithms(argument, rest).is_err() {
        check_logarithms(argument, log_y)?;
    }
    match tops.iter().chain(rest).copied().fold(f64::NEG_INFINITY, f64::max) {
        f64::NEG_INFINITY => Err(ProjectionError::NoMass),
        top => Ok(top),
    }
}

/// x ← y/y_top; returns Σx. With max log y = top, x lies in [0, 1] and its maximum is 1.
pub(crate) fn seen_from(top: f64, log_y: &[f64], x: &mut [f64]) -> f64 {
    let blocks = log_y.chunks(BLOCK).zip(x.chunks_mut(BLOCK)).map(|(log_y, x)| {
        vectorised(
            #[inline(always)]
            || {
                for (x, v) in x.iter_mut().zip(log_y) {
                    *x = exp(v - top);
                }
            },
        );
        sum_of_block(x)
    });
    blocks.collect::<CompensatedSum>().value()
}

/// log y + log ρ for log y relative to `top`, at least [`f64::MIN`]; −∞ stays.
pub(crate) fn lifted(v: f64, top: f64, log_rho: f64) -> f64 {
    let lifted = (v - top) + log_rho;
    let floored = if lifted > f64::MIN { lifted } else { f64::MIN };
    if v == f64::NEG_INFINITY { v } else { floored }
}

/// log y ← (log y − p)·2^exponent, clamped to the range; −∞ stays.
pub(crate) fn scale_up_logarithms_around(log_y: &mut [f64], p: f64, exponent: u32) {
    for v in log_y.iter_mut().filter(|v| **v != f64::NEG_INFINITY) {
        *v = scaled_up_to_the_end(*v - p, exponent);
    }
}

/// log y ← log x, where x is the entropic projection of y onto a capped simplex: xᵢ = min(cᵢ, ρ·yᵢ) with Σx
/// fixed.
///
/// A subnormal xᵢ is not at its cap, so xᵢ = ρ·yᵢ. ρ is the largest ratio x/y: some coordinate below its cap
/// is normal, because the caps leave mass, and a coordinate at its cap has a smaller ratio.
pub(crate) fn logarithms_of_scaled(x: &[f64], log_y: &mut [f64]) {
    let seen = x.iter().zip(&*log_y).filter(|(x, _)| **x > 0.0);
    let log_rho = seen.map(|(x, v)| ln(*x) - v).fold(f64::NEG_INFINITY, f64::max);
    for (v, x) in log_y.iter_mut().zip(x) {
        if *x >= f64::MIN_POSITIVE {
            *v = ln(*x);
        } else if *v != f64::NEG_INFINITY {
            *v = (*v + log_rho).max(f64::MIN);
        }
    }
}
