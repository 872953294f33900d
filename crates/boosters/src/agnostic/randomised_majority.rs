//! The randomised majority vote Π \[BCMH20, Equation 2\].

use crate::requirements::check_advantage;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError};

/// The vote of N learners of advantage γ: ŷ = Π(z), z = (1/γN)ΣW_i(x), where Π(z) is +1 with probability
/// (1+z)/2, clamped to \[0, 1\].
///
/// It checks γ for every algorithm of \[BCMH20\]: γ ∈ (0, 1\] with a finite 1/γ, so that z and the slopes of
/// the losses are finite.
///
/// ```
/// use boosters::agnostic::RandomisedMajority;
/// use weak_learners::Label::{Minus, Plus};
/// let majority = RandomisedMajority::new(1.0)?;
/// let z = majority.score(&[Plus, Minus, Plus, Plus])?;
/// assert_eq!((z, RandomisedMajority::prob_plus(z)), (0.5, 0.75));
/// assert_eq!((RandomisedMajority::draw(z, 0.74), RandomisedMajority::draw(z, 0.75)), (Plus, Minus));
/// assert_eq!(RandomisedMajority::sign(z), Plus);
/// # Ok::<(), weak_learners::LearnerError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct RandomisedMajority {
    advantage: f64,
}

impl RandomisedMajority {
    /// z = (1/γN)ΣW_i(x), a finite number with |z| ≤ 1/γ.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without votes.
    pub fn score(self, votes: &[Label]) -> Result<f64, LearnerError> {
        if votes.is_empty() {
            return Err(LearnerError::Empty { argument: "votes" });
        }
        let sum: f64 = votes.iter().map(|vote| vote.sign()).sum();
        #[allow(clippy::cast_precision_loss, reason = "a count of votes")]
        let n = votes.len() as f64;
        Ok(self.score_of_mean(sum / n))
    }

    /// z, from the mean of the votes ΣW_i(x)/N ∈ \[−1, 1\].
    #[must_use]
    pub fn score_of_mean(self, mean: f64) -> f64 {
        mean / self.advantage
    }

    /// P\[Π(z) = +1\]: 1 for z ≥ 1, 0 for z ≤ −1, (1+z)/2 between. NaN for NaN.
    #[must_use]
    pub fn prob_plus(z: f64) -> f64 {
        (0.5 * (1.0 + z)).clamp(0.0, 1.0)
    }

    /// Π(z), drawn with a uniform number u ∈ \[0, 1): +1 if u < P\[Π(z) = +1\].
    #[must_use]
    pub fn draw(z: f64, u: f64) -> Label {
        if u < Self::prob_plus(z) { Label::Plus } else { Label::Minus }
    }

    /// The likelier side of Π(z); +1 in a tie.
    #[must_use]
    pub fn sign(z: f64) -> Label {
        Label::of_score(z)
    }

    /// The slope W_i(x)y/γ − 1 of the loss ℓ^i(p) = p(W_i(x)y/γ − 1).
    #[must_use]
    pub fn slope(self, vote: Label, y: Label) -> f64 {
        // Not ±1/γ − 1, which cancels for γ near 1.
        (vote.sign() * y.sign() - self.advantage) / self.advantage
    }

    /// The vote of learners of advantage γ.
    ///
    /// # Errors
    /// [`LearnerError::NotFinite`]; [`LearnerError::BadParameter`] for a γ outside (0, 1\], or so small that
    /// 1/γ is not finite (below about 5.6e−309).
    pub fn new(advantage: f64) -> Result<Self, LearnerError> {
        check_advantage(advantage, "(0, 1] with a finite reciprocal", |gamma| {
            gamma <= 1.0 && gamma.recip().is_finite()
        })?;
        Ok(Self { advantage })
    }

    /// γ.
    #[must_use]
    pub fn advantage(self) -> f64 {
        self.advantage
    }
}

impl From<RandomisedMajority> for f64 {
    fn from(majority: RandomisedMajority) -> Self {
        majority.advantage
    }
}

impl TryFrom<f64> for RandomisedMajority {
    type Error = LearnerError;

    fn try_from(advantage: f64) -> Result<Self, LearnerError> {
        Self::new(advantage)
    }
}

/// The rule from z to the vote.
///
/// Where the sign errs, Π errs with probability at least ½, so its mistakes are at most twice the expected
/// mistakes of Π on every sequence (`tests/agnostic/contract.rs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoteRule {
    /// Π(z), for which the guarantees of \[BCMH20\] are stated.
    #[default]
    Randomised,
    /// The sign of z, without a coin; +1 in a tie.
    Sign,
}

impl VoteRule {
    /// The vote for z, with the uniform number of the round.
    pub(crate) fn vote(self, z: f64, u: f64) -> Label {
        match self {
            Self::Randomised => RandomisedMajority::draw(z, u),
            Self::Sign => RandomisedMajority::sign(z),
        }
    }
}
