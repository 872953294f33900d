//! Learners that receive a gradient, chosen at run time.

use super::maps::{AnyMap, Map};
use super::sets::{Domain, Mapped, Set};
use super::steps::Steps;
use super::vectors::{Reduced, entries, generator, loaded, saved, table};
use crate::arrays::array_of_rows;
use crate::errors::value;
use crate::names::{Name, by};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use oco_core::learners::{
    AdaGrad, Comid, Doubling, Draws, DualAveraging, FollowTheLeader, FollowThePerturbedLeader, FplConstants,
    Ftrl, Hedge, LazyOgd, MirrorDescent, Ogd, OptimisticMirrorDescent, Perturbation,
};
use oco_core::projection_free::OnlineFrankWolfe;
use oco_core::{OcoError, OnlineLearner, Restart};
use projections::{DecisionSet, ProjectionError};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

/// One of the learners.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "a Python object holds one of them")]
pub(super) enum AnyLearner {
    Ogd(Ogd<Domain>),
    LazyOgd(LazyOgd<Domain>),
    AdaGrad(AdaGrad),
    Comid(Comid),
    MirrorDescent(MirrorDescent<AnyMap, Mapped>),
    DualAveraging(DualAveraging<AnyMap, Mapped>),
    Ftrl(Ftrl<AnyMap, Mapped>),
    Optimistic(OptimisticMirrorDescent<AnyMap, Mapped>),
    Hedge(Hedge),
    FollowTheLeader(FollowTheLeader<Domain>),
    PerturbedLeader(Box<FollowThePerturbedLeader<Domain>>),
    OnlineFrankWolfe(OnlineFrankWolfe<Domain>),
    Doubling(Box<Doubling<Self>>),
}

impl AnyLearner {
    fn inner(&self) -> &dyn OnlineLearner {
        match self {
            Self::Ogd(learner) => learner,
            Self::LazyOgd(learner) => learner,
            Self::AdaGrad(learner) => learner,
            Self::Comid(learner) => learner,
            Self::MirrorDescent(learner) => learner,
            Self::DualAveraging(learner) => learner,
            Self::Ftrl(learner) => learner,
            Self::Optimistic(learner) => learner,
            Self::Hedge(learner) => learner,
            Self::FollowTheLeader(learner) => learner,
            Self::PerturbedLeader(learner) => &**learner,
            Self::OnlineFrankWolfe(learner) => learner,
            Self::Doubling(learner) => &**learner,
        }
    }

    fn inner_mut(&mut self) -> &mut dyn OnlineLearner {
        match self {
            Self::Ogd(learner) => learner,
            Self::LazyOgd(learner) => learner,
            Self::AdaGrad(learner) => learner,
            Self::Comid(learner) => learner,
            Self::MirrorDescent(learner) => learner,
            Self::DualAveraging(learner) => learner,
            Self::Ftrl(learner) => learner,
            Self::Optimistic(learner) => learner,
            Self::Hedge(learner) => learner,
            Self::FollowTheLeader(learner) => learner,
            Self::PerturbedLeader(learner) => &mut **learner,
            Self::OnlineFrankWolfe(learner) => learner,
            Self::Doubling(learner) => &mut **learner,
        }
    }
}

impl OnlineLearner for AnyLearner {
    fn play(&self) -> &[f64] {
        self.inner().play()
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        self.inner_mut().observe(gradient)
    }

    fn reset(&mut self) {
        self.inner_mut().reset();
    }
}

/// A learner without one step size refuses every step.
impl Restart for AnyLearner {
    fn restart(&mut self, eta: f64) -> Result<(), OcoError> {
        match self {
            Self::Ogd(learner) => learner.restart(eta),
            Self::LazyOgd(learner) => learner.restart(eta),
            Self::MirrorDescent(learner) => learner.restart(eta),
            Self::DualAveraging(learner) => learner.restart(eta),
            Self::Ftrl(learner) => learner.restart(eta),
            Self::Optimistic(learner) => learner.restart(eta),
            Self::Hedge(learner) => learner.restart(eta),
            Self::PerturbedLeader(learner) => learner.restart(eta),
            Self::AdaGrad(_)
            | Self::Comid(_)
            | Self::FollowTheLeader(_)
            | Self::OnlineFrankWolfe(_)
            | Self::Doubling(_) => {
                let domain = "the settings of this learner, which has no step to restart with";
                Err(ProjectionError::BadParameter { name: "scale", value: eta, domain }.into())
            }
        }
    }

