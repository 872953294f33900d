//! Convex losses: those of the crate, and those of Python.

use super::sets::Set;
use super::vectors::{Reduced, check_point, entries, loaded, saved, table};
use crate::errors::value;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use oco_core::OcoError;
use oco_core::losses::{
    AbsoluteLoss, Bounded, HingeLoss, HuberLoss, LinearLoss, LogPortfolioLoss, LogisticLoss, QuadraticLoss,
    Smooth, SquaredLoss,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// A loss with its numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Owned {
    Linear { slope: Vec<f64> },
    Squared { target: Vec<f64> },
    Quadratic { a: Vec<f64>, b: Vec<f64>, c: f64 },
    Absolute { x: Vec<f64>, y: f64 },
    Hinge { threshold: f64, x: Vec<f64>, y: f64 },
    Logistic { x: Vec<f64>, y: f64 },
    Huber { x: Vec<f64>, y: f64, delta: f64 },
    LogPortfolio { relatives: Vec<f64>, floor: f64 },
}

/// The loss of the crate that borrows them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Borrowed<'a> {
    Linear(LinearLoss<'a>),
    Squared(SquaredLoss<'a>),
    Quadratic(QuadraticLoss<'a>),
    Absolute(AbsoluteLoss<'a>),
    Hinge(HingeLoss<'a>),
    Logistic(LogisticLoss<'a>),
    Huber(HuberLoss<'a>),
    LogPortfolio(LogPortfolioLoss<'a>),
}

impl Owned {
    /// Checks the numbers: of a quadratic loss of dimension n in O(n³).
    fn borrowed(&self) -> Result<Borrowed<'_>, OcoError> {
        Ok(match self {
            Self::Linear { slope } => Borrowed::Linear(LinearLoss::new(slope)?),
            Self::Squared { target } => Borrowed::Squared(SquaredLoss::new(target)?),
            Self::Quadratic { a, b, c } => Borrowed::Quadratic(QuadraticLoss::new(a, b, *c)?),
            Self::Absolute { x, y } => Borrowed::Absolute(AbsoluteLoss::new(x, *y)?),
            Self::Hinge { threshold, x, y } => Borrowed::Hinge(HingeLoss::at(*threshold, x, *y)?),
            Self::Logistic { x, y } => Borrowed::Logistic(LogisticLoss::new(x, *y)?),
            Self::Huber { x, y, delta } => Borrowed::Huber(HuberLoss::new(x, *y, *delta)?),
            Self::LogPortfolio { relatives, floor } => {
                Borrowed::LogPortfolio(LogPortfolioLoss::above(relatives, *floor)?)
            }
        })
    }
}

impl Borrowed<'_> {
    fn inner(&self) -> &dyn Bounded {
        match self {
            Self::Linear(loss) => loss,
            Self::Squared(loss) => loss,
            Self::Quadratic(loss) => loss,
            Self::Absolute(loss) => loss,
            Self::Hinge(loss) => loss,
            Self::Logistic(loss) => loss,
            Self::Huber(loss) => loss,
            Self::LogPortfolio(loss) => loss,
        }
    }

    /// β, of a smooth loss.
    fn smoothness(&self) -> Option<f64> {
        match self {
            Self::Linear(loss) => Some(loss.smoothness()),
            Self::Squared(loss) => Some(loss.smoothness()),
            Self::Quadratic(loss) => Some(loss.smoothness()),
            Self::Logistic(loss) => Some(loss.smoothness()),
            Self::Huber(loss) => Some(loss.smoothness()),
            Self::LogPortfolio(loss) => Some(loss.smoothness()),
            Self::Absolute(_) | Self::Hinge(_) => None,
        }
    }
}

impl oco_core::losses::Loss for Borrowed<'_> {
    fn dimension(&self) -> usize {
        self.inner().dimension()
    }

    fn value(&self, y: &[f64]) -> f64 {
        self.inner().value(y)
    }

    fn subgradient(&self, y: &[f64], g: &mut [f64]) {
        self.inner().subgradient(y, g);
    }
}

impl Bounded for Borrowed<'_> {
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        self.inner().magnitude_on_ball(centre, radius)
    }

    fn lipschitz_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        self.inner().lipschitz_on_ball(centre, radius)
    }
}

/// What Python raised within a call from Rust, which got NaN instead.
#[derive(Default)]
pub(super) struct Raised(RefCell<Option<PyErr>>);

impl Raised {
    /// What Python answers, or NaN: the first error is kept, and nothing is asked after it.
    pub(super) fn or_nan(&self, ask: impl FnOnce() -> PyResult<f64>) -> f64 {
        if self.0.borrow().is_some() {
            return f64::NAN;
        }
        ask().unwrap_or_else(|error| {
            self.0.borrow_mut().get_or_insert(error);
            f64::NAN
        })
    }

    /// The outcome, unless Python raised.
    ///
    /// # Errors
    /// What Python raised, else the error of Rust as a `ValueError`.
    pub(super) fn outcome<T, E: std::fmt::Display>(self, found: Result<T, E>) -> PyResult<T> {
        match self.0.into_inner() {
            Some(error) => Err(error),
            None => found.map_err(value),
        }
    }
}

/// Any object with `value(x)` and `gradient(x)`.
pub(super) struct PythonLoss<'a, 'py> {
    pub(super) object: &'a Bound<'py, PyAny>,
    pub(super) dimension: usize,
    pub(super) raised: &'a Raised,
}

impl PythonLoss<'_, '_> {
    fn ask_gradient(&self, y: &[f64], g: &mut [f64]) -> PyResult<()> {
        let py = self.object.py();
        let found = self.object.call_method1("gradient", (PyArray1::from_slice(py, y),))?;
        // A copy, whose numbers are aligned.
        let found: PyReadonlyArray1<'_, f64> = py
            .import("numpy")?
            .call_method1("array", (found, "float64"))?
            .extract()
            .map_err(|_| PyValueError::new_err("gradient(x) has to return a vector"))?;
        let found = entries(&found)?;
        check_point("gradient", &found, g.len()).map_err(value)?;
        g.copy_from_slice(&found);
        Ok(())
    }
}

impl oco_core::losses::Loss for PythonLoss<'_, '_> {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn value(&self, y: &[f64]) -> f64 {
        let ask = || {
            let found = self.object.call_method1("value", (PyArray1::from_slice(self.object.py(), y),))?;
            found.extract()
        };
        self.raised.or_nan(ask)
    }

    fn subgradient(&self, y: &[f64], g: &mut [f64]) {
        let answered = self.raised.or_nan(|| self.ask_gradient(y, g).map(|()| 0.0));
        if answered.is_nan() {
            g.fill(f64::NAN);
        }
    }
}

/// A convex loss.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Loss(Owned);

impl Loss {
    fn new(loss: Owned) -> PyResult<Self> {
        loss.borrowed().map_err(value)?;
        Ok(Self(loss))
    }

    pub(super) fn borrowed(&self) -> PyResult<Borrowed<'_>> {
        self.0.borrowed().map_err(value)
    }
}

