//! Sparse weights with a proof: the lazy quadratic ascent, by steps as long as the printed bound allows.

use super::{BoostError, Examples, Lazy, MirrorAscent, Schedule};
use projections::{Euclidean, Simplex};

/// The booster for sparse weights: MABoost with the quadratic map, lazily, by [`Schedule::LongSteps`]:
/// η_t = κγ_t/N with κ = 1 + 1/√2, z_{t+1} = z_t + η_t d_t, w_{t+1} = Π_simplex(z_{t+1}).
///
/// *Guarantee.* For the uniform D the training error is at most 1/(1 + ½Σγ_t²), the bound that \[NP14,
/// Theorem 1\] prints for steps of γ_t/N. With κ as the factor of the steps it is 1/(1 + κ(2 − κ)Σγ_t²): the
/// slack of the paper's constant allows longer steps. They spread the z_i further apart, and more of them
/// fall below the threshold of the projection. [`Promise::tight`](super::Promise::tight) is this bound.
/// *Cost:* O(N) a round; no allocation after the first.
///
/// ```
/// use boosters::maboost::{Answer, Examples, LazySparseBoost, Reweighting};
/// use weak_learners::Label::{Minus, Plus};
/// let mut sparse = LazySparseBoost::sparse(&Examples::uniform(vec![Plus, Minus, Plus, Plus])?)?;
/// let mut squares = 0.0;
/// for losses in [[-1.0, -1.0, -1.0, 1.0], [-1.0, 1.0, 1.0, -1.0]] {
///     let edge = -rows::dot(sparse.weights(), &losses);
///     sparse.reweight(Answer { losses: &losses, edge, error_before: 1.0 })?;
///     squares += edge * edge;
/// }
/// assert_eq!(sparse.weights()[0], 0.0);
/// assert!((sparse.promise().tight.unwrap_or(1.0) - 1.0 / (1.0 + 0.5 * squares)).abs() < 1e-15);
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
pub type LazySparseBoost = MirrorAscent<Euclidean, Simplex, Lazy>;

impl LazySparseBoost {
    /// Starts from w_1 = D.
    ///
    /// # Errors
    /// Never; the signature is that of the other algorithms.
    pub fn sparse(examples: &Examples) -> Result<Self, BoostError> {
        Self::new(Euclidean, Simplex::new(1.0)?, examples, Schedule::LongSteps)
    }
}
