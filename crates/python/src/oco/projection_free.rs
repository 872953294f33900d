//! Learners with linear minimisation instead of projections, and a gradient oracle.

use super::learners::{AnyLearner, Learner};
use super::losses::{Loss, PythonLoss, Raised};
use super::sets::{Domain, Set};
use super::vectors::{Reduced, check_point, entries, generator, loaded, saved};
use crate::errors::value;
use numpy::{PyArray1, PyReadonlyArray1};
use oco_core::projection_free::{
    self as methods, ExactGradient, MetaFrankWolfe, Morgfw, OracleLearner, ProjectionFreeOco,
};
use oco_core::{OcoError, OnlineLearner};
use projections::filled;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

/// One of the methods.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Method {
    ProjectionFreeOco(ProjectionFreeOco<AnyLearner, Domain>),
    MetaFrankWolfe(MetaFrankWolfe<AnyLearner, Domain>),
    Morgfw(Morgfw<AnyLearner, Domain>),
}

impl Method {
    fn inner(&self) -> &dyn OracleLearner {
        match self {
            Self::ProjectionFreeOco(method) => method,
            Self::MetaFrankWolfe(method) => method,
            Self::Morgfw(method) => method,
        }
    }

    fn inner_mut(&mut self) -> &mut dyn OracleLearner {
        match self {
            Self::ProjectionFreeOco(method) => method,
            Self::MetaFrankWolfe(method) => method,
            Self::Morgfw(method) => method,
        }
    }

    fn learners(&self) -> &[AnyLearner] {
        match self {
            Self::ProjectionFreeOco(method) => method.learners(),
            Self::MetaFrankWolfe(method) => method.learners(),
            Self::Morgfw(method) => method.learners(),
        }
    }

    /// The last gradients, A_1's first.
    fn gradients(&self) -> Vec<f64> {
        match self {
            Self::ProjectionFreeOco(method) => method.gradients().flatten().copied().collect(),
            Self::MetaFrankWolfe(method) => method.gradients().flatten().copied().collect(),
            Self::Morgfw(method) => method.gradients().flatten().copied().collect(),
        }
    }
}

/// Noise of gradients, with a generator of its own.
#[pyclass(module = "ocoboost._core")]
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct GradientNoise(methods::GradientNoise);

#[pymethods]
impl GradientNoise {
    #[staticmethod]
    fn on_sphere(radius: f64, seed: u64) -> PyResult<Self> {
        Ok(Self(methods::GradientNoise::on_sphere(radius, generator(seed)).map_err(value)?))
    }

    #[staticmethod]
    fn gaussian(deviation: f64, seed: u64) -> PyResult<Self> {
        Ok(Self(methods::GradientNoise::gaussian(deviation, generator(seed)).map_err(value)?))
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

/// A method over copies of a learner, with the accounts of the copies.
#[pyclass(module = "ocoboost._core")]
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ProjectionFree {
    method: Method,
    /// Σ⟨g_{t,i}, A_i.play()⟩ of every copy.
    own_losses: Vec<f64>,
    /// Σ g_{t,i} of every copy, one after the other.
    gradient_sums: Vec<f64>,
    rounds: u64,
}

#[pymethods]
impl ProjectionFree {
    #[new]
    fn new(method: &str, learner: &Learner, set: &Set, copies: usize) -> PyResult<Self> {
        let mut copy = learner.learner.clone();
        copy.reset();
        let d = copy.play().len();
        let own_losses = filled("copies", copies, 0.0).map_err(value)?;
        let gradient_sums = filled("copies", copies.saturating_mul(d), 0.0).map_err(value)?;
        let (copies, set) = (filled("copies", copies, copy).map_err(value)?, set.0.clone());
        let method = match method {
            "projection_free" => ProjectionFreeOco::new(copies, set).map(Method::ProjectionFreeOco),
            "meta_frank_wolfe" => MetaFrankWolfe::new(copies, set).map(Method::MetaFrankWolfe),
            "morgfw" => Morgfw::new(copies, set).map(Method::Morgfw),
            other => return Err(value(format!("{other:?} is no projection-free method"))),
        };
        Ok(Self { method: method.map_err(value)?, own_losses, gradient_sums, rounds: 0 })
    }

    /// x_t.
    fn predict<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.method.inner().play())
    }

    /// Learns from a loss through its gradients, with noise if it is given.
    #[pyo3(signature = (loss, noise=None))]
    fn update(&mut self, loss: &Bound<'_, PyAny>, noise: Option<&Bound<'_, GradientNoise>>) -> PyResult<()> {
        let mut noise = noise.map(|noise| noise.try_borrow_mut()).transpose()?;
        let noise = noise.as_deref_mut();
        let plays: Vec<f64> =
            self.method.learners().iter().flat_map(|learner| learner.play()).copied().collect();
        if let Ok(loss) = loss.cast::<Loss>() {
            let loss = loss.get().borrowed()?;
            observe(self.method.inner_mut(), &loss, noise).map_err(value)?;
        } else {
            let raised = Raised::default();
            let dimension = self.method.inner().play().len();
            let loss = PythonLoss { object: loss, dimension, raised: &raised };
            let found = observe(self.method.inner_mut(), &loss, noise);
            raised.outcome(found)?;
        }
        let (gradients, d) = (self.method.gradients(), self.method.inner().play().len());
        let rounds = plays.chunks_exact(d).zip(gradients.chunks_exact(d));
        for (own, (play, g)) in self.own_losses.iter_mut().zip(rounds) {
            *own += play.iter().zip(g).map(|(x, g)| x * g).sum::<f64>();
        }
        self.gradient_sums.iter_mut().zip(&gradients).for_each(|(sum, g)| *sum += g);
        self.rounds = self.rounds.saturating_add(1);
        Ok(())
    }

    fn reset(&mut self) {
        self.method.inner_mut().reset();
        self.own_losses.fill(0.0);
        self.gradient_sums.fill(0.0);
        self.rounds = 0;
    }

    /// R_i = Σ⟨g_{t,i}, A_i.play() − u⟩ of every copy.
    fn measured_regrets<'py>(
        &self,
        py: Python<'py>,
        comparator: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let u = entries(&comparator)?;
        check_point("comparator", &u, self.method.inner().play().len()).map_err(value)?;
        let of_u = self
            .gradient_sums
            .chunks_exact(u.len())
            .map(|sum| sum.iter().zip(&*u).map(|(g, u)| g * u).sum::<f64>());
        Ok(PyArray1::from_vec(py, self.own_losses.iter().zip(of_u).map(|(own, u)| own - u).collect()))
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

/// A round; the noise of a refused one is drawn again.
fn observe<L: oco_core::losses::Loss>(
    method: &mut dyn OracleLearner,
    loss: &L,
    noise: Option<&mut GradientNoise>,
) -> Result<(), OcoError> {
    let Some(noise) = noise else { return method.observe(&mut ExactGradient(loss)) };
    let before = noise.0.clone();
    let found = method.observe(&mut noise.0.over(loss));
    if found.is_err() {
        noise.0 = before;
    }
    found
}