    fn step(&self) -> Option<f64> {
        match self {
            Self::Ogd(learner) => learner.step(),
            Self::LazyOgd(learner) => learner.step(),
            Self::MirrorDescent(learner) => learner.step(),
            Self::DualAveraging(learner) => learner.step(),
            Self::Ftrl(learner) => learner.step(),
            Self::Optimistic(learner) => learner.step(),
            Self::Hedge(learner) => learner.step(),
            Self::PerturbedLeader(learner) => learner.step(),
            Self::AdaGrad(_)
            | Self::Comid(_)
            | Self::FollowTheLeader(_)
            | Self::OnlineFrankWolfe(_)
            | Self::Doubling(_) => None,
        }
    }
}

/// A learner, and the gradients that it has seen.
#[pyclass(module = "ocoboost._core")]
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Learner {
    pub(super) learner: AnyLearner,
    rounds: u64,
}

type Array<'py> = PyReadonlyArray1<'py, f64>;

/// The entries of the rounds between two questions whether Ctrl-C was pressed.
const BLOCK: usize = 1 << 16;
const HINTS: &str = "only optimistic mirror descent takes hints";

/// What the numbers of learners are called in Python.
const NAMES: &[Name] = &[("eta", "step"), ("lambda", "penalty"), ("D", "scale"), ("point", "dimension")];
/// What the step of a bandit learner is called there.
pub(super) const STEP: &[Name] = &[("step scale", "step"), ("point", "dimension")];

/// Where a learner starts: at a point, or by default in a dimension.
fn start(given: Option<&Array<'_>>) -> PyResult<Option<Vec<f64>>> {
    given.map(|given| Ok(entries(given)?.into_owned())).transpose()
}

fn fresh(learner: Result<AnyLearner, OcoError>) -> PyResult<Learner> {
    Ok(Learner { learner: learner.map_err(by(NAMES))?, rounds: 0 })
}

fn bounded(set: &Set) -> PyResult<Domain> {
    set.0.linear().map_err(value)?;
    Ok(set.0.clone())
}

fn mapped(set: &Set, map: &Map) -> (AnyMap, Mapped) {
    (map.0, Mapped { set: set.0.clone(), map: map.0 })
}

#[pymethods]
impl Learner {
    #[staticmethod]
    #[pyo3(signature = (set, dimension, start, steps))]
    fn ogd(set: &Set, dimension: usize, start: Option<Array<'_>>, steps: &Steps) -> PyResult<Self> {
        let set = set.0.clone();
        let learner = match self::start(start.as_ref())? {
            Some(start) => Ogd::starting_at(set, start, steps.0),
            None => Ogd::new(set, dimension, steps.0),
        };
        fresh(learner.map(AnyLearner::Ogd))
    }

    #[staticmethod]
    fn lazy_ogd(set: &Set, origin: Array<'_>, eta: f64) -> PyResult<Self> {
        fresh(LazyOgd::around(set.0.clone(), entries(&origin)?.into_owned(), eta).map(AnyLearner::LazyOgd))
    }

    #[staticmethod]
    #[pyo3(signature = (set, start, scale))]
    fn ada_grad(set: &Set, start: Option<Array<'_>>, scale: f64) -> PyResult<Self> {
        let set = set.0.as_box().cloned().ok_or_else(|| PyTypeError::new_err("AdaGrad needs a Box"))?;
        let learner = match self::start(start.as_ref())? {
            Some(start) => AdaGrad::starting_at(set, start, scale),
            None => AdaGrad::new(set, scale),
        };
        fresh(learner.map(AnyLearner::AdaGrad))
    }

    #[staticmethod]
    #[pyo3(signature = (set, dimension, start, eta, penalty))]
    fn comid(
        set: &Set,
        dimension: usize,
        start: Option<Array<'_>>,
        eta: f64,
        penalty: f64,
    ) -> PyResult<Self> {
        let bounds = set.0.as_box().cloned();
        if bounds.is_none() && !matches!(set.0, Domain::WholeSpace(_)) {
            return Err(PyTypeError::new_err("COMID needs a Box or the WholeSpace"));
        }
        let learner = match (self::start(start.as_ref())?, bounds) {
            (Some(start), bounds) => Comid::starting_at(bounds, start, eta, penalty),
            (None, Some(bounds)) => Comid::on_box(bounds, eta, penalty),
            (None, None) => Comid::new(dimension, eta, penalty),
        };
        fresh(learner.map(AnyLearner::Comid))
    }

    #[staticmethod]
    #[pyo3(signature = (set, map, dimension, start, eta))]
    fn mirror_descent(
        set: &Set,
        map: &Map,
        dimension: usize,
        start: Option<Array<'_>>,
        eta: f64,
    ) -> PyResult<Self> {
        let (map, set) = mapped(set, map);
        let learner = match self::start(start.as_ref())? {
            Some(start) => MirrorDescent::starting_at(map, set, start, eta),
            None => MirrorDescent::new(map, set, dimension, eta),
        };
        fresh(learner.map(AnyLearner::MirrorDescent))
    }

