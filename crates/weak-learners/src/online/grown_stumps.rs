//! Hedge over stumps whose thresholds grow from the stream.

use super::Thresholds;
use super::dartboard::{Dartboard, Rate, weigh};
use super::gaps::Gaps;
use crate::batch::Stump;
use crate::predictor::check_shape;
use crate::{Label, LearnerError, OnlinePredictor, Shape};
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde::{Deserialize, Serialize};

/// [`HedgeStumps`](super::HedgeStumps) without thresholds ahead: Hedge over *all* stumps ±sgn(x_j − θ), θ ∈ R, and the
/// two constants, as far as the stream has told them apart.
///
/// All thresholds between two consecutive seen values of a feature have answered alike, so one expert stands for the
/// gap. When a new value falls into it, the gap becomes two, which inherit its past exactly and half of its prior
/// mass each, and which disagree on that value already: an expert there goes to either half with probability ½, by a
/// coin that was tossed ahead. A feature keeps at most K values (0 is one of them from the start); then gaps
/// split no more and their thresholds are their midpoints. The expert is kept as [`HedgeStumps`](super::HedgeStumps)
/// keeps it, and a split leaves its distribution the Hedge distribution.
///
/// *Guarantee.* With π(h) the prior of a stump when the stream ends, 2^(−splits of its gap)/(2m + 2),
/// Σ h(x_t)y_t − E Σ W(x_t)y_t ≤ ln(1/π(h))/η_T + ½Σ η_t for every prefix; no stump at all is left out unless a feature is full.
/// All in `tests/hedge/grown.rs`. *Cost:* O(log K) for each stored value of x, O(K) where it splits a gap, O(n) where
/// the expert is drawn afresh. It allocates only where it grows. *Errors:* a row of another dimension.
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
#[serde(try_from = "State", into = "State")]
pub struct GrownStumps {
    state: State,
    weights: Vec<f64>,
    depths: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    most_values: usize,
    features: Vec<Gaps>,
    /// Σ y_t.
    total: i64,
    current: Expert,
    /// The half that the current expert goes to if its gap splits.
    upper: bool,
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
        check_shape(self.shape(), x, 1)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.accepts(x, y)?;
        let wrong = self.state.vote(x) != *y;
        let splits = self.state.count(x, if *y == Label::Plus { 1 } else { -1 });
        let experts = self.experts() + 2 * splits;
        self.weights.resize(experts, 0.0);
        self.depths.resize(experts, 0);
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

    /// η_t = √(2(√2−1)L/2^k) in rounds 2^k, …, 2^(k+1) − 1, with L = ln((2m + 2)K), the entropy of gaps of equal mass.
    ///
    /// # Errors
    /// No input, K < 2.
    pub fn anytime(inputs: usize, most_values: usize, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        #[allow(clippy::cast_precision_loss, reason = "a count of experts")]
        let entropy = (2.0 * inputs as f64 + 2.0).ln() + (most_values.max(1) as f64).ln();
        Self::with(inputs, most_values, Rate::doubling(entropy), rng)
    }

    fn with(inputs: usize, most_values: usize, rate: Rate, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        let (features, current) = (vec![Gaps::new(); inputs], Expert::Constant(Label::Plus));
        let dartboard = Dartboard::new(rate, rng);
        let state = State { most_values, features, total: 0, current, upper: false, dartboard };
        let mut learner = Self::try_from(state)?;
        learner.state.upper = learner.state.dartboard.coin();
        learner.draw();
        Ok(learner)
    }

    /// n, which grows. Experts are numbered: 0 and 1 are the constants + and −; then come the gaps feature by feature in
    /// rising order, each with polarity + before −.
    pub fn experts(&self) -> usize {
        self.weights.len()
    }

    /// Expert i, with its threshold in the middle of its gap; an outer gap is a constant. `None` where i ≥ n.
    pub fn expert(&self, i: usize) -> Option<Stump> {
        Some(self.state.stump(self.state.expert(i)?))
    }

    /// Σ_t h_i(x_t)y_t over the rounds so far; `None` where i ≥ n. O(n).
    pub fn gain(&self, i: usize) -> Option<i64> {
        let (mut place, mut found) = (0, None);
        self.state.for_each_gain(|gain, _| {
            if place == i {
                found = Some(gain);
            }
            place += 1;
        });
        found
    }

    /// π_i, the prior of expert i as the class stands; all sum to 1. `None` where i ≥ n. O(n).
    pub fn prior(&self, i: usize) -> Option<f64> {
        #[allow(clippy::cast_precision_loss, reason = "a count of features")]
        let roots = 2.0 * self.state.features.len() as f64 + 2.0;
        let (mut place, mut found) = (0, None);
        self.state.for_each_gain(|_, depth| {
            if place == i {
                found = Some((-f64::from(depth)).exp2() / roots);
            }
            place += 1;
        });
        found
    }

    /// The first expert of largest gain in hindsight, and its gain. O(n).
    pub fn best_expert(&self) -> (Stump, i64) {
        let (mut place, mut best) = (0, (0, i64::MIN));
        self.state.for_each_gain(|gain, _| {
            if gain > best.1 {
                best = (place, gain);
            }
            place += 1;
        });
        let expert = self.state.expert(best.0).unwrap_or(Expert::Constant(Label::Plus));
        (self.state.stump(expert), best.1)
    }

