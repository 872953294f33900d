//! The step from the dual space back to K, which mirror descent needs.

use projections::{
    Euclidean, LogProjection, NegativeEntropy, PNorm, Projection, ProjectionError, Regulariser, Scratch,
    WholeSpace,
};
use rows::numeric::scale_up;

/// A mirror map R with the step back from the dual space to K: x = Π_K((∇R)⁻¹(θ·2^exponent)).
///
/// Contract of both methods: θ and x have the dimension of K. θ·2^exponent and its image under (∇R)⁻¹ may
/// leave the range of doubles; x stays in it. θ is working memory; a refusal may spoil both. Nothing is
/// allocated once `scratch` has seen a vector of this length.
///
/// It is implemented for [`Euclidean`] on every set with that projection; for [`NegativeEntropy`] on every
/// [`LogProjection`], whose logarithms keep weights that underflow; and for [`PNorm`] on [`WholeSpace`].
pub trait Geometry<K: Projection<Self>>: Regulariser + Sized {
    /// x ← Π_K((∇R)⁻¹(θ·2^exponent)).
    ///
    /// # Errors
    /// Those of the projection.
    fn primal(
        &self,
        set: &K,
        theta: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError>;

    /// The same, and θ ← ∇R(x), from which active learners step.
    ///
    /// # Errors
    /// Those of the projection.
    fn primal_and_dual(
        &self,
        set: &K,
        theta: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError>;
}

/// θ is the point itself.
impl<K: Projection<Euclidean>> Geometry<K> for Euclidean {
    fn primal(
        &self,
        set: &K,
        theta: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        x.copy_from_slice(theta);
        if exponent == 0 {
            set.project_with(x, scratch)
        } else {
            set.project_scaled_with(x, exponent, scratch)
        }
    }

    fn primal_and_dual(
        &self,
        set: &K,
        theta: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        self.primal(set, theta, exponent, x, scratch)?;
        theta.copy_from_slice(x);
        Ok(())
    }
}

/// θ holds logarithms, also of weights that underflow.
impl<K: LogProjection> Geometry<K> for NegativeEntropy {
    fn primal(
        &self,
        set: &K,
        theta: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        if exponent > 0 {
            return set.project_log_scaled_with(theta, exponent, x, scratch);
        }
        x.copy_from_slice(theta);
        set.project_log_with(x, scratch)
    }

    fn primal_and_dual(
        &self,
        set: &K,
        theta: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        set.project_log_scaled_with(theta, exponent, x, scratch)
    }
}

/// The projection is the identity, so θ stays as it is: for p near 1 a coordinate of x may underflow although
/// θ's does not.
impl Geometry<WholeSpace> for PNorm {
    fn primal(
        &self,
        set: &WholeSpace,
        theta: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        self.primal_and_dual(set, theta, exponent, x, scratch)
    }

    fn primal_and_dual(
        &self,
        set: &WholeSpace,
        theta: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        theta.iter_mut().for_each(|v| *v = scale_up(*v, exponent));
        self.inverse_mirror(theta, x)?;
        Projection::<PNorm>::project_with(set, x, scratch)
    }
}
