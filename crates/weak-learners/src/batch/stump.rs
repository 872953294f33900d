//! The decision stump, and the search for the best one among all thresholds and among the cuts of bins.

use super::contract::{Grain, check_evaluation, check_examples, in_pool, in_units, midway};
use super::{BinnedColumns, Hypothesis, Sample, SortedColumns, WeakLearner};
use crate::error::check_magnitudes;
use crate::{Label, LearnerError, RankError};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rows::Row;
use rows::numeric::{exponent_above, scale_up};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A stump: h(x) = s if x_j ≥ θ, else −s, with polarity s = ±1; or the constant s.
///
/// *Cost:* O(1) a vote on a dense row, O(log k) on a sparse one with k stored values. *Errors:* a row of
/// another dimension.
///
/// ```
/// use weak_learners::{Label, batch::{Hypothesis, Stump}};
/// let tall = Stump::new(2, 1, 0.5, Label::Plus)?;
/// assert_eq!(tall.predict(rows::Row::dense(&[9.0, 0.5])?)?, 1.0);
/// assert_eq!((-tall).predict(rows::Row::dense(&[9.0, 0.5])?)?, -1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Stump {
    parts: Parts,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Parts {
    inputs: usize,
    /// j and θ; `None` for a constant.
    split: Option<(usize, f64)>,
    polarity: Label,
}

impl Stump {
    /// The stump on feature j of m = `inputs` with threshold θ; `polarity` is its answer where x_j ≥ θ.
    ///
    /// # Errors
    /// No input, a feature that is not below m, or a threshold that is not finite or beyond 1e140.
    pub fn new(inputs: usize, feature: usize, threshold: f64, polarity: Label) -> Result<Self, LearnerError> {
        Parts { inputs, split: Some((feature, threshold)), polarity }.try_into()
    }

    /// The same answer for every row of m = `inputs` features.
    ///
    /// # Errors
    /// No input.
    pub fn constant(inputs: usize, polarity: Label) -> Result<Self, LearnerError> {
        Parts { inputs, split: None, polarity }.try_into()
    }

    /// A stump with checked parts.
    pub(crate) fn trusted(inputs: usize, split: Option<(usize, f64)>, polarity: Label) -> Self {
        Self { parts: Parts { inputs, split, polarity } }
    }

    /// h(x) as a label.
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn vote(&self, x: Row<'_>) -> Result<Label, LearnerError> {
        let Parts { inputs, split, polarity } = self.parts;
        match split {
            _ if x.dimension() != inputs => {
                Err(LearnerError::InputDimension { expected: inputs, got: x.dimension() })
            }
            Some((feature, threshold)) if !(x.get(feature) >= Some(threshold)) => Ok(-polarity),
            _ => Ok(polarity),
        }
    }

    /// The feature j and the threshold θ, `None` for a constant.
    pub fn split(&self) -> Option<(usize, f64)> {
        self.parts.split
    }

    /// s, the answer where x_j ≥ θ, or everywhere.
    pub fn polarity(&self) -> Label {
        self.parts.polarity
    }
}

/// The stump of opposite answers.
impl std::ops::Neg for Stump {
    type Output = Self;

    fn neg(self) -> Self {
        Self { parts: Parts { polarity: -self.parts.polarity, ..self.parts } }
    }
}

impl Hypothesis for Stump {
    fn inputs(&self) -> usize {
        self.parts.inputs
    }

    fn predict(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        Ok(self.vote(x)?.sign())
    }
}

impl From<Stump> for Parts {
    fn from(stump: Stump) -> Self {
        stump.parts
    }
}

impl TryFrom<Parts> for Stump {
    type Error = LearnerError;

    fn try_from(parts: Parts) -> Result<Self, LearnerError> {
        if parts.inputs == 0 {
            return Err(LearnerError::Empty { argument: "inputs" });
        }
        if let Some((feature, threshold)) = parts.split {
            if feature >= parts.inputs {
                // Below 2^53 every count is a double; beyond, the message is rounded.
                #[allow(clippy::cast_precision_loss, reason = "for a message")]
                let value = feature as f64;
                return Err(LearnerError::BadParameter { name: "feature", value, domain: "0 ≤ j < m" });
            }
            check_magnitudes("threshold", &[threshold])?;
        }
        Ok(Self { parts })
    }
}

