//! The spectrahedron: positive semidefinite matrices of a given trace.

use crate::error::{check_length, check_radius};
use crate::matrix::lanczos::{dot, leading_eigenvector, work_len};
use crate::matrix::trace_norm_ball::{check_shape, clear_negligible, is_orthogonal, orthogonalise};
use crate::norm::euclidean_norm;
use crate::scaling::bring_to_ordinary_size;
use crate::{
    DecisionSet, Euclidean, Exact, LinearMinimisation, Projection, ProjectionError, Scratch, Simplex,
    check_finite,
};
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rows::numeric::scale;
use serde::{Deserialize, Serialize};

/// The set {X ∈ ℝ^{n×n} : X = Xᵀ ⪰ 0, tr X = s}, s > 0. A point is the row-major slice of the n² entries, and
/// its Euclidean norm is the Frobenius norm.
///
/// Projection: the symmetric part (Y + Yᵀ)/2 is decomposed and its eigenvalues are projected onto the simplex
/// of mass s; O(n³), and allocates. Linear minimisation: s·vvᵀ for an eigenvector v of the lowest eigenvalue
/// of (G + Gᵀ)/2, by Lanczos iteration; O(n²) a step, without allocation.
///
/// The lmo is approximate: with A = (G + Gᵀ)/2, ⟨G, X⟩ ≤ s·(λ_min(A) + [`Spectrahedron::LMO_ACCURACY`]·‖A‖₂),
/// and the minimum is s·λ_min(A). A method pays at most the second term per step. The remark on the start at
/// [`TraceNormBall`](crate::TraceNormBall) applies.
///
/// ```
/// use projections::{Euclidean, LinearMinimisation, Projection, Spectrahedron};
/// let set = Spectrahedron::new(2, 1.0)?;
/// let mut y = [2.0, 0.0, 0.0, 1.5];
/// Projection::<Euclidean>::project(&set, &mut y)?;
/// assert!(y.iter().zip([0.75, 0.0, 0.0, 0.25]).all(|(x, want)| (x - want).abs() < 1e-15));
/// let vertex = set.lmo(&[0.0, 1.0, 1.0, 0.0])?;
/// assert!(vertex.iter().zip([0.5, -0.5, -0.5, 0.5]).all(|(x, want)| (x - want).abs() < 1e-12));
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedSpectrahedron")]
pub struct Spectrahedron {
    order: usize,
    s: f64,
}

#[derive(Deserialize)]
struct UncheckedSpectrahedron {
    order: usize,
    s: f64,
}

impl TryFrom<UncheckedSpectrahedron> for Spectrahedron {
    type Error = ProjectionError;
    fn try_from(raw: UncheckedSpectrahedron) -> Result<Self, ProjectionError> {
        Self::new(raw.order, raw.s)
    }
}

impl Spectrahedron {
    /// The accuracy of the lmo relative to ‖(G + Gᵀ)/2‖₂.
    pub const LMO_ACCURACY: f64 = 1e-7;

    /// The n×n matrices of trace s. Errors: [`ProjectionError::Empty`] for n = 0,
    /// [`ProjectionError::BadParameter`] if n² exceeds the length of any slice,
    /// [`ProjectionError::NotFinite`], [`ProjectionError::BadRadius`].
    pub fn new(order: usize, s: f64) -> Result<Self, ProjectionError> {
        check_shape(order, order)?;
        check_radius("s", s)?;
        Ok(Self { order, s })
    }

    /// The number n of rows and of columns.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The trace s.
    pub fn trace(&self) -> f64 {
        self.s
    }

    /// A ← (A + Aᵀ)/2, for entries whose sums stay in range.
    fn symmetrise(&self, a: &mut [f64]) {
        let n = self.order;
        for i in 0..n {
            for j in 0..i {
                let mean = 0.5 * a[i * n + j] + 0.5 * a[j * n + i];
                (a[i * n + j], a[j * n + i]) = (mean, mean);
            }
        }
    }

    /// The decomposition of the symmetric part of `y`, and the exponent of the unit of its eigenvalues.
    fn decompose(&self, y: &[f64]) -> (SymmetricEigen<f64, nalgebra::Dyn>, i32) {
        let mut ordinary = DMatrix::from_row_slice(self.order, self.order, y);
        let unit = bring_to_ordinary_size(ordinary.as_mut_slice());
        self.symmetrise(ordinary.as_mut_slice());
        // Cancellation may have made the symmetric part smaller.
        let unit = unit.saturating_add(bring_to_ordinary_size(ordinary.as_mut_slice()));
        clear_negligible(ordinary.as_mut_slice());
        let qr = SymmetricEigen::try_new(ordinary.clone(), f64::EPSILON, 100 * self.order);
        let eigen = qr.filter(|eigen| is_decomposition(&ordinary, eigen));
        (eigen.unwrap_or_else(|| by_rotations(&ordinary)), unit)
    }
}

