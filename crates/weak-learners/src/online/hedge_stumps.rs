//! Hedge over the stumps of a finite class.

use super::Thresholds;
use super::dartboard::{Dartboard, Rate, bad_count, exact, exponentiate, first_best};
use crate::batch::Stump;
use crate::predictor::check_shape;
use crate::{Label, LearnerError, OnlinePredictor, Shape};
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde::{Deserialize, Serialize};

/// Hedge \[FS97\] over n experts, the stumps ±sgn(x_j − θ) with fixed thresholds and the two constants. It
/// votes as one expert, which is h with probability ∝ exp(η Σ_{s<t} h(x_s)y_s).
///
/// The expert is kept from round to round by the shrinking dartboard \[GVW10\]: after a wrong vote it stays
/// with probability e^(−2η), and is otherwise drawn afresh. In each round it then has exactly the Hedge
/// distribution on an *oblivious* stream, whose examples do not depend on the learner's own draws; a
/// booster's relabelling of such a stream does not. Labels that depend on earlier votes can learn the kept
/// expert; [`drawing_afresh`](Self::drawing_afresh) prevents this.
///
/// *Guarantee.* max_h Σ h(x_t)y_t − E Σ W(x_t)y_t ≤ ln n/η + ηT/2 for every prefix, which is √(2T ln n) for
/// [`tuned`](Self::tuned); ln n/η_T + ½Σ η_t ≤ 2.2√(T ln n) for [`anytime`](Self::anytime). This holds on
/// oblivious streams, and with fresh draws on every stream that does not see the draw of its own round. The
/// best gain is not negative, so there it is a weak learner with every advantage γ ≤ 1 and that regret
/// \[BCMH20, Definition 1\]. Asserted in `tests/hedge/fixed.rs`, against labels that answer votes in
/// `tests/hedge/adaptive.rs`.
///
/// *Cost.* One sum of labels is kept between any two neighbouring thresholds: O(log K) for each stored value
/// of x with K thresholds, O(n) for a draw of the expert. No allocation after construction. *Errors:* a row
/// of another dimension; an update after 2^53 rounds.
///
/// ```
/// use rand::SeedableRng;
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, OnlinePredictor, online::{HedgeStumps, Thresholds}};
/// let thresholds = Thresholds::at(vec![vec![0.5, 1.5], vec![0.5]])?;
/// let mut learner = HedgeStumps::tuned(thresholds, 400, rand_chacha::ChaCha8Rng::seed_from_u64(1))?;
/// let mut gain = 0.0;
/// for t in 0..400 {
///     let x = [f64::from(t % 3), f64::from(t % 2)];
///     let y = Label::of_score(x[0] - 1.5);
///     gain += learner.round(Row::dense(&x)?, y)?.sign() * y.sign();
/// }
/// let (best, of_best) = learner.best_expert();
/// assert_eq!((best.split(), of_best), (Some((0, 1.5)), 400));
/// assert!(gain > 400.0 - 2.0 * (2.0 * 400.0 * 8_f64.ln()).sqrt());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct HedgeStumps {
    state: State,
    expert: Stump,
    /// The bucket that 0 falls into, for each feature.
    zeros: Vec<usize>,
    weights: Vec<f64>,
}