/// The weak learner of stumps: the h of largest edge Σ w_i a_i h(x_i) among *all* stumps and both constants.
///
/// One pass over the sorted columns: with V = Σ w_i a_i and P = Σ w_i a_i over the rows with x_j < θ, the
/// stump that answers +1 from θ on has edge V − 2P, its negative 2P − V. Thresholds are midpoints of
/// consecutive distinct values of the rows with w_i a_i ≠ 0. Ties go to a constant, +1 before −1, then to the
/// lowest feature, then to the lowest threshold.
///
/// *Precision:* the products w_i a_i are rounded once, to multiples of about 2^−92 of the largest weight, and
/// every sum is exact from there on (docs/numerics.md, Trees; `tests/batch.rs` compares it with all stumps).
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

    /// O(m), without a search in sparse rows.
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
        // Rows without a stored value have 0, between the negative and the positive values.
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

    /// Offers the threshold between two values, where +1 from it on has this edge.
    fn offer(&mut self, feature: usize, (last, value): (f64, f64), edge: i128) {
        if edge.unsigned_abs() > self.edge {
            let split = Some((feature, midway(last, value)));
            *self = Self { edge: edge.unsigned_abs(), split, polarity: side(edge) };
        }
    }
}

/// The side of an edge, +1 for 0.
pub(super) fn side(edge: i128) -> Label {
    if edge < 0 { Label::Minus } else { Label::Plus }
}

/// v·2^92 to the nearest integer, for |v| ≤ 1; edges of 2^32 rows stay below 2^126.
fn in_grains(v: f64) -> i128 {
    #[allow(clippy::cast_possible_truncation, reason = "at most 2^92 in size")]
    let grains = scale_up(v, 92).round() as i128;
    grains
}

/// The weak learner of stumps on binned columns: the h of largest edge Σ w_i a_i h(x_i) among all cuts of the
/// sample, both polarities, and both constants.
///
/// One pass over the bins: with V = Σ w_i a_i and P the sum of w_i a_i over the bins below a cut, the stump
/// that answers +1 from the cut on has edge V − 2P, its negative 2P − V. Ties are broken as by
/// [`ExactStump`](super::ExactStump), and the edge is equal to its edge if each value has a bin of its own.
///
/// *Precision:* the products w_i a_i are rounded once, to multiples of about 2^−61 Σ w_i, and every sum is
/// exact from there on: an edge is right to 2^−60 m Σ w_i + 2^−53 Σ w_i |a_i| (docs/numerics.md, Trees).
///
/// *Threads:* inside a rayon pool (`pool.install(|| …)`), a sample of 2^18 bytes to count or more is searched
/// by the threads of that pool, otherwise by the caller's. *Cost:* O(m'·d' + 256·d) for m' rows with w_i
/// a_i ≠ 0 and d' ≤ d columns, of which those that share a byte are one ([`BinnedColumns`]); no allocation
/// after the first training on the caller's thread.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::Label;
/// use weak_learners::batch::{BinnedColumns, BinnedStump, Stump, WeakLearner};
/// let sample = BinnedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 4.0, 5.0])?)?;
/// let stump = BinnedStump::default().train(&sample, &[1.0, -1.0, -1.0, 1.0], &[3.0, 1.0, 1.0, 1.0])?;
/// assert_eq!(stump, Stump::new(1, 0, 1.5, Label::Minus)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BinnedStump {
    /// The products w_i a_i in grains, without the zeros if they are many; working memory of a training.
    #[serde(skip)]
    products: Vec<i64>,
    /// The rows of the products, if some are left out.
    #[serde(skip)]
    rows: Vec<u32>,
}

impl WeakLearner for BinnedStump {
    type Sample = BinnedColumns;
    type Hypothesis = Stump;

