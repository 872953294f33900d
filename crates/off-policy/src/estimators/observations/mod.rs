//! Where the rows come from.

mod cross_fit;
mod on_log;
mod reward_model;
mod tables;

pub use cross_fit::cross_fit;
pub use on_log::OnLog;
pub use reward_model::{RewardModel, TableModel, ZeroModel};
pub use tables::Tables;

use crate::estimators::definitions::{Observation, SLACK};
use crate::estimators::error::{EstimateError, check_magnitudes};
use rows::numeric::LARGEST;

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

/// Σ_a π(a)q(a), or 0 without q, of a checked distribution; the sum of a row's probabilities is 1 within 1e−9
/// and none is negative. `first` is the place of the row's first number in the table, which an error names.
///
/// # Errors
/// [`EstimateError::NotFinite`], [`EstimateError::NotADistribution`].
#[inline]
pub(crate) fn direct(
    (row, first): (usize, usize),
    target: &[f64],
    predictions: Option<&[f64]>,
) -> Result<f64, EstimateError> {
    let (sum, least) = sum_and_least(target);
    // A NaN among the probabilities is in their sum.
    if !((sum - 1.0).abs() <= SLACK && least >= 0.0) {
        check_magnitudes("target", first, target)?;
        return Err(EstimateError::NotADistribution { row, sum, least });
    }
    let Some(predictions) = predictions else {
        return Ok(0.0);
    };
    let direct = target.iter().zip(predictions).fold(0.0, |direct, (p, q)| direct + p * q);
    // Beyond this some prediction is out of range, since Σp is 1.
    if direct.abs() > 2.0 * LARGEST || direct.is_nan() {
        check_magnitudes("q", first, predictions)?;
    }
    Ok(direct)
}

/// Σp, and the least of 0 and every p; two lanes, so that one addition need not wait for another.
#[inline]
fn sum_and_least(p: &[f64]) -> (f64, f64) {
    let (mut sum, mut least) = ([0.0; 2], [0.0; 2]);
    let mut see = |lane: usize, p: f64| {
        sum[lane] += p;
        least[lane] = if p < least[lane] { p } else { least[lane] };
    };
    let (pairs, last) = p.as_chunks::<2>();
    for pair in pairs {
        see(0, pair[0]);
        see(1, pair[1]);
    }
    last.iter().for_each(|p| see(0, *p));
    (sum[0] + sum[1], least[0].min(least[1]))
}
