//! A trained policy.

use crate::arrays::{array_of_rows, room, vector};
use crate::cells::{Cell, cells, read_by};
use crate::choices::CandidateLog;
use crate::coding::{Coding, names_of_actions};
use crate::errors::{of_model_file, value};
use crate::judgement::{Told, told};
use crate::log::{Contexts, Log, unknown_labels};
use crate::watch::watched;
use boosters::auto_policy::{Overrides, Progress};
use boosters::bopl::CompiledEnsemble;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use ocoboost::model_file::{export_json, export_xgboost_json};
use ocoboost::{
    CandidateJob, CandidateJobBuilder, Event, Exploration, Explore, JobError, Model, OnOffer, Split,
    TrainJob, TrainJobBuilder, delta_of,
};
use off_policy::policies::{Scores, argmax};
use off_policy::{ActionSet, ActionSets, ContextColumn, PolicyError, Schema};
use pyo3::exceptions::{PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rows::Row;
use serde::Deserialize;
use serde_json::json;
use std::ffi::CString;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// A policy with all that its use needs.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Policy(pub(crate) Model, OnceLock<CompiledEnsemble>);

/// How a policy is trained.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    time_budget: Option<f64>,
    seed: u64,
    split: String,
    holdout_share: Option<f64>,
    candidates: Option<usize>,
    rounds: Option<usize>,
    overrides: Overrides,
    confidence: f64,
    reward_range: Option<[f64; 2]>,
    epsilon: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_budget: Some(60.0),
            seed: 0,
            split: "random".to_owned(),
            holdout_share: None,
            candidates: None,
            rounds: None,
            overrides: Overrides::default(),
            confidence: 0.95,
            reward_range: None,
            epsilon: 0.1,
        }
    }
}

/// Actions and their probabilities.
type Drawn<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

/// The pairs of a row and an action from which on a pool of threads is made without being asked for.
const WORTH_A_POOL: usize = 1 << 17;

/// Longer than any training.
const ENDLESS: Duration = Duration::from_secs(1 << 40);

impl Settings {
    /// The time for everything.
    fn budget(&self) -> PyResult<Duration> {
        let Some(seconds) = self.time_budget else { return Ok(ENDLESS) };
        let budget = Duration::try_from_secs_f64(seconds);
        let refused = |_| value(format!("time_budget = {seconds} is outside [0, 1e12] seconds"));
        Ok(budget.map_err(refused)?.min(ENDLESS))
    }

    /// Which rows judge.
    fn split(&self, time: Option<Vec<f64>>, groups: Option<Vec<u64>>) -> PyResult<Split> {
        let missing = |what: &str| value(format!("a split by {what} needs {what}"));
        match &*self.split {
            "random" => Ok(Split::Random),
            "time" => Ok(Split::ByTime(time.ok_or_else(|| missing("time"))?)),
            "groups" => Ok(Split::ByGroup(groups.ok_or_else(|| missing("groups"))?)),
            other => Err(value(format!("{other:?} is no split: random, time or groups"))),
        }
    }

    /// The same over candidates.
    pub(crate) fn candidate_job(
        self,
        log: &CandidateLog,
        (time, groups): (Option<Vec<f64>>, Option<Vec<u64>>),
    ) -> PyResult<CandidateJobBuilder> {
        let mut job = CandidateJob::builder()
            .budget(self.budget()?)
            .seed(self.seed)
            .validation(self.split(time, groups)?)
            .overrides(self.overrides)
            .delta(delta_of(self.confidence))
            .exploration(Exploration { epsilon: self.epsilon });
        if let Some(share) = self.holdout_share {
            job = job.holdout_share(share);
        }
        if let Some(candidates) = self.candidates {
            job = job.candidates(candidates);
        }
        if let Some(rounds) = self.rounds {
            job = job.rounds(rounds);
        }
        if let Some(range) = self.reward_range {
            job = job.reward_range(range);
        }
        if let Some(estimated) = &log.estimated {
            job = job.estimated(estimated.clone());
        }
        Ok(job)
    }

