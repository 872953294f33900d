//! AdaBoost, the reference algorithm of the family.

use super::reweighting::check_sum;
use super::{Answer, BoostError, BoostStop, Examples, Lazy, MirrorAscent, Promise, Reweighting, Schedule};
use projections::{NegativeEntropy, Simplex};
use serde::{Deserialize, Serialize};

/// AdaBoost \[FS97\]: η_t = ½ln((1 + γ_t)/(1 − γ_t)), w_{t+1} ∝ w_t∘exp(η_t d_t).
///
/// *Guarantee.* The training error is at most Π√(1 − γ_t²) \[FS97\]. A hypothesis that is right on every
/// example with full confidence, γ_t = 1, gets the coefficient 1 + Σ_{s<t}η_s, which outvotes all before it,
/// and ends the run. *Cost:* O(N) a round; no allocation after the first.
///
/// An edge next to 1 is 1 − Σw_i(1 + d_i), a sum without cancellation; it counts as at least the smallest
/// normal double, because weights that underflow hide no more than that.
///
/// ```
/// use boosters::maboost::{AdaBoost, Answer, Examples, Reweighting};
/// use weak_learners::Label::{Minus, Plus};
/// let mut ada = AdaBoost::new(&Examples::uniform(vec![Plus, Minus, Plus, Plus])?)?;
/// // h = (1, 1, 1, 1) errs on the second example, which then has half of the weight.
/// let eta = ada.reweight(Answer { losses: &[-1.0, 1.0, -1.0, -1.0], edge: 0.5, error_before: 1.0 })?;
/// assert!((eta - 0.5 * 3_f64.ln()).abs() < 1e-15);
/// assert!((ada.weights()[1] - 0.5).abs() < 1e-15);
/// assert!((ada.promise().error - 0.75_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct AdaBoost {
    ascent: MirrorAscent<NegativeEntropy, Simplex, Lazy>,
    eta_sum: f64,
    /// Σ½ln(1 − γ_t²) over the rounds with γ_t < 1.
    log_bound: f64,
    is_perfect: bool,
}

#[derive(Deserialize)]
struct Unchecked {
    ascent: MirrorAscent<NegativeEntropy, Simplex, Lazy>,
    eta_sum: f64,
    log_bound: f64,
    is_perfect: bool,
}

impl Reweighting for AdaBoost {
    fn reweight(&mut self, answer: Answer<'_>) -> Result<f64, BoostError> {
        let Answer { losses: d, edge, .. } = answer;
        answer.check(self.weights().len())?;
        let is_perfect = d.iter().all(|d| *d <= -1.0);
        let (eta, log_factor) = if is_perfect { (1.0 + self.eta_sum, 0.0) } else { self.step(d, edge) };
        self.ascent.ascend(eta, d)?;
        self.is_perfect = is_perfect;
        self.eta_sum += eta;
        self.log_bound += log_factor;
        Ok(eta)
    }

    fn weights(&self) -> &[f64] {
        self.ascent.weights()
    }

    fn start(&self) -> &[f64] {
        self.ascent.start()
    }

    fn rounds(&self) -> usize {
        self.ascent.rounds()
    }

    fn promise(&self) -> Promise {
        let error = if self.is_perfect { 0.0 } else { self.log_bound.exp() };
        Promise { error, tight: None, margin: None }
    }

    fn finished(&self, _error: f64) -> Option<BoostStop> {
        self.is_perfect.then_some(BoostStop::Perfect)
    }
}

impl AdaBoost {
    /// Starts from w_1 = D.
    ///
    /// # Errors
    /// Never; the signature is that of the other algorithms.
    pub fn new(examples: &Examples) -> Result<Self, BoostError> {
        let simplex = Simplex::new(1.0)?;
        let ascent = MirrorAscent::new(NegativeEntropy, simplex, examples, Schedule::Theorem1)?;
        Ok(Self { ascent, eta_sum: 0.0, log_bound: 0.0, is_perfect: false })
    }

    /// η_t = artanh γ_t and ½ln(1 − γ_t²), without cancellation at either end.
    fn step(&self, d: &[f64], edge: f64) -> (f64, f64) {
        if edge < 0.5 {
            return (edge.atanh(), 0.5 * (-edge * edge).ln_1p());
        }
        // 1 − γ_t.
        let slack: f64 = self.weights().iter().zip(d).map(|(w, d)| w * (1.0 + d)).sum();
        let slack = slack.clamp(f64::MIN_POSITIVE, 0.5);
        (0.5 * ((2.0 - slack) / slack).ln(), 0.5 * (slack * (2.0 - slack)).ln())
    }
}

impl TryFrom<Unchecked> for AdaBoost {
    type Error = BoostError;

    fn try_from(Unchecked { ascent, eta_sum, log_bound, is_perfect }: Unchecked) -> Result<Self, BoostError> {
        check_sum("the sum of the steps", eta_sum)?;
        check_sum("the logarithm of the inverse of the bound", -log_bound)?;
        Ok(Self { ascent, eta_sum, log_bound, is_perfect })
    }
}
