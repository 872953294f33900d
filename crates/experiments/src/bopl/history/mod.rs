//! The history of one run: the kept rounds, and the rounds that violate a theorem.

use super::task::Rewarded;
use crate::runner::ExperimentError;
use boosters::bopl::{BoplStop, RegressionRound, Round};
use serde::{Deserialize, Serialize};
use weak_learners::pairs::PairHypothesis;

/// One run of one method in one trial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The mean reward on the evaluation rows, of the argmax policy or of the stochastic logging policy.
    pub reward: f64,
    /// The number of rounds run.
    pub rounds: u32,
    /// The standard error of the reward, where the rewards of the rows are estimates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// The largest memory of the process in the course of the training, in bytes, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// The reason for an early stop, if any.
    pub stop: Option<BoplStop>,
    /// The number of rounds in which the objective fell by less than guaranteed; 0 if the theorem holds.
    pub short_of_the_decrease: u32,
    /// The number of rounds after which the objective was above the bound of \[L23, Theorem 1\]; 0 if the
    /// theorem holds.
    pub above_the_bound: u32,
    /// The time of the rounds, without the evaluation.
    pub seconds: f64,
    /// The direct method's estimate of the policy's value, if computed.
    pub direct_method: Option<f64>,
    /// The logging policy's other numbers, in its own row.
    pub logging: Option<Logging>,
    /// The choice of a recipe, in its own row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// The kept rounds, including the last.
    // Kept trials use the field's first name.
    #[serde(rename = "places")]
    pub snapshots: Vec<Snapshot>,
}

/// The kept numbers of a round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// t.
    pub round: u32,
    /// The mean reward of the argmax policy on the evaluation rows.
    pub reward: f64,
    /// The norm of the gradient before the round.
    pub gradient_norm: f64,
    /// The SNIPS estimate of the softmax policy's value on the log; BRR-gb has no softmax policy.
    pub snips: Option<f64>,
    /// The objective; for BRR-gb the mean squared error.
    pub objective: Option<f64>,
    /// The bound of \[L23, Theorem 1\] on the objective; BRR-gb has none.
    pub bound: Option<f64>,
    /// The time of the rounds up to this one; older kept trials have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A recipe's choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The candidate in words.
    pub candidate: String,
    /// Its rounds.
    pub rounds: u32,
    /// Its estimated value on held-out rows of the log.
    pub estimate: f64,
}

/// The logging policy's numbers besides its test reward.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Logging {
    /// Its mean reward on the validation rows.
    pub on_validation: f64,
    /// The least propensity of the log.
    pub least_propensity: f64,
}

/// The approximate number of kept rounds of a run.
const SNAPSHOTS: u32 = 60;

/// Evaluates a run, round by round, on rows with known rewards.
pub(super) struct Watch<'a> {
    rows: &'a Rewarded,
    /// The scores F(x_i, a) of these rows.
    pub(super) scores: Vec<f64>,
    every: u32,
    last: u32,
    before: f64,
    tick: &'a (dyn Fn(u64) + Sync),
    pub(super) history: History,
}

impl<'a> Watch<'a> {
    /// An evaluation of a run with this number of rounds and this initial objective; `tick` counts rounds.
    pub(super) fn new(
        rows: &'a Rewarded,
        rounds: u32,
        objective: f64,
        tick: &'a (dyn Fn(u64) + Sync),
    ) -> Self {
        let every = rounds.div_ceil(SNAPSHOTS).max(1);
        let (scores, history) = (rows.no_scores(), History::default());
        Self { rows, scores, every, last: rounds, before: objective, tick, history }
    }

    /// A round of boosted off-policy learning: f_t and α_t were added.
    pub(super) fn see(
        &mut self,
        round: &Round,
        predictor: &impl PairHypothesis,
        seconds: f64,
    ) -> Result<(), ExperimentError> {
        let near = 1e-9 * (1.0 + self.before.abs());
        let history = &mut self.history;
        history.short_of_the_decrease += u32::from(round.objective > self.before - round.decrease + near);
        history.above_the_bound += u32::from(round.objective > round.bound + near);
        self.before = round.objective;
        let [snips, objective, bound] = [round.snips, round.objective, round.bound].map(Some);
        let (gradient_norm, of_rounds) = (round.gradient_norm, None);
        let snapshot =
            Snapshot { round: 0, reward: 0.0, gradient_norm, snips, objective, bound, seconds: of_rounds };
        self.add(snapshot, round.alpha, predictor, seconds)
    }

    /// A round of reward regression.
    pub(super) fn see_regression(
        &mut self,
        round: &RegressionRound,
        gradient_norm: f64,
        (rate, predictor): (f64, &impl PairHypothesis),
        seconds: f64,
    ) -> Result<(), ExperimentError> {
        let (loss, near) = (round.loss, 1e-9 * (1.0 + self.before));
        self.history.short_of_the_decrease += u32::from(loss > self.before - round.decrease + near);
        self.before = loss;
        let (snips, objective, bound) = (None, Some(loss), None);
        let of_rounds = None;
        let snapshot =
            Snapshot { round: 0, reward: 0.0, gradient_norm, snips, objective, bound, seconds: of_rounds };
        self.add(snapshot, rate, predictor, seconds)
    }

    /// A round of any method.
    fn add(
        &mut self,
        snapshot: Snapshot,
        alpha: f64,
        predictor: &impl PairHypothesis,
        seconds: f64,
    ) -> Result<(), ExperimentError> {
        self.rows.add(predictor, alpha, &mut self.scores)?;
        self.history.seconds += seconds;
        self.history.rounds += 1;
        let round = self.history.rounds;
        if round == 1 || round.is_multiple_of(self.every) || round == self.last {
            let reward = self.rows.reward(&self.scores);
            let seconds = Some(self.history.seconds);
            self.history.snapshots.push(Snapshot { round, reward, seconds, ..snapshot });
        }
        (self.tick)(1);
        Ok(())
    }

    /// The end, with the scores; the remaining rounds of a stopped run count as done.
    pub(super) fn finish(mut self, stop: Option<BoplStop>, end: Option<Snapshot>) -> (History, Vec<f64>) {
        let history = &mut self.history;
        history.stop = stop;
        history.reward = self.rows.reward(&self.scores);
        history.standard_error = self.rows.standard_error(&self.scores);
        if let Some(end) =
            end.filter(|_| history.snapshots.last().is_none_or(|last| last.round < history.rounds))
        {
            let (round, reward, seconds) = (history.rounds, history.reward, Some(history.seconds));
            history.snapshots.push(Snapshot { round, reward, seconds, ..end });
        }
        (self.tick)(u64::from(self.last - history.rounds));
        (self.history, self.scores)
    }
}

impl History {
    /// The run after this round, or at its end if it stopped earlier.
    #[must_use]
    pub fn at(&self, round: u32) -> Option<&Snapshot> {
        self.snapshots.iter().rfind(|snapshot| snapshot.round <= round)
    }
}

#[cfg(test)]
mod tests;
