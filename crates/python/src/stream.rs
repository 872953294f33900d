//! Online learners of streams.

use crate::errors::{of_model_file, value};
use ocoboost::{StreamBooster, StreamJob, StreamLearner, StreamWeakLearner};
use off_policy::Value;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyString};
use serde::Deserialize;
use std::path::PathBuf;

/// An online booster with the coding of its rows.
#[pyclass(module = "ocoboost._core")]
pub(crate) struct Stream(StreamLearner);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    booster: StreamBooster,
    weak_learner: StreamWeakLearner,
    learners: usize,
    advantage: Option<f64>,
    bits: Option<u32>,
    seed: u64,
}

/// A cell of a row, with its text in Python's memory.
pub(crate) enum Cell<'py> {
    Number(f64),
    Text(Bound<'py, PyString>),
    Missing,
}

/// The cells of a dict: numbers, Boolean values and texts; `None` and NaN are missing.
pub(crate) fn cells<'py>(row: &Bound<'py, PyDict>) -> PyResult<Vec<(Bound<'py, PyString>, Cell<'py>)>> {
    let mut cells = Vec::with_capacity(row.len());
    for (name, cell) in row {
        let name = match name.cast_into::<PyString>() {
            Ok(name) => name,
            Err(other) => other.into_inner().str()?,
        };
        let cell = if let Ok(number) = cell.cast::<PyFloat>() {
            let number = number.extract()?;
            if f64::is_nan(number) { Cell::Missing } else { Cell::Number(number) }
        } else if let Ok(text) = cell.cast::<PyString>() {
            Cell::Text(text.clone())
        } else if cell.is_none() {
            Cell::Missing
        } else if let Ok(is_true) = cell.cast::<PyBool>() {
            Cell::Number(f64::from(u8::from(is_true.is_true())))
        } else if cell.cast::<PyInt>().is_ok() || cell.hasattr("__float__")? {
            let number = cell.extract()?;
            if f64::is_nan(number) { Cell::Missing } else { Cell::Number(number) }
        } else {
            let kind = cell.get_type().name()?.to_string();
            if matches!(&*kind, "NAType" | "NaTType") {
                cells.push((name, Cell::Missing));
                continue;
            }
            return Err(PyTypeError::new_err(format!(
                "column {name} holds {kind}, neither a number nor a text"
            )));
        };
        cells.push((name, cell));
    }
    Ok(cells)
}

/// The cells as Rust reads them.
pub(crate) fn read<'a>(cells: &'a [(Bound<'_, PyString>, Cell<'_>)]) -> PyResult<Vec<(&'a str, Value<'a>)>> {
    let of = |(name, cell): &'a (Bound<'_, PyString>, Cell<'_>)| {
        let cell = match cell {
            Cell::Number(number) => Value::Number(*number),
            Cell::Text(text) => Value::Text(text.to_str()?),
            Cell::Missing => Value::Missing,
        };
        Ok((name.to_str()?, cell))
    };
    cells.iter().map(of).collect()
}

#[pymethods]
impl Stream {
    /// A learner before its first row, which has so many cells.
    #[new]
    fn new(settings: &str, cells: usize) -> PyResult<Self> {
        let Settings { booster, weak_learner, learners, advantage, bits, seed } =
            serde_json::from_str(settings).map_err(value)?;
        let mut job =
            StreamJob::builder().booster(booster).weak_learner(weak_learner).learners(learners).seed(seed);
        if let Some(advantage) = advantage {
            job = job.advantage(advantage);
        }
        if let Some(bits) = bits {
            job = job.bits(bits);
        }
        Ok(Self(job.build().and_then(|job| job.begin(cells)).map_err(value)?))
    }

    /// Learns a row, and returns the class that was predicted before.
    fn learn(slf: &Bound<'_, Self>, row: &Bound<'_, PyDict>, class: &str) -> PyResult<Option<u32>> {
        // Python code of a cell may use the learner, so the cells come first.
        let cells = cells(row)?;
        Ok(slf.try_borrow_mut()?.0.round(Some(class), read(&cells)?).map_err(value)?.predicted)
    }

    /// The class of a row.
    fn predict(slf: &Bound<'_, Self>, row: &Bound<'_, PyDict>) -> PyResult<Option<u32>> {
        let cells = cells(row)?;
        slf.try_borrow_mut()?.0.predict(read(&cells)?).map_err(value)
    }

    /// The names of the classes so far.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.0.classes().to_vec()
    }

    /// What the predictions so far show.
    #[getter]
    fn sentence(&self) -> String {
        self.0.sentence()
    }

    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        Ok(Self(StreamLearner::load(path).map_err(of_model_file)?))
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(of_model_file)
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(StreamLearner::from_bytes(bytes).map_err(of_model_file)?))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_bytes().map_err(of_model_file)?))
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.try_borrow()?.to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }
}
