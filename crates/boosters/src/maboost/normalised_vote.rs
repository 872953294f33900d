//! An ensemble as a hypothesis.

use super::Ensemble;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;
use weak_learners::batch::Hypothesis;

/// x ↦ F(x)/Σ|η_t| ∈ \[−1, 1\]: how sure an [`Ensemble`] of at least one hypothesis is, and of what.
///
/// It is a hypothesis, so ensembles vote in ensembles. *Cost:* T predictions a row, no allocation. *Errors:* a row of
/// another dimension than the hypotheses'.
///
/// ```
/// use boosters::maboost::{Ensemble, NormalisedVote};
/// use rows::Row;
/// use weak_learners::{Label, batch::{Hypothesis, Stump}};
/// let stumps = vec![Stump::new(1, 0, 2.0, Label::Plus)?, Stump::constant(1, Label::Plus)?];
/// let vote = NormalisedVote::try_from(Ensemble::new(stumps, vec![0.75, -0.25])?)?;
/// assert_eq!(vote.predict(Row::dense(&[1.0])?)?, -1.0);
/// assert_eq!(vote.predict(Row::dense(&[3.0])?)?, 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Ensemble<H>",
    into = "Ensemble<H>",
    bound(serialize = "H: Clone + Serialize", deserialize = "H: Deserialize<'de> + Hypothesis")
)]
pub struct NormalisedVote<H> {
    ensemble: Ensemble<H>,
    inputs: usize,
    /// η_t/Σ|η_s|.
    shares: Vec<f64>,
}

impl<H: Hypothesis> Hypothesis for NormalisedVote<H> {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn predict(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        let mut vote = 0.0;
        for (h, share) in self.ensemble.hypotheses().iter().zip(&self.shares) {
            vote += share * h.predict(x)?;
        }
        Ok(vote.clamp(-1.0, 1.0))
    }
}

impl<H: Hypothesis> TryFrom<Ensemble<H>> for NormalisedVote<H> {
    type Error = LearnerError;

    /// Refuses the ensemble of none, which has rows of no dimension.
    fn try_from(ensemble: Ensemble<H>) -> Result<Self, LearnerError> {
        let first = ensemble.hypotheses().first().ok_or(LearnerError::Empty { argument: "hypotheses" })?;
        Ok(Self { inputs: first.inputs(), shares: ensemble.shares(), ensemble })
    }
}

impl<H> From<NormalisedVote<H>> for Ensemble<H> {
    fn from(vote: NormalisedVote<H>) -> Self {
        vote.ensemble
    }
}