    fn job(self, log: &Log, (time, groups): (Option<Vec<f64>>, Option<Vec<u64>>)) -> PyResult<TrainJob> {
        let budget = self.budget()?;
        let split = self.split(time.or_else(|| log.time.clone()), groups.or_else(|| log.groups.clone()))?;
        let mut job = TrainJob::builder()
            .budget(budget)
            .seed(self.seed)
            .validation(split)
            .overrides(self.overrides)
            .delta(delta_of(self.confidence))
            .exploration(Exploration { epsilon: self.epsilon });
        if let Some(share) = self.holdout_share {
            job = job.holdout_share(share);
        }
        if let Some(candidates) = self.candidates {
            job = job.candidates(candidates);
        }
        if let Some(rounds) = self.rounds {
            job = job.rounds(rounds);
        }
        if let Some(range) = self.reward_range {
            job = job.reward_range(range);
        }
        if let Some(estimated) = &log.estimated {
            job = job.estimated(estimated.clone());
        }
        job = log.sources.iter().cloned().fold(job.format(log.format.clone()), TrainJobBuilder::source);
        job.build().map_err(value)
    }
}

/// An event for a callback.
fn shown(event: Event<'_>) -> String {
    let shown = match event {
        Event::Progress(Progress::Search { candidate, round, .. }) => {
            json!({ "stage": "search", "candidate": candidate, "round": round })
        }
        Event::Progress(Progress::Tried(tried)) => json!({ "stage": "tried", "tried": tried }),
        Event::Progress(Progress::Training { done, planned, .. }) => {
            json!({ "stage": "training", "done": done, "planned": planned })
        }
        Event::Judging => json!({ "stage": "judging" }),
        _ => json!({ "stage": "reward model" }),
    };
    shown.to_string()
}

pub(crate) fn explore(kind: &str, parameter: f64) -> PyResult<Explore> {
    match kind {
        "epsilon_greedy" => Ok(Explore::EpsilonGreedy(parameter)),
        "softmax" => Ok(Explore::Softmax(parameter)),
        other => Err(value(format!("{other:?} is no exploration: epsilon_greedy or softmax"))),
    }
}

