//! The contracts of batch weak learning.

use crate::LearnerError;
use crate::error::check_magnitudes;
use ranks::Shard;
use rows::numeric::{LARGEST, exponent_above, scale};
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

/// m examples in the layout that a learner searches (rows, presorted columns, …), prepared once and trained
/// on often.
///
/// Contract: at least one example; all rows of one dimension. [`shard`](Self::shard) has a default; the other
/// four methods are required.
pub trait Sample {
    /// m, the number of examples, at least 1. Of the rows of a rank: those of all ranks where a
    /// [`WeakLearner`] searches them, as it is given all targets and weights; this rank's where a pair
    /// learner does.
    fn size(&self) -> usize;

    /// The dimension of a row.
    fn inputs(&self) -> usize;

    /// Calls `visit` with x_1, …, x_m in order, and stops at the first error.
    ///
    /// # Errors
    /// The first error of `visit`; [`LearnerError::Ranks`] where the rows of other ranks are among them.
    fn try_for_each(
        &self,
        visit: &mut dyn FnMut(usize, Row<'_>) -> Result<(), LearnerError>,
    ) -> Result<(), LearnerError>;

    /// The [`RowMatrix::fingerprint`] of the rows. Code that keeps labels or gradients elsewhere checks by it
    /// that a sample has the same rows in the same order.
    fn fingerprint(&self) -> u64;

    /// Which rows of all ranks these are; `None` for a sample of all rows. A learner that is given the rows
    /// of a rank trains on those of all ranks with it, or refuses them.
    fn shard(&self) -> Option<&Shard> {
        None
    }
}

/// A learner of weighted examples: given targets a_i ∈ \[−1, 1\] and weights w_i ≥ 0, it returns an h of
/// large *edge* Σ w_i a_i h(x_i) / Σ w_i.
///
/// A target is the label ±1 of an example, or the mean label of an example with several. An example with
/// label +1 of weight u and label −1 of weight v is one example with target (u−v)/(u+v) and weight u+v.
/// Weights need not sum to 1; an example of weight 0 counts as absent.
///
/// Contract: `train` refuses targets outside \[−1, 1\], negative weights, a weight or target that is not
/// finite, lengths that differ from the sample's, and weights that are all 0; the learner and its random
/// stream are then unchanged. `train` is required; `evaluate` has a default that walks the rows.
pub trait WeakLearner {
    /// The layout it searches.
    type Sample: Sample;
    /// The trained hypothesis.
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

/// Rejects a matrix without a row, or with more rows than a `u32` counts.
pub(crate) fn check_size(matrix: &RowMatrix) -> Result<(), LearnerError> {
    check_counts(matrix.len(), matrix.dimension())
}

/// The same of so many rows and columns.
pub(super) fn check_counts(rows: usize, columns: usize) -> Result<(), LearnerError> {
    if rows == 0 {
        return Err(LearnerError::Empty { argument: "sample" });
    }
    if u32::try_from(rows - 1).is_err() {
        #[allow(clippy::cast_precision_loss, reason = "for the message")]
        let value = rows as f64;
        return Err(LearnerError::BadParameter { name: "rows", value, domain: "m ≤ 2^32" });
    }
    // Every column has an entry, even if sparse rows leave it empty.
    if columns > 1 << 26 {
        #[allow(clippy::cast_precision_loss, reason = "for the message")]
        let value = columns as f64;
        return Err(LearnerError::BadParameter { name: "columns", value, domain: "d ≤ 2^26" });
    }
    Ok(())
}

/// Checks the arguments of [`WeakLearner::train`]; returns the largest weight, which is positive.
pub(crate) fn check_examples(size: usize, targets: &[f64], weights: &[f64]) -> Result<f64, LearnerError> {
    for (argument, values) in [("targets", targets), ("weights", weights)] {
        if values.len() != size {
            return Err(LearnerError::LengthMismatch { argument, expected: size, got: values.len() });
        }
        check_magnitudes(argument, values)?;
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

/// The unit of the integer sums of a training on bins: a power of two, 2^−61 to 2^−60 of Σ w_i.
///
/// No sum overflows: sums of weights and of products w_i a_i stay below 2^62 (docs/numerics.md, Trees).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grain {
    /// One over the unit, in two factors, because the unit may be beyond the range of powers of two.
    halves: (f64, f64),
}

impl Grain {
    /// Checks the arguments of [`WeakLearner::train`]; returns the unit for these weights.
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

/// Checks the arguments of [`WeakLearner::train`]; returns an e with Σ w_i < 2^e, up to the rounding of the
/// sum.
///
/// One pass with four examples in a register; [`check_examples`] names the error if there is one.
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
    if !(lengths && fine && total > 0.0 && total <= LARGEST) {
        check_examples(size, targets, weights)?;
    }
    Ok(exponent_above(total))
}

/// w·2^(−unit), where 2^unit is near the largest weight.
pub(crate) fn in_units(w: f64, unit: i32) -> f64 {
    scale(w, -unit)
}

/// Whether this much work is shared among the threads of the caller's rayon pool; false below `worthwhile`
/// and outside a pool. Every use of rayon's iterators is behind this check.
pub(crate) fn in_pool(work: usize, worthwhile: usize) -> bool {
    work >= worthwhile && rayon::current_thread_index().is_some()
}

/// Checks the arguments of [`WeakLearner::evaluate`].
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

/// A θ with a < θ ≤ b, for a < b: the midpoint, unless that rounds to a.
pub(crate) fn midway(a: f64, b: f64) -> f64 {
    let middle = a.midpoint(b);
    if middle > a { middle } else { b }
}

/// The error for columns that memory does not hold.
pub(super) fn too_many_columns(columns: usize) -> LearnerError {
    #[allow(clippy::cast_precision_loss, reason = "a number for a message")]
    let (name, value) = ("columns", columns as f64);
    LearnerError::BadParameter { name, value, domain: "as many as the memory holds" }
}
