//! Boosting on a sample, agnostic and realizable \[BCMH20, Algorithm 2\].

use super::{MajorityVote, RandomisedMajority};
use oco_core::learners::Ogd;
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::BoxSet;
use serde::{Deserialize, Serialize};
use weak_learners::batch::{Hypothesis, Sample, WeakLearner};
use weak_learners::{Label, LearnerError};

/// Boosting with OCO on a sample of m examples \[BCMH20, Algorithm 2\]: the weak learner W and the optimiser
/// A, over \[−1, 1\]^m or \[0, 1\]^m, play the zero-sum game with payoff Σ p(i)(h(x_i)y_i/γ − 1).
///
/// The weak learner receives a distribution, not a draw from it: W =
/// [`Sampled`](weak_learners::batch::Sampled) is the algorithm as printed; any other W is trained on expected
/// draws, the limit of many examples.
///
/// *Guarantee.* ε is the realised error of W against h* ([`realised_epsilon`](Self::realised_epsilon)),
/// R_A(T) the realised regret of A ([`mean_regret`](Self::mean_regret), over Tm). Surely, at every T and for
/// every h*: E cor_S(h̄) ≥ cor_S(h*) − ε/γ − R_A(T)/(Tm), in expectation over Π alone \[BCMH20, Theorem 8\].
/// With h*(x_i) = y_i it is \[BCMH20, Theorem 10\]. With [`theorem_8`](Self::theorem_8) the last term is at
/// most (1 + 1/γ)/√T after the T rounds of the tuning, and half of that with [`theorem_10`](Self::theorem_10)
/// (`tests/statistical`). If no hypothesis has the edge γ, the loss is ε/γ. For an unknown γ, run each
/// candidate and compare the votes on held-out examples ([`ProgressiveChoice`](super::ProgressiveChoice) is
/// for online learners). *Cost:* one training, one evaluation and O(m) a round; it allocates only the new
/// hypothesis.
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
    /// y in the realizable setting, y∘p_t in the agnostic setting.
    targets: Vec<f64>,
    equal_weights: Vec<f64>,
    /// h_t(x_i)y_i.
    agreement: Vec<f64>,
    gradient: Vec<f64>,
}

/// The record of round t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round<'a> {
    /// p_t.
    pub p: &'a [f64],
    /// h_t(x_i)y_i = ±1.
    pub agreement: &'a [f64],
    /// ℓ_t(p_t)/m = (1/m)Σ p_t(i)(h_t(x_i)y_i/γ − 1), at most 1 + 1/γ in size.
    pub mean_loss: f64,
    /// (1/m)Σ p_t(i)h_t(x_i)y_i, which W maximises.
    pub correlation: f64,
    /// E cor_S(h̄) of the vote of h_1, …, h_t.
    pub expected_correlation: f64,
}

impl<W: WeakLearner<Hypothesis: Clone>, A: OnlineLearner> StatisticalBooster<W, A> {
    /// One round on the sample that the labels belong to, the same in every round.
    ///
    /// # Errors
    /// A sample of another size, or of rows of another dimension than those before; a play of A outside the
    /// cube; the errors of W or A; a hypothesis that does not answer ±1. The round is then not booked; only a
    /// W that was already trained has changed.
    pub fn round(&mut self, sample: &W::Sample) -> Result<Round<'_>, LearnerError> {
        let h = self.weak_hypothesis(sample)?; // lines 2 to 5
        self.round_with(sample, h) // lines 6 and 7
    }

    /// Lines 2 to 5: h_t, the answer of W to p_t.
    fn weak_hypothesis(&mut self, sample: &W::Sample) -> Result<W::Hypothesis, LearnerError> {
        self.look(sample)?;
        let Self { state, p, targets, equal_weights, .. } = self;
        match state.setting {
            Setting::Realizable if p.iter().all(|p| *p == 0.0) => {
                // Footnote 3: if p_t = 0, h_t = h_{t−1}.
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

    /// Lines 6 and 7 with a given h_t.
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
            // Not Σ p(i)·slope, which may overflow or cancel where the means do not.
            mean_loss: mean_over_advantage(correlation, m, state.vote.majority()) - plays / m,
            correlation: correlation / m,
            expected_correlation: self.expected_correlation(),
            p: &self.p,
            agreement: &self.agreement,
        })
    }

    /// p_{t+1}, the next play of A.
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
    /// A booster before its first round. `player` is A at its start, 0 or ½ everywhere, with a dimension for
    /// each label.
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

    /// The realizable booster for a run of T = `rounds`, with D = √m/2: R_A(T)/(Tm) ≤ (1 + 1/γ)/(2√T)
    /// \[BCMH20, Theorem 10\].
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

    /// h̄, by value.
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

