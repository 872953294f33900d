//! The trait of mirror maps, the Euclidean map and the negative entropy.

use crate::error::{check_length, check_logarithms, check_non_negative};
use crate::{ProjectionError, check_finite};
use rows::numeric::{exp, exp_slice, ln, ln_slice};
use serde::{Deserialize, Serialize};

/// A mirror map R: strictly convex, with an invertible gradient.
///
/// Errors of every method: [`ProjectionError::NotFinite`], [`ProjectionError::Empty`],
/// [`ProjectionError::LengthMismatch`]; a refused call writes nothing. All methods are O(n).
pub trait Regulariser {
    /// R(x); +∞ beyond the range of `f64`.
    fn value(&self, x: &[f64]) -> Result<f64, ProjectionError>;

    /// θ ← ∇R(x).
    fn mirror(&self, x: &[f64], theta: &mut [f64]) -> Result<(), ProjectionError>;

    /// x ← (∇R)⁻¹(θ).
    fn inverse_mirror(&self, theta: &[f64], x: &mut [f64]) -> Result<(), ProjectionError>;

    /// B(x, y) = R(x) − R(y) − ⟨∇R(y), x − y⟩ ≥ 0; +∞ if it is infinite or beyond the range of `f64`. Does
    /// not cancel if x is close to y.
    fn divergence(&self, x: &[f64], y: &[f64]) -> Result<f64, ProjectionError>;
}

/// Refuses non-finite entries, an empty pair and vectors of different lengths.
pub(crate) fn check_pair(x: &[f64], y: &[f64]) -> Result<(), ProjectionError> {
    check_finite("x", x)?;
    check_finite("y", y)?;
    check_length("x", None, x.len())?;
    check_length("y", Some(x.len()), y.len())
}

/// R(x) = ½‖x‖₂², with ∇R the identity and B(x, y) = ½‖x − y‖₂².
///
/// ```
/// use projections::{Euclidean, Regulariser};
/// assert_eq!(Euclidean.divergence(&[1.0, 2.0], &[1.0, 0.0])?, 2.0);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Euclidean;

impl Regulariser for Euclidean {
    fn value(&self, x: &[f64]) -> Result<f64, ProjectionError> {
        check_finite("x", x)?;
        check_length("x", None, x.len())?;
        Ok(x.iter().map(|v| half_square(*v)).sum())
    }

    fn mirror(&self, x: &[f64], theta: &mut [f64]) -> Result<(), ProjectionError> {
        check_finite("x", x)?;
        check_length("x", None, x.len())?;
        check_length("theta", Some(x.len()), theta.len())?;
        theta.copy_from_slice(x);
        Ok(())
    }

    fn inverse_mirror(&self, theta: &[f64], x: &mut [f64]) -> Result<(), ProjectionError> {
        check_finite("theta", theta)?;
        check_length("theta", None, theta.len())?;
        check_length("x", Some(theta.len()), x.len())?;
        x.copy_from_slice(theta);
        Ok(())
    }

    fn divergence(&self, x: &[f64], y: &[f64]) -> Result<f64, ProjectionError> {
        check_pair(x, y)?;
        Ok(x.iter().zip(y).map(|(x, y)| half_square(x - y)).sum())
    }
}

/// ½v²; +∞ only if ½v² itself is beyond the range.
fn half_square(v: f64) -> f64 {
    (0.5 * v) * v
}

/// R(x) = Σ (x log x − x) on x ≥ 0, with 0·log 0 = 0: the unnormalised negative entropy.
///
/// ∇R = log, (∇R)⁻¹ = exp, B(x, y) = Σ x log(x/y) − x + y, the generalised Kullback–Leibler divergence; +∞ if
/// yᵢ = 0 < xᵢ for some i. On a simplex R differs from Σ x log x by a constant. A dual coordinate −∞ stands
/// for xᵢ = 0.
///
/// Further errors: [`ProjectionError::NegativeEntry`]; [`ProjectionError::NotFinite`] from `inverse_mirror`
/// if exp(θᵢ) overflows. Learners therefore keep logarithms and use [`LogProjection`](crate::LogProjection).
///
/// ```
/// use projections::{NegativeEntropy, Regulariser};
/// let b = NegativeEntropy.divergence(&[0.0, 1.0], &[0.5, 0.5])?;
/// assert!((b - 2_f64.ln()).abs() < 1e-15);
/// assert_eq!(NegativeEntropy.divergence(&[0.5, 0.5], &[0.0, 1.0])?, f64::INFINITY);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NegativeEntropy;

impl Regulariser for NegativeEntropy {
    fn value(&self, x: &[f64]) -> Result<f64, ProjectionError> {
        check_finite("x", x)?;
        check_length("x", None, x.len())?;
        check_non_negative("x", x)?;
        Ok(x.iter().map(|&v| if v == 0.0 { 0.0 } else { v * (ln(v) - 1.0) }).sum())
    }

    fn mirror(&self, x: &[f64], theta: &mut [f64]) -> Result<(), ProjectionError> {
        check_finite("x", x)?;
        check_length("x", None, x.len())?;
        check_length("theta", Some(x.len()), theta.len())?;
        check_non_negative("x", x)?;
        theta.copy_from_slice(x);
        ln_slice(theta);
        Ok(())
    }

    fn inverse_mirror(&self, theta: &[f64], x: &mut [f64]) -> Result<(), ProjectionError> {
        check_logarithms("theta", theta)?;
        check_length("theta", None, theta.len())?;
        check_length("x", Some(theta.len()), x.len())?;
        if let Some(index) = theta.iter().position(|t| exp(*t) == f64::INFINITY) {
            return Err(ProjectionError::NotFinite { argument: "exp(theta)", index, value: f64::INFINITY });
        }
        x.copy_from_slice(theta);
        exp_slice(x);
        Ok(())
    }

    fn divergence(&self, x: &[f64], y: &[f64]) -> Result<f64, ProjectionError> {
        check_pair(x, y)?;
        check_non_negative("x", x)?;
        check_non_negative("y", y)?;
        Ok(x.iter().zip(y).map(|(&x, &y)| relative_entropy(x, y)).sum())
    }
}

/// 2⁻²⁰⁰: smaller numbers are scaled up before they are halved, because halving a subnormal number rounds.
const TINY: f64 = 1.0 / (1_u128 << 100) as f64 / (1_u128 << 100) as f64;

/// x log(x/y) − x + y for x, y ≥ 0.
///
/// With h = (x + y)/2 and t = (x − y)/(x + y) it equals 2h·(t² + (1 + t)(t³/3 + t⁵/5 + …)), whose terms do
/// not cancel if x is close to y.
fn relative_entropy(x: f64, y: f64) -> f64 {
    if x == 0.0 {
        return y;
    }
    if y == 0.0 {
        return f64::INFINITY;
    }
    if x < TINY && y < TINY {
        return relative_entropy(x / TINY, y / TINY) * TINY;
    }
    let h = 0.5 * x + 0.5 * y;
    let t = (0.5 * x - 0.5 * y) / h;
    if t.abs() > 0.25 {
        let ratio = x / y;
        let log_ratio = if ratio.is_normal() { ln(ratio) } else { ln(x) - ln(y) };
        return x * (log_ratio - 1.0) + y;
    }
    let square = t * t;
    // t³/3 + t⁵/5 + … + t²⁹/29; the next term is below 10⁻¹⁶ of the first.
    let tail = (1..15).rev().fold(0.0, |sum, k| square * (sum + 1.0 / f64::from(2 * k + 1)));
    h * (2.0 * (square + (1.0 + t) * t * tail))
}
