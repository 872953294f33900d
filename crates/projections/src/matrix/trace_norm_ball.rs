//! The ball of the trace norm: matrices whose singular values sum to at most r.

use crate::error::{check_length, check_radius};
use crate::matrix::lanczos::{dot, leading_eigenvector, scale_to_unit, work_len};
use crate::norm::euclidean_norm;
use crate::scaling::bring_to_ordinary_size;
use crate::{
    DecisionSet, Euclidean, Exact, L1Ball, LinearMinimisation, Projection, ProjectionError, Scratch,
    check_finite,
};
use nalgebra::DMatrix;
use rows::numeric::scale;
use rows::numeric::scale_up;
use serde::{Deserialize, Serialize};

/// The ball {X ∈ ℝ^{m×n} : ‖X‖_* ≤ r} of the trace norm (nuclear norm), r > 0. A point is the row-major slice
/// of the m·n entries, and its Euclidean norm is the Frobenius norm.
///
/// Projection: the singular values are projected onto the ℓ1 ball of radius r; O(mn·min(m, n)), a full
/// decomposition, which allocates. Linear minimisation: −r·uvᵀ for the leading singular pair of G, by Lanczos
/// iteration on the smaller of GᵀG and GGᵀ; O(mn) a step, without allocation.
///
/// The lmo is approximate: ⟨G, X⟩ ≤ −(1 − [`TraceNormBall::LMO_ACCURACY`])·r·σ₁(G), and the minimum is
/// −r·σ₁(G). A method pays at most that share of r·σ₁ per step. The iteration ends on a residual, which
/// certifies *a* singular value. That it is the first depends on the start, a fixed pseudo-random vector, as
/// in every Krylov method \[KW92\]. A G orthogonal to the start still gets a vertex, but a worse one.
///
/// ```
/// use projections::{Euclidean, LinearMinimisation, Projection, TraceNormBall};
/// let ball = TraceNormBall::new(2, 2, 1.0)?;
/// let mut y = [3.0, 0.0, 0.0, -2.5];
/// Projection::<Euclidean>::project(&ball, &mut y)?;
/// let want = [0.75, 0.0, 0.0, -0.25];
/// assert!(y.iter().zip(want).all(|(x, w)| (x - w).abs() < 1e-15));
/// let vertex = ball.lmo(&[0.0, 4.0, 1.0, 0.0])?;
/// assert!((vertex[1] + 1.0).abs() < 1e-12 && vertex[2].abs() < 1e-4);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedTraceNormBall")]
pub struct TraceNormBall {
    rows: usize,
    columns: usize,
    r: f64,
}

#[derive(Deserialize)]
struct UncheckedTraceNormBall {
    rows: usize,
    columns: usize,
    r: f64,
}

impl TryFrom<UncheckedTraceNormBall> for TraceNormBall {
    type Error = ProjectionError;
    fn try_from(raw: UncheckedTraceNormBall) -> Result<Self, ProjectionError> {
        Self::new(raw.rows, raw.columns, raw.r)
    }
}

impl TraceNormBall {
    /// The relative accuracy of the lmo.
    pub const LMO_ACCURACY: f64 = 1e-7;

    /// The m×n matrices of trace norm at most r. Errors: [`ProjectionError::Empty`] for m = 0 or n = 0,
    /// [`ProjectionError::BadParameter`] if m·n exceeds the length of any slice,
    /// [`ProjectionError::NotFinite`], [`ProjectionError::BadRadius`].
    pub fn new(rows: usize, columns: usize, r: f64) -> Result<Self, ProjectionError> {
        check_shape(rows, columns)?;
        check_radius("r", r)?;
        Ok(Self { rows, columns, r })
    }

    /// The number m of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number n of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The radius r.
    pub fn radius(&self) -> f64 {
        self.r
    }

