//! Decision stumps, and the exact search for the best one.

use super::contract::{check_examples, check_votes};
use super::{Hypothesis, Sample, SortedColumns, WeakLearner};
use crate::{Label, LearnerError};
use projections::{exponent_above, scale_down, scale_up};
use rows::{Entries, Row};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The weak learner of stumps: the h of largest edge Σ w_i a_i h(x_i) among *all* stumps and both constants.
///
/// One pass over the sorted columns: with V = Σ w_i a_i and P = Σ w_i a_i over the rows with x_j ≤ θ, the stump that
/// answers +1 above θ has edge V − 2P, its negative 2P − V. Thresholds stand midway between consecutive distinct values
/// of the rows with w_i a_i ≠ 0: others weigh nothing. Of hypotheses with equal edges it takes a constant first, +1
/// before −1, then the lowest feature, then the lowest threshold.
///
/// The products w_i a_i are rounded once, in units of a power of two near the largest weight, and summed with a
/// compensation, so that neither their order nor their size shows (the tests below hold it to all stumps, one by one).
/// *Cost:* O(m + stored values), no allocation after the first training.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::Label;
/// use weak_learners::batch::{ExactStump, SortedColumns, StumpRule, WeakLearner};
/// let sample = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 4.0, 5.0])?)?;
/// let stump = ExactStump::default().train(&sample, &[1.0, -1.0, -1.0, 1.0], &[3.0, 1.0, 1.0, 1.0])?;
/// assert_eq!(stump.rule(), StumpRule::Split { feature: 0, threshold: 1.5, above: Label::Minus });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExactStump {
    /// w_i a_i, working memory of a training.
    #[serde(skip)]
    products: Vec<f64>,
}

/// x ↦ `above` where x_j > θ and −`above` elsewhere, or the same answer everywhere.
///
/// *Cost:* O(1) on a dense row, O(log non-zeros) on a sparse one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Stump {
    inputs: usize,
    rule: StumpRule,
}

/// The two kinds of stump.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StumpRule {
    /// The same answer everywhere.
    Constant(Label),
    /// One feature against a threshold.
    Split {
        /// j, from 0.
        feature: usize,
        /// θ.
        threshold: f64,
        /// The answer where x_j > θ.
        above: Label,
    },
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
        self.products.extend(targets.iter().zip(weights).map(|(a, w)| a * in_units(*w, unit)));
        let all: Sum = self.products.iter().copied().collect();
        let present = self.products.iter().filter(|v| **v != 0.0).count();
        let mut best =
            Best { edge: all.value().abs(), rule: StumpRule::Constant(Label::of_score(all.value())) };
        for j in 0..sample.inputs() {
            best.search(j, sample.column(j), &self.products, all, present);
        }
        Stump::new(sample.inputs(), best.rule)
    }

    /// In O(m), without a search in sparse rows.
    fn evaluate(
        &self,
        hypothesis: &Stump,
        sample: &SortedColumns,
        votes: &mut [f64],
    ) -> Result<(), LearnerError> {
        check_votes(sample.size(), votes)?;
        hypothesis.check_inputs(sample.inputs())?;
        votes.fill(hypothesis.rule.at(0.0).sign());
        if let StumpRule::Split { feature, .. } = hypothesis.rule {
            let (values, rows) = sample.column(feature);
            for (value, &row) in values.iter().zip(rows) {
                votes[row as usize] = hypothesis.rule.at(*value).sign();
            }
        }
        Ok(())
    }
}

/// The best hypothesis so far.
struct Best {
    edge: f64,
    rule: StumpRule,
}

impl Best {
    /// Every threshold of column j, from the lowest.
    fn search(&mut self, j: usize, column: (&[f64], &[u32]), products: &[f64], all: Sum, present: usize) {
        let (values, rows) = column;
        let product = |row: &u32| products[*row as usize];
        // The rows that the column does not name stand at 0, between its negative and its positive values.
        let named = rows.iter().filter(|row| product(row) != 0.0).count();
        let zeros = (named < present).then(|| all.minus(rows.iter().map(product).collect()));
        let positive = values.partition_point(|value| *value < 0.0);
        let stored = |range: Range<usize>| {
            let entries = values[range.clone()].iter().zip(&rows[range]);
            let present = entries.map(|(value, row)| (*value, product(row))).filter(|(_, v)| *v != 0.0);
            present.map(|(value, v)| (value, Sum::from(v)))
        };
        let (mut below, mut last) = (Sum::default(), None);
        let groups = stored(0..positive).chain(zeros.map(|v| (0.0, v))).chain(stored(positive..values.len()));
        groups.for_each(|(value, v)| {
            if let Some(last) = last.filter(|last| *last < value) {
                self.offer(j, (last, value), all.minus(below.plus(below)).value());
            }
            below = below.plus(v);
            last = Some(value);
        });
    }

