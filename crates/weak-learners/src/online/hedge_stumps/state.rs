//! The sums that Hedge over stumps keeps, and what of them may be loaded.

use super::HedgeStumps;
use crate::batch::Stump;
use crate::online::Thresholds;
use crate::online::dartboard::{Dartboard, bad_count};
use crate::{Label, LearnerError};
use serde::{Deserialize, Serialize};

/// What a learner keeps and saves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) thresholds: Thresholds,
    /// Σ y_t, over all rounds.
    pub(super) total: i64,
    /// Σ y_t over the rounds in which x_j fell into a bucket, for one bucket more than thresholds a feature. The bucket
    /// of 0 keeps no sum, so that what a sparse row leaves out costs nothing: its sum is what the others leave of the
    /// total.
    pub(super) sums: Vec<i64>,
    pub(super) current: usize,
    pub(super) dartboard: Dartboard,
}

impl State {
    /// The gain of each expert, in their order.
    pub(super) fn gains(&self, zeros: &[usize]) -> impl Iterator<Item = i64> {
        let total = self.total;
        let of_feature = move |(j, &zero): (usize, &usize)| {
            let places = self.thresholds.places(j);
            let sums = &self.sums[places.start + j..=places.end + j];
            let of_zero = total - sums.iter().sum::<i64>();
            let mut below = 0;
            sums[..places.len()].iter().enumerate().flat_map(move |(bucket, sum)| {
                below += if bucket == zero { of_zero } else { *sum };
                [total - 2 * below, 2 * below - total]
            })
        };
        [total, -total].into_iter().chain(zeros.iter().enumerate().flat_map(of_feature))
    }

    /// Expert i < n.
    pub(super) fn stump(&self, i: usize) -> Stump {
        let polarity = if i.is_multiple_of(2) { Label::Plus } else { Label::Minus };
        let split = (i >= 2).then(|| self.thresholds.at_place(i / 2 - 1));
        Stump::trusted(self.thresholds.inputs(), split, polarity)
    }
}

impl From<HedgeStumps> for State {
    fn from(learner: HedgeStumps) -> Self {
        learner.state
    }
}

impl TryFrom<State> for HedgeStumps {
    type Error = LearnerError;

    fn try_from(state: State) -> Result<Self, LearnerError> {
        let State { thresholds, total, sums, dartboard, current } = &state;
        dartboard.check()?;
        let expected = thresholds.total() + thresholds.inputs();
        if sums.len() != expected {
            let argument = "sums";
            return Err(LearnerError::LengthMismatch { argument, expected, got: sums.len() });
        }
        if *current >= thresholds.experts() {
            return Err(bad_count("expert", *current as u64, "0 ≤ i < n"));
        }
        for j in 0..thresholds.inputs() {
            let places = thresholds.places(j);
            dartboard.check_sums(
                *total,
                &sums[places.start + j..=places.end + j],
                thresholds.bucket(j, 0.0),
            )?;
        }
        Ok(Self::from_checked(state))
    }
}
