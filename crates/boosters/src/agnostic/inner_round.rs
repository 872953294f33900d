//! The common parts of a round of Algorithms 1 and 4 of \[BCMH20\]: the state, the votes, the plays of a
//! fresh OCO learner, and the trace.

use super::{RandomisedMajority, VoteRule};
use crate::draws::Draws;
use crate::requirements::{check_classifiers, check_output};
use oco_core::learners::Ogd;
use oco_core::{OnlineLearner, StepSchedule};
use projections::BoxSet;
use rand::Rng;
use rows::Row;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};

/// The inner quantities of the last round of an online booster, learner by learner, i = 1..N; empty before
/// the first.
///
/// It is the boosters' working memory, allocated once; theorem tests read it.
#[derive(Debug, PartialEq)]
pub struct Trace {
    votes: Vec<Label>,
    p: Vec<f64>,
    slopes: Vec<f64>,
    prob_true_label: Vec<f64>,
    passed: Vec<Option<Label>>,
    z: f64,
    p_next: f64,
}

/// Keeps the capacity, so that a clone of a booster allocates as little as the booster.
impl Clone for Trace {
    fn clone(&self) -> Self {
        fn with_room<T: Copy>(values: &Vec<T>) -> Vec<T> {
            let mut copy = Vec::with_capacity(values.capacity());
            copy.extend_from_slice(values);
            copy
        }
        Self {
            votes: with_room(&self.votes),
            p: with_room(&self.p),
            slopes: with_room(&self.slopes),
            prob_true_label: with_room(&self.prob_true_label),
            passed: with_room(&self.passed),
            ..*self
        }
    }
}

impl Trace {
    pub(super) fn with_capacity(learners: usize) -> Self {
        Self {
            votes: Vec::with_capacity(learners),
            p: Vec::with_capacity(learners),
            slopes: Vec::with_capacity(learners),
            prob_true_label: Vec::with_capacity(learners),
            passed: Vec::with_capacity(learners),
            z: 0.0,
            p_next: 0.0,
        }
    }

    /// Starts a round: W_1(x), …, W_N(x) and z.
    pub(super) fn ask<W: OnlinePredictor<Label>>(
        &mut self,
        learners: &mut [W],
        majority: RandomisedMajority,
        x: Row<'_>,
    ) -> Result<f64, LearnerError> {
        self.votes.clear();
        self.p.clear();
        self.slopes.clear();
        self.prob_true_label.clear();
        self.passed.clear();
        for learner in learners {
            self.votes.push(learner.vote(x)?);
        }
        self.z = majority.score(&self.votes)?;
        Ok(self.z)
    }

    /// Adds the record of learner i.
    pub(super) fn record(&mut self, p: f64, slope: f64, prob_true_label: f64, passed: Option<Label>) {
        self.p.push(p);
        self.slopes.push(slope);
        self.prob_true_label.push(prob_true_label);
        self.passed.push(passed);
    }

    pub(super) fn close(&mut self, p_next: f64) {
        self.p_next = p_next;
    }

    /// W_1(x), …, W_N(x), before their updates.
    pub fn votes(&self) -> &[Label] {
        &self.votes
    }

    /// p^1, …, p^N.
    pub fn p(&self) -> &[f64] {
        &self.p
    }

    /// p^{N+1}, the next play of the OCO learner.
    pub fn p_next(&self) -> f64 {
        self.p_next
    }

    /// W_i(x)y/γ − 1, the slope of ℓ^i.
    pub fn slopes(&self) -> &[f64] {
        &self.slopes
    }

    /// ℓ^1(p^1), …, ℓ^N(p^N).
    pub fn losses(&self) -> impl ExactSizeIterator<Item = f64> {
        self.p.iter().zip(&self.slopes).map(|(p, slope)| p * slope)
    }

    /// The probability that learner i receives the true label: (1+p^i)/2 in Algorithm 1, p^i in Algorithm 4.
    pub fn prob_true_label(&self) -> &[f64] {
        &self.prob_true_label
    }

    /// The label that was passed to learner i; in Algorithm 4 `None` if nothing was passed.
    pub fn passed(&self) -> &[Option<Label>] {
        &self.passed
    }

    /// z = (1/γN)ΣW_i(x).
    pub fn z(&self) -> f64 {
        self.z
    }

    /// P\[Π(z) = +1\].
    pub fn prob_plus(&self) -> f64 {
        RandomisedMajority::prob_plus(self.z)
    }
}

/// The plays p^1, p^2, … of a fresh learner A in one round. A is reset when the round ends, with or without
/// an error.
pub(super) struct FreshPlays<'a, A: OnlineLearner> {
    oco: &'a mut A,
    interval: Interval,
}

impl<'a, A: OnlineLearner> FreshPlays<'a, A> {
    pub(super) fn new(oco: &'a mut A, interval: Interval) -> Self {
        Self { oco, interval }
    }