impl<W: WeakLearner, A> StatisticalBooster<W, A> {
    /// E cor_S(h̄) = (1/m)Σ E\[Π(z(x_i))\]y_i, the expectation being over Π; 0 before the first round.
    pub fn expected_correlation(&self) -> f64 {
        let (rounds, majority) = (self.rounds().max(1.0), self.state.vote.majority());
        let expected = |sum: &f64| majority.score_of_mean(sum / rounds).clamp(-1.0, 1.0);
        self.state.agreements.iter().map(expected).sum::<f64>() / count(self.p.len())
    }

    /// ε = (1/T)Σ_t(γ cor_{p_t}(h*) − cor_{p_t}(h_t)) with cor_p(h) = (1/m)Σ p(i)h(x_i)y_i, for the votes of
    /// some h* on the sample: the shortfall of W from the advantage γ against h*; 0 before the first round.
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

    /// R_A(T)/(Tm), where R_A(T) = Σ ℓ_t(p_t) − min_p Σ ℓ_t(p) is the regret that A realised on the cube; 0
    /// before the first round. At most 2(1 + 1/γ), and ∞ only where its value is beyond the range of numbers.
    pub fn mean_regret(&self) -> f64 {
        let State { setting, vote, agreements, plays, correlations, .. } = &self.state;
        let ([lower, upper], gamma) = (setting.cube().0, vote.advantage());
        // All of it in units of 1/γ, so that terms which cancel do so before they can leave the range.
        let slope_sum = |sum: &f64| sum - gamma * self.rounds();
        let least: f64 = agreements.iter().map(slope_sum).map(|g| (lower * g).min(upper * g)).sum();
        let regret = correlations - gamma * plays.iter().sum::<f64>() - least;
        mean_over_advantage(regret, self.rounds().max(1.0) * count(plays.len()), vote.majority())
    }

    /// T.
    fn rounds(&self) -> f64 {
        count(self.state.vote.hypotheses().len())
    }
}

/// v/(nγ), divided in the order in which neither a large v overflows nor a small one underflows on the way; n
/// ≥ 1.
fn mean_over_advantage(v: f64, n: f64, majority: RandomisedMajority) -> f64 {
    if v.abs() < 1.0 { majority.score_of_mean(v) / n } else { majority.score_of_mean(v / n) }
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

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound(deserialize = "W: Deserialize<'de>, A: Deserialize<'de>, H: Deserialize<'de> + Hypothesis"))]
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

impl<W, A: OnlineLearner, H> State<W, A, H> {
    /// p_t, if it lies in the cube, and where it has to be in the first round.
    fn checked_play(&self) -> Result<&[f64], LearnerError> {
        let (play, ([lower, upper], start)) = (self.player.play(), self.setting.cube());
        if play.len() != self.labels.len() {
            let (argument, expected) = ("play", self.labels.len());
            return Err(LearnerError::LengthMismatch { argument, expected, got: play.len() });
        }
        let first = self.vote.hypotheses().is_empty();
        if play.iter().any(|p| !(lower..=upper).contains(p) || (first && *p != start)) {
            return Err(OcoError::OutsideSet { argument: "play" }.into());
        }
        Ok(play)
    }

    /// Rejects a state that contradicts itself. It cannot detect another γ, another setting with sums
    /// possible in both, or hypotheses other than those of the sums.
    fn check(&self) -> Result<(), LearnerError> {
        check_labels(&self.labels)?;
        self.checked_play()?;
        let (m, rounds) = (self.labels.len(), count(self.vote.hypotheses().len()));
        for (argument, sums) in [("agreements", &self.agreements), ("plays", &self.plays)] {
            if sums.len() != m {
                return Err(LearnerError::LengthMismatch { argument, expected: m, got: sums.len() });
            }
        }
        // The first play is known, so that T − 1 of them are free; an addition rounds to no less than a
        // smaller one.
        let ([lower, upper], start) = self.setting.cube();
        let reach = |end: f64| if rounds > 0.0 { start + (rounds - 1.0) * end } else { 0.0 };
        let (least, most) = (reach(lower), reach(upper));
        let [agreements, plays] = [&self.agreements, &self.plays].map(|sums| sums.iter().copied());
        // T numbers ±1 sum to T less an even number.
        within("agreements", agreements, |sum| sum.abs() <= rounds && (rounds - sum) % 2.0 == 0.0)?;
        within("plays", plays, |sum| (least..=most).contains(&sum))?;
        within("correlations", std::iter::once(self.correlations), |sum| sum.abs() <= most * count(m))
    }
}

fn within(
    name: &'static str,
    mut sums: impl Iterator<Item = f64>,
    reached: impl Fn(f64) -> bool,
) -> Result<(), LearnerError> {
    let domain = "what the rounds sum up to";
    match sums.find(|sum| !reached(*sum)) {
        Some(value) => Err(LearnerError::BadParameter { name, value, domain }),
        None => Ok(()),
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

fn check_labels(labels: &[Label]) -> Result<(), LearnerError> {
    if labels.is_empty() { Err(LearnerError::Empty { argument: "labels" }) } else { Ok(()) }
}

#[allow(clippy::cast_precision_loss, reason = "a count of rounds or examples")]
fn count(n: usize) -> f64 {
    n as f64
}
