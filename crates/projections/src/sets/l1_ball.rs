//! The ℓ1 ball around the origin.

use crate::error::{check_length, check_radius};
use crate::scaling::{scale_up_around, scaled_up_in_range};
use crate::simplex::lanes::max;
use crate::simplex::threshold::project_onto_simplex;
use crate::{
    DecisionSet, Euclidean, Exact, LinearMinimisation, Projection, ProjectionError, Scratch, check_finite,
};
use rows::numeric::CompensatedSum;
use serde::{Deserialize, Serialize};

/// The ball {x : ‖x‖₁ ≤ r} in any dimension, r > 0.
///
/// Projection: a point inside stays; otherwise xᵢ = sgn(yᵢ)·zᵢ with z the projection of |y| onto the simplex
/// of mass r. Linear minimisation: −r·sgn(gⱼ) at j = argmax |g|, 0 elsewhere; sgn(0) = 1, so that g = 0 gives
/// a vertex too. O(n).
///
/// ```
/// use projections::{Euclidean, L1Ball, LinearMinimisation, Projection};
/// let ball = L1Ball::new(1.0)?;
/// let mut y = [2.0, -2.0, 0.5];
/// Projection::<Euclidean>::project(&ball, &mut y)?;
/// assert_eq!(y, [0.5, -0.5, 0.0]);
/// assert_eq!(ball.lmo(&[1.0, -3.0])?, [0.0, 1.0]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedL1Ball")]
pub struct L1Ball {
    r: f64,
}

#[derive(Deserialize)]
struct UncheckedL1Ball {
    r: f64,
}

impl TryFrom<UncheckedL1Ball> for L1Ball {
    type Error = ProjectionError;
    fn try_from(raw: UncheckedL1Ball) -> Result<Self, ProjectionError> {
        Self::new(raw.r)
    }
}

impl L1Ball {
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

/// ‖x‖₁; +∞ beyond the range.
fn one_norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v.abs()).collect::<CompensatedSum>().value()
}

/// Applies a map to the sizes |y| and gives the results y's signs.
fn keeping_signs(
    y: &mut [f64],
    scratch: &mut Scratch,
    map: impl FnOnce(&mut [f64], &mut Scratch) -> Result<(), ProjectionError>,
) -> Result<(), ProjectionError> {
    let signs = scratch.lend_copy(y);
    y.iter_mut().for_each(|v| *v = v.abs());
    let outcome = map(y, scratch);
    for (v, sign) in y.iter_mut().zip(&signs) {
        *v = if *v == 0.0 { 0.0 } else { v.copysign(*sign) };
    }
    scratch.give_back(signs);
    outcome
}

impl Projection<Euclidean> for L1Ball {
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        scratch.make_room_to_sift(y.len());
        scratch.make_room_to_lend(y.len());
        if !(one_norm(y) <= self.r) {
            return keeping_signs(y, scratch, |z, scratch| project_onto_simplex(z, self.r, scratch));
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
        keeping_signs(y, scratch, |z, scratch| {
            scale_up_around(z, max(z), exponent);
            project_onto_simplex(z, self.r, scratch)
        })
    }
}

impl Exact<Euclidean> for L1Ball {}

impl LinearMinimisation for L1Ball {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("g", g)?;
        self.check_dimension(g.len())?;
        check_length("x", Some(g.len()), x.len())?;
        x.fill(0.0);
        if let Some((j, slope)) = g.iter().enumerate().min_by(|a, b| b.1.abs().total_cmp(&a.1.abs())) {
            x[j] = if *slope < 0.0 { self.r } else { -self.r };
        }
        Ok(())
    }
}

impl DecisionSet for L1Ball {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", None, n)
    }

    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        !x.is_empty() && one_norm(x) - self.r <= tolerance
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
