//! The gaps that Hedge over growing stumps keeps, and what of them may be loaded.

use super::GrownStumps;
use crate::batch::Stump;
use crate::online::dartboard::{Dartboard, bad_count, exact};
use crate::online::gap_tree::Unit;
use crate::online::gaps::{Gaps, Listed};
use crate::{Label, LearnerError};
use rows::Row;
use serde::{Deserialize, Serialize};

/// What a learner keeps, or saves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct State<F = Gaps> {
    pub(super) most_values: usize,
    pub(super) features: Vec<F>,
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

    /// Calls something with the gain of each expert and its cost, ln(1/π) but for a constant, in their order.
    pub(super) fn for_each_gain(&self, mut visit: impl FnMut(i64, f64)) {
        let mut both = |gain, cost| {
            visit(gain, cost);
            visit(-gain, cost);
        };
        both(self.total, 0.0);
        self.features.iter().for_each(|gaps| gaps.for_each_gain(self.total, &mut both));
    }

    /// The expert at which the weights of n experts in their order first come to more than this share of all, from the masses
    /// that the trees keep; nothing where rounding could decide.
    ///
    /// Of all weight in units of the heaviest, this sum and the one over all experts in their order are off by less than
    /// n + 1000 roundings each, and by those of costs, of which an exponent is a difference.
    pub(super) fn at_share(&mut self, share: f64, experts: usize) -> Option<usize> {
        let Self { features, total, dartboard, .. } = self;
        let (total, eta) = (*total, dartboard.eta());
        features.iter_mut().for_each(|gaps| gaps.refresh(eta));
        let constants = [(total, 0.0), (-total, 0.0)];
        let exponent = |(gain, cost): (i64, f64)| eta * exact(gain) - cost;
        let heaviest = features.iter().flat_map(|gaps| gaps.heaviest(total)).chain(constants);
        let (gain, cost) = heaviest.reduce(|a, b| if exponent(b) > exponent(a) { b } else { a })?;
        let unit = Unit { eta, gain, cost };
        let of_constants = constants.map(|(gain, cost)| unit.weight(gain, cost));
        let all = of_constants.iter().sum::<f64>()
            + features.iter().map(|gaps| gaps.weight(total, unit)).sum::<f64>();
        let largest_cost = features.iter().map(Gaps::largest_cost).fold(0.0, f64::max);
        #[allow(clippy::cast_precision_loss, reason = "a count of experts")]
        let off = all * f64::EPSILON * (4.0 * experts as f64 + 4096.0 + 16.0 * largest_cost);
        let share = share * all;
        // Not where something is no number.
        let is_sure =
            |before: f64, after: f64, first: bool| (first || share - before > off) && after - share > off;
        let mut before = 0.0;
        for (expert, weight) in of_constants.into_iter().enumerate() {
            let after = before + weight;
            if share < after {
                return is_sure(before, after, expert == 0).then_some(expert);
            }
            before = after;
        }
        let mut first = 2;
        for gaps in &*features {
            let weight = gaps.weight(total, unit);
            if share < before + weight {
                let found = gaps.find(share - before, total, unit)?;
                let is_sure = is_sure(before + found.before, before + found.after, false);
                return is_sure.then_some(first + found.expert);
            }
            before += weight;
            first += 2 * gaps.len();
        }
        None
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

impl<F> State<F> {
    fn with_features<G>(self, features: Vec<G>) -> State<G> {
        let Self { most_values, total, current, coin, dartboard, .. } = self;
        State { most_values, features, total, current, coin, dartboard }
    }
}

impl From<GrownStumps> for State<Listed> {
    fn from(GrownStumps { state, .. }: GrownStumps) -> Self {
        let features = state.features.iter().map(Gaps::listed).collect();
        state.with_features(features)
    }
}

impl TryFrom<State<Listed>> for GrownStumps {
    type Error = LearnerError;

    fn try_from(state: State<Listed>) -> Result<Self, LearnerError> {
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
            if gap >= gaps.gaps() {
                return Err(bad_count("gap of the expert", gap as u64, "a gap of its feature"));
            }
        }
        if !(0.0..1.0).contains(coin) {
            return Err(LearnerError::BadParameter { name: "coin", value: *coin, domain: "[0, 1)" });
        }
        let experts = 2 + 2 * features.iter().map(Listed::gaps).sum::<usize>();
        let features = features.iter().map(Listed::checked).collect();
        let state = state.with_features(features);
        Ok(Self { state, weights: vec![0.0; experts], costs: vec![0.0; experts] })
    }
}
