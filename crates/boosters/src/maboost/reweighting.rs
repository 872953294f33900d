//! What an algorithm adds to the loop: how an answer of the weak learner becomes the next distribution.

use super::{BoostError, Stop};
use oco_core::OcoError;
use projections::{CappedSimplex, Simplex, Then};
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;

/// Lines (b) to (d) of Algorithm 1 of \[NP14\], or what an algorithm has in their place.
///
/// Contract: `weights` is a distribution over as many examples as there are losses: w ≥ 0, Σw = 1 to 1e−12, w ≤ caps.
/// `reweight` answers η_t > 0 and replaces w_t by w_{t+1}, or refuses and is unchanged.
pub trait Reweighting {
    /// w_t.
    fn weights(&self) -> &[f64];

    /// D = w_1, as [`Examples::start`](super::Examples::start) has it.
    fn start(&self) -> &[f64];

    /// How many rounds were played.
    fn rounds(&self) -> usize;

    /// Lines (b) to (d): chooses η_t for the answer of round t and moves on to w_{t+1}.
    ///
    /// # Errors
    /// As the algorithm says.
    fn reweight(&mut self, answer: Answer<'_>) -> Result<f64, BoostError>;

    /// What the theorem says of the ensemble after the rounds so far.
    fn promise(&self) -> Promise;

    /// The upper bounds on the weights, where they are not all 1.
    fn caps(&self) -> Option<&[f64]> {
        None
    }

    /// The training error below which nothing is promised: 1/k for a distribution with w ≤ kD.
    fn reachable_error(&self) -> f64 {
        0.0
    }

    /// Why the algorithm plays no round at this training error, if it does not.
    fn finished(&self, error: f64) -> Option<Stop> {
        let _ = error;
        None
    }
}

/// An algorithm whose type does not show which one it is.
impl<A: Reweighting + ?Sized> Reweighting for Box<A> {
    fn weights(&self) -> &[f64] {
        (**self).weights()
    }

    fn start(&self) -> &[f64] {
        (**self).start()
    }

    fn rounds(&self) -> usize {
        (**self).rounds()
    }

    fn reweight(&mut self, answer: Answer<'_>) -> Result<f64, BoostError> {
        (**self).reweight(answer)
    }

    fn promise(&self) -> Promise {
        (**self).promise()
    }

    fn caps(&self) -> Option<&[f64]> {
        (**self).caps()
    }

    fn reachable_error(&self) -> f64 {
        (**self).reachable_error()
    }

    fn finished(&self, error: f64) -> Option<Stop> {
        (**self).finished(error)
    }
}

/// h_t, as the booster sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer<'a> {
    /// d_t(i) = −a_i h_t(x_i) ∈ \[−1, 1\].
    pub losses: &'a [f64],
    /// γ_t = −⟨w_t, d_t⟩ ∈ (0, 1\].
    pub edge: f64,
    /// ε_{t−1}, the training error before h_t; 1 before the first round.
    pub error_before: f64,
}

impl Answer<'_> {
    /// Refuses what is no answer about this many examples.
    pub(super) fn check(&self, examples: usize) -> Result<(), LearnerError> {
        check_length("losses", examples, self.losses.len())?;
        if let Some(&value) = self.losses.iter().find(|d| !(d.abs() <= 1.0)) {
            return Err(LearnerError::BadParameter { name: "loss", value, domain: "[-1, 1]" });
        }
        if !(self.edge > 0.0 && self.edge <= 1.0) {
            return Err(LearnerError::BadParameter { name: "edge", value: self.edge, domain: "(0, 1]" });
        }
        if !(0.0..=1.0).contains(&self.error_before) {
            let value = self.error_before;
            return Err(LearnerError::BadParameter {
                name: "error before the round",
                value,
                domain: "[0, 1]",
            });
        }
        Ok(())
    }
}

/// An edge at the end of the range of numbers is no reason for a step of 0.
pub(super) const LEAST_STEP: f64 = f64::from_bits(1);

/// Refuses another number of anything than there are examples.
pub(super) fn check_length(argument: &'static str, expected: usize, got: usize) -> Result<(), LearnerError> {
    if got == expected { Ok(()) } else { Err(LearnerError::LengthMismatch { argument, expected, got }) }
}

/// Refuses what no sum of numbers that are not negative comes to, in a state that is read.
pub(super) fn check_sum(name: &'static str, value: f64) -> Result<(), LearnerError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(LearnerError::BadParameter { name, value, domain: "[0, inf)" })
}

/// Refuses an example without weight in D, in a state that is read.
pub(super) fn check_start(start: &[f64]) -> Result<(), LearnerError> {
    match start.iter().find(|d| !(**d > 0.0)) {
        None => Ok(()),
        Some(&value) => Err(LearnerError::BadParameter { name: "start", value, domain: "D_i > 0" }),
    }
}

/// Refuses what is no distribution, in a state that is read.
pub(super) fn check_distribution(argument: &'static str, w: &[f64]) -> Result<(), BoostError> {
    let (lowest, total) = (w.iter().fold(f64::INFINITY, |a: f64, b| a.min(*b)), w.iter().sum::<f64>());
    if lowest >= 0.0 && (total - 1.0).abs() <= 1e-9 {
        Ok(())
    } else {
        Err(OcoError::NotADistribution { argument, lowest, total }.into())
    }
}

/// What a theorem says of the training error (a share of D) and of the margins after the rounds so far, whatever the
/// weak learner did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Promise {
    /// The training error is at most this.
    pub error: f64,
    /// A sharper bound, where the paper's constant is loose.
    pub tight: Option<f64>,
    /// Every normalised margin is at least this, where a theorem is about margins.
    pub margin: Option<f64>,
}

/// A set of distributions over the examples.
pub trait WeightSet {
    /// The upper bounds on the weights, where they are not all 1.
    fn caps(&self) -> Option<&[f64]>;
}

impl WeightSet for Simplex {
    fn caps(&self) -> Option<&[f64]> {
        None
    }
}

impl WeightSet for CappedSimplex {
    fn caps(&self) -> Option<&[f64]> {
        Some(CappedSimplex::caps(self))
    }
}

impl<K, S: WeightSet> WeightSet for Then<K, S> {
    fn caps(&self) -> Option<&[f64]> {
        self.second().caps()
    }
}
