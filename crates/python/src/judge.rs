//! Judging policies.

use crate::arrays::array_of_rows;
use crate::errors::value;
use crate::log::Log;
use crate::policy::{Policy, delta};
use crate::watch::watched;
use numpy::{PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use ocoboost::{JudgeJob, Target, cross_fitted_rewards};
use off_policy::policies::{Argmax, Uniform};
use pyo3::prelude::*;
use serde::Deserialize;

/// How policies are judged.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    confidence: f64,
    reward_range: Option<[f64; 2]>,
    reward_model: bool,
    clip: f64,
    seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        let (confidence, clip) = (0.95, 20.0);
        Self { confidence, reward_range: None, reward_model: true, clip, seed: 0 }
    }
}

impl Settings {
    /// Of a policy that was trained on the log, or not.
    fn job(self, log: &Log, is_own: bool) -> PyResult<JudgeJob> {
        let mut job = JudgeJob::builder()
            .delta(delta(self.confidence))
            .reward_model(self.reward_model)
            .clip(self.clip)
            .seed(self.seed)
            .own_log(is_own);
        if let Some(range) = self.reward_range {
            job = job.reward_range(range);
        }
        if let Some(estimated) = &log.estimated {
            job = job.estimated(estimated.clone());
        }
        job.build().map_err(value)
    }
}

/// A policy to judge: a trained one, a name, or its probabilities on the rows of the log.
#[derive(FromPyObject)]
pub(crate) enum Judged<'py> {
    Model(PyRef<'py, Policy>),
    Name(String),
    Table(PyReadonlyArray2<'py, f64>),
}

/// A table of probabilities, row by row.
fn checked(log: &off_policy::Log, table: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<f64>> {
    let (shape, expected) = ((table.shape()[0], table.shape()[1]), (log.len(), log.actions()));
    if shape != expected {
        return Err(value(format!("the policy has probabilities of shape {shape:?}, not {expected:?}")));
    }
    for (row, pi) in table.as_array().rows().into_iter().enumerate() {
        let sum: f64 = pi.iter().sum();
        if !pi.iter().all(|p| (0.0..=1.0).contains(p)) || (sum - 1.0).abs() > 1e-6 {
            return Err(value(format!("the policy's probabilities of row {row} sum to {sum}, not to 1")));
        }
        let offered = log.on_offer(row);
        if let Some((a, _)) = pi.iter().enumerate().find(|(a, p)| **p > 0.0 && !offered.contains(*a)) {
            return Err(value(format!("the policy plays action {a} in row {row}, where it is not on offer")));
        }
    }
    Ok(table.as_array().iter().copied().collect())
}

/// The judgement of one policy, as JSON and in words.
#[pyfunction]
#[pyo3(signature = (log, policy, settings, *, n_jobs=None))]
pub(crate) fn evaluate(
    py: Python<'_>,
    log: &Log,
    policy: Judged<'_>,
    settings: &str,
    n_jobs: Option<usize>,
) -> PyResult<(String, String)> {
    let is_own = matches!(&policy, Judged::Model(model) if model.0.was_trained_on(&log.log));
    let job = serde_json::from_str::<Settings>(settings).map_err(value)?.job(log, is_own)?;
    let log = &log.log;
    let uniform = Uniform::new(log.actions()).map_err(value)?;
    let found = match &policy {
        Judged::Table(table) => {
            let table = checked(log, table)?;
            watched(py, n_jobs, None, |_| job.evaluate_table(log, &table))?
        }
        Judged::Model(model) => {
            let policy = Argmax::new(model.0.clone());
            watched(py, n_jobs, None, |_| job.evaluate(log, Target::Policy(&policy)))?
        }
        Judged::Name(name) if name == "uniform" => {
            watched(py, n_jobs, None, |_| job.evaluate(log, Target::Policy(&uniform)))?
        }
        Judged::Name(name) if name == "logged" => {
            watched(py, n_jobs, None, |_| job.evaluate(log, Target::Logged))?
        }
        Judged::Name(name) => {
            return Err(value(format!("{name:?} is no policy: a model, \"logged\" or \"uniform\"")));
        }
    };
    let judgement = found.map_err(value)?;
    Ok((serde_json::to_string(&judgement).map_err(value)?, judgement.sentence()))
}

/// The judgements of several trained policies, as JSON and in words.
#[pyfunction]
#[pyo3(signature = (log, policies, names, settings, *, n_jobs=None))]
pub(crate) fn compare(
    py: Python<'_>,
    log: &Log,
    policies: Vec<PyRef<'_, Policy>>,
    names: Vec<String>,
    settings: &str,
    n_jobs: Option<usize>,
) -> PyResult<(String, String)> {
    if let Some((name, _)) = names.iter().zip(&policies).find(|(_, policy)| policy.0.was_trained_on(&log.log))
    {
        return Err(value(format!(
            "{name:?} was trained on this log, which says nothing of it: take another log"
        )));
    }
    let job = serde_json::from_str::<Settings>(settings).map_err(value)?.job(log, false)?;
    let argmax: Vec<_> = policies.iter().map(|policy| Argmax::new(policy.0.clone())).collect();
    let found = watched(py, n_jobs, None, |_| {
        let mut targets: Vec<Target<'_>> = argmax.iter().map(|policy| Target::Policy(policy)).collect();
        targets.push(Target::Logged);
        job.compare(&log.log, &targets)
    })?;
    let comparison = found.map_err(value)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok((serde_json::to_string(&comparison).map_err(value)?, comparison.sentence(&names)))
}

/// q̂, n × |A|, by the model of rewards that a judgement has, cross-fitted.
#[pyfunction]
#[pyo3(signature = (log, seed, *, n_jobs=None))]
pub(crate) fn estimate_rewards<'py>(
    py: Python<'py>,
    log: &Log,
    seed: u64,
    n_jobs: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let found = watched(py, n_jobs, None, |_| cross_fitted_rewards(&log.log, seed))?;
    array_of_rows(py, found.map_err(value)?, log.log.actions())
}
