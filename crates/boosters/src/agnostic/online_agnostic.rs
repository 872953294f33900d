//! Online agnostic boosting \[BCMH20, Algorithm 1\].

use super::inner_round::{FreshPlays, Interval, State, Trace};
use super::{RandomisedMajority, VoteRule};
use oco_core::OnlineLearner;
use oco_core::learners::Ogd;
use projections::BoxSet;
use rand::Rng;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

const INTERVAL: Interval = Interval::SYMMETRIC;

/// Online agnostic boosting by any online convex optimiser \[BCMH20, Algorithm 1\].
///
/// Votes ŷ = Π((1/γN)ΣW_i(x)). Then, with A started afresh on \[−1, 1\]: p^i = A(ℓ^1, …, ℓ^{i−1}), ℓ^i(p) =
/// p(W_i(x)y/γ − 1), and W_i learns y with probability (1+p^i)/2, −y otherwise.
///
/// *Guarantee.* For every expert h with gains G_h = Σh(x_t)y_t, and weak learners with E ΣW_i(x_t)y_t^i ≥ γ·E
/// Σh(x_t)y_t^i − R_W(T) on the labels that they learn: E Σŷ_ty_t ≥ G_h − R_W(T)/γ − T·R_A(N)/N \[BCMH20,
/// Proposition 3\]. With [`with_ogd`](Self::with_ogd) R_A(N)/N ≤ (1 + 1/γ)/√N \[BCMH20, Theorem 2\]. (x_t,
/// y_t) may depend on the past, but not on the coins of round t, nor on the vote, which `predict` reveals.
/// For E_Π\[ŷ_t\] in place of ŷ_t it holds surely, at every prefix, for any learners and labels
/// (`tests/agnostic/proposition_3.rs`). The regrets are then those of A and the *realised* Σp_t^iy_t(γh(x_t)
/// − W_i(x_t)), on p_t^iy_t and not on the drawn labels. With learners below the claimed advantage γ it may
/// fail, and does (`tests/agnostic/not_weak.rs`). *Shapes:* one output, the vote ±1. *Cost:* N votes and
/// updates of weak learners a round, 2N checks of acceptance, N steps of A; no allocation after the first.
/// *Errors:* a refused example updates nothing.
///
/// A booster is again an [`OnlinePredictor`] of labels, so boosters stack.
///
/// ```
/// use boosters::agnostic::OnlineAgnosticBooster;
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
/// use rows::Row;
/// use weak_learners::{Label, batch::Stump, online::SyntheticWeakLearner};
/// let expert = Stump::new(1, 0, 0.0, Label::Plus)?;
/// let weak = |seed| SyntheticWeakLearner::new(expert, 0.3, ChaCha8Rng::seed_from_u64(seed));
/// let learners = (0..100).map(weak).collect::<Result<Vec<_>, _>>()?;
/// let mut booster = OnlineAgnosticBooster::with_ogd(learners, 0.3, &mut ChaCha8Rng::seed_from_u64(100))?;
/// let mut right = 0;
/// for t in 0..1000 {
///     let x = [f64::from(t % 7) - 3.0];
///     let x = Row::dense(&x)?;
///     let y = if t % 10 == 0 { -expert.vote(x)? } else { expert.vote(x)? }; // a tenth is noise
///     right += u32::from(booster.round(x, y)? == y);
/// }
/// assert!(right > 800, "{right}; the expert is right 900 times, a weak learner about 620 times");
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
pub struct OnlineAgnosticBooster<W, A> {
    state: State<W, A>,
    trace: Trace,
    /// The round in progress and the votes of a prediction, so that the trace stays that of the last round.
    working: Trace,
}

