//! Decision sets, chosen at run time, with their projections and linear minimisation.

use super::maps::{AnyMap, Map};
use super::vectors::{Reduced, entries, loaded, saved, table};
use crate::arrays::{array_of_rows, vector};
use crate::errors::value;
use crate::names::{Name, by, renamed};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use oco_core::Geometry;
use projections::{
    AnySet, BoxSet, CappedSimplex, DecisionSet, Euclidean, Exact, FlowPolytope, L1Ball, L2Ball,
    LinearMinimisation, LogProjection, NegativeEntropy, Projection, ProjectionError, Scratch, Shrunk,
    Simplex, Spectrahedron, TraceNormBall, UnitBox, WholeSpace, filled,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

/// Any set that has a Euclidean projection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Domain {
    Vectors(AnySet),
    Flows(FlowPolytope),
    TraceNormBall(TraceNormBall),
    Spectrahedron(Spectrahedron),
    WholeSpace(WholeSpace),
    Shrunk(Box<Shrunk<Self>>),
}

impl Domain {
    fn euclidean(&self) -> &dyn Projection<Euclidean> {
        match self {
            Self::Vectors(set) => set,
            Self::Flows(set) => set,
            Self::TraceNormBall(set) => set,
            Self::Spectrahedron(set) => set,
            Self::WholeSpace(set) => set,
            Self::Shrunk(set) => &**set,
        }
    }

    fn entropic(&self) -> Result<&dyn LogProjection, ProjectionError> {
        match self {
            Self::Vectors(set) => Ok(set),
            other => Err(ProjectionError::NoEntropicGeometry { set: other.name() }),
        }
    }

    /// The set with its linear minimisation.
    ///
    /// # Errors
    /// For an unbounded set.
    pub(super) fn linear(&self) -> Result<&dyn LinearMinimisation, ProjectionError> {
        match self {
            Self::Vectors(set) => Ok(set),
            Self::Flows(set) => Ok(set),
            Self::TraceNormBall(set) => Ok(set),
            Self::Spectrahedron(set) => Ok(set),
            Self::WholeSpace(_) => {
                let (name, value) = ("diameter", f64::INFINITY);
                let domain = "[0, inf): linear minimisation needs a bounded set";
                Err(ProjectionError::BadParameter { name, value, domain })
            }
            Self::Shrunk(set) => set.inner().linear().map(|_| &**set as &dyn LinearMinimisation),
        }
    }

    /// The box, for learners of a coordinate each.
    pub(super) fn as_box(&self) -> Option<&BoxSet> {
        match self {
            Self::Vectors(AnySet::Box(set)) => Some(set),
            _ => None,
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Vectors(AnySet::Simplex(_)) => "simplex",
            Self::Vectors(AnySet::CappedSimplex(_)) => "capped_simplex",
            Self::Vectors(AnySet::Box(_)) => "box",
            Self::Vectors(AnySet::UnitBox(_)) => "unit_box",
            Self::Vectors(AnySet::L2Ball(_)) => "l2_ball",
            Self::Vectors(AnySet::L1Ball(_)) => "l1_ball",
            Self::Vectors(_) => "set",
            Self::Flows(_) => "flow_polytope",
            Self::TraceNormBall(_) => "trace_norm_ball",
            Self::Spectrahedron(_) => "spectrahedron",
            Self::WholeSpace(_) => "whole_space",
            Self::Shrunk(_) => "shrunk",
        }
    }

    /// How many times it was shrunk.
    fn shrinks(&self) -> usize {
        let (mut set, mut found) = (self, 0);
        while let Self::Shrunk(shrunk) = set {
            (set, found) = (shrunk.inner(), found + 1);
        }
        found
    }

    /// The dimension, of a set that has one.
    fn dimension(&self) -> Option<usize> {
        match self {
            Self::Vectors(AnySet::CappedSimplex(set)) => Some(set.caps().len()),
            Self::Vectors(AnySet::Box(set)) => Some(set.lower().len()),
            Self::Vectors(_) | Self::WholeSpace(_) => None,
            Self::Flows(set) => Some(set.edges().len()),
            Self::TraceNormBall(set) => Some(set.rows() * set.columns()),
            Self::Spectrahedron(set) => Some(set.order() * set.order()),
            Self::Shrunk(set) => Some(set.centre().len()),
        }
    }
}

