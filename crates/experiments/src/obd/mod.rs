//! Off-policy evaluation on a real log, the Open Bandit Dataset \[SANS21\]: each policy's value estimated
//! from the other's log, against the value from its own log.
//!
//! A shop showed its items by two policies, uniformly at random and by Thompson sampling (BTS), each on its
//! own visitors. So the value of each policy is known from its own log, and every estimator can be compared
//! with it.
//!
//! Thompson sampling changed while it learnt. Its mean reward is that of the adaptive policy, and its rows
//! are not independent, although every interval here assumes independence. The policy evaluated under its
//! name on the other log is the fixed policy with the item frequencies of its whole log, position by
//! position.
//!
//! Reading order: [`Options`], [`run`]; `campaign` (logs, policies, the model of rewards), `page`.

// Rows are counted far below 2^53.
#![allow(clippy::cast_precision_loss, reason = "counts")]

mod campaign;
mod page;

use crate::runner::{self, ExperimentError, Report};
use campaign::{ClickRates, Frequencies, Shown, both};
use off_policy::estimators::{
    Bootstrap, Estimator, EstimatorSettings, Interval, Moments, OffPolicyEvaluation, OnLog, Resampling,
    Sides, StatedRanges, empirical_bernstein_interval, normal_interval,
};
use off_policy::policies::{Policy, Uniform};
use off_policy::{Log, Rewards};
use report::record::{Provenance, Record, Trial};
use serde::Serialize;
use std::time::Instant;

/// The plan is the number of replicates of the bootstrap.
pub type Options = runner::Options<u32>;

/// 1 − the confidence of every interval.
const DELTA: f64 = 0.05;
/// M of clipped IPS and τ of SWITCH-DR: a weight above 10 means that one policy shows the item over ten times
/// as often.
const CUT: f64 = 10.0;
/// The shares of a log used for the curves of the figure.
const SHARES: [f64; 8] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0];

/// One policy, evaluated on the other policy's log.
#[derive(Debug, Clone)]
struct Direction {
    /// The evaluated policy, and the policy of the log.
    policy: &'static str,
    log: &'static str,
    provenance: Provenance,
    /// Mean reward in the policy's own log, with a normal interval.
    truth: f64,
    truth_interval: Interval,
    evaluation: OffPolicyEvaluation,
    lines: Vec<Line>,
    assumed: Assumed,
    /// (rows, estimates from these rows), for the figure.
    growth: Vec<(f64, OffPolicyEvaluation)>,
}

/// The assumptions of the empirical Bernstein intervals, besides clicks and click rates in [0, 1].
#[derive(Debug, Clone, Copy)]
struct Assumed {
    least_propensity: f64,
    /// Whether the least propensity was known beforehand rather than taken from the log.
    is_known: bool,
    /// The weight of the policy's most probable action at the least propensity.
    largest_weight: f64,
}

/// The result of one estimator.
#[derive(Debug, Clone, Copy, Serialize)]
struct Line {
    #[serde(skip)]
    estimator: Estimator,
    value: f64,
    /// The interval, if there is one.
    standard_error: Option<f64>,
    #[serde(skip)]
    normal: Option<Interval>,
    #[serde(skip)]
    bootstrap: Option<Interval>,
    #[serde(skip)]
    bernstein: Option<Interval>,
}

/// Runs the experiment, and writes `obd.json`, `obd.md` and `obd.svg`.
///
/// # Errors
/// [`ExperimentError`].
pub fn run(options: &Options) -> Result<Report, ExperimentError> {
    let begun = Instant::now();
    let settings = serde_json::json!({ "replicates": options.plan, "delta": DELTA, "cut": CUT });
    let mut record = Record::new("obd", options.seed, settings);
    let directions = directions(&both(&options.search, options.seed)?, options)?;
    record.trials = trials(&directions, options.seed);
    record.summarise();
    record.seconds = begun.elapsed().as_secs_f64();
    page::write(&record, &directions, options)
}

