//! What a run shows of itself.

use super::{PolicyBoosting, Round};
use crate::bopl::{PolicyEnsemble, Settings};
use weak_learners::pairs::PairLearner;

impl<O, L: PairLearner> PolicyBoosting<O, L> {
    /// The base learner.
    #[must_use]
    pub fn learner(&self) -> &L {
        &self.learner
    }

    /// F_t.
    #[must_use]
    pub fn ensemble(&self) -> &PolicyEnsemble<L::Hypothesis> {
        &self.ensemble
    }

    /// n, the rows of the log.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.log.len()
    }

    /// F_t, by value.
    #[must_use]
    pub fn into_ensemble(self) -> PolicyEnsemble<L::Hypothesis> {
        self.ensemble
    }

    /// The rounds so far.
    #[must_use]
    pub fn record(&self) -> &[Round] {
        &self.record
    }

    /// What holds for every round.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// F_t(x_i, a) on the log, pair (i, a) at a·n + i.
    #[must_use]
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// u of π_t, pair (i, a) at a·n + i.
    #[must_use]
    pub fn gradients(&self) -> &[f64] {
        &self.gradients
    }

    /// The objective at F_t, on the translated rewards.
    #[must_use]
    pub fn objective(&self) -> f64 {
        self.state.objective
    }

    /// The IPS estimate of the value of the softmax policy, on the rewards as they were.
    #[must_use]
    pub fn ips(&self) -> f64 {
        self.state.ips
    }

    /// L̂* = −(1/n) Σ max(r_i + b, 0)/p_i, below the risk of every policy.
    #[must_use]
    pub fn optimal_risk(&self) -> f64 {
        self.state.optimal
    }

    /// Δ_0, the objective at F_0 less L̂*.
    #[must_use]
    pub fn delta_0(&self) -> f64 {
        self.state.delta_0
    }
}
