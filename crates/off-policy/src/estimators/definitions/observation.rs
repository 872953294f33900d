//! One row of a log as the estimators see it.

use crate::estimators::error::{EstimateError, check_magnitudes};

/// How far a sum of probabilities may be from 1.
pub(crate) const SLACK: f64 = 1e-9;

/// What the estimators need to know of a row: five numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// π(a_i|x_i), of the policy to be evaluated.
    pub target: f64,
    /// p_i.
    pub propensity: f64,
    /// r_i.
    pub reward: f64,
    /// Σ_a π(a|x_i) q(x_i, a); any finite number without a model, such as 0.
    pub direct: f64,
    /// q(x_i, a_i); any finite number without a model.
    pub predicted: f64,
}

impl Observation {
    /// w_i = π(a_i|x_i)/p_i of row i, which a refusal names.
    ///
    /// # Errors
    /// [`EstimateError::Weight`] for a weight beyond the largest double.
    pub fn weight(&self, row: usize) -> Result<f64, EstimateError> {
        let w = self.target / self.propensity;
        if w.is_finite() {
            return Ok(w);
        }
        Err(EstimateError::Weight { row, target: self.target, propensity: self.propensity })
    }

    /// Refuses a row that no log and policy can have.
    pub(crate) fn check(&self, row: usize) -> Result<(), EstimateError> {
        let numbers = [
            ("target", self.target),
            ("propensity", self.propensity),
            ("reward", self.reward),
            ("direct", self.direct),
            ("predicted", self.predicted),
        ];
        for (argument, value) in numbers {
            check_magnitudes(argument, row, &[value])?;
        }
        if !(self.propensity > 0.0 && self.propensity <= 1.0) {
            let value = self.propensity;
            return Err(EstimateError::Log(crate::LogError::BadPropensity { row, value }));
        }
        let (value, domain) = (self.target, "[0, 1]");
        if !(0.0..=1.0 + SLACK).contains(&value) {
            return Err(EstimateError::BadParameter { name: "target", value, domain });
        }
        Ok(())
    }
}
