//! Boosting on a sample, agnostic and realizable \[BCMH20, Algorithm 2\].

use super::{MajorityVote, RandomisedMajority};
use oco_core::{Ogd, OnlineLearner, StepSchedule};
use projections::BoxSet;
use serde::{Deserialize, Serialize};
use weak_learners::batch::{Sample, WeakLearner};
use weak_learners::{Label, LearnerError};

mod state;
mod realised;

use realised::mean_over_advantage;
pub use state::Setting;
use state::{State, check_labels, count};

/// Boosting with OCO on a sample of m examples \[BCMH20, Algorithm 2\]: the weak learner W and the optimiser A, over
/// \[−1, 1\]^m or \[0, 1\]^m, play the zero-sum game with payoff Σ p(i)(h(x_i)y_i/γ − 1).
///
/// The weak learner is told a distribution, not a draw from it: W = [`Sampled`](weak_learners::batch::Sampled) is the
/// algorithm as printed; any other W is trained on expected draws, the limit of many examples.
///
/// *Guarantee.* With ε the error that W realised against h* ([`realised_epsilon`](Self::realised_epsilon)) and R_A(T)
/// the regret that A realised ([`mean_regret`](Self::mean_regret), over Tm), surely and at every T, for every h*:
/// E cor_S(h̄) ≥ cor_S(h*) − ε/γ − R_A(T)/(Tm), the expectation being over Π alone \[BCMH20, Theorem 8\]; with
/// h*(x_i) = y_i it is \[BCMH20, Theorem 10\]. With [`theorem_8`](Self::theorem_8) the last term is at most (1 + 1/γ)/√T
/// after the T rounds of the tuning, and half of that with [`theorem_10`](Self::theorem_10) (`tests/statistical`).
/// Where no hypothesis has the edge γ, ε is what is lost. γ is the caller's: nothing here chooses it
/// ([`ProgressiveChoice`](super::ProgressiveChoice) is for online learners), so a γ that nobody knows takes a run for each
/// candidate, and examples held out to compare their votes on.
/// *Cost:* one training, one evaluation and O(m) a round; it allocates for the new hypothesis alone.
///
/// ```
/// use boosters::agnostic::StatisticalBooster;
/// use rows::RowMatrix;
/// use weak_learners::Label::{Minus, Plus};
/// use weak_learners::batch::{ExactStump, SortedColumns};
/// // An interval is no stump, but it is a majority of three.
/// let sample = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 3.0, 4.0, 5.0])?)?;
/// let labels = vec![Minus, Minus, Plus, Minus, Minus];
/// let mut booster = StatisticalBooster::theorem_10(ExactStump::default(), labels, 1.0 / 3.0, 400)?;
/// for _ in 0..400 {
///     booster.round(&sample)?;
/// }
/// assert!(booster.expected_correlation() >= 1.0 - 0.5 * (1.0 + 3.0) / 20.0);
/// let middle = rows::Row::dense(&[3.0])?;
/// assert_eq!(booster.vote().sign(middle)?, Plus);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<W, A, W::Hypothesis>",
    into = "State<W, A, W::Hypothesis>",
    bound(
        serialize = "W: Clone + Serialize, A: Clone + Serialize, W::Hypothesis: Clone + Serialize",
        deserialize = "W: Deserialize<'de>, A: Deserialize<'de> + OnlineLearner, W::Hypothesis: Deserialize<'de>"
    )
)]
pub struct StatisticalBooster<W: WeakLearner, A> {
    state: State<W, A, W::Hypothesis>,
    p: Vec<f64>,
    /// y in the realizable setting, y∘p_t in the agnostic one.
    targets: Vec<f64>,
    equal_weights: Vec<f64>,
    /// h_t(x_i)y_i.
    agreement: Vec<f64>,
    gradient: Vec<f64>,
}

/// What happened in round t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round<'a> {
    /// p_t.
    pub p: &'a [f64],
    /// h_t(x_i)y_i = ±1.
    pub agreement: &'a [f64],
    /// ℓ_t(p_t)/m = (1/m)Σ p_t(i)(h_t(x_i)y_i/γ − 1), at most 1 + 1/γ in size.
    pub mean_loss: f64,
    /// (1/m)Σ p_t(i)h_t(x_i)y_i, which W was to make large.
    pub correlation: f64,
    /// E cor_S(h̄) of the vote of h_1, …, h_t.
    pub expected_correlation: f64,
}

