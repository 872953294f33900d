//! Winnow, FTRL with the entropy on the hinge at zero \[W13, §4\].

use super::mistake_sum::MistakeSum;
use super::perceptron::sign;
use crate::OcoError;
use crate::error::{check_dimension, check_label};
use rows::Row;
use serde::{Deserialize, Serialize};

/// Winnow \[W13, §4\]: w_t ∝ exp(η Σ y_s x_s) on the simplex, summed over the mistakes s < t; y_t⟨w_t, x_t⟩ ≤
/// 0 is a mistake, equality included.
///
/// It is FTRL with the regulariser −H/η on the losses max(0, −y⟨w, x⟩), a normalised form of \[L88\].
/// *Guarantee*, by the regret bound of that FTRL on the mistakes: if a distribution u has y⟨u, x⟩ ≥ γ, and
/// ‖x‖_∞ ≤ X, for every example so far, at most (ln n/η)/(γ − ηX²/2) mistakes for η < 2γ/X². That is 2X² ln
/// n/γ² at η = γ/X², the step of [`for_margin`](Winnow::for_margin). For targets of few coordinates it is far
/// below the Perceptron's bound. Asserted every round in `tests/mistake_bounds.rs`.
/// *Cost:* O(stored values) a round, no allocation: normalisation changes no sign.
/// *Errors:* a label other than ±1, a row of another dimension; a refused example leaves the weights
/// unchanged. A weight that underflows counts as 0 and can grow again.
///
/// ```
/// use oco_core::learners::Winnow;
/// use rows::Row;
/// let mut winnow = Winnow::new(2, 2.0_f64.ln())?;
/// assert!(!winnow.observe(Row::dense(&[2.0, -1.0])?, 1.0)?);
/// assert!(winnow.observe(Row::dense(&[1.0, -1.0])?, 1.0)?, "the boundary is a mistake");
/// let w = winnow.weights();
/// assert!((w[0] - 0.8).abs() < 1e-15 && (w[1] - 0.2).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Winnow {
    state: MistakeSum,
}

impl Winnow {
    /// Takes (x, y), y = ±1; returns whether it was a mistake.
    ///
    /// # Errors
    /// [`OcoError::BadLabel`], or a row of another dimension.
    pub fn observe(&mut self, x: Row<'_>, y: f64) -> Result<bool, OcoError> {
        check_label(y)?;
        let score = self.score(x)?;
        // θ ← θ + yx after a mistake; the weights are e^(ηθ), up to a factor.
        Ok(self.state.observe(x, y, score))
    }

    /// sgn⟨w, x⟩, with sgn 0 = 0.
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn predict(&self, x: Row<'_>) -> Result<f64, OcoError> {
        Ok(sign(self.score(x)?))
    }

    /// ⟨w, x⟩ up to a positive factor: weights are relative to the heaviest one in the support of x.
    fn score(&self, x: Row<'_>) -> Result<f64, OcoError> {
        let theta = &self.state.theta;
        check_dimension(x, theta.len())?;
        let (mut heaviest, mut score) = (f64::NEG_INFINITY, 0.0);
        x.for_each(|j, x_j| {
            if x_j != 0.0 {
                heaviest = heaviest.max(theta[j]);
            }
        });
        x.for_each(|j, x_j| {
            if x_j != 0.0 {
                score += self.ratio(theta[j], heaviest) * x_j;
            }
        });
        Ok(score)
    }

    /// w_j/w_i = e^(η(θ_j − θ_i)).
    fn ratio(&self, theta_j: f64, theta_i: f64) -> f64 {
        (self.state.eta * (theta_j - theta_i)).exp()
    }

    /// Uniform weights on n coordinates and a step η > 0.
    ///
    /// # Errors
    /// η not positive, or n = 0.
    pub fn new(dimension: usize, eta: f64) -> Result<Self, OcoError> {
        Ok(Self { state: MistakeSum::new(dimension, eta)? })
    }

    /// The step η = γ/X² for examples with ‖x‖_∞ ≤ X that a distribution separates with margin γ: at most 2X²
    /// ln n/γ² mistakes.
    ///
    /// # Errors
    /// X, γ or γ/X² not positive and finite.
    pub fn for_margin(dimension: usize, largest_feature: f64, margin: f64) -> Result<Self, OcoError> {
        Ok(Self { state: MistakeSum::for_margin(dimension, largest_feature, margin)? })
    }

    /// w_t, a distribution. O(n).
    pub fn weights(&self) -> Vec<f64> {
        let theta = &self.state.theta;
        let heaviest = theta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut w: Vec<f64> = theta.iter().map(|theta_j| self.ratio(*theta_j, heaviest)).collect();
        let total: f64 = w.iter().sum();
        w.iter_mut().for_each(|w| *w /= total);
        w
    }

    /// n.
    pub fn dimension(&self) -> usize {
        self.state.theta.len()
    }

    /// The mistakes so far.
    pub fn mistakes(&self) -> u64 {
        self.state.mistakes
    }
}
