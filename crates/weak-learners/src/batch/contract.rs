//! The contracts of batch weak learning.

use crate::LearnerError;
use projections::{exponent_above, scale_down, scale_up};
use rows::{Row, RowMatrix};

/// A trained classifier x ↦ h(x) ∈ \[−1, 1\]; most answer ±1.
///
/// Contract: a pure function of the row. Both methods are required.
pub trait Hypothesis {
    /// m, the dimension of a row.
    fn inputs(&self) -> usize;

    /// h(x).
    ///
    /// # Errors
    /// A row of another dimension.
    fn predict(&self, x: Row<'_>) -> Result<f64, LearnerError>;
}

/// m examples in the layout that a learner searches (rows, presorted columns, …), prepared once and trained on often.
///
/// Contract: at least one example; all rows of one dimension. All four methods are required.
pub trait Sample {
    /// m, the number of examples, at least 1.
    fn size(&self) -> usize;

    /// The dimension of a row.
    fn inputs(&self) -> usize;

    /// Calls `visit` with x_1, …, x_m in order, and stops at the first error.
    ///
    /// # Errors
    /// The first error of `visit`.
    fn try_for_each(
        &self,
        visit: &mut dyn FnMut(usize, Row<'_>) -> Result<(), LearnerError>,
    ) -> Result<(), LearnerError>;

    /// The [`RowMatrix::fingerprint`] of the rows: whoever keeps labels or gradients of these rows elsewhere tells by it that
    /// a sample is of the same rows in the same order.
    fn fingerprint(&self) -> u64;
}

/// A learner of weighted examples: given targets a_i ∈ \[−1, 1\] and weights w_i ≥ 0, it returns an h of large *edge*
/// Σ w_i a_i h(x_i) / Σ w_i.
///
/// A target is the label ±1 of an example, or the mean label of one that occurs with several: an example with label +1
/// of weight u and label −1 of weight v is one example with target (u−v)/(u+v) and weight u+v. Weights need not sum to
/// 1; an example of weight 0 is as absent.
///
/// Contract: `train` refuses targets outside \[−1, 1\], negative weights, a weight or target that is not finite, lengths
/// that differ from the sample's, and weights that are all 0; the learner, its random stream included, is then as it
/// was. `train` is required; `evaluate` has a default that walks the rows.
pub trait WeakLearner {
    /// The layout it searches.
    type Sample: Sample;
    /// What it finds.
    type Hypothesis: Hypothesis;

    /// Finds a hypothesis on the weighted sample.
    ///
    /// # Errors
    /// As the contract says.
    fn train(
        &mut self,
        sample: &Self::Sample,
        targets: &[f64],
        weights: &[f64],
    ) -> Result<Self::Hypothesis, LearnerError>;

    /// Writes h(x_1), …, h(x_m) to `votes`.
    ///
    /// # Errors
    /// A hypothesis of another dimension, or `votes` of another length than the sample.
    fn evaluate(
        &self,
        hypothesis: &Self::Hypothesis,
        sample: &Self::Sample,
        votes: &mut [f64],
    ) -> Result<(), LearnerError> {
        check_evaluation(hypothesis, sample, votes)?;
        sample.try_for_each(&mut |i, x| {
            votes[i] = hypothesis.predict(x)?;
            Ok(())
        })
    }
}

/// Refuses a matrix without a row, and one whose rows a `u32` cannot count.
pub(crate) fn check_size(matrix: &RowMatrix) -> Result<(), LearnerError> {
    if matrix.is_empty() {
        return Err(LearnerError::Empty { argument: "sample" });
    }
    if u32::try_from(matrix.len() - 1).is_err() {
        #[allow(clippy::cast_precision_loss, reason = "for the message")]
        let value = matrix.len() as f64;
        return Err(LearnerError::BadParameter { name: "rows", value, domain: "m ≤ 2^32" });
    }
    // Every column has a place, also where sparse rows leave it empty.
    if matrix.dimension() > 1 << 26 {
        #[allow(clippy::cast_precision_loss, reason = "for the message")]
        let value = matrix.dimension() as f64;
        return Err(LearnerError::BadParameter { name: "columns", value, domain: "d ≤ 2^26" });
    }
    Ok(())
}

/// What [`WeakLearner::train`] refuses, refused; otherwise the largest weight, which is positive.
pub(crate) fn check_examples(size: usize, targets: &[f64], weights: &[f64]) -> Result<f64, LearnerError> {
    for (argument, values) in [("targets", targets), ("weights", weights)] {
        if values.len() != size {
            return Err(LearnerError::LengthMismatch { argument, expected: size, got: values.len() });
        }
        if let Some(index) = values.iter().position(|v| !v.is_finite()) {
            return Err(LearnerError::NotFinite { argument, index, value: values[index] });
        }
    }
    if let Some(&value) = targets.iter().find(|a| a.abs() > 1.0) {
        return Err(LearnerError::BadLabel { argument: "target", value });
    }
    if let Some(index) = weights.iter().position(|w| *w < 0.0) {
        return Err(LearnerError::NegativeWeight { index, value: weights[index] });
    }
    let largest = weights.iter().fold(0.0, |largest: f64, w| largest.max(*w));
    if largest > 0.0 { Ok(largest) } else { Err(LearnerError::ZeroWeights) }
}

/// The unit in which a training on bins adds up whole numbers: a power of two, 2^−61 to 2^−60 of Σ w_i.
///
/// No sum overflows. The unit is 2^(e − 61), where the Σ w_i that was computed is below 2^e; of m ≤ 2^32 terms that are not
/// negative it is right to a factor of 1 ± 2^−20. So any sum of weights in grains is below 2^62, and so is one of products
/// w_i a_i, none of which is rounded to more than w_i; twice such a sum is still an `i64`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grain {
    /// One over the unit, which may lie beyond the range of powers of two; the halves of its exponent do not.
    halves: (f64, f64),
}

impl Grain {
    /// What [`WeakLearner::train`] refuses, refused; otherwise the unit for these weights.
    pub(crate) fn of(size: usize, targets: &[f64], weights: &[f64]) -> Result<Self, LearnerError> {
        let shift = 61 - exponent_of_total(size, targets, weights)?;
        Ok(Self { halves: (in_units(1.0, -(shift / 2)), in_units(1.0, shift / 2 - shift)) })
    }

