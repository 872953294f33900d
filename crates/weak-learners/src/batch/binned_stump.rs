//! The search for the best stump on bins.

use super::contract::{Grain, check_evaluation, in_pool};
use super::exact_stump::side;
use super::{BinnedColumns, Hypothesis, Sample, Stump, WeakLearner};
use crate::{Label, LearnerError};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

/// The weak learner of stumps on binned columns: the h of largest edge Σ w_i a_i h(x_i) among all cuts of the sample,
/// both polarities, and both constants.
///
/// One pass over the bins: with V = Σ w_i a_i and P the sum of w_i a_i over the bins below a cut, the stump that answers +1
/// from the cut on has edge V − 2P, its negative 2P − V. Of hypotheses with equal edges it takes a constant first, +1
/// before −1, then the lowest feature, then the lowest cut: the tie-break of [`ExactStump`](super::ExactStump), whose edge
/// it has wherever each value has a bin of its own.
///
/// The products w_i a_i, doubles, are rounded towards 0 to multiples of 2^−61 of a power of two near Σ w_i, and from there
/// on every sum and comparison is one of integers: equal edges are equal, an edge is right to 2^−60 m Σ w_i + 2^−53
/// Σ w_i |a_i|, and neither the order of the rows nor the number of threads shows.
///
/// *Threads:* inside a rayon pool (`pool.install(|| …)`), a sample of 2^18 bins or more is searched by the threads of that
/// pool, otherwise by the caller's. *Cost:* O(m'·d + 256·d) for m' rows with w_i a_i ≠ 0, no allocation after the first
/// training on the caller's thread.
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
    /// The products w_i a_i in grains, those of 0 left out where many are; working memory of a training.
    #[serde(skip)]
    products: Vec<i64>,
    /// The rows of the products, where some are left out.
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
        self.weigh(sample.size(), targets, weights)?;
        let all: i64 = self.products.iter().sum();
        let groups = 0..sample.inputs().div_ceil(TOGETHER);
        let search = |group: usize| self.search(sample, group * TOGETHER, all);
        let best = if in_pool(sample.inputs() * self.products.len(), LARGE) {
            groups.into_par_iter().map(search).reduce(|| Best::constant(all), Best::or)
        } else {
            groups.map(search).fold(Best::constant(all), Best::or)
        };
        match best.split {
            None => Stump::constant(sample.inputs(), best.polarity),
            Some((j, cut)) => Stump::new(sample.inputs(), j, sample.cuts(j)[cut], best.polarity),
        }
    }

    /// From the bins where the threshold is a cut of the sample, which that of a stump trained on it is; otherwise row by
    /// row.
    fn evaluate(
        &self,
        hypothesis: &Stump,
        sample: &BinnedColumns,
        votes: &mut [f64],
    ) -> Result<(), LearnerError> {
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

/// Columns of one pass over the rows. The next row's bin in one column is often the last row's, and its sum not yet
/// written; the other columns fill the wait.
const TOGETHER: usize = 4;

/// So many bins to read are worth waking a thread for.
const LARGE: usize = 1 << 18;

/// The sums of a column's bins.
type Histogram = [i64; 256];

impl BinnedStump {
    /// The products in grains, and the rows that have one where a quarter or more has none: a row from a list costs a
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
                // A product of 0 is overwritten by the next one: no branch to guess.
                (self.products[kept], self.rows[kept]) = (v, row);
                kept += usize::from(v != 0);
            }
            self.products.truncate(kept);
            self.rows.truncate(kept);
        }
        Ok(())
    }

    /// The best cut of the columns that are searched together, from the first one on.
    fn search(&self, sample: &BinnedColumns, first: usize, all: i64) -> Best {
        let columns = |k: usize| sample.bins(first + k);
        match sample.inputs() - first {
            1 => best_cut(sample, first, all, &self.histograms([0].map(columns))),
            2 => best_cut(sample, first, all, &self.histograms([0, 1].map(columns))),
            3 => best_cut(sample, first, all, &self.histograms([0, 1, 2].map(columns))),
            _ => best_cut(sample, first, all, &self.histograms([0, 1, 2, 3].map(columns))),
        }
    }

    /// Σ w_i a_i over each bin of K columns.
    fn histograms<const K: usize>(&self, columns: [&[u8]; K]) -> [Histogram; K] {
        let mut sums = [[0; 256]; K];
        let m = columns[0].len();
        // Of one length, so that one comparison is enough for all of them.
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
struct Best {
    edge: u64,
    split: Option<(usize, usize)>,
    polarity: Label,
}

impl Best {
    fn constant(all: i64) -> Self {
        Self { edge: all.unsigned_abs(), split: None, polarity: side(all.into()) }
    }

    /// The better one; of equals the first.
    fn or(self, later: Self) -> Self {
        if later.edge > self.edge { later } else { self }
    }
}

/// Every cut of the columns from `first` on, from the lowest.
fn best_cut(sample: &BinnedColumns, first: usize, all: i64, histograms: &[Histogram]) -> Best {
    let mut best = Best::constant(all);
    for (j, histogram) in (first..).zip(histograms) {
        let mut edge = all;
        for (cut, sum) in (0..sample.cuts(j).len()).zip(histogram) {
            edge -= 2 * sum;
            if edge.unsigned_abs() > best.edge {
                best = Best { edge: edge.unsigned_abs(), split: Some((j, cut)), polarity: side(edge.into()) };
            }
        }
    }
    best
}
