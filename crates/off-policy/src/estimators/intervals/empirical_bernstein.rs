//! The empirical Bernstein interval \[MP09\].

use crate::estimators::definitions::{Estimator, StatedRanges, positive};
use crate::estimators::error::EstimateError;
use crate::estimators::intervals::{Interval, probability};
use crate::estimators::pass::moments::double;
use crate::estimators::pass::{Moments, OffPolicyEvaluation};
use rows::numeric::Wide;
use serde::{Deserialize, Serialize};

/// Whether one end of an interval is asked for, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sides {
    /// The mean is below value + half width, or it is above value − half width: one of them, chosen ahead.
    One,
    /// Both.
    Two,
}

/// mean ± half width, which holds the mean of the terms but with probability δ, for any number of rows
/// \[MP09, Theorem 4\]: with V the variance (divisor n − 1) and b the length of an interval in which every
/// term lies, half width = √(2VL/n) + 7bL/(3(n − 1)), L = ln(2·sides/δ).
///
/// No normality is assumed and nothing is asymptotic; the terms have to be independent and bounded by a b
/// that is known
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
    /// [`EstimateError::BadParameter`] with the parameter, [`EstimateError::NotFinite`];
    /// [`EstimateError::OutsideRange`] for terms further apart than b(1 + 1e−9); [`EstimateError::Overflow`].
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
pub(crate) fn half_width(
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
pub(crate) fn logarithm(delta: f64, sides: Sides) -> f64 {
    match sides {
        Sides::One => 2.0_f64.ln() - delta.ln(),
        Sides::Two => 4.0_f64.ln() - delta.ln(),
    }
}

/// An interval of an estimator by \[MP09, Theorem 4\]: for any number n ≥ 2 of independent rows, it holds
/// what the estimator is about but with probability δ.
///
/// What an estimator is about: V(π) of IPS and DR where the log can play what π plays, the mean of their
/// terms of clipped IPS, DM and SWITCH-DR. Clipped IPS of rewards ≥ 0 is in the mean at most V(π), so that
/// its lower end is one for V(π) as well. A model has to be fitted on other rows: where each half of a log
/// has that of the other half, the terms are not independent.
///
/// *Means of terms.* mean ± half width, as of [`EmpiricalBernstein`](super::EmpiricalBernstein), with the
/// length b of an interval in which every term lies. For rewards in [l, u], predictions in [q₋, q₊] and
/// weights of at most W = 1/p_min:
///
/// | | b |
/// |---|---|
/// | IPS | W·(max(u, 0) − min(l, 0)) |
/// | clipped IPS | the same with min(W, M) for W |
/// | DM | q₊ − q₋ |
/// | DR | q₊ − q₋ + W·(max(u − q₋, 0) − min(l − q₊, 0)) |
/// | SWITCH-DR | the same with min(W, τ) for W |
///
/// *SNIPS* is a ratio, about V = E\[wr\]/E\[w\], which is V(π) where E\[w\] = 1. The terms w_i(r_i − V) have
/// mean 0 and lie in [W(l − V), W(u − V)], of length b = W(u − l), since l ≤ V ≤ u. So for this one V,
/// whatever it is, the theorem says with probability 1 − δ
///
/// |Σw_i(r_i − V)|/n ≤ √(2L·S²(V)/n) + 7bL/(3(n − 1)),
///
/// where S²(v) is the sample variance of w_i(r_i − v). The interval is the set of v in [l, u] of which this
/// is true: nothing is split between numerator and denominator, and a translation of the rewards moves it
/// along. For v = V̂ ∓ y with V̂ the estimate and y ≥ 0 the condition is y − β ≤ √(c(s² ± 2κy + ρ²y²)), in
/// which β = 7bL/(3(n − 1)w̄), c = 2Ln/(n − 1), s is the standard error of SNIPS, κ = Σw_i²(r_i − V̂)/(Σw)²
/// and ρ² = Σ(w_i − w̄)²/(Σw)²; the largest such y is the larger root of (1 − cρ²)y² − 2(β ± cκ)y + β² − cs².
/// Where β ≥ u − l nothing is left but [l, u] itself; elsewhere cρ² ≤ 6β/(7(u − l)) < 1, because Σw² ≤ WΣw.
///
/// `None` where there is no estimate: SNIPS where every weight is 0, and the last three without a model. Of
/// an interval of [`Sides::One`] only one end, chosen ahead, is to be used. *Cost:* O(1).
///
/// ```
/// use off_policy::estimators::*;
/// let (actions, p, pi) = ([0; 4000], [0.5; 4000], [0.5; 8000]);
/// let clicks: Vec<f64> = (0..4000).map(|i| f64::from(i % 4 == 0)).collect();
/// let ranges = StatedRanges::new([0.0, 1.0])?.with_least_propensity(0.5)?;
/// let tables = Tables::new(2, &actions, &p, &clicks, &pi, None)?;
/// let found = OffPolicyEvaluation::of_tables(&tables, EstimatorSettings::default().within(ranges))?;
/// let interval = |estimator| empirical_bernstein_interval(&found, estimator, 0.05, Sides::Two);
/// // Weights are 1: the mean of 4,000 terms in [0, 2], which have variance 3/16·4000/3999.
/// let l = 80f64.ln();
/// let half_width = (2.0 * l * 3.0 / 16.0 / 3999.0).sqrt() + 14.0 * l / (3.0 * 3999.0);
/// assert!(interval(Estimator::Ips)?.is_some_and(|i| (i.upper - 0.25 - half_width).abs() < 1e-12));
/// assert!(interval(Estimator::Snips)?.is_some_and(|i| (0.25 - i.lower - half_width).abs() < 1e-12));
/// assert_eq!(interval(Estimator::Dr)?, None);
/// # Ok::<(), EstimateError>(())
/// ```
///
/// # Errors
/// [`EstimateError::NotStated`] where the evaluation was made without [`StatedRanges`], or these lack a bound
/// of the weights that the estimator needs; [`EstimateError::BadParameter`] for n = 1 or δ,
/// [`EstimateError::NotFinite`] for δ; [`EstimateError::Overflow`].
pub fn empirical_bernstein_interval(
    evaluation: &OffPolicyEvaluation,
    estimator: Estimator,
    delta: f64,
    sides: Sides,
) -> Result<Option<Interval>, EstimateError> {
    let delta = probability("delta", delta)?;
    let Some(estimate) = evaluation.estimate(estimator) else {
        return Ok(None);
    };
    let settings = evaluation.settings;
    let ranges = settings.ranges().ok_or(EstimateError::NotStated { what: "a range of the rewards" })?;
    let width = ranges.width(estimator, settings)?;
    let n = evaluation.support.rows;
    // Of a variance of 0: 7bL/(3(n − 1)) alone.
    let least = half_width(n, Some(0.0), width, delta, sides)?;
    if estimator == Estimator::Snips {
        return Ok(Some(of_ratio(evaluation, &ranges, least, logarithm(delta, sides))));
    }
    let half_width = half_width(n, estimate.standard_error, width, delta, sides)?;
    Ok(Some(Interval::around(estimate.value, half_width)))
}

/// The interval of SNIPS; `least` is 7bL/(3(n − 1)), and n ≥ 2.
fn of_ratio(evaluation: &OffPolicyEvaluation, ranges: &StatedRanges, least: f64, l: f64) -> Interval {
    let ([lower, upper], support) = (ranges.rewards(), &evaluation.support);
    let everything = Interval { lower, upper };
    let (Some(snips), Some(covariance)) = (evaluation.snips, evaluation.snips_covariance) else {
        return everything;
    };
    // Rewards are counted in units of u − l, in which no number below is larger than c: halves, for u − l may
    // be no double.
    let half = 0.5 * upper - 0.5 * lower;
    let in_units = |x: f64| if half > 0.0 { 0.5 * (x / half) } else { 0.0 };
    let (n, mean) = (support.rows as f64, support.mean_weight);
    let c = 2.0 * l * n / (n - 1.0);
    let error = in_units(snips.standard_error.unwrap_or(0.0));
    let (beta, kappa) = (in_units(least / mean), in_units(covariance));
    // Every reward is within β of the estimate; a NaN is that of a mean weight that rounds to 0.
    if beta.is_nan() || beta >= 1.0 {
        return everything;
    }
    let rho = support.standard_error.unwrap_or(0.0) / mean;
    let lead = 1.0 - c * (rho * rho) * ((n - 1.0) / n);
    let reach = |kappa: f64| {
        let middle = beta + c * kappa;
        let root = (middle * middle - lead * (beta * beta - c * error * error)).max(0.0).sqrt();
        2.0 * half * ((middle + root) / lead).min(1.0)
    };
    Interval {
        lower: (snips.value - reach(kappa)).clamp(lower, upper),
        upper: (snips.value + reach(-kappa)).clamp(lower, upper),
    }
}