impl<W: WeakLearner<Hypothesis: Clone>, A: OnlineLearner> StatisticalBooster<W, A> {
    /// One round on the sample that the labels belong to, the same in every round.
    ///
    /// # Errors
    /// A sample of another size, or of rows of another dimension than those before; a play of A outside the cube; what W or A refuses; a hypothesis that does not answer
    /// ±1. The round is then not booked, and only a W that had answered has moved on.
    pub fn round(&mut self, sample: &W::Sample) -> Result<Round<'_>, LearnerError> {
        let h = self.weak_hypothesis(sample)?; // lines 2 to 5
        self.round_with(sample, h) // lines 6 and 7
    }

    /// Lines 2 to 5: h_t, as W answers to p_t.
    fn weak_hypothesis(&mut self, sample: &W::Sample) -> Result<W::Hypothesis, LearnerError> {
        self.look(sample)?;
        let Self { state, p, targets, equal_weights, .. } = self;
        match state.setting {
            Setting::Realizable if p.iter().all(|p| *p == 0.0) => {
                // Footnote 3: where no distribution is left, h_t = h_{t−1}.
                let last = state.vote.hypotheses().last();
                last.cloned().ok_or(LearnerError::ZeroWeights)
            }
            Setting::Realizable => state.learner.train(sample, targets, p), // line 3
            Setting::Agnostic => {
                for ((target, y), p) in targets.iter_mut().zip(&state.labels).zip(&*p) {
                    *target = y.sign() * p;
                }
                state.learner.train(sample, targets, equal_weights) // line 4
            }
        }
    }

    /// Lines 6 and 7 of a round whose h_t comes from elsewhere.
    ///
    /// # Errors
    /// As [`round`](Self::round), without W.
    pub fn round_with(&mut self, sample: &W::Sample, h: W::Hypothesis) -> Result<Round<'_>, LearnerError> {
        self.look(sample)?;
        let Self { state, p, agreement, gradient, .. } = self;
        state.learner.evaluate(&h, sample, agreement)?;
        for ((agreement, slope), y) in agreement.iter_mut().zip(&mut *gradient).zip(&state.labels) {
            let vote = Label::named("vote", *agreement)?;
            *agreement = vote.sign() * y.sign();
            *slope = state.vote.majority().slope(vote, *y); // line 6: ℓ_t(p) = Σ p(i)(h_t(x_i)y_i/γ − 1)
        }
        state.player.observe(gradient)?; // line 7: p_{t+1} = A(ℓ_1, …, ℓ_t)
        state.vote.push(h);
        add(&mut state.agreements, agreement);
        add(&mut state.plays, p);
        let (correlation, plays) = (rows::dot(p, agreement), p.iter().sum::<f64>());
        state.correlations += correlation;
        let m = count(p.len());
        Ok(Round {
            // Not Σ of p(i)·slope: that may leave the range, or cancel, where the means do not.
            mean_loss: mean_over_advantage(correlation, m, state.vote.majority()) - plays / m,
            correlation: correlation / m,
            expected_correlation: self.expected_correlation(),
            p: &self.p,
            agreement: &self.agreement,
        })
    }

    /// p_{t+1}, as A plays it.
    pub fn next_play(&self) -> &[f64] {
        self.state.player.play()
    }

    /// Takes p_t, if the sample fits and p_t lies in the cube.
    fn look(&mut self, sample: &W::Sample) -> Result<(), LearnerError> {
        let (argument, expected) = ("sample", self.p.len());
        if sample.size() != expected {
            return Err(LearnerError::LengthMismatch { argument, expected, got: sample.size() });
        }
        self.state.vote.check_inputs(sample.inputs())?;
        self.p.copy_from_slice(self.state.checked_play()?);
        Ok(())
    }
}

