//! Hedge, or exponentiated gradient: the weighted average of n experts.

use super::ftrl::Ftrl;
use crate::step::check_step;
use crate::{OcoError, OnlineLearner, Restart};
use projections::{NegativeEntropy, ProjectionError, Simplex};
use serde::{Deserialize, Serialize};

/// Hedge \[FS97\] on the probability simplex: x_{t,j} ∝ exp(−η Σ_{s<t} g_{s,j}).
///
/// *Guarantee.* Regret ≤ log n/η + (η/2)Σ‖g_t‖∞² at every prefix; with the η of [`tuned`](Self::tuned) that is G√(2T
/// log n) after the T rounds that it was told of. Both in `tests/mirror_descent/hedge.rs`. It is FTRL with −H/η, and
/// mirror descent from uniform weights, active or lazy \[W13, §4\]. *Cost:* O(n) a round; no allocation after the
/// first.
///
/// Sums of gradients are remembered, not weights: a weight that underflows comes back, every finite gradient is legal,
/// and sums may leave the range of doubles and come back.
///
/// ```
/// use oco_core::{Hedge, OnlineLearner};
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

    /// η = √(2 log n/T)/G, which minimises the bound where |g_{t,j}| ≤ G in each of T rounds. A single expert plays
    /// alike with any η; it is given 1/G.
    ///
    /// # Errors
    /// No expert, no round, or a G for which η is not a positive number.
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
