//! AdaBoost.OL, the adaptive online booster \[BKL15\].

use super::passing::{Passing, TaughtLearners};
use crate::draws::Draws;
use crate::requirements::check_output;
use oco_core::learners::{Hedge, Ogd};
use oco_core::{OnlineLearner, StepSchedule};
use projections::BoxSet;
use rand::Rng;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};

/// AdaBoost.OL \[BKL15\]: logistic boosting without a known advantage, with adaptive weights of the learners.
///
/// s^0 = 0, s^i = s^{i−1} + α^i·y·h_i(x); (x, y) is passed to learner i with probability w^i = 1/(1 +
/// e^{s^{i−1}}). Every α^i is an [`Ogd`] on [−2, 2] with steps 4/√t, for the loss α ↦ ln(1 + e^{−s^{i−1} −
/// αyh_i(x)}); the N of them are one OGD on the cube. The vote is ŷ^i = sgn Σ_{j≤i} α^j h_j(x), a tie
/// counting as +1, for an i drawn from the weights v of a [`Hedge`] on the mistakes of ŷ^1, …, ŷ^N: v^i ←
/// v^i·e^{−1{ŷ^i ≠ y}}.
///
/// *Guarantee.* With e_i = Σ_t w_t^i y_t h_i(x_t)/Σ_t w_t^i the edge of learner i, for every sequence and at
/// every T, the best of ŷ^1, …, ŷ^N makes M ≤ 4(T ln 2 + 6N√T)/Σ_i e_i² mistakes. The vote makes, in
/// expectation over its own draws, at most (M + ln N)/(1 − 1/e). Derived from the regrets of OGD and Hedge,
/// and asserted with them, in `tests/mistake_bound`. *Cost:* N votes and at most N updates a round, two
/// exponentials a learner; no allocation. *Errors:* a row of another dimension, or an example that a learner
/// refuses, updates nothing.
///
/// ```
/// use boosters::mistake_bound::AdaBoostOl;
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
/// use rows::Row;
/// use weak_learners::{Label, batch::Stump, online::SyntheticWeakLearner};
/// // Weak learners that follow the truth, the sign of x, with probability 0.7.
/// let truth = Stump::new(1, 0, 0.0, Label::Plus)?;
/// let learner = |seed| SyntheticWeakLearner::new(truth, 0.4, ChaCha8Rng::seed_from_u64(seed));
/// let weak = (0..25).map(learner).collect::<Result<Vec<_>, _>>()?;
/// let mut booster = AdaBoostOl::new(weak, &mut ChaCha8Rng::seed_from_u64(99))?;
/// let mut mistakes = 0;
/// for t in 0..2000 {
///     let x = [f64::from(t).sin()];
///     let y = Label::of_score(x[0]);
///     mistakes += u32::from(booster.round(Row::dense(&x)?, y)? != y);
/// }
/// assert!(mistakes < 300, "a learner alone makes some 600, these {mistakes}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<W>",
    into = "State<W>",
    bound(serialize = "W: Clone + Serialize", deserialize = "W: Deserialize<'de> + OnlinePredictor<Label>")
)]
pub struct AdaBoostOl<W> {
    state: State<W>,
    passing: Passing,
    gradients: Vec<f64>,
    mistakes: Vec<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<W> {
    #[serde(rename = "pupils")]
    taught: TaughtLearners<W>,
    /// α^1, …, α^N.
    steps: Ogd<BoxSet>,
    /// v over ŷ^1, …, ŷ^N.
    experts: Hedge,
    /// The draw of i.
    choice: Draws,
}

impl<W: OnlinePredictor<Label>> AdaBoostOl<W> {
    /// One round: votes at x, then learns y; returns the vote. The same as
    /// [`OnlineClassifier::round`](weak_learners::OnlineClassifier::round), which calls every learner twice.
    ///
    /// # Errors
    /// As [`update`](OnlinePredictor::update).
    pub fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        let Self { state, passing, gradients, mistakes } = self;
        state.taught.vote(x, y, passing)?;
        let (mut score, mut w) = (0.0, 0.5); // s^0 = 0, w^1 = 1/2
        let chosen = state.chosen();
        let mut played = Label::Plus;
        for (i, (h, alpha)) in passing.votes.iter().zip(state.steps.play()).enumerate() {
            passing.probabilities[i] = w;
            score += alpha * h.sign(); // s^i = y·score
            w = 1.0 / (1.0 + (y.sign() * score).exp()); // w^{i+1}
            gradients[i] = -y.sign() * h.sign() * w; // of ln(1 + e^{−s^{i−1} − αyh}) at α^i
            let expert = Label::of_score(score); // ŷ^i
            mistakes[i] = if expert == y { 0.0 } else { 1.0 };
            played = if i == chosen { expert } else { played };
        }
        state.taught.learn(x, y, passing)?; // pass (x, y) to W_i with probability w^i
        state.steps.observe(gradients)?;
        state.experts.observe(mistakes)?; // v^i ← v^i·e^{−1{ŷ^i ≠ y}}
        state.choice.advance();
        Ok(played)
    }

