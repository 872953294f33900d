//! From which point a mirror step is taken: lines (c) and (d).

use oco_core::Geometry;
use projections::{Exact, Projection, ProjectionError, Scratch};

/// The active update: ∇R(z_{t+1}) = ∇R(w_t) + η_t d_t. Any projection will do, the double one of \[NP14, Lemma 4\]
/// included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Active;

/// The lazy update: ∇R(z_{t+1}) = ∇R(z_t) + η_t d_t. Its proof \[NP14, Section 3.4\] needs the exact Bregman
/// projection, so nothing else is accepted:
///
/// ```compile_fail,E0277
/// use boosters::maboost::{Examples, Lazy, MirrorAscent, Reweighting, Schedule};
/// use projections::{Euclidean, Simplex, Then, UnitBox};
/// let examples = Examples::uniform(vec![weak_learners::Label::Plus])?;
/// let double = Then::new(UnitBox, Simplex::new(1.0)?);
/// MirrorAscent::<_, _, Lazy>::new(Euclidean, double, &examples, Schedule::Theorem1)?.weights();
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lazy;

/// How w_{t+1} follows from the dual point that the step led to.
///
/// Contract: on entry `dual` is ∇R(z_{t+1}); on return w = Π_K(z_{t+1}), and `dual` is what the next step starts from.
/// All slices have one length; `working` holds nothing. A refusal may spoil all of them.
pub trait Update<R, K> {
    /// Line (d).
    ///
    /// # Errors
    /// Those of the projection.
    fn project(
        regulariser: &R,
        set: &K,
        dual: &mut [f64],
        w: &mut [f64],
        working: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError>;
}

/// The next step starts from ∇R(w_{t+1}).
impl<R: Geometry<K>, K: Projection<R>> Update<R, K> for Active {
    fn project(
        regulariser: &R,
        set: &K,
        dual: &mut [f64],
        w: &mut [f64],
        _working: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        regulariser.primal_and_dual(set, dual, 0, w, scratch)
    }
}

/// The next step starts from ∇R(z_{t+1}).
impl<R: Geometry<K>, K: Exact<R>> Update<R, K> for Lazy {
    fn project(
        regulariser: &R,
        set: &K,
        dual: &mut [f64],
        w: &mut [f64],
        working: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        working.copy_from_slice(dual);
        regulariser.primal(set, working, 0, w, scratch)
    }
}
