//! Mirror maps with the constants of the theorems.

use projections::{Euclidean, NegativeEntropy, Regulariser};
use rows::numeric::{exp, ln};

/// A mirror map R, 1-strongly convex on the simplex, with the constants of Theorems 1 and 2 of \[NP14\].
///
/// P = Σ(η_tγ_t − ½Lη_t²) is the *progress* of a run. Whatever the weak learner did, B(w*, w_1) ≥ P for every
/// w* ∈ K supported on the errors of the ensemble. With η_t = γ_t/L it is Σγ_t²/2L.
pub trait BoostingMap: Regulariser {
    /// L, the largest ‖d‖∗² over d ∈ \[−1, 1\]^N.
    fn loss_bound(examples: usize) -> f64;

    /// The bound on the training error after this progress, for a start distribution D with this maximum, and
    /// a sharper bound where the paper's is loose.
    fn error_bound(heaviest: f64, progress: f64) -> (f64, Option<f64>);

    /// C = L·max B(e_i, D) over the vertices of the simplex: the constant of Theorem 2.
    fn margin_constant(start: &[f64]) -> f64;

    /// The η of largest progress for losses d of edge γ under w, and that progress: it maximises the quantity
    /// of the proof itself instead of its lower bound ηγ − ½Lη².
    fn line_search(w: &[f64], d: &[f64], edge: f64) -> Step;
}

/// The result of a line search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// η.
    pub eta: f64,
    /// Its progress, added to P.
    pub progress: f64,
}

/// The largest η; sums of η stay finite.
const LARGEST_STEP: f64 = 1e270;

/// L = N. With w* the distribution D on the errors, of share ε, ‖w* − D‖² ≤ (1/ε − 1)·max D; so ε ≤ 1/(1 +
/// 2P/max D). The paper drops the factor 2.
impl BoostingMap for Euclidean {
    fn loss_bound(examples: usize) -> f64 {
        count(examples)
    }

    fn error_bound(heaviest: f64, progress: f64) -> (f64, Option<f64>) {
        let odds = progress / heaviest;
        (1.0 / (1.0 + odds), Some(1.0 / (1.0 + 2.0 * odds)))
    }

    /// (N/2)·(1 − 2·min D + ΣD²), which is (N − 1)/2 for the uniform D.
    fn margin_constant(start: &[f64]) -> f64 {
        let lightest = start.iter().fold(f64::INFINITY, |a: f64, b| a.min(*b));
        let squares: f64 = start.iter().map(|d| d * d).sum();
        0.5 * count(start.len()) * (1.0 - 2.0 * lightest + squares)
    }

    /// The proof's ½η²‖d‖∗² is ½η²‖d‖², so η = γ/‖d‖² adds ½γ²/‖d‖², which is at least ½γ²/N.
    fn line_search(_w: &[f64], d: &[f64], edge: f64) -> Step {
        // In units of the largest |d_i| no square underflows.
        let unit = largest_entry(d);
        let (edge, squares) = (edge / unit, d.iter().map(|d| (d / unit) * (d / unit)).sum::<f64>());
        let u = (edge / squares).min(LARGEST_STEP * unit);
        Step { eta: u / unit, progress: u * edge - 0.5 * u * u * squares }
    }
}

/// L = 1. With the same w*, B(w*, D) = ln(1/ε); so ε ≤ exp(−P).
///
/// Each round adds −ln Z for Z = Σ w_i exp(ηd_i), whatever η is. Active: B(w*, w_t) − B(w*, w_{t+1}) ≥ B(w*,
/// w_t) − B(w*, z/Z) = η⟨w*, d⟩ − ln Z, as z/Z is on the simplex and has the projection of z. Lazy: for Φ(θ)
/// = max_{w ∈ K} ⟨w, θ⟩ − R(w), whose maximiser is w_t, η⟨w, d⟩ ≤ B(w, w_t) + ln Z gives Φ(θ + ηd) ≤ Φ(θ) +
/// ln Z by the Pythagorean inequality, and Φ ≥ −B(w*, D) at the end.
impl BoostingMap for NegativeEntropy {
    fn loss_bound(_examples: usize) -> f64 {
        1.0
    }

    fn error_bound(_heaviest: f64, progress: f64) -> (f64, Option<f64>) {
        (exp(-progress), None)
    }

    /// ln(1/min D).
    fn margin_constant(start: &[f64]) -> f64 {
        -ln(start.iter().fold(f64::INFINITY, |a: f64, b| a.min(*b)))
    }

    /// The η of least Z, by Newton's method between brackets. Z ≤ cosh(η) − γ·sinh(η), so that the minimum is
    /// at most √(1 − γ²) ≤ exp(−½γ²), and equals AdaBoost's where every d_i is ±1. An h without errors has no
    /// minimum: η·max|d_i| ≤ 32 always, which divides the weight of its most confident examples by 10^13.
    fn line_search(w: &[f64], d: &[f64], edge: f64) -> Step {
        let unit = largest_entry(d);
        let limit = f64::min(32.0, LARGEST_STEP * unit);
        // (ln Z)″ ≤ 1 in these units, so that the slope −γ at 0 has not risen to 0 before γ.
        let (mut low, mut high) = ((edge / unit).min(limit), limit);
        let mut u = low;
        for _ in 0..100 {
            let (mean, variance) = tilted_moments(w, d, unit, u);
            if mean < 0.0 {
                low = u;
            } else {
                high = u;
            }
            let newton = u - mean / variance;
            let next = if low < newton && newton < high {
                newton
            } else if newton >= limit && high >= limit {
                limit
            } else {
                0.5 * (low + high)
            };
            let moved = (next - u).abs();
            u = next;
            if moved <= 1e-15 * u {
                break;
            }
        }
        // Z − 1, without the rounding of Σw.
        let rise: f64 = w.iter().zip(d).map(|(w, d)| w * (u * (d / unit)).exp_m1()).sum();
        Step { eta: u / unit, progress: -rise.ln_1p() }
    }
}

/// Mean and variance of d_i in units of `unit` under w_i exp(u·d_i).
fn tilted_moments(w: &[f64], d: &[f64], unit: f64, u: f64) -> (f64, f64) {
    let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
    for (w, d) in w.iter().zip(d) {
        let d = d / unit;
        let tilted = w * exp(u * d);
        mass += tilted;
        first += tilted * d;
        second += tilted * d * d;
    }
    let mean = first / mass;
    (mean, second / mass - mean * mean)
}

/// max |d_i|.
pub(super) fn largest_entry(d: &[f64]) -> f64 {
    d.iter().fold(0.0, |a: f64, d| a.max(d.abs()))
}

#[allow(clippy::cast_precision_loss, reason = "a count of examples")]
pub(super) fn count(examples: usize) -> f64 {
    examples as f64
}
