//! The part of the loop that an algorithm supplies: from an answer of the weak learner to the next
//! distribution.

use super::{BoostError, BoostStop};
use oco_core::OcoError;
use projections::{CappedSimplex, Simplex, Then};
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;

/// Lines (b) to (d) of Algorithm 1 of \[NP14\], or an algorithm's replacement for them.
///
/// Contract: `weights` is a distribution over as many examples as there are losses: w ≥ 0, Σw = 1 to 1e−12, w
/// ≤ caps. `reweight` returns η_t > 0 and replaces w_t by w_{t+1}, or returns an error and changes nothing.
pub trait Reweighting {
    /// w_t.
    fn weights(&self) -> &[f64];

    /// D = w_1, that of [`Examples::start`](super::Examples::start).
    fn start(&self) -> &[f64];

    /// The number of rounds played.
    fn rounds(&self) -> usize;

    /// Lines (b) to (d): chooses η_t for the answer of round t and moves on to w_{t+1}.
    ///
    /// # Errors
    /// As the algorithm says.
    fn reweight(&mut self, answer: Answer<'_>) -> Result<f64, BoostError>;

    /// The theorem's bounds on the ensemble after the rounds so far.
    fn promise(&self) -> Promise;

    /// The upper bounds on the weights, where they are not all 1.
    fn caps(&self) -> Option<&[f64]> {
        None
    }

    /// The least training error that is promised: 1/k for a distribution with w ≤ kD.
    fn reachable_error(&self) -> f64 {
        0.0
    }

    /// The reason to play no round at this training error, if there is one.
    fn finished(&self, error: f64) -> Option<BoostStop> {
        let _ = error;
        None
    }
}

/// An algorithm behind a pointer.
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

    fn finished(&self, error: f64) -> Option<BoostStop> {
        (**self).finished(error)
    }
}

/// The answer of the weak learner.
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
    /// Rejects an answer for another number of examples, or outside its domain.
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

/// The least step: a tiny edge must not give a step of 0.
pub(super) const LEAST_STEP: f64 = f64::from_bits(1);

/// Rejects a length other than the number of examples.
pub(super) fn check_length(argument: &'static str, expected: usize, got: usize) -> Result<(), LearnerError> {
    if got == expected { Ok(()) } else { Err(LearnerError::LengthMismatch { argument, expected, got }) }
}

/// Rejects a deserialised sum that is negative or not finite.
pub(super) fn check_sum(name: &'static str, value: f64) -> Result<(), LearnerError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(LearnerError::BadParameter { name, value, domain: "[0, inf)" })
}

/// Rejects a deserialised D with an example of weight 0.
pub(super) fn check_start(start: &[f64]) -> Result<(), LearnerError> {
    match start.iter().find(|d| !(**d > 0.0)) {
        None => Ok(()),
        Some(&value) => Err(LearnerError::BadParameter { name: "start", value, domain: "D_i > 0" }),
    }
}

/// Rejects deserialised weights that are not a distribution.
pub(super) fn check_distribution(argument: &'static str, w: &[f64]) -> Result<(), BoostError> {
    let (lowest, total) = (w.iter().fold(f64::INFINITY, |a: f64, b| a.min(*b)), w.iter().sum::<f64>());
    if lowest >= 0.0 && (total - 1.0).abs() <= 1e-9 {
        Ok(())
    } else {
        Err(OcoError::NotADistribution { argument, lowest, total }.into())
    }
}

/// A theorem's bounds on the training error (a share of D) and the margins after the rounds so far, whatever
/// the weak learner did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Promise {
    /// An upper bound on the training error.
    pub error: f64,
    /// A sharper bound, where the paper's constant is loose.
    pub tight: Option<f64>,
    /// A lower bound on every normalised margin, where a theorem has one.
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
