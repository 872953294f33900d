//! Hedge, or exponentiated gradient: the weighted average of n experts.

use super::ftrl::Ftrl;
use crate::Restart;
use crate::step::check_step;
use crate::{OcoError, OnlineLearner};
use projections::{NegativeEntropy, ProjectionError, Simplex};
use serde::{Deserialize, Serialize};

/// Hedge \[FS97\] on the probability simplex: x_{t,j} ∝ exp(−η Σ_{s<t} g_{s,j}).
///
/// *Guarantee.* Regret ≤ log n/η + (η/2)Σ‖g_t‖∞² at every prefix; with the η of [`tuned`](Self::tuned) this
/// is G√(2T log n) after T rounds. Both in `tests/mirror_descent/hedge.rs`. It is FTRL with −H/η, and mirror
/// descent from uniform weights, active or lazy \[W13, §4\].
/// *Cost:* O(n) a round; no allocation after the first.
///
/// The state is the sum of the gradients, not the weights, so a weight that underflows can grow again. Every
/// finite gradient is legal: sums may leave the range of doubles.
///
/// ```
/// use oco_core::{OnlineLearner, learners::Hedge};
/// let mut hedge = Hedge::new(2, 1.0)?;
/// hedge.observe(&[3_f64.ln(), 0.0])?;
/// assert!((hedge.play()[0] - 0.25).abs() < 1e-15);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Ftrl<NegativeEntropy, Simplex>", into = "Ftrl<NegativeEntropy, Simplex>")]
pub struct Hedge {
    ftrl: Ftrl<NegativeEntropy, Simplex>,
}

impl OnlineLearner for Hedge {
    /// The weights of the experts.
    fn play(&self) -> &[f64] {
        self.ftrl.play()
    }

    /// Takes the losses of the experts.
    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        self.ftrl.observe(gradient)
    }

    fn reset(&mut self) {
        self.ftrl.reset();
    }
}

impl Restart for Hedge {
    fn restart(&mut self, eta: f64) -> Result<(), OcoError> {
        self.ftrl.restart(eta)
    }

    fn step(&self) -> Option<f64> {
        self.ftrl.step()
    }
}

impl Hedge {
    /// n experts, with uniform weights.
    ///
    /// # Errors
    /// No expert, or η not positive.
    pub fn new(experts: usize, eta: f64) -> Result<Self, OcoError> {
        Ok(Self { ftrl: Ftrl::new(NegativeEntropy, Simplex::new(1.0)?, experts, eta)? })
    }

    /// η = √(2 log n/T)/G, which minimises the bound if |g_{t,j}| ≤ G in each of T rounds. For a single
    /// expert η has no effect and is 1/G.
    ///
    /// # Errors
    /// No expert, no round, or a G for which η is not positive and finite.
    pub fn tuned(experts: usize, largest_loss: f64, rounds: u32) -> Result<Self, OcoError> {
        check_step("largest loss", largest_loss)?;
        if rounds == 0 {
            let (name, domain) = ("rounds", "T ≥ 1");
            return Err(ProjectionError::BadParameter { name, value: 0.0, domain }.into());
        }
        // Experts stay far below 2^53, where every integer is a double.
        #[allow(clippy::cast_precision_loss, reason = "a count of experts")]
        let entropy = (experts as f64).ln();
        let ratio = if experts > 1 { 2.0 * entropy / f64::from(rounds) } else { 1.0 };
        Self::new(experts, ratio.sqrt() / largest_loss)
    }
}

impl From<Hedge> for Ftrl<NegativeEntropy, Simplex> {
    fn from(hedge: Hedge) -> Self {
        hedge.ftrl
    }
}

impl TryFrom<Ftrl<NegativeEntropy, Simplex>> for Hedge {
    type Error = OcoError;

    fn try_from(ftrl: Ftrl<NegativeEntropy, Simplex>) -> Result<Self, OcoError> {
        let value = ftrl.set().mass();
        if (value - 1.0).abs() > 0.0 {
            let (name, domain) = ("saved mass", "1");
            return Err(ProjectionError::BadParameter { name, value, domain }.into());
        }
        Ok(Self { ftrl })
    }
}
