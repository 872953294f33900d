//! OSBoost, smooth boosting one example at a time \[CLL12\].

use super::passing::{Passing, TaughtLearners, check_below_1, majority};
use crate::requirements::check_output;
use rand::Rng;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

/// OSBoost \[CLL12\], the online form of SmoothBoost \[S03\].
///
/// With θ = γ/(2+γ): z^0 = 0, z^i = z^{i−1} + y·h_i(x) − θ; w^1 = 1, w^{i+1} = min((1−γ)^{z^i/2}, 1); (x, y)
/// is passed to learner i with probability w^i; the vote is sgn Σ h_i(x), a tie counting as +1.
///
/// *Guarantee.* Let Λ = −ln(1−γ), c₊ = 2(1 − e^{−Λ(1−θ)/2})/Λ, c₋ = 2(e^{Λ(1+θ)/2} − 1)/Λ, a = (c₋ + c₊)/2
/// and b = (c₋ − c₊)/2. For every sequence, at every T, mistakes ≤ (2T/Λ − Σ_iΣ_t w_t^i(a·y_t h_i(x_t) −
/// b))/(Nθ + 2/Λ). As b ≤ aγ and Λθ ≥ γ²/2, learners of edges Σ_t w_t^i y_t h_i(x_t)/Σ_t w_t^i ≥ γ make at
/// most 4T/(4 + γ²N) mistakes together. γ is a correlation: an edge of γ is a weighted error of ½ − γ/2.
/// Derived and asserted in `tests/mistake_bound`. *Cost:* N votes and at most N updates a round, an
/// exponential a learner; no allocation. *Errors:* a row of another dimension, or an example that a learner
/// refuses, updates nothing.
///
/// ```
/// use boosters::mistake_bound::OsBoost;
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
/// use rows::Row;
/// use weak_learners::{Label, batch::Stump, online::SyntheticWeakLearner};
/// // Weak learners that follow the truth, the sign of x, with probability 0.7.
/// let truth = Stump::new(1, 0, 0.0, Label::Plus)?;
/// let learner = |seed| SyntheticWeakLearner::new(truth, 0.4, ChaCha8Rng::seed_from_u64(seed));
/// let weak = (0..25).map(learner).collect::<Result<Vec<_>, _>>()?;
/// let mut booster = OsBoost::new(weak, 0.4, &mut ChaCha8Rng::seed_from_u64(99))?;
/// let mut mistakes = 0;
/// for t in 0..2000 {
///     let x = [f64::from(t).sin()];
///     let y = Label::of_score(x[0]);
///     mistakes += u32::from(booster.round(Row::dense(&x)?, y)? != y);
/// }
/// assert!(mistakes < 100, "a learner alone makes some 600, these {mistakes}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<W>",
    into = "State<W>",
    bound(serialize = "W: Clone + Serialize", deserialize = "W: Deserialize<'de> + OnlinePredictor<Label>")
)]
pub struct OsBoost<W> {
    state: State<W>,
    passing: Passing,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<W> {
    #[serde(rename = "pupils")]
    taught: TaughtLearners<W>,
    advantage: f64,
}

impl<W: OnlinePredictor<Label>> OsBoost<W> {
    /// One round: votes at x, then learns y; returns the vote. The same as
    /// [`OnlineClassifier::round`](weak_learners::OnlineClassifier::round), which calls every learner twice.
    ///
    /// # Errors
    /// As [`update`](OnlinePredictor::update).
    pub fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        let Self { state: State { taught, advantage: gamma }, passing } = self;
        taught.vote(x, y, passing)?;
        let theta = *gamma / (2.0 + *gamma);
        let half_log = 0.5 * (-*gamma).ln_1p();
        let (mut z, mut w, mut score) = (0.0, 1.0, 0.0); // z^0 = 0, w^1 = 1
        for (h, p) in passing.votes.iter().zip(&mut passing.probabilities) {
            *p = w;
            z += y.sign() * h.sign() - theta; // z^i = z^{i−1} + y·h_i(x) − θ
            w = (half_log * z).exp().min(1.0); // w^{i+1} = min((1−γ)^{z^i/2}, 1)
            score += h.sign();
        }
        taught.learn(x, y, passing)?; // pass (x, y) to W_i with probability w^i
        Ok(Label::of_score(score))
    }

    /// N weak learners with one output, the advantage γ in (0, 1), and the key of the coins from `rng`.
    ///
    /// # Errors
    /// No learner, learners of different shapes, or γ outside (0, 1).
    pub fn new(
        learners: Vec<W>,
        advantage: f64,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Self, LearnerError> {
        State { taught: TaughtLearners::new(learners, rng), advantage }.try_into()
    }

    /// γ.
    pub fn advantage(&self) -> f64 {
        self.state.advantage
    }

    /// W_1, …, W_N.
    pub fn learners(&self) -> &[W] {
        self.state.taught.learners()
    }

    /// The record of the last round.
    pub fn passing(&self) -> &Passing {
        &self.passing
    }
}

impl<W: OnlinePredictor<Label>> OnlinePredictor<Label> for OsBoost<W> {
    fn shape(&self) -> Shape {
        self.state.taught.shape()
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_output(1, y.len())?;
        y[0] = majority(self.state.taught.learners_mut(), x)?.sign();
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.state.taught.accept(x, *y)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.round(x, *y).map(drop)
    }
}

impl<W> From<OsBoost<W>> for State<W> {
    fn from(booster: OsBoost<W>) -> Self {
        booster.state
    }
}

impl<W: OnlinePredictor<Label>> TryFrom<State<W>> for OsBoost<W> {
    type Error = LearnerError;

    fn try_from(state: State<W>) -> Result<Self, LearnerError> {
        check_below_1(state.advantage)?;
        state.taught.check()?;
        let passing = Passing::new(state.taught.learners().len());
        Ok(Self { state, passing })
    }
}