/// Whether V is orthogonal and AV = VΛ up to rounding; false for NaNs. For entries of very different sizes
/// nalgebra's QR iteration (0.35) may return either.
fn is_decomposition(a: &DMatrix<f64>, eigen: &SymmetricEigen<f64, nalgebra::Dyn>) -> bool {
    let v = &eigen.eigenvectors;
    let slack = 1e-13 * a.norm();
    is_orthogonal(v)
        && (a * v - v * DMatrix::from_diagonal(&eigen.eigenvalues)).iter().all(|off| off.abs() <= slack)
}

/// The decomposition by Jacobi rotations alone: orthogonal columns of (A + cI)V, with A + cI definite, are
/// multiples of V's.
fn by_rotations(a: &DMatrix<f64>) -> SymmetricEigen<f64, nalgebra::Dyn> {
    let n = a.nrows();
    let mut eigenvectors = DMatrix::identity(n, n);
    let mut images = a + DMatrix::from_diagonal_element(n, n, 2.0 * a.norm());
    orthogonalise(&mut images, &mut eigenvectors);
    let eigenvalues = DVector::from_iterator(n, eigenvectors.column_iter().map(|v| v.dot(&(a * v))));
    SymmetricEigen { eigenvectors, eigenvalues }
}

impl Projection<Euclidean> for Spectrahedron {
    /// By a symmetric eigendecomposition, O(n³). Allocates in every call: an exception to the contract.
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
        let (mut eigen, unit) = self.decompose(y);
        let unit = unit.saturating_add_unsigned(exponent);
        let lambda = eigen.eigenvalues.as_mut_slice();
        lambda.iter_mut().for_each(|v| *v = scale(*v, unit.min(0)));
        let simplex = Simplex::new(self.s)?;
        Projection::<Euclidean>::project_scaled_with(&simplex, lambda, unit.max(0).unsigned_abs(), scratch)?;
        y.fill(0.0);
        for (lambda, v) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            if *lambda > 0.0 {
                for (row, v_i) in y.chunks_exact_mut(self.order).zip(&v) {
                    row.iter_mut().zip(&v).for_each(|(x, v_j)| *x += lambda * (v_i * v_j));
                }
            }
        }
        // Only rounding lets an entry exceed the trace.
        y.iter_mut().for_each(|x| *x = x.clamp(-self.s, self.s));
        Ok(())
    }
}

impl Exact<Euclidean> for Spectrahedron {}

impl LinearMinimisation for Spectrahedron {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("g", g)?;
        self.check_dimension(g.len())?;
        check_length("x", Some(g.len()), x.len())?;
        let n = self.order;
        let mut ordinary = scratch.lend_copy(g);
        bring_to_ordinary_size(&mut ordinary);
        self.symmetrise(&mut ordinary);
        let work = scratch.working_values(work_len(n) + n);
        let (v, work) = work.split_at_mut(n);
        if ordinary.iter().all(|g| *g == 0.0) {
            v.fill(0.0);
            v[0] = 1.0;
        } else {
            // Cancellation may have made the symmetric part smaller.
            bring_to_ordinary_size(&mut ordinary);
            leading_eigenvector(v, work, |v, out| {
                out.iter_mut().zip(ordinary.chunks_exact(n)).for_each(|(out, row)| *out = -dot(row, v));
            });
        }
        for (row, v_i) in x.chunks_exact_mut(n).zip(&*v) {
            row.iter_mut().zip(&*v).for_each(|(x, v_j)| *x = self.s * (v_i * v_j) + 0.0);
        }
        scratch.give_back(ordinary);
        Ok(())
    }

    /// [`Spectrahedron::LMO_ACCURACY`]·s·‖G‖_F, where ‖A‖₂ ≤ ‖G‖_F.
    fn lmo_accuracy(&self, g: &[f64]) -> f64 {
        Self::LMO_ACCURACY * self.s * euclidean_norm(g.iter().copied()).value()
    }
}

impl DecisionSet for Spectrahedron {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", Some(self.order * self.order), n)
    }

    /// Constraints: each |xᵢⱼ − xⱼᵢ| ≤ tolerance, |tr X − s| ≤ tolerance, λ_min ≥ −tolerance. Decomposes and
    /// allocates.
    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        let n = self.order;
        if x.len() != n * n || !x.iter().all(|v| v.is_finite()) {
            return false;
        }
        let symmetric = (0..n).all(|i| (0..i).all(|j| (x[i * n + j] - x[j * n + i]).abs() <= tolerance));
        let (eigen, unit) = self.decompose(x);
        let lowest = eigen.eigenvalues.iter().copied().fold(f64::INFINITY, f64::min);
        let trace = scale(eigen.eigenvalues.iter().sum(), unit);
        symmetric && (trace - self.s).abs() <= tolerance && -scale(lowest, unit) <= tolerance
    }

    /// s√2, and 0 for the single point of order 1.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.check_dimension(n)?;
        Ok(if self.order == 1 { 0.0 } else { std::f64::consts::SQRT_2 * self.s })
    }

    /// (s/n)·I, which is also the projection of 0.
    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.check_dimension(x.len())?;
        x.fill(0.0);
        x.iter_mut().step_by(self.order + 1).for_each(|v| *v = self.s / self.order as f64);
        Ok(())
    }
}
