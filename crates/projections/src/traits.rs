//! What a decision set offers: membership, projections and linear minimisation.

use crate::{Euclidean, NegativeEntropy, ProjectionError, Regulariser, Scratch, scale_up};

/// A non-empty closed convex set K ⊂ ℝⁿ to play in.
pub trait DecisionSet {
    /// Whether K has points of dimension `n`: [`ProjectionError::Empty`] for n = 0, and
    /// [`ProjectionError::LengthMismatch`] where K has another dimension of its own.
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError>;

    /// Whether `x` satisfies each constraint of K within the absolute slack `tolerance`. A point of the wrong
    /// dimension or with a NaN is not in K.
    fn contains(&self, x: &[f64], tolerance: f64) -> bool;

    /// The Euclidean diameter max ‖x − x′‖₂ over K in dimension `n`, exact unless the set says that it is a bound;
    /// +∞ where it exceeds the range of `f64`.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError>;

    /// Writes a point of the relative interior of K.
    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError>;
}

/// A map onto K that decreases the divergence `B_R` of mirror map R to every point of K:
/// B(x, y) ≥ B(x, Π(y)) for all x ∈ K. For the true Bregman projection see [`Exact`].
pub trait Projection<R: Regulariser>: DecisionSet {
    /// y ← Π(y). Allocates nothing once `scratch` has seen a vector of this length, but for the sets of matrices, which
    /// say so. A refused `y` is unchanged.
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError>;

    /// y ← Π(y·2^exponent), for a step that may have left the range of `f64` while its projection has not.
    ///
    /// Where y·2^exponent is in range this is its projection. The Euclidean projections of this crate's sets find the
    /// answer beyond the range too; any other map refuses such a point as [`ProjectionError::NotFinite`]. A refused
    /// `y` is unchanged.
    fn project_scaled_with(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        let given = scratch.lend_copy(y);
        y.iter_mut().for_each(|v| *v = scale_up(*v, exponent));
        let outcome = self.project_with(y, scratch);
        if outcome.is_err() {
            y.copy_from_slice(&given);
        }
        scratch.give_back(given);
        outcome
    }

    /// [`Projection::project_with`] with working memory of its own.
    fn project(&self, y: &mut [f64]) -> Result<(), ProjectionError> {
        self.project_with(y, &mut Scratch::default())
    }
}

/// Marks a true Bregman projection, Π(y) = argmin_{x∈K} `B_R`(x, y), which satisfies the generalised Pythagorean
/// inequality B(x, y) ≥ B(x, Π(y)) + B(Π(y), y) for all x ∈ K. The proofs of lazy updates rest on it
/// [NP14, Section 3.4].
pub trait Exact<R: Regulariser>: Projection<R> {}

