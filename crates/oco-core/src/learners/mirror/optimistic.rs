//! Optimistic mirror descent: mirror descent with hints of the next gradient.

use super::dual_point::DualPoint;
use crate::Restart;
use crate::geometry::Geometry;
use crate::step::check_step;
use crate::{OcoError, OnlineLearner, check_vector};
use projections::{Exact, Scratch, check_finite, filled};
use serde::{Deserialize, Serialize};

/// Optimistic mirror descent \[RS13\]: x_t = Π_K(z_t − ηm_t) is played, and z_{t+1} = Π_K(z_t − ηg_t), both
/// steps in the geometry of R.
///
/// [`expect`](Self::expect) sets the hint m_t before the round is played. By default m_t = g_{t−1} and m_1
/// = 0.
/// *Guarantee.* Σ⟨g_t, x_t − u⟩ ≤ B(u, z_1)/η + (η/2β)Σ‖g_t − m_t‖*² for every u ∈ K and every prefix, if R
/// is β-strongly convex on K in ‖·‖ (constants at [`MirrorDescent`](crate::learners::MirrorDescent)).
/// Asserted in `tests/mirror_descent/optimistic.rs`. z_1 need not lie in K.
/// *Cost:* O(n) and two projections a round, a third with a hint; no allocation after the first round.
///
/// ```
/// use oco_core::{OnlineLearner, learners::OptimisticMirrorDescent};
/// use projections::{Euclidean, L2Ball};
/// let mut optimist = OptimisticMirrorDescent::new(Euclidean, L2Ball::new(1.0)?, 2, 0.25)?;
/// optimist.expect(&[2.0, 0.0])?;
/// assert_eq!(optimist.play(), [-0.5, 0.0]);
/// optimist.observe(&[0.0, 1.0])?; // z_2 = (0, −¼), and the same gradient is expected again
/// assert_eq!(optimist.play(), [0.0, -0.5]);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<R, K>",
    into = "State<R, K>",
    bound(
        serialize = "R: Clone + Serialize, K: Clone + Serialize",
        deserialize = "R: Deserialize<'de> + Geometry<K>, K: Deserialize<'de> + Exact<R>"
    )
)]
pub struct OptimisticMirrorDescent<R, K> {
    state: State<R, K>,
    x: Vec<f64>,
    next: Next,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State<R, K> {
    regulariser: R,
    set: K,
    eta: f64,
    /// z_1.
    origin: Vec<f64>,
    /// z_t.
    z: Vec<f64>,
    /// ∇R(z_t).
    dual: DualPoint,
    /// m_t.
    hint: Vec<f64>,
}

/// Working memory: the next state, which replaces the current one after all checks.
#[derive(Debug, Clone, Default)]
struct Next {
    z: Vec<f64>,
    dual: DualPoint,
    x: Vec<f64>,
    step: DualPoint,
    scratch: Scratch,
}

impl<R: Geometry<K>, K: Exact<R>> OnlineLearner for OptimisticMirrorDescent<R, K> {
    fn play(&self) -> &[f64] {
        &self.x
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        let Self { state, x, next } = self;
        check_vector("gradient", gradient, x.len())?;
        state.dual.step(state.eta, gradient, &mut next.dual);
        next.z.resize(x.len(), 0.0);
        let State { regulariser, set, .. } = state;
        regulariser.primal_and_dual(set, &mut next.dual.0, &mut next.z, &mut next.scratch)?;
        let dual = std::mem::take(&mut next.dual);
        let played = next.play(state, &dual, gradient);
        next.dual = dual;
        played?;
        std::mem::swap(&mut state.z, &mut next.z);
        std::mem::swap(&mut state.dual, &mut next.dual);
        std::mem::swap(x, &mut next.x);
        state.hint.copy_from_slice(gradient);
        Ok(())
    }

