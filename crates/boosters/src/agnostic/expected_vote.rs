//! A statistical booster's vote as a hypothesis.

use super::MajorityVote;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;
use weak_learners::batch::Hypothesis;

/// x ↦ E h̄(x) = z(x), clamped to \[−1, 1\]: the expectation of a [`MajorityVote`] of at least one
/// hypothesis.
///
/// Its correlation with labels is the vote's in expectation over Π: the subject of \[BCMH20, Theorems 8 and
/// 10\], without randomness. *Cost:* T predictions a row, no allocation. *Errors:* a row of another dimension
/// than the hypotheses'.
///
/// ```
/// use boosters::agnostic::{ExpectedVote, MajorityVote};
/// use rows::Row;
/// use weak_learners::{Label, batch::{Hypothesis, Stump}};
/// let tall = Stump::new(1, 0, 2.0, Label::Plus)?;
/// let vote = MajorityVote::new(vec![tall, tall, Stump::constant(1, Label::Minus)?], 0.5)?;
/// let expected = ExpectedVote::try_from(vote)?;
/// assert_eq!(expected.predict(Row::dense(&[1.0])?)?, -1.0);
/// assert!((expected.predict(Row::dense(&[3.0])?)? - 2.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "MajorityVote<H>",
    into = "MajorityVote<H>",
    bound(serialize = "H: Clone + Serialize", deserialize = "H: Deserialize<'de> + Hypothesis")
)]
pub struct ExpectedVote<H> {
    vote: MajorityVote<H>,
    inputs: usize,
}

impl<H: Hypothesis> Hypothesis for ExpectedVote<H> {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn predict(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        Ok(self.vote.score(x)?.clamp(-1.0, 1.0))
    }
}

impl<H: Hypothesis> TryFrom<MajorityVote<H>> for ExpectedVote<H> {
    type Error = LearnerError;

    /// Rejects the empty vote, whose rows have no dimension.
    fn try_from(vote: MajorityVote<H>) -> Result<Self, LearnerError> {
        let first = vote.hypotheses().first().ok_or(LearnerError::Empty { argument: "hypotheses" })?;
        Ok(Self { inputs: first.inputs(), vote })
    }
}

impl<H> From<ExpectedVote<H>> for MajorityVote<H> {
    fn from(expected: ExpectedVote<H>) -> Self {
        expected.vote
    }
}
