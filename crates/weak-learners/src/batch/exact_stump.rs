//! The exact search for the best stump.

use super::contract::{check_evaluation, check_examples, in_units};
use super::{Sample, SortedColumns, Stump, WeakLearner};
use crate::{Label, LearnerError};
use projections::{exponent_above, scale_up};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The weak learner of stumps: the h of largest edge Σ w_i a_i h(x_i) among *all* stumps and both constants.
///
/// One pass over the sorted columns: with V = Σ w_i a_i and P = Σ w_i a_i over the rows with x_j < θ, the stump that
/// answers +1 from θ on has edge V − 2P, its negative 2P − V. Thresholds stand midway between consecutive distinct values
/// of the rows with w_i a_i ≠ 0: others weigh nothing. Of hypotheses with equal edges it takes a constant first, +1
/// before −1, then the lowest feature, then the lowest threshold.
///
/// The products w_i a_i are rounded once, to multiples of 2^−92 of a power of two near the largest weight, and from there
/// on every sum and comparison is one of integers: the order of the rows does not show, equal edges are equal, and what
/// is 28 orders of magnitude below the largest weight is not seen (`tests/batch.rs` holds it to all stumps, one by one).
/// *Cost:* O(m + stored values), no allocation after the first training.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::Label;
/// use weak_learners::batch::{ExactStump, SortedColumns, Stump, WeakLearner};
/// let sample = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 4.0, 5.0])?)?;
/// let stump = ExactStump::default().train(&sample, &[1.0, -1.0, -1.0, 1.0], &[3.0, 1.0, 1.0, 1.0])?;
/// assert_eq!(stump, Stump::new(1, 0, 1.5, Label::Minus)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExactStump {
    /// w_i a_i in units of [`in_grains`], working memory of a training.
    #[serde(skip)]
    products: Vec<i128>,
}

impl WeakLearner for ExactStump {
    type Sample = SortedColumns;
    type Hypothesis = Stump;

    fn train(
        &mut self,
        sample: &SortedColumns,
        targets: &[f64],
        weights: &[f64],
    ) -> Result<Stump, LearnerError> {
        let unit = exponent_above(check_examples(sample.size(), targets, weights)?);
        self.products.clear();
        self.products.extend(targets.iter().zip(weights).map(|(a, w)| in_grains(a * in_units(*w, unit))));
        let all: i128 = self.products.iter().sum();
        let present = self.products.iter().filter(|v| **v != 0).count();
        let mut best = Best { edge: all.unsigned_abs(), split: None, polarity: side(all) };
        for j in 0..sample.inputs() {
            best.search(j, sample.column(j), &self.products, all, present);
        }
        match best.split {
            None => Stump::constant(sample.inputs(), best.polarity),
            Some((feature, threshold)) => Stump::new(sample.inputs(), feature, threshold, best.polarity),
        }
    }

    /// In O(m), without a search in sparse rows.
    fn evaluate(
        &self,
        hypothesis: &Stump,
        sample: &SortedColumns,
        votes: &mut [f64],
    ) -> Result<(), LearnerError> {
        check_evaluation(hypothesis, sample, votes)?;
        let polarity = hypothesis.polarity();
        votes.fill(polarity.sign());
        if let Some((feature, threshold)) = hypothesis.split() {
            let vote = |value: f64| if value >= threshold { polarity.sign() } else { -polarity.sign() };
            votes.fill(vote(0.0));
            let (values, rows) = sample.column(feature);
            values.iter().zip(rows).for_each(|(value, &row)| votes[row as usize] = vote(*value));
        }
        Ok(())
    }
}

/// The best hypothesis so far.
struct Best {
    edge: u128,
    split: Option<(usize, f64)>,
    polarity: Label,
}

impl Best {
    /// Every threshold of column j, from the lowest.
    fn search(&mut self, j: usize, column: (&[f64], &[u32]), products: &[i128], all: i128, present: usize) {
        let (values, rows) = column;
        let product = |row: &u32| products[*row as usize];
        // The rows that the column does not name stand at 0, between its negative and its positive values.
        let named = rows.iter().filter(|row| product(row) != 0).count();
        let zeros = (named < present).then(|| all - rows.iter().map(product).sum::<i128>());
        let positive = values.partition_point(|value| *value < 0.0);
        let stored = |range: Range<usize>| {
            let entries = values[range.clone()].iter().zip(&rows[range]);
            entries.map(|(value, row)| (*value, product(row))).filter(|(_, v)| *v != 0)
        };
        let (mut below, mut last) = (0, None);
        let groups = stored(0..positive).chain(zeros.map(|v| (0.0, v))).chain(stored(positive..values.len()));
        groups.for_each(|(value, v)| {
            if let Some(last) = last.filter(|last| *last < value) {
                self.offer(j, (last, value), all - 2 * below);
            }
            below += v;
            last = Some(value);
        });
    }

    /// The threshold between two values, where +1 from it on has this edge.
    fn offer(&mut self, feature: usize, (last, value): (f64, f64), edge: i128) {
        if edge.unsigned_abs() > self.edge {
            let split = Some((feature, midway(last, value)));
            *self = Self { edge: edge.unsigned_abs(), split, polarity: side(edge) };
        }
    }
}

/// A θ with a < θ ≤ b, for a < b: the midpoint, unless that rounds to a.
pub(crate) fn midway(a: f64, b: f64) -> f64 {
    let middle = a.midpoint(b);
    if middle > a { middle } else { b }
}

/// The side of an edge, +1 for 0.
pub(super) fn side(edge: i128) -> Label {
    if edge < 0 { Label::Minus } else { Label::Plus }
}

/// v·2^92 to the nearest integer, for |v| ≤ 1: edges of 2^32 rows are then below 2^126.
fn in_grains(v: f64) -> i128 {
    #[allow(clippy::cast_possible_truncation, reason = "at most 2^92 in size")]
    let grains = scale_up(v, 92).round() as i128;
    grains
}
