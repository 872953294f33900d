//! The scale of a predictor, Z of [L23].

use super::BoplError;
use super::weighted_log::{exponent_of, times_power};

/// Z′ = (1/n) Σ w_i ‖f(x_i)‖² of predictions, and the factor √(Z/Z′) that brings them to a given Z \[L23,
/// Appendix D.1\].
///
/// A reference implementation. Algorithms 1 and 2 ask the base learner for a fixed Z. The ensemble does not
/// depend on it, because α_t makes up for the factor, so [`PolicyBoosting`](super::PolicyBoosting) leaves
/// predictors unscaled.
///
/// *Shapes:* `values` in any order of the pairs that keeps pair (i, a) at a·n + i.
///
/// ```
/// use boosters::bopl::Scale;
/// let scale = Scale::to(4.0, &[1.0, 3.0], &[1.0, 1.0, -1.0, 1.0])?; // ‖f(x)‖² = 2 in both rows
/// assert_eq!((scale.before, scale.factor), (4.0, 1.0));
/// assert!(Scale::to(0.0, &[1.0], &[1.0]).is_err());
/// # Ok::<(), boosters::bopl::BoplError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Z′.
    pub before: f64,
    /// √(Z/Z′).
    pub factor: f64,
}

impl Scale {
    /// The scale of these predictions, and the factor to Z.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a Z that is not positive and finite, [`BoplError::Mismatch`] for
    /// predictions that are not whole columns of as many rows as weights, [`BoplError::NotFinite`] also for a
    /// Z′ or a factor beyond the range,
    /// [`LearnerError::ZeroWeights`](weak_learners::LearnerError::ZeroWeights) where Z′ is 0.
    pub fn to(z: f64, weights: &[f64], values: &[f64]) -> Result<Self, BoplError> {
        use weak_learners::LearnerError::{Empty, NegativeWeight, ZeroWeights};
        if !(z > 0.0 && z.is_finite()) {
            return Err(BoplError::BadParameter { name: "Z", value: z, domain: "(0, ∞)" });
        }
        let n = weights.len();
        if n == 0 || values.is_empty() {
            return Err(Empty { argument: "weights or values" }.into());
        }
        if !values.len().is_multiple_of(n) {
            let expected = values.len().next_multiple_of(n);
            return Err(BoplError::Mismatch {
                argument: "values",
                unit: "pairs",
                expected,
                got: values.len(),
            });
        }
        for (argument, numbers) in [("a weight", weights), ("a value", values)] {
            if let Some(index) = numbers.iter().position(|v| !v.is_finite()) {
                return Err(BoplError::NotFinite { argument, index, value: numbers[index] });
            }
        }
        if let Some(index) = weights.iter().position(|w| *w < 0.0) {
            return Err(NegativeWeight { index, value: weights[index] }.into());
        }
        // In units of the largest weight and the largest value that has a weight: products overflow before
        // means do.
        let weighty = values.iter().enumerate().filter(|(k, _)| weights[k % n] > 0.0);
        let largest = weighty.fold(0.0, |largest: f64, (_, f)| largest.max(f.abs()));
        let (e_w, e_f) = (exponent_of(weights), exponent_of(&[largest]));
        let term = |(k, f): (usize, &f64)| {
            let f = times_power(*f, -e_f);
            times_power(weights[k % n], -e_w) * f * f
        };
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let mean = values.iter().enumerate().map(term).sum::<f64>() / n as f64;
        if mean == 0.0 {
            return Err(ZeroWeights.into());
        }
        let before = times_power(mean, e_w + 2 * e_f);
        // √(Z/Z′) = √(Z/mean·2^−e_w)·2^−e_f with Z and mean as fractions of powers, of which an odd one goes
        // under the root.
        let (e_z, e_mean) = (exponent_of(&[z]), exponent_of(&[mean]));
        let (z, mean) = (times_power(z, -e_z), times_power(mean, -e_mean));
        let e = e_z - e_mean - e_w;
        let odd = e.rem_euclid(2);
        let factor = times_power((z / mean * f64::from(1 + odd)).sqrt(), (e - odd) / 2 - e_f);
        for (argument, value) in [("Z′", before), ("√(Z/Z′)", factor)] {
            if !value.is_finite() {
                return Err(BoplError::NotFinite { argument, index: 0, value });
            }
        }
        Ok(Self { before, factor })
    }
}