    fn reset(&mut self) {
        let State { regulariser, origin, z, dual, hint, .. } = &mut self.state;
        z.clone_from(origin);
        hint.fill(0.0);
        // The constructor mirrored and projected this origin without a hint, so both succeed.
        let _ = regulariser.mirror(origin, &mut dual.0);
        let _ = self.next.play(&self.state, &self.state.dual, &self.state.hint);
        std::mem::swap(&mut self.x, &mut self.next.x);
    }
}

impl<R: Geometry<K>, K: Exact<R>> Restart for OptimisticMirrorDescent<R, K> {
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

impl Next {
    /// x ← Π_K((∇R)⁻¹(θ − ηm)).
    fn play<R: Geometry<K>, K: Exact<R>>(
        &mut self,
        state: &State<R, K>,
        theta: &DualPoint,
        hint: &[f64],
    ) -> Result<(), OcoError> {
        theta.step(state.eta, hint, &mut self.step);
        self.x.resize(hint.len(), 0.0);
        state.regulariser.primal(&state.set, &self.step.0, &mut self.x, &mut self.scratch)?;
        Ok(())
    }
}

impl<R: Geometry<K>, K: Exact<R>> OptimisticMirrorDescent<R, K> {
    /// Sets m_t and with it the play of this round.
    ///
    /// # Errors
    /// A hint of the wrong length or with an entry that is not finite or above 1e140; the play is
    /// unchanged then.
    pub fn expect(&mut self, hint: &[f64]) -> Result<(), OcoError> {
        check_vector("hint", hint, self.x.len())?;
        self.next.play(&self.state, &self.state.dual, hint)?;
        std::mem::swap(&mut self.x, &mut self.next.x);
        self.state.hint.copy_from_slice(hint);
        Ok(())
    }

    /// z_1 is the projection of the minimiser of R: 0 or its projection, and uniform weights in the entropic
    /// geometry.
    ///
    /// # Errors
    /// η not positive, or a dimension that does not fit the set or the memory.
    pub fn new(regulariser: R, set: K, dimension: usize, eta: f64) -> Result<Self, OcoError> {
        set.check_dimension(dimension)?;
        let (theta, mut origin) =
            (filled("dimension", dimension, 0.0)?, filled("dimension", dimension, 0.0)?);
        regulariser.primal(&set, &theta, &mut origin, &mut Scratch::default())?;
        Self::around(regulariser, set, origin, eta)
    }

    /// z_1 = o, any point of the domain of ∇R.
    ///
    /// # Errors
    /// η not positive, or an origin that does not fit the geometry or the set.
    pub fn around(regulariser: R, set: K, origin: Vec<f64>, eta: f64) -> Result<Self, OcoError> {
        let (dual, hint) = (DualPoint::of(&regulariser, &origin)?, vec![0.0; origin.len()]);
        State { regulariser, set, eta, z: origin.clone(), origin, dual, hint }.try_into()
    }

    /// z_t, the point before the step of the hint.
    pub fn z(&self) -> &[f64] {
        &self.state.z
    }
}

impl<R, K> From<OptimisticMirrorDescent<R, K>> for State<R, K> {
    fn from(learner: OptimisticMirrorDescent<R, K>) -> Self {
        learner.state
    }
}

impl<R: Geometry<K>, K: Exact<R>> TryFrom<State<R, K>> for OptimisticMirrorDescent<R, K> {
    type Error = OcoError;

    fn try_from(state: State<R, K>) -> Result<Self, OcoError> {
        check_step("eta", state.eta)?;
        state.set.check_dimension(state.z.len())?;
        check_vector("hint", &state.hint, state.z.len())?;
        check_vector("origin", &state.origin, state.z.len())?;
        check_finite("z", &state.z)?;
        state.dual.check_against(&state.regulariser, &state.z)?;
        let mut learner = Self { state, x: Vec::new(), next: Next::default() };
        // Check the play after a reset: the origin may not be projectable onto the set.
        let start = DualPoint::of(&learner.state.regulariser, &learner.state.origin)?;
        let no_hint = vec![0.0; learner.state.z.len()];
        learner.next.play(&learner.state, &start, &no_hint)?;
        check_vector("play from the origin", &learner.next.x, no_hint.len())?;
        learner.next.play(&learner.state, &learner.state.dual, &learner.state.hint)?;
        std::mem::swap(&mut learner.x, &mut learner.next.x);
        Ok(learner)
    }
}
