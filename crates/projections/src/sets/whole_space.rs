//! The whole space.

use crate::error::check_length;
use crate::{DecisionSet, Exact, Projection, ProjectionError, Regulariser, Scratch, check_finite};
use serde::{Deserialize, Serialize};

/// ℝⁿ in any dimension. The projection is the identity, exact for every mirror map.
///
/// It has no linear minimisation: ⟨g, x⟩ has no minimum. A point beyond the range of `f64` is refused as
/// [`ProjectionError::NotFinite`].
///
/// ```
/// use projections::{DecisionSet, PNorm, Projection, WholeSpace};
/// let mut y = [-3.0, 1e300];
/// Projection::<PNorm>::project(&WholeSpace, &mut y)?;
/// assert_eq!((y, WholeSpace.diameter(2)?), ([-3.0, 1e300], f64::INFINITY));
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeSpace;

impl<R: Regulariser> Projection<R> for WholeSpace {
    fn project_with(&self, y: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        DecisionSet::check_dimension(self, y.len())
    }
}

impl<R: Regulariser> Exact<R> for WholeSpace {}

impl DecisionSet for WholeSpace {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", None, n)
    }

    fn contains(&self, x: &[f64], _tolerance: f64) -> bool {
        !x.is_empty() && x.iter().all(|x| x.is_finite())
    }

    /// +∞.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.check_dimension(n)?;
        Ok(f64::INFINITY)
    }

    /// The origin.
    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.check_dimension(x.len())?;
        x.fill(0.0);
        Ok(())
    }
}