    #[staticmethod]
    fn dual_averaging(set: &Set, map: &Map, origin: Array<'_>, eta: f64) -> PyResult<Self> {
        let (map, set) = mapped(set, map);
        let learner = DualAveraging::around(map, set, entries(&origin)?.into_owned(), eta);
        fresh(learner.map(AnyLearner::DualAveraging))
    }

    #[staticmethod]
    fn ftrl(set: &Set, map: &Map, dimension: usize, eta: f64) -> PyResult<Self> {
        let (map, set) = mapped(set, map);
        set.check_dimension(dimension).map_err(by(NAMES))?;
        fresh(Ftrl::new(map, set, dimension, eta).map(AnyLearner::Ftrl))
    }

    #[staticmethod]
    #[pyo3(signature = (set, map, dimension, origin, eta))]
    fn optimistic(
        set: &Set,
        map: &Map,
        dimension: usize,
        origin: Option<Array<'_>>,
        eta: f64,
    ) -> PyResult<Self> {
        let (map, set) = mapped(set, map);
        let learner = match start(origin.as_ref())? {
            Some(origin) => OptimisticMirrorDescent::around(map, set, origin, eta),
            None => OptimisticMirrorDescent::new(map, set, dimension, eta),
        };
        fresh(learner.map(AnyLearner::Optimistic))
    }

    #[staticmethod]
    fn hedge(experts: usize, eta: f64) -> PyResult<Self> {
        fresh(Hedge::new(experts, eta).map(AnyLearner::Hedge))
    }

    #[staticmethod]
    #[pyo3(signature = (set, dimension, start))]
    fn follow_the_leader(set: &Set, dimension: usize, start: Option<Array<'_>>) -> PyResult<Self> {
        let set = bounded(set)?;
        let learner = match self::start(start.as_ref())? {
            Some(start) => FollowTheLeader::starting_at(set, start),
            None => FollowTheLeader::new(set, dimension),
        };
        fresh(learner.map(AnyLearner::FollowTheLeader))
    }

    #[staticmethod]
    fn perturbed_leader(
        set: &Set,
        dimension: usize,
        perturbation: &str,
        epsilon: f64,
        draws: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let draws = match draws {
            "each_round" => Draws::EachRound,
            "once" => Draws::Once,
            other => return Err(value(format!("draws = {other:?}: each_round or once"))),
        };
        let law = self::perturbation(perturbation)?;
        let set = bounded(set)?;
        set.check_dimension(dimension).map_err(by(NAMES))?;
        let learner = FollowThePerturbedLeader::new(set, dimension, law, epsilon, draws, generator(seed));
        fresh(learner.map(|learner| AnyLearner::PerturbedLeader(Box::new(learner))))
    }

    #[staticmethod]
    fn online_frank_wolfe(set: &Set, start: Array<'_>, eta: f64) -> PyResult<Self> {
        let learner = OnlineFrankWolfe::new(bounded(set)?, entries(&start)?.into_owned(), eta);
        fresh(learner.map(AnyLearner::OnlineFrankWolfe))
    }

    /// Restarts a copy of a learner in epochs of 1, 2, 4, … rounds.
    #[staticmethod]
    fn doubling(learner: &Self, scale: f64) -> PyResult<Self> {
        let doubling = Doubling::new(learner.learner.clone(), scale);
        fresh(doubling.map(|doubling| AnyLearner::Doubling(Box::new(doubling))))
    }

