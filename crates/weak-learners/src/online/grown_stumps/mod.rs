//! Hedge over stumps whose thresholds grow from the stream.
//!
//! Reading order: [`GrownStumps`]; the gaps of a feature; their tree.

mod gaps;
mod gap_tree;

use super::Thresholds;
use super::dartboard::{Dartboard, Rate, bad_count, exact, exponentiate};
use crate::batch::Stump;
use crate::predictor::check_shape;
use crate::{Label, LearnerError, OnlinePredictor, Shape};
use gap_tree::Unit;
use gaps::{Gaps, SavedGaps};
use projections::filled;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde::{Deserialize, Serialize};

/// Hedge over *all* stumps ±sgn(x_j − θ), θ ∈ R, and the two constants: [`HedgeStumps`](super::HedgeStumps)
/// without fixed thresholds.
///
/// All thresholds between two consecutive seen values of a feature have answered alike, so one expert
/// represents the gap. A new value splits its gap in two, which inherit its past exactly, share its prior
/// mass, and disagree on that value: an expert there goes to either half in proportion to its share, by a
/// coin tossed ahead. After r splits to the same side in a row, the share of that side is r/(r+1). A feature
/// keeps at most K values (0 is one of them from the start); then gaps no longer split, and their thresholds
/// are their midpoints. The expert is kept as by [`HedgeStumps`](super::HedgeStumps), and a split preserves
/// the Hedge distribution.
///
/// *Guarantee.* Let π(h) be the prior of a stump when the stream ends. Then Σ h(x_t)y_t − E Σ W(x_t)y_t ≤
/// ln(1/π(h))/η_T + ½Σ η_t for every prefix, on oblivious streams, and with
/// [`drawing_afresh`](Self::drawing_afresh) on every stream that does not see the draw of its own round.
/// Until a feature is full, every stump is covered. π depends on the order of new values: π ≥ 1/(4K²(2m + 2))
/// for ascending or descending values, and always π ≥ 6^(−K/2)/(2m + 2). If every split leaves h in the
/// lighter half, no rule for the shares keeps more than 2^(−K). Asserted in `tests/hedge/grown.rs`, the
/// priors of orders in `tests/hedge/orders.rs`, labels that answer votes in `tests/hedge/adaptive.rs`.
/// *Cost:* O(log K) for each stored value of x, with or without a split; for a draw of the expert O(m + log
/// K) and the gaps counted since the last draw. It allocates only to grow. *Errors:* a row of another
/// dimension; an update after 2^53 rounds.
///
/// ```
/// use rand::SeedableRng;
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::GrownStumps};
/// let mut learner = GrownStumps::new(1, 32, 0.2, rand_chacha::ChaCha8Rng::seed_from_u64(1))?;
/// let mut gain = 0.0;
/// for t in 0..500 {
///     let x = [f64::from(t % 10)];
///     let y = Label::of_score(x[0] - 6.5);
///     gain += learner.round(Row::dense(&x)?, y)?.sign() * y.sign();
/// }
/// assert_eq!(learner.best_expert().0.split(), Some((0, 6.5)));
/// assert!(gain > 400.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "State<SavedGaps>", into = "State<SavedGaps>")]
pub struct GrownStumps {
    state: State,
    weights: Vec<f64>,
    costs: Vec<f64>,
}