    fn train(
        &mut self,
        sample: &BinnedColumns,
        targets: &[f64],
        weights: &[f64],
    ) -> Result<Stump, LearnerError> {
        if sample.shard().is_some() {
            return Err(RankError::OneRankOnly { what: "a stump" }.into());
        }
        self.weigh(sample.size(), targets, weights)?;
        let all: i64 = self.products.iter().sum();
        let groups = sample.groups().len();
        // Passes of nearly equal numbers of groups: a pass over one group waits for every addition.
        let passes = groups.div_ceil(TOGETHER);
        let first = |pass: usize| pass * groups / passes;
        let search = |pass: usize| self.search(sample, first(pass)..first(pass + 1), all);
        let best = if in_pool(groups * self.products.len(), LARGE) {
            (0..passes).into_par_iter().map(search).reduce(|| BestCut::constant(all), BestCut::or)
        } else {
            (0..passes).map(search).fold(BestCut::constant(all), BestCut::or)
        };
        match best.split {
            None => Stump::constant(sample.inputs(), best.polarity),
            Some((j, cut)) => Stump::new(sample.inputs(), j, sample.cuts(j)[cut], best.polarity),
        }
    }

    /// By bins if the threshold is a cut of the sample, as after training on it; otherwise row by row.
    fn evaluate(
        &self,
        hypothesis: &Stump,
        sample: &BinnedColumns,
        votes: &mut [f64],
    ) -> Result<(), LearnerError> {
        if sample.shard().is_some() {
            return Err(RankError::OneRankOnly { what: "a stump" }.into());
        }
        check_evaluation(hypothesis, sample, votes)?;
        let right = hypothesis.polarity().sign();
        let Some((j, threshold)) = hypothesis.split() else {
            votes.fill(right);
            return Ok(());
        };
        let below = sample.cuts(j).partition_point(|c| *c < threshold);
        match (sample.cuts(j).get(below), u8::try_from(below)) {
            (Some(cut), Ok(below)) if *cut <= threshold => {
                let vote = |bin: &u8| if *bin > below { right } else { -right };
                votes.iter_mut().zip(sample.bins(j)).for_each(|(v, bin)| *v = vote(bin));
                Ok(())
            }
            _ => votes.iter_mut().zip(sample.matrix().iter()).try_for_each(|(v, x)| {
                *v = hypothesis.predict(x)?;
                Ok(())
            }),
        }
    }
}

/// Groups of columns of one pass over the rows. Consecutive rows often share a code of a group, whose sum is
/// not yet written; the other groups fill the wait.
const TOGETHER: usize = 4;

/// The number of additions from which threads are worth their start.
const LARGE: usize = 1 << 18;

/// The sums of a group's codes.
type Histogram = [i64; 256];

impl BinnedStump {
    /// The products in grains, with a list of their rows if a quarter or more are 0: a listed row costs a
    /// third more than the next row.
    fn weigh(&mut self, m: usize, targets: &[f64], weights: &[f64]) -> Result<(), LearnerError> {
        let grain = Grain::of(m, targets, weights)?;
        let in_grains = |(a, w): (&f64, &f64)| Grain::whole(a * grain.count(*w));
        self.products.clear();
        self.products.extend(targets.iter().zip(weights).map(in_grains));
        self.rows.clear();
        self.rows.reserve(m);
        let present = self.products.iter().filter(|v| **v != 0).count();
        if present <= m - m.div_ceil(4) {
            self.rows.resize(m, 0);
            let mut kept = 0;
            for (i, row) in (0..m).zip(0..) {
                let v = self.products[i];
                // A product of 0 is overwritten by the next: no branch to mispredict.
                (self.products[kept], self.rows[kept]) = (v, row);
                kept += usize::from(v != 0);
            }
            self.products.truncate(kept);
            self.rows.truncate(kept);
        }
        Ok(())
    }

    /// The best cut of some groups of columns.
    fn search(&self, sample: &BinnedColumns, groups: Range<usize>, all: i64) -> BestCut {
        let first = groups.start;
        let codes = |k: usize| sample.codes(first + k);
        let best = |histograms: &[Histogram]| best_cut(sample, first, all, histograms);
        match groups.len() {
            0 => best(&[]),
            1 => best(&self.histograms([0].map(codes))),
            2 => best(&self.histograms([0, 1].map(codes))),
            3 => best(&self.histograms([0, 1, 2].map(codes))),
            _ => best(&self.histograms([0, 1, 2, 3].map(codes))),
        }
    }