    /// Orthogonal columns UΣ and V with Y = UΣVᵀ·2^e, and e; of Yᵀ if Y has more columns than rows.
    ///
    /// nalgebra's QR iteration (0.35) does most of the work. Its values are wrong by several percent for some
    /// matrices with tied singular values. For entries of very different sizes its V may lose orthogonality
    /// or be NaN. Jacobi rotations of YV finish from V if it is orthogonal, else from I.
    fn decompose(&self, y: &[f64]) -> (DMatrix<f64>, DMatrix<f64>, i32) {
        let mut ordinary = DMatrix::from_row_slice(self.rows, self.columns, y);
        let unit = bring_to_ordinary_size(ordinary.as_mut_slice());
        clear_negligible(ordinary.as_mut_slice());
        if self.rows < self.columns {
            ordinary = ordinary.transpose();
        }
        let n = ordinary.ncols();
        // Unordered: sorting NaNs would panic.
        let svd = ordinary.clone().try_svd_unordered(false, true, 5.0 * f64::EPSILON, 100 * n);
        let v = svd.and_then(|svd| svd.v_t).map(|v_t| v_t.transpose());
        let mut directions = v.filter(is_orthogonal).unwrap_or_else(|| DMatrix::identity(n, n));
        let mut images = ordinary * &directions;
        orthogonalise(&mut images, &mut directions);
        (images, directions, unit)
    }

    /// Y ← Π(Y·2^exponent) for a checked Y.
    fn project_times(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        let (images, directions, unit) = self.decompose(y);
        let unit = unit.saturating_add_unsigned(exponent);
        let lengths: Vec<f64> = images.column_iter().map(|w| w.norm()).collect();
        let mut sigma = lengths.clone();
        sigma.iter_mut().for_each(|v| *v = scale(*v, unit.min(0)));
        let before = sigma.clone();
        let ball = L1Ball::new(self.r)?;
        ball.project_scaled_with(&mut sigma, unit.max(0).unsigned_abs(), scratch)?;
        let inside = before.iter().zip(&sigma).all(|(before, after)| scale(*before, unit.max(0)) <= *after);
        if inside {
            y.iter_mut().for_each(|v| *v = scale_up(*v, exponent));
            return Ok(());
        }
        // UZVᵀ; if Y has fewer rows than columns, the factors are those of Yᵀ.
        y.fill(0.0);
        for (k, sigma) in sigma.iter().enumerate().filter(|(_, sigma)| **sigma > 0.0) {
            let image = images.column(k) / lengths[k];
            let direction = directions.column(k);
            let (u, v) = if self.rows < self.columns {
                (direction.as_slice(), image.as_slice())
            } else {
                (image.as_slice(), direction.as_slice())
            };
            for (row, u) in y.chunks_exact_mut(self.columns).zip(u) {
                row.iter_mut().zip(v).for_each(|(x, v)| *x += sigma * (u * v));
            }
        }
        // Only rounding lets an entry exceed the trace norm.
        y.iter_mut().for_each(|x| *x = x.clamp(-self.r, self.r));
        Ok(())
    }
}

/// One-sided Jacobi iteration: rotates pairs of columns, and the directions with them, until all columns are
/// orthogonal.
pub(crate) fn orthogonalise(images: &mut DMatrix<f64>, directions: &mut DMatrix<f64>) {
    let n = images.ncols();
    for _sweep in 0..60 {
        let mut rotated = false;
        for (p, q) in (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))) {
            let (of_p, of_q) = (images.column(p).norm_squared(), images.column(q).norm_squared());
            let between = images.column(p).dot(&images.column(q));
            if between.abs() <= 1e-15 * (of_p * of_q).sqrt() + 1e-34 {
                continue;
            }
            rotated = true;
            let zeta = (of_q - of_p) / (2.0 * between);
            let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
            let cosine = 1.0 / tangent.hypot(1.0);
            for matrix in [&mut *images, &mut *directions] {
                for i in 0..matrix.nrows() {
                    let (a, b) = (matrix[(i, p)], matrix[(i, q)]);
                    matrix[(i, p)] = cosine * (a - tangent * b);
                    matrix[(i, q)] = cosine * (b + tangent * a);
                }
            }
        }
        if !rotated {
            break;
        }
    }
}

/// Sets entries below 1e−36 of the largest to 0. They are far below the rounding of a decomposition, and
/// their squares could underflow.
pub(crate) fn clear_negligible(a: &mut [f64]) {
    let negligible = 1e-36 * a.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
    a.iter_mut().filter(|v| v.abs() < negligible).for_each(|v| *v = 0.0);
}

