//! What a policy does otherwise than the log did.

use crate::error::JobError;
use off_policy::Log;
use off_policy::estimators::EstimateError;
use off_policy::policies::Policy;
use serde::Serialize;
use std::collections::BTreeMap;

/// The actions of a policy against those of the log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changes {
    /// The mean of π(a_i|x_i): how often the policy does what the log did.
    pub agreement: f64,
    /// Actions with their shares, those with the largest first; the larger of the two shares counts.
    pub actions: Vec<ActionChange>,
    /// The number of actions beyond these.
    pub others: usize,
    /// Shares of the rows by the action that was logged (a line each) and the one that the policy takes:
    /// those of `actions` in their order, and all others as the last line and the last column. They sum to 1.
    pub from_to: Vec<Vec<f64>>,
}

/// One action.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionChange {
    /// Its number.
    pub action: usize,
    /// Its name; the number where it has none.
    pub name: String,
    /// The share of the rows in which it was logged.
    pub logged: f64,
    /// The mean of its probability under the policy.
    pub policy: f64,
    /// The mean reward of the rows in which it was logged.
    pub reward: Option<f64>,
}

/// A row whose decision is not sure.
const UNSURE: u32 = u32::MAX;

impl Changes {
    pub(super) fn of(log: &Log, policy: &dyn Policy, most: usize) -> Result<Self, JobError> {
        let (n, k) = (log.len() as f64, log.actions());
        let (mut logged, mut rewards, mut played) = (vec![0.0; k], vec![0.0; k], vec![0.0; k]);
        let (mut agreement, mut pi) = (0.0, vec![0.0; k]);
        // The decisions of a deterministic policy need not be asked for again.
        let mut sure = Vec::with_capacity(log.len());
        for (row, seen) in log.iter().enumerate() {
            probabilities(policy, row, &seen, &mut pi)?;
            logged[seen.action] += 1.0;
            rewards[seen.action] += seen.reward;
            agreement += pi[seen.action];
            played.iter_mut().zip(&pi).for_each(|(sum, p)| *sum += p);
            let only = pi.iter().position(|p| *p == 1.0).and_then(|a| u32::try_from(a).ok());
            sure.push(only.unwrap_or(UNSURE));
        }
        let mut order: Vec<usize> = (0..k).collect();
        let larger = |a: usize| f64::max(logged[a], played[a]);
        order.sort_by(|a, b| larger(*b).total_cmp(&larger(*a)).then(a.cmp(b)));
        order.retain(|a| larger(*a) > 0.0);
        let others = order.len().saturating_sub(most);
        order.truncate(most);
        let place: BTreeMap<usize, usize> = order.iter().enumerate().map(|(k, a)| (*a, k)).collect();
        let of = |action: usize| place.get(&action).copied().unwrap_or(order.len());
        let mut from_to = vec![vec![0.0; order.len() + 1]; order.len() + 1];
        for (row, (seen, sure)) in log.iter().zip(&sure).enumerate() {
            let line = &mut from_to[of(seen.action)];
            if *sure != UNSURE {
                line[of(*sure as usize)] += 1.0 / n;
                continue;
            }
            probabilities(policy, row, &seen, &mut pi)?;
            for (a, p) in pi.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                line[of(a)] += p / n;
            }
        }
        let name = |a: usize| {
            let name = log.schema().and_then(|schema| schema.action_name(a));
            name.map_or_else(|| a.to_string(), std::borrow::Cow::into_owned)
        };
        let change = |action: usize| ActionChange {
            action,
            name: name(action),
            logged: logged[action] / n,
            policy: played[action] / n,
            reward: (logged[action] > 0.0).then(|| rewards[action] / logged[action]),
        };
        let actions = order.iter().map(|action| change(*action)).collect();
        Ok(Self { agreement: agreement / n, actions, others, from_to })
    }
}

fn probabilities(
    policy: &dyn Policy,
    row: usize,
    seen: &off_policy::LoggedRow<'_>,
    pi: &mut [f64],
) -> Result<(), JobError> {
    let refused = |source| EstimateError::Policy { row, source };
    Ok(policy.probabilities(seen.context, seen.on_offer, pi).map_err(refused)?)
}
