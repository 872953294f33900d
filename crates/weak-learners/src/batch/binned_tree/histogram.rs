//! Sums per bin, and the best cut of a node.

use super::grains::Sums;
use crate::batch::contract::in_pool;
use crate::batch::{BinnedColumns, Sample};
use rayon::prelude::*;

/// A column's sums, bin by bin.
pub(super) type Histogram = [Sums; 256];

/// No example.
pub(super) const EMPTY: Histogram = [Sums { weight: 0, product: 0 }; 256];

/// Columns counted together. An example's sums are loaded once for all of them, and additions to one bin do
/// not wait for each other.
const GROUP: usize = 4;

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
    /// Counts the examples of a node, given by their rows and grains, and finds its best split.
    pub(super) fn count(
        self,
        (rows, sums): (&[u32], &[Sums]),
        histograms: &mut [Histogram],
        found: &mut Vec<Option<Split>>,
    ) -> Option<Split> {
        self.best(rows.len() + 256, histograms, found, |first, histograms| {
            histograms.iter_mut().for_each(|histogram| histogram.fill(Sums::default()));
            for (group, histograms) in histograms.chunks_mut(GROUP).enumerate() {
                self.add(rows, sums, first + GROUP * group, histograms);
            }
        })
    }

    /// Adds examples to the histograms of a group of columns, from column `first` on.
    fn add(self, rows: &[u32], sums: &[Sums], first: usize, histograms: &mut [Histogram]) {
        if let [a, b, c, d] = histograms {
            // Slices of one length, so that one bounds check suffices.
            let m = self.sample.size();
            let bins = [0, 1, 2, 3].map(|k| &self.sample.bins(first + k)[..m]);
            for (&row, &sums) in rows.iter().zip(sums) {
                let bin = bins.map(|bins| usize::from(bins[row as usize]));
                a[bin[0]] += sums;
                b[bin[1]] += sums;
                c[bin[2]] += sums;
                d[bin[3]] += sums;
            }
        } else {
            for (k, histogram) in histograms.iter_mut().enumerate() {
                let bins = self.sample.bins(first + k);
                for (&row, &sums) in rows.iter().zip(sums) {
                    histogram[usize::from(bins[row as usize])] += sums;
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
                let bins = self.sample.cuts(first + k).len() + 1;
                histogram[..bins].iter_mut().zip(counted).for_each(|(sums, counted)| *sums -= *counted);
            }
        })
    }

    /// Prepares the histograms of some columns and searches them, on one thread or on several. Columns are
    /// searched independently and compared in their order, so that the number of threads changes nothing.
    fn best(
        self,
        additions: usize,
        histograms: &mut [Histogram],
        found: &mut Vec<Option<Split>>,
        prepare: impl Fn(usize, &mut [Histogram]) + Sync,
    ) -> Option<Split> {
        let columns = histograms.len();
        found.clear();
        found.resize(columns, None);
        let search = |first: usize, histograms: &mut [Histogram], found: &mut [Option<Split>]| {
            prepare(first, histograms);
            for ((feature, histogram), found) in (first..).zip(histograms).zip(found) {
                *found = self.best_cut(feature, histogram);
            }
        };
        if in_pool(additions * columns, WORTHWHILE) {
            let each = columns.div_ceil(rayon::current_num_threads()).next_multiple_of(GROUP);
            let parts = histograms.par_chunks_mut(each).zip(found.par_chunks_mut(each)).enumerate();
            parts.for_each(|(part, (histograms, found))| search(part * each, histograms, found));
        } else {
            search(0, histograms, found);
        }
        found
            .iter()
            .flatten()
            .copied()
            .reduce(|best, split| if split.gain > best.gain { split } else { best })
    }

    /// The cut of a feature that lowers the squared error most, the lowest of equals; `None` if every cut
    /// leaves too little weight on one side.
    fn best_cut(self, feature: usize, histogram: &Histogram) -> Option<Split> {
        let mut best = None;
        let (mut below, mut best_gain) = (Sums::default(), -1.0);
        for (sums, bin) in histogram[..self.sample.cuts(feature).len()].iter().zip(0..) {
            below += *sums;
            let above = self.all - below;
            if below.weight >= self.least && above.weight >= self.least {
                let gain = gain(below, above);
                if gain > best_gain {
                    best_gain = gain;
                    best = Some(Split { feature, bin, below, gain });
                }
            }
        }
        best
    }
}

/// The fall of the squared error by a split, times Σ w of the node. With W, W′ the weights of the sides and
/// S, S′ their Σ w a, it is (S W′ − S′ W)²/(W W′).
fn gain(below: Sums, above: Sums) -> f64 {
    let (weight, weight_above) = (below.weight as f64, above.weight as f64);
    let difference = below.product as f64 * weight_above - above.product as f64 * weight;
    difference * difference / (weight * weight_above)
}