impl DecisionSet for Domain {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        self.euclidean().check_dimension(n)
    }

    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        self.euclidean().contains(x, tolerance)
    }

    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.euclidean().diameter(n)
    }

    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.euclidean().interior_point(x)
    }
}

impl Projection<Euclidean> for Domain {
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.euclidean().project_with(y, scratch)
    }

    fn project_scaled_with(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        self.euclidean().project_scaled_with(y, exponent, scratch)
    }
}

impl Exact<Euclidean> for Domain {}

impl Projection<NegativeEntropy> for Domain {
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.entropic()?.project_with(y, scratch)
    }
}

impl LogProjection for Domain {
    fn project_log_with(&self, log_y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.entropic()?.project_log_with(log_y, scratch)
    }

    fn project_log_scaled_with(
        &self,
        log_y: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        self.entropic()?.project_log_scaled_with(log_y, exponent, x, scratch)
    }
}

impl LinearMinimisation for Domain {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.linear()?.lmo_with(g, x, scratch)
    }

    fn lmo_accuracy(&self, g: &[f64]) -> f64 {
        self.linear().map_or(0.0, |set| set.lmo_accuracy(g))
    }
}

/// A set in the geometry of a mirror map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Mapped {
    pub(super) set: Domain,
    pub(super) map: AnyMap,
}

impl Mapped {
    /// ℝⁿ, the one set with a projection by a p-norm.
    fn whole_space(&self) -> Result<&WholeSpace, ProjectionError> {
        match (&self.set, &self.map) {
            (Domain::WholeSpace(space), _) => Ok(space),
            (_, map) => {
                let value = if let AnyMap::PNorm(map) = map { map.exponent() } else { f64::NAN };
                let domain = "the geometries of this set: a p-norm needs the whole space";
                Err(ProjectionError::BadParameter { name: "p", value, domain })
            }
        }
    }
}

impl DecisionSet for Mapped {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        self.set.check_dimension(n)
    }

    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        self.set.contains(x, tolerance)
    }

    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.set.diameter(n)
    }

    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.set.interior_point(x)
    }
}

impl Projection<AnyMap> for Mapped {
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        match self.map {
            AnyMap::Euclidean => Projection::<Euclidean>::project_with(&self.set, y, scratch),
            AnyMap::NegativeEntropy => Projection::<NegativeEntropy>::project_with(&self.set, y, scratch),
            AnyMap::PNorm(_) => {
                Projection::<projections::PNorm>::project_with(self.whole_space()?, y, scratch)
            }
        }
    }
}

/// Every projection of a [`Domain`] is a true Bregman projection.
impl Exact<AnyMap> for Mapped {}

impl Geometry<Mapped> for AnyMap {
    fn primal(
        &self,
        set: &Mapped,
        theta: &[f64],
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        match self {
            Self::Euclidean => Euclidean.primal(&set.set, theta, x, scratch),
            Self::NegativeEntropy => NegativeEntropy.primal(&set.set, theta, x, scratch),
            Self::PNorm(map) => map.primal(set.whole_space()?, theta, x, scratch),
        }
    }

    fn primal_and_dual(
        &self,
        set: &Mapped,
        theta: &mut [f64],
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        match self {
            Self::Euclidean => Euclidean.primal_and_dual(&set.set, theta, x, scratch),
            Self::NegativeEntropy => NegativeEntropy.primal_and_dual(&set.set, theta, x, scratch),
            Self::PNorm(map) => map.primal_and_dual(set.whole_space()?, theta, x, scratch),
        }
    }
}

/// clip(z − αη/2, 0, 1).
#[pyfunction]
pub(crate) fn project_l1_box<'py>(
    py: Python<'py>,
    z: PyReadonlyArray1<'py, f64>,
    alpha: f64,
    eta: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let mut z = vector(z)?;
    projections::project_l1_box(&mut z, alpha, eta).map_err(value)?;
    Ok(PyArray1::from_vec(py, z))
}

/// What the sizes of sets are called in Python.
const MASS: &[Name] = &[("s", "mass")];
const RADIUS: &[Name] = &[("r", "radius"), ("s", "radius")];

