//! Balanced Winnow, for targets with weights of both signs.

use super::mistake_sum::MistakeSum;
use super::perceptron::sign;
use crate::OcoError;
use crate::error::{check_dimension, check_label};
use rows::Row;
use serde::{Deserialize, Serialize};

/// Balanced Winnow: [`Winnow`](crate::learners::Winnow) on the doubled row (x, −x), with weights w⁺ and w⁻;
/// w⁺ − w⁻ competes with every linear function.
///
/// With θ = Σ y_s x_s over the mistakes, w⁺_j − w⁻_j = sinh(ηθ_j)/Σ_i cosh(ηθ_i). It is computed in this
/// form: no difference cancels, and rows are not doubled.
/// *Guarantee:* Winnow's on 2m coordinates. If ‖u‖_1 ≤ 1, y⟨u, x⟩ ≥ γ and ‖x‖_∞ ≤ X for every example so far,
/// at most 2X² ln(2m)/γ² mistakes with the step of [`for_margin`](BalancedWinnow::for_margin).
/// *Cost:* O(stored values) a round, no allocation.
/// *Errors:* a label other than ±1, a row of another dimension; a refused example leaves the weights
/// unchanged.
///
/// ```
/// use oco_core::learners::BalancedWinnow;
/// use rows::Row;
/// let mut winnow = BalancedWinnow::new(2, 2.0_f64.ln())?;
/// assert!(winnow.observe(Row::dense(&[2.0, -1.0])?, -1.0)?, "the boundary is a mistake");
/// // sinh and cosh of −2 ln 2 and of ln 2.
/// let total = 17.0 / 8.0 + 5.0 / 4.0;
/// let w = winnow.weights();
/// assert!((w[0] + 15.0 / 8.0 / total).abs() < 1e-15 && (w[1] - 0.75 / total).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BalancedWinnow {
    state: MistakeSum,
}

impl BalancedWinnow {
    /// Takes (x, y), y = ±1; returns whether it was a mistake: y⟨w⁺ − w⁻, x⟩ ≤ 0.
    ///
    /// # Errors
    /// [`OcoError::BadLabel`], or a row of another dimension.
    pub fn observe(&mut self, x: Row<'_>, y: f64) -> Result<bool, OcoError> {
        check_label(y)?;
        let score = self.score(x)?;
        Ok(self.state.observe(x, y, score))
    }

    /// sgn⟨w⁺ − w⁻, x⟩, with sgn 0 = 0.
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn predict(&self, x: Row<'_>) -> Result<f64, OcoError> {
        Ok(sign(self.score(x)?))
    }

    /// ⟨w⁺ − w⁻, x⟩ up to a positive factor: weights are relative to e^|ηθ_j| of the heaviest one in the
    /// support of x.
    fn score(&self, x: Row<'_>) -> Result<f64, OcoError> {
        let theta = &self.state.theta;
        check_dimension(x, theta.len())?;
        let (mut top, mut score) = (0.0_f64, 0.0);
        x.for_each(|j, x_j| {
            if x_j != 0.0 {
                top = top.max(theta[j].abs());
            }
        });
        x.for_each(|j, x_j| {
            if x_j != 0.0 {
                score += self.weight(theta[j], top) * x_j;
            }
        });
        Ok(score)
    }

    /// sinh(ηθ_j)/e^|ηθ_i| = ±e^(|ηθ_j| − |ηθ_i|)·(1 − e^(−2|ηθ_j|))/2, for |θ_j| ≤ |θ_i|.
    fn weight(&self, theta_j: f64, theta_i: f64) -> f64 {
        (self.ratio(theta_j, theta_i) * self.share(theta_j)).copysign(theta_j)
    }

    /// e^(|ηθ_j| − |ηθ_i|).
    fn ratio(&self, theta_j: f64, theta_i: f64) -> f64 {
        (self.state.eta * (theta_j.abs() - theta_i.abs())).exp()
    }

    /// (1 − e^(−2|ηθ_j|))/2.
    fn share(&self, theta_j: f64) -> f64 {
        -0.5 * (-2.0 * (self.state.eta * theta_j.abs())).exp_m1()
    }

    /// w⁺ = w⁻ on m coordinates, and a step η > 0.
    ///
    /// # Errors
    /// η not positive, or m = 0.
    pub fn new(dimension: usize, eta: f64) -> Result<Self, OcoError> {
        Ok(Self { state: MistakeSum::new(dimension, eta)? })
    }

    /// The step η = γ/X² for examples with ‖x‖_∞ ≤ X that a u with ‖u‖_1 ≤ 1 separates with margin γ.
    ///
    /// # Errors
    /// X, γ or γ/X² not positive and finite; m = 0.
    pub fn for_margin(dimension: usize, largest_feature: f64, margin: f64) -> Result<Self, OcoError> {
        Ok(Self { state: MistakeSum::for_margin(dimension, largest_feature, margin)? })
    }

    /// w⁺ − w⁻. O(m).
    pub fn weights(&self) -> Vec<f64> {
        let theta = &self.state.theta;
        let top = theta.iter().fold(0.0, |top: f64, theta_j| top.max(theta_j.abs()));
        // cosh(z)/e^top = e^(|z| − top)·(1 − (1 − e^(−2|z|))/2).
        let cosh = |theta_j: &f64| self.ratio(*theta_j, top) * (1.0 - self.share(*theta_j));
        let total: f64 = theta.iter().map(cosh).sum();
        theta.iter().map(|theta_j| self.weight(*theta_j, top) / total).collect()
    }

    /// m.
    pub fn dimension(&self) -> usize {
        self.state.theta.len()
    }

    /// The mistakes so far; a score of 0 counts as one.
    pub fn mistakes(&self) -> u64 {
        self.state.mistakes
    }
}
