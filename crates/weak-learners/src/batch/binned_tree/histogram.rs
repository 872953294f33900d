//! Sums per bin, and the best cut of a node.

use super::grains::Sums;
use crate::RankError;
use crate::batch::BinnedColumns;
use crate::batch::contract::in_pool;
use rayon::prelude::*;

/// The sums of a group of columns, code by code.
pub(super) type Histogram = [Sums; 256];

/// No example.
pub(super) const EMPTY: Histogram = [Sums { weight: 0, product: 0 }; 256];

/// Groups of columns counted together. An example's sums are loaded once for all of them, and additions to
/// one code do not wait for each other.
const TOGETHER: usize = 4;

/// The number of additions from which threads are worth their start.
const WORTHWHILE: usize = 1 << 16;

/// A split of a node into the examples up to a bin of a feature and the examples above.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    pub(super) feature: usize,
    pub(super) bin: u8,
    /// The sums of the examples up to the bin.
    pub(super) below: Sums,
    gain: f64,
}

/// The inputs of the search for a node's split.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) sample: &'a BinnedColumns,
    /// The sums of all examples of the node.
    pub(super) all: Sums,
    /// The least weight of a side, at least a grain.
    pub(super) least: i64,
}

impl Search<'_> {
    /// Counts the examples of a node, given by their rows and grains, and finds its best split. The
    /// histograms are those of all ranks, in one message.
    ///
    /// # Errors
    /// Those of the ranks.
    pub(super) fn count(
        self,
        (rows, sums): (&[u32], &[Sums]),
        histograms: &mut [Histogram],
        found: &mut Vec<Option<Split>>,
        message: &mut Vec<u64>,
    ) -> Result<Option<Split>, RankError> {
        let count = |first: usize, histograms: &mut [Histogram]| {
            histograms.iter_mut().for_each(|histogram| histogram.fill(Sums::default()));
            for (chunk, histograms) in histograms.chunks_mut(TOGETHER).enumerate() {
                self.add(rows, sums, first + TOGETHER * chunk, histograms);
            }
        };
        if !self.sample.ranks().are_several() {
            return Ok(self.best(rows.len() + 256, histograms, found, count));
        }
        self.each(rows.len() + 256, histograms, found, |first, histograms, _| count(first, histograms));
        message.clear();
        for (group, histogram) in histograms.iter().enumerate() {
            let codes = &histogram[..self.sample.groups().width(group)];
            message.extend(codes.iter().flat_map(|sums| sums.words()));
        }
        self.sample.ranks().sum(message)?;
        let mut summed = message.chunks_exact(2);
        for (group, histogram) in histograms.iter_mut().enumerate() {
            let codes = &mut histogram[..self.sample.groups().width(group)];
            codes
                .iter_mut()
                .zip(&mut summed)
                .for_each(|(sums, words)| *sums = Sums::of([words[0], words[1]]));
        }
        Ok(self.best(256, histograms, found, |_, _| ()))
    }

    /// Adds examples to the histograms of some groups, from group `first` on.
    fn add(self, rows: &[u32], sums: &[Sums], first: usize, histograms: &mut [Histogram]) {
        if let [a, b, c, d] = histograms {
            // Slices of one length, so that one bounds check suffices.
            let m = self.sample.matrix().len();
            let codes = [0, 1, 2, 3].map(|k| &self.sample.codes(first + k)[..m]);
            for (&row, &sums) in rows.iter().zip(sums) {
                let code = codes.map(|codes| usize::from(codes[row as usize]));
                a[code[0]] += sums;
                b[code[1]] += sums;
                c[code[2]] += sums;
                d[code[3]] += sums;
            }
        } else {
            for (k, histogram) in histograms.iter_mut().enumerate() {
                let codes = self.sample.codes(first + k);
                for (&row, &sums) in rows.iter().zip(sums) {
                    histogram[usize::from(codes[row as usize])] += sums;
                }
            }
        }
    }

    /// Subtracts the counted child from its parent, and finds the best split of the other child.
    pub(super) fn take_away(
        self,
        counted: &[Histogram],
        histograms: &mut [Histogram],
        found: &mut Vec<Option<Split>>,
    ) -> Option<Split> {
        self.best(256, histograms, found, |first, histograms| {
            for (k, (histogram, counted)) in histograms.iter_mut().zip(&counted[first..]).enumerate() {
                let width = self.sample.groups().width(first + k);
                histogram[..width].iter_mut().zip(counted).for_each(|(sums, counted)| *sums -= *counted);
            }
        })
    }

    /// Prepares the histograms of some groups and searches them.
    fn best(
        self,
        additions: usize,
        histograms: &mut [Histogram],
        found: &mut Vec<Option<Split>>,
        prepare: impl Fn(usize, &mut [Histogram]) + Sync,
    ) -> Option<Split> {
        self.each(additions, histograms, found, |first, histograms, found| {
            prepare(first, histograms);
            for ((group, histogram), found) in (first..).zip(histograms).zip(found) {
                *found = self.best_cut(group, histogram);
            }
        });
        found.iter().flatten().copied().reduce(Split::or)
    }

    /// Works on the histograms of groups, on one thread or on several. Groups are independent, so that the
    /// number of threads changes nothing.
    fn each(
        self,
        additions: usize,
        histograms: &mut [Histogram],
        found: &mut Vec<Option<Split>>,
        work: impl Fn(usize, &mut [Histogram], &mut [Option<Split>]) + Sync,
    ) {
        let groups = histograms.len();
        found.clear();
        found.resize(groups, None);
        if in_pool(additions * groups, WORTHWHILE) {
            let each = groups.div_ceil(rayon::current_num_threads()).next_multiple_of(TOGETHER);
            let parts = histograms.par_chunks_mut(each).zip(found.par_chunks_mut(each)).enumerate();
            parts.for_each(|(part, (histograms, found))| work(part * each, histograms, found));
        } else {
            work(0, histograms, found);
        }
    }

    /// The cut of the columns of a group that lowers the squared error most, the lowest of equals; `None` if
    /// every cut leaves too little weight on one side.
    fn best_cut(self, group: usize, histogram: &Histogram) -> Option<Split> {
        let mut best: Option<Split> = None;
        for member in self.sample.groups().members(group) {
            let mut below = Sums::default();
            for (sums, bin) in member.sums(histogram, self.all).zip(0..) {
                below += sums;
                let above = self.all - below;
                if below.weight >= self.least && above.weight >= self.least {
                    let gain = gain(below, above);
                    if best.is_none_or(|best| gain > best.gain) {
                        best = Some(Split { feature: member.feature, bin, below, gain });
                    }
                }
            }
        }
        best
    }
}

impl Split {
    /// The one that gains more; of equals the one of the lower feature.
    fn or(self, other: Self) -> Self {
        let is_better = other.gain > self.gain || (other.gain == self.gain && other.feature < self.feature);
        if is_better { other } else { self }
    }
}

/// The fall of the squared error by a split, times Σ w of the node. With W, W′ the weights of the sides and
/// S, S′ their Σ w a, it is (S W′ − S′ W)²/(W W′).
fn gain(below: Sums, above: Sums) -> f64 {
    let (weight, weight_above) = (below.weight as f64, above.weight as f64);
    let difference = below.product as f64 * weight_above - above.product as f64 * weight;
    difference * difference / (weight * weight_above)
}