impl<W: WeakLearner, A: OnlineLearner> StatisticalBooster<W, A> {
    /// A booster before its first round; `player` is A at its start, 0 or ½ everywhere, in as many dimensions as there
    /// are labels.
    ///
    /// # Errors
    /// No label, γ outside (0, 1\], a player of another dimension or with another start.
    pub fn new(
        setting: Setting,
        learner: W,
        player: A,
        labels: Vec<Label>,
        advantage: f64,
    ) -> Result<Self, LearnerError> {
        let vote = MajorityVote::new(Vec::new(), advantage)?;
        let zeros = vec![0.0; labels.len()];
        let (agreements, plays) = (zeros.clone(), zeros);
        State { setting, learner, player, labels, vote, agreements, plays, correlations: 0.0 }.try_into()
    }
}

impl<W: WeakLearner> StatisticalBooster<W, Ogd<BoxSet>> {
    /// The agnostic booster for a run of T = `rounds`, by OGD with the constant step D/(G√T), D = √m and
    /// G = √m(1 + 1/γ): R_A(T)/(Tm) ≤ (1 + 1/γ)/√T \[BCMH20, Theorem 8\].
    ///
    /// # Errors
    /// As [`new`](Self::new); also T = 0.
    pub fn theorem_8(
        learner: W,
        labels: Vec<Label>,
        advantage: f64,
        rounds: u32,
    ) -> Result<Self, LearnerError> {
        Self::tuned(Setting::Agnostic, learner, labels, advantage, rounds)
    }

    /// The realizable booster for a run of T = `rounds`, with D = √m/2: R_A(T)/(Tm) ≤ (1 + 1/γ)/(2√T) \[BCMH20,
    /// Theorem 10\].
    ///
    /// # Errors
    /// As [`new`](Self::new); also T = 0.
    pub fn theorem_10(
        learner: W,
        labels: Vec<Label>,
        advantage: f64,
        rounds: u32,
    ) -> Result<Self, LearnerError> {
        Self::tuned(Setting::Realizable, learner, labels, advantage, rounds)
    }

    fn tuned(
        setting: Setting,
        learner: W,
        labels: Vec<Label>,
        advantage: f64,
        rounds: u32,
    ) -> Result<Self, LearnerError> {
        RandomisedMajority::new(advantage)?;
        check_labels(&labels)?;
        if rounds == 0 {
            return Err(LearnerError::BadParameter { name: "rounds", value: 0.0, domain: "T ≥ 1" });
        }
        let ([lower, upper], start) = setting.cube();
        let radius = upper - start;
        // D/G = radius·γ/(1 + γ), without the root of m that both contain.
        let step = radius * advantage / ((1.0 + advantage) * f64::from(rounds).sqrt());
        let m = labels.len();
        let cube = BoxSet::new(vec![lower; m], vec![upper; m])?;
        let player = Ogd::starting_at(cube, vec![start; m], StepSchedule::constant(step)?)?;
        Self::new(setting, learner, player, labels, advantage)
    }
}

impl<W: WeakLearner, A> StatisticalBooster<W, A> {
    /// h̄, the vote so far.
    pub fn vote(&self) -> &MajorityVote<W::Hypothesis> {
        &self.state.vote
    }

    /// The booster's end: h̄ without what made it.
    pub fn into_vote(self) -> MajorityVote<W::Hypothesis> {
        self.state.vote
    }
}

fn add(sums: &mut [f64], terms: &[f64]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}

impl<W: WeakLearner, A> From<StatisticalBooster<W, A>> for State<W, A, W::Hypothesis> {
    fn from(booster: StatisticalBooster<W, A>) -> Self {
        booster.state
    }
}

impl<W: WeakLearner, A: OnlineLearner> TryFrom<State<W, A, W::Hypothesis>> for StatisticalBooster<W, A> {
    type Error = LearnerError;

    fn try_from(state: State<W, A, W::Hypothesis>) -> Result<Self, LearnerError> {
        state.check()?;
        let m = state.labels.len();
        let targets = state.labels.iter().map(|y| y.sign()).collect();
        let (zeros, equal_weights) = (vec![0.0; m], vec![1.0; m]);
        let (p, agreement, gradient) = (zeros.clone(), zeros.clone(), zeros);
        Ok(Self { state, p, targets, equal_weights, agreement, gradient })
    }
}