/// Each policy, evaluated on the other policy's log.
fn directions([random, bts]: &[Shown; 2], options: &Options) -> Result<[Direction; 2], ExperimentError> {
    let (uniform, frequencies) = (Uniform::new(random.log.actions())?, Frequencies::of(&bts.log));
    // The random policy is uniform; the least propensity of Thompson sampling is known only from its log.
    let even = 1.0 / random.log.actions() as f64;
    let least = bts.log.propensities().iter().fold(1.0, |least: f64, p| p.min(least));
    let assume = |least_propensity, is_known, largest_share: f64| Assumed {
        least_propensity,
        is_known,
        largest_weight: largest_share / least_propensity,
    };
    Ok([
        direction(("random", &uniform, random), ("BTS", bts), assume(least, false, even), options)?,
        direction(
            ("BTS", &frequencies, bts),
            ("random", random),
            assume(even, true, frequencies.largest()),
            options,
        )?,
    ])
}

/// The numbers of the record.
fn trials(directions: &[Direction], seed: u64) -> Vec<Trial> {
    let mut all = Vec::new();
    for Direction { policy, log, provenance, truth, lines, .. } in directions {
        let mut put = |method: &str, value: f64| {
            all.push(Trial {
                dataset: format!("men: {policy} by the log of {log}"),
                method: method.to_owned(),
                metric: "value".to_owned(),
                trial: 0,
                seed,
                value,
                settings: serde_json::Value::Null,
                provenance: *provenance,
            });
        };
        put("on-policy mean", *truth);
        lines.iter().for_each(|line| put(line.estimator.name(), line.value));
    }
    all
}

fn direction<P: Policy>(
    (policy_name, policy, own): (&'static str, &P, &Shown),
    (log_name, other): (&'static str, &Shown),
    assumed: Assumed,
    options: &Options,
) -> Result<Direction, ExperimentError> {
    let truth = Moments::of(own.log.rewards())?.estimate()?;
    let truth_interval = normal_interval(truth, DELTA)?.unwrap_or(Interval { lower: 0.0, upper: 1.0 });
    // A click pays 0 or 1, and a rate of clicks is in between.
    let ranges = StatedRanges::new([0.0, 1.0])?
        .with_least_propensity(assumed.least_propensity)?
        .with_largest_weight(assumed.largest_weight)?;
    let settings = EstimatorSettings::default().clipped_at(CUT)?.switched_at(CUT)?.within(ranges);
    let evaluate = |log: &Log| {
        let model = ClickRates::of(log);
        OffPolicyEvaluation::of(log, policy, Some(&model), settings)
    };
    let evaluation = evaluate(&other.log)?;
    let model = ClickRates::of(&other.log);
    let on_log = OnLog::new(&other.log, policy, Some(&model))?;
    let bootstrap =
        Bootstrap::of(&on_log, settings, Resampling { replicates: options.plan, seed: options.seed })?;
    let mut lines = Vec::new();
    for (estimator, estimate) in evaluation.estimates() {
        lines.push(Line {
            estimator,
            value: estimate.value,
            standard_error: estimate.standard_error,
            normal: normal_interval(estimate, DELTA)?,
            bootstrap: bootstrap.interval(estimator, DELTA)?,
            bernstein: empirical_bernstein_interval(&evaluation, estimator, DELTA, Sides::Two)?,
        });
    }
    let mut growth = Vec::new();
    for share in SHARES {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the rows")]
        let rows = ((share * other.log.len() as f64) as usize).max(2);
        growth.push((rows as f64, evaluate(&first(&other.log, rows)?)?));
    }
    let provenance = other.provenance;
    let (policy, log, truth) = (policy_name, log_name, truth.value);
    Ok(Direction { policy, log, provenance, truth, truth_interval, evaluation, lines, assumed, growth })
}

/// The first rows of a log.
fn first(log: &Log, rows: usize) -> Result<Log, ExperimentError> {
    let rows = rows.min(log.len());
    let contexts = log.contexts().select(0..rows)?;
    let (actions, propensities) =
        (log.logged_actions()[..rows].to_vec(), log.propensities()[..rows].to_vec());
    Ok(Log::new(contexts, log.actions(), actions, propensities, Rewards(log.rewards()[..rows].to_vec()))?)
}

#[cfg(test)]
mod tests;
