//! A log beside a policy and a model of rewards.

use crate::estimators::definitions::Observation;
use crate::estimators::error::EstimateError;
use crate::estimators::observations::{Observations, RewardModel, direct};
use crate::log::Log;
use crate::policies::Policy;
use std::fmt;

/// The rows of a log with what a policy and a model say of them, asked row by row as they are visited;
/// actions that were not on offer count for nothing.
///
/// *Memory:* 2|A| numbers.
pub struct OnLog<'a, P> {
    log: &'a Log,
    policy: &'a P,
    model: Option<&'a dyn RewardModel>,
}

impl<P: fmt::Debug> fmt::Debug for OnLog<'_, P> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_model = self.model.is_some();
        let mut written = out.debug_struct("OnLog");
        written.field("log", self.log).field("policy", self.policy).field("has_model", &has_model).finish()
    }
}

impl<'a, P: Policy> OnLog<'a, P> {
    /// A log, the policy to be evaluated, and a model for DM, DR and SWITCH-DR.
    ///
    /// # Errors
    /// [`EstimateError::Coding`] for a policy or a model of another coding than the log's, where both are
    /// known; [`EstimateError::ActionCount`] for one of another |A|.
    pub fn new(
        log: &'a Log,
        policy: &'a P,
        model: Option<&'a dyn RewardModel>,
    ) -> Result<Self, EstimateError> {
        let of_model = model.and_then(RewardModel::schema);
        for (argument, schema) in [("the policy", policy.schema()), ("the model of rewards", of_model)] {
            if let (Some(own), Some(of_log)) = (schema, log.schema()) {
                own.check_same(of_log).map_err(|source| EstimateError::Coding { argument, source })?;
            }
        }
        let expected = log.actions();
        let of_model = model.map_or(expected, RewardModel::actions);
        for (argument, got) in [("the policy", policy.actions()), ("the model of rewards", of_model)] {
            if got != expected {
                return Err(EstimateError::ActionCount { argument, expected, got });
            }
        }
        Ok(Self { log, policy, model })
    }
}

impl<P: Policy> Observations for OnLog<'_, P> {
    fn has_model(&self) -> bool {
        self.model.is_some()
    }

    fn visit(
        &self,
        mut see: impl FnMut(&Observation) -> Result<(), EstimateError>,
    ) -> Result<(), EstimateError> {
        let (mut target, mut predictions) = (vec![0.0; self.log.actions()], vec![0.0; self.log.actions()]);
        for (row, logged) in self.log.iter().enumerate() {
            let (x, offered, action) = (logged.context, logged.on_offer, logged.action);
            let refused = |source| EstimateError::Policy { row, source };
            self.policy.probabilities(x, offered, &mut target).map_err(refused)?;
            if let Some(model) = self.model {
                let refused = |source| EstimateError::Model { row, source };
                model.rewards(x, &mut predictions).map_err(refused)?;
            }
            if !offered.is_all() {
                for a in (0..target.len()).filter(|a| !offered.contains(*a)) {
                    if target[a] > 0.0 {
                        return Err(EstimateError::NotOnOffer { row, action: a });
                    }
                    predictions[a] = 0.0;
                }
            }
            let direct = direct(row, &target, self.model.map(|_| &*predictions))?;
            let (propensity, reward) = (logged.propensity, logged.reward);
            let (target, predicted) = (target[action], predictions[action]);
            see(&Observation { target, propensity, reward, direct, predicted })?;
        }
        Ok(())
    }
}
