//! Adaptive subgradient descent with a step for each coordinate \[DHS11\].

use crate::step::check_step;
use crate::{OcoError, OnlineLearner, check_vector};
use projections::{BoxSet, DecisionSet, ProjectionError, check_finite, start_point};
use serde::{Deserialize, Serialize};

/// Diagonal AdaGrad on a box \[DHS11\]: x_{t+1,j} = clip(x_{t,j} − D·g_{t,j}/√(Σ_{s≤t} g_{s,j}²)).
///
/// The sum includes the current gradient, without an added constant; a coordinate with sum 0 does not move.
/// *Guarantee.* At every T and for every u in the box, Σ⟨g_t, x_t − u⟩ ≤ Σ_j (w_j²/(2D) + D)·√(Σ_t g_{t,j}²),
/// w_j being the width of coordinate j \[DHS11\]; least for D = w/√2. The scale of a coordinate does not
/// matter, and a rare coordinate pays for its own rounds only. On sparse gradients both bound and regret are
/// therefore below those of OGD. Asserted every round in `tests/composite_and_adaptive.rs`.
/// *Cost:* O(n) a round, no allocation. A gradient whose square underflows to 0 does not move its coordinate.
///
/// ```
/// use oco_core::{OnlineLearner, learners::AdaGrad};
/// use projections::BoxSet;
/// let square = BoxSet::new(vec![-1.0; 2], vec![1.0; 2])?;
/// let mut adagrad = AdaGrad::new(square, 0.5)?;
/// // 1e-140 and 1e140 are the same to it.
/// adagrad.observe(&[1e-140, -1e140])?;
/// assert_eq!(adagrad.play(), [-0.5, 0.5]);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct AdaGrad {
    state: State,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    set: BoxSet,
    scale: f64,
    start: Vec<f64>,
    x: Vec<f64>,
    /// Σ g² by coordinate.
    squares: Vec<f64>,
}

impl OnlineLearner for AdaGrad {
    fn play(&self) -> &[f64] {
        &self.state.x
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        let State { set, scale, x, squares, .. } = &mut self.state;
        check_vector("gradient", gradient, x.len())?;
        let bounds = set.lower().iter().zip(set.upper());
        for (((x, sum), &g), (lower, upper)) in x.iter_mut().zip(squares).zip(gradient).zip(bounds) {
            *sum += g * g;
            let share = if *sum > 0.0 { g / sum.sqrt() } else { 0.0 };
            *x = (*x - *scale * share).max(*lower).min(*upper);
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.state.x.clone_from(&self.state.start);
        self.state.squares.fill(0.0);
    }
}

impl AdaGrad {
    /// Starts at the point of the box that is closest to 0; `scale` is D > 0.
    ///
    /// # Errors
    /// D not positive.
    pub fn new(set: BoxSet, scale: f64) -> Result<Self, OcoError> {
        let mut start = vec![0.0; set.lower().len()];
        start_point(&set, &mut start)?;
        Self::starting_at(set, start, scale)
    }

    /// Starts at a point of the box.
    ///
    /// # Errors
    /// [`OcoError::OutsideSet`], a point that does not fit the box, or D not positive.
    pub fn starting_at(set: BoxSet, start: Vec<f64>, scale: f64) -> Result<Self, OcoError> {
        let squares = vec![0.0; start.len()];
        State { set, scale, x: start.clone(), start, squares }.try_into()
    }

    /// Σ_{s<t} g_{s,j}² by coordinate.
    pub fn sums_of_squares(&self) -> impl Iterator<Item = f64> {
        self.state.squares.iter().copied()
    }
}

impl From<AdaGrad> for State {
    fn from(learner: AdaGrad) -> Self {
        learner.state
    }
}

impl TryFrom<State> for AdaGrad {
    type Error = OcoError;

    fn try_from(state: State) -> Result<Self, OcoError> {
        let n = state.x.len();
        check_vector("start", &state.start, n)?;
        check_finite("play", &state.x)?;
        check_finite("sums of squares", &state.squares)?;
        if state.squares.len() != n {
            let (argument, got) = ("sums of squares", state.squares.len());
            return Err(ProjectionError::LengthMismatch { argument, expected: n, got }.into());
        }
        if let Some(&value) = state.squares.iter().find(|sum| **sum < 0.0) {
            let (name, domain) = ("sum of squares", "[0, ∞)");
            return Err(ProjectionError::BadParameter { name, value, domain }.into());
        }
        check_step("D", state.scale)?;
        state.set.check_dimension(n)?;
        for (argument, point) in [("start", &state.start), ("play", &state.x)] {
            if !state.set.contains(point, crate::learner::membership_tolerance(point)) {
                return Err(OcoError::OutsideSet { argument });
            }
        }
        Ok(Self { state })
    }
}