impl<W: OnlinePredictor<Label>, A: OnlineLearner> OnlineAgnosticBooster<W, A> {
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
            let prob_true_label = 0.5 * (1.0 + p);
            let y_i = if draws.coming()[i + 1] < prob_true_label { y } else { -y }; // line 6: P[y_t^i = y_t]
            round.record(p, slope, prob_true_label, Some(y_i));
        }
        round.close(fresh.play()?);
        for (learner, y_i) in learners.iter_mut().zip(round.passed().iter().flatten()) {
            learner.update(x, y_i)?; // line 6: pass (x_t, y_t^i) to W_i
        }
        draws.advance();
        std::mem::swap(&mut self.trace, &mut self.working);
        Ok(y_hat)
    }
}

impl<W: OnlinePredictor<Label>, A: OnlineLearner> OnlinePredictor<Label> for OnlineAgnosticBooster<W, A> {
    fn shape(&self) -> Shape {
        self.state.shape()
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        self.state.predict(x, y, &mut self.working)
    }

    /// Whether every learner accepts either label, because it may learn either. It assumes that A stays in
    /// its interval and that the learners answer ±1. If one does not, `update` refuses what this accepts, and
    /// in a booster of such boosters some may have learnt by then.
    fn accepts(&self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.state.learners.iter().try_for_each(|learner| {
            learner.accepts(x, y)?;
            learner.accepts(x, &-*y)
        })
    }

    /// As [`round`](OnlineAgnosticBooster::round). An A that leaves \[−1, 1\], or a learner that does not
    /// answer ±1, breaks its contract and is refused before any update.
    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.round(x, *y).map(|_| ())
    }
}

impl<W: OnlinePredictor<Label>> OnlineAgnosticBooster<W, Ogd<BoxSet>> {
    /// The booster of \[BCMH20, Theorem 2\]: A is OGD from 0 with the constant step 1/((1 + 1/γ)√N), so that
    /// R_A(N) ≤ (1 + 1/γ)√N.
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

    /// The booster with the same guarantee that starts by trusting the labels: A is OGD on \[0, 1\] from 1,
    /// with the same step.
    ///
    /// The proof of \[BCMH20, Proposition 3\] compares A with p* ∈ {0, 1} only (Lemma 5), and Lemma 4 holds
    /// on \[0, 1\] all the more. From 1, neither point is further than 1, so R_A(N) ≤ (1 + 1/γ)√N as before.
    /// But the first learner learns the true label instead of a coin, and no learner learns −y more often
    /// than y (`tests/agnostic/proposition_3.rs`; docs/results/agnostic/README.md compares the two). From ½,
    /// an [`Ogd`] passed to [`new`](Self::new) with half the step has half the bound, ½(1 + 1/γ)√N: neither
    /// point is further than ½.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_trusting_ogd(
        learners: Vec<W>,
        advantage: f64,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Self, LearnerError> {
        let oco = Interval::UNIT.ogd_from_top(advantage, learners.len())?;
        Self::new(learners, oco, advantage, rng)
    }
}

impl<W: OnlinePredictor<Label>, A: OnlineLearner> OnlineAgnosticBooster<W, A> {
    /// N weak learners of one shape, the learner A on \[−1, 1\] (p^1 is its first play, 0 in the paper), the
    /// advantage γ ∈ (0, 1\], and the generator of the coins' key.
    ///
    /// # Errors
    /// No learner, learners of different rows or with several outputs, γ outside its domain, or an A whose
    /// first play is not a number of \[−1, 1\].
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

impl<W, A> From<OnlineAgnosticBooster<W, A>> for State<W, A> {
    fn from(booster: OnlineAgnosticBooster<W, A>) -> Self {
        booster.state
    }
}

impl<W: OnlinePredictor<Label>, A: OnlineLearner> TryFrom<State<W, A>> for OnlineAgnosticBooster<W, A> {
    type Error = LearnerError;

    fn try_from(mut state: State<W, A>) -> Result<Self, LearnerError> {
        state.check(INTERVAL)?;
        let n = state.learners.len();
        Ok(Self { state, trace: Trace::with_capacity(n), working: Trace::with_capacity(n) })
    }
}
