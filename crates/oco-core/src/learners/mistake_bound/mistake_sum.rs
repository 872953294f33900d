//! The state of Winnow and its balanced form.

use crate::OcoError;
use crate::error::check_sum;
use crate::step::check_step;
use projections::{ProjectionError, filled};
use rows::Row;
use serde::{Deserialize, Serialize};

/// θ = Σ y_s x_s over the mistakes, the step η > 0 and the number of mistakes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub(super) struct MistakeSum {
    pub(super) eta: f64,
    pub(super) theta: Vec<f64>,
    pub(super) mistakes: u64,
}

#[derive(Deserialize)]
struct Unchecked {
    eta: f64,
    theta: Vec<f64>,
    mistakes: u64,
}

impl MistakeSum {
    /// Takes (x, y) with its score; returns whether it was a mistake: y·score ≤ 0.
    pub(super) fn observe(&mut self, x: Row<'_>, y: f64, score: f64) -> bool {
        let mistaken = y * score <= 0.0;
        if mistaken {
            x.axpy_into(y, &mut self.theta);
            self.mistakes = self.mistakes.saturating_add(1);
        }
        mistaken
    }

    /// No mistake yet, on n coordinates.
    pub(super) fn new(dimension: usize, eta: f64) -> Result<Self, OcoError> {
        Unchecked { eta, theta: filled("dimension", dimension, 0.0)?, mistakes: 0 }.try_into()
    }

    /// The step γ/X².
    pub(super) fn for_margin(dimension: usize, largest_feature: f64, margin: f64) -> Result<Self, OcoError> {
        check_step("largest feature", largest_feature)?;
        check_step("margin", margin)?;
        Self::new(dimension, margin / largest_feature / largest_feature)
    }
}

impl TryFrom<Unchecked> for MistakeSum {
    type Error = OcoError;

    fn try_from(Unchecked { eta, theta, mistakes }: Unchecked) -> Result<Self, OcoError> {
        if theta.is_empty() {
            return Err(ProjectionError::Empty { argument: "logarithms of the weights" }.into());
        }
        check_sum("logarithms of the weights", &theta, theta.len())?;
        check_step("eta", eta)?;
        Ok(Self { eta, theta, mistakes })
    }
}
