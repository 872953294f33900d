//! The way back from the dual space: what a mirror-descent step asks of a mirror map R on a set K.

use projections::{
    Euclidean, LogProjection, NegativeEntropy, PNorm, Projection, ProjectionError, Regulariser, Scratch,
    WholeSpace, scale_up,
};

/// A mirror map R that leads a dual point back to K: x = Π_K((∇R)⁻¹(θ·2^exponent)).
///
/// Contract of both methods: θ·2^exponent may leave the range of doubles, and so may (∇R)⁻¹ of it, while x does not; θ and
/// x have the dimension of K, and θ is working memory. A refusal may spoil both. Nothing is allocated once `scratch` has seen
/// a vector of this length.
///
/// It is given for [`Euclidean`] on every set with that projection; for [`NegativeEntropy`] on every [`LogProjection`],
/// whose logarithms let a weight that underflowed come back; and for [`PNorm`] on [`WholeSpace`].
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

    /// The same, and θ ← ∇R(x), from which an active learner steps on.
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

/// θ holds logarithms, and keeps those of weights that underflow.
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

/// Nothing is projected, so θ stays what it is: for p near 1 a coordinate of x may underflow where that of θ does not.
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
