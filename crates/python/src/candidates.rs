//! A trained policy over candidates that have features of their own.

use crate::arrays::vector;
use crate::choices::{CandidateLog, Choices};
use crate::errors::{of_model_file, value};
use crate::judgement::{Told, told};
use crate::policy::{Policy, Settings, explore};
use crate::watch::watched;
use numpy::{PyArray1, PyReadonlyArray1};
use ocoboost::model_file::{Content, ModelFileError, export_candidates_json, export_candidates_xgboost_json};
use ocoboost::{CandidateEvent, CandidateModel, CandidateRows, JobError};
use off_policy::candidates::{AmongCandidates, CandidatePolicy as Plays, CandidateSchema, CandidateScores};
use off_policy::policies::Argmax;
use off_policy::{ContextColumn, PolicyError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rows::Candidates;
use serde_json::json;
use std::ops::Range;
use std::path::PathBuf;

/// A policy with all that its use needs.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct CandidatePolicy(pub(crate) CandidateModel);

/// An event for a callback.
fn shown(event: CandidateEvent) -> String {
    let shown = match event {
        CandidateEvent::Search { recipe, place: (place, count), round } => {
            let (candidate, of) = (recipe.to_string(), [place, count]);
            json!({ "stage": "search", "candidate": candidate, "place": of, "round": round })
        }
        CandidateEvent::Training { round: (done, planned), .. } => {
            json!({ "stage": "training", "done": done, "planned": planned })
        }
        CandidateEvent::RewardModel { .. } => json!({ "stage": "reward model" }),
        _ => json!({ "stage": "judging" }),
    };
    shown.to_string()
}

/// The policy in a model file: of fixed actions, or over candidates.
#[pyfunction]
pub(crate) fn load_policy(py: Python<'_>, path: PathBuf) -> PyResult<Py<PyAny>> {
    match py.detach(|| Content::load(path)).map_err(of_model_file)? {
        Content::Policy(model) => Ok(Py::new(py, Policy::of(*model))?.into_any()),
        Content::Candidates(model) => Ok(Py::new(py, CandidatePolicy(*model))?.into_any()),
        other => {
            let found = other.kind();
            Err(of_model_file(ModelFileError::OtherContent { expected: "a policy", found }))
        }
    }
}

/// Writes a text into a file, whole or not at all.
#[pyfunction]
pub(crate) fn write_file(py: Python<'_>, path: PathBuf, text: &str) -> PyResult<()> {
    Ok(py.detach(|| boosters::saved::write_atomically(&path, text.as_bytes()))?)
}

/// Drawn places and their probabilities.
type Drawn<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl CandidatePolicy {
    /// Trains, with the settings as JSON. `columns` are those of the levels, as JSON; the model keeps them.
    #[staticmethod]
    #[pyo3(signature = (log, settings, columns, *, time=None, groups=None, n_jobs=None, callback=None))]
    #[allow(clippy::too_many_arguments, reason = "the package names them")]
    fn fit(
        py: Python<'_>,
        log: &CandidateLog,
        settings: &str,
        columns: &str,
        time: Option<PyReadonlyArray1<'_, f64>>,
        groups: Option<PyReadonlyArray1<'_, u64>>,
        n_jobs: Option<usize>,
        callback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let settings: Settings = serde_json::from_str(settings).map_err(value)?;
        let columns: serde_json::Value = serde_json::from_str(columns).map_err(value)?;
        let time = time.map(vector).transpose()?;
        let groups = groups.map(vector).transpose()?;
        let job = settings.candidate_job(log, (time, groups))?.format(json!({ "columns": columns }));
        let job = job.build().map_err(value)?;
        let fit =
            watched(py, n_jobs, callback, |watcher| job.fit(&log.log, |event| watcher.see(|| shown(event))))?;
        Ok(Self(fit.map_err(value)?))
    }

    /// A model file's bytes as a model.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(py.detach(|| CandidateModel::from_bytes(bytes)).map_err(of_model_file)?))
    }

    /// Writes a model file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.save(path)).map_err(of_model_file)
    }

    /// The bytes of the file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &py.detach(|| self.0.to_bytes()).map_err(of_model_file)?))
    }

    /// For pickle and copy: the bytes of the file.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.get().to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }

    /// The model in JSON, or as XGBoost reads it.
    fn export(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        match format {
            "json" => Ok(py.detach(|| export_candidates_json(&self.0)).to_string()),
            "xgboost" => {
                Ok(py.detach(|| export_candidates_xgboost_json(&self.0)).map_err(value)?.to_string())
            }
            other => Err(value(format!("{other:?} is no format: json or xgboost"))),
        }
    }

    /// The place of the best candidate of every choice.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        choices: &Choices,
        n_jobs: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let found = asked(py, n_jobs, || self.0.predict(&choices.candidates))?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// π of every pair.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        choices: &Choices,
        kind: &str,
        parameter: f64,
        n_jobs: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let explore = explore(kind, parameter)?;
        let found = asked(py, n_jobs, || self.0.explored(&choices.candidates, explore))?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// Places that were drawn, and their probabilities.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        choices: &Choices,
        kind: &str,
        parameter: f64,
        seed: u64,
        n_jobs: Option<usize>,
    ) -> PyResult<Drawn<'py>> {
        let explore = explore(kind, parameter)?;
        let found = asked(py, n_jobs, || self.0.explore(&choices.candidates, explore, seed))?;
        Ok((PyArray1::from_vec(py, found.actions), PyArray1::from_vec(py, found.propensities)))
    }

    /// F of every pair.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        choices: &Choices,
        n_jobs: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = asked(py, n_jobs, || {
            let pairs = choices.candidates.pairs();
            let mut scores = vec![0.0; pairs];
            self.0.candidate_scores(&choices.candidates, 0..pairs, &mut scores)?;
            Ok(scores)
        })?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// The columns by which a level is coded, as JSON: those of the training, or the names in the model as
    /// those of numbers. `None` for a level without columns.
    fn columns(&self, level: &str) -> PyResult<Option<String>> {
        let columns = columns_of(&self.0, level)?;
        (!columns.is_empty()).then(|| serde_json::to_string(&columns).map_err(value)).transpose()
    }

    /// The items that have an identity.
    #[getter]
    fn identities(&self) -> Vec<String> {
        let schema = self.0.ensemble().schema();
        let unnamed = || (0..self.0.ensemble().shape().identities).map(|item| item.to_string()).collect();
        schema.map_or_else(unnamed, |schema| schema.identities.clone())
    }

    /// The names of the coordinates of a pair.
    #[getter]
    fn coordinate_names(&self) -> Vec<String> {
        self.0.column_names().into_iter().map(str::to_owned).collect()
    }

    /// Columns by their share of the questions of the trees.
    #[getter]
    fn questions(&self) -> Vec<(String, f64)> {
        self.0.questions()
    }

    /// ε by default.
    #[getter]
    fn epsilon(&self) -> f64 {
        self.0.exploration().epsilon
    }

    /// The judgement at the training.
    #[getter]
    fn judgement(&self) -> PyResult<Told> {
        told(self.0.judgement())
    }

    /// How it was trained, and on what, as JSON.
    #[getter]
    fn record(&self) -> PyResult<(String, String)> {
        let record = serde_json::to_string(self.0.record()).map_err(value)?;
        Ok((record, serde_json::to_string(self.0.provenance()).map_err(value)?))
    }
}

