//! Smooth boosting \[NP14, Section 3.1\].

use super::{Active, BoostError, Examples, MirrorAscent, Schedule, Update};
use crate::requirements::check_magnitudes;
use projections::{CappedSimplex, NegativeEntropy};

/// Smooth MABoost \[NP14, Section 3.1\]: the entropy, on the distributions with w_i ≤ kD_i. No example, noisy
/// or not, ever weighs more than k times its weight in the sample.
///
/// *Guarantee.* The training error is at most max(1/k, exp(−½Σγ_t²)): edges of γ bring it to 1/k within
/// 2·ln(k)/γ² rounds \[NP14, Theorem 3\]; below 1/k nothing is promised. From the uniform start k = N is no
/// constraint, and any target error is allowed. A run continues at 1/k unless
/// [`Stopping::at_reachable_error`](super::Stopping::at_reachable_error) ends it there, as \[NP14\] does.
pub type SmoothBoost<U = Active> = MirrorAscent<NegativeEntropy, CappedSimplex, U>;

impl<U: Update<NegativeEntropy, CappedSimplex>> SmoothBoost<U> {
    /// The booster of smoothness k ≥ 1.
    ///
    /// # Errors
    /// [`BoostError::BadSmoothness`]; the error of a number that is not finite or beyond 1e140.
    pub fn smooth(examples: &Examples, k: f64) -> Result<Self, BoostError> {
        check_smoothness(k)?;
        let caps = examples.start().iter().map(|d| (k * d).min(f64::MAX)).collect();
        let set = CappedSimplex::new(caps, 1.0)?;
        Self::new(NegativeEntropy, set, examples, Schedule::Theorem1)
    }
}

/// Rejects a k that is below 1 or not finite.
pub(super) fn check_smoothness(k: f64) -> Result<(), BoostError> {
    check_magnitudes("k", &[k])?;
    if k >= 1.0 { Ok(()) } else { Err(BoostError::BadSmoothness { k }) }
}
