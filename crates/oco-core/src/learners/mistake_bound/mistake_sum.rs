//! The state of Winnow and its balanced form.

use crate::gradient_sum::GradientSum;
use crate::step::check_step;
use crate::{OcoError, check_vector};
use projections::{ProjectionError, filled};
use rows::Row;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;

/// θ = Σ y_s x_s over the mistakes, the step η > 0 and the number of mistakes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub(super) struct MistakeSum {
    pub(super) eta: f64,
    pub(super) theta: GradientSum,
    pub(super) mistakes: u64,
}

#[derive(Deserialize)]
struct Unchecked {
    eta: f64,
    theta: GradientSum,
    mistakes: u64,
}

impl MistakeSum {
    /// Takes (x, y) with its score; returns whether it was a mistake: y·score ≤ 0.
    pub(super) fn observe(&mut self, x: Row<'_>, y: f64, score: f64) -> bool {
        let mistaken = y * score <= 0.0;
        if mistaken {
            self.theta.add_row(y, x);
            self.mistakes = self.mistakes.saturating_add(1);
        }
        mistaken
    }

    /// No mistake yet, on n coordinates.
    pub(super) fn new(dimension: usize, eta: f64) -> Result<Self, OcoError> {
        Unchecked { eta, theta: GradientSum::of(filled("dimension", dimension, 0.0)?), mistakes: 0 }
            .try_into()
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
        let terms = theta.terms();
        if terms.is_empty() {
            return Err(ProjectionError::Empty { argument: "logarithms of the weights" }.into());
        }
        check_vector("logarithms of the weights", terms, terms.len())?;
        check_step("eta", eta)?;
        Ok(Self { eta, theta, mistakes })
    }
}

/// Whether a score of products with features up to `largest` is so large that underflowed weights and
/// products do not count.
pub(super) fn is_visible(score: f64, largest: f64) -> bool {
    score.is_finite() && score.abs() > 1e-280 && score.abs() > 1e-280 * largest
}

/// e^log as a·2^k with 1 ≤ a ≤ 2, for log ≤ 0. A value below e^(−10000) is replaced by it; no feature makes
/// the difference visible.
pub(super) fn exponential(log: f64) -> (f64, i32) {
    let log = log.clamp(-1e4, 0.0);
    let k = (log / LN_2).floor();
    #[allow(clippy::cast_possible_truncation, reason = "an integer in [-14427, 0]")]
    let exponent = k as i32;
    ((log - k * LN_2).exp(), exponent)
}
