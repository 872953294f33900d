//! The gaps that Hedge over growing stumps keeps, and what of them may be loaded.

use super::GrownStumps;
use crate::batch::Stump;
use crate::online::dartboard::{Dartboard, bad_count};
use crate::online::gaps::Gaps;
use crate::{Label, LearnerError};
use rows::Row;
use serde::{Deserialize, Serialize};

/// What a learner keeps and saves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) most_values: usize,
    pub(super) features: Vec<Gaps>,
    /// Σ y_t.
    pub(super) total: i64,
    pub(super) current: Expert,
    /// u ∈ [0, 1): the current expert goes to the upper half if its gap splits and that half's share is above u.
    pub(super) coin: f64,
    pub(super) dartboard: Dartboard,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) enum Expert {
    Constant(Label),
    /// A threshold in this gap; the polarity is the answer above it.
    Gap {
        feature: usize,
        gap: usize,
        polarity: Label,
    },
}

/// Whether a value is above the threshold in a gap; `None` where it would split that gap.
pub(super) fn is_above(place: Result<usize, usize>, gap: usize) -> Option<bool> {
    match place {
        Ok(value) => Some(gap <= value),
        Err(split) => (split != gap).then_some(gap < split),
    }
}

impl State {
    pub(super) fn vote(&self, x: Row<'_>) -> Label {
        match self.current {
            Expert::Constant(label) => label,
            Expert::Gap { feature, gap, polarity } => {
                let gaps = &self.features[feature];
                let place = gaps.place(x.get(feature).unwrap_or(0.0), self.most_values);
                let above = is_above(place, gap).unwrap_or(self.coin >= gaps.upper_share(gap));
                if above { polarity } else { -polarity }
            }
        }
    }

    /// Adds y to the sums of the values that x shows, after splitting the gaps that new ones fall into; returns how many.
    pub(super) fn count(&mut self, x: Row<'_>, y: i64) -> usize {
        self.total += y;
        let mut splits = 0;
        let Self { features, current, coin, dartboard, .. } = self;
        x.for_each(|j, v| {
            let place = features[j].place(v, self.most_values).unwrap_or_else(|split| {
                let upper = *coin < features[j].upper_share(split);
                features[j].split(split, v);
                splits += 1;
                if let Expert::Gap { feature, gap, .. } = current
                    && *feature == j
                {
                    if *gap == split {
                        *gap += usize::from(upper);
                        *coin = dartboard.coin();
                    } else if *gap > split {
                        *gap += 1;
                    }
                }
                split
            });
            features[j].count(place, y);
        });
        splits
    }

    /// The gain of each expert and its cost, ln(1/π) but for a constant, in their order.
    pub(super) fn gains(&self) -> impl Iterator<Item = (i64, f64)> {
        let constants = [(self.total, 0.0), (-self.total, 0.0)];
        let of_gaps = self.features.iter().flat_map(|gaps| gaps.gains(self.total));
        constants.into_iter().chain(of_gaps.flat_map(|(gain, cost)| [(gain, cost), (-gain, cost)]))
    }

    pub(super) fn expert(&self, i: usize) -> Option<Expert> {
        let polarity = if i.is_multiple_of(2) { Label::Plus } else { Label::Minus };
        let Some(mut gap) = (i / 2).checked_sub(1) else { return Some(Expert::Constant(polarity)) };
        for (feature, gaps) in self.features.iter().enumerate() {
            if gap < gaps.len() {
                return Some(Expert::Gap { feature, gap, polarity });
            }
            gap -= gaps.len();
        }
        None
    }

    pub(super) fn stump(&self, expert: Expert) -> Stump {
        let (split, polarity) = match expert {
            Expert::Constant(label) => (None, label),
            Expert::Gap { feature, gap, polarity } => {
                match self.features[feature].threshold(gap) {
                    Some(threshold) => (Some((feature, threshold)), polarity),
                    // Every value is above the lowest gap and below the highest.
                    None => (None, if gap == 0 { polarity } else { -polarity }),
                }
            }
        };
        Stump::trusted(self.features.len(), split, polarity)
    }
}

impl From<GrownStumps> for State {
    fn from(learner: GrownStumps) -> Self {
        learner.state
    }
}

impl TryFrom<State> for GrownStumps {
    type Error = LearnerError;

    fn try_from(state: State) -> Result<Self, LearnerError> {
        let State { most_values, features, total, current, coin, dartboard } = &state;
        dartboard.check()?;
        if features.is_empty() {
            return Err(LearnerError::Empty { argument: "inputs" });
        }
        if *most_values < 2 {
            return Err(bad_count("most values", *most_values as u64, "K ≥ 2"));
        }
        features.iter().try_for_each(|gaps| gaps.check(*most_values, *total, dartboard))?;
        if let Expert::Gap { feature, gap, .. } = *current {
            let Some(gaps) = features.get(feature) else {
                return Err(bad_count("feature of the expert", feature as u64, "0 ≤ j < m"));
            };
            if gap >= gaps.len() {
                return Err(bad_count("gap of the expert", gap as u64, "a gap of its feature"));
            }
        }
        if !(0.0..1.0).contains(coin) {
            return Err(LearnerError::BadParameter { name: "coin", value: *coin, domain: "[0, 1)" });
        }
        let experts = 2 + 2 * features.iter().map(Gaps::len).sum::<usize>();
        Ok(Self { state, weights: vec![0.0; experts], costs: vec![0.0; experts] })
    }
}
