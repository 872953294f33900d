//! The step from the dual space back to K, which mirror descent needs.

use projections::{
    Euclidean, LogProjection, NegativeEntropy, PNorm, Projection, ProjectionError, Regulariser, Scratch,
    WholeSpace,
};

/// A mirror map R with the step back from the dual space to K: x = Π_K((∇R)⁻¹(θ)).
///
/// Contract of both methods: θ and x have the dimension of K. A refusal may spoil what is written. Nothing is
/// allocated once `scratch` has seen a vector of this length.
///
/// It is implemented for [`Euclidean`] on every set with that projection; for [`NegativeEntropy`] on every
/// [`LogProjection`], whose logarithms keep weights that underflow; and for [`PNorm`] on [`WholeSpace`].
pub trait Geometry<K: Projection<Self>>: Regulariser + Sized {
    /// x ← Π_K((∇R)⁻¹(θ)).
    ///
    /// # Errors
    /// Those of the projection.
    fn primal(
        &self,
        set: &K,
        theta: &[f64],
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
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError>;
}

/// θ is the point itself.
impl<K: Projection<Euclidean>> Geometry<K> for Euclidean {
    fn primal(
        &self,
        set: &K,
        theta: &[f64],
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        x.copy_from_slice(theta);
        set.project_with(x, scratch)
    }

    fn primal_and_dual(
        &self,
        set: &K,
        theta: &mut [f64],
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        self.primal(set, theta, x, scratch)?;
        theta.copy_from_slice(x);
        Ok(())
    }
}

/// θ holds logarithms, also of weights that underflow.
impl<K: LogProjection> Geometry<K> for NegativeEntropy {
    fn primal(
        &self,
        set: &K,
        theta: &[f64],
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        x.copy_from_slice(theta);
        set.project_log_with(x, scratch)
    }

    fn primal_and_dual(
        &self,
        set: &K,
        theta: &mut [f64],
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        set.project_log_scaled_with(theta, 0, x, scratch)
    }
}

/// The projection is the identity, so θ stays as it is: for p near 1 a coordinate of x may underflow although
/// θ's does not.
impl Geometry<WholeSpace> for PNorm {
    fn primal(
        &self,
        set: &WholeSpace,
        theta: &[f64],
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        self.inverse_mirror(theta, x)?;
        Projection::<PNorm>::project_with(set, x, scratch)
    }

    fn primal_and_dual(
        &self,
        set: &WholeSpace,
        theta: &mut [f64],
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        self.primal(set, theta, x, scratch)
    }
}
