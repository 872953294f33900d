//! Online realizable boosting \[BCMH20, Algorithm 4\].

use super::inner_round::{FreshPlays, Interval, State, Trace};
use super::{RandomisedMajority, VoteRule};
use oco_core::OnlineLearner;
use oco_core::learners::Ogd;
use projections::BoxSet;
use rand::Rng;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

const INTERVAL: Interval = Interval::UNIT;

/// Online boosting by any online convex optimiser, for examples that some expert labels without error
/// \[BCMH20, Algorithm 4\].
///
/// Votes ŷ = Π((1/γN)ΣW_i(x)). Then, with A started afresh on \[0, 1\]: p^i = A(ℓ^1, …, ℓ^{i−1}), ℓ^i(p) =
/// p(W_i(x)y/γ − 1), and W_i learns (x, y) with probability p^i, nothing otherwise. No label is flipped.
///
/// *Guarantee.* On such examples, with weak learners of advantage γ and regret R_W on the examples passed to
/// them \[BCMH20, Definition 11\]: E Σŷ_ty_t ≥ T − R_W(T)/γ − T·R_A(N)/N \[BCMH20, Theorem 12\]; with
/// [`with_ogd`](Self::with_ogd) R_A(N)/N ≤ ½(1 + 1/γ)/√N. R_W bounds the regret on every number T' ≤ T of
/// examples, because that many are passed. (x_t, y_t) may depend on the past, but not on the coins of round
/// t, nor on the vote, which `predict` reveals. For E_Π\[ŷ_t\] in place of ŷ_t, with the *realised* regrets
/// Σp_t^i(γ − W_i(x_t)y_t) on p_t^i, not on the passed examples, it holds surely, at every prefix, for any
/// learners and any examples (`tests/agnostic/theorem_12.rs`). *Shapes:* one output, the vote ±1. *Cost:* N
/// votes, at most N updates and N steps of A a round; no allocation after the first. *Errors:* a refused
/// example updates nothing. *Errata.* R_W takes the place of the paper's 2R_W + Õ(√T).
///
/// ```
/// use boosters::agnostic::OnlineRealizableBooster;
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
/// use rows::Row;
/// use weak_learners::{Label, online::{HedgeStumps, Thresholds}};
/// let thresholds = Thresholds::at(vec![vec![0.5, 1.5, 2.5]])?;
/// let weak = |seed| HedgeStumps::tuned(thresholds.clone(), 400, ChaCha8Rng::seed_from_u64(seed));
/// let learners = (0..20).map(weak).collect::<Result<Vec<_>, _>>()?;
/// let mut booster = OnlineRealizableBooster::with_ogd(learners, 0.5, &mut ChaCha8Rng::seed_from_u64(20))?;
/// let mut mistakes = 0;
/// for t in 0..400 {
///     let x = [f64::from(t % 4)];
///     let y = Label::of_score(x[0] - 1.5);
///     mistakes += u32::from(booster.round(Row::dense(&x)?, y)? != y);
/// }
/// assert!(mistakes < 40, "{mistakes}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<W, A>",
    into = "State<W, A>",
    bound(
        serialize = "W: Clone + Serialize, A: Clone + Serialize",
        deserialize = "W: Deserialize<'de> + OnlinePredictor<Label>, A: Deserialize<'de> + OnlineLearner"
    )
)]
pub struct OnlineRealizableBooster<W, A> {
    state: State<W, A>,
    trace: Trace,
    /// The round in progress and the votes of a prediction, so that the trace stays that of the last round.
    working: Trace,
}

impl<W: OnlinePredictor<Label>, A: OnlineLearner> OnlineRealizableBooster<W, A> {
    /// One round on (x, y); returns the vote ŷ, made before y is used. Each W_i(x) is computed once.
    ///
    /// # Errors
    /// As [`update`](OnlinePredictor::update).
    pub fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        self.accepts(x, &y)?;
        let (State { learners, oco, majority, rule, draws }, round) = (&mut self.state, &mut self.working);
        let z = round.ask(learners, *majority, x)?;
        let y_hat = rule.vote(z, draws.coming()[0]); // line 2: ŷ_t = Π((1/γN) Σ W_i(x_t))
        let mut fresh = FreshPlays::new(oco, INTERVAL); // lines 3 to 7, for i = 1, …, N
        for i in 0..learners.len() {
            let p = fresh.play()?; // line 4: p_t^i = A(ℓ_t^1, …, ℓ_t^{i−1})
            let slope = majority.slope(round.votes()[i], y);
            fresh.observe(slope)?; // line 5: ℓ_t^i(p) = p(W_i(x_t)y_t/γ − 1)
            let passed = (draws.coming()[i + 1] < p).then_some(y); // line 6: with probability p_t^i
            round.record(p, slope, p, passed);
        }
        round.close(fresh.play()?);
        for (learner, passed) in learners.iter_mut().zip(round.passed()) {
            if let Some(y) = passed {
                learner.update(x, y)?; // line 6: pass (x_t, y_t) to W_i
            }
        }
        draws.advance();
        std::mem::swap(&mut self.trace, &mut self.working);
        Ok(y_hat)
    }
}

