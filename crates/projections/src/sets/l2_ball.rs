//! The Euclidean ball around the origin.

use crate::error::{check_length, check_radius};
use crate::norm::{Norm, euclidean_norm};
use crate::scaling::scaled_up_in_range;
use crate::{
    DecisionSet, Euclidean, Exact, LinearMinimisation, Projection, ProjectionError, Scratch, check_finite,
};
use serde::{Deserialize, Serialize};

/// The ball {x : ‖x‖₂ ≤ r} in any dimension, r > 0.
///
/// Projection: y·min(1, r/‖y‖₂). Linear minimisation: −r·g/‖g‖₂, and 0 for g = 0. Both O(n).
///
/// ```
/// use projections::{Euclidean, L2Ball, LinearMinimisation, Projection};
/// let ball = L2Ball::new(1.0)?;
/// let mut y = [3e200, -4e200];
/// Projection::<Euclidean>::project(&ball, &mut y)?;
/// assert!((y[0] - 0.6).abs() < 1e-15 && (y[1] + 0.8).abs() < 1e-15);
/// assert_eq!(ball.lmo(&[0.0, -2.0])?, [0.0, 1.0]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedL2Ball")]
pub struct L2Ball {
    r: f64,
}

#[derive(Deserialize)]
struct UncheckedL2Ball {
    r: f64,
}

impl TryFrom<UncheckedL2Ball> for L2Ball {
    type Error = ProjectionError;
    fn try_from(raw: UncheckedL2Ball) -> Result<Self, ProjectionError> {
        Self::new(raw.r)
    }
}

impl L2Ball {
    /// The ball of radius r. Errors: [`ProjectionError::NotFinite`], [`ProjectionError::BadRadius`].
    pub fn new(r: f64) -> Result<Self, ProjectionError> {
        check_radius("r", r)?;
        Ok(Self { r })
    }

    /// The radius r.
    pub fn radius(&self) -> f64 {
        self.r
    }
}

impl Projection<Euclidean> for L2Ball {
    fn project_with(&self, y: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        let norm = euclidean_norm(y.iter().copied());
        if !norm.at_most(self.r) {
            y.iter_mut().for_each(|v| *v = self.r * direction(*v, norm));
        }
        Ok(())
    }

    fn project_scaled_with(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        if scaled_up_in_range(y, exponent) {
            return self.project_with(y, scratch);
        }
        // A norm beyond the range is above r.
        let norm = euclidean_norm(y.iter().copied());
        y.iter_mut().for_each(|v| *v = self.r * direction(*v, norm));
        Ok(())
    }
}

impl Exact<Euclidean> for L2Ball {}

impl LinearMinimisation for L2Ball {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("g", g)?;
        self.check_dimension(g.len())?;
        check_length("x", Some(g.len()), x.len())?;
        let norm = euclidean_norm(g.iter().copied());
        if norm.scale == 0.0 {
            x.fill(0.0);
            return Ok(());
        }
        for (x, &g) in x.iter_mut().zip(g) {
            // Subtracted from 0, so that no coordinate is −0.
            *x = 0.0 - self.r * direction(g, norm);
        }
        Ok(())
    }
}

/// v/‖·‖₂, a number in [−1, 1].
fn direction(v: f64, norm: Norm) -> f64 {
    (v / norm.scale) / norm.ratio
}

impl DecisionSet for L2Ball {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", None, n)
    }

    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        !x.is_empty()
            && x.iter().all(|v| v.is_finite())
            && euclidean_norm(x.iter().copied()).at_most(self.r + tolerance)
    }

    /// 2r.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.check_dimension(n)?;
        Ok(2.0 * self.r)
    }

    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.check_dimension(x.len())?;
        x.fill(0.0);
        Ok(())
    }
}
