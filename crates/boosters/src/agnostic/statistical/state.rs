//! What a statistical booster holds: what is saved, and checked when it is made.

use super::MajorityVote;
use oco_core::{OcoError, OnlineLearner};
use serde::{Deserialize, Serialize};
use weak_learners::batch::Hypothesis;
use weak_learners::{Label, LearnerError};

/// Which half of the algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// p ∈ \[−1, 1\]^m, p_1 = 0: labels are flipped, E y_t(i) = p_t(i)y_i, and examples are equally likely.
    Agnostic,
    /// p ∈ \[0, 1\]^m, p_1 = ½: examples are drawn in proportion to p_t, with their labels.
    Realizable,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound(deserialize = "W: Deserialize<'de>, A: Deserialize<'de>, H: Deserialize<'de> + Hypothesis"))]
pub(super) struct State<W, A, H> {
    pub(super) setting: Setting,
    pub(super) learner: W,
    pub(super) player: A,
    pub(super) labels: Vec<Label>,
    pub(super) vote: MajorityVote<H>,
    /// Σ_t h_t(x_i)y_i.
    pub(super) agreements: Vec<f64>,
    /// Σ_t p_t(i).
    pub(super) plays: Vec<f64>,
    /// Σ_t Σ_i p_t(i)h_t(x_i)y_i.
    pub(super) correlations: f64,
}

impl<W, A: OnlineLearner, H> State<W, A, H> {
    /// p_t, if it lies in the cube, and where it has to be in the first round.
    pub(super) fn checked_play(&self) -> Result<&[f64], LearnerError> {
        let (play, ([lower, upper], start)) = (self.player.play(), self.setting.cube());
        if play.len() != self.labels.len() {
            let (argument, expected) = ("play", self.labels.len());
            return Err(LearnerError::LengthMismatch { argument, expected, got: play.len() });
        }
        let first = self.vote.hypotheses().is_empty();
        if play.iter().any(|p| !(lower..=upper).contains(p) || (first && *p != start)) {
            return Err(OcoError::OutsideSet { argument: "play" }.into());
        }
        Ok(play)
    }

    /// Refuses what contradicts itself. What only another run could tell is taken as it stands: another γ, another setting
    /// after sums that both can have, hypotheses that answer otherwise than the sums say.
    pub(super) fn check(&self) -> Result<(), LearnerError> {
        check_labels(&self.labels)?;
        self.checked_play()?;
        let (m, rounds) = (self.labels.len(), count(self.vote.hypotheses().len()));
        for (argument, sums) in [("agreements", &self.agreements), ("plays", &self.plays)] {
            if sums.len() != m {
                return Err(LearnerError::LengthMismatch { argument, expected: m, got: sums.len() });
            }
        }
        // The first play is known, so that T − 1 of them are free; an addition rounds to no less than a smaller one.
        let ([lower, upper], start) = self.setting.cube();
        let reach = |end: f64| if rounds > 0.0 { start + (rounds - 1.0) * end } else { 0.0 };
        let (least, most) = (reach(lower), reach(upper));
        let [agreements, plays] = [&self.agreements, &self.plays].map(|sums| sums.iter().copied());
        // T numbers ±1 sum to T less an even number.
        within("agreements", agreements, |sum| sum.abs() <= rounds && (rounds - sum) % 2.0 == 0.0)?;
        within("plays", plays, |sum| (least..=most).contains(&sum))?;
        within("correlations", std::iter::once(self.correlations), |sum| sum.abs() <= most * count(m))
    }
}

fn within(
    name: &'static str,
    mut sums: impl Iterator<Item = f64>,
    reached: impl Fn(f64) -> bool,
) -> Result<(), LearnerError> {
    let domain = "what the rounds sum up to";
    match sums.find(|sum| !reached(*sum)) {
        Some(value) => Err(LearnerError::BadParameter { name, value, domain }),
        None => Ok(()),
    }
}

impl Setting {
    /// The ends of the cube's edges, and where A starts.
    pub(super) fn cube(self) -> ([f64; 2], f64) {
        match self {
            Self::Agnostic => ([-1.0, 1.0], 0.0),
            Self::Realizable => ([0.0, 1.0], 0.5),
        }
    }
}

pub(super) fn check_labels(labels: &[Label]) -> Result<(), LearnerError> {
    if labels.is_empty() { Err(LearnerError::Empty { argument: "labels" }) } else { Ok(()) }
}

#[allow(clippy::cast_precision_loss, reason = "a count of rounds or examples")]
pub(super) fn count(n: usize) -> f64 {
    n as f64
}
