//! Logs and contexts, of arrays and of data frames.

use crate::arrays::{Numbers, sets, vector};
use crate::coding::{Coding, names_of_actions};
use crate::errors::{of_format, value};
use crate::frames::{Column, source};
use crate::watch::watched;
use formats::{FormatError, LogOptions, Progress, ReadFacts, ReadFile, ReadLog, Source};
use numpy::{PyArray2, PyReadonlyArray1, PyUntypedArrayMethods};
use ocoboost::{EstimatedPropensities, JobError, estimate_propensities_watched};
use off_policy::{ActionNames, ActionSets, Rewards, Schema};
use pyo3::prelude::*;
use rows::RowMatrix;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A log of decisions.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Log {
    pub(crate) log: off_policy::Log,
    pub(crate) estimated: Option<EstimatedPropensities>,
    pub(crate) time: Option<Vec<f64>>,
    pub(crate) groups: Option<Vec<u64>>,
    /// The file that it was read from, if it is of one, and the options by which.
    pub(crate) sources: Vec<ocoboost::Source>,
    pub(crate) format: serde_json::Value,
    notes: Vec<String>,
}

/// The actions as the caller knows them, and what was on offer.
#[derive(Default)]
struct Asked<'py> {
    classes: Option<Vec<String>>,
    are_listed: bool,
    available: Option<Bound<'py, PyArray2<bool>>>,
    seed: u64,
}

/// Rows to decide for.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Contexts {
    pub(crate) rows: RowMatrix,
    pub(crate) on_offer: Option<ActionSets>,
    notes: Vec<String>,
}

/// Reads without the lock; Ctrl-C ends the reading.
pub(crate) fn reading<T: Send>(
    py: Python<'_>,
    read: impl FnOnce(&mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<T, FormatError> + Send,
) -> PyResult<T> {
    let mut raised = None;
    let found = py.detach(|| {
        let mut rows = 0_u64;
        read(&mut |progress| {
            // Every 2^16 rows: the lock may be another thread's.
            if progress.rows >> 16 == rows >> 16 {
                return ControlFlow::Continue(());
            }
            rows = progress.rows;
            match Python::attach(|py| py.check_signals()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    raised = Some(error);
                    ControlFlow::Break(())
                }
            }
        })
    });
    match raised {
        Some(error) => Err(error),
        None => found.map_err(of_format),
    }
}

pub(crate) fn options(options: &str) -> PyResult<LogOptions> {
    serde_json::from_str(options).map_err(value)
}

pub(crate) fn unknown_labels(column: &str, count: u64) -> String {
    format!("{count} values of column {column:?} are not known to the model and count as none")
}

/// What a reader of the results should know.
pub(crate) fn notes(facts: &ReadFacts) -> Vec<String> {
    let skipped = facts.skipped.iter().map(|skipped| format!("left out: {skipped}"));
    let unknown = facts.unknown_labels.iter().map(|(column, count)| unknown_labels(column, *count));
    facts.notes.iter().cloned().chain(skipped).chain(unknown).collect()
}

/// What a log is made of but for its propensities.
struct Parts {
    contexts: RowMatrix,
    schema: Schema,
    actions: Vec<u32>,
    rewards: Vec<f64>,
    on_offer: Option<ActionSets>,
}

impl Parts {
    /// The same with these actions, in this order: those of the log, and others that it never took. Those
    /// were on offer in every row, unless rows list what was (`are_listed`).
    fn with_actions(self, names: Vec<String>, are_listed: bool) -> PyResult<Self> {
        let Self { contexts, schema: read, actions, rewards, on_offer } = self;
        let schema = Schema::new(read.contexts().to_vec(), ActionNames::Labels(names)).map_err(value)?;
        let known: HashMap<_, u32> = (0..schema.actions()).map(|a| schema.action_name(a)).zip(0..).collect();
        let place = |name: String| {
            let place = known.get(&Some(Cow::Borrowed(&*name))).copied();
            place.ok_or_else(|| value(format!("action {name:?} is not one of the classes")))
        };
        let places = names_of_actions(Some(&read), read.actions())
            .into_iter()
            .map(place)
            .collect::<PyResult<Vec<u32>>>()?;
        let new = |a: usize| places.get(a).copied().unwrap_or(u32::MAX);
        let on_offer = if are_listed {
            // A log that offers all of its actions in every row has no sets.
            let listed = |row: usize| -> Vec<u32> {
                match &on_offer {
                    Some(sets) => sets.row(row).map(|set| set.iter().map(new).collect()).unwrap_or_default(),
                    None => (0..read.actions()).map(new).collect(),
                }
            };
            Some(ActionSets::new(schema.actions(), (0..actions.len()).map(listed)).map_err(value)?)
        } else {
            None
        };
        let actions = actions.into_iter().map(|a| new(a as usize)).collect();
        drop(known);
        Ok(Self { contexts, schema, actions, rewards, on_offer })
    }