#[pymethods]
impl Policy {
    /// Trains, with the settings as JSON.
    #[staticmethod]
    #[pyo3(signature = (log, settings, *, time=None, groups=None, n_jobs=None, callback=None))]
    fn fit(
        py: Python<'_>,
        log: &Log,
        settings: &str,
        time: Option<PyReadonlyArray1<'_, f64>>,
        groups: Option<PyReadonlyArray1<'_, u64>>,
        n_jobs: Option<usize>,
        callback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let settings: Settings = serde_json::from_str(settings).map_err(value)?;
        let time = time.map(vector).transpose()?;
        let groups = groups.map(vector).transpose()?;
        let job = settings.job(log, (time, groups))?;
        let fit =
            watched(py, n_jobs, callback, |watcher| job.fit(&log.log, |event| watcher.see(|| shown(event))))?;
        Ok(Self::of(fit.map_err(value)?))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self::of(py.detach(|| Model::load(path)).map_err(of_model_file)?))
    }

    /// A model file's bytes as a model.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        Ok(Self::of(py.detach(|| Model::from_bytes(bytes)).map_err(of_model_file)?))
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
            "json" => Ok(py.detach(|| export_json(&self.0)).to_string()),
            "xgboost" => Ok(py.detach(|| export_xgboost_json(&self.0)).map_err(value)?.to_string()),
            other => Err(value(format!("{other:?} is no format: json or xgboost"))),
        }
    }

    /// The place of the best action of every row.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        contexts: &Contexts,
        n_jobs: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let found = self.of_rows(py, contexts, n_jobs, |offers| self.0.predict(&contexts.rows, offers))?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// The place of the best action for one row: a dict by the columns of the model, or numbers in their
    /// order.
    #[pyo3(signature = (row, available=None))]
    fn predict_one(&self, row: &Bound<'_, PyAny>, available: Option<Vec<bool>>) -> PyResult<usize> {
        let compiled = self.compiled()?;
        let mut scores = vec![0.0; compiled.actions()];
        if let Ok(row) = row.cast::<PyDict>() {
            let nameless = || value("the model knows no columns: hand in numbers");
            let schema = self.0.schema().ok_or_else(nameless)?;
            let cells = cells(row)?;
            let has_labels = |name: &str| {
                let is_it = |column: &ContextColumn| {
                    matches!(column, ContextColumn::Labels { .. }) && column.name() == name
                };
                schema.contexts().iter().any(is_it)
            };
            let encoded = schema.encode(read_by(&cells, has_labels)?).map_err(value)?;
            for column in &encoded.unknown_labels {
                let said = unknown_labels(column, 1);
                PyErr::warn(row.py(), &row.py().get_type::<PyUserWarning>(), &CString::new(said)?, 2)?;
            }
            compiled.scores(encoded.row(), &mut scores).map_err(value)?;
        } else {
            let coded = row_of_numbers(row, self.0.schema(), compiled.inputs())?;
            compiled.scores(Row::dense(&coded).map_err(value)?, &mut scores).map_err(value)?;
        }
        if let Some(action) = scores.iter().position(|score| !score.is_finite()) {
            return Err(value(PolicyError::NotFiniteScore { action, value: scores[action] }));
        }
        let all = ActionSet::all(scores.len()).map_err(value)?;
        let Some(available) = available else { return Ok(argmax(&scores, all)) };
        if available.len() != scores.len() {
            let (got, expected) = (available.len(), scores.len());
            return Err(value(format!("available has {got} entries, {expected} actions are known")));
        }
        let set = (0_u32..).zip(&available).filter(|(_, is_available)| **is_available).map(|(a, _)| a);
        let sets = ActionSets::new(scores.len(), [set.collect::<Vec<u32>>()]).map_err(value)?;
        Ok(argmax(&scores, sets.row(0).unwrap_or(all)))
    }

    /// π(a|x), n × |A|.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        contexts: &Contexts,
        kind: &str,
        parameter: f64,
        n_jobs: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let explore = explore(kind, parameter)?;
        let width = self.0.ensemble().actions();
        let mut all = room(contexts.rows.len().saturating_mul(width))?;
        let found = self.of_rows(py, contexts, n_jobs, move |offers| {
            self.0.probabilities(&contexts.rows, offers, explore, |pi| all.extend_from_slice(pi))?;
            Ok(all)
        })?;
        array_of_rows(py, found, width)
    }

    /// Actions that were drawn, and their probabilities.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        contexts: &Contexts,
        kind: &str,
        parameter: f64,
        seed: u64,
        n_jobs: Option<usize>,
    ) -> PyResult<Drawn<'py>> {
        let explore = explore(kind, parameter)?;
        let found = self
            .of_rows(py, contexts, n_jobs, |offers| self.0.explore(&contexts.rows, offers, explore, seed))?;
        Ok((PyArray1::from_vec(py, found.actions), PyArray1::from_vec(py, found.propensities)))
    }

    /// F(x, a), n × |A|.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        contexts: &Contexts,
        n_jobs: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let width = self.0.ensemble().actions();
        let mut scores = room(contexts.rows.len().saturating_mul(width))?;
        let found = self.of_rows(py, contexts, n_jobs, move |_| {
            scores.resize(contexts.rows.len() * width, 0.0);
            self.0.scores_of_rows(&contexts.rows, 0, &mut scores)?;
            Ok(scores)
        })?;
        array_of_rows(py, found, width)
    }

    /// By which its rows are coded.
    #[getter]
    fn coding(&self) -> Coding {
        Coding { schema: self.0.schema().cloned(), inputs: self.0.ensemble().inputs() }
    }

    /// The names of the actions.
    #[getter]
    fn action_names(&self) -> Vec<String> {
        names_of_actions(self.0.schema(), self.0.ensemble().actions())
    }

    /// The columns of a context, as JSON; `None` for a model of bare numbers.
    #[getter]
    fn columns(&self) -> PyResult<Option<String>> {
        self.0.schema().map(|schema| serde_json::to_string(schema.contexts()).map_err(value)).transpose()
    }

    /// The names of the coordinates.
    #[getter]
    fn coordinate_names(&self) -> Option<Vec<String>> {
        self.0.schema().map(Schema::feature_names)
    }

    /// The number of coordinates of a context.
    #[getter]
    fn inputs(&self) -> usize {
        self.0.ensemble().inputs()
    }

    /// How much of the spread of the scores is due to each column, or coordinate where columns are not known.
    #[getter]
    fn importances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let importance = &self.0.record().importance;
        let (count, shares) = match self.0.schema() {
            Some(schema) => (schema.contexts().len(), importance.of_columns(schema)),
            None => {
                let of = |(coordinate, share): &(u32, f64)| (*coordinate as usize, *share);
                (self.0.ensemble().inputs(), importance.columns.iter().map(of).collect())
            }
        };
        let mut all = vec![0.0; count];
        shares
            .into_iter()
            .for_each(|(place, share)| all.iter_mut().skip(place).take(1).for_each(|own| *own = share));
        PyArray1::from_vec(py, all)
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

    /// Wall-clock seconds of search, training and judgement; 0 of what was loaded.
    #[getter]
    fn seconds(&self) -> [f64; 3] {
        let seconds = self.0.record().seconds;
        [seconds.search, seconds.training, seconds.judging]
    }
}

