//! A set chosen at run time.

use crate::{
    BoxSet, CappedSimplex, DecisionSet, Euclidean, Exact, L1Ball, L2Ball, LinearMinimisation, LogProjection,
    NegativeEntropy, Projection, ProjectionError, Scratch, Simplex, UnitBox,
};
use serde::{Deserialize, Serialize};

/// Any of these sets, as a configuration file names it.
///
/// ```
/// use projections::{AnySet, BoxSet};
/// let set: AnySet = serde_json::from_str(r#"{"type": "box", "lower": [0.0], "upper": [2.0]}"#).unwrap();
/// assert_eq!(set, AnySet::Box(BoxSet::interval(0.0, 2.0)?));
/// let crossed = serde_json::from_str::<AnySet>(r#"{"type": "box", "lower": [2.0], "upper": [0.0]}"#);
/// assert!(crossed.unwrap_err().to_string().contains("lower 2.0 exceeds upper 0.0"));
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnySet {
    /// {x ≥ 0 : Σx = s}.
    Simplex(Simplex),
    /// {0 ≤ x ≤ c : Σx = s}.
    CappedSimplex(CappedSimplex),
    /// {l ≤ x ≤ u}.
    Box(BoxSet),
    /// [0, 1]ⁿ.
    UnitBox(UnitBox),
    /// {‖x‖₂ ≤ r}.
    L2Ball(L2Ball),
    /// {‖x‖₁ ≤ r}.
    L1Ball(L1Ball),
}

impl AnySet {
    fn euclidean(&self) -> &dyn Projection<Euclidean> {
        match self {
            Self::Simplex(set) => set,
            Self::CappedSimplex(set) => set,
            Self::Box(set) => set,
            Self::UnitBox(set) => set,
            Self::L2Ball(set) => set,
            Self::L1Ball(set) => set,
        }
    }

    fn entropic(&self) -> Result<&dyn LogProjection, ProjectionError> {
        match self {
            Self::Simplex(set) => Ok(set),
            Self::CappedSimplex(set) => Ok(set),
            Self::UnitBox(set) => Ok(set),
            Self::Box(_) => Err(ProjectionError::NoEntropicGeometry { set: "box" }),
            Self::L2Ball(_) => Err(ProjectionError::NoEntropicGeometry { set: "l2_ball" }),
            Self::L1Ball(_) => Err(ProjectionError::NoEntropicGeometry { set: "l1_ball" }),
        }
    }

    fn linear(&self) -> &dyn LinearMinimisation {
        match self {
            Self::Simplex(set) => set,
            Self::CappedSimplex(set) => set,
            Self::Box(set) => set,
            Self::UnitBox(set) => set,
            Self::L2Ball(set) => set,
            Self::L1Ball(set) => set,
        }
    }
}

impl Projection<Euclidean> for AnySet {
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

impl Exact<Euclidean> for AnySet {}

impl Projection<NegativeEntropy> for AnySet {
    /// [`ProjectionError::NoEntropicGeometry`] for a set other than the simplex, the capped simplex and the
    /// unit box.
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.entropic()?.project_with(y, scratch)
    }
}

impl Exact<NegativeEntropy> for AnySet {}

impl LogProjection for AnySet {
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

    fn project_logarithms_with(
        &self,
        log_y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        self.entropic()?.project_logarithms_with(log_y, exponent, scratch)
    }
}

impl LinearMinimisation for AnySet {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.linear().lmo_with(g, x, scratch)
    }

    fn lmo_accuracy(&self, g: &[f64]) -> f64 {
        self.linear().lmo_accuracy(g)
    }
}

impl DecisionSet for AnySet {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        self.linear().check_dimension(n)
    }

    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        self.linear().contains(x, tolerance)
    }

    /// An upper bound for the capped simplex, exact for the others.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.linear().diameter(n)
    }

    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.linear().interior_point(x)
    }
}
