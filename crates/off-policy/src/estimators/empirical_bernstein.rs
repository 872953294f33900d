//! The empirical Bernstein interval \[MP09\].

use super::interval::probability;
use super::moments::double;
use super::settings::positive;
use super::wide::Wide;
use super::{EstimateError, Interval, Moments};
use serde::{Deserialize, Serialize};

/// Whether one end of an interval is asked for, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sides {
    /// The mean is below value + half width, or it is above value − half width: one of them, chosen ahead.
    One,
    /// Both.
    Two,
}

/// mean ± half width, which holds the mean of the terms but with probability δ, for any number of rows \[MP09, Theorem 4\]:
/// with V the variance (divisor n − 1) and b the length of an interval in which every term lies,
/// half width = √(2VL/n) + 7bL/(3(n − 1)), L = ln(2·sides/δ).
///
/// No normality is assumed and nothing is asymptotic; the terms have to be independent and bounded by a b that is known
/// *before* the data are seen. For the estimators of a policy's value, SNIPS included, see
/// [`empirical_bernstein_interval`](super::empirical_bernstein_interval).
///
/// ```
/// use off_policy::estimators::{EmpiricalBernstein, Moments, Sides};
/// let found = EmpiricalBernstein::new(&Moments::of(&[0.5, 0.5])?, 1.0, 0.05, Sides::Two)?;
/// assert!((found.half_width - 7.0 / 3.0 * 80f64.ln()).abs() < 1e-12);
/// # Ok::<(), off_policy::estimators::EstimateError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EmpiricalBernstein {
    /// The mean.
    pub mean: f64,
    /// How far the mean of the terms may be from it.
    pub half_width: f64,
}

impl EmpiricalBernstein {
    /// From the moments of n ≥ 2 terms, 0 < b, and 0 < δ < 1.
    ///
    /// # Errors
    /// [`EstimateError::BadParameter`] with the parameter, [`EstimateError::NotFinite`]; [`EstimateError::OutsideRange`] for
    /// terms further apart than b(1 + 1e−9); [`EstimateError::Overflow`].
    pub fn new(terms: &Moments, width: f64, delta: f64, sides: Sides) -> Result<Self, EstimateError> {
        let width = positive("width", width)?;
        let (least, largest) = (terms.least(), terms.largest());
        let apart = (Wide::from(largest) - Wide::from(least)).saturated();
        // Terms that are computed may leave their interval by rounding.
        if apart > width * (1.0 + 1e-9) {
            let upper = (least + width).min(f64::MAX);
            return Err(EstimateError::OutsideRange { least, largest, lower: least, upper });
        }
        let half_width = half_width(terms.count(), terms.standard_error()?, width.into(), delta, sides)?;
        Ok(Self { mean: terms.mean()?, half_width })
    }

    /// mean ± half width; of a one-sided half width only one end is to be used.
    #[must_use]
    pub fn interval(&self) -> Interval {
        Interval::around(self.mean, self.half_width)
    }
}

/// √(2L)·se + 7bL/(3(n − 1)), in which √(V/n) is the standard error.
pub(super) fn half_width(
    n: u64,
    standard_error: Option<f64>,
    width: Wide,
    delta: f64,
    sides: Sides,
) -> Result<f64, EstimateError> {
    let delta = probability("delta", delta)?;
    let n = n as f64;
    let too_few = EstimateError::BadParameter { name: "n", value: n, domain: "2, 3, …" };
    let standard_error = standard_error.filter(|_| n >= 2.0).ok_or(too_few)?;
    let l = logarithm(delta, sides);
    let spread = Wide::from((2.0 * l).sqrt()) * Wide::from(standard_error);
    let range = Wide::from(7.0 * l / (3.0 * (n - 1.0))) * width;
    double("the half width", spread + range)
}

/// L = ln(2·sides/δ).
pub(super) fn logarithm(delta: f64, sides: Sides) -> f64 {
    match sides {
        Sides::One => 2.0_f64.ln() - delta.ln(),
        Sides::Two => 4.0_f64.ln() - delta.ln(),
    }
}
