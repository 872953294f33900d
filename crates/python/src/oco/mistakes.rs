//! Learners of labelled examples with a bound on their mistakes.

use super::vectors::{Reduced, entries, loaded, saved};
use crate::errors::value;
use crate::names::by;
use numpy::{PyArray1, PyReadonlyArray1};
use oco_core::learners::{BalancedWinnow, Perceptron, Winnow};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rows::Row;
use serde::{Deserialize, Serialize};

/// One of the learners.
#[pyclass(module = "ocoboost._core")]
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct MistakeBound(Kind);

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Perceptron(Perceptron),
    Winnow(Winnow),
    BalancedWinnow(BalancedWinnow),
}

#[pymethods]
impl MistakeBound {
    #[staticmethod]
    fn perceptron(dimension: usize) -> PyResult<Self> {
        Ok(Self(Kind::Perceptron(Perceptron::new(dimension).map_err(value)?)))
    }

    #[staticmethod]
    fn winnow(dimension: usize, eta: f64) -> PyResult<Self> {
        Ok(Self(Kind::Winnow(Winnow::new(dimension, eta).map_err(by(&[("eta", "step")]))?)))
    }

    #[staticmethod]
    fn balanced_winnow(dimension: usize, eta: f64) -> PyResult<Self> {
        Ok(Self(Kind::BalancedWinnow(BalancedWinnow::new(dimension, eta).map_err(by(&[("eta", "step")]))?)))
    }

    /// −1, 0 or 1.
    fn predict(&self, x: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        let x = entries(&x)?;
        let x = Row::dense(&x).map_err(value)?;
        let found = match &self.0 {
            Kind::Perceptron(learner) => learner.predict(x),
            Kind::Winnow(learner) => learner.predict(x),
            Kind::BalancedWinnow(learner) => learner.predict(x),
        };
        found.map_err(value)
    }

    /// Learns an example; whether it was a mistake.
    fn update(&mut self, x: PyReadonlyArray1<'_, f64>, y: f64) -> PyResult<bool> {
        let x = entries(&x)?;
        let x = Row::dense(&x).map_err(value)?;
        let found = match &mut self.0 {
            Kind::Perceptron(learner) => learner.observe(x, y),
            Kind::Winnow(learner) => learner.observe(x, y),
            Kind::BalancedWinnow(learner) => learner.observe(x, y),
        };
        found.map_err(value)
    }

    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        match &self.0 {
            Kind::Perceptron(learner) => PyArray1::from_slice(py, learner.weights()),
            Kind::Winnow(learner) => PyArray1::from_vec(py, learner.weights()),
            Kind::BalancedWinnow(learner) => PyArray1::from_vec(py, learner.weights()),
        }
    }

    #[getter]
    fn mistakes(&self) -> u64 {
        match &self.0 {
            Kind::Perceptron(learner) => learner.mistakes(),
            Kind::Winnow(learner) => learner.mistakes(),
            Kind::BalancedWinnow(learner) => learner.mistakes(),
        }
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        saved(py, self)
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        loaded(bytes)
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let bytes = slf.try_borrow()?.to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }
}
