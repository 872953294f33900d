//! The box with given bounds, and the unit hypercube.

use crate::error::{check_length, check_logarithms, check_non_negative};
use crate::norm::euclidean_norm;
use crate::scaling::scaled_up_to_the_end;
use crate::{
    DecisionSet, Euclidean, Exact, LinearMinimisation, LogProjection, NegativeEntropy, Projection,
    ProjectionError, Scratch, check_finite,
};
use rows::numeric::exp_slice;
use serde::{Deserialize, Serialize};

/// The box {x : l ≤ x ≤ u}; lᵢ = uᵢ is legal and fixes xᵢ.
///
/// Projection: xᵢ = min(max(yᵢ, lᵢ), uᵢ). Linear minimisation: uᵢ if gᵢ < 0, else lᵢ. Both O(n).
///
/// ```
/// use projections::{BoxSet, Euclidean, LinearMinimisation, Projection};
/// let set = BoxSet::new(vec![-1.0, 0.0], vec![1.0, 2.0])?;
/// let mut y = [0.5, 9.0];
/// Projection::<Euclidean>::project(&set, &mut y)?;
/// assert_eq!(y, [0.5, 2.0]);
/// assert_eq!(set.lmo(&[1.0, -1.0])?, [-1.0, 2.0]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedBox")]
pub struct BoxSet {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

#[derive(Deserialize)]
struct UncheckedBox {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl TryFrom<UncheckedBox> for BoxSet {
    type Error = ProjectionError;
    fn try_from(raw: UncheckedBox) -> Result<Self, ProjectionError> {
        Self::new(raw.lower, raw.upper)
    }
}

impl BoxSet {
    /// The box with these bounds. Errors: [`ProjectionError::NotFinite`], [`ProjectionError::Empty`],
    /// [`ProjectionError::LengthMismatch`], [`ProjectionError::BadBounds`].
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, ProjectionError> {
        check_finite("lower", &lower)?;
        check_finite("upper", &upper)?;
        check_length("lower", None, lower.len())?;
        check_length("upper", Some(lower.len()), upper.len())?;
        match lower.iter().zip(&upper).enumerate().find(|(_, (l, u))| l > u) {
            Some((index, (&lower, &upper))) => Err(ProjectionError::BadBounds { index, lower, upper }),
            None => Ok(Self { lower, upper }),
        }
    }

    /// The interval [lower, upper] on the line.
    pub fn interval(lower: f64, upper: f64) -> Result<Self, ProjectionError> {
        Self::new(vec![lower], vec![upper])
    }

    /// The lower bounds l.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// The upper bounds u.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    fn bounds(&self) -> impl Iterator<Item = (f64, f64)> + Clone {
        self.lower.iter().copied().zip(self.upper.iter().copied())
    }
}

impl Projection<Euclidean> for BoxSet {
    fn project_with(&self, y: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        for (v, (l, u)) in y.iter_mut().zip(self.bounds()) {
            *v = v.max(l).min(u);
        }
        Ok(())
    }

    /// Coordinates beyond the range clip like its ends.
    fn project_scaled_with(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        y.iter_mut().for_each(|v| *v = scaled_up_to_the_end(*v, exponent));
        self.project_with(y, scratch)
    }
}

impl Exact<Euclidean> for BoxSet {}

impl LinearMinimisation for BoxSet {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("g", g)?;
        self.check_dimension(g.len())?;
        check_length("x", Some(g.len()), x.len())?;
        for ((x, &g), (l, u)) in x.iter_mut().zip(g).zip(self.bounds()) {
            *x = if g < 0.0 { u } else { l };
        }
        Ok(())
    }
}

