//! What a statistical booster holds: what is saved, and checked when it is made.

use super::MajorityVote;
use oco_core::{OcoError, OnlineLearner};
use serde::{Deserialize, Serialize};
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

    /// Refuses what no run leads to.
    pub(super) fn check(&self) -> Result<(), LearnerError> {
        check_labels(&self.labels)?;
        self.checked_play()?;
        let (m, rounds) = (self.labels.len(), count(self.vote.hypotheses().len()));
        for (argument, sums) in [("agreements", &self.agreements), ("plays", &self.plays)] {
            if sums.len() != m {
                return Err(LearnerError::LengthMismatch { argument, expected: m, got: sums.len() });
            }
            if let Some(&value) = sums.iter().find(|sum| !(sum.abs() <= rounds)) {
                let (name, domain) = (argument, "[-T, T]");
                return Err(LearnerError::BadParameter { name, value, domain });
            }
        }
        if !(self.correlations.abs() <= rounds * count(m)) {
            let (name, value, domain) = ("correlations", self.correlations, "[-Tm, Tm]");
            return Err(LearnerError::BadParameter { name, value, domain });
        }
        Ok(())
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