impl<W: OnlinePredictor<Label>, A: OnlineLearner> OnlinePredictor<Label> for OnlineRealizableBooster<W, A> {
    fn shape(&self) -> Shape {
        self.state.shape()
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        self.state.predict(x, y, &mut self.working)
    }

    /// Whether every learner accepts the example, even if it is not passed to it. It assumes that A stays in
    /// its interval and that the learners answer ±1. If one does not, `update` refuses what this accepts, and
    /// in a booster of such boosters some may have learnt by then.
    fn accepts(&self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.state.learners.iter().try_for_each(|learner| learner.accepts(x, y))
    }

    /// As [`round`](OnlineRealizableBooster::round). An A that leaves \[0, 1\], or a learner that does not
    /// answer ±1, breaks its contract and is refused before any update.
    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.round(x, *y).map(|_| ())
    }
}

impl<W: OnlinePredictor<Label>> OnlineRealizableBooster<W, Ogd<BoxSet>> {
    /// A is OGD from ½ with the constant step 1/(2(1 + 1/γ)√N), so that R_A(N) ≤ ½(1 + 1/γ)√N \[Z03\].
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_ogd(
        learners: Vec<W>,
        advantage: f64,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Self, LearnerError> {
        let oco = INTERVAL.ogd_from_middle(advantage, learners.len())?;
        Self::new(learners, oco, advantage, rng)
    }
}

impl<W: OnlinePredictor<Label>, A: OnlineLearner> OnlineRealizableBooster<W, A> {
    /// N weak learners of one shape, the learner A on \[0, 1\] (p^1 is its first play, ½ in the paper), the
    /// advantage γ ∈ (0, 1\], and the generator of the coins' key.
    ///
    /// # Errors
    /// No learner, learners of different rows or with several outputs, γ outside its domain, or an A whose
    /// first play is not a number of \[0, 1\].
    pub fn new(
        learners: Vec<W>,
        oco: A,
        advantage: f64,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Self, LearnerError> {
        State::new(learners, oco, advantage, rng)?.try_into()
    }

    /// The same booster with another rule for its votes; the learners do not depend on it.
    #[must_use]
    pub fn voting_by(mut self, rule: VoteRule) -> Self {
        self.state.rule = rule;
        self
    }

    /// z = (1/γN)ΣW_i(x).
    ///
    /// # Errors
    /// A row that a learner refuses.
    pub fn score(&mut self, x: Row<'_>) -> Result<f64, LearnerError> {
        self.state.score(x, &mut self.working)
    }

    /// The sign of z: the majority of the learners, +1 in a tie.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn sign(&mut self, x: Row<'_>) -> Result<Label, LearnerError> {
        Ok(RandomisedMajority::sign(self.score(x)?))
    }

    /// γ.
    pub fn advantage(&self) -> f64 {
        self.state.majority.advantage()
    }

    /// W_1, …, W_N.
    pub fn learners(&self) -> &[W] {
        &self.state.learners
    }

    /// The inner quantities of the last round.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

impl<W, A> From<OnlineRealizableBooster<W, A>> for State<W, A> {
    fn from(booster: OnlineRealizableBooster<W, A>) -> Self {
        booster.state
    }
}

impl<W: OnlinePredictor<Label>, A: OnlineLearner> TryFrom<State<W, A>> for OnlineRealizableBooster<W, A> {
    type Error = LearnerError;

    fn try_from(mut state: State<W, A>) -> Result<Self, LearnerError> {
        state.check(INTERVAL)?;
        let n = state.learners.len();
        Ok(Self { state, trace: Trace::with_capacity(n), working: Trace::with_capacity(n) })
    }
}
