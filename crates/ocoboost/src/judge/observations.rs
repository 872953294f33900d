//! The rows of a log beside a policy, kept.

use super::Target;
use crate::error::JobError;
use boosters::auto_policy::BoostedRewards;
use off_policy::estimators::{EstimateError, Observation, Observations, OnLog, RewardModel};
use off_policy::policies::Policy;
use off_policy::{ActionSet, Log, PolicyError, Schema};
use rows::Row;
use std::ops::ControlFlow;

/// Five numbers a row.
#[derive(Debug, Clone)]
pub(super) struct Observed {
    pub(super) rows: Vec<Observation>,
    pub(super) has_model: bool,
}

/// The folds of a model of rewards that is fitted on the judged log itself.
const FOLDS: usize = 5;

impl Observed {
    /// The rows of a log, with what a model says that was fitted on other rows.
    pub(super) fn of(
        log: &Log,
        target: Target<'_>,
        model: Option<&dyn RewardModel>,
    ) -> Result<Self, JobError> {
        let Target::Policy(policy) = target else {
            return Ok(Self::of_logging_policy(log));
        };
        let mut rows = Vec::with_capacity(log.len());
        OnLog::new(log, &Borrowed(policy), model)?.visit(|row| {
            rows.push(*row);
            Ok(())
        })?;
        Ok(Self { rows, has_model: model.is_some() })
    }

    /// The same for several policies, with models of rewards that are fitted on the other folds of the log.
    pub(super) fn cross_fitted(log: &Log, targets: &[Target<'_>], seed: u64) -> Result<Vec<Self>, JobError> {
        let n = log.len();
        let blank = Observation { target: 0.0, propensity: 1.0, reward: 0.0, direct: 0.0, predicted: 0.0 };
        let has_model = |target: &Target<'_>| matches!(target, Target::Policy(_));
        let blank = |target| Self { rows: vec![blank; n], has_model: has_model(target) };
        let mut found: Vec<Self> = targets.iter().map(blank).collect();
        for fold in 0..FOLDS.min(n) {
            let of = |is_own: bool| (0..n).filter(move |row| (row % FOLDS == fold) == is_own);
            let model = BoostedRewards::fit(&log.select(of(false))?, seed, |_| ControlFlow::Continue(()))?;
            let own = log.select(of(true))?;
            for (target, found) in targets.iter().zip(&mut found) {
                for (row, seen) in of(true).zip(Self::of(&own, *target, Some(&model))?.rows) {
                    found.rows[row] = seen;
                }
            }
        }
        Ok(found)
    }

    /// π = π_L, whose weights are 1.
    fn of_logging_policy(log: &Log) -> Self {
        let row = |row: off_policy::LoggedRow<'_>| Observation {
            target: row.propensity,
            propensity: row.propensity,
            reward: row.reward,
            direct: 0.0,
            predicted: 0.0,
        };
        Self { rows: log.iter().map(row).collect(), has_model: false }
    }

    /// The same rows with other propensities.
    pub(super) fn with_propensities(&self, target: Target<'_>, propensities: &[f64]) -> Self {
        let with = |(row, p): (&Observation, &f64)| Observation {
            propensity: *p,
            // The logging policy is whatever the propensities say.
            target: if matches!(target, Target::Logged) { *p } else { row.target },
            ..*row
        };
        let rows = self.rows.iter().zip(propensities).map(with).collect();
        Self { rows, has_model: self.has_model }
    }
}

impl Observations for Observed {
    fn has_model(&self) -> bool {
        self.has_model
    }

    fn visit(&self, see: impl FnMut(&Observation) -> Result<(), EstimateError>) -> Result<(), EstimateError> {
        self.rows.iter().try_for_each(see)
    }
}

/// A policy behind a reference.
struct Borrowed<'a>(&'a dyn Policy);

impl Policy for Borrowed<'_> {
    fn inputs(&self) -> Option<usize> {
        self.0.inputs()
    }

    fn actions(&self) -> usize {
        self.0.actions()
    }

    fn schema(&self) -> Option<&Schema> {
        self.0.schema()
    }

    fn probabilities(
        &self,
        x: Row<'_>,
        on_offer: ActionSet<'_>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.0.probabilities(x, on_offer, probabilities)
    }

    fn probabilities_of_rows(
        &self,
        log: &Log,
        from: usize,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.0.probabilities_of_rows(log, from, probabilities)
    }
}
