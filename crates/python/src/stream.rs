//! Online learners of streams.

use crate::arrays::vector;
use crate::cells::{BLOCK, Column, Table, cells, in_turn, read};
use crate::errors::{of_model_file, value};
use crate::settings::{Check, check_name, of_job, settings};
use numpy::PyReadonlyArray1;
use ocoboost::{JobError, StreamBooster, StreamJob, StreamLearner, StreamWeakLearner};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::Deserialize;
use serde_json::json;
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

#[pymethods]
impl Stream {
    /// A learner before its first row, which has so many cells.
    #[new]
    fn new(settings: &str, cells: usize) -> PyResult<Self> {
        let named: [(&str, Check); 2] =
            [("booster", check_name::<StreamBooster>), ("weak_learner", check_name::<StreamWeakLearner>)];
        let Settings { booster, weak_learner, learners, advantage, bits, seed } =
            self::settings(settings, &named)?;
        let mut job =
            StreamJob::builder().booster(booster).weak_learner(weak_learner).learners(learners).seed(seed);
        if let Some(advantage) = advantage {
            job = job.advantage(advantage);
        }
        if let Some(bits) = bits {
            job = job.bits(bits);
        }
        Ok(Self(job.build().and_then(|job| job.begin(cells)).map_err(of_job)?))
    }

    /// Learns a row, and returns the class that was predicted before.
    fn learn(slf: &Bound<'_, Self>, row: &Bound<'_, PyDict>, class: &str) -> PyResult<Option<u32>> {
        // Python code of a cell may use the learner, so the cells come first.
        let cells = cells(row)?;
        Ok(slf.try_borrow_mut()?.0.round(Some(class), read(&cells)?).map_err(value)?.predicted)
    }

    /// Learns rows in turn, or none of them: the class of row i is `names[codes[i]]`.
    fn learn_many(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        columns: Vec<(String, Column<'_>)>,
        codes: PyReadonlyArray1<'_, u32>,
        names: Vec<String>,
    ) -> PyResult<()> {
        let codes = vector(codes)?;
        let table = Table::of(columns, codes.len())?;
        // It is held until the end, so that no row of another thread is lost.
        let mut own = slf.try_borrow_mut()?;
        let mut learner = own.0.clone();
        in_turn(py, codes.len(), |row| {
            let class = names.get(codes[row] as usize).map(String::as_str);
            learner.round(class, table.row(row)).map(drop)
        })?;
        own.0 = learner;
        Ok(())
    }

    /// The classes of rows, by the learner as it is at the call: other threads may go on with it.
    fn predict_many(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        columns: Vec<(String, Column<'_>)>,
        rows: usize,
    ) -> PyResult<Vec<Option<u32>>> {
        let (table, mut found) = (Table::of(columns, rows)?, Vec::with_capacity(rows.min(1 << 20)));
        let mut own = slf.try_borrow_mut()?;
        let mut ask = |learner: &mut StreamLearner| {
            in_turn(py, rows, |row| {
                found.push(learner.predict(table.row(row))?);
                Ok::<_, JobError>(())
            })
        };
        if rows > BLOCK {
            let mut copy = own.0.clone();
            drop(own);
            ask(&mut copy)?;
        } else {
            ask(&mut own.0)?;
        }
        Ok(found)
    }

    /// The class of a row.
    fn predict(slf: &Bound<'_, Self>, row: &Bound<'_, PyDict>) -> PyResult<Option<u32>> {
        let cells = cells(row)?;
        slf.try_borrow_mut()?.0.predict(read(&cells)?).map_err(value)
    }

    /// The settings by which it was made, as JSON by their names in Python.
    #[getter]
    fn settings(&self) -> String {
        let Self(learner) = self;
        let (booster, weak_learner) = (learner.booster(), learner.weak_learner());
        let (advantage, bits, seed) = (learner.advantage(), learner.bits(), learner.seed());
        json!({
            "booster": booster,
            "weak_learner": weak_learner,
            "n_learners": learner.learners(),
            "advantage": advantage,
            "bits": bits,
            "seed": seed,
        })
        .to_string()
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
