//! The contracts of decision sets: membership, projections and linear minimisation.

use crate::{Euclidean, NegativeEntropy, ProjectionError, Regulariser, Scratch};
use rows::numeric::scale_up;

/// A non-empty closed convex set K ⊂ ℝⁿ to play in.
pub trait DecisionSet {
    /// Refuses a dimension `n` that K does not have: [`ProjectionError::Empty`] for n = 0,
    /// [`ProjectionError::LengthMismatch`] if K has another fixed dimension.
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError>;

    /// Whether `x` satisfies each constraint of K within the absolute slack `tolerance`; false for a wrong
    /// dimension or a NaN.
    fn contains(&self, x: &[f64], tolerance: f64) -> bool;

    /// The Euclidean diameter max ‖x − x′‖₂ over K in dimension `n`; +∞ beyond the range of `f64`. Exact
    /// unless the set documents an upper bound.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError>;

    /// Writes a point of the relative interior of K.
    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError>;
}

/// A map onto K that decreases the divergence `B_R` of mirror map R to every point of K:
/// B(x, y) ≥ B(x, Π(y)) for all x ∈ K. For the true Bregman projection see [`Exact`].
pub trait Projection<R: Regulariser>: DecisionSet {
    /// y ← Π(y). Allocates nothing once `scratch` has seen a vector of this length; sets of matrices document
    /// their exception. A refused `y` is unchanged.
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError>;

    /// y ← Π(y·2^exponent), for a step beyond the range of `f64` whose projection is within it.
    ///
    /// The Euclidean projections of this crate's sets work beyond the range too; any other map refuses such a
    /// point as [`ProjectionError::NotFinite`]. A refused `y` is unchanged.
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

    /// [`Projection::project_with`] with fresh working memory.
    fn project(&self, y: &mut [f64]) -> Result<(), ProjectionError> {
        self.project_with(y, &mut Scratch::default())
    }
}

/// Marks a true Bregman projection, Π(y) = argmin_{x∈K} `B_R`(x, y), which satisfies the generalised
/// Pythagorean inequality B(x, y) ≥ B(x, Π(y)) + B(Π(y), y) for all x ∈ K. Proofs of lazy updates need it
/// [NP14, Section 3.4].
pub trait Exact<R: Regulariser>: Projection<R> {}

/// The entropic projection of a point given by its logarithms, so that a weight too small for an `f64` is
/// kept and can grow again.
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
    /// On entry `log_y[i]` = log yᵢ, −∞ for yᵢ = 0; on return the slice holds the entropic projection x of y,
    /// not its logarithm. NaN and +∞ are [`ProjectionError::NotFinite`]; other errors as in
    /// [`Projection::project_with`].
    fn project_log_with(&self, log_y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError>;

    /// x ← Π(y) and `log_y` ← log Π(y), for log y = `log_y`·2^exponent, which may lie beyond the range of
    /// `f64`. Active learners step from the logarithms.
    ///
    /// A coordinate of x too small for an `f64` keeps its logarithm, at least [`f64::MIN`]. Errors as above,
    /// and [`ProjectionError::LengthMismatch`] for x; a refusal may spoil both vectors.
    fn project_log_scaled_with(
        &self,
        log_y: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError>;

    /// The same without x: `log_y` ← log Π(y).
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

    /// [`LogProjection::project_log_with`] with fresh working memory.
    fn project_log(&self, log_y: &mut [f64]) -> Result<(), ProjectionError> {
        self.project_log_with(log_y, &mut Scratch::default())
    }
}

/// A set with a cheap minimisation of linear functions.
pub trait LinearMinimisation: DecisionSet {
    /// x ← argmin_{x∈K} ⟨g, x⟩, a vertex if K has one; approximate for sets of matrices. Among equal
    /// coordinates of g the lowest index wins. A refused call leaves `x` unchanged.
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError>;

    /// A bound on how far ⟨g, lmo(g)⟩ exceeds the minimum, up to rounding; certificates add it to their gap.
    /// It is 0 except for sets of matrices. A wrapper returns the bound of its set.
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

/// The start point of every learner: the Euclidean projection of 0, hence 0 itself if 0 ∈ K.
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

/// A pointer to a set acts as the set.
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