/// A decision set.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Set(pub(super) Domain);

/// The most times that a set is shrunk: each of them asks the set within, on the stack.
const MOST_SHRINKS: usize = 32;

/// The entries of a block of rows, between two questions whether Ctrl-C was pressed.
const BLOCK: usize = 1 << 16;

/// What a point that is projected is called by whoever hands it in.
fn called(name: &str) -> &'static [Name] {
    if name == "x" { &[("y", "x"), ("point", "x")] } else { &[("point", "y")] }
}

/// What the argument of the linear minimisation is called in Python.
const GRADIENT: &[Name] = &[("g", "gradient"), ("point", "gradient")];
/// Of a point of which the dimension alone is given.
const DIMENSION: &[Name] = &[("point", "dimension")];

/// Works on every row of a table, without the lock; an error names its row, from 0.
fn in_rows(
    py: Python<'_>,
    (all, width): &mut (Vec<f64>, usize),
    names: &'static [Name],
    mut one: impl FnMut(&mut [f64]) -> Result<(), ProjectionError> + Send,
) -> PyResult<()> {
    if *width == 0 {
        return Err(value(ProjectionError::Empty { argument: "a row" }));
    }
    let (width, mut row) = (*width, 0_usize);
    for block in all.chunks_mut((BLOCK / width).max(1) * width) {
        py.detach(|| {
            block.chunks_exact_mut(width).try_for_each(|y| {
                one(y)?;
                row += 1;
                Ok::<_, ProjectionError>(())
            })
        })
        .map_err(|error| value(format!("row {row}: {}", renamed(error.into(), names))))?;
        py.check_signals()?;
    }
    Ok(())
}

#[pymethods]
impl Set {
    #[staticmethod]
    fn simplex(mass: f64) -> PyResult<Self> {
        Ok(Self(Domain::Vectors(AnySet::Simplex(Simplex::new(mass).map_err(by(MASS))?))))
    }

    #[staticmethod]
    fn capped_simplex(caps: PyReadonlyArray1<'_, f64>, mass: f64) -> PyResult<Self> {
        let set = CappedSimplex::new(entries(&caps)?.into_owned(), mass).map_err(by(MASS))?;
        Ok(Self(Domain::Vectors(AnySet::CappedSimplex(set))))
    }

    #[staticmethod]
    #[pyo3(name = "box")]
    fn between(lower: PyReadonlyArray1<'_, f64>, upper: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let set = BoxSet::new(entries(&lower)?.into_owned(), entries(&upper)?.into_owned()).map_err(value)?;
        Ok(Self(Domain::Vectors(AnySet::Box(set))))
    }

    #[staticmethod]
    fn unit_box() -> Self {
        Self(Domain::Vectors(AnySet::UnitBox(UnitBox)))
    }

    #[staticmethod]
    fn l2_ball(radius: f64) -> PyResult<Self> {
        Ok(Self(Domain::Vectors(AnySet::L2Ball(L2Ball::new(radius).map_err(by(RADIUS))?))))
    }

    #[staticmethod]
    fn l1_ball(radius: f64) -> PyResult<Self> {
        Ok(Self(Domain::Vectors(AnySet::L1Ball(L1Ball::new(radius).map_err(by(RADIUS))?))))
    }

    #[staticmethod]
    fn flow_polytope(
        vertices: usize,
        edges: Vec<(usize, usize)>,
        source: usize,
        sink: usize,
    ) -> PyResult<Self> {
        Ok(Self(Domain::Flows(FlowPolytope::new(vertices, edges, source, sink).map_err(value)?)))
    }

    #[staticmethod]
    fn trace_norm_ball(rows: usize, columns: usize, radius: f64) -> PyResult<Self> {
        Ok(Self(Domain::TraceNormBall(TraceNormBall::new(rows, columns, radius).map_err(by(RADIUS))?)))
    }

    #[staticmethod]
    fn spectrahedron(order: usize, trace: f64) -> PyResult<Self> {
        let set = Spectrahedron::new(order, trace).map_err(by(&[("s", "trace")]));
        Ok(Self(Domain::Spectrahedron(set?)))
    }

