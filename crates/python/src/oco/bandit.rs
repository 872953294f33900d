//! Learners that receive only the loss of their play.

use super::learners::STEP;
use super::losses::Raised;
use super::sets::{Domain, Set};
use super::vectors::{Reduced, generator, loaded, saved};
use crate::errors::value;
use crate::names::by;
use numpy::PyArray1;
use oco_core::BanditLearner;
use oco_core::bandit::{self, Estimates};
use projections::DecisionSet;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

/// Bandit gradient descent with one query a round.
#[pyclass(module = "ocoboost._core")]
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Fkm {
    learner: bandit::Fkm<Domain>,
    rounds: u64,
}

#[pymethods]
impl Fkm {
    #[new]
    fn new(
        set: &Set,
        dimension: usize,
        inner_radius: f64,
        delta: f64,
        eta: f64,
        seed: u64,
    ) -> PyResult<Self> {
        let set = set.0.clone();
        set.check_dimension(dimension).map_err(by(STEP))?;
        let learner = bandit::Fkm::new(set, dimension, inner_radius, delta, eta, generator(seed));
        Ok(Self { learner: learner.map_err(by(STEP))?, rounds: 0 })
    }

    /// x_t, the same until its loss is observed.
    fn predict<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.learner.play())
    }

    /// Takes ℓ_t(x_t).
    fn update(&mut self, loss: f64) -> PyResult<()> {
        self.learner.observe(loss).map_err(value)?;
        self.rounds = self.rounds.saturating_add(1);
        Ok(())
    }

    #[getter]
    fn rounds(&self) -> u64 {
        self.rounds
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

/// Bandit gradient descent with several queries a round.
#[pyclass(module = "ocoboost._core")]
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct MultiPointFkm {
    learner: bandit::MultiPointFkm<Domain>,
    rounds: u64,
}

#[pymethods]
impl MultiPointFkm {
    /// So many estimates a round, of one or of two points.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the package names them")]
    fn new(
        set: &Set,
        dimension: usize,
        inner_radius: f64,
        delta: f64,
        eta: f64,
        is_two_point: bool,
        estimates: u32,
        seed: u64,
    ) -> PyResult<Self> {
        let estimates = match is_two_point {
            true => Estimates::TwoPoint { pairs: estimates },
            false => Estimates::OnePoint { points: estimates },
        };
        let set = set.0.clone();
        set.check_dimension(dimension).map_err(by(STEP))?;
        let learner =
            bandit::MultiPointFkm::new(set, dimension, inner_radius, delta, eta, estimates, generator(seed));
        Ok(Self { learner: learner.map_err(by(STEP))?, rounds: 0 })
    }

    /// y_t, the centre of the queries.
    fn predict<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.learner.centre())
    }

    /// Asks a callable for the losses of points, and learns; the mean of the answers.
    fn update(&mut self, py: Python<'_>, loss: &Bound<'_, PyAny>) -> PyResult<f64> {
        let raised = Raised::default();
        let found = self
            .learner
            .round(&mut |point| raised.or_nan(|| loss.call1((PyArray1::from_slice(py, point),))?.extract()));
        let mean = raised.outcome(found)?;
        self.rounds = self.rounds.saturating_add(1);
        Ok(mean)
    }

    #[getter]
    fn rounds(&self) -> u64 {
        self.rounds
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
