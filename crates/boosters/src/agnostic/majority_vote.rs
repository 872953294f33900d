//! The hypothesis of a statistical booster.

use super::RandomisedMajority;
use rand::{Rng, RngExt};
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::batch::Hypothesis;
use weak_learners::{Label, LearnerError};

/// The randomised majority vote h̄(x) = Π((1/γT)Σ h_t(x)) of T trained hypotheses \[BCMH20, Algorithm 2, line
/// 9\].
///
/// The empty vote has score 0 and is a fair coin. The vote is random, so it is not a [`Hypothesis`]; its
/// expectation is one: [`ExpectedVote`](super::ExpectedVote). *Cost:* T predictions a row, no allocation.
/// *Errors:* a row of another dimension than the hypotheses'.
///
/// ```
/// use boosters::agnostic::MajorityVote;
/// use rows::Row;
/// use weak_learners::{Label, batch::Stump};
/// let stumps = vec![Stump::new(1, 0, 2.0, Label::Plus)?, Stump::constant(1, Label::Minus)?];
/// let vote = MajorityVote::new(stumps, 1.0)?;
/// let (low, high) = ([1.0], [3.0]);
/// assert_eq!(vote.score(Row::dense(&low)?)?, -1.0);
/// assert_eq!(vote.prob_plus(Row::dense(&high)?)?, 0.5);
/// assert_eq!(vote.sign(Row::dense(&low)?)?, Label::Minus);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts<H>", bound(deserialize = "H: Deserialize<'de> + Hypothesis"))]
pub struct MajorityVote<H> {
    hypotheses: Vec<H>,
    majority: RandomisedMajority,
}

#[derive(Deserialize)]
struct Parts<H> {
    hypotheses: Vec<H>,
    majority: RandomisedMajority,
}

impl<H: Hypothesis> MajorityVote<H> {
    /// z(x) = (1/γT)Σ h_t(x).
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn score(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        let mut votes = 0.0;
        for h in &self.hypotheses {
            votes += h.predict(x)?;
        }
        #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
        let rounds = self.hypotheses.len().max(1) as f64;
        Ok(self.majority.score_of_mean(votes / rounds))
    }

    /// P\[h̄(x) = +1\].
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn prob_plus(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        self.score(x).map(RandomisedMajority::prob_plus)
    }

    /// h̄(x), with the next number of `rng`; a refused row draws none.
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn draw(&self, x: Row<'_>, rng: &mut (impl Rng + ?Sized)) -> Result<Label, LearnerError> {
        self.score(x).map(|z| RandomisedMajority::draw(z, rng.random()))
    }

    /// The likelier answer, +1 in a tie; not random.
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn sign(&self, x: Row<'_>) -> Result<Label, LearnerError> {
        self.score(x).map(RandomisedMajority::sign)
    }

    /// The vote of these hypotheses, of advantage γ.
    ///
    /// # Errors
    /// A γ outside (0, 1\] or with an infinite reciprocal; hypotheses for rows of different dimensions.
    pub fn new(hypotheses: Vec<H>, advantage: f64) -> Result<Self, LearnerError> {
        Parts { hypotheses, majority: RandomisedMajority::new(advantage)? }.try_into()
    }

    /// Rejects rows of another dimension than that of the hypotheses, if any.
    pub(super) fn check_inputs(&self, got: usize) -> Result<(), LearnerError> {
        match self.hypotheses.first().map(Hypothesis::inputs) {
            Some(expected) if got != expected => Err(LearnerError::InputDimension { expected, got }),
            _ => Ok(()),
        }
    }
}

impl<H> MajorityVote<H> {
    /// h_1, …, h_T.
    pub fn hypotheses(&self) -> &[H] {
        &self.hypotheses
    }

    /// γ.
    pub fn advantage(&self) -> f64 {
        self.majority.advantage()
    }

    pub(super) fn majority(&self) -> RandomisedMajority {
        self.majority
    }

    pub(super) fn push(&mut self, h: H) {
        self.hypotheses.push(h);
    }
}

impl<H: Hypothesis> TryFrom<Parts<H>> for MajorityVote<H> {
    type Error = LearnerError;

    fn try_from(Parts { hypotheses, majority }: Parts<H>) -> Result<Self, LearnerError> {
        let vote = Self { hypotheses, majority };
        vote.hypotheses.iter().try_for_each(|h| vote.check_inputs(h.inputs()))?;
        Ok(vote)
    }
}
