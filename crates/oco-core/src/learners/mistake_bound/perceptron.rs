//! The Perceptron, lazy OGD on the hinge at zero \[W13, §3.1\].

use crate::OcoError;
use crate::error::{check_dimension, check_label, check_sum};
use projections::{ProjectionError, filled};
use rows::Row;
use serde::{Deserialize, Serialize};

/// The Perceptron \[W13, §3.1\]: w_1 = 0, and w_{t+1} = w_t + y_t x_t after a mistake, y_t⟨w_t, x_t⟩ ≤ 0.
///
/// It is [`LazyOgd`](crate::learners::LazyOgd) with η = 1 on the losses max(0, −y⟨w, x⟩), with the
/// subgradient −yx at the kink: equality counts as a mistake, or w = 0 would never move.
/// *Guarantee* \[N62\]: if a unit vector u has y⟨u, x⟩ ≥ γ, and ‖x‖ ≤ R, for every example so far, at most
/// (R/γ)² mistakes. Both are asserted every round in `tests/mistake_bounds.rs`.
/// *Cost:* O(stored values) a round, no allocation.
/// *Errors:* a label other than ±1, a row of another dimension; a refused example leaves w unchanged.
///
/// ```
/// use oco_core::learners::Perceptron;
/// use rows::Row;
/// let mut perceptron = Perceptron::new(2)?;
/// for (x, y, mistaken) in [([1.0, 1.0], 1.0, true), ([-1.0, 2.0], -1.0, true), ([3.0, 0.0], 1.0, false)] {
///     assert_eq!(perceptron.observe(Row::dense(&x)?, y)?, mistaken);
/// }
/// assert_eq!((perceptron.weights(), perceptron.mistakes()), (&[2.0, -1.0][..], 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct Perceptron {
    state: State,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    w: Vec<f64>,
    mistakes: u64,
}

impl Perceptron {
    /// Takes (x, y), y = ±1; returns whether it was a mistake.
    ///
    /// # Errors
    /// [`OcoError::BadLabel`], or a row of another dimension.
    pub fn observe(&mut self, x: Row<'_>, y: f64) -> Result<bool, OcoError> {
        let mistaken = self.examine(x, y)?;
        let State { w, mistakes } = &mut self.state;
        if mistaken {
            x.axpy_into(y, w);
            *mistakes = mistakes.saturating_add(1);
        }
        Ok(mistaken)
    }

    /// Returns what [`observe`](Self::observe) would return for (x, y), without learning.
    ///
    /// # Errors
    /// Those of [`observe`](Self::observe).
    pub fn examine(&self, x: Row<'_>, y: f64) -> Result<bool, OcoError> {
        check_label(y)?;
        Ok(y * self.score(x)? <= 0.0)
    }

    /// sgn⟨w, x⟩, with sgn 0 = 0.
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn predict(&self, x: Row<'_>) -> Result<f64, OcoError> {
        Ok(sign(self.score(x)?))
    }

    /// ⟨w, x⟩.
    fn score(&self, x: Row<'_>) -> Result<f64, OcoError> {
        let w = &self.state.w;
        check_dimension(x, w.len())?;
        Ok(x.dot(w))
    }

    /// w = 0 in R^n.
    ///
    /// # Errors
    /// [`ProjectionError::Empty`] for n = 0, [`ProjectionError::TooLarge`].
    pub fn new(dimension: usize) -> Result<Self, OcoError> {
        State { w: filled("dimension", dimension, 0.0)?, mistakes: 0 }.try_into()
    }

    /// w_t.
    pub fn weights(&self) -> &[f64] {
        &self.state.w
    }

    /// The mistakes so far.
    pub fn mistakes(&self) -> u64 {
        self.state.mistakes
    }
}

pub(crate) fn sign(score: f64) -> f64 {
    if score == 0.0 { 0.0 } else { score.signum() }
}

impl From<Perceptron> for State {
    fn from(perceptron: Perceptron) -> Self {
        perceptron.state
    }
}

impl TryFrom<State> for Perceptron {
    type Error = OcoError;

    fn try_from(state: State) -> Result<Self, OcoError> {
        if state.w.is_empty() {
            return Err(ProjectionError::Empty { argument: "weights" }.into());
        }
        check_sum("weights", &state.w, state.w.len())?;
        Ok(Self { state })
    }
}