    /// The threshold between two values, where +1 above it has this edge.
    fn offer(&mut self, feature: usize, (last, value): (f64, f64), edge: f64) {
        if edge.abs() > self.edge {
            let threshold = midway(last, value);
            self.edge = edge.abs();
            self.rule = StumpRule::Split { feature, threshold, above: Label::of_score(edge) };
        }
    }
}

/// A θ with a ≤ θ < b, for a < b: the midpoint, unless that rounds to b.
fn midway(a: f64, b: f64) -> f64 {
    let middle = a.midpoint(b);
    if middle < b { middle } else { a }
}

/// w·2^(−unit).
fn in_units(w: f64, unit: i32) -> f64 {
    if unit > 0 { scale_down(w, unit.unsigned_abs()) } else { scale_up(w, unit.unsigned_abs()) }
}

/// A sum in two doubles: exact to about 2^(−100) of Σ|v|, so equal sums in another order are equal numbers.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    fn plus(self, other: Self) -> Self {
        let high = self.high + other.high;
        let rest = high - self.high;
        let lost = (self.high - (high - rest)) + (other.high - rest);
        Self { high, low: self.low + (other.low + lost) }
    }

    fn minus(self, other: Self) -> Self {
        self.plus(Self { high: -other.high, low: -other.low })
    }

    fn value(self) -> f64 {
        self.high + self.low
    }
}

impl From<f64> for Sum {
    fn from(v: f64) -> Self {
        Self { high: v, low: 0.0 }
    }
}

impl FromIterator<f64> for Sum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        terms.into_iter().fold(Self::default(), |sum, v| sum.plus(v.into()))
    }
}

impl Stump {
    /// A stump for rows of the given dimension.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] for rows without coordinates, [`LearnerError::BadParameter`] for a feature that they do
    /// not have, [`LearnerError::NotFinite`] for such a threshold.
    pub fn new(inputs: usize, rule: StumpRule) -> Result<Self, LearnerError> {
        Unchecked { inputs, rule }.try_into()
    }

    /// The rule.
    #[must_use]
    pub fn rule(&self) -> StumpRule {
        self.rule
    }

    fn check_inputs(&self, got: usize) -> Result<(), LearnerError> {
        if got != self.inputs {
            return Err(LearnerError::InputDimension { expected: self.inputs, got });
        }
        Ok(())
    }
}

impl StumpRule {
    /// The answer where the feature has this value.
    fn at(self, value: f64) -> Label {
        match self {
            Self::Constant(answer) => answer,
            Self::Split { threshold, above, .. } if value > threshold => above,
            Self::Split { above, .. } => -above,
        }
    }
}

impl Hypothesis for Stump {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn predict(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        self.check_inputs(x.dimension())?;
        let value = match self.rule {
            StumpRule::Constant(_) => 0.0,
            StumpRule::Split { feature, .. } => coordinate(x, feature),
        };
        Ok(self.rule.at(value).sign())
    }
}

/// x_j, which is 0 where it is not stored.
pub(super) fn coordinate(x: Row<'_>, j: usize) -> f64 {
    match x.entries() {
        Entries::Dense(values) => values.get(j).copied(),
        Entries::Sparse(indices, values) => {
            let found = indices.binary_search_by(|index| (*index as usize).cmp(&j)).ok();
            found.and_then(|k| values.get(k).copied())
        }
    }
    .unwrap_or(0.0)
}

#[derive(Deserialize)]
struct Unchecked {
    inputs: usize,
    rule: StumpRule,
}

impl TryFrom<Unchecked> for Stump {
    type Error = LearnerError;

    fn try_from(Unchecked { inputs, rule }: Unchecked) -> Result<Self, LearnerError> {
        if inputs == 0 {
            return Err(LearnerError::Empty { argument: "row" });
        }
        if let StumpRule::Split { feature, threshold, .. } = rule {
            if feature >= inputs {
                #[allow(clippy::cast_precision_loss, reason = "for the message")]
                let value = feature as f64;
                return Err(LearnerError::BadParameter {
                    name: "feature",
                    value,
                    domain: "0, …, inputs − 1",
                });
            }
            if !threshold.is_finite() {
                let argument = "threshold";
                return Err(LearnerError::NotFinite { argument, index: 0, value: threshold });
            }
        }
        Ok(Self { inputs, rule })
    }
}