/// The entropic projection of a point that is given by its logarithms, so that a weight too small for an `f64`
/// keeps its place and can come back.
///
/// ```
/// use projections::{LogProjection, Simplex};
/// // exp(−1000) is 0 in an f64, yet the two points have masses in the ratio 1 : 3.
/// let mut log_y = [-1000.0, -1000.0 + 3_f64.ln(), f64::NEG_INFINITY];
/// Simplex::new(1.0)?.project_log(&mut log_y)?;
/// assert!((log_y[0] - 0.25).abs() < 1e-12 && (log_y[1] - 0.75).abs() < 1e-12);
/// assert_eq!(log_y[2], 0.0);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
pub trait LogProjection: Projection<NegativeEntropy> {
    /// On entry `log_y[i]` = log yᵢ, where −∞ stands for yᵢ = 0; on return the slice holds the entropic projection x
    /// of y itself, not its logarithm. NaN and +∞ are [`ProjectionError::NotFinite`]; otherwise errors, and what
    /// they leave unchanged, are those of [`Projection::project_with`].
    fn project_log_with(&self, log_y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError>;

    /// x ← Π(y) and `log_y` ← log Π(y), where log y = `log_y`·2^exponent may have left the range of `f64`: what an
    /// active learner goes on from.
    ///
    /// A coordinate of x that is too small for an `f64` keeps its logarithm, or [`f64::MIN`] where that is too small as
    /// well. Errors as above, and [`ProjectionError::LengthMismatch`] for x; a refusal may spoil both vectors.
    fn project_log_scaled_with(
        &self,
        log_y: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError>;

    /// The same without x, for a map between two others: `log_y` ← log Π(y).
    fn project_logarithms_with(
        &self,
        log_y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        let mut x = scratch.lend_copy(log_y);
        let outcome = self.project_log_scaled_with(log_y, exponent, &mut x, scratch);
        scratch.give_back(x);
        outcome
    }

    /// [`LogProjection::project_log_with`] with working memory of its own.
    fn project_log(&self, log_y: &mut [f64]) -> Result<(), ProjectionError> {
        self.project_log_with(log_y, &mut Scratch::default())
    }
}

/// A set over which linear functions are easily minimised.
pub trait LinearMinimisation: DecisionSet {
    /// x ← argmin_{x∈K} ⟨g, x⟩, a vertex where K has one, up to the accuracy that a set of matrices states; among equal
    /// coordinates of g the lowest index wins. A refused call leaves `x` unchanged.
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError>;

    /// By how much ⟨g, lmo(g)⟩ may exceed the minimum, rounding apart: what a certificate adds to its gap. 0 for an exact
    /// lmo, as all are but those of the sets of matrices; a wrapper of a set hands on the set's.
    fn lmo_accuracy(&self, g: &[f64]) -> f64 {
        let _ = g;
        0.0
    }

    /// [`LinearMinimisation::lmo_with`] into a fresh vector.
    fn lmo(&self, g: &[f64]) -> Result<Vec<f64>, ProjectionError> {
        let mut x = vec![0.0; g.len()];
        self.lmo_with(g, &mut x, &mut Scratch::default())?;
        Ok(x)
    }
}

/// The point from which every learner starts: the Euclidean projection of 0, hence 0 itself where 0 ∈ K.
///
/// ```
/// use projections::{BoxSet, start_point};
/// let mut x = [9.0];
/// start_point(&BoxSet::interval(10.0, 11.0)?, &mut x)?;
/// assert_eq!(x, [10.0]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
pub fn start_point<K: Projection<Euclidean> + ?Sized>(set: &K, x: &mut [f64]) -> Result<(), ProjectionError> {
    set.check_dimension(x.len())?;
    x.fill(0.0);
    set.project(x)
}

/// A pointer to a set is that set.
macro_rules! forward_through_pointer {
    ($pointer:ty) => {
        impl<K: DecisionSet + ?Sized> DecisionSet for $pointer {
            fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
                (**self).check_dimension(n)
            }
            fn contains(&self, x: &[f64], tolerance: f64) -> bool {
                (**self).contains(x, tolerance)
            }
            fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
                (**self).diameter(n)
            }
            fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
                (**self).interior_point(x)
            }
        }

        impl<R: Regulariser, K: Projection<R> + ?Sized> Projection<R> for $pointer {
            fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
                (**self).project_with(y, scratch)
            }
            fn project_scaled_with(
                &self,
                y: &mut [f64],
                exponent: u32,
                scratch: &mut Scratch,
            ) -> Result<(), ProjectionError> {
                (**self).project_scaled_with(y, exponent, scratch)
            }
        }

        impl<R: Regulariser, K: Exact<R> + ?Sized> Exact<R> for $pointer {}

        impl<K: LogProjection + ?Sized> LogProjection for $pointer {
            fn project_log_with(
                &self,
                log_y: &mut [f64],
                scratch: &mut Scratch,
            ) -> Result<(), ProjectionError> {
                (**self).project_log_with(log_y, scratch)
            }
            fn project_log_scaled_with(
                &self,
                log_y: &mut [f64],
                exponent: u32,
                x: &mut [f64],
                scratch: &mut Scratch,
            ) -> Result<(), ProjectionError> {
                (**self).project_log_scaled_with(log_y, exponent, x, scratch)
            }
            fn project_logarithms_with(
                &self,
                log_y: &mut [f64],
                exponent: u32,
                scratch: &mut Scratch,
            ) -> Result<(), ProjectionError> {
                (**self).project_logarithms_with(log_y, exponent, scratch)
            }
        }

        impl<K: LinearMinimisation + ?Sized> LinearMinimisation for $pointer {
            fn lmo_with(
                &self,
                g: &[f64],
                x: &mut [f64],
                scratch: &mut Scratch,
            ) -> Result<(), ProjectionError> {
                (**self).lmo_with(g, x, scratch)
            }
            fn lmo_accuracy(&self, g: &[f64]) -> f64 {
                (**self).lmo_accuracy(g)
            }
        }
    };
}

forward_through_pointer!(&K);
forward_through_pointer!(Box<K>);
