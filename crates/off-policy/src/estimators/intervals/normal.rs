//! The normal interval.

use crate::estimators::definitions::Estimate;
use crate::estimators::error::EstimateError;
use crate::estimators::intervals::{Interval, probability};

/// value ± z·se, where z is the (1 − δ/2)-quantile of the standard normal distribution.
///
/// It holds the value with probability near 1 − δ for many rows of weights that are not too uneven; for few
/// rows, or weights of which a handful decide, it is too narrow. *Ranges:* 0 < δ < 1; z is within 1e−9·(1 +
/// z) of printed values, down to δ = 2e−300. \[ET93, Section 12\]
///
/// ```
/// use off_policy::estimators::{Estimate, normal_interval};
/// let estimate = Estimate { value: 1.0, standard_error: Some(0.5) };
/// let interval = normal_interval(estimate, 0.05)?;
/// assert!(interval.is_some_and(|i| (i.upper - 1.0 - 0.5 * 1.959_963_984_540_054).abs() < 1e-12));
/// # Ok::<(), off_policy::estimators::EstimateError>(())
/// ```
///
/// `None` without a standard error.
///
/// # Errors
/// [`EstimateError::NotFinite`] and [`EstimateError::BadParameter`] for δ.
pub fn normal_interval(estimate: Estimate, delta: f64) -> Result<Option<Interval>, EstimateError> {
    let z = upper_quantile(probability("delta", delta)? / 2.0);
    Ok(estimate.standard_error.map(|se| Interval::around(estimate.value, z * se)))
}

/// The z ≥ 0 that a standard normal number exceeds with probability 0 < p ≤ ½: bisection on z until its ends
/// meet.
fn upper_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    loop {
        let z = 0.5 * (low + high);
        if z <= low || z >= high {
            return z;
        }
        if upper_tail(z) > p { low = z } else { high = z }
    }
}

/// P(Z > z) for z ≥ 0: below 3 by the series φ(z)·Σ z^(2k+1)/(1·3·…·(2k+1)) of its complement, from there by
/// Laplace's continued fraction φ(z)/(z + 1/(z + 2/(z + 3/…))).
fn upper_tail(z: f64) -> f64 {
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z < 3.0 {
        let (mut term, mut sum, mut odd) = (z, 0.0, 1.0);
        while term > 1e-17 * sum {
            sum += term;
            odd += 2.0;
            term *= z * z / odd;
        }
        return 0.5 - density * sum;
    }
    density / (1..=200).rev().fold(z, |tail, k| z + f64::from(k) / tail)
}

#[cfg(test)]
mod tests {
    use super::upper_quantile;

    #[test]
    fn quantiles_are_those_of_printed_tables() {
        let table = [
            (0.5, 0.0),
            (0.25, 0.674_489_750_196_081_7),
            (0.05, 1.644_853_626_951_472_2),
            (0.025, 1.959_963_984_540_054),
            (0.005, 2.575_829_303_548_900_4),
            (1e-3, 3.090_232_306_167_813_5),
            (1e-9, 5.997_807_015_007_686_9),
            (1e-300, 37.047_096_299_361_2),
        ];
        for (p, z) in table {
            let got = upper_quantile(p);
            assert!((got - z).abs() <= 1e-9 * (1.0 + z), "{p}: {got}, not {z}");
        }
    }
}
