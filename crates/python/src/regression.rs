//! Regressors of streams: of targets, and of losses alone.

use crate::arrays::vector;
use crate::cells::{BLOCK, Column, Table, cells, in_turn, read};
use crate::errors::{of_model_file, value};
use crate::settings::{Check, check_name, of_job, settings};
use numpy::{PyArray1, PyReadonlyArray1};
use ocoboost::{
    BanditBooster, BanditSettings, JobError, RegressionBooster, RegressionLoss, RegressionSettings,
    StreamBandit, StreamRegressor,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// An online booster of regression with the coding of its rows.
#[pyclass(module = "ocoboost._core")]
pub(crate) struct Regressor(StreamRegressor);

#[pymethods]
impl Regressor {
    /// A regressor before its first row, which has so many cells; the settings as JSON.
    #[new]
    fn new(settings: &str, cells: usize) -> PyResult<Self> {
        let named: [(&str, Check); 2] =
            [("booster", check_name::<RegressionBooster>), ("loss", check_name::<RegressionLoss>)];
        let settings: RegressionSettings = self::settings(settings, &named)?;
        Ok(Self(settings.begin(cells).map_err(of_job)?))
    }

    /// Learns a row, and returns what was predicted before.
    fn learn(slf: &Bound<'_, Self>, row: &Bound<'_, PyDict>, y: f64) -> PyResult<f64> {
        // Python code of a cell may use the learner, so the cells come first.
        let cells = cells(row)?;
        slf.try_borrow_mut()?.0.round(read(&cells)?, y).map_err(value)
    }

    /// The value of a row.
    fn predict(slf: &Bound<'_, Self>, row: &Bound<'_, PyDict>) -> PyResult<f64> {
        let cells = cells(row)?;
        slf.try_borrow_mut()?.0.predict(read(&cells)?).map_err(value)
    }

    /// Learns rows in turn, or none of them.
    fn learn_many(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        columns: Vec<(String, Column<'_>)>,
        y: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<()> {
        let y = vector(y)?;
        let table = Table::of(columns, y.len())?;
        // It is held until the end, so that no row of another thread is lost.
        let mut own = slf.try_borrow_mut()?;
        let mut learner = own.0.clone();
        in_turn(py, y.len(), |row| learner.round(table.row(row), y[row]).map(drop))?;
        own.0 = learner;
        Ok(())
    }

    /// The values of rows, by the learner as it is at the call: other threads may go on with it.
    fn predict_many<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        columns: Vec<(String, Column<'_>)>,
        rows: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (table, mut found) = (Table::of(columns, rows)?, Vec::with_capacity(rows.min(1 << 20)));
        let mut own = slf.try_borrow_mut()?;
        let mut ask = |learner: &mut StreamRegressor| {
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
        Ok(PyArray1::from_vec(py, found))
    }

    /// What the predictions so far show.
    #[getter]
    fn sentence(&self) -> String {
        self.0.sentence()
    }

    /// The settings, as JSON.
    #[getter]
    fn settings(&self) -> PyResult<String> {
        serde_json::to_string(self.0.settings()).map_err(value)
    }

    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        Ok(Self(StreamRegressor::load(path).map_err(of_model_file)?))
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(of_model_file)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &serde_json::to_vec(&self.0).map_err(value)?))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(serde_json::from_slice(bytes).map_err(value)?))
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.try_borrow()?.to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }
}

/// An online learner of values that sees only what they cost.
#[pyclass(module = "ocoboost._core")]
pub(crate) struct Bandit(StreamBandit);

#[pymethods]
impl Bandit {
    /// A learner before its first row, which has so many cells; the settings as JSON.
    #[new]
    fn new(settings: &str, cells: usize) -> PyResult<Self> {
        let named: [(&str, Check); 1] = [("booster", check_name::<BanditBooster>)];
        let settings: BanditSettings = self::settings(settings, &named)?;
        Ok(Self(settings.begin(cells).map_err(of_job)?))
    }

    /// What the coming round plays for a row.
    fn predict<'py>(
        &mut self,
        py: Python<'py>,
        row: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let cells = cells(row)?;
        Ok(PyArray1::from_vec(py, self.0.predict(read(&cells)?).map_err(value)?))
    }

    /// Asks a callable for the losses of points, each a vector, and learns; what was played.
    fn learn<'py>(
        &mut self,
        py: Python<'py>,
        row: &Bound<'py, PyDict>,
        loss: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (cells, mut raised) = (cells(row)?, None);
        let found = self.0.round(read(&cells)?, &mut |point| {
            if raised.is_some() {
                return f64::NAN;
            }
            let ask = || loss.call1((PyArray1::from_slice(py, point),))?.extract();
            ask().unwrap_or_else(|error: PyErr| {
                raised.get_or_insert(error);
                f64::NAN
            })
        });
        match raised {
            Some(error) => Err(error),
            None => Ok(PyArray1::from_vec(py, found.map_err(value)?)),
        }
    }

    /// Learns from the loss of the play.
    fn observe<'py>(
        &mut self,
        py: Python<'py>,
        row: &Bound<'py, PyDict>,
        loss: f64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let cells = cells(row)?;
        Ok(PyArray1::from_vec(py, self.0.observe(read(&cells)?, loss).map_err(of_job)?))
    }

    /// The rounds so far.
    #[getter]
    fn rounds(&self) -> u64 {
        self.0.rounds()
    }

    /// The settings, as JSON.
    #[getter]
    fn settings(&self) -> PyResult<String> {
        serde_json::to_string(self.0.settings()).map_err(value)
    }

    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        Ok(Self(StreamBandit::load(path).map_err(of_model_file)?))
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(of_model_file)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &serde_json::to_vec(&self.0).map_err(value)?))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(serde_json::from_slice(bytes).map_err(value)?))
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.try_borrow()?.to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }
}
