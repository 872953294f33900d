//! What the judged rows say in the end.

use super::observations::Observed;
use super::{Bound, PropensitySource};
use crate::error::JobError;
use off_policy::Log;
use off_policy::estimators::{Moments, Observation, Support};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What a log says of a policy in comparison with the policy that wrote the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It earns more than the logging policy.
    Better {
        /// At least so much more a decision, with probability 1 − δ.
        at_least: f64,
        /// Whether this holds for certain with that probability: `false` where a
        /// [`Caveat`](super::Caveat) makes the bound an approximate one.
        is_certain: bool,
    },
    /// It may earn more or less.
    NotShown {
        /// The bound on the difference, below or at 0.
        at_least: f64,
    },
    /// The log says nothing of it that could be relied on.
    CannotAnswer(Vec<Reason>),
}

impl Verdict {
    /// Whether it is [`Better`](Self::Better).
    #[must_use]
    pub fn is_better(&self) -> bool {
        matches!(self, Self::Better { .. })
    }
}

/// Why a log cannot answer for a policy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// Most of the policy's decisions are actions that the log never or hardly ever took there.
    NoOverlap {
        /// 1 − Σw/n: their share, estimated.
        share: f64,
        /// The effective sample size, (Σw)²/Σw².
        effective_rows: f64,
        /// n.
        rows: u64,
    },
    /// Nearly every decision of the log was sure: it does not say what another action would have earned.
    DeterministicLogging {
        /// The share of the rows with a propensity of 1; of at least 0.97 where propensities are estimated.
        share: f64,
        /// n.
        rows: u64,
    },
    /// Too few rows for any interval.
    TooFewRows {
        /// n.
        rows: u64,
        /// The least number.
        needed: u64,
    },
    /// The policy was trained on the rows that judge it.
    OwnLog,
    /// Every row is in the log more than once: rows that judge were learnt from.
    CopiedRows {
        /// The greatest number that divides how often each row is there.
        times: u64,
    },
    /// Too few rows in which the log did what the policy would do.
    FewEffectiveRows {
        /// The effective sample size.
        effective_rows: f64,
        /// n.
        rows: u64,
    },
    /// Too few rows in which the log did what the policy would do and the reward was not 0, where the rate of
    /// rewards in the log would give too few as well.
    FewRewards {
        /// How many.
        rewarded: u64,
        /// n.
        rows: u64,
    },
    /// Every row earned the same.
    ConstantReward {
        /// What it earned.
        reward: f64,
    },
    /// The log took a single action.
    OneAction {
        /// |A|, or 1 where no row had another action on offer.
        actions: usize,
    },
    /// The propensities cannot be those that were in force, or are rounded, or the policy was made of the
    /// judged rows: its weights, or those of the uniform policy, average more than 1.
    WrongPropensities {
        /// The mean weight, which is at most 1 for true propensities.
        mean_weight: f64,
        /// Its standard error.
        standard_error: f64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| 100.0 * share;
        match *self {
            Self::NoOverlap { share, effective_rows, rows } => write!(
                f,
                "the log never or hardly ever took {:.0}% of the policy's decisions, and {rows} rows count as \
                 {effective_rows:.0}",
                percent(share)
            ),
            Self::DeterministicLogging { share, rows } => write!(
                f,
                "{:.0}% of {rows} logged decisions were sure, so that nothing is known of other actions",
                percent(share)
            ),
            Self::TooFewRows { rows, needed } => write!(f, "{rows} rows are too few, {needed} are the least"),
            Self::FewEffectiveRows { effective_rows, rows } => {
                write!(f, "{rows} rows count as {effective_rows:.1} for this policy")
            }
            Self::FewRewards { rewarded: 0, rows } => {
                write!(f, "in none of {rows} rows the log did what the policy may do and earned anything")
            }
            Self::FewRewards { rewarded, rows } => write!(
                f,
                "in only {rewarded} of {rows} rows the log did what the policy may do and earned anything"
            ),
            Self::OwnLog => write!(f, "the policy was trained on these rows"),
            Self::CopiedRows { times } => {
                write!(f, "every row is in the log {times} times, so the rows that judge were learnt from")
            }
            Self::ConstantReward { reward } => write!(f, "every row earned {reward}"),
            Self::OneAction { actions: 0..=1 } => {
                write!(f, "every row had a single action on offer, and there was nothing to choose")
            }
            Self::OneAction { actions } => {
                write!(f, "the log took the same one of {actions} actions in every row")
            }
            Self::WrongPropensities { mean_weight, standard_error } => {
                let digits = if mean_weight < 1.01 { 6 } else { 3 };
                write!(
                    f,
                    "the propensities are not those that were in force, or are rounded (seven significant digits \
                     are enough), or the policy was made of these rows: weights average {mean_weight:.digits$} ± \
                     {standard_error:.digits$}, and not at most 1"
                )
            }
        }
    }
}

/// Rows below which no interval is worth its name.
const LEAST_ROWS: u64 = 20;
/// Effective rows below which no bound is believed, though it holds: a single propensity that is wrong by a
/// factor of a thousand makes as few of any log.
const LEAST_EFFECTIVE_ROWS: f64 = 10.0;
/// How far weights may average above 1: more than seven significant digits of a propensity leave out. It is
/// no more, for the bounds count such a surplus as an improvement.
const ROUNDED: f64 = 1e-6;
/// Effective rows, and rewarded ones, below which a bound at or below 0 says that the log cannot answer.
pub(super) const FEW: u64 = 30;

