//! Boosting on combined data sets \[NP14, Section 3.2\].

use super::mirror_ascent::is_cap;
use super::reweighting::check_length;
use super::smooth::check_smoothness;
use super::{Active, Answer, BoostError, Examples, MirrorAscent, Promise, Reweighting, Schedule};
use projections::{CappedSimplex, NegativeEntropy};
use serde::{Deserialize, Serialize};

/// MABoost on a primary set A and a secondary set B \[NP14, Section 3.2\]: the entropy, on the distributions
/// with w_i ≤ kD_i in B. No example of B ever weighs more than k times its weight in the sample.
///
/// *Guarantee.* The errors in A are at most exp(−½Σγ_t²) and those in B at most max(1/k, exp(−½Σγ_t²)), both
/// as shares of D over A and B together. *Erratum:* as shares of A or of B alone the bounds fail. *Cost:*
/// O(N) expected a round.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct CombinedBoost {
    ascent: MirrorAscent<NegativeEntropy, CappedSimplex, Active>,
    /// Whether an example (of positive weight) is in B.
    secondary: Vec<bool>,
    k: f64,
}

#[derive(Deserialize)]
struct Unchecked {
    ascent: MirrorAscent<NegativeEntropy, CappedSimplex, Active>,
    secondary: Vec<bool>,
    k: f64,
}

impl Reweighting for CombinedBoost {
    fn reweight(&mut self, answer: Answer<'_>) -> Result<f64, BoostError> {
        self.ascent.reweight(answer)
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

    /// max(1/k, exp(−½Σγ_t²)) for A and B together: D on all errors, divided by their share ε ≥ 1/k, is below
    /// kD in B and below 1 in A. The two bounds are [`promises`](Self::promises).
    fn promise(&self) -> Promise {
        Promise { error: self.promises()[1], tight: None, margin: None }
    }

    fn caps(&self) -> Option<&[f64]> {
        self.ascent.caps()
    }

    /// 1/k, or 0 where no secondary example has a cap below 1.
    fn reachable_error(&self) -> f64 {
        let mut caps = self.caps().unwrap_or_default().iter();
        if caps.any(|cap| is_cap(*cap)) { 1.0 / self.k } else { 0.0 }
    }
}

impl CombinedBoost {
    /// The booster of smoothness k ≥ 1 on B; `secondary` is true for the examples in B.
    ///
    /// # Errors
    /// [`BoostError::BadSmoothness`], or [`LearnerError::NotFinite`](weak_learners::LearnerError::NotFinite)
    /// for k; another number of truth values than of examples.
    pub fn new(examples: &Examples, secondary: &[bool], k: f64) -> Result<Self, BoostError> {
        check_smoothness(k)?;
        check_length("secondary", examples.labels().len(), secondary.len())?;
        let secondary: Vec<bool> = examples.counted().map(|i| secondary[i]).collect();
        let set = CappedSimplex::new(caps(examples.start(), &secondary, k).collect(), 1.0)?;
        let ascent = MirrorAscent::new(NegativeEntropy, set, examples, Schedule::Theorem1)?;
        Ok(Self { ascent, secondary, k })
    }

    /// The bounds on the errors in A and in B, as shares of D over both.
    pub fn promises(&self) -> [f64; 2] {
        let unconstrained = self.ascent.unconstrained_error();
        [unconstrained, unconstrained.max(1.0 / self.k)]
    }

    /// The errors in A and in B among these margins, as shares of D over both.
    ///
    /// # Errors
    /// Another number of margins than of examples of positive weight.
    pub fn errors(&self, examples: &Examples, margins: &[f64]) -> Result<[f64; 2], BoostError> {
        check_length("margins", self.secondary.len(), margins.len())?;
        check_length("start", self.secondary.len(), examples.start().len())?;
        Ok([false, true].map(|part| examples.share(|i| self.secondary[i] == part && margins[i] <= 0.0)))
    }

    /// Whether an example (of positive weight) is in B.
    pub fn secondary(&self) -> &[bool] {
        &self.secondary
    }
}

/// kD_i in B, 1 in A.
fn caps(start: &[f64], secondary: &[bool], k: f64) -> impl Iterator<Item = f64> {
    start.iter().zip(secondary).map(move |(d, in_b)| if *in_b { (k * d).min(f64::MAX) } else { 1.0 })
}

impl TryFrom<Unchecked> for CombinedBoost {
    type Error = BoostError;

    fn try_from(Unchecked { ascent, secondary, k }: Unchecked) -> Result<Self, BoostError> {
        check_smoothness(k)?;
        check_length("secondary", ascent.start().len(), secondary.len())?;
        let stated = ascent.caps().unwrap_or_default();
        for (index, (expected, &got)) in caps(ascent.start(), &secondary, k).zip(stated).enumerate() {
            if expected.total_cmp(&got).is_ne() {
                return Err(BoostError::Inconsistent { argument: "caps", index, expected, got });
            }
        }
        Ok(Self { ascent, secondary, k })
    }
}