    /// x_t.
    fn predict<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.learner.play())
    }

    /// Takes g_t and moves to x_{t+1}.
    fn update(&mut self, gradient: Array<'_>) -> PyResult<()> {
        self.learner.observe(&entries(&gradient)?).map_err(value)?;
        self.rounds = self.rounds.saturating_add(1);
        Ok(())
    }

    /// Sets the hint of this round.
    fn expect(&mut self, hint: Array<'_>) -> PyResult<()> {
        match &mut self.learner {
            AnyLearner::Optimistic(learner) => learner.expect(&entries(&hint)?).map_err(value),
            _ => Err(PyTypeError::new_err(HINTS)),
        }
    }

    /// Plays against every row of a table of gradients; the plays, n × d. All rounds or none.
    #[pyo3(signature = (gradients, hints=None))]
    fn play<'py>(
        &mut self,
        py: Python<'py>,
        gradients: PyReadonlyArray2<'py, f64>,
        hints: Option<PyReadonlyArray2<'py, f64>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (gradients, width) = table(gradients)?;
        let expected = self.learner.play().len();
        if width != expected {
            let argument = "gradient";
            return Err(value(ProjectionError::LengthMismatch { argument, expected, got: width }));
        }
        let hints = hints.map(table).transpose()?;
        if let Some((hints, got)) = &hints {
            if !matches!(self.learner, AnyLearner::Optimistic(_)) {
                return Err(PyTypeError::new_err(HINTS));
            }
            if hints.len() != gradients.len() || *got != width {
                return Err(value("hints and gradients are of different shapes"));
            }
        }
        let (mut trial, mut plays) = (self.clone(), Vec::with_capacity(gradients.len()));
        let rounds = gradients.len() / width;
        for first in (0..rounds).step_by((BLOCK / width).max(1)) {
            let last = rounds.min(first + (BLOCK / width).max(1));
            py.detach(|| {
                (first..last).try_for_each(|t| {
                    let row = t * width..(t + 1) * width;
                    let hint = hints.as_ref().map(|(hints, _)| &hints[row.clone()]);
                    trial.round(&gradients[row], hint, &mut plays).map_err(|error| (t, error))
                })
            })
            .map_err(|(t, error)| value(format!("round {t}: {error}")))?;
            py.check_signals()?;
        }
        *self = trial;
        array_of_rows(py, plays, width)
    }

    /// Back to x_1.
    fn reset(&mut self) {
        self.learner.reset();
        self.rounds = 0;
    }

    /// The gradients that it has seen.
    #[getter]
    fn rounds(&self) -> u64 {
        self.rounds
    }

    #[getter]
    fn dimension(&self) -> usize {
        self.learner.play().len()
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

impl Learner {
    /// A round of a table.
    fn round(
        &mut self,
        gradient: &[f64],
        hint: Option<&[f64]>,
        plays: &mut Vec<f64>,
    ) -> Result<(), OcoError> {
        if let (AnyLearner::Optimistic(learner), Some(hint)) = (&mut self.learner, hint) {
            learner.expect(hint)?;
        }
        plays.extend_from_slice(self.learner.play());
        self.learner.observe(gradient)?;
        self.rounds = self.rounds.saturating_add(1);
        Ok(())
    }
}

/// Follow the regularised leader on quadratic losses (a/2)‖x − c‖².
#[pyclass(module = "ocoboost._core")]
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct FtrlQuadratic {
    learner: oco_core::learners::FtrlQuadratic<Domain>,
    rounds: u64,
}

#[pymethods]
impl FtrlQuadratic {
    #[new]
    fn new(set: &Set, dimension: usize, eta: f64) -> PyResult<Self> {
        let set = set.0.clone();
        set.check_dimension(dimension).map_err(by(NAMES))?;
        let learner = oco_core::learners::FtrlQuadratic::new(set, dimension, eta).map_err(by(NAMES))?;
        Ok(Self { learner, rounds: 0 })
    }

    fn predict<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.learner.play())
    }

    fn update(&mut self, curvature: f64, centre: Array<'_>) -> PyResult<()> {
        self.learner.observe(curvature, &entries(&centre)?).map_err(value)?;
        self.rounds = self.rounds.saturating_add(1);
        Ok(())
    }

    fn reset(&mut self) {
        self.learner.reset();
        self.rounds = 0;
    }

    /// R(u) = ‖u‖²/(2η).
    fn penalty(&self, u: Array<'_>) -> PyResult<f64> {
        self.learner.penalty(&entries(&u)?).map_err(value)
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

fn perturbation(law: &str) -> PyResult<Perturbation> {
    match law {
        "uniform" => Ok(Perturbation::Uniform),
        "exponential" => Ok(Perturbation::Exponential),
        "gaussian" => Ok(Perturbation::Gaussian),
        other => Err(value(format!("perturbation = {other:?}: uniform, exponential or gaussian"))),
    }
}

fn constants((dimension, diameter, range, size): (usize, f64, f64, f64)) -> FplConstants {
    FplConstants { dimension, diameter, range, size }
}

/// The bound on the expected regret of a perturbation; of (n, D, R, A).
#[pyfunction]
pub(crate) fn perturbation_bound(
    law: &str,
    of: (usize, f64, f64, f64),
    rounds: u64,
    epsilon: f64,
) -> PyResult<f64> {
    let of = constants(of);
    Ok(perturbation(law)?.regret_bound(&of, rounds, epsilon))
}

/// The ε that minimises it.
#[pyfunction]
pub(crate) fn perturbation_epsilon(law: &str, of: (usize, f64, f64, f64), rounds: u64) -> PyResult<f64> {
    let of = constants(of);
    perturbation(law)?.tuned_epsilon(&of, rounds).map_err(value)
}
