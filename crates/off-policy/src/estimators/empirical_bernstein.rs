//! The empirical Bernstein interval \[MP09\].

use super::interval::probability;
use super::moments::double;
use super::settings::positive;
use super::wide::Wide;
use super::{EstimateError, Interval, Moments, OffPolicyEvaluation};
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
/// *before* the data are seen. Clipped IPS has one where rewards have, see [`of_clipped_ips`](Self::of_clipped_ips); its
/// mean is that of the clipped terms, which for rewards ≥ 0 is at most the value of the policy: a lower end that holds for
/// the value as well. SNIPS is no mean of independent terms, so that this theorem says nothing of it: take
/// [`normal_interval`](super::normal_interval) or [`Bootstrap`](super::Bootstrap).
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
        let half_width = half_width(terms.count(), terms.standard_error()?, width, delta, sides)?;
        Ok(Self { mean: terms.mean()?, half_width })
    }

    /// Of clipped IPS, where every reward lies in [lower, upper]: its terms then lie between M·min(lower, 0) and
    /// M·max(upper, 0). Rewards, not costs: of costs in [l, u], whose log holds their negatives, they are those in [−u, −l].
    ///
    /// # Errors
    /// [`EstimateError::BadParameter`] without M, for lower > upper, n = 1 or δ, [`EstimateError::NotFinite`];
    /// [`EstimateError::OutsideRange`] where a term shows that a reward was outside; [`EstimateError::Overflow`].
    pub fn of_clipped_ips(
        evaluation: &OffPolicyEvaluation,
        [lower, upper]: [f64; 2],
        delta: f64,
        sides: Sides,
    ) -> Result<Self, EstimateError> {
        for (argument, value) in [("the least reward", lower), ("the largest reward", upper)] {
            if !value.is_finite() {
                return Err(EstimateError::NotFinite { argument, index: 0, value });
            }
        }
        if lower > upper {
            let (name, value, domain) = ("the least reward", lower, "(−∞, the largest reward]");
            return Err(EstimateError::BadParameter { name, value, domain });
        }
        let clip = evaluation.settings.clip().ok_or(EstimateError::BadParameter {
            name: "clip",
            value: f64::INFINITY,
            domain: "(0, ∞)",
        })?;
        let [lower, upper] = [clip * lower.min(0.0), clip * upper.max(0.0)];
        let [least, largest] = evaluation.clipped_terms;
        if least < lower || largest > upper {
            return Err(EstimateError::OutsideRange { least, largest, lower, upper });
        }
        let width = positive("the width of the terms", upper - lower)?;
        let estimate = evaluation.clipped_ips;
        let half_width = half_width(evaluation.support.rows, estimate.standard_error, width, delta, sides)?;
        Ok(Self { mean: estimate.value, half_width })
    }

    /// mean ± half width; of a one-sided half width only one end is to be used.
    #[must_use]
    pub fn interval(&self) -> Interval {
        Interval::around(self.mean, self.half_width)
    }
}

/// √(2L)·se + 7bL/(3(n − 1)), in which √(V/n) is the standard error.
fn half_width(
    n: u64,
    standard_error: Option<f64>,
    width: f64,
    delta: f64,
    sides: Sides,
) -> Result<f64, EstimateError> {
    let delta = probability("delta", delta)?;
    let n = n as f64;
    let too_few = EstimateError::BadParameter { name: "n", value: n, domain: "2, 3, …" };
    let standard_error = standard_error.filter(|_| n >= 2.0).ok_or(too_few)?;
    let l = match sides {
        Sides::One => 2.0_f64.ln() - delta.ln(),
        Sides::Two => 4.0_f64.ln() - delta.ln(),
    };
    let spread = Wide::from((2.0 * l).sqrt()) * Wide::from(standard_error);
    let range = Wide::from(7.0 * l / (3.0 * (n - 1.0))) * Wide::from(width);
    double("the half width", spread + range)
}
