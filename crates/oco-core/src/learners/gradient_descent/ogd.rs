//! Online gradient descent with an active projection \[Z03\].

use crate::Restart;
use crate::step::check_step;
use crate::{OcoError, OnlineLearner, StepSchedule, check_vector};
use projections::{Euclidean, Exact, ProjectionError, Scratch, check_finite, filled, start_point};
use serde::{Deserialize, Serialize};

/// Zinkevich's online gradient descent \[Z03\]: x_{t+1} = Π_K(x_t − η_t g_t).
///
/// *Guarantee.* With a constant step, Σ⟨g_t, x_t − u⟩ ≤ ‖x_1 − u‖²/(2η) + (η/2)Σ‖g_t‖² for every u ∈ K and
/// every prefix; with η_t = D/(G√t), regret ≤ (3/2)GD√T. Both are asserted every round in
/// `tests/regret_bounds.rs`.
/// *Start:* the projection of 0, or any point of K.
/// *Cost:* O(n) and one projection a round; no allocation after the first.
/// *Errors:* a refused gradient leaves x_t and the step count unchanged.
///
/// ```
/// use oco_core::{OnlineLearner, StepSchedule, learners::Ogd};
/// use projections::BoxSet;
/// let mut ogd = Ogd::new(BoxSet::interval(-1.0, 1.0)?, 1, StepSchedule::constant(0.75)?)?;
/// ogd.observe(&[1.0])?;
/// ogd.observe(&[1.0])?;
/// assert_eq!(ogd.play(), [-1.0]);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<K>",
    into = "State<K>",
    bound(serialize = "K: Clone + Serialize", deserialize = "K: Deserialize<'de> + Exact<Euclidean>")
)]
pub struct Ogd<K> {
    state: State<K>,
    step: Vec<f64>,
    scratch: Scratch,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State<K> {
    set: K,
    schedule: StepSchedule,
    start: Vec<f64>,
    x: Vec<f64>,
    t: u64,
}

impl<K: Exact<Euclidean>> OnlineLearner for Ogd<K> {
    fn play(&self) -> &[f64] {
        &self.state.x
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        self.observe_with_step(gradient, self.state.schedule.eta(self.state.t))
    }

    fn reset(&mut self) {
        self.state.x.clone_from(&self.state.start);
        self.state.t = 1;
    }
}

/// The constant step η.
impl<K: Exact<Euclidean>> Restart for Ogd<K> {
    fn restart(&mut self, eta: f64) -> Result<(), OcoError> {
        self.state.schedule = StepSchedule::constant(eta)?;
        self.reset();
        Ok(())
    }

    fn step(&self) -> Option<f64> {
        self.state.schedule.constant_step()
    }
}

impl<K: Exact<Euclidean>> Ogd<K> {
    /// A round with the step η_t > 0.
    ///
    /// # Errors
    /// As [`observe`](OnlineLearner::observe); also a step that is not positive.
    pub fn observe_with_step(&mut self, gradient: &[f64], eta: f64) -> Result<(), OcoError> {
        check_step("eta", eta)?;
        let State { set, x, t, .. } = &mut self.state;
        check_vector("gradient", gradient, x.len())?;
        self.step.clear();
        self.step.extend(x.iter().zip(gradient).map(|(x, g)| x - eta * g));
        set.project_with(&mut self.step, &mut self.scratch)?;
        std::mem::swap(x, &mut self.step);
        *t = t.saturating_add(1);
        Ok(())
    }

    /// Starts at the projection of 0 onto K ⊂ R^n.
    ///
    /// # Errors
    /// A dimension that does not fit the set or the memory.
    pub fn new(set: K, dimension: usize, schedule: StepSchedule) -> Result<Self, OcoError> {
        set.check_dimension(dimension)?;
        let mut start = filled("dimension", dimension, 0.0)?;
        start_point(&set, &mut start)?;
        Self::starting_at(set, start, schedule)
    }

    /// Starts at a point of K.
    ///
    /// # Errors
    /// [`OcoError::OutsideSet`], or a point that does not fit the set.
    pub fn starting_at(set: K, start: Vec<f64>, schedule: StepSchedule) -> Result<Self, OcoError> {
        State { set, schedule, x: start.clone(), start, t: 1 }.try_into()
    }

    /// K.
    pub fn set(&self) -> &K {
        &self.state.set
    }
}

impl<K> From<Ogd<K>> for State<K> {
    fn from(learner: Ogd<K>) -> Self {
        learner.state
    }
}

impl<K: Exact<Euclidean>> TryFrom<State<K>> for Ogd<K> {
    type Error = OcoError;

    fn try_from(state: State<K>) -> Result<Self, OcoError> {
        check_vector("start", &state.start, state.x.len())?;
        check_finite("play", &state.x)?;
        state.set.check_dimension(state.x.len())?;
        for (argument, point) in [("start", &state.start), ("play", &state.x)] {
            if !state.set.contains(point, crate::learner::membership_tolerance(point)) {
                return Err(OcoError::OutsideSet { argument });
            }
        }
        if state.t == 0 {
            let (name, domain) = ("round", "t ≥ 1");
            return Err(ProjectionError::BadParameter { name, value: 0.0, domain }.into());
        }
        Ok(Self { state, step: Vec::new(), scratch: Scratch::default() })
    }
}