    /// N weak learners with one output, and the key of the coins from `rng`.
    ///
    /// # Errors
    /// No learner, or learners of different shapes.
    pub fn new(learners: Vec<W>, rng: &mut (impl Rng + ?Sized)) -> Result<Self, LearnerError> {
        let n = learners.len();
        if n == 0 {
            return Err(LearnerError::Empty { argument: "learners" });
        }
        let taught = TaughtLearners::new(learners, rng);
        let (steps, experts) = (steps(n)?, experts(n)?);
        State { taught, steps, experts, choice: Draws::new(rng, 1) }.try_into()
    }

    /// W_1, …, W_N.
    pub fn learners(&self) -> &[W] {
        self.state.taught.learners()
    }

    /// α^1, …, α^N of the next round.
    pub fn alphas(&self) -> &[f64] {
        self.state.steps.play()
    }

    /// v of the next round, a distribution over ŷ^1, …, ŷ^N.
    pub fn expert_weights(&self) -> &[f64] {
        self.state.experts.play()
    }

    /// The record of the last round.
    pub fn passing(&self) -> &Passing {
        &self.passing
    }
}

impl<W> State<W> {
    /// The i, from 0, of the ŷ^i that votes in the next round.
    fn chosen(&self) -> usize {
        let v = self.experts.play();
        let mut left = self.choice.coming().first().copied().unwrap_or(0.0);
        for (i, v) in v.iter().enumerate() {
            left -= v;
            if left < 0.0 {
                return i;
            }
        }
        v.len() - 1
    }
}

impl<W: OnlinePredictor<Label>> OnlinePredictor<Label> for AdaBoostOl<W> {
    fn shape(&self) -> Shape {
        self.state.taught.shape()
    }

    /// Calls only the learners that the vote needs.
    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_output(1, y.len())?;
        let (chosen, mut score) = (self.state.chosen(), 0.0);
        let State { taught, steps, .. } = &mut self.state;
        for (learner, alpha) in taught.learners_mut().iter_mut().zip(steps.play()).take(chosen + 1) {
            score += alpha * learner.vote(x)?.sign();
        }
        y[0] = Label::of_score(score).sign();
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.state.taught.accept(x, *y)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.round(x, *y).map(drop)
    }
}

/// α ∈ [−2, 2].
const LARGEST: f64 = 2.0;

/// The α^i, from 0 with steps 4/√t: the diameter of [−2, 2] is 4, and the slopes are at most 1.
fn steps(learners: usize) -> Result<Ogd<BoxSet>, LearnerError> {
    let cube = BoxSet::new(vec![-LARGEST; learners], vec![LARGEST; learners])?;
    Ok(Ogd::new(cube, learners, StepSchedule::zinkevich(2.0 * LARGEST, 1.0)?)?)
}

/// v, uniform at first, with η = 1.
fn experts(learners: usize) -> Result<Hedge, LearnerError> {
    Ok(Hedge::new(learners, 1.0)?)
}

/// Checks that a loaded state, reset to its first round, equals a new one: the set, the steps and the start.
fn check_restart<A: OnlineLearner + Clone + Serialize>(
    by: &'static str,
    loaded: &A,
    made: &A,
) -> Result<(), LearnerError> {
    let text = |learner: &A| {
        let refused = |error: serde_json::Error| LearnerError::Refused { by, reason: error.to_string() };
        serde_json::to_string(learner).map_err(refused)
    };
    let mut restarted = loaded.clone();
    restarted.reset();
    let (restarted, made) = (text(&restarted)?, text(made)?);
    if restarted != made {
        return Err(LearnerError::Refused { by, reason: format!("{restarted} was loaded for {made}") });
    }
    Ok(())
}

impl<W> From<AdaBoostOl<W>> for State<W> {
    fn from(booster: AdaBoostOl<W>) -> Self {
        booster.state
    }
}

impl<W: OnlinePredictor<Label>> TryFrom<State<W>> for AdaBoostOl<W> {
    type Error = LearnerError;

    fn try_from(state: State<W>) -> Result<Self, LearnerError> {
        state.taught.check()?;
        let expected = state.taught.learners().len();
        let lengths = [("step sizes", state.steps.play().len()), ("experts", state.experts.play().len())];
        for (argument, got) in lengths {
            if got != expected {
                return Err(LearnerError::LengthMismatch { argument, expected, got });
            }
        }
        state.choice.check("choice", 1)?;
        check_restart("step sizes", &state.steps, &steps(expected)?)?;
        check_restart("experts", &state.experts, &experts(expected)?)?;
        let [gradients, mistakes] = [vec![0.0; expected], vec![0.0; expected]];
        Ok(Self { state, passing: Passing::new(expected), gradients, mistakes })
    }
}
