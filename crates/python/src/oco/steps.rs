//! Step sizes.

use super::vectors::{Reduced, loaded, saved};
use crate::errors::value;
use crate::names::{Name, by};
use oco_core::StepSchedule;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// What the scale of steps is that are made of a diameter.
const QUOTIENTS: &[Name] = &[("step scale", "the quotient of diameter and lipschitz")];

/// η_1, η_2, …
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Steps(pub(super) StepSchedule);

#[pymethods]
impl Steps {
    /// η_t = scale·t^(−exponent), where the caller has this name for the scale.
    #[staticmethod]
    #[pyo3(signature = (scale, exponent, name="scale"))]
    fn power(scale: f64, exponent: f64, name: &str) -> PyResult<Self> {
        let steps = StepSchedule::power(scale, exponent);
        let steps = steps.map_err(by(match name {
            "eta" => &[("step scale", "eta")],
            "step" => &[("step scale", "step")],
            _ => &[("step scale", "scale"), ("step exponent", "exponent")],
        }));
        Ok(Self(steps?))
    }

    /// η_t = D/(G√t).
    #[staticmethod]
    fn zinkevich(diameter: f64, lipschitz: f64) -> PyResult<Self> {
        Ok(Self(StepSchedule::zinkevich(diameter, lipschitz).map_err(by(QUOTIENTS))?))
    }

    /// η_t = 1/(αt).
    #[staticmethod]
    fn strongly_convex(alpha: f64) -> PyResult<Self> {
        Ok(Self(StepSchedule::strongly_convex(alpha).map_err(by(&[("step scale", "1/alpha")]))?))
    }

    /// η = D/(ρ√(2T)).
    #[staticmethod]
    fn tuned(diameter: f64, lipschitz: f64, rounds: u64) -> PyResult<Self> {
        let refused = |_| value(format!("rounds = {rounds} is not below 2^32"));
        let rounds = u32::try_from(rounds).map_err(refused)?;
        Ok(Self(StepSchedule::lecture_theorem_2(diameter, lipschitz, rounds).map_err(by(QUOTIENTS))?))
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
