//! An interval for a value.

mod bootstrap;
mod empirical_bernstein;
mod logarithmic_smoothing;
mod normal;

pub use bootstrap::{Bootstrap, Resampling};
pub use empirical_bernstein::{EmpiricalBernstein, Sides, empirical_bernstein_interval};
pub use logarithmic_smoothing::LogarithmicSmoothing;
pub use normal::normal_interval;

use crate::estimators::error::EstimateError;
use serde::{Deserialize, Serialize};

/// From lower to upper, both included; an end may be infinite where the interval is one-sided.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

impl Interval {
    /// Whether the interval contains a value.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// value ± half a width, ends that leave the doubles at the largest of these.
    pub(crate) fn around(value: f64, half_width: f64) -> Self {
        Self {
            lower: (value - half_width).clamp(f64::MIN, f64::MAX),
            upper: (value + half_width).clamp(f64::MIN, f64::MAX),
        }
    }
}

/// A probability strictly between 0 and 1.
///
/// # Errors
/// [`EstimateError::NotFinite`], [`EstimateError::BadParameter`].
pub(crate) fn probability(name: &'static str, value: f64) -> Result<f64, EstimateError> {
    if !value.is_finite() {
        return Err(EstimateError::NotFinite { argument: name, index: 0, value });
    }
    if value > 0.0 && value < 1.0 {
        Ok(value)
    } else {
        Err(EstimateError::BadParameter { name, value, domain: "(0, 1)" })
    }
}
