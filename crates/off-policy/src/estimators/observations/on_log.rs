//! A log beside a policy and a model of rewards.

use crate::estimators::definitions::Observation;
use crate::estimators::error::EstimateError;
use crate::estimators::observations::{Observations, RewardModel, direct};
use crate::log::{Log, LoggedRow};
use crate::policies::Policy;
use std::fmt;

/// The rows of a log with what a policy and a model say of them, asked block by block as they are visited;
/// actions that were not on offer count for nothing.
///
/// *Memory:* 4 MB, or 2|A| numbers if that is more.
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
        let (n, actions) = (self.log.len(), self.log.actions());
        let rows = (PAIRS / actions).clamp(1, n);
        let (mut target, mut predictions) = (vec![0.0; rows * actions], vec![0.0; rows * actions]);
        for from in (0..n).step_by(rows) {
            let pairs = rows.min(n - from) * actions;
            let (target, predictions) = (&mut target[..pairs], &mut predictions[..pairs]);
            self.ask(from, target, predictions)?;
            let rows = target.chunks_exact(actions).zip(predictions.chunks_exact_mut(actions));
            for (row, (target, predictions)) in (from..).zip(rows) {
                self.log.row(row).map_or(Ok(()), |logged| {
                    see(&observation(row, logged, target, predictions, self.model.is_some())?)
                })?;
            }
        }
        Ok(())
    }
}

/// Rows are asked for so many pairs at once: what answers many rows at once does so faster.
const PAIRS: usize = 1 << 18;

impl<P: Policy> OnLog<'_, P> {
    /// What the policy and the model say of rows. An error is of the first row that is refused.
    fn ask(&self, from: usize, target: &mut [f64], predictions: &mut [f64]) -> Result<(), EstimateError> {
        let actions = self.log.actions();
        if self.policy.probabilities_of_rows(self.log, from, target).is_err() {
            for (row, own) in (from..).zip(target.chunks_exact_mut(actions)) {
                let refused = |source| EstimateError::Policy { row, source };
                let Some(logged) = self.log.row(row) else { break };
                self.policy.probabilities(logged.context, logged.on_offer, own).map_err(refused)?;
            }
        }
        let Some(model) = self.model else { return Ok(()) };
        if model.rewards_of_rows(self.log.contexts(), from, predictions).is_err() {
            for (row, own) in (from..).zip(predictions.chunks_exact_mut(actions)) {
                let refused = |source| EstimateError::Model { row, source };
                let Some(logged) = self.log.row(row) else { break };
                model.rewards(logged.context, own).map_err(refused)?;
            }
        }
        Ok(())
    }
}

fn observation(
    row: usize,
    logged: LoggedRow<'_>,
    target: &[f64],
    predictions: &mut [f64],
    has_model: bool,
) -> Result<Observation, EstimateError> {
    let (offered, action) = (logged.on_offer, logged.action);
    if !offered.is_all() {
        for a in (0..target.len()).filter(|a| !offered.contains(*a)) {
            if target[a] > 0.0 {
                return Err(EstimateError::NotOnOffer { row, action: a });
            }
            predictions[a] = 0.0;
        }
    }
    let direct = direct((row, row * target.len()), target, has_model.then_some(&*predictions))?;
    let (propensity, reward) = (logged.propensity, logged.reward);
    let (target, predicted) = (target[action], predictions[action]);
    Ok(Observation { target, propensity, reward, direct, predicted })
}
