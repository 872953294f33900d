//! From the scores of the columns to a class.

use super::{BoostError, CodeError, OutputCode};
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;

/// The loss L(z) of a bit: class r is charged Σ_l L(M_rl f_l) for scores f_1, …, f_L of the columns, and the class that
/// is charged least is the answer, the first of equals.
///
/// *Guarantee* \[ASS00, Theorem 1\]. For L ≥ 0 with L(z) + L(−z) ≥ 2L(0) > 0, an example of class y that is decoded
/// otherwise is charged Σ_l L(M_yl f_l) ≥ ρL(0): where two words differ by ±1, the wrong one's charge of no more than
/// the right one's leaves L(z) + L(−z) ≤ 2L(z), and where one of them has a 0 half as much. So under any D the share of
/// wrong answers is at most Σ_i D_i Σ_l L(M_(y_i)l f_l(x_i)) / (ρL(0)); for Hamming decoding, where e_l is the share of
/// wrong bits in column l with a 0 for half a bit, that is (2/ρ)Σ_l e_l.
///
/// ```
/// use boosters::maboost::{Decoding, OutputCode};
/// let code = OutputCode::one_vs_rest(3)?;
/// let scores = [-0.25, -0.125, -2.0];
/// assert_eq!(code.decode(&scores, Decoding::Linear)?, 1);
/// assert_eq!(code.decode(&scores, Decoding::Exponential)?, 1);
/// // Every bit says no: all classes are one bit away.
/// assert_eq!(code.decode(&scores, Decoding::Hamming)?, 0);
/// assert_eq!(Decoding::Hamming.charge(code.row(1), &scores), 1.0);
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Decoding {
    /// Signs only, a score of 0 for +1: L = (1 − z)/2 of the sign, L(0) = ½ \[DB95\].
    Hamming,
    /// L(z) = −z, the largest agreement; for one against the rest the largest score. No guarantee.
    Linear,
    /// L(z) = e^(−z), the loss that AdaBoost makes small; L(0) = 1.
    Exponential,
}

impl OutputCode {
    /// The class that is charged least for these scores, one a column.
    ///
    /// # Errors
    /// [`CodeError::ScoreCount`]; a score that is not finite.
    pub fn decode(&self, scores: &[f64], by: Decoding) -> Result<u32, BoostError> {
        let (expected, got) = (self.columns(), scores.len());
        if got != expected {
            return Err(CodeError::ScoreCount { expected, got }.into());
        }
        if let Some(index) = scores.iter().position(|f| !f.is_finite()) {
            let value = scores[index];
            return Err(LearnerError::NotFinite { argument: "score", index, value }.into());
        }
        // A common unit in which no sum overflows.
        let unit = if scores.iter().all(|f| f.abs() < 1e280) { 1.0 } else { 2_f64.powi(-64) };
        let mut least = (0, f64::INFINITY);
        for (class, word) in (0..).zip(self.rows()) {
            let charge = by.comparable_charge(word, scores, unit);
            if charge < least.1 {
                least = (class, charge);
            }
        }
        Ok(least.0)
    }
}

impl Decoding {
    /// Σ_l L(M_l f_l) for a code word M and as many scores f; infinite where it is too large for an f64.
    pub fn charge(self, word: &[i8], scores: &[f64]) -> f64 {
        word.iter().zip(scores).map(|(bit, f)| self.loss(*bit, *f)).sum()
    }

    /// L(M f).
    pub(super) fn loss(self, bit: i8, f: f64) -> f64 {
        let bit = f64::from(bit);
        match self {
            Self::Hamming => 0.5 * (1.0 - bit * if f < 0.0 { -1.0 } else { 1.0 }),
            Self::Linear => -bit * f,
            Self::Exponential => (-bit * f).exp(),
        }
    }

    /// L(0), where the guarantee holds.
    pub(super) fn at_zero(self) -> Option<f64> {
        match self {
            Self::Hamming => Some(0.5),
            Self::Linear => None,
            Self::Exponential => Some(1.0),
        }
    }

    /// A rising function of the charge that is finite for all finite scores: the charge, its multiple or its logarithm.
    fn comparable_charge(self, word: &[i8], scores: &[f64], unit: f64) -> f64 {
        let exponents = || word.iter().zip(scores).map(|(bit, f)| -f64::from(*bit) * f);
        match self {
            Self::Hamming => self.charge(word, scores),
            Self::Linear => exponents().map(|z| z * unit).sum(),
            Self::Exponential => {
                let largest = exponents().fold(f64::NEG_INFINITY, f64::max);
                largest + exponents().map(|z| (z - largest).exp()).sum::<f64>().ln()
            }
        }
    }
}
