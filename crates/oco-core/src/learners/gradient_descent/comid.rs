//! Composite objective mirror descent with an ℓ1 term \[DSST10\].

use crate::step::check_step;
use crate::{OcoError, OnlineLearner, check_magnitudes, check_vector};
use projections::{BoxSet, DecisionSet, ProjectionError, check_finite, filled, start_point};
use serde::{Deserialize, Serialize};

/// COMID \[DSST10\] with ψ = λ‖·‖₁ in the Euclidean geometry, on R^n or on a box: x_{t+1} = argmin_x η⟨g_t,
/// x⟩ + ηλ‖x‖₁ + ½‖x − x_t‖², that is v = x_t − ηg_t, then sgn(v)(|v| − ηλ)₊, then the clip.
///
/// The ℓ1 term is not linearised, so plays are sparse.
/// *Guarantee* \[DSST10\]: at every T and for every u, Σ⟨g_t, x_t − u⟩ + λ‖x_t‖₁ − λ‖u‖₁ ≤ ‖u − x_1‖²/(2η) +
/// (η/2)Σ‖g_t‖² + λ‖x_1‖₁. Asserted every round in `tests/composite_and_adaptive.rs`.
/// *Cost:* O(n) a round, no allocation.
/// *Errors:* a refused gradient leaves x_t as it was.
///
/// ```
/// use oco_core::{OnlineLearner, learners::Comid};
/// let mut comid = Comid::new(2, 0.5, 1.0)?;
/// comid.observe(&[-3.0, 0.9])?;
/// assert_eq!(comid.play(), [1.0, 0.0]);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct Comid {
    state: State,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    bounds: Option<BoxSet>,
    eta: f64,
    lambda: f64,
    start: Vec<f64>,
    x: Vec<f64>,
}

impl OnlineLearner for Comid {
    fn play(&self) -> &[f64] {
        &self.state.x
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        let State { bounds, eta, lambda, x, .. } = &mut self.state;
        check_vector("gradient", gradient, x.len())?;
        for (x, g) in x.iter_mut().zip(gradient) {
            let v = *x - *eta * g;
            *x = (v.abs() - *eta * *lambda).max(0.0).copysign(v);
        }
        // The objective is a sum over coordinates, and in one dimension its minimum over an interval is the
        // clip.
        if let Some(bounds) = bounds {
            for ((x, lower), upper) in x.iter_mut().zip(bounds.lower()).zip(bounds.upper()) {
                *x = x.max(*lower).min(*upper);
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.state.x.clone_from(&self.state.start);
    }
}

impl Comid {
    /// On R^n, from 0; η > 0 and λ ≥ 0.
    ///
    /// # Errors
    /// η or λ outside its domain, n = 0, or more coordinates than the memory holds.
    pub fn new(dimension: usize, eta: f64, lambda: f64) -> Result<Self, OcoError> {
        Self::starting_at(None, filled("dimension", dimension, 0.0)?, eta, lambda)
    }

    /// On a box, from its point closest to 0.
    ///
    /// # Errors
    /// η or λ outside its domain.
    pub fn on_box(bounds: BoxSet, eta: f64, lambda: f64) -> Result<Self, OcoError> {
        let mut start = vec![0.0; bounds.lower().len()];
        start_point(&bounds, &mut start)?;
        Self::starting_at(Some(bounds), start, eta, lambda)
    }

    /// From a point of the box, or of R^n.
    ///
    /// # Errors
    /// [`OcoError::OutsideSet`], a point that does not fit the box, η or λ outside its domain.
    pub fn starting_at(
        bounds: Option<BoxSet>,
        start: Vec<f64>,
        eta: f64,
        lambda: f64,
    ) -> Result<Self, OcoError> {
        State { bounds, eta, lambda, x: start.clone(), start }.try_into()
    }
}

impl From<Comid> for State {
    fn from(learner: Comid) -> Self {
        learner.state
    }
}

impl TryFrom<State> for Comid {
    type Error = OcoError;

    fn try_from(state: State) -> Result<Self, OcoError> {
        check_vector("start", &state.start, state.x.len())?;
        check_finite("play", &state.x)?;
        check_magnitudes("lambda", &[state.lambda])?;
        if state.x.is_empty() {
            return Err(ProjectionError::Empty { argument: "start" }.into());
        }
        check_step("eta", state.eta)?;
        if state.lambda < 0.0 {
            let (name, domain) = ("lambda", "[0, ∞)");
            return Err(ProjectionError::BadParameter { name, value: state.lambda, domain }.into());
        }
        if let Some(bounds) = &state.bounds {
            bounds.check_dimension(state.x.len())?;
            for (argument, point) in [("start", &state.start), ("play", &state.x)] {
                if !bounds.contains(point, crate::learner::membership_tolerance(point)) {
                    return Err(OcoError::OutsideSet { argument });
                }
            }
        }
        Ok(Self { state })
    }
}