/// The columns of a level.
fn columns_of(model: &CandidateModel, level: &str) -> PyResult<Vec<ContextColumn>> {
    let (shape, schema) = (model.ensemble().shape(), model.ensemble().schema());
    let of_pairs = shape.contexts + shape.features;
    let own = match level {
        "contexts" => 0..shape.contexts,
        "features" => shape.contexts..of_pairs,
        "items" => of_pairs..of_pairs + shape.items,
        other => return Err(value(format!("{other:?} is no level: contexts, features or items"))),
    };
    let kept = serde_json::from_value::<Vec<ContextColumn>>(model.format()["columns"][level].clone());
    if let Ok(kept) = kept
        && kept.iter().map(ContextColumn::width).sum::<usize>() == own.len()
    {
        return Ok(kept);
    }
    let names = model.column_names();
    let indicators = schema.map(CandidateSchema::indicators).unwrap_or_default();
    let mut columns = Vec::with_capacity(own.len());
    let mut j = own.start;
    while j < own.end {
        let name = names.get(j).map_or_else(|| format!("x{j}"), |name| (*name).to_owned());
        let is_optional = indicators.contains(&(j, j + 1));
        columns.push(match is_optional {
            true => ContextColumn::NumberOrMissing { name },
            false => ContextColumn::Number { name },
        });
        j += 1 + usize::from(is_optional);
    }
    Ok(columns)
}

