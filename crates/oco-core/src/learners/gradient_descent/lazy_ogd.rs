//! Online subgradient descent, the lecture's name for lazy online gradient descent \[W13, §3\].

use crate::Restart;
use crate::error::check_sum;
use crate::step::check_step;
use crate::{OcoError, OnlineLearner, check_magnitudes, check_vector};
use projections::{DecisionSet, Euclidean, Exact, Scratch, filled};
use serde::{Deserialize, Serialize};

/// Lazy OGD \[W13, §3\]: x_t = Π_K(o − η Σ_{s<t} g_s), with origin o.
///
/// *Guarantee.* For o ∈ K and every u ∈ K, Σ⟨g_t, x_t − u⟩ ≤ ‖u − o‖²/(2η) + ηΣ‖g_t‖²; with η = D/(ρ√(2T))
/// and ‖u − o‖ ≤ D, regret ≤ Dρ√(2T) \[W13, Theorem 2\]. Asserted in `tests/regret_bounds.rs`.
/// *Errata.* The lecture's box drops a minus sign, its line (10) has a stray D, and its Theorem 2 needs 0 ∈
/// K. Here the regulariser is centred at o, by default 0.
/// *Cost:* O(n) and one projection a round; no allocation after the first.
///
/// ```
/// use oco_core::{OnlineLearner, learners::LazyOgd};
/// use projections::BoxSet;
/// let mut lazy = LazyOgd::new(BoxSet::interval(0.0, 1.0)?, 1, 1.0)?;
/// for g in [3.0, -1.0, -1.0] {
///     lazy.observe(&[g])?;
/// }
/// // The sum is remembered, the projections are not: an active learner would stand at 1 by now.
/// assert_eq!(lazy.play(), [0.0]);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<K>",
    into = "State<K>",
    bound(serialize = "K: Clone + Serialize", deserialize = "K: Deserialize<'de> + Exact<Euclidean>")
)]
pub struct LazyOgd<K> {
    state: State<K>,
    x: Vec<f64>,
    next_sum: Vec<f64>,
    step: Vec<f64>,
    scratch: Scratch,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State<K> {
    set: K,
    eta: f64,
    origin: Vec<f64>,
    gradient_sum: Vec<f64>,
}

impl<K: Exact<Euclidean>> OnlineLearner for LazyOgd<K> {
    fn play(&self) -> &[f64] {
        &self.x
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        let State { set, eta, origin, gradient_sum } = &mut self.state;
        check_vector("gradient", gradient, origin.len())?;
        self.next_sum.clear();
        self.next_sum.extend(gradient_sum.iter().zip(gradient).map(|(sum, g)| sum + g));
        lazy_step(set, origin, *eta, &self.next_sum, &mut self.step, &mut self.scratch)?;
        std::mem::swap(&mut self.x, &mut self.step);
        std::mem::swap(gradient_sum, &mut self.next_sum);
        Ok(())
    }

    fn reset(&mut self) {
        self.state.gradient_sum.fill(0.0);
        // The constructor projected this origin, so this succeeds.
        self.x.clone_from(&self.state.origin);
        let _ = self.state.set.project_with(&mut self.x, &mut self.scratch);
    }
}

/// step ← Π_K(o − η·sum).
fn lazy_step<K: Exact<Euclidean>>(
    set: &K,
    origin: &[f64],
    eta: f64,
    sum: &[f64],
    step: &mut Vec<f64>,
    scratch: &mut Scratch,
) -> Result<(), OcoError> {
    step.clear();
    step.extend(origin.iter().zip(sum).map(|(o, sum)| o - eta * sum));
    Ok(set.project_with(step, scratch)?)
}

impl<K: Exact<Euclidean>> Restart for LazyOgd<K> {
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

impl<K: Exact<Euclidean>> LazyOgd<K> {
    /// Origin 0, as in the lecture; the guarantee then asks for 0 ∈ K.
    ///
    /// # Errors
    /// η not positive, or a dimension that does not fit the set or the memory.
    pub fn new(set: K, dimension: usize, eta: f64) -> Result<Self, OcoError> {
        Self::around(set, filled("dimension", dimension, 0.0)?, eta)
    }

    /// Regularises around the origin o.
    ///
    /// # Errors
    /// η not positive, or an origin that does not fit the set.
    pub fn around(set: K, origin: Vec<f64>, eta: f64) -> Result<Self, OcoError> {
        let gradient_sum = vec![0.0; origin.len()];
        State { set, eta, origin, gradient_sum }.try_into()
    }
}

impl<K> From<LazyOgd<K>> for State<K> {
    fn from(learner: LazyOgd<K>) -> Self {
        learner.state
    }
}

impl<K: Exact<Euclidean>> TryFrom<State<K>> for LazyOgd<K> {
    type Error = OcoError;

    fn try_from(state: State<K>) -> Result<Self, OcoError> {
        check_magnitudes("origin", &state.origin)?;
        check_sum("sum of gradients", &state.gradient_sum, state.origin.len())?;
        check_step("eta", state.eta)?;
        DecisionSet::check_dimension(&state.set, state.origin.len())?;
        let (mut x, mut scratch) = (Vec::new(), Scratch::default());
        lazy_step(&state.set, &state.origin, state.eta, &state.gradient_sum, &mut x, &mut scratch)?;
        Ok(Self { state, x, next_sum: Vec::new(), step: Vec::new(), scratch })
    }
}
