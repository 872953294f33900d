//! Boosting on a sample, agnostic and realizable \[BCMH20, Algorithm 2\].

use super::{MajorityVote, RandomisedMajority};
use oco_core::{OcoError, Ogd, OnlineLearner, StepSchedule};
use projections::BoxSet;
use serde::{Deserialize, Serialize};
use weak_learners::batch::{Sample, WeakLearner};
use weak_learners::{Label, LearnerError};

/// Boosting with OCO on a sample of m examples \[BCMH20, Algorithm 2\]: the weak learner W and the optimiser A, over
/// \[−1, 1\]^m or \[0, 1\]^m, play the zero-sum game with payoff Σ p(i)(h(x_i)y_i/γ − 1).
///
/// The weak learner is told a distribution, not a draw from it: W = [`Sampled`](weak_learners::batch::Sampled) is the
/// algorithm as printed; any other W is trained on expected draws, the limit of many examples.
///
/// *Guarantee.* With ε the error that W realised against h* ([`realised_epsilon`](Self::realised_epsilon)) and R_A(T)
/// the regret that A realised, surely and at every T, for every h*: E cor_S(h̄) ≥ cor_S(h*) − ε/γ − R_A(T)/(Tm), the
/// expectation being over Π alone \[BCMH20, Theorem 8\]; with h*(x_i) = y_i it is \[BCMH20, Theorem 10\]. With
/// [`theorem_8`](Self::theorem_8) the last term is at most (1 + 1/γ)/√T, and half of that with
/// [`theorem_10`](Self::theorem_10) (`tests/statistical`). Where no hypothesis has the edge γ, ε is what is lost.
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

/// Which half of the algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// p ∈ \[−1, 1\]^m, p_1 = 0: labels are flipped, E y_t(i) = p_t(i)y_i, and examples are equally likely.
    Agnostic,
    /// p ∈ \[0, 1\]^m, p_1 = ½: examples are drawn in proportion to p_t, with their labels.
    Realizable,
}

/// What happened in round t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round<'a> {
    /// p_t.
    pub p: &'a [f64],
    /// h_t(x_i)y_i = ±1.
    pub agreement: &'a [f64],
    /// ℓ_t(p_t) = Σ p_t(i)(h_t(x_i)y_i/γ − 1).
    pub loss: f64,
    /// (1/m)Σ p_t(i)h_t(x_i)y_i, which W was to make large.
    pub correlation: f64,
    /// E cor_S(h̄) of the vote of h_1, …, h_t.
    pub expected_correlation: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<W, A, H> {
    setting: Setting,
    learner: W,
    player: A,
    labels: Vec<Label>,
    vote: MajorityVote<H>,
    /// Σ_t h_t(x_i)y_i.
    agreements: Vec<f64>,
    /// Σ_t p_t(i).
    plays: Vec<f64>,
    /// Σ_t Σ_i p_t(i)h_t(x_i)y_i.
    correlations: f64,
}