    /// The log with these propensities, or with estimated ones. Ctrl-C ends the estimation.
    fn log(
        self,
        py: Python<'_>,
        propensities: Option<Vec<f64>>,
        seed: u64,
    ) -> PyResult<(off_policy::Log, Option<EstimatedPropensities>)> {
        let estimated = match propensities {
            Some(_) => None,
            None => {
                let (contexts, actions, on_offer) = (&self.contexts, &self.actions, self.on_offer.as_ref());
                let count = self.schema.actions();
                let estimated = watched(py, Some(1), None, |watcher| {
                    let watch = &mut || watcher.see(String::new);
                    estimate_propensities_watched(contexts, actions, count, on_offer, seed, watch)
                })?;
                Some(estimated.map_err(value)?)
            }
        };
        py.detach(|| self.with(propensities, estimated)).map_err(value)
    }

    fn with(
        self,
        propensities: Option<Vec<f64>>,
        estimated: Option<EstimatedPropensities>,
    ) -> Result<(off_policy::Log, Option<EstimatedPropensities>), JobError> {
        let Self { contexts, schema, actions, rewards, on_offer } = self;
        let count = schema.actions();
        let propensities = match (propensities, &estimated) {
            (Some(propensities), _) => propensities,
            (None, Some(estimated)) => estimated.propensities().to_vec(),
            (None, None) => Vec::new(),
        };
        let mut log = off_policy::Log::new(contexts, count, actions, propensities, Rewards(rewards))?;
        if let Some(sets) = on_offer {
            log = log.with_action_sets(sets)?;
        }
        Ok((log.with_schema(schema)?, estimated))
    }
}

impl Log {
    /// Of whatever has columns; by the coding of a model, if there is one.
    fn read(
        py: Python<'_>,
        source: Source,
        options: &LogOptions,
        coding: Option<&Coding>,
        asked: Asked<'_>,
    ) -> PyResult<Self> {
        let schema = coding.and_then(|coding| coding.schema.as_ref());
        let read: ReadLog = reading(py, |watch| match schema {
            Some(schema) => formats::read_log_coded(source, schema, options, watch),
            None => formats::read_log(source, options, watch),
        })?;
        if read.weights.is_some() {
            return Err(value(FormatError::Weights));
        }
        let notes = notes(&read.facts);
        let groups = read.split.map(|labels| labels.codes.into_iter().map(u64::from).collect());
        let of = |file: ReadFile| ocoboost::Source { name: file.file, sha256: file.sha256 };
        let sources = read.files.into_iter().map(of).collect();
        let ReadLog { contexts, schema, actions, rewards, on_offer, .. } = read;
        let mut parts = Parts { contexts, schema, actions, rewards, on_offer };
        if let Some(names) = asked.classes {
            parts = parts.with_actions(names, asked.are_listed)?;
        }
        if let Some(available) = &asked.available {
            let (shape, expected) =
                ((available.shape()[0], available.shape()[1]), (parts.actions.len(), parts.schema.actions()));
            if shape != expected {
                return Err(value(format!(
                    "available has shape {shape:?}, not {expected:?}: a row a context, a column an action"
                )));
            }
            parts.on_offer = Some(sets(available)?);
        }
        let (log, estimated) = parts.log(py, read.propensities, asked.seed)?;
        let format = options.kept().map_err(value)?;
        Ok(Self { log, estimated, time: read.time, groups, sources, format, notes })
    }
}

