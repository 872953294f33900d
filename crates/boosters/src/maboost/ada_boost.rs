//! AdaBoost, the reference row of the family.

use super::{Answer, BoostError, Examples, Lazy, MirrorAscent, Promise, Reweighting, Schedule, Stop};
use projections::{NegativeEntropy, Simplex};
use serde::{Deserialize, Serialize};

/// AdaBoost \[FS97\]: η_t = ½ln((1 + γ_t)/(1 − γ_t)), w_{t+1} ∝ w_t∘exp(η_t d_t).
///
/// *Guarantee.* The training error is at most Π√(1 − γ_t²). A hypothesis that is right on every example, γ_t = 1, gets the
/// coefficient 1 + Σ_{s<t}η_s, which outvotes all before it, and ends the run. *Cost:* O(N) a round; no allocation after
/// the first.
///
/// ```
/// use boosters::maboost::{AdaBoost, Answer, Examples, Reweighting};
/// use weak_learners::Label::{Minus, Plus};
/// let mut ada = AdaBoost::new(&Examples::uniform(vec![Plus, Minus, Plus, Plus])?)?;
/// // h = (1, 1, 1, 1) errs on the second example, which then has half of the weight.
/// let eta = ada.reweight(Answer { losses: &[-1.0, 1.0, -1.0, -1.0], edge: 0.5, error_before: 1.0 })?;
/// assert!((eta - 0.5 * 3_f64.ln()).abs() < 1e-15);
/// assert!((ada.weights()[1] - 0.5).abs() < 1e-15);
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AdaBoost {
    ascent: MirrorAscent<NegativeEntropy, Simplex, Lazy>,
    eta_sum: f64,
    /// Σ ½ln(1 − γ_t²).
    log_bound: f64,
    is_perfect: bool,
}

impl Reweighting for AdaBoost {
    fn reweight(&mut self, Answer { losses: d, edge, .. }: Answer<'_>) -> Result<f64, BoostError> {
        // 1 − γ_t, summed where the difference would cancel.
        let slack = if edge < 0.5 { 1.0 - edge } else { self.slack(d) };
        let is_perfect = d.iter().all(|d| *d == -1.0);
        // Weights that underflow hide no more than this.
        let slack = if is_perfect { 0.0 } else { slack.max(f64::MIN_POSITIVE) };
        let eta = if is_perfect { 1.0 + self.eta_sum } else { 0.5 * ((2.0 - slack) / slack).ln() };
        self.ascent.ascend(eta, d)?;
        self.is_perfect = is_perfect;
        self.eta_sum += eta;
        self.log_bound += if is_perfect { f64::NEG_INFINITY } else { 0.5 * (slack * (2.0 - slack)).ln() };
        Ok(eta)
    }

    fn weights(&self) -> &[f64] {
        self.ascent.weights()
    }

    fn promise(&self) -> Promise {
        Promise { error: self.log_bound.exp(), tight: None, margin: None }
    }

    fn finished(&self, _error: f64) -> Option<Stop> {
        self.is_perfect.then_some(Stop::Perfect)
    }
}

impl AdaBoost {
    /// Starts from w_1 = D.
    ///
    /// # Errors
    /// None for examples that exist; the signature is that of the other algorithms.
    pub fn new(examples: &Examples) -> Result<Self, BoostError> {
        let simplex = Simplex::new(1.0)?;
        let ascent = MirrorAscent::new(NegativeEntropy, simplex, examples, Schedule::Theorem1)?;
        Ok(Self { ascent, eta_sum: 0.0, log_bound: 0.0, is_perfect: false })
    }

    /// Σ w_i(1 + d_i).
    fn slack(&self, d: &[f64]) -> f64 {
        self.weights().iter().zip(d).map(|(w, d)| w * (1.0 + d)).sum()
    }
}
