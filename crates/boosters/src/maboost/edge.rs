//! What the answers of a hypothesis come to.

use super::BoostError;
use super::mirror_map::count;
use weak_learners::LearnerError;

/// −⟨w, d⟩, or 0 where that is no more than the rounding of its own sum: |γ| ≤ (N/8 + 4)·ε·Σw_i|d_i|. The bound is
/// relative, so an honest edge of tiny answers is one.
pub(super) fn edge(w: &[f64], d: &[f64]) -> f64 {
    let edge = -rows::dot(w, d);
    let rounding = (0.125 * count(d.len()) + 4.0) * f64::EPSILON;
    // Σw|d| is at most 1 but for rounding, so that it is seldom asked for.
    if edge.abs() > 2.0 * rounding {
        return edge;
    }
    let size: f64 = w.iter().zip(d).map(|(w, d)| w * d.abs()).sum();
    if edge.abs() <= rounding * size { 0.0 } else { edge }
}

/// Refuses a hypothesis that answers outside \[−1, 1\].
pub(super) fn check_predictions(votes: &[f64]) -> Result<(), BoostError> {
    // All of them first: a search that may stop anywhere takes one at a time.
    if votes.iter().fold(true, |fine, v| fine & (v.abs() <= 1.0)) {
        return Ok(());
    }
    match votes.iter().position(|v| !(v.abs() <= 1.0)) {
        None => Ok(()),
        Some(index) if votes[index].is_finite() => {
            Err(BoostError::BadPrediction { index, value: votes[index] })
        }
        Some(index) => {
            Err(LearnerError::NotFinite { argument: "prediction", index, value: votes[index] }.into())
        }
    }
}