/// Asks about choices, without the lock, on so many threads.
fn asked<T: Send>(
    py: Python<'_>,
    n_jobs: Option<usize>,
    ask: impl FnOnce() -> Result<T, JobError> + Send,
) -> PyResult<T> {
    let threads = crate::watch::threads(n_jobs)?;
    let found = match n_jobs {
        // One thread is the caller's, and no pool is worth its making for few rows.
        None | Some(1) => py.detach(|| Ok(ask())),
        Some(_) => py.detach(|| threads.run(ask)),
    };
    found.map_err(|error: boosters::ThreadsError| value(error))?.map_err(value)
}

/// A policy to judge: a trained one, a name, or its probabilities of the pairs of the log.
#[derive(FromPyObject)]
pub(crate) enum Judged<'py> {
    Model(PyRef<'py, CandidatePolicy>),
    Name(String),
    Pairs(PyReadonlyArray1<'py, f64>),
}

impl Judged<'_> {
    /// What the policy says of the choices of a log, and whether it was trained on them.
    pub(crate) fn rows(self, log: &off_policy::candidates::CandidateLog) -> PyResult<(CandidateRows, bool)> {
        let (rows, is_own) = match self {
            Self::Model(model) => {
                (CandidateRows::of(log, &Argmax::new(&model.0)), model.0.was_trained_on(log))
            }
            Self::Name(name) if name == "uniform" => (CandidateRows::of(log, &AmongCandidates), false),
            Self::Name(name) if name == "logged" => (Ok(CandidateRows::of_logging_policy(log)), false),
            Self::Name(name) => {
                return Err(value(format!("{name:?} is no policy: a model, \"logged\" or \"uniform\"")));
            }
            Self::Pairs(pairs) => {
                let mut pi = vector(pairs)?;
                check(log.candidates(), &mut pi)?;
                (CandidateRows::of(log, &OfPairs(&pi)), false)
            }
        };
        Ok((rows.map_err(value)?, is_own))
    }
}

/// Refuses numbers that are no probabilities of the candidates of every choice. Those that sum to 1 but for
/// the rounding of float32 do so then.
fn check(candidates: &Candidates, pi: &mut [f64]) -> PyResult<()> {
    if pi.len() != candidates.pairs() {
        let (got, expected) = (pi.len(), candidates.pairs());
        return Err(value(format!(
            "the policy has probabilities of {got} candidates, the log has {expected}"
        )));
    }
    for row in 0..candidates.len() {
        let own = &mut pi[candidates.pairs_of(row)];
        if let Some((place, p)) = own.iter().enumerate().find(|(_, p)| !(p.is_finite() && **p >= 0.0)) {
            let what = if *p < 0.0 { "negative" } else { "no finite number" };
            return Err(value(format!(
                "the policy's probability of candidate {place} in row {row} is {p}, which is {what}"
            )));
        }
        let sum: f64 = own.iter().sum();
        if (sum - 1.0).abs() > 1e-6 {
            return Err(value(format!("the policy's probabilities of row {row} sum to {sum}, not to 1")));
        }
        own.iter_mut().for_each(|p| *p /= sum);
    }
    Ok(())
}

/// The probabilities of the pairs of one log.
struct OfPairs<'a>(&'a [f64]);

impl Plays for OfPairs<'_> {
    fn probabilities(
        &self,
        candidates: &Candidates,
        choices: Range<usize>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        let offsets = candidates.offsets();
        let pairs = offsets[choices.start]..offsets[choices.end];
        match self.0.get(pairs).filter(|own| own.len() == probabilities.len()) {
            Some(own) => {
                probabilities.copy_from_slice(own);
                Ok(())
            }
            None => {
                let (expected, got) = (self.0.len(), probabilities.len());
                Err(PolicyError::ActionCount { argument: "the list of pairs", expected, got })
            }
        }
    }
}
