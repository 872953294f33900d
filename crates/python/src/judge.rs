//! Judging policies.

use crate::candidates::{self, CandidatePolicy};
use crate::choices::CandidateLog;
use crate::errors::value;
use crate::log::Log;
use crate::policy::{Policy, delta};
use crate::watch::watched;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use ocoboost::{CandidateRows, EstimatedPropensities, JudgeJob, Target};
use off_policy::policies::{Argmax, Policy as OffPolicy, Uniform};
use off_policy::{ActionSet, PolicyError};
use pyo3::prelude::*;
use rows::{Entries, Row, RowMatrix};
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
    fn job(self, estimated: Option<&EstimatedPropensities>, is_own: bool) -> PyResult<JudgeJob> {
        let mut job = JudgeJob::builder()
            .delta(delta(self.confidence))
            .reward_model(self.reward_model)
            .clip(self.clip)
            .seed(self.seed)
            .own_log(is_own);
        if let Some(range) = self.reward_range {
            job = job.reward_range(range);
        }
        if let Some(estimated) = estimated {
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

/// A policy whose probabilities stand behind the contexts.
struct Tabled {
    inputs: usize,
    first: usize,
    actions: usize,
}

impl OffPolicy for Tabled {
    fn inputs(&self) -> Option<usize> {
        Some(self.inputs)
    }

    fn actions(&self) -> usize {
        self.actions
    }

    fn probabilities(
        &self,
        x: Row<'_>,
        on_offer: ActionSet<'_>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.check(x, on_offer, probabilities)?;
        let own = self.first..self.first + self.actions;
        match x.entries() {
            Entries::Dense(values) => probabilities.copy_from_slice(&values[own]),
            Entries::Sparse(indices, values) => {
                probabilities.fill(0.0);
                for (j, value) in indices.iter().zip(values) {
                    if own.contains(&(*j as usize)) {
                        probabilities[*j as usize - own.start] = *value;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The log with the probabilities of several policies behind its contexts.
fn behind(log: &off_policy::Log, tables: &[&PyReadonlyArray2<'_, f64>]) -> PyResult<off_policy::Log> {
    let (n, k) = (log.len(), log.actions());
    for table in tables {
        let shape = (table.shape()[0], table.shape()[1]);
        if shape != (n, k) {
            return Err(value(format!("the policy has probabilities of shape {shape:?}, not {:?}", (n, k))));
        }
        for (row, pi) in table.as_array().rows().into_iter().enumerate() {
            let sum: f64 = pi.iter().sum();
            if !pi.iter().all(|p| (0.0..=1.0).contains(p)) || (sum - 1.0).abs() > 1e-6 {
                return Err(value(format!("the policy's probabilities of row {row} sum to {sum}, not to 1")));
            }
            let offered = log.row(row).map(|row| row.on_offer);
            let is_outside = |a: usize| offered.is_some_and(|set| !set.contains(a));
            if let Some(a) = pi.iter().enumerate().find(|(a, p)| **p > 0.0 && is_outside(*a)).map(|(a, _)| a)
            {
                return Err(value(format!(
                    "the policy plays action {a} in row {row}, where it is not on offer"
                )));
            }
        }
    }
    let width = log.contexts().dimension() + tables.len() * k;
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for (row, x) in log.contexts().iter().enumerate() {
        x.for_each(|j, x_j| {
            if x_j != 0.0 {
                indices.push(u32::try_from(j).unwrap_or(u32::MAX));
                values.push(x_j);
            }
        });
        let tabled = tables.iter().flat_map(|table| table.as_array().row(row).to_vec());
        for (j, p) in (log.contexts().dimension()..).zip(tabled) {
            indices.push(u32::try_from(j).unwrap_or(u32::MAX));
            values.push(p);
        }
        offsets.push(indices.len());
    }
    let contexts = RowMatrix::sparse(width, offsets, indices, values).map_err(value)?;
    let (actions, propensities) = (log.logged_actions().to_vec(), log.propensities().to_vec());
    let rewards = off_policy::Rewards(log.rewards().to_vec());
    let wide = off_policy::Log::new(contexts, k, actions, propensities, rewards).map_err(value)?;
    match log.action_sets() {
        Some(sets) => wide.with_action_sets(sets.clone()).map_err(value),
        None => Ok(wide),
    }
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
    let job =
        serde_json::from_str::<Settings>(settings).map_err(value)?.job(log.estimated.as_ref(), is_own)?;
    let tables: Vec<&PyReadonlyArray2<'_, f64>> = match &policy {
        Judged::Table(table) => vec![table],
        _ => Vec::new(),
    };
    let wide = (!tables.is_empty()).then(|| behind(&log.log, &tables)).transpose()?;
    let judged = wide.as_ref().unwrap_or(&log.log);
    let known: Box<dyn OffPolicy + Send + Sync> = match &policy {
        Judged::Model(model) => Box::new(Argmax::new(model.0.clone())),
        Judged::Name(name) if name == "uniform" => Box::new(Uniform::new(log.log.actions()).map_err(value)?),
        Judged::Name(name) if name == "logged" => Box::new(Uniform::new(log.log.actions()).map_err(value)?),
        Judged::Name(name) => {
            return Err(value(format!("{name:?} is no policy: a model, \"logged\" or \"uniform\"")));
        }
        Judged::Table(_) => Box::new(Tabled {
            inputs: judged.contexts().dimension(),
            first: log.log.contexts().dimension(),
            actions: log.log.actions(),
        }),
    };
    let is_logged = matches!(&policy, Judged::Name(name) if name == "logged");
    let found = watched(py, n_jobs, None, |_| {
        job.evaluate(judged, if is_logged { Target::Logged } else { Target::Policy(&*known) })
    })?;
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
        return Err(own(name));
    }
    let job =
        serde_json::from_str::<Settings>(settings).map_err(value)?.job(log.estimated.as_ref(), false)?;
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

/// The judgement of one policy over candidates, as JSON and in words.
#[pyfunction]
#[pyo3(signature = (log, policy, settings, *, n_jobs=None))]
pub(crate) fn evaluate_candidates(
    py: Python<'_>,
    log: &CandidateLog,
    policy: candidates::Judged<'_>,
    settings: &str,
    n_jobs: Option<usize>,
) -> PyResult<(String, String)> {
    let (rows, is_own) = policy.rows(&log.0)?;
    let job = serde_json::from_str::<Settings>(settings).map_err(value)?.job(None, is_own)?;
    let found = watched(py, n_jobs, None, |_| job.evaluate_candidate_rows(&log.0, &rows))?;
    let judgement = found.map_err(value)?;
    Ok((serde_json::to_string(&judgement).map_err(value)?, judgement.sentence()))
}

/// The judgements of several trained policies over candidates, as JSON and in words; `logs` is the same log
/// as each of them reads it.
#[pyfunction]
#[pyo3(signature = (logs, policies, names, settings, *, n_jobs=None))]
pub(crate) fn compare_candidates(
    py: Python<'_>,
    logs: Vec<PyRef<'_, CandidateLog>>,
    policies: Vec<PyRef<'_, CandidatePolicy>>,
    names: Vec<String>,
    settings: &str,
    n_jobs: Option<usize>,
) -> PyResult<(String, String)> {
    let job = serde_json::from_str::<Settings>(settings).map_err(value)?.job(None, false)?;
    let first = logs.first().ok_or_else(|| value("0 logs, and each policy needs one"))?;
    let first: &off_policy::candidates::CandidateLog = &first.0;
    let mut rows = Vec::with_capacity(policies.len() + 1);
    for ((log, policy), name) in logs.iter().zip(&policies).zip(&names) {
        if policy.0.was_trained_on(&log.0) {
            return Err(own(name));
        }
        rows.push(CandidateRows::of(&log.0, &Argmax::new(&policy.0)).map_err(value)?);
    }
    rows.push(CandidateRows::of_logging_policy(first));
    let found = watched(py, n_jobs, None, |_| job.compare_candidates(first, &rows))?;
    let comparison = found.map_err(value)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok((serde_json::to_string(&comparison).map_err(value)?, comparison.sentence(&names)))
}

/// Of a policy that is compared on its own log.
fn own(name: &str) -> PyErr {
    value(format!("{name:?} was trained on this log, which says nothing of it: take another log"))
}