    /// p^i; an error outside the interval.
    pub(super) fn play(&self) -> Result<f64, LearnerError> {
        let argument = "play of the OCO learner";
        let &[p] = self.oco.play() else {
            let got = self.oco.play().len();
            return Err(LearnerError::OutputDimension { argument, expected: 1, got });
        };
        if !(self.interval.lower <= p && p <= self.interval.upper) {
            let domain = self.interval.name;
            return Err(LearnerError::BadParameter { name: argument, value: p, domain });
        }
        Ok(p)
    }

    /// Passes ℓ^i to A.
    pub(super) fn observe(&mut self, slope: f64) -> Result<(), LearnerError> {
        Ok(self.oco.observe(&[slope])?)
    }
}

impl<A: OnlineLearner> Drop for FreshPlays<'_, A> {
    fn drop(&mut self) {
        self.oco.reset();
    }
}

/// The decision set of A.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interval {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) name: &'static str,
}

impl Interval {
    /// \[−1, 1\].
    pub(super) const SYMMETRIC: Self = Self { lower: -1.0, upper: 1.0, name: "[-1, 1]" };
    /// \[0, 1\].
    pub(super) const UNIT: Self = Self { lower: 0.0, upper: 1.0, name: "[0, 1]" };

    /// OGD from its middle, which is at most half its length from any point.
    pub(super) fn ogd_from_middle(
        self,
        advantage: f64,
        learners: usize,
    ) -> Result<Ogd<BoxSet>, LearnerError> {
        let (start, reach) = (0.5 * (self.lower + self.upper), 0.5 * (self.upper - self.lower));
        self.tuned_ogd(start, reach, advantage, learners)
    }

    /// OGD from its upper end.
    pub(super) fn ogd_from_top(self, advantage: f64, learners: usize) -> Result<Ogd<BoxSet>, LearnerError> {
        self.tuned_ogd(self.upper, self.upper - self.lower, advantage, learners)
    }

    /// OGD with the constant step η = D/(G√N), whose regret over N losses is at most DG√N \[Z03\]: slopes are
    /// at most G = 1 + 1/γ, distances from the start at most D.
    fn tuned_ogd(
        self,
        start: f64,
        reach: f64,
        advantage: f64,
        learners: usize,
    ) -> Result<Ogd<BoxSet>, LearnerError> {
        let majority = RandomisedMajority::new(advantage)?;
        if learners == 0 {
            return Err(LearnerError::Empty { argument: "learners" });
        }
        let lipschitz = -majority.slope(Label::Plus, Label::Minus);
        #[allow(clippy::cast_precision_loss, reason = "a count of learners")]
        let eta = reach / lipschitz / (learners as f64).sqrt();
        let set = BoxSet::interval(self.lower, self.upper)?;
        Ok(Ogd::starting_at(set, vec![start], StepSchedule::constant(eta)?)?)
    }
}

/// The state of both boosters, also their saved form.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct State<W, A> {
    pub(super) learners: Vec<W>,
    pub(super) oco: A,
    pub(super) majority: RandomisedMajority,
    pub(super) rule: VoteRule,
    /// Coin 0 is the vote's, coin i that of learner i.
    pub(super) draws: Draws,
}

impl<W: OnlinePredictor<Label>, A: OnlineLearner> State<W, A> {
    pub(super) fn new(
        learners: Vec<W>,
        oco: A,
        advantage: f64,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Self, LearnerError> {
        let majority = RandomisedMajority::new(advantage)?;
        let draws = Draws::new(rng, learners.len() + 1);
        Ok(Self { learners, oco, majority, rule: VoteRule::default(), draws })
    }

    /// Checks for at least one learner, all with one vote and the same rows; a coin for each and one for the
    /// vote; slopes 1/γ that A takes; an A that starts in its interval.
    pub(super) fn check(&mut self, interval: Interval) -> Result<(), LearnerError> {
        let value = self.majority.advantage();
        if value.recip() > LARGEST {
            return Err(LearnerError::BadParameter { name: "advantage", value, domain: "[1e-140, 1]" });
        }
        check_classifiers("learners", &self.learners)?;
        self.draws.check("coins", self.learners.len() + 1)?;
        self.oco.reset();
        FreshPlays::new(&mut self.oco, interval).play()?;
        Ok(())
    }

    pub(super) fn shape(&self) -> Shape {
        Shape { outputs: 1, ..self.learners[0].shape() }
    }

    /// z at x; `working` is overwritten.
    pub(super) fn score(&mut self, x: Row<'_>, working: &mut Trace) -> Result<f64, LearnerError> {
        working.ask(&mut self.learners, self.majority, x)
    }

    /// Writes the vote at x; `working` is overwritten.
    pub(super) fn predict(
        &mut self,
        x: Row<'_>,
        y: &mut [f64],
        working: &mut Trace,
    ) -> Result<(), LearnerError> {
        check_output(1, y.len())?;
        let z = self.score(x, working)?;
        y[0] = self.rule.vote(z, self.draws.coming()[0]).sign();
        Ok(())
    }
}
