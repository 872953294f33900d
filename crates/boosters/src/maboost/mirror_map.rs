//! What the theorems know of a mirror map.

use projections::{Euclidean, NegativeEntropy, Regulariser};

/// A mirror map R, 1-strongly convex on the simplex, with the constants of Theorems 1 and 2 of \[NP14\].
///
/// Below, P = Σ(η_tγ_t − ½Lη_t²) is the *progress* of a run: whatever the weak learner did, B(w*, w_1) ≥ P for every
/// w* ∈ K on examples that the ensemble errs on. With η_t = γ_t/L it is Σγ_t²/2L.
pub trait BoostingMap: Regulariser {
    /// L, the largest ‖d‖∗² over d ∈ \[−1, 1\]^N.
    fn loss_bound(examples: usize) -> f64;

    /// The largest training error that this progress leaves, from the start distribution D, and a sharper one where the
    /// paper's is loose.
    fn error_bound(start: &[f64], progress: f64) -> (f64, Option<f64>);

    /// C = L·max B(e_i, D) over the vertices of the simplex: the constant of Theorem 2.
    fn margin_constant(start: &[f64]) -> f64;
}

/// L = N. With w* the distribution D on the errors, of share ε, ‖w* − D‖² ≤ (1/ε − 1)·max D; so ε ≤ 1/(1 + 2P/max D).
/// The paper drops the factor 2.
impl BoostingMap for Euclidean {
    fn loss_bound(examples: usize) -> f64 {
        count(examples)
    }

    fn error_bound(start: &[f64], progress: f64) -> (f64, Option<f64>) {
        let heaviest = start.iter().fold(0.0, |a: f64, b| a.max(*b));
        let odds = progress / heaviest;
        (1.0 / (1.0 + odds), Some(1.0 / (1.0 + 2.0 * odds)))
    }

    /// (N/2)·(1 − 2·min D + ΣD²), which is (N − 1)/2 for the uniform D.
    fn margin_constant(start: &[f64]) -> f64 {
        let lightest = start.iter().fold(f64::INFINITY, |a: f64, b| a.min(*b));
        let squares: f64 = start.iter().map(|d| d * d).sum();
        0.5 * count(start.len()) * (1.0 - 2.0 * lightest + squares)
    }
}

/// L = 1. With the same w*, B(w*, D) = ln(1/ε); so ε ≤ exp(−P).
impl BoostingMap for NegativeEntropy {
    fn loss_bound(_examples: usize) -> f64 {
        1.0
    }

    fn error_bound(_start: &[f64], progress: f64) -> (f64, Option<f64>) {
        ((-progress).exp(), None)
    }

    /// ln(1/min D).
    fn margin_constant(start: &[f64]) -> f64 {
        -start.iter().fold(f64::INFINITY, |a: f64, b| a.min(*b)).ln()
    }
}

#[allow(clippy::cast_precision_loss, reason = "a count of examples")]
fn count(examples: usize) -> f64 {
    examples as f64
}