impl OnlinePredictor<Label> for GrownStumps {
    fn shape(&self) -> Shape {
        Shape { inputs: self.state.features.len(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, y.len())?;
        y.fill(self.state.vote(x).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.state.dartboard.accepts_round()
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.accepts(x, y)?;
        let wrong = self.state.vote(x) != *y;
        let splits = self.state.count(x, if *y == Label::Plus { 1 } else { -1 });
        let experts = self.experts() + 2 * splits;
        self.weights.resize(experts, 0.0);
        self.costs.resize(experts, 0.0);
        if self.state.dartboard.redraws_after(wrong) {
            self.draw();
        }
        Ok(())
    }
}

impl GrownStumps {
    /// m = `inputs` features, at most K = `most_values` ≥ 2 values of each, a constant η.
    ///
    /// # Errors
    /// No input, K < 2, η not positive.
    pub fn new(inputs: usize, most_values: usize, eta: f64, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        Self::with(inputs, most_values, Rate::Constant(eta), rng)
    }

    /// η_t = √(2(√2−1)L/2^k) in rounds 2^k, …, 2^(k+1) − 1, with L = ln((2m + 2)K), the entropy of gaps of
    /// equal mass.
    ///
    /// # Errors
    /// No input, K < 2.
    pub fn anytime(inputs: usize, most_values: usize, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        #[allow(clippy::cast_precision_loss, reason = "a count of experts")]
        let entropy = (2.0 * inputs as f64 + 2.0).ln() + (most_values.max(1) as f64).ln();
        Self::with(inputs, most_values, Rate::doubling(entropy), rng)
    }

    fn with(inputs: usize, most_values: usize, rate: Rate, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        let (features, current) =
            (filled("inputs", inputs, SavedGaps::new())?, Expert::Constant(Label::Plus));
        let dartboard = Dartboard::new(rate, rng);
        let state = State { most_values, features, total: 0, current, coin: 0.0, dartboard };
        let mut learner = Self::try_from(state)?;
        learner.state.coin = learner.state.dartboard.coin();
        learner.draw();
        Ok(learner)
    }

    /// Draws the expert of every round afresh, from now on: O(m + log K) more a round. The guarantee then
    /// holds against adaptive adversaries that have seen all votes so far. The coin is tossed again whenever
    /// a vote used it.
    #[must_use]
    pub fn drawing_afresh(mut self) -> Self {
        self.state.dartboard.draw_afresh();
        self.draw();
        self
    }

    /// n, which grows. Experts 0 and 1 are the constants + and −; then come the gaps feature by feature in
    /// ascending order, each with polarity + before −.
    pub fn experts(&self) -> usize {
        self.weights.len()
    }

    /// Expert i, with its threshold in the middle of its gap; an outer gap is a constant. `None` where i ≥ n.
    pub fn expert(&self, i: usize) -> Option<Stump> {
        Some(self.state.stump(self.state.expert(i)?))
    }

    /// Σ_t h_i(x_t)y_t over the rounds so far; `None` where i ≥ n. O(n).
    pub fn gain(&self, i: usize) -> Option<i64> {
        self.gain_and_cost(i).map(|(gain, _)| gain)
    }

    /// π_i, the prior of expert i in the current class; the sum is 1. `None` where i ≥ n. O(n).
    pub fn prior(&self, i: usize) -> Option<f64> {
        #[allow(clippy::cast_precision_loss, reason = "a count of features")]
        let roots = 2.0 * self.state.features.len() as f64 + 2.0;
        self.gain_and_cost(i).map(|(_, cost)| (-cost).exp() / roots)
    }

    fn gain_and_cost(&self, i: usize) -> Option<(i64, f64)> {
        let (mut expert, mut found) = (0, None);
        self.state.for_each_gain(|gain, cost| {
            if expert == i {
                found = Some((gain, cost));
            }
            expert += 1;
        });
        found
    }

    /// The first expert of largest gain in hindsight, and its gain. O(n).
    pub fn best_expert(&self) -> (Stump, i64) {
        let (mut expert, mut best, mut most) = (0, 0, i64::MIN);
        self.state.for_each_gain(|gain, _| {
            if gain > most {
                (best, most) = (expert, gain);
            }
            expert += 1;
        });
        let expert = self.state.expert(best).unwrap_or(Expert::Constant(Label::Plus));
        (self.state.stump(expert), most)
    }

    /// The probability of each expert in the next round. O(n).
    pub fn weights(&mut self) -> &[f64] {
        self.refresh_weights();
        &self.weights
    }

    /// The mean of the vote over the learner's own draws: the halves of a gap that x would split vote by
    /// their shares. O(n).
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn mean_vote(&mut self, x: Row<'_>) -> Result<f64, LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.refresh_weights();
        let mut pairs = self.weights.as_chunks::<2>().0.iter();
        let mut mean = pairs.next().map_or(0.0, |[plus, minus]| plus - minus);
        for (j, gaps) in self.state.features.iter().enumerate() {
            let place = gaps.place(x.get(j).unwrap_or(0.0), self.state.most_values);
            for (gap, [plus, minus]) in pairs.by_ref().take(gaps.len()).enumerate() {
                mean += match is_above(place, gap) {
                    Some(true) => plus - minus,
                    Some(false) => minus - plus,
                    None => (plus - minus) * (1.0 - 2.0 * gaps.upper_share(gap)),
                };
            }
        }
        Ok(mean.clamp(-1.0, 1.0))
    }

    /// The expert that votes in the next round; if x falls into its gap, its coin decides the side.
    pub fn current(&self) -> Stump {
        self.state.stump(self.state.current)
    }

    /// The midpoints of the gaps, as a class for [`HedgeStumps`](super::HedgeStumps).
    ///
    /// # Errors
    /// [`LearnerError::Empty`] before a value other than 0 was seen.
    pub fn thresholds(&self) -> Result<Thresholds, LearnerError> {
        Thresholds::at(self.state.features.iter().map(Gaps::thresholds).collect())
    }

    /// η of the next round.
    pub fn eta(&self) -> f64 {
        self.state.dartboard.eta()
    }

    /// Draws the expert of the next round.
    fn draw(&mut self) {
        let (share, experts) = (self.state.dartboard.coin(), self.experts());
        let drawn = self.state.at_share(share, experts).unwrap_or_else(|| {
            self.refresh_weights();
            Dartboard::at_share(share, &self.weights)
        });
        self.state.current = self.state.expert(drawn).unwrap_or(self.state.current);
    }

    /// Updates `weights`.
    fn refresh_weights(&mut self) {
        let Self { state, weights, costs } = self;
        let mut places = weights.iter_mut().zip(costs.iter_mut());
        state.for_each_gain(|gain, of_gap| {
            if let Some((weight, cost)) = places.next() {
                (*weight, *cost) = (exact(gain), of_gap);
            }
        });
        exponentiate(weights, state.dartboard.eta(), |i| costs[i]);
    }
}

/// The state of a learner, also its saved form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State<F = Gaps> {
    most_values: usize,
    features: Vec<F>,
    /// Σ y_t.
    total: i64,
    current: Expert,
    /// u ∈ [0, 1): the current expert goes to the upper half if its gap splits and that half's share is above
    /// u.
    coin: f64,
    dartboard: Dartboard,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Expert {
    Constant(Label),
    /// A threshold in this gap; the polarity is the answer above it.
    Gap {
        feature: usize,
        gap: usize,
        polarity: Label,
    },
}

/// Whether a value is above the threshold in a gap; `None` where it would split that gap.
fn is_above(place: Result<usize, usize>, gap: usize) -> Option<bool> {
    match place {
        Ok(value) => Some(gap <= value),
        Err(split) => (split != gap).then_some(gap < split),
    }
}

impl State {
    fn vote(&self, x: Row<'_>) -> Label {
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

    /// Adds y to the sums of the values of x, after splitting the gaps of new values; returns the number of
    /// splits.
    fn count(&mut self, x: Row<'_>, y: i64) -> usize {
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

    /// Visits the gain of each expert and its cost, ln(1/π) up to a constant, in their order.
    fn for_each_gain(&self, mut visit: impl FnMut(i64, f64)) {
        let mut both = |gain, cost| {
            visit(gain, cost);
            visit(-gain, cost);
        };
        both(self.total, 0.0);
        self.features.iter().for_each(|gaps| gaps.for_each_gain(self.total, &mut both));
    }

    /// The expert at which the cumulated weights first exceed this share of the total, from the masses of the
    /// trees; `None` within rounding.
    ///
    /// This sum and the sum over all experts in order are each off by less than n + 1000 roundings of the
    /// total, plus the roundings of the costs in the exponents.
    fn at_share(&mut self, share: f64, experts: usize) -> Option<usize> {
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
        // False for NaN.
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

    fn expert(&self, i: usize) -> Option<Expert> {
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

    fn stump(&self, expert: Expert) -> Stump {
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

impl From<GrownStumps> for State<SavedGaps> {
    fn from(GrownStumps { state, .. }: GrownStumps) -> Self {
        let features = state.features.iter().map(Gaps::saved).collect();
        state.with_features(features)
    }
}

impl TryFrom<State<SavedGaps>> for GrownStumps {
    type Error = LearnerError;

    fn try_from(state: State<SavedGaps>) -> Result<Self, LearnerError> {
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
        let experts = 2 + 2 * features.iter().map(SavedGaps::gaps).sum::<usize>();
        let features = features.iter().map(SavedGaps::checked).collect();
        let state = state.with_features(features);
        Ok(Self { state, weights: vec![0.0; experts], costs: vec![0.0; experts] })
    }
}

#[cfg(test)]
mod tests {
    use super::gap_tree::STEPS;
    use super::*;
    use rand::{RngExt, SeedableRng};

    fn rng(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    /// Values that rise, fall, come in any order, or come from both sides; labels from a threshold, one in
    /// five turned round.
    fn stream(order: u32, rounds: u32, seed: u64) -> impl Iterator<Item = (f64, Label)> {
        let mut rng = rng(seed);
        (1..=rounds).map(move |t| {
            let x = match order {
                0 => f64::from(t),
                1 => -f64::from(t),
                2 => rng.random_range(-1e3..1e3),
                _ => f64::from(t) * if t % 2 == 0 { 1.0 } else { -1.0 },
            };
            let label = Label::of_score(x - 0.3 * f64::from(rounds));
            (x, if rng.random_bool(0.2) { -label } else { label })
        })
    }

    /// The expert that the trees tell is the one that all weights in their order tell, for shares of any
    /// size.
    #[test]
    fn trees_and_weights_tell_the_same_expert() {
        let mut undecided = 0;
        for order in 0..4 {
            for eta in [1e-3, 0.2, 5.0] {
                let mut learner = GrownStumps::new(3, 400, eta, rng(7)).unwrap();
                let mut shares = rng(8);
                for (x, y) in stream(order, 300, 9) {
                    let row = [x, 0.0, (0.1 * x).floor()];
                    learner.update(Row::dense(&row).unwrap(), &y).unwrap();
                    let experts = learner.experts();
                    learner.refresh_weights();
                    let uniform: f64 = shares.random();
                    for share in [uniform, uniform.powi(20), 0.0, 1.0_f64.next_down()] {
                        let found = learner.state.at_share(share, experts);
                        let expected = Dartboard::at_share(share, &learner.weights);
                        assert!(found.is_none_or(|found| found == expected), "{found:?}, not {expected}");
                        undecided += u32::from(share == uniform && found.is_none());
                    }
                }
            }
        }
        assert!(undecided < 4, "of 3600 shares {undecided} are left to the weights");
    }

    /// Nodes that are looked at, in a round on average: of 16 times as many rounds each costs less than twice
    /// as much.
    #[test]
    fn rounds_stay_cheap_as_the_class_grows() {
        for order in 0..4 {
            let cost = |rounds: u32| {
                let mut learner = GrownStumps::new(1, usize::MAX, 0.2, rng(1)).unwrap();
                STEPS.set(0);
                for (x, y) in stream(order, rounds, 2) {
                    learner.update(Row::dense(&[x]).unwrap(), &y).unwrap();
                }
                assert_eq!(learner.experts(), 2 * rounds as usize + 6, "all values differ");
                STEPS.get() / u64::from(rounds)
            };
            let (few, many) = (cost(2_000), cost(32_000));
            assert!(many < 2 * few && many < 1000, "order {order}: {few} and {many} a round");
        }
    }
}
