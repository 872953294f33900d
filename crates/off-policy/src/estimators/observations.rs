//! Where the rows come from.

use super::{EstimateError, Observation};

/// A log beside a policy and perhaps a model, row by row: what an estimator looks at.
///
/// Contract: the same rows in the same order, whenever they are visited. Both methods are required.
pub trait Observations {
    /// Whether the rows come with what a model predicts.
    fn has_model(&self) -> bool;

    /// Shows every row in order, up to the first refusal.
    ///
    /// # Errors
    /// What `see` refuses, and what is wrong with a row.
    fn visit(&self, see: impl FnMut(&Observation) -> Result<(), EstimateError>) -> Result<(), EstimateError>;
}

/// How far a sum of probabilities may be from 1.
pub(super) const SLACK: f64 = 1e-9;

/// Σ_a π(a)q(a), of a checked distribution; the sum of a row's probabilities is 1 within 1e−9 and none is negative.
///
/// # Errors
/// [`EstimateError::NotFinite`], [`EstimateError::NotADistribution`].
#[inline]
pub(super) fn direct(row: usize, target: &[f64], predictions: Option<&[f64]>) -> Result<f64, EstimateError> {
    let (mut sum, mut least, mut direct) = (0.0, 0.0, 0.0);
    if let Some(predictions) = predictions {
        for (p, q) in target.iter().zip(predictions) {
            sum += p;
            least = if *p < least { *p } else { least };
            direct += p * q;
        }
    } else {
        for p in target {
            sum += p;
            least = if *p < least { *p } else { least };
        }
    }
    // A NaN among the probabilities is in their sum.
    if !((sum - 1.0_f64).abs() <= SLACK && least >= 0.0) {
        not_finite("target", row, target)?;
        return Err(EstimateError::NotADistribution { row, sum, least });
    }
    match predictions {
        Some(predictions) if !f64::is_finite(direct) => halved(row, target, predictions),
        _ => Ok(direct),
    }
}

/// The same sum where a partial sum is no finite number.
#[cold]
fn halved(row: usize, target: &[f64], predictions: &[f64]) -> Result<f64, EstimateError> {
    not_finite("q", row, predictions)?;
    let half: f64 = target.iter().zip(predictions).map(|(p, q)| p * (q * 0.5)).sum();
    let direct = 2.0 * half;
    if direct.is_finite() {
        Ok(direct)
    } else {
        Err(EstimateError::Overflow { quantity: "a row's direct term" })
    }
}

#[cold]
fn not_finite(argument: &'static str, row: usize, values: &[f64]) -> Result<(), EstimateError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(a) => {
            Err(EstimateError::NotFinite { argument, index: row * values.len() + a, value: values[a] })
        }
        None => Ok(()),
    }
}