type Array<'py> = PyReadonlyArray1<'py, f64>;

fn owned(array: &Array<'_>) -> PyResult<Vec<f64>> {
    Ok(entries(array)?.into_owned())
}

#[pymethods]
impl Loss {
    #[staticmethod]
    fn linear(slope: Array<'_>) -> PyResult<Self> {
        Self::new(Owned::Linear { slope: owned(&slope)? })
    }

    #[staticmethod]
    fn squared(target: Array<'_>) -> PyResult<Self> {
        Self::new(Owned::Squared { target: owned(&target)? })
    }

    #[staticmethod]
    fn quadratic(a: PyReadonlyArray2<'_, f64>, b: Array<'_>, c: f64) -> PyResult<Self> {
        Self::new(Owned::Quadratic { a: table(a)?.0, b: owned(&b)?, c })
    }

    #[staticmethod]
    fn absolute(x: Array<'_>, y: f64) -> PyResult<Self> {
        Self::new(Owned::Absolute { x: owned(&x)?, y })
    }

    #[staticmethod]
    fn hinge(x: Array<'_>, y: f64, threshold: f64) -> PyResult<Self> {
        Self::new(Owned::Hinge { threshold, x: owned(&x)?, y })
    }

    #[staticmethod]
    fn logistic(x: Array<'_>, y: f64) -> PyResult<Self> {
        Self::new(Owned::Logistic { x: owned(&x)?, y })
    }

    #[staticmethod]
    fn huber(x: Array<'_>, y: f64, delta: f64) -> PyResult<Self> {
        Self::new(Owned::Huber { x: owned(&x)?, y, delta })
    }

    #[staticmethod]
    fn log_portfolio(relatives: Array<'_>, floor: f64) -> PyResult<Self> {
        Self::new(Owned::LogPortfolio { relatives: owned(&relatives)?, floor })
    }

    /// ℓ(x).
    fn value(&self, x: Array<'_>) -> PyResult<f64> {
        let (loss, x) = (self.borrowed()?, entries(&x)?);
        let inner = loss.inner();
        check_point("x", &x, inner.dimension()).map_err(value)?;
        Ok(inner.value(&x))
    }

    /// A subgradient at x.
    fn gradient<'py>(&self, py: Python<'py>, x: Array<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (loss, x) = (self.borrowed()?, entries(&x)?);
        let inner = loss.inner();
        check_point("x", &x, inner.dimension()).map_err(value)?;
        let mut g = vec![0.0; x.len()];
        inner.subgradient(&x, &mut g);
        Ok(PyArray1::from_vec(py, g))
    }

    #[getter]
    fn dimension(&self) -> PyResult<usize> {
        Ok(self.borrowed()?.inner().dimension())
    }

    /// β, of a smooth loss.
    #[getter]
    fn smoothness(&self) -> PyResult<Option<f64>> {
        Ok(self.borrowed()?.smoothness())
    }

    /// A Lipschitz constant and a bound of |ℓ| on a set.
    fn constants_on(&self, set: &Set) -> PyResult<(f64, f64)> {
        let loss = self.borrowed()?;
        let constants = loss.lipschitz_on(&set.0).and_then(|slope| Ok((slope, loss.magnitude_on(&set.0)?)));
        constants.map_err(value)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        saved(py, &self.0)
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Self::new(loaded(bytes)?)
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py())?,)))
    }
}