#[pymethods]
impl Log {
    /// Of a data frame with columns beside it; by the coding of a model, if there is one.
    #[staticmethod]
    #[pyo3(signature = (frame, beside, options, *, classes=None, are_listed=false, available=None, coding=None, seed=0))]
    #[allow(clippy::too_many_arguments, reason = "the package names them")]
    fn from_frame(
        py: Python<'_>,
        frame: Option<&Bound<'_, PyAny>>,
        beside: Vec<(String, Column<'_>)>,
        options: &str,
        classes: Option<Vec<String>>,
        are_listed: bool,
        available: Option<Bound<'_, PyArray2<bool>>>,
        coding: Option<&Coding>,
        seed: u64,
    ) -> PyResult<Self> {
        let (source, options) = (source(frame, beside)?, self::options(options)?);
        let asked = Asked { classes, are_listed, available, seed };
        let read = Self::read(py, source, &options, coding, asked)?;
        // A frame is no file.
        Ok(Self { sources: Vec::new(), format: serde_json::Value::Null, ..read })
    }

    /// Of a file in any format; by the coding of a model, if there is one.
    #[staticmethod]
    #[pyo3(signature = (path, options, *, classes=None, are_listed=false, coding=None, seed=0))]
    fn from_file(
        py: Python<'_>,
        path: PathBuf,
        options: &str,
        classes: Option<Vec<String>>,
        are_listed: bool,
        coding: Option<&Coding>,
        seed: u64,
    ) -> PyResult<Self> {
        let (source, options) = (Source::path(path).map_err(of_format)?, self::options(options)?);
        Self::read(py, source, &options, coding, Asked { classes, are_listed, available: None, seed })
    }

    /// Of arrays; by the coding of a model, if there is one.
    #[staticmethod]
    #[pyo3(signature = (context, names, action, action_names, reward, pscore=None, available=None, *, coding=None, seed=0, is_lent=false))]
    #[allow(clippy::too_many_arguments, reason = "the package names them")]
    fn from_arrays(
        py: Python<'_>,
        context: &Bound<'_, PyAny>,
        names: Vec<String>,
        action: PyReadonlyArray1<'_, u32>,
        action_names: Vec<String>,
        reward: PyReadonlyArray1<'_, f64>,
        pscore: Option<PyReadonlyArray1<'_, f64>>,
        available: Option<Bound<'_, PyArray2<bool>>>,
        coding: Option<&Coding>,
        seed: u64,
        is_lent: bool,
    ) -> PyResult<Self> {
        let schema = coding.and_then(|coding| coding.schema.as_ref());
        let numbers = Numbers::of(context, is_lent)?;
        let (contexts, columns) = numbers.rows(&names, schema.map(Schema::contexts))?;
        let schema = match schema {
            Some(schema) => schema.clone(),
            None => Schema::new(columns, ActionNames::Labels(action_names)).map_err(value)?,
        };
        let on_offer = available.as_ref().map(sets).transpose()?;
        let (actions, rewards) = (vector(action)?, vector(reward)?);
        let propensities = pscore.map(vector).transpose()?;
        drop(numbers);
        let parts = Parts { contexts, schema, actions, rewards, on_offer };
        let (log, estimated) = parts.log(py, propensities, seed)?;
        let (sources, format) = (Vec::new(), serde_json::Value::Null);
        Ok(Self { log, estimated, time: None, groups: None, sources, format, notes: Vec::new() })
    }

    /// Whether the propensities are estimates.
    #[getter]
    fn is_estimated(&self) -> bool {
        self.estimated.is_some()
    }

    fn __len__(&self) -> usize {
        self.log.len()
    }

    /// The names of the actions.
    #[getter]
    fn action_names(&self) -> Vec<String> {
        names_of_actions(self.log.schema(), self.log.actions())
    }

    /// What a reader should know.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

#[pymethods]
impl Contexts {
    /// Of a data frame, by the coding of a model.
    #[staticmethod]
    fn from_frame(
        py: Python<'_>,
        frame: Option<&Bound<'_, PyAny>>,
        beside: Vec<(String, Column<'_>)>,
        options: &str,
        coding: &Coding,
    ) -> PyResult<Self> {
        let schema =
            coding.schema.as_ref().ok_or_else(|| value("the model knows no columns: hand in an array"))?;
        let (source, options) = (source(frame, beside)?, self::options(options)?);
        let read = reading(py, |watch| formats::read_contexts(source, schema, &options, watch))?;
        Ok(Self { rows: read.contexts, on_offer: read.on_offer, notes: notes(&read.facts) })
    }

    /// Of an array, by the coding of a model.
    #[staticmethod]
    #[pyo3(signature = (context, available, coding, *, is_lent=false))]
    fn from_arrays(
        context: &Bound<'_, PyAny>,
        available: Option<Bound<'_, PyArray2<bool>>>,
        coding: &Coding,
        is_lent: bool,
    ) -> PyResult<Self> {
        let (rows, _) = Numbers::of(context, is_lent)?.rows(&[], Some(&coding.columns()))?;
        let on_offer = available.as_ref().map(sets).transpose()?;
        Ok(Self { rows, on_offer, notes: Vec::new() })
    }

    /// The same rows where not every action is on offer: a Boolean array n × |A|.
    fn with_available(&self, available: Bound<'_, PyArray2<bool>>) -> PyResult<Self> {
        let on_offer = Some(sets(&available)?);
        Ok(Self { rows: self.rows.clone(), on_offer, notes: self.notes.clone() })
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// What a reader should know.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