    #[staticmethod]
    fn whole_space() -> Self {
        Self(Domain::WholeSpace(WholeSpace))
    }

    /// a + (1 − ξ)(K − a).
    fn shrunk(&self, centre: PyReadonlyArray1<'_, f64>, xi: f64) -> PyResult<Self> {
        if self.0.shrinks() >= MOST_SHRINKS {
            return Err(value(format!(
                "the set was shrunk {MOST_SHRINKS} times, which is the most: shrink it once by 1 − ∏(1 − ξ)"
            )));
        }
        let shrunk = Shrunk::new(self.0.clone(), entries(&centre)?.into_owned(), xi).map_err(value)?;
        Ok(Self(Domain::Shrunk(Box::new(shrunk))))
    }

    /// Π(y) in a geometry; y has a name for its caller.
    #[pyo3(signature = (y, map, name="y"))]
    fn project<'py>(
        &self,
        py: Python<'py>,
        y: PyReadonlyArray1<'py, f64>,
        map: &Map,
        name: &str,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut y = vector(y)?;
        let mapped = Mapped { set: self.0.clone(), map: map.0 };
        py.detach(|| mapped.project(&mut y)).map_err(by(called(name)))?;
        Ok(PyArray1::from_vec(py, y))
    }

    /// Π of every row.
    #[pyo3(signature = (y, map, name="y"))]
    fn project_rows<'py>(
        &self,
        py: Python<'py>,
        y: PyReadonlyArray2<'py, f64>,
        map: &Map,
        name: &str,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let mut rows = table(y)?;
        let (mapped, mut scratch) = (Mapped { set: self.0.clone(), map: map.0 }, Scratch::default());
        in_rows(py, &mut rows, called(name), |y| mapped.project_with(y, &mut scratch))?;
        array_of_rows(py, rows.0, rows.1)
    }

    /// A point of K that minimises ⟨g, ·⟩.
    fn lmo<'py>(
        &self,
        py: Python<'py>,
        g: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let g = vector(g)?;
        let found = py.detach(|| self.0.linear()?.lmo(&g)).map_err(by(GRADIENT))?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// The same for every row.
    fn lmo_rows<'py>(
        &self,
        py: Python<'py>,
        g: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (mut rows, mut scratch) = (table(g)?, Scratch::default());
        let mut vertex = filled("a row", rows.1, 0.0).map_err(value)?;
        in_rows(py, &mut rows, GRADIENT, |g| {
            self.0.lmo_with(g, &mut vertex, &mut scratch)?;
            g.copy_from_slice(&vertex);
            Ok(())
        })?;
        array_of_rows(py, rows.0, rows.1)
    }

    /// By how much ⟨g, lmo(g)⟩ may exceed the minimum.
    fn lmo_accuracy(&self, g: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        Ok(self.0.lmo_accuracy(&entries(&g)?))
    }

    /// Whether x satisfies every constraint within a slack.
    fn contains(&self, py: Python<'_>, x: PyReadonlyArray1<'_, f64>, tolerance: f64) -> PyResult<bool> {
        let x = vector(x)?;
        Ok(py.detach(|| self.0.contains(&x, tolerance)))
    }

    /// The same for every row.
    fn contains_rows<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        tolerance: f64,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let (mut rows, mut found) = (table(x)?, Vec::new());
        in_rows(py, &mut rows, &[], |x| {
            found.push(self.0.contains(x, tolerance));
            Ok(())
        })?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// max ‖x − x′‖₂ in a dimension.
    fn diameter(&self, dimension: usize) -> PyResult<f64> {
        self.0.diameter(dimension).map_err(by(DIMENSION))
    }

    /// A point of the relative interior.
    fn interior_point<'py>(&self, py: Python<'py>, dimension: usize) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut x = filled("dimension", dimension, 0.0).map_err(value)?;
        self.0.interior_point(&mut x).map_err(by(DIMENSION))?;
        Ok(PyArray1::from_vec(py, x))
    }

    /// The dimension, of a set that has one.
    #[getter]
    fn dimension(&self) -> Option<usize> {
        self.0.dimension()
    }

    fn equals(&self, other: &Self) -> bool {
        self.0 == other.0
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
