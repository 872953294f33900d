//! Mirror descent with an active projection.

use super::dual_point::DualPoint;
use crate::Restart;
use crate::geometry::Geometry;
use crate::learner::membership_tolerance;
use crate::step::check_step;
use crate::{OcoError, OnlineLearner, check_vector};
use projections::{Projection, Scratch, check_finite, filled};
use serde::{Deserialize, Serialize};

/// Mirror descent, active \[BT03\]: ∇R(z_{t+1}) = ∇R(x_t) − ηg_t and x_{t+1} = Π_K(z_{t+1}).
///
/// *Guarantee.* Σ⟨g_t, x_t − u⟩ ≤ B(u, x_1)/η + (η/2β)Σ‖g_t‖*² for every u ∈ K and every prefix, if R is
/// β-strongly convex on K in ‖·‖ and the projection is [`Exact`](projections::Exact). For an approximate
/// projection such as [`Then`](projections::Then), Σ⟨g_t, x_t − u⟩ ≤ (B(u, x_1) + ΣB(x_t, z_{t+1}))/η; in the
/// Euclidean geometry the two agree \[NP14, Lemma 4\]. Asserted in `tests/mirror_descent/active.rs`.
///
/// *Constants.* Euclidean: β = 1 in ‖·‖₂. Entropy: β = 1/s in ‖·‖₁ if Σx = s, and 1 in ‖·‖₂ on the unit box.
/// p-norm: β = p − 1 in ‖·‖_p.
/// *Cost:* O(n) and one projection a round; no allocation after the first.
///
/// In the entropic geometry the state is log x_t, at least [`f64::MIN`], so a weight that underflows can grow
/// again.
///
/// ```
/// use oco_core::{OnlineLearner, learners::MirrorDescent};
/// use projections::{NegativeEntropy, Simplex};
/// let mut md = MirrorDescent::new(NegativeEntropy, Simplex::new(1.0)?, 2, 1.0)?;
/// md.observe(&[800.0, 0.0])?;
/// assert_eq!(md.play(), [0.0, 1.0]); // exp(−800) is 0 in an f64
/// md.observe(&[-800.0, 0.0])?;
/// assert!((md.play()[0] - 0.5).abs() < 1e-12);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<R, K>",
    into = "State<R, K>",
    bound(
        serialize = "R: Clone + Serialize, K: Clone + Serialize",
        deserialize = "R: Deserialize<'de> + Geometry<K>, K: Deserialize<'de> + Projection<R>"
    )
)]
pub struct MirrorDescent<R, K> {
    state: State<R, K>,
    next_x: Vec<f64>,
    next_dual: DualPoint,
    scratch: Scratch,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State<R, K> {
    regulariser: R,
    set: K,
    eta: f64,
    start: Vec<f64>,
    x: Vec<f64>,
    /// ∇R(x).
    dual: DualPoint,
}

impl<R: Geometry<K>, K: Projection<R>> OnlineLearner for MirrorDescent<R, K> {
    fn play(&self) -> &[f64] {
        &self.state.x
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        let Self { state, next_x, next_dual, scratch } = self;
        check_vector("gradient", gradient, state.x.len())?;
        state.dual.step(state.eta, gradient, next_dual);
        next_x.resize(gradient.len(), 0.0);
        state.regulariser.primal_and_dual(&state.set, &mut next_dual.0, next_x, scratch)?;
        std::mem::swap(&mut state.x, next_x);
        std::mem::swap(&mut state.dual, next_dual);
        Ok(())
    }

    fn reset(&mut self) {
        let State { regulariser, start, x, dual, .. } = &mut self.state;
        x.clone_from(start);
        // The constructor mirrored this point, so this succeeds.
        let _ = regulariser.mirror(start, &mut dual.0);
    }
}

impl<R: Geometry<K>, K: Projection<R>> Restart for MirrorDescent<R, K> {
    fn restart(&mut self, eta: f64) -> Result<(), OcoError> {
        check_step("eta", eta)?;
        self.state.eta = eta;
        self.reset();
        Ok(())
    }

    fn step(&self) -> Option<f64> {
        Some(self.state.eta)
    }
}

impl<R: Geometry<K>, K: Projection<R>> MirrorDescent<R, K> {
    /// Starts at the projection of the minimiser of R: 0 or its projection, and uniform weights in the
    /// entropic geometry.
    ///
    /// # Errors
    /// η not positive, or a dimension that does not fit the set or the memory.
    pub fn new(regulariser: R, set: K, dimension: usize, eta: f64) -> Result<Self, OcoError> {
        set.check_dimension(dimension)?;
        let (theta, mut start) = (filled("dimension", dimension, 0.0)?, filled("dimension", dimension, 0.0)?);
        regulariser.primal(&set, &theta, &mut start, &mut Scratch::default())?;
        Self::starting_at(regulariser, set, start, eta)
    }

    /// Starts at a point of K.
    ///
    /// # Errors
    /// η not positive, a point that does not fit the geometry or the set, or [`OcoError::OutsideSet`].
    pub fn starting_at(regulariser: R, set: K, start: Vec<f64>, eta: f64) -> Result<Self, OcoError> {
        let dual = DualPoint::of(&regulariser, &start)?;
        State { regulariser, set, eta, x: start.clone(), start, dual }.try_into()
    }

    /// K.
    pub fn set(&self) -> &K {
        &self.state.set
    }
}

impl<R, K> From<MirrorDescent<R, K>> for State<R, K> {
    fn from(learner: MirrorDescent<R, K>) -> Self {
        learner.state
    }
}

impl<R: Geometry<K>, K: Projection<R>> TryFrom<State<R, K>> for MirrorDescent<R, K> {
    type Error = OcoError;

    fn try_from(state: State<R, K>) -> Result<Self, OcoError> {
        check_step("eta", state.eta)?;
        state.set.check_dimension(state.x.len())?;
        check_vector("start", &state.start, state.x.len())?;
        check_finite("play", &state.x)?;
        for (argument, point) in [("start", &state.start), ("play", &state.x)] {
            DualPoint::of(&state.regulariser, point)?;
            if !state.set.contains(point, membership_tolerance(point)) {
                return Err(OcoError::OutsideSet { argument });
            }
        }
        state.dual.check_against(&state.regulariser, &state.x)?;
        Ok(Self { state, next_x: Vec::new(), next_dual: DualPoint::default(), scratch: Scratch::default() })
    }
}