/// Whether VᵀV = I, up to rounding; false for NaNs.
pub(crate) fn is_orthogonal(v: &DMatrix<f64>) -> bool {
    let identity = DMatrix::identity(v.ncols(), v.ncols());
    (v.transpose() * v - identity).iter().all(|off| off.abs() <= 1e-13)
}

/// Refuses a matrix without entries or with more than a slice can hold.
pub(crate) fn check_shape(rows: usize, columns: usize) -> Result<(), ProjectionError> {
    check_length("rows", None, rows)?;
    check_length("columns", None, columns)?;
    match rows.checked_mul(columns) {
        Some(_) => Ok(()),
        None => Err(ProjectionError::BadParameter {
            name: "rows * columns",
            value: rows as f64 * columns as f64,
            domain: "the lengths of slices",
        }),
    }
}

impl Projection<Euclidean> for TraceNormBall {
    /// By a singular value decomposition, O(mn·min(m, n)). Allocates in every call: an exception to the
    /// contract.
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.project_scaled_with(y, 0, scratch)
    }

    /// Allocates in every call.
    fn project_scaled_with(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        self.project_times(y, exponent, scratch)
    }
}

impl Exact<Euclidean> for TraceNormBall {}

impl LinearMinimisation for TraceNormBall {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("g", g)?;
        self.check_dimension(g.len())?;
        check_length("x", Some(g.len()), x.len())?;
        if g.iter().all(|v| *v == 0.0) {
            x.fill(0.0);
            x[0] = -self.r;
            return Ok(());
        }
        let mut ordinary = scratch.lend_copy(g);
        bring_to_ordinary_size(&mut ordinary);
        let (m, n) = (self.rows, self.columns);
        let work = scratch.working_values(work_len(m.min(n)) + m + n);
        let (left, work) = work.split_at_mut(m);
        let (right, work) = work.split_at_mut(n);
        // The leading singular vector of the smaller side, and from it the other.
        if n <= m {
            leading_eigenvector(right, work, |v, out| {
                times(&ordinary, v, left);
                transpose_times(&ordinary, left, out);
            });
            times(&ordinary, right, left);
            scale_to_unit(left);
        } else {
            leading_eigenvector(left, work, |u, out| {
                transpose_times(&ordinary, u, right);
                times(&ordinary, right, out);
            });
            transpose_times(&ordinary, left, right);
            scale_to_unit(right);
        }
        for (row, u) in x.chunks_exact_mut(n).zip(&*left) {
            // Subtracted from 0, so that no coordinate is −0.
            row.iter_mut().zip(&*right).for_each(|(x, v)| *x = 0.0 - self.r * (u * v));
        }
        scratch.give_back(ordinary);
        Ok(())
    }

    /// [`TraceNormBall::LMO_ACCURACY`]·r·‖G‖_F, where σ₁(G) ≤ ‖G‖_F.
    fn lmo_accuracy(&self, g: &[f64]) -> f64 {
        Self::LMO_ACCURACY * self.r * euclidean_norm(g.iter().copied()).value()
    }
}

/// u ← Gv.
fn times(g: &[f64], v: &[f64], u: &mut [f64]) {
    u.iter_mut().zip(g.chunks_exact(v.len())).for_each(|(u, row)| *u = dot(row, v));
}

/// v ← Gᵀu.
fn transpose_times(g: &[f64], u: &[f64], v: &mut [f64]) {
    v.fill(0.0);
    for (u, row) in u.iter().zip(g.chunks_exact(v.len())) {
        v.iter_mut().zip(row).for_each(|(v, g)| *v += u * g);
    }
}

impl DecisionSet for TraceNormBall {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", Some(self.rows * self.columns), n)
    }

    /// ‖X‖_* ≤ r + tolerance. Decomposes and allocates.
    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        if x.len() != self.rows * self.columns || !x.iter().all(|v| v.is_finite()) {
            return false;
        }
        let (images, _, unit) = self.decompose(x);
        scale(images.column_iter().map(|w| w.norm()).sum(), unit) - self.r <= tolerance
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