impl DecisionSet for BoxSet {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", Some(self.lower.len()), n)
    }

    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        x.len() == self.lower.len()
            && x.iter().zip(self.bounds()).all(|(x, (l, u))| l - x <= tolerance && x - u <= tolerance)
    }

    /// ‖u − l‖₂.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.check_dimension(n)?;
        // Halved, so that the width of a box that spans the whole range is finite.
        Ok(2.0 * euclidean_norm(self.bounds().map(|(l, u)| 0.5 * u - 0.5 * l)).value())
    }

    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.check_dimension(x.len())?;
        for (x, (l, u)) in x.iter_mut().zip(self.bounds()) {
            *x = (0.5 * l + 0.5 * u).max(l).min(u);
        }
        Ok(())
    }
}

/// The hypercube [0, 1]ⁿ in any dimension.
///
/// Euclidean projection min(max(y, 0), 1); entropic projection min(1, y) for y ≥ 0 [NP14, Algorithm 3];
/// linear minimisation: 1 if gᵢ < 0, else 0. All O(n).
///
/// ```
/// use projections::{Euclidean, NegativeEntropy, Projection, UnitBox};
/// let mut y = [-0.5, 0.5, 1.5];
/// Projection::<Euclidean>::project(&UnitBox, &mut y)?;
/// assert_eq!(y, [0.0, 0.5, 1.0]);
/// let mut y = [0.0, 0.5, 1e9];
/// Projection::<NegativeEntropy>::project(&UnitBox, &mut y)?;
/// assert_eq!(y, [0.0, 0.5, 1.0]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitBox;

impl Projection<Euclidean> for UnitBox {
    fn project_with(&self, y: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        y.iter_mut().for_each(|v| *v = v.clamp(0.0, 1.0));
        Ok(())
    }

    /// Coordinates beyond the range clip like its ends.
    fn project_scaled_with(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        y.iter_mut().for_each(|v| *v = scaled_up_to_the_end(*v, exponent));
        Projection::<Euclidean>::project_with(self, y, scratch)
    }
}

impl Exact<Euclidean> for UnitBox {}

impl Projection<NegativeEntropy> for UnitBox {
    fn project_with(&self, y: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        check_non_negative("y", y)?;
        y.iter_mut().for_each(|v| *v = v.min(1.0));
        Ok(())
    }
}

impl Exact<NegativeEntropy> for UnitBox {}

impl LogProjection for UnitBox {
    fn project_log_with(&self, log_y: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_logarithms("log_y", log_y)?;
        self.check_dimension(log_y.len())?;
        log_y.iter_mut().for_each(|v| *v = v.min(0.0));
        exp_slice(log_y);
        Ok(())
    }

    fn project_log_scaled_with(
        &self,
        log_y: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        check_length("x", Some(log_y.len()), x.len())?;
        self.project_logarithms_with(log_y, exponent, scratch)?;
        x.copy_from_slice(log_y);
        exp_slice(x);
        Ok(())
    }

    fn project_logarithms_with(
        &self,
        log_y: &mut [f64],
        exponent: u32,
        _scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        check_logarithms("log_y", log_y)?;
        self.check_dimension(log_y.len())?;
        for v in log_y.iter_mut().filter(|v| **v != f64::NEG_INFINITY) {
            *v = v.min(0.0);
            if exponent > 0 {
                *v = scaled_up_to_the_end(*v, exponent);
            }
        }
        Ok(())
    }
}

impl LinearMinimisation for UnitBox {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], _scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("g", g)?;
        self.check_dimension(g.len())?;
        check_length("x", Some(g.len()), x.len())?;
        for (x, &g) in x.iter_mut().zip(g) {
            *x = if g < 0.0 { 1.0 } else { 0.0 };
        }
        Ok(())
    }
}

impl DecisionSet for UnitBox {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", None, n)
    }

    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        !x.is_empty() && x.iter().all(|x| -x <= tolerance && x - 1.0 <= tolerance)
    }

    /// √n.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.check_dimension(n)?;
        Ok((n as f64).sqrt())
    }

    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.check_dimension(x.len())?;
        x.fill(0.5);
        Ok(())
    }
}
