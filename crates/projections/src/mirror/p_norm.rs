//! The squared p-norm as a mirror map.

use crate::error::check_length;
use crate::mirror::maps::check_pair;
use crate::{ProjectionError, Regulariser, check_finite};
use serde::{Deserialize, Serialize};

/// R(x) = ½‖x‖_p² with 1 < p ≤ 2, which is (p − 1)-strongly convex with respect to ‖·‖_p.
///
/// ∇R(x)ᵢ = sgn(xᵢ)|xᵢ|^{p−1}‖x‖_p^{2−p} and ∇R(0) = 0; the inverse is the same map with q = p/(p − 1).
/// Entries are scaled by the largest before powers are taken.
///
/// ```
/// use projections::{PNorm, Regulariser};
/// let map = PNorm::new(1.5)?;
/// let (mut theta, mut x) = ([0.0; 2], [0.0; 2]);
/// map.mirror(&[3e200, -1e200], &mut theta)?;
/// map.inverse_mirror(&theta, &mut x)?;
/// assert!((x[0] / 3e200 - 1.0).abs() < 1e-12 && (x[1] / -1e200 - 1.0).abs() < 1e-12);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedPNorm")]
pub struct PNorm {
    p: f64,
}

#[derive(Deserialize)]
struct UncheckedPNorm {
    p: f64,
}

impl TryFrom<UncheckedPNorm> for PNorm {
    type Error = ProjectionError;
    fn try_from(raw: UncheckedPNorm) -> Result<Self, ProjectionError> {
        Self::new(raw.p)
    }
}

impl PNorm {
    /// The map with exponent p. Errors: [`ProjectionError::NotFinite`], [`ProjectionError::BadParameter`].
    pub fn new(p: f64) -> Result<Self, ProjectionError> {
        check_finite("p", &[p])?;
        if p > 1.0 && p <= 2.0 {
            Ok(Self { p })
        } else {
            Err(ProjectionError::BadParameter { name: "p", value: p, domain: "(1, 2]" })
        }
    }

    /// The exponent p.
    pub fn exponent(&self) -> f64 {
        self.p
    }
}

impl Regulariser for PNorm {
    fn value(&self, x: &[f64]) -> Result<f64, ProjectionError> {
        check_finite("x", x)?;
        check_length("x", None, x.len())?;
        let norm = largest(x) * scaled_norm(x, largest(x), self.p);
        Ok((0.5 * norm) * norm)
    }

    fn mirror(&self, x: &[f64], theta: &mut [f64]) -> Result<(), ProjectionError> {
        check_finite("x", x)?;
        check_length("x", None, x.len())?;
        check_length("theta", Some(x.len()), theta.len())?;
        gradient(x, self.p, theta);
        Ok(())
    }

    fn inverse_mirror(&self, theta: &[f64], x: &mut [f64]) -> Result<(), ProjectionError> {
        check_finite("theta", theta)?;
        check_length("theta", None, theta.len())?;
        check_length("x", Some(theta.len()), x.len())?;
        gradient(theta, self.p / (self.p - 1.0), x);
        Ok(())
    }

    /// With X = ‖x‖_p^p, Y = ‖y‖_p^p, b = Σᵢ bᵢ the divergence of |·|^p and e = (X − Y)/Y, the divergence of
    /// R is Y^{2/p}·(½ψ(e) + b/(pY)), where ψ(e) = (1+e)^{2/p} − 1 − 2e/p: non-negative terms only.
    fn divergence(&self, x: &[f64], y: &[f64]) -> Result<f64, ProjectionError> {
        check_pair(x, y)?;
        let p = self.p;
        let largest = largest(x).max(largest(y));
        if largest == 0.0 {
            return Ok(0.0);
        }
        // A power of two: dividing by it does not change x − y relative to y.
        let scale = f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE);
        let power = |v: f64| (v.abs() / scale).powf(p);
        let x_power: f64 = x.iter().map(|v| power(*v)).sum();
        let y_power: f64 = y.iter().map(|v| power(*v)).sum();
        if !(x_power < 2.0 * y_power && y_power < 2.0 * x_power) {
            return Ok(self.divergence_of_unequal_norms(x, y, scale));
        }
        let (mut b, mut difference) = (0.0, 0.0);
        for (&x, &y) in x.iter().zip(y) {
            let (x, y) = (x / scale, y / scale);
            let slope = p * y.signum() * y.abs().powf(p - 1.0);
            let relative = (x - y) / y;
            let term = if relative.abs() <= 1.0 {
                y.abs().powf(p) * curvature(relative, p)
            } else {
                x.abs().powf(p) - y.abs().powf(p) - slope * (x - y)
            };
            b += term;
            difference += term + if y == 0.0 { 0.0 } else { slope * (x - y) };
        }
        let relative = 0.5 * curvature(difference / y_power, 2.0 / p) + b / (p * y_power);
        let norm = scale * y_power.powf(1.0 / p);
        Ok((norm * relative.max(0.0)) * norm)
    }
}

impl PNorm {
    /// ½‖x‖² + ½‖y‖² − ⟨∇R(y), x⟩, which cancels little if one norm is well above the other.
    fn divergence_of_unequal_norms(&self, x: &[f64], y: &[f64], scale: f64) -> f64 {
        let p = self.p;
        let (x_norm, y_norm) = (scaled_norm(x, scale, p), scaled_norm(y, scale, p));
        // ⟨∇R(y), x⟩/‖y‖ in units of the scale, from y scaled by its own largest entry.
        let (y_top, y_ratio) = (largest(y), scaled_norm(y, largest(y), p));
        let inner: f64 = if y_top == 0.0 {
            0.0
        } else {
            x.iter()
                .zip(y)
                .map(|(x, y)| (x / scale) * y.signum() * (y.abs() / y_top / y_ratio).powf(p - 1.0))
                .sum()
        };
        let unit = 0.5 * (x_norm * x_norm + y_norm * y_norm) - y_norm * inner;
        (scale * unit.max(0.0)) * scale
    }
}

/// max |vᵢ|.
fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// ‖v/scale‖_p for a scale of at least about max |vᵢ|; 0 for scale 0.
fn scaled_norm(v: &[f64], scale: f64, p: f64) -> f64 {
    if scale == 0.0 {
        return 0.0;
    }
    v.iter().map(|v| (v.abs() / scale).powf(p)).sum::<f64>().powf(1.0 / p)
}

/// out ← ∇(½‖v‖_p²) for any p > 1.
fn gradient(v: &[f64], p: f64, out: &mut [f64]) {
    let top = largest(v);
    if top == 0.0 {
        out.fill(0.0);
        return;
    }
    let factor = scaled_norm(v, top, p).powf(2.0 - p);
    for (out, v) in out.iter_mut().zip(v) {
        *out = if *v == 0.0 { 0.0 } else { v.signum() * top * ((v.abs() / top).powf(p - 1.0) * factor) };
    }
}

/// |1 + e|^a − 1 − a·e ≥ 0 for 1 ≤ a ≤ 2, by its binomial series if the terms would cancel.
fn curvature(e: f64, a: f64) -> f64 {
    if e.abs() > 0.125 {
        return (1.0 + e).abs().powf(a) - 1.0 - a * e;
    }
    // Σ_{k≥2} a(a−1)…(a−k+1)/k!·eᵏ; 18 terms of a series with ratio below 1/8.
    let mut term = 0.5 * a * (a - 1.0) * e * e;
    let mut sum = 0.0;
    for k in 2..20_u8 {
        sum += term;
        let k = f64::from(k);
        term *= e * (a - k) / (k + 1.0);
    }
    sum
}