impl OnlinePredictor<Label> for HedgeStumps {
    fn shape(&self) -> Shape {
        Shape { inputs: self.state.thresholds.inputs(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, y.len())?;
        y.fill(self.expert.vote(x)?.sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.state.dartboard.accepts_round()
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.accepts(x, y)?;
        let wrong = self.expert.vote(x)? != *y;
        self.count(x, *y);
        if self.state.dartboard.redraws_after(wrong) {
            self.draw();
        }
        Ok(())
    }
}

impl HedgeStumps {
    /// Hedge with a constant η.
    ///
    /// # Errors
    /// η not positive.
    pub fn new(thresholds: Thresholds, eta: f64, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        let dartboard = Dartboard::new(Rate::Constant(eta), rng);
        dartboard.check()?;
        Ok(Self::with(thresholds, dartboard))
    }

    /// η = √(2 ln n/T), for T rounds.
    ///
    /// # Errors
    /// T = 0.
    pub fn tuned(thresholds: Thresholds, rounds: u32, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        if rounds == 0 {
            return Err(LearnerError::BadParameter { name: "rounds", value: 0.0, domain: "T ≥ 1" });
        }
        let eta = (2.0 * entropy(&thresholds) / f64::from(rounds)).sqrt();
        Self::new(thresholds, eta, rng)
    }

    /// η_t = √(2(√2−1) ln n/2^k) in rounds 2^k, …, 2^(k+1) − 1, for an unknown number of rounds.
    #[must_use]
    pub fn anytime(thresholds: Thresholds, rng: ChaCha8Rng) -> Self {
        let rate = Rate::doubling(entropy(&thresholds));
        Self::with(thresholds, Dartboard::new(rate, rng))
    }

    /// Draws the expert of every round afresh, from now on: O(n) a round. The guarantee then holds against
    /// adaptive adversaries that have seen all votes so far.
    #[must_use]
    pub fn drawing_afresh(mut self) -> Self {
        self.state.dartboard.draw_afresh();
        self.draw();
        self
    }

    fn with(thresholds: Thresholds, dartboard: Dartboard) -> Self {
        let sums = vec![0; thresholds.total() + thresholds.inputs()];
        let mut learner = Self::from_checked(State { thresholds, total: 0, sums, current: 0, dartboard });
        learner.draw();
        learner
    }

    fn from_checked(state: State) -> Self {
        let thresholds = &state.thresholds;
        let zeros = (0..thresholds.inputs()).map(|j| thresholds.bucket(j, 0.0)).collect();
        let (expert, weights) = (state.stump(state.current), vec![0.0; thresholds.experts()]);
        Self { expert, zeros, weights, state }
    }

    /// The class.
    pub fn thresholds(&self) -> &Thresholds {
        &self.state.thresholds
    }

    /// n. Experts 0 and 1 are the constants + and −; then come the stumps feature by feature, threshold by
    /// threshold, each with polarity + before −.
    pub fn experts(&self) -> usize {
        self.state.thresholds.experts()
    }

    /// Expert i; `None` where i ≥ n.
    pub fn expert(&self, i: usize) -> Option<Stump> {
        (i < self.experts()).then(|| self.state.stump(i))
    }

    /// Σ_t h_i(x_t)y_t over the rounds so far; `None` where i ≥ n. O(n).
    pub fn gain(&self, i: usize) -> Option<i64> {
        self.state.gains(&self.zeros).nth(i)
    }

    /// The first expert of largest gain in hindsight, and its gain. O(n).
    pub fn best_expert(&self) -> (Stump, i64) {
        let (best, gain) = first_best(self.state.gains(&self.zeros));
        (self.state.stump(best), gain)
    }

    /// The probability of each expert in the next round. O(n).
    pub fn weights(&mut self) -> &[f64] {
        self.refresh_weights();
        &self.weights
    }

    /// Σ_i w_i h_i(x) ∈ \[−1, 1\], the mean of its vote over its own draws. O(n).
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn mean_vote(&mut self, x: Row<'_>) -> Result<f64, LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.refresh_weights();
        let (pairs, _) = self.weights.as_chunks::<2>();
        // Pairs of an expert and its opposite: the constants, then a pair for each threshold.
        let mut mean = pairs[0][0] - pairs[0][1];
        for j in 0..x.dimension() {
            let places = self.state.thresholds.places(j);
            let below = self.state.thresholds.bucket(j, x.get(j).unwrap_or(0.0));
            for (k, [plus, minus]) in pairs[1..][places].iter().enumerate() {
                mean += if k < below { plus - minus } else { minus - plus };
            }
        }
        Ok(mean.clamp(-1.0, 1.0))
    }

    /// The expert that votes in the next round.
    pub fn current(&self) -> Stump {
        self.expert
    }

    /// η of the next round.
    pub fn eta(&self) -> f64 {
        self.state.dartboard.eta()
    }

    /// Adds y to the sums of the buckets that x falls into.
    fn count(&mut self, x: Row<'_>, y: Label) {
        let State { thresholds, total, sums, .. } = &mut self.state;
        let zeros = &self.zeros;
        let y = if y == Label::Plus { 1 } else { -1 };
        *total += y;
        x.for_each(|j, v| {
            let bucket = thresholds.bucket(j, v);
            if bucket != zeros[j] {
                sums[thresholds.places(j).start + j + bucket] += y;
            }
        });
    }

    /// Draws the expert of the next round.
    fn draw(&mut self) {
        self.refresh_weights();
        self.state.current = self.state.dartboard.draw(&self.weights);
        self.expert = self.state.stump(self.state.current);
    }

    /// Updates `weights`.
    fn refresh_weights(&mut self) {
        // Internal iteration over the gains: a chain of iterators is slower from outside.
        let mut weights = self.weights.iter_mut();
        self.state.gains(&self.zeros).for_each(|gain| {
            if let Some(weight) = weights.next() {
                *weight = exact(gain);
            }
        });
        exponentiate(&mut self.weights, self.state.dartboard.eta(), |_| 0.0);
    }
}

/// ln n.
fn entropy(thresholds: &Thresholds) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a count of experts")]
    (thresholds.experts() as f64).ln()
}

/// The state of a learner, also its saved form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    thresholds: Thresholds,
    /// Σ y_t, over all rounds.
    total: i64,
    /// Σ y_t over the rounds in which x_j fell into a bucket, for one bucket more than thresholds a feature.
    /// The bucket of 0 keeps no sum, so that absent entries of a sparse row cost nothing: its sum is the rest
    /// of the total.
    sums: Vec<i64>,
    current: usize,
    dartboard: Dartboard,
}

impl State {
    /// The gain of each expert, in their order.
    fn gains(&self, zeros: &[usize]) -> impl Iterator<Item = i64> {
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
    fn stump(&self, i: usize) -> Stump {
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