    /// w in grains, with its fraction.
    pub(crate) fn count(self, w: f64) -> f64 {
        w * self.halves.0 * self.halves.1
    }

    /// Whole grains: the fraction is cut off.
    pub(crate) fn whole(grains: f64) -> i64 {
        #[allow(clippy::cast_possible_truncation, reason = "below 2^62; the fraction is to go")]
        let whole = grains as i64;
        whole
    }
}

/// What [`WeakLearner::train`] refuses, refused; otherwise an e with Σ w_i < 2^e, up to the rounding of the sum.
///
/// One pass that keeps four examples in a register; what it finds amiss is left to [`check_examples`] to name.
fn exponent_of_total(size: usize, targets: &[f64], weights: &[f64]) -> Result<i32, LearnerError> {
    let legal = |a: f64, w: f64| (a.abs() <= 1.0) & (w >= 0.0);
    let ((targets_by_four, last_targets), (weights_by_four, last_weights)) =
        (targets.as_chunks::<4>(), weights.as_chunks::<4>());
    let (mut fine, mut sums) = (true, [0.0; 4]);
    for (a, w) in targets_by_four.iter().zip(weights_by_four) {
        for k in 0..4 {
            fine &= legal(a[k], w[k]);
            sums[k] += w[k];
        }
    }
    fine &= last_targets.iter().zip(last_weights).all(|(a, w)| legal(*a, *w));
    let total = sums.iter().chain(last_weights).sum::<f64>();
    let lengths = targets.len() == size && weights.len() == size;
    if lengths && fine && total > 0.0 && total.is_finite() {
        return Ok(exponent_above(total));
    }
    // Every weight is legal, and their sum beyond the range.
    let unit = exponent_above(check_examples(size, targets, weights)?);
    Ok(unit + exponent_above(weights.iter().map(|w| in_units(*w, unit)).sum()))
}

/// w·2^(−unit), where 2^unit is near the largest weight.
pub(crate) fn in_units(w: f64, unit: i32) -> f64 {
    if unit > 0 { scale_down(w, unit.unsigned_abs()) } else { scale_up(w, unit.unsigned_abs()) }
}

/// Whether threads may share this much work, of which so much is worth their start: they belong to the rayon pool that
/// the caller is in, and outside of one none is started. Who uses rayon's iterators asks here first.
pub(crate) fn in_pool(work: usize, worthwhile: usize) -> bool {
    work >= worthwhile && rayon::current_thread_index().is_some()
}

/// What [`WeakLearner::evaluate`] refuses, refused.
pub(crate) fn check_evaluation(
    hypothesis: &impl Hypothesis,
    sample: &impl Sample,
    votes: &[f64],
) -> Result<(), LearnerError> {
    let (expected, got) = (sample.size(), votes.len());
    if got != expected {
        return Err(LearnerError::LengthMismatch { argument: "votes", expected, got });
    }
    let (expected, got) = (hypothesis.inputs(), sample.inputs());
    if got != expected {
        return Err(LearnerError::InputDimension { expected, got });
    }
    Ok(())
}
