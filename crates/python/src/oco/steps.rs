//! Step sizes.

use super::vectors::{Reduced, loaded, saved};
use crate::errors::value;
use oco_core::StepSchedule;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// η_1, η_2, …
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Steps(pub(super) StepSchedule);

#[pymethods]
impl Steps {
    /// η_t = scale·t^(−exponent).
    #[staticmethod]
    fn power(scale: f64, exponent: f64) -> PyResult<Self> {
        Ok(Self(StepSchedule::power(scale, exponent).map_err(value)?))
    }

    /// η_t = D/(G√t).
    #[staticmethod]
    fn zinkevich(diameter: f64, lipschitz: f64) -> PyResult<Self> {
        Ok(Self(StepSchedule::zinkevich(diameter, lipschitz).map_err(value)?))
    }

    /// η_t = 1/(αt).
    #[staticmethod]
    fn strongly_convex(alpha: f64) -> PyResult<Self> {
        Ok(Self(StepSchedule::strongly_convex(alpha).map_err(value)?))
    }

    /// η = D/(ρ√(2T)).
    #[staticmethod]
    fn tuned(diameter: f64, lipschitz: f64, rounds: u32) -> PyResult<Self> {
        Ok(Self(StepSchedule::lecture_theorem_2(diameter, lipschitz, rounds).map_err(value)?))
    }

    /// η_t, t ≥ 1.
    fn eta(&self, t: u64) -> f64 {
        self.0.eta(t)
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