impl<W: WeakLearner<Hypothesis: Clone>, A: OnlineLearner> StatisticalBooster<W, A> {
    /// One round on the sample that the labels belong to, the same in every round.
    ///
    /// # Errors
    /// A sample of another size; a play of A outside the cube; what W or A refuses; a hypothesis that does not answer
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
        Ok(Round {
            // Not Σ of p(i)·slope: that may leave the range, or cancel, where the sums do not.
            loss: state.vote.majority().score_of_mean(correlation) - plays,
            correlation: correlation / count(p.len()),
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
        self.p.copy_from_slice(checked_play(&self.state)?);
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
        let ([lower, upper], start) = setting.cube();
        let radius = upper - start;
        // D/G = radius·γ/(1 + γ), without the root of m that both contain.
        let step = radius * advantage / ((1.0 + advantage) * f64::from(rounds).sqrt());
        if rounds == 0 {
            return Err(LearnerError::BadParameter { name: "rounds", value: 0.0, domain: "T ≥ 1" });
        }
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

    /// E cor_S(h̄) = (1/m)Σ E\[Π(z(x_i))\]y_i, the expectation being over Π; 0 before the first round.
    pub fn expected_correlation(&self) -> f64 {
        let (rounds, majority) = (self.rounds().max(1.0), self.state.vote.majority());
        let expected = |sum: &f64| majority.score_of_mean(sum / rounds).clamp(-1.0, 1.0);
        self.state.agreements.iter().map(expected).sum::<f64>() / count(self.p.len())
    }

    /// ε = (1/T)Σ_t(γ cor_{p_t}(h*) − cor_{p_t}(h_t)) with cor_p(h) = (1/m)Σ p(i)h(x_i)y_i, for the votes of some h* on
    /// the sample: how far W fell short of the advantage γ against h*. At most 0 where it never did; 0 before the first
    /// round.
    ///
    /// # Errors
    /// Votes of another length, or outside \[−1, 1\].
    pub fn realised_epsilon(&self, votes: &[f64]) -> Result<f64, LearnerError> {
        let State { labels, plays, correlations, vote, .. } = &self.state;
        if votes.len() != labels.len() {
            let (argument, expected) = ("votes", labels.len());
            return Err(LearnerError::LengthMismatch { argument, expected, got: votes.len() });
        }
        if let Some(&value) = votes.iter().find(|h| !(h.abs() <= 1.0)) {
            return Err(LearnerError::BadLabel { argument: "vote", value });
        }
        let of_h: f64 = plays.iter().zip(votes).zip(labels).map(|((p, h), y)| p * h * y.sign()).sum();
        Ok((vote.advantage() * of_h - correlations) / (self.rounds().max(1.0) * count(labels.len())))
    }

    /// R_A(T) = Σ ℓ_t(p_t) − min_p Σ ℓ_t(p), the regret that A realised on the cube.
    pub fn realised_regret(&self) -> f64 {
        let State { setting, vote, agreements, plays, correlations, .. } = &self.state;
        let ([lower, upper], _) = setting.cube();
        let slope_sum = |sum: &f64| vote.majority().score_of_mean(*sum) - self.rounds();
        let least: f64 = agreements.iter().map(slope_sum).map(|g| (lower * g).min(upper * g)).sum();
        vote.majority().score_of_mean(*correlations) - plays.iter().sum::<f64>() - least
    }

    /// T.
    fn rounds(&self) -> f64 {
        count(self.state.vote.hypotheses().len())
    }
}

impl Setting {
    /// The ends of the cube's edges, and where A starts.
    fn cube(self) -> ([f64; 2], f64) {
        match self {
            Self::Agnostic => ([-1.0, 1.0], 0.0),
            Self::Realizable => ([0.0, 1.0], 0.5),
        }
    }
}

fn checked_play<W, A: OnlineLearner, H>(state: &State<W, A, H>) -> Result<&[f64], LearnerError> {
    let (play, ([lower, upper], start)) = (state.player.play(), state.setting.cube());
    if play.len() != state.labels.len() {
        let (argument, expected) = ("play", state.labels.len());
        return Err(LearnerError::LengthMismatch { argument, expected, got: play.len() });
    }
    let first = state.vote.hypotheses().is_empty();
    if play.iter().any(|p| !(lower..=upper).contains(p) || (first && *p != start)) {
        return Err(OcoError::OutsideSet { argument: "play" }.into());
    }
    Ok(play)
}

fn check_labels(labels: &[Label]) -> Result<(), LearnerError> {
    if labels.is_empty() { Err(LearnerError::Empty { argument: "labels" }) } else { Ok(()) }
}

fn add(sums: &mut [f64], terms: &[f64]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}

#[allow(clippy::cast_precision_loss, reason = "a count of rounds or examples")]
fn count(n: usize) -> f64 {
    n as f64
}

impl<W: WeakLearner, A> From<StatisticalBooster<W, A>> for State<W, A, W::Hypothesis> {
    fn from(booster: StatisticalBooster<W, A>) -> Self {
        booster.state
    }
}

impl<W: WeakLearner, A: OnlineLearner> TryFrom<State<W, A, W::Hypothesis>> for StatisticalBooster<W, A> {
    type Error = LearnerError;

    fn try_from(state: State<W, A, W::Hypothesis>) -> Result<Self, LearnerError> {
        check_labels(&state.labels)?;
        checked_play(&state)?;
        let (m, rounds) = (state.labels.len(), count(state.vote.hypotheses().len()));
        for (argument, sums) in [("agreements", &state.agreements), ("plays", &state.plays)] {
            if sums.len() != m {
                return Err(LearnerError::LengthMismatch { argument, expected: m, got: sums.len() });
            }
            if let Some(&value) = sums.iter().find(|sum| !(sum.abs() <= rounds)) {
                let (name, domain) = (argument, "[-T, T]");
                return Err(LearnerError::BadParameter { name, value, domain });
            }
        }
        if !(state.correlations.abs() <= rounds * count(m)) {
            let (name, value, domain) = ("correlations", state.correlations, "[-Tm, Tm]");
            return Err(LearnerError::BadParameter { name, value, domain });
        }
        let targets = state.labels.iter().map(|y| y.sign()).collect();
        let (zeros, equal_weights) = (vec![0.0; m], vec![1.0; m]);
        let (p, agreement, gradient) = (zeros.clone(), zeros.clone(), zeros);
        Ok(Self { state, p, targets, equal_weights, agreement, gradient })
    }
}
