//! Mirror descent with a lazy projection: dual averaging.

use super::dual_point::DualPoint;
use crate::Restart;
use crate::error::check_sum;
use crate::geometry::Geometry;
use crate::learner::membership_tolerance;
use crate::step::check_step;
use crate::{OcoError, OnlineLearner, check_magnitudes, check_vector};
use projections::{Exact, Scratch};
use serde::{Deserialize, Serialize};

/// Dual averaging \[N09\], mirror descent with a lazy projection: ∇R(z_{t+1}) = ∇R(z_t) − ηg_t and x_t =
/// Π_K(z_t).
///
/// *Guarantee.* Σ⟨g_t, x_t − u⟩ ≤ (B(u, z_1) − B(x_1, z_1))/η + (η/2β)Σ‖g_t‖*² for every u ∈ K and every
/// prefix, if R is β-strongly convex on K in ‖·‖ (constants at
/// [`MirrorDescent`](crate::learners::MirrorDescent)).
/// *Erratum.* With B(u, x_1)/η, as for the active form, the bound holds only for z_1 = x_1. On K = [½, 1½]
/// from z_1 = 0, two rounds g = −1 at η = ½ have regret 2, and that bound is 1.5. Both in
/// `tests/mirror_descent/lazy.rs`.
/// *Cost:* O(n) and one projection a round; no allocation after the first.
///
/// ```
/// use oco_core::{OnlineLearner, learners::DualAveraging};
/// use projections::{NegativeEntropy, UnitBox};
/// let mut lazy = DualAveraging::starting_at(NegativeEntropy, UnitBox, vec![0.5], 1.0)?;
/// lazy.observe(&[-10.0])?;
/// lazy.observe(&[10.0])?;
/// // The sum is remembered, the projection is not: an active learner would stand at exp(−10) now.
/// assert_eq!(lazy.play(), [0.5]);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
///
/// The proof needs the Pythagorean inequality, so an approximate projection is not accepted:
///
/// ```compile_fail,E0277
/// use oco_core::learners::DualAveraging;
/// use projections::{Euclidean, Simplex, Then, UnitBox};
/// let double = Then::new(UnitBox, Simplex::new(1.0).unwrap());
/// let _ = DualAveraging::around(Euclidean, double, vec![0.5, 0.5], 0.1);
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
pub struct DualAveraging<R, K> {
    state: State<R, K>,
    /// ∇R(z_1).
    origin: DualPoint,
    x: Vec<f64>,
    next_sum: Vec<f64>,
    next_x: Vec<f64>,
    dual: DualPoint,
    scratch: Scratch,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State<R, K> {
    regulariser: R,
    set: K,
    eta: f64,
    /// z_1.
    origin: Vec<f64>,
    gradient_sum: Vec<f64>,
}

impl<R: Geometry<K>, K: Exact<R>> OnlineLearner for DualAveraging<R, K> {
    fn play(&self) -> &[f64] {
        &self.x
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        check_vector("gradient", gradient, self.x.len())?;
        self.next_sum.clear();
        self.next_sum.extend(self.state.gradient_sum.iter().zip(gradient).map(|(sum, g)| sum + g));
        self.project()?;
        std::mem::swap(&mut self.x, &mut self.next_x);
        std::mem::swap(&mut self.state.gradient_sum, &mut self.next_sum);
        Ok(())
    }

    fn reset(&mut self) {
        self.next_sum.clear();
        self.next_sum.resize(self.x.len(), 0.0);
        // The constructor projected this origin, so this succeeds.
        if self.project().is_ok() {
            std::mem::swap(&mut self.x, &mut self.next_x);
            std::mem::swap(&mut self.state.gradient_sum, &mut self.next_sum);
        }
    }
}

impl<R: Geometry<K>, K: Exact<R>> Restart for DualAveraging<R, K> {
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

impl<R: Geometry<K>, K: Exact<R>> DualAveraging<R, K> {
    /// z_1 = x_1, a point of K, for which the guarantee is that of the active form.
    ///
    /// # Errors
    /// As [`around`](Self::around); also [`OcoError::OutsideSet`].
    pub fn starting_at(regulariser: R, set: K, start: Vec<f64>, eta: f64) -> Result<Self, OcoError> {
        set.check_dimension(start.len())?;
        DualPoint::of(&regulariser, &start)?;
        if !set.contains(&start, membership_tolerance(&start)) {
            return Err(OcoError::OutsideSet { argument: "start" });
        }
        Self::around(regulariser, set, start, eta)
    }

    /// z_1 = o, any point of the domain of ∇R.
    ///
    /// # Errors
    /// η not positive, or an origin that does not fit the geometry or the set.
    pub fn around(regulariser: R, set: K, origin: Vec<f64>, eta: f64) -> Result<Self, OcoError> {
        let gradient_sum = vec![0.0; origin.len()];
        State { regulariser, set, eta, origin, gradient_sum }.try_into()
    }

    /// R.
    pub fn regulariser(&self) -> &R {
        &self.state.regulariser
    }

    /// K.
    pub fn set(&self) -> &K {
        &self.state.set
    }

    /// η.
    pub fn eta(&self) -> f64 {
        self.state.eta
    }

    /// z_1.
    pub fn origin(&self) -> &[f64] {
        &self.state.origin
    }

    /// The next play from the next sum: Π_K((∇R)⁻¹(∇R(z_1) − η Σ g_s)).
    fn project(&mut self) -> Result<(), OcoError> {
        let Self { state, origin, next_sum, next_x, dual, scratch, .. } = self;
        origin.step(state.eta, next_sum, dual);
        next_x.resize(state.origin.len(), 0.0);
        state.regulariser.primal(&state.set, &dual.0, next_x, scratch)?;
        Ok(())
    }
}

impl<R, K> From<DualAveraging<R, K>> for State<R, K> {
    fn from(learner: DualAveraging<R, K>) -> Self {
        learner.state
    }
}

impl<R: Geometry<K>, K: Exact<R>> TryFrom<State<R, K>> for DualAveraging<R, K> {
    type Error = OcoError;

    fn try_from(state: State<R, K>) -> Result<Self, OcoError> {
        check_magnitudes("origin", &state.origin)?;
        check_step("eta", state.eta)?;
        state.set.check_dimension(state.origin.len())?;
        check_sum("sum of gradients", &state.gradient_sum, state.origin.len())?;
        let origin = DualPoint::of(&state.regulariser, &state.origin)?;
        let mut learner = Self {
            next_sum: state.gradient_sum.clone(),
            state,
            origin,
            x: Vec::new(),
            next_x: Vec::new(),
            dual: DualPoint::default(),
            scratch: Scratch::default(),
        };
        learner.project()?;
        std::mem::swap(&mut learner.x, &mut learner.next_x);
        Ok(learner)
    }
}
