//! Mirror maps, chosen at run time.

use super::vectors::{Reduced, entries, loaded, saved};
use crate::errors::value;
use numpy::{PyArray1, PyReadonlyArray1};
use projections::{Euclidean, NegativeEntropy, PNorm, ProjectionError, Regulariser};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

/// One of the mirror maps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnyMap {
    Euclidean,
    NegativeEntropy,
    PNorm(PNorm),
}

impl AnyMap {
    fn inner(&self) -> &dyn Regulariser {
        match self {
            Self::Euclidean => &Euclidean,
            Self::NegativeEntropy => &NegativeEntropy,
            Self::PNorm(map) => map,
        }
    }
}

impl Regulariser for AnyMap {
    fn value(&self, x: &[f64]) -> Result<f64, ProjectionError> {
        self.inner().value(x)
    }

    fn mirror(&self, x: &[f64], theta: &mut [f64]) -> Result<(), ProjectionError> {
        self.inner().mirror(x, theta)
    }

    fn inverse_mirror(&self, theta: &[f64], x: &mut [f64]) -> Result<(), ProjectionError> {
        self.inner().inverse_mirror(theta, x)
    }

    fn divergence(&self, x: &[f64], y: &[f64]) -> Result<f64, ProjectionError> {
        self.inner().divergence(x, y)
    }
}

/// A mirror map with its Bregman divergence.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Map(pub(super) AnyMap);

#[pymethods]
impl Map {
    #[staticmethod]
    fn euclidean() -> Self {
        Self(AnyMap::Euclidean)
    }

    #[staticmethod]
    fn negative_entropy() -> Self {
        Self(AnyMap::NegativeEntropy)
    }

    #[staticmethod]
    fn p_norm(p: f64) -> PyResult<Self> {
        Ok(Self(AnyMap::PNorm(PNorm::new(p).map_err(value)?)))
    }

    /// R(x).
    fn value(&self, x: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        self.0.value(&entries(&x)?).map_err(value)
    }

    /// ∇R(x).
    fn mirror<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = entries(&x)?;
        let mut theta = vec![0.0; x.len()];
        self.0.mirror(&x, &mut theta).map_err(value)?;
        Ok(PyArray1::from_vec(py, theta))
    }

    /// (∇R)⁻¹(θ).
    fn inverse_mirror<'py>(
        &self,
        py: Python<'py>,
        theta: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let theta = entries(&theta)?;
        let mut x = vec![0.0; theta.len()];
        self.0.inverse_mirror(&theta, &mut x).map_err(value)?;
        Ok(PyArray1::from_vec(py, x))
    }

    /// B(x, y).
    fn divergence(&self, x: PyReadonlyArray1<'_, f64>, y: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        self.0.divergence(&entries(&x)?, &entries(&y)?).map_err(value)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        saved(py, &self.0)
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(loaded(bytes)?))
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py())?,)))
    }
}