    /// Σ w_i a_i over each code of K groups.
    fn histograms<const K: usize>(&self, columns: [&[u8]; K]) -> [Histogram; K] {
        let mut sums = [[0; 256]; K];
        let m = columns[0].len();
        // Slices of one length, so that one bounds check suffices.
        let columns = columns.map(|bins| &bins[..m]);
        let mut add = |i: usize, v: i64| {
            for k in 0..K {
                sums[k][usize::from(columns[k][i])] += v;
            }
        };
        if self.rows.is_empty() {
            self.products.iter().enumerate().for_each(|(i, v)| add(i, *v));
        } else {
            self.products.iter().zip(&self.rows).for_each(|(v, &i)| add(i as usize, *v));
        }
        sums
    }
}

/// The best hypothesis so far: its edge, j and the place of its cut among those of column j, its polarity.
#[derive(Clone, Copy)]
struct BestCut {
    edge: u64,
    split: Option<(usize, usize)>,
    polarity: Label,
}

impl BestCut {
    fn constant(all: i64) -> Self {
        Self { edge: all.unsigned_abs(), split: None, polarity: side(all.into()) }
    }

    /// The better of the two; of equals a constant, else the one of the lowest feature.
    fn or(self, other: Self) -> Self {
        let is_better = other.edge > self.edge || (other.edge == self.edge && other.split < self.split);
        if is_better { other } else { self }
    }
}

/// Every cut of the columns of the groups from `first` on, from the lowest.
fn best_cut(sample: &BinnedColumns, first: usize, all: i64, histograms: &[Histogram]) -> BestCut {
    let mut best = BestCut::constant(all);
    for (group, histogram) in (first..).zip(histograms) {
        for member in sample.groups().members(group) {
            let mut edge = all;
            for (cut, sum) in member.sums(histogram, all).enumerate() {
                edge -= 2 * sum;
                if edge.unsigned_abs() >= best.edge {
                    let split = Some((member.feature, cut));
                    best = best.or(BestCut { edge: edge.unsigned_abs(), split, polarity: side(edge.into()) });
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_votes_alike_on_dense_and_sparse_rows_and_loads_only_what_new_would_make() {
        for threshold in [-1.0, 0.0, 0.5, 2.0] {
            let stump = Stump::new(3, 1, threshold, Label::Minus).unwrap();
            for value in [-1.0, -0.0, 0.5, 1.0, 2.0] {
                let dense = [7.0, value, 7.0];
                let expected = if value >= threshold { -1.0 } else { 1.0 };
                assert_eq!(stump.predict(Row::dense(&dense).unwrap()), Ok(expected));
                assert_eq!(stump.predict(Row::sparse(3, &[0, 1, 2], &dense).unwrap()), Ok(expected));
            }
            let implicit = stump.predict(Row::sparse(3, &[0, 2], &[7.0, 7.0]).unwrap());
            assert_eq!(implicit, stump.predict(Row::dense(&[7.0, 0.0, 7.0]).unwrap()));
            let short = stump.predict(Row::dense(&[1.0]).unwrap());
            assert_eq!(short, Err(LearnerError::InputDimension { expected: 3, got: 1 }));
        }
        let text = serde_json::to_string(&Stump::new(3, 2, 0.5, Label::Plus).unwrap()).unwrap();
        assert_eq!(serde_json::from_str::<Stump>(&text).unwrap().split(), Some((2, 0.5)));
        assert!(serde_json::from_str::<Stump>(&text.replace("[2,", "[3,")).is_err());
        assert!(Stump::new(1, 0, f64::NAN, Label::Plus).is_err());
        assert!(
            Stump::new(1, 0, 1e140, Label::Plus).is_ok() && Stump::new(1, 0, 1.1e140, Label::Plus).is_err()
        );
        assert_eq!(Stump::constant(0, Label::Plus), Err(LearnerError::Empty { argument: "inputs" }));
    }
}
