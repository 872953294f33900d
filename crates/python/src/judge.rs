//! Judging policies.

use crate::arrays::{array_of_rows, check_places};
use crate::candidates;
use crate::choices::CandidateLog;
use crate::errors::value;
use crate::judgement::{Told, ToldComparison, told, told_comparison};
use crate::log::Log;
use crate::policy::Policy;
use crate::watch::watched;
use numpy::{PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use ocoboost::{CandidateRows, EstimatedPropensities, JudgeJob, Target, cross_fitted_rewards, delta_of};
use off_policy::policies::{Argmax, Policy as OffPolicy, Uniform};
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
    fn job(self, estimated: Option<&EstimatedPropensities>, is_own: bool) -> PyResult<JudgeJob> {
        let mut job = JudgeJob::builder()
            .delta(delta_of(self.confidence))
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

/// The probabilities of a table, n × |A|. Rows that sum to 1 but for the rounding of float32 do so then.
fn probabilities(log: &off_policy::Log, table: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<f64>> {
    check_places(&**table)?;
    let (n, k) = (log.len(), log.actions());
    let shape = (table.shape()[0], table.shape()[1]);
    if shape != (n, k) {
        return Err(value(format!("the policy has probabilities of shape {shape:?}, not {:?}", (n, k))));
    }
    let mut all = Vec::with_capacity(n.saturating_mul(k));
    for (row, pi) in table.as_array().rows().into_iter().enumerate() {
        if let Some((a, p)) = pi.iter().enumerate().find(|(_, p)| !(p.is_finite() && **p >= 0.0)) {
            let what = if *p < 0.0 { "negative" } else { "no finite number" };
            return Err(value(format!(
                "the policy's probability of action {a} in row {row} is {p}, which is {what}"
            )));
        }
        let sum: f64 = pi.iter().sum();
        if (sum - 1.0).abs() > 1e-6 {
            return Err(value(format!("the policy's probabilities of row {row} sum to {sum}, not to 1")));
        }
        let offered = log.row(row).map(|row| row.on_offer);
        let is_outside = |a: usize| offered.is_some_and(|set| !set.contains(a));
        if let Some(a) = pi.iter().enumerate().find(|(a, p)| **p > 0.0 && is_outside(*a)).map(|(a, _)| a) {
            return Err(value(format!("the policy plays action {a} in row {row}, where it is not on offer")));
        }
        all.extend(pi.iter().map(|p| p / sum));
    }
    Ok(all)
}

/// A policy to judge, in Rust's memory.
enum Known {
    Policy(Box<dyn OffPolicy + Send + Sync>),
    Logged,
    Table(Vec<f64>),
}

impl Known {
    /// An array is let go.
    fn of(log: &off_policy::Log, judged: Judged<'_>) -> PyResult<Self> {
        Ok(match judged {
            Judged::Model(model) => Self::Policy(Box::new(Argmax::new(model.0.clone()))),
            Judged::Name(name) if name == "uniform" => {
                Self::Policy(Box::new(Uniform::new(log.actions()).map_err(value)?))
            }
            Judged::Name(name) if name == "logged" => Self::Logged,
            Judged::Name(name) => {
                return Err(value(format!("{name:?} is no policy: a model, \"logged\" or \"uniform\"")));
            }
            Judged::Table(table) => Self::Table(probabilities(log, &table)?),
        })
    }

    fn target(&self) -> Target<'_> {
        match self {
            Self::Policy(policy) => Target::Policy(&**policy),
            Self::Logged => Target::Logged,
            Self::Table(table) => Target::Table(table),
        }
    }
}

fn is_own(log: &Log, judged: &Judged<'_>) -> bool {
    matches!(judged, Judged::Model(model) if model.0.was_trained_on(&log.log))
}

/// The judgement of one policy. Ctrl-C ends it.
#[pyfunction]
#[pyo3(signature = (log, policy, settings, *, n_jobs=None))]
pub(crate) fn evaluate(
    py: Python<'_>,
    log: &Log,
    policy: Judged<'_>,
    settings: &str,
    n_jobs: Option<usize>,
) -> PyResult<Told> {
    let is_own = is_own(log, &policy);
    let job =
        serde_json::from_str::<Settings>(settings).map_err(value)?.job(log.estimated.as_ref(), is_own)?;
    let known = Known::of(&log.log, policy)?;
    let found = watched(py, n_jobs, None, |watcher| {
        job.evaluate_watched(&log.log, known.target(), &mut || watcher.see(String::new))
    })?;
    let judgement = found.map_err(value)?;
    told(&judgement)
}

/// The judgements of several policies and of the logging policy.
#[pyfunction]
#[pyo3(signature = (log, policies, names, settings, *, n_jobs=None))]
pub(crate) fn compare(
    py: Python<'_>,
    log: &Log,
    policies: Vec<Judged<'_>>,
    names: Vec<String>,
    settings: &str,
    n_jobs: Option<usize>,
) -> PyResult<ToldComparison> {
    if let Some((name, _)) = names.iter().zip(&policies).find(|(_, policy)| is_own(log, policy)) {
        return Err(own(name));
    }
    let job =
        serde_json::from_str::<Settings>(settings).map_err(value)?.job(log.estimated.as_ref(), false)?;
    let known =
        policies.into_iter().map(|policy| Known::of(&log.log, policy)).collect::<PyResult<Vec<_>>>()?;
    let found = watched(py, n_jobs, None, |watcher| {
        let mut targets: Vec<Target<'_>> = known.iter().map(Known::target).collect();
        targets.push(Target::Logged);
        job.compare_watched(&log.log, &targets, &mut || watcher.see(String::new))
    })?;
    told_comparison(&found.map_err(value)?, &names)
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

/// The judgement of one policy over candidates.
#[pyfunction]
#[pyo3(signature = (log, policy, settings, *, n_jobs=None))]
pub(crate) fn evaluate_candidates(
    py: Python<'_>,
    log: &CandidateLog,
    policy: candidates::Judged<'_>,
    settings: &str,
    n_jobs: Option<usize>,
) -> PyResult<Told> {
    let (rows, is_own) = policy.rows(&log.log)?;
    let settings = serde_json::from_str::<Settings>(settings).map_err(value)?;
    let job = settings.job(log.estimated.as_ref(), is_own)?;
    let found = watched(py, n_jobs, None, |_| job.evaluate_candidate_rows(&log.log, &rows))?;
    let judgement = found.map_err(value)?;
    told(&judgement)
}

/// The judgements of several policies over candidates; `logs` is the same log as each of them reads it, with
/// the same propensities.
#[pyfunction]
#[pyo3(signature = (logs, policies, names, settings, *, n_jobs=None))]
pub(crate) fn compare_candidates(
    py: Python<'_>,
    logs: Vec<PyRef<'_, CandidateLog>>,
    policies: Vec<candidates::Judged<'_>>,
    names: Vec<String>,
    settings: &str,
    n_jobs: Option<usize>,
) -> PyResult<ToldComparison> {
    let first = logs.first().ok_or_else(|| value("0 logs, and each policy needs one"))?;
    let settings = serde_json::from_str::<Settings>(settings).map_err(value)?;
    let job = settings.job(first.estimated.as_ref(), false)?;
    let first: &off_policy::candidates::CandidateLog = &first.log;
    let mut rows = Vec::with_capacity(policies.len() + 1);
    for ((log, policy), name) in logs.iter().zip(policies).zip(&names) {
        let (of_policy, is_own) = policy.rows(&log.log)?;
        if is_own {
            return Err(own(name));
        }
        rows.push(of_policy);
    }
    rows.push(CandidateRows::of_logging_policy(first));
    let found = watched(py, n_jobs, None, |_| job.compare_candidates(first, &rows))?;
    told_comparison(&found.map_err(value)?, &names)
}

/// Of a policy that is compared on its own log.
fn own(name: &str) -> PyErr {
    value(format!("{name:?} was trained on this log, which says nothing of it: take another log"))
}