/// Reasons that no bound overrules.
pub(super) fn hard_reasons(
    log: &Log,
    observed: &Observed,
    support: &Support,
    source: PropensitySource,
) -> Result<Vec<Reason>, JobError> {
    let (mut reasons, rows) = (Vec::new(), support.rows);
    if rows < LEAST_ROWS {
        reasons.push(Reason::TooFewRows { rows, needed: LEAST_ROWS });
    }
    let first = log.logged_actions().first();
    if log.logged_actions().iter().all(|a| Some(a) == first) {
        let has_choice = log.iter().any(|row| row.on_offer.len() > 1);
        reasons.push(Reason::OneAction { actions: if has_choice { log.actions() } else { 1 } });
    }
    if let Some(&reward) = log.rewards().first()
        && log.rewards().iter().all(|r| *r == reward)
    {
        reasons.push(Reason::ConstantReward { reward });
    }
    let sure = match source {
        PropensitySource::Logged => 1.0 - 1e-9,
        PropensitySource::Estimated => 0.97,
    };
    let share = log.propensities().iter().filter(|p| **p >= sure).count() as f64 / rows as f64;
    if share >= 0.99 {
        reasons.push(Reason::DeterministicLogging { share, rows });
    }
    // The weights of the judged policy, and those of the uniform one, average at most 1.
    let uniform: Vec<f64> = log.iter().map(|row| 1.0 / row.on_offer.len() as f64 / row.propensity).collect();
    let uniform = Moments::of(&uniform)?.estimate()?;
    let of_policy = (support.mean_weight, support.standard_error);
    let worst = [of_policy, (uniform.value, uniform.standard_error)].into_iter().find(|(mean, error)| {
        error.is_some_and(|error| rows >= LEAST_ROWS && mean - 1.0 > 5.0 * error + ROUNDED)
    });
    if let Some((mean_weight, standard_error)) = worst {
        let standard_error = standard_error.unwrap_or_default();
        reasons.push(Reason::WrongPropensities { mean_weight, standard_error });
    }
    let error = support.standard_error.unwrap_or_default();
    if support.max_weight == 0.0 || support.mean_weight + 3.0 * error < 0.5 {
        let (share, effective_rows) = ((1.0 - support.mean_weight).max(0.0), support.ess);
        reasons.push(Reason::NoOverlap { share, effective_rows, rows });
    } else if support.ess < LEAST_EFFECTIVE_ROWS && rows >= LEAST_ROWS {
        reasons.push(Reason::FewEffectiveRows { effective_rows: support.ess, rows });
    }
    debug_assert_eq!(observed.rows.len() as u64, rows);
    Ok(reasons)
}

/// Reasons for which a bound that is not above 0 says nothing.
fn soft_reasons(log: &Log, observed: &Observed, support: &Support) -> Vec<Reason> {
    let (mut reasons, rows) = (Vec::new(), support.rows);
    if support.ess < FEW as f64 {
        reasons.push(Reason::FewEffectiveRows { effective_rows: support.ess, rows });
    }
    let nothing = reward_of_nothing(log);
    let is_rewarded = |seen: &&Observation| seen.target > 0.0 && Some(seen.reward) != nothing;
    let rewarded = observed.rows.iter().filter(is_rewarded).count() as u64;
    // As many as the log's own rate would give: where these are not few, few are an answer, and a bad one.
    let rate = log.rewards().iter().filter(|r| Some(**r) != nothing).count() as f64 / rows as f64;
    if rewarded < FEW && rate * support.ess < FEW as f64 {
        reasons.push(Reason::FewRewards { rewarded, rows });
    }
    reasons
}

/// The reward where nothing happened: the commonest one. Where that is the largest, rows that earned it are
/// what the others are measured by, and nothing happened where the least was earned.
pub(super) fn reward_of_nothing(log: &Log) -> Option<f64> {
    let mut counts = BTreeMap::new();
    log.rewards().iter().for_each(|r| *counts.entry((r + 0.0).to_bits()).or_insert(0_u64) += 1);
    let (bits, _) = counts.iter().max_by_key(|(_, count)| **count)?;
    let (commonest, rewards) = (f64::from_bits(*bits), log.rewards());
    if rewards.iter().any(|r| *r > commonest) {
        return Some(commonest);
    }
    rewards.iter().copied().reduce(f64::min)
}

/// The verdict of a bound.
pub(super) fn verdict(
    log: &Log,
    observed: &Observed,
    support: &Support,
    hard: Vec<Reason>,
    bound: Option<&Bound>,
    is_certain: bool,
) -> Verdict {
    let Some(bound) = bound.filter(|_| hard.is_empty()) else {
        return Verdict::CannotAnswer(hard);
    };
    let at_least = bound.lower;
    if at_least > 0.0 {
        return Verdict::Better { at_least, is_certain };
    }
    let soft = soft_reasons(log, observed, support);
    if soft.is_empty() { Verdict::NotShown { at_least } } else { Verdict::CannotAnswer(soft) }
}
