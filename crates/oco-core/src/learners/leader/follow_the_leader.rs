//! Follow the leader on linear losses.

use crate::error::check_sum;
use crate::learner::membership_tolerance;
use crate::{OcoError, OnlineLearner, check_vector};
use projections::{LinearMinimisation, Scratch, filled};
use serde::{Deserialize, Serialize};

/// Follow the leader \[W13, line (2)\] on linear losses: x_t ∈ argmin_{x∈K} ⟨Σ_{s<t} g_s, x⟩; the start point
/// while that sum is exactly 0.
///
/// *No guarantee:* in \[W13, Example 2\] its regret after T rounds is at least T − 1
/// (`tests/mirror_descent/leader.rs`).
/// *Cost:* one linear minimisation a round; no allocation after the first.
///
/// ```
/// use oco_core::{OnlineLearner, learners::FollowTheLeader};
/// use projections::BoxSet;
/// let mut leader = FollowTheLeader::starting_at(BoxSet::interval(-1.0, 1.0)?, vec![0.0])?;
/// for (slope, play) in [(-0.5, 1.0), (1.0, -1.0), (-1.0, 1.0), (0.5, 0.0)] {
///     leader.observe(&[slope])?;
///     assert_eq!(leader.play(), [play]);
/// }
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<K>",
    into = "State<K>",
    bound(serialize = "K: Clone + Serialize", deserialize = "K: Deserialize<'de> + LinearMinimisation")
)]
pub struct FollowTheLeader<K> {
    state: State<K>,
    x: Vec<f64>,
    next_sum: Vec<f64>,
    leader: Vec<f64>,
    scratch: Scratch,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State<K> {
    set: K,
    start: Vec<f64>,
    gradient_sum: Vec<f64>,
}

impl<K: LinearMinimisation> OnlineLearner for FollowTheLeader<K> {
    fn play(&self) -> &[f64] {
        &self.x
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        let Self { state: State { set, start, gradient_sum }, x, next_sum, leader, scratch } = self;
        check_vector("gradient", gradient, x.len())?;
        next_sum.clear();
        next_sum.extend(gradient_sum.iter().zip(gradient).map(|(sum, g)| sum + g));
        lead(set, next_sum, start, leader, scratch)?;
        std::mem::swap(x, leader);
        std::mem::swap(gradient_sum, next_sum);
        Ok(())
    }

    fn reset(&mut self) {
        self.state.gradient_sum.fill(0.0);
        self.x.clone_from(&self.state.start);
    }
}

/// x ← argmin ⟨sum, x⟩ over K, or the start point for a sum of 0.
fn lead<K: LinearMinimisation>(
    set: &K,
    sum: &[f64],
    start: &[f64],
    x: &mut Vec<f64>,
    scratch: &mut Scratch,
) -> Result<(), OcoError> {
    x.clear();
    x.extend_from_slice(start);
    if sum.iter().any(|v| v.abs() > 0.0) {
        set.lmo_with(sum, x, scratch)?;
    }
    Ok(())
}

impl<K: LinearMinimisation> FollowTheLeader<K> {
    /// Starts at an interior point of K ⊂ R^n.
    ///
    /// # Errors
    /// A dimension that does not fit the set or the memory.
    pub fn new(set: K, dimension: usize) -> Result<Self, OcoError> {
        set.check_dimension(dimension)?;
        let mut start = filled("dimension", dimension, 0.0)?;
        set.interior_point(&mut start)?;
        Self::starting_at(set, start)
    }

    /// Starts at a point of K.
    ///
    /// # Errors
    /// [`OcoError::OutsideSet`], or a point that does not fit the set.
    pub fn starting_at(set: K, start: Vec<f64>) -> Result<Self, OcoError> {
        let gradient_sum = vec![0.0; start.len()];
        State { set, start, gradient_sum }.try_into()
    }
}

impl<K> From<FollowTheLeader<K>> for State<K> {
    fn from(learner: FollowTheLeader<K>) -> Self {
        learner.state
    }
}

impl<K: LinearMinimisation> TryFrom<State<K>> for FollowTheLeader<K> {
    type Error = OcoError;

    fn try_from(state: State<K>) -> Result<Self, OcoError> {
        let State { set, start, gradient_sum } = &state;
        check_vector("start", start, start.len())?;
        check_sum("sum of gradients", gradient_sum, start.len())?;
        set.check_dimension(start.len())?;
        if !set.contains(start, membership_tolerance(start)) {
            return Err(OcoError::OutsideSet { argument: "start" });
        }
        let (mut x, mut scratch) = (Vec::new(), Scratch::default());
        lead(set, gradient_sum, start, &mut x, &mut scratch)?;
        Ok(Self { state, x, next_sum: Vec::new(), leader: Vec::new(), scratch })
    }
}