impl Policy {
    pub(crate) fn of(model: Model) -> Self {
        Self(model, OnceLock::new())
    }

    /// The form for decisions one by one, which is made at the first.
    fn compiled(&self) -> PyResult<&CompiledEnsemble> {
        if let Some(compiled) = self.1.get() {
            return Ok(compiled);
        }
        let made = self.0.compiled().map_err(value)?;
        Ok(self.1.get_or_init(|| made))
    }

    /// Asks about rows, without the lock, on so many threads.
    fn of_rows<T: Send>(
        &self,
        py: Python<'_>,
        contexts: &Contexts,
        n_jobs: Option<usize>,
        ask: impl FnOnce(OnOffer<'_>) -> Result<T, JobError> + Send,
    ) -> PyResult<T> {
        let offers = match &contexts.on_offer {
            Some(sets) => OnOffer::sets(sets),
            None => OnOffer::all(self.0.ensemble().actions()).map_err(value)?,
        };
        let threads = crate::watch::threads(n_jobs)?;
        let pairs = contexts.rows.len().saturating_mul(self.0.ensemble().actions());
        // One thread is the caller's, and no pool is worth its making for few rows.
        let found = if n_jobs == Some(1) || (n_jobs.is_none() && pairs < WORTH_A_POOL) {
            py.detach(|| Ok(ask(offers)))
        } else {
            py.detach(|| threads.run(|| ask(offers)))
        };
        found.map_err(|error: boosters::ThreadsError| value(error))?.map_err(value)
    }
}

/// The number at a place of a row.
fn number(place: usize, cell: Bound<'_, PyAny>) -> PyResult<f64> {
    match Cell::of(cell, &place)? {
        Cell::Number(number) => Ok(number),
        Cell::Truth(is_true) => Ok(f64::from(u8::from(is_true))),
        Cell::Missing => Ok(f64::NAN),
        Cell::Text(_) => Err(PyTypeError::new_err(format!("column {place} is a text: hand in a dict"))),
        Cell::Date(_) => Err(PyTypeError::new_err(format!("column {place} is a date: hand in a dict"))),
    }
}

/// A row of numbers by the columns of a model.
fn row_of_numbers(row: &Bound<'_, PyAny>, schema: Option<&Schema>, inputs: usize) -> PyResult<Vec<f64>> {
    let array = row.cast::<PyArray1<f64>>().ok().and_then(|array| array.try_readonly().ok());
    let numbers: Vec<f64> = match array.as_ref().and_then(|array| array.as_slice().ok()) {
        Some(numbers) => numbers.to_vec(),
        None => {
            row.try_iter()?.enumerate().map(|(place, cell)| number(place, cell?)).collect::<PyResult<_>>()?
        }
    };
    let expected = schema.map_or(inputs, |schema| schema.contexts().len());
    if numbers.len() != expected {
        return Err(value(format!("context has {} columns, {expected} are expected", numbers.len())));
    }
    let Some(schema) = schema else { return Ok(numbers) };
    let mut coded = Vec::with_capacity(inputs);
    for (x, column) in numbers.into_iter().zip(schema.contexts()) {
        match column {
            ContextColumn::Number { .. } if !x.is_nan() => coded.push(x),
            ContextColumn::NumberOrMissing { .. } if x.is_nan() => coded.extend([0.0, 1.0]),
            ContextColumn::NumberOrMissing { .. } => coded.extend([x, 0.0]),
            ContextColumn::Number { name } => {
                return Err(value(format!("column {name:?} holds NaN, and had none in the fit")));
            }
            other => {
                let name = other.name();
                return Err(value(format!("column {name:?} is no column of numbers: hand in a dict")));
            }
        }
    }
    Ok(coded)
}
