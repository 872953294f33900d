//! The rows of a log beside a policy, kept.

use super::Target;
use crate::error::JobError;
use crate::of_ranks::{doubles, own};
use crate::propensities::Watch;
use boosters::auto_policy::BoostedRewards;
use off_policy::estimators::{
    EstimateError, Observation, Observations, OnLog, RewardModel, Tables, cross_fit,
};
use off_policy::policies::Policy;
use off_policy::{ActionSet, Log, LogError, PolicyError, Schema};
use ranks::{RankError, Ranks, Shard};
use rows::Row;
use std::ops::ControlFlow;

/// Five numbers a row.
#[derive(Debug, Clone)]
pub(crate) struct Observed {
    pub(crate) rows: Vec<Observation>,
    pub(crate) has_model: bool,
    /// Whether the policy is the one that wrote the log, which is whatever the propensities say.
    pub(crate) is_logged: bool,
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
        let policy = match target {
            Target::Policy(policy) => policy,
            Target::Logged => return Ok(Self::of_logging_policy(log)),
            Target::Table(table) => return Self::of_table(log, table, model),
        };
        let mut rows = Vec::with_capacity(log.len());
        OnLog::new(log, &Borrowed(policy), model)?.visit(|row| {
            rows.push(*row);
            Ok(())
        })?;
        Ok(Self { rows, has_model: model.is_some(), is_logged: false })
    }

    /// The same of a table of probabilities. An action that was not on offer has the probability 0, so that
    /// what a model predicts of it counts for nothing.
    fn of_table(log: &Log, table: &[f64], model: Option<&dyn RewardModel>) -> Result<Self, JobError> {
        check_table(log, table)?;
        let (k, mut predictions) = (log.actions(), model.map(|_| vec![0.0; table.len()]));
        if let (Some(model), Some(predictions)) = (model, &mut predictions) {
            model.rewards_of_rows(log.contexts(), 0, predictions)?;
        }
        for (row, (logged, pi)) in log.iter().zip(table.chunks_exact(k)).enumerate() {
            let is_outside = |(a, p): &(usize, &f64)| **p > 0.0 && !logged.on_offer.contains(*a);
            if let Some((action, _)) = pi.iter().enumerate().find(is_outside) {
                return Err(EstimateError::NotOnOffer { row, action }.into());
            }
        }
        let (actions, propensities) = (log.logged_actions(), log.propensities());
        let tables = Tables::new(k, actions, propensities, log.rewards(), table, predictions.as_deref())?;
        let mut rows = Vec::with_capacity(log.len());
        tables.visit(|row| {
            rows.push(*row);
            Ok(())
        })?;
        Ok(Self { rows, has_model: model.is_some(), is_logged: false })
    }

    /// The rows of all ranks, of which these are those of one.
    pub(super) fn gathered(&self, ranks: &Ranks) -> Result<Self, RankError> {
        let numbers = |row: &Observation| {
            let Observation { target, propensity, reward, direct, predicted } = *row;
            [target, propensity, reward, direct, predicted]
        };
        let all = doubles(ranks, &self.rows.iter().flat_map(numbers).collect::<Vec<f64>>())?;
        let (rows, _) = all.as_chunks::<5>();
        let row = |[target, propensity, reward, direct, predicted]: &[f64; 5]| Observation {
            target: *target,
            propensity: *propensity,
            reward: *reward,
            direct: *direct,
            predicted: *predicted,
        };
        Ok(Self { rows: rows.iter().map(row).collect(), ..*self })
    }

    /// The same for several policies, with models of rewards that are fitted on the other folds of the log.
    /// Folds are of the rows of all ranks, and what is found is of those of this one.
    pub(super) fn cross_fitted(
        (log, shard): (&Log, &Shard),
        targets: &[Target<'_>],
        seed: u64,
        watch: Watch<'_>,
    ) -> Result<Vec<Self>, JobError> {
        let (n, k, ranks) = (log.len(), log.actions(), shard.ranks());
        let blank = Observation { target: 0.0, propensity: 1.0, reward: 0.0, direct: 0.0, predicted: 0.0 };
        let blank = |target: &Target<'_>| {
            let is_logged = matches!(target, Target::Logged);
            Self { rows: vec![blank; n], has_model: !is_logged, is_logged }
        };
        let mut found: Vec<Self> = targets.iter().map(blank).collect();
        for fold in 0..FOLDS.min(shard.total()) {
            let is_own = |row: &usize| (shard.first() + row) % FOLDS == fold;
            let own: Vec<usize> = (0..n).filter(is_own).collect();
            let others = others_of_fold(log, shard, fold)?;
            let (mut is_over, mut failed) = (false, None);
            let model = BoostedRewards::fit(&others, seed, |_| {
                is_over = ranks.any(watch().is_break()).unwrap_or_else(|error| {
                    failed.get_or_insert(error);
                    true
                });
                if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if let Some(error) = failed {
                return Err(error.into());
            }
            if is_over {
                return Err(JobError::Interrupted);
            }
            let mut see = || -> Result<(), JobError> {
                if own.is_empty() {
                    return Ok(());
                }
                let of_fold = log.select(own.iter().copied())?;
                for (target, found) in targets.iter().zip(&mut found) {
                    let own_table: Vec<f64>;
                    let target = match *target {
                        Target::Table(table) => {
                            check_table(log, table)?;
                            let of_row = |row: &usize| &table[row * k..(row + 1) * k];
                            own_table = own.iter().flat_map(of_row).copied().collect();
                            Target::Table(&own_table)
                        }
                        target => target,
                    };
                    for (row, seen) in own.iter().zip(Self::of(&of_fold, target, Some(&model))?.rows) {
                        found.rows[*row] = seen;
                    }
                }
                Ok(())
            };
            ranks.agree(see())?;
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
        Self { rows: log.iter().map(row).collect(), has_model: false, is_logged: true }
    }

    /// Numbers with the value as their mean.
    pub(super) fn terms(&self) -> Result<Vec<f64>, JobError> {
        terms(&self.rows, self.has_model)
    }

    /// The same rows with other propensities.
    pub(super) fn with_propensities(&self, propensities: &[f64]) -> Self {
        let with = |(row, p): (&Observation, &f64)| Observation {
            propensity: *p,
            target: if self.is_logged { *p } else { row.target },
            ..*row
        };
        let rows = self.rows.iter().zip(propensities).map(with).collect();
        Self { rows, ..*self }
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

/// The rows outside a fold: all of them, or of several ranks those that a model of rewards takes.
fn others_of_fold(log: &Log, shard: &Shard, fold: usize) -> Result<Log, LogError> {
    let n = shard.total();
    if !shard.ranks().are_several() {
        return log.select((0..n).filter(|row| row % FOLDS != fold));
    }
    // Of every five rows in order those of the fold are left out.
    let row = |k: usize| {
        let place = k % (FOLDS - 1);
        k / (FOLDS - 1) * FOLDS + place + usize::from(place >= fold)
    };
    let count = n - (n + FOLDS - 1 - fold) / FOLDS;
    log.gathered(&own(BoostedRewards::rows(count).map(row), shard, log.len()), shard.ranks())
}

/// q̂(x_i, a) at i·|A| + a, by the model of rewards of a [`JudgeJob`](super::JudgeJob): cross-fitted, a row
/// by trees of the other folds. For other estimators than those of a judgement.
///
/// *Cost:* five models of [`BoostedRewards`]; n·|A| predictions.
///
/// # Errors
/// [`JobError::Estimate`] for fewer than two rows; the errors of [`BoostedRewards::fit`].
pub fn cross_fitted_rewards(log: &Log, seed: u64) -> Result<Vec<f64>, JobError> {
    let fit =
        |others: &Log| Ok::<_, JobError>(BoostedRewards::fit(others, seed, |_| ControlFlow::Continue(()))?);
    cross_fit(log, FOLDS.min(log.len()), fit)
}

/// Refuses a table of another shape than n × |A|.
fn check_table(log: &Log, table: &[f64]) -> Result<(), EstimateError> {
    let (argument, expected, got) = ("target", log.len().saturating_mul(log.actions()), table.len());
    if got == expected { Ok(()) } else { Err(EstimateError::LengthMismatch { argument, expected, got }) }
}

/// Numbers with the value on these rows as their mean: doubly robust terms with a model of rewards, else
/// those of SNIPS, V̂ + w_i(r_i − V̂)/w̄.
pub(super) fn terms(rows: &[Observation], has_model: bool) -> Result<Vec<f64>, JobError> {
    if has_model {
        let term = |(row, seen): (usize, &Observation)| {
            Ok(seen.direct + seen.weight(row)? * (seen.reward - seen.predicted))
        };
        return rows.iter().enumerate().map(term).collect();
    }
    let weights = weights(rows)?;
    let sum: f64 = weights.iter().sum();
    if sum == 0.0 {
        return Ok(vec![0.0; weights.len()]);
    }
    let value = weights.iter().zip(rows).map(|(w, seen)| w * seen.reward).sum::<f64>() / sum;
    let mean = sum / weights.len() as f64;
    Ok(weights.iter().zip(rows).map(|(w, seen)| value + w * (seen.reward - value) / mean).collect())
}

/// w_i = π(a_i|x_i)/p_i.
pub(super) fn weights(rows: &[Observation]) -> Result<Vec<f64>, JobError> {
    rows.iter().enumerate().map(|(row, seen)| Ok(seen.weight(row)?)).collect()
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
