//! The account of a run: its rounds, held to Theorem 1 of [L23].

use super::BoplStop;
use crate::bopl::algorithm::{Boosting, Vanished};
use crate::bopl::pass::Evaluation;
use crate::bopl::policy_log::PolicyLog;
use crate::bopl::weighted_log::within_range;
use crate::bopl::{BoplError, PolicyObjective};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::pairs::PairLearner;

/// The record of round t. A number beyond the range is ±[`f64::MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// ‖u‖_F before the round.
    pub gradient_norm: f64,
    /// α_t.
    pub alpha: f64,
    /// By how much the objective had to fall: αU/n − α²S/2n at the α of the closed form, which a line search
    /// may exceed.
    pub decrease: f64,
    /// The objective after the round, on the translated rewards.
    pub objective: f64,
    /// The bound of Theorem 1 on it: L̂* + Δ_0 exp(−Σ decrease/Δ_0).
    pub bound: f64,
    /// The IPS estimate of the value of the softmax policy after the round, on the training log and its
    /// rewards without translation.
    pub ips: f64,
    /// Its SNIPS estimate; 0 where no logged action has a probability.
    pub snips: f64,
}

/// The rounds of a run, and what the bound on its objective is made of.
#[derive(Debug, Clone)]
pub(in crate::bopl) struct Account {
    /// L̂*.
    optimal: f64,
    /// Δ_0.
    delta_0: f64,
    /// Σ decrease.
    decreased: f64,
    record: Vec<Round>,
}

impl Account {
    /// Plays a round, and books it.
    ///
    /// # Errors
    /// Those of the round, which is then not booked.
    pub(in crate::bopl) fn play<O: PolicyObjective, L: PairLearner, W: PolicyLog>(
        &mut self,
        boosting: &mut Boosting<O, L, L::Hypothesis, W>,
        contexts: &L::Contexts,
    ) -> Result<ControlFlow<BoplStop, Round>, BoplError> {
        if !boosting.log().has_choice() {
            return Ok(ControlFlow::Break(BoplStop::NoChoice));
        }
        let gradient_norm = boosting.evaluation().gradient_norm;
        let weight = match boosting.round(contexts)? {
            ControlFlow::Continue(weight) => weight,
            ControlFlow::Break(Vanished::Gradient) => return Ok(ControlFlow::Break(BoplStop::Gradient)),
            ControlFlow::Break(Vanished::Predictions) => {
                return Ok(ControlFlow::Break(BoplStop::Predictions));
            }
            ControlFlow::Break(Vanished::Alpha) => return Ok(ControlFlow::Break(BoplStop::Alpha)),
        };
        self.decreased += weight.decrease;
        let after = boosting.evaluation();
        let round = Round {
            gradient_norm,
            alpha: weight.alpha,
            decrease: within_range(weight.decrease),
            objective: after.objective,
            bound: self.bound(),
            ips: after.ips,
            snips: after.snips,
        };
        self.record.push(round);
        Ok(ControlFlow::Continue(round))
    }

    /// Theorem 1, with the realised decreases.
    fn bound(&self) -> f64 {
        let Self { optimal, delta_0, decreased, .. } = *self;
        let rest = if delta_0 > 0.0 { delta_0 * (-decreased / delta_0).exp() } else { delta_0 };
        within_range(optimal + rest)
    }

    /// The account of a run at its start, with this L̂* and the objective there.
    pub(in crate::bopl) fn open(optimal: f64, objective: f64) -> Self {
        Self { optimal, delta_0: within_range(objective - optimal), decreased: 0.0, record: Vec::new() }
    }

    /// Books the rounds of a run that was saved, whose last one left it at this evaluation.
    ///
    /// # Errors
    /// [`BoplError::NotReproduced`] where the record contradicts itself or the evaluation.
    pub(in crate::bopl) fn restore(
        &mut self,
        record: Vec<Round>,
        found: Evaluation,
    ) -> Result<(), BoplError> {
        for round in &record {
            self.decreased += round.decrease;
            check_reproduced("bound", round.bound, self.bound())?;
        }
        if let Some(last) = record.last() {
            for (quantity, recorded, found) in [
                ("objective", last.objective, found.objective),
                ("ips", last.ips, found.ips),
                ("snips", last.snips, found.snips),
            ] {
                check_reproduced(quantity, recorded, found)?;
            }
        }
        self.record = record;
        Ok(())
    }

    /// The rounds so far.
    pub(in crate::bopl) fn record(&self) -> &[Round] {
        &self.record
    }

    /// L̂*.
    pub(in crate::bopl) fn optimal(&self) -> f64 {
        self.optimal
    }

    /// Δ_0.
    pub(in crate::bopl) fn delta_0(&self) -> f64 {
        self.delta_0
    }
}

/// A number of the record and the one that was found again: the same bits.
pub(in crate::bopl) fn check_reproduced(
    quantity: &'static str,
    recorded: f64,
    found: f64,
) -> Result<(), BoplError> {
    if recorded.to_bits() == found.to_bits() {
        Ok(())
    } else {
        Err(BoplError::NotReproduced { quantity, recorded, found })
    }
}
