//! The scaled probability simplex.

use crate::error::{check_length, check_non_negative, check_radius};
use crate::scaling::scale_up_around;
use crate::simplex::lanes::max;
use crate::simplex::logarithms::{lifted, scale_up_logarithms_around, seen_from, top_logarithm};
use crate::simplex::threshold::project_onto_simplex;
use crate::{
    DecisionSet, Euclidean, Exact, LinearMinimisation, LogProjection, NegativeEntropy, Projection,
    ProjectionError, Scratch, check_finite,
};
use rows::numeric::{CompensatedSum, block_sum, exp, ln, vectorised};
use serde::{Deserialize, Serialize};

/// The simplex {x ≥ 0 : Σx = s} in any dimension, s > 0.
///
/// Euclidean projection: xᵢ = max(yᵢ − τ, 0) with τ such that Σx = s, O(n) for every input. Entropic
/// projection: x = s·y/Σy. Linear minimisation: s at j = argmin g, 0 elsewhere.
///
/// ```
/// use projections::{Euclidean, NegativeEntropy, Projection, Simplex};
/// let simplex = Simplex::new(1.0)?;
/// let mut y = [0.5, 0.25, -0.25, 1.0];
/// Projection::<Euclidean>::project(&simplex, &mut y)?;
/// assert_eq!(y, [0.25, 0.0, 0.0, 0.75]);
/// let mut y = [1e300, 3e300, 0.0];
/// Projection::<NegativeEntropy>::project(&simplex, &mut y)?;
/// assert_eq!(y, [0.25, 0.75, 0.0]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedSimplex")]
pub struct Simplex {
    s: f64,
}

#[derive(Deserialize)]
struct UncheckedSimplex {
    s: f64,
}

impl TryFrom<UncheckedSimplex> for Simplex {
    type Error = ProjectionError;
    fn try_from(raw: UncheckedSimplex) -> Result<Self, ProjectionError> {
        Self::new(raw.s)
    }
}

impl Simplex {
    /// The simplex of mass s. Errors: [`ProjectionError::NotFinite`], [`ProjectionError::BadRadius`].
    pub fn new(s: f64) -> Result<Self, ProjectionError> {
        check_radius("s", s)?;
        Ok(Self { s })
    }

    /// The mass s.
    pub fn mass(&self) -> f64 {
        self.s
    }
}

impl Projection<Euclidean> for Simplex {
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.check_dimension(y.len())?;
        project_onto_simplex(y, self.s, scratch)
    }

    fn project_scaled_with(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        // A common offset changes nothing. Relative to the largest entry, an entry beyond the lower end of
        // the range is 0.
        scale_up_around(y, max(y), exponent);
        Projection::<Euclidean>::project_with(self, y, scratch)
    }
}

impl Exact<Euclidean> for Simplex {}

impl Projection<NegativeEntropy> for Simplex {
    fn project_with(&self, y: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        check_non_negative("y", y)?;
        let top = max(y);
        if top == 0.0 {
            return Err(ProjectionError::NoMass);
        }
        y.iter_mut().for_each(|v| *v /= top);
        normalise(y, self.s);
        Ok(())
    }
}

impl Exact<NegativeEntropy> for Simplex {}

impl LogProjection for Simplex {
    fn project_log_with(&self, log_y: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.check_dimension(log_y.len())?;
        let top = top_logarithm("log_y", log_y)?;
        vectorised(
            #[inline(always)]
            || {
                for v in log_y.iter_mut() {
                    *v = exp(*v - top);
                }
            },
        );
        let rho = self.s / block_sum(log_y);
        log_y.iter_mut().for_each(|v| *v *= rho);
        Ok(())
    }

    /// One exponential per coordinate, and no logarithm: log x = log y + log s − log Σy.
    fn project_log_scaled_with(
        &self,
        log_y: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        _scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        self.check_dimension(log_y.len())?;
        check_length("x", Some(log_y.len()), x.len())?;
        let mut top = top_logarithm("log_y", log_y)?;
        if exponent > 0 {
            // A common factor changes nothing. Relative to the largest weight, logarithms leave the range
            // only at its lower end.
            scale_up_logarithms_around(log_y, top, exponent);
            top = 0.0;
        }
        let total = seen_from(top, log_y, x);
        let (rho, log_rho) = (self.s / total, ln(self.s) - ln(total));
        vectorised(
            #[inline(always)]
            || {
                for (x, v) in x.iter_mut().zip(log_y) {
                    *x *= rho;
                    *v = lifted(*v, top, log_rho);
                }
            },
        );
        Ok(())
    }
}

/// y ← s·y/Σy for y in [0, 1] with maximum 1.
fn normalise(y: &mut [f64], s: f64) {
    let total = block_sum(y);
    y.iter_mut().for_each(|v| *v = s * (*v / total));
}

impl LinearMinimisation for Simplex {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("g", g)?;
        self.check_dimension(g.len())?;
        check_length("x", Some(g.len()), x.len())?;
        x.fill(0.0);
        if let Some((j, _)) = g.iter().enumerate().min_by(|a, b| (a.1 + 0.0).total_cmp(&(b.1 + 0.0))) {
            x[j] = self.s;
        }
        Ok(())
    }
}

impl DecisionSet for Simplex {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", None, n)
    }

    /// Constraints: each xᵢ ≥ 0, and Σx = s.
    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        let total = x.iter().copied().collect::<CompensatedSum>().value();
        !x.is_empty() && x.iter().all(|v| -v <= tolerance) && (total - self.s).abs() <= tolerance
    }

    /// s√2, and 0 for the single point of dimension 1.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.check_dimension(n)?;
        Ok(if n == 1 { 0.0 } else { std::f64::consts::SQRT_2 * self.s })
    }

    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.check_dimension(x.len())?;
        x.fill(self.s / x.len() as f64);
        Ok(())
    }
}