    /// The probability of each expert in the round to come, in their order. O(n).
    pub fn weights(&mut self) -> &[f64] {
        self.weigh();
        &self.weights
    }

    /// The mean of the vote over the learner's own draws: a gap that x would split votes 0. O(n).
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn mean_vote(&mut self, x: Row<'_>) -> Result<f64, LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.weigh();
        let mut pairs = self.weights.as_chunks::<2>().0.iter();
        let mut mean = pairs.next().map_or(0.0, |[plus, minus]| plus - minus);
        for (j, gaps) in self.state.features.iter().enumerate() {
            let place = gaps.place(x.get(j).unwrap_or(0.0), self.state.most_values);
            for (gap, [plus, minus]) in pairs.by_ref().take(gaps.len()).enumerate() {
                mean += match is_above(place, gap) {
                    Some(true) => plus - minus,
                    Some(false) => minus - plus,
                    None => 0.0,
                };
            }
        }
        Ok(mean.clamp(-1.0, 1.0))
    }

    /// The expert that votes in the round to come; where x falls into its gap, its coin says which side it is on.
    pub fn current(&self) -> Stump {
        self.state.stump(self.state.current)
    }

    /// The midpoints of the gaps, as a class for [`HedgeStumps`](super::HedgeStumps).
    ///
    /// # Errors
    /// [`LearnerError::Empty`] as long as no value but 0 was seen.
    pub fn thresholds(&self) -> Result<Thresholds, LearnerError> {
        Thresholds::at(self.state.features.iter().map(Gaps::thresholds).collect())
    }

    /// η of the round to come.
    pub fn eta(&self) -> f64 {
        self.state.dartboard.eta()
    }

    /// Draws the expert of the round to come.
    fn draw(&mut self) {
        self.weigh();
        let drawn = self.state.dartboard.draw(&self.weights);
        self.state.current = self.state.expert(drawn).unwrap_or(self.state.current);
    }

    /// Brings `weights` up to date.
    fn weigh(&mut self) {
        let Self { state, weights, depths } = self;
        let mut places = weights.iter_mut().zip(depths.iter_mut());
        state.for_each_gain(|gain, depth| {
            if let Some((weight, place)) = places.next() {
                // A sum of at most 2^53 labels is a double.
                #[allow(clippy::cast_precision_loss, reason = "see above")]
                {
                    *weight = gain as f64;
                }
                *place = depth;
            }
        });
        weigh(weights, state.dartboard.eta(), |i| depths[i]);
    }
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
                let place = self.features[feature].place(x.get(feature).unwrap_or(0.0), self.most_values);
                let above = is_above(place, gap).unwrap_or(!self.upper);
                if above { polarity } else { -polarity }
            }
        }
    }

    /// Adds y to the sums of the values that x shows, after splitting the gaps that new ones fall into; returns how many.
    fn count(&mut self, x: Row<'_>, y: i64) -> usize {
        self.total += y;
        let mut splits = 0;
        let Self { features, current, upper, dartboard, .. } = self;
        x.for_each(|j, v| {
            let place = features[j].place(v, self.most_values).unwrap_or_else(|split| {
                features[j].split(split, v);
                splits += 1;
                if let Expert::Gap { feature, gap, .. } = current
                    && *feature == j
                {
                    if *gap == split {
                        *gap += usize::from(*upper);
                        *upper = dartboard.coin();
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

    /// Calls `visit` with the gain and the depth of each expert, in their order.
    fn for_each_gain(&self, mut visit: impl FnMut(i64, u32)) {
        visit(self.total, 0);
        visit(-self.total, 0);
        for gaps in &self.features {
            gaps.for_each_gain(self.total, |gain, depth| {
                visit(gain, depth);
                visit(-gain, depth);
            });
        }
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

impl From<GrownStumps> for State {
    fn from(learner: GrownStumps) -> Self {
        learner.state
    }
}

impl TryFrom<State> for GrownStumps {
    type Error = LearnerError;

    fn try_from(state: State) -> Result<Self, LearnerError> {
        let State { most_values, features, total, current, dartboard, .. } = &state;
        dartboard.check()?;
        if features.is_empty() {
            return Err(LearnerError::Empty { argument: "inputs" });
        }
        let bad = |name, value, domain| Err(LearnerError::BadParameter { name, value, domain });
        if *most_values < 2 {
            #[allow(clippy::cast_precision_loss, reason = "0 or 1")]
            return bad("most values", *most_values as f64, "K ≥ 2");
        }
        features.iter().try_for_each(|gaps| gaps.check(*most_values, dartboard.rounds()))?;
        if total.unsigned_abs() > dartboard.rounds() {
            return bad("sum of labels", f64::INFINITY, "what the rounds can add up to");
        }
        if let Expert::Gap { feature, gap, .. } = *current
            && features.get(feature).is_none_or(|gaps| gap >= gaps.len())
        {
            return bad("expert", f64::INFINITY, "0 ≤ i < n");
        }
        let experts = 2 + 2 * features.iter().map(Gaps::len).sum::<usize>();
        Ok(Self { state, weights: vec![0.0; experts], depths: vec![0; experts] })
    }
}
