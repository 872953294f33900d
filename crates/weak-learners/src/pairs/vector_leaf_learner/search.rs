//! The sums of a node bin by bin, and its best cut.

use super::Open;
use crate::batch::{BinnedColumns, Sample, in_pool, in_units};
use crate::pairs::gain::{Gain, Scale, Term};
use crate::pairs::{PairGrowth, PairRound, PairWeights};
use projections::exponent_above;
use rayon::prelude::*;

/// Additions from which on threads are worth their start.
const WORTHWHILE: usize = 1 << 16;

/// What every node is searched with.
pub(super) struct Search<'a> {
    pub(super) contexts: &'a BinnedColumns,
    scale: Scale,
    pub(super) max_depth: u32,
    actions: usize,
    /// How many h an example has: one, or one an action.
    weights: usize,
    /// The h and then the g of each example, in grains.
    cells: Vec<i64>,
}

/// The sums of a column's bins, a cell each, and its best cut.
#[derive(Clone, Default)]
pub(super) struct Column {
    pub(super) cells: Vec<i64>,
    pub(super) best: Option<(Gain, u8)>,
}

impl<'a> Search<'a> {
    pub(super) fn new(contexts: &'a BinnedColumns, round: &PairRound<'_>, growth: &PairGrowth) -> Self {
        let (n, actions) = (round.examples(), round.actions());
        let (weights, h) = match round.weights() {
            PairWeights::OfExamples(h) => (1, h),
            PairWeights::OfPairs(h) => (actions, h),
        };
        let scale = Scale::new(exponent_of_sums(round.gradients(), n), exponent_of_sums(h, n), 61, growth);
        let mut cells = vec![0; n * (weights + actions)];
        for (i, cell) in cells.chunks_exact_mut(weights + actions).enumerate() {
            let (of_h, of_g) = cell.split_at_mut(weights);
            for (a, grains) in of_h.iter_mut().enumerate() {
                *grains = below_2_62(scale.grains_of_h(round.weight(i, a)));
            }
            for (a, grains) in of_g.iter_mut().enumerate() {
                let is_there = of_h[a.min(weights - 1)] > 0;
                *grains = if is_there { below_2_62(scale.grains_of_g(round.gradient(i, a))) } else { 0 };
            }
        }
        Self { contexts, scale, max_depth: growth.max_depth(), actions, weights, cells }
    }

    /// The examples that weigh something.
    pub(super) fn rows(&self) -> Vec<u32> {
        let weighs = |i: &u32| self.cell(*i)[..self.weights].iter().any(|h| *h > 0);
        (0..).take(self.contexts.size()).filter(weighs).collect()
    }

    fn cell(&self, i: u32) -> &[i64] {
        let width = self.weights + self.actions;
        &self.cells[i as usize * width..][..width]
    }

    pub(super) fn sum(&self, rows: &[u32]) -> Vec<i64> {
        let mut sums = vec![0; self.weights + self.actions];
        rows.iter().for_each(|&i| add(&mut sums, self.cell(i)));
        sums
    }

    /// Σ|g| of every action.
    pub(super) fn sizes(&self, rows: &[u32]) -> Vec<i64> {
        let mut sizes = vec![0; self.actions];
        for &i in rows {
            let g = &self.cell(i)[self.weights..];
            sizes.iter_mut().zip(g).for_each(|(size, g)| *size += g.abs());
        }
        sizes
    }

    /// Counts the examples of a node, and finds the best cut of every column.
    pub(super) fn count(&self, rows: &[u32], part: &mut Open) {
        let width = self.weights + self.actions;
        self.each_column(rows.len() * width, part, |j, cells| {
            let bins = self.contexts.bins(j);
            cells.resize((self.contexts.cuts(j).len() + 1) * width, 0);
            for &i in rows {
                add(&mut cells[usize::from(bins[i as usize]) * width..][..width], self.cell(i));
            }
        });
    }

    /// Prepares every column and searches it, on one thread or on several.
    pub(super) fn each_column(
        &self,
        work: usize,
        part: &mut Open,
        prepare: impl Fn(usize, &mut Vec<i64>) + Sync,
    ) {
        let (sums, columns) = ((&*part.sums, &*part.sizes), &mut part.columns);
        let one = |(j, column): (usize, &mut Column)| {
            prepare(j, &mut column.cells);
            column.best = self.best_cut(sums, &column.cells);
        };
        if in_pool(work * columns.len(), WORTHWHILE) {
            columns.par_iter_mut().enumerate().for_each(one);
        } else {
            columns.iter_mut().enumerate().for_each(one);
        }
    }

    /// The cut of largest gain, the lowest of equal ones.
    fn best_cut(&self, (all, sizes): (&[i64], &[i64]), cells: &[i64]) -> Option<(Gain, u8)> {
        let width = all.len();
        let (mut below, mut rest) = (vec![0; width], all.to_vec());
        let whole = self.term(all, sizes);
        let mut best: Option<(Gain, u8)> = None;
        let bins = cells.chunks_exact(width).take((cells.len() / width).saturating_sub(1));
        for (cell, cut) in bins.zip(0..) {
            if cell[..self.weights].iter().all(|h| *h == 0) {
                continue;
            }
            add(&mut below, cell);
            subtract(&mut rest, cell);
            if self.admits(&below) && self.admits(&rest) {
                let gain = whole.split_into(self.term(&below, sizes), self.term(&rest, sizes));
                if best.is_none_or(|(best, _)| gain.is_above(best)) {
                    best = Some((gain, cut));
                }
            }
        }
        best
    }

    /// Whether the pairs of a child weigh enough.
    fn admits(&self, sums: &[i64]) -> bool {
        let h: i128 = sums[..self.weights].iter().map(|h| i128::from(*h)).sum();
        self.scale.admits(if self.weights == 1 { h * self.actions as i128 } else { h })
    }

    /// The terms of all actions; `sizes` are the Σ|g| of the node, which bound those of its sides.
    fn term(&self, sums: &[i64], sizes: &[i64]) -> Term {
        let (h, g) = sums.split_at(self.weights);
        g.iter().enumerate().fold(Term::NONE, |sum, (a, g)| {
            let (g, h) = (i128::from(*g), i128::from(h[a.min(self.weights - 1)]));
            sum.and(self.scale.term(g, i128::from(sizes[a]), h))
        })
    }

    pub(super) fn leaf(&self, sums: &[i64], a: usize, growth: &PairGrowth) -> f64 {
        let (g, h) = (sums[self.weights + a], sums[a.min(self.weights - 1)]);
        self.scale.leaf(i128::from(g), i128::from(h), growth.answer())
    }
}

/// The least e with Σ|v| < 2^e for every part of n values, up to the rounding of the sums.
fn exponent_of_sums(values: &[f64], n: usize) -> i32 {
    let unit = exponent_above(values.iter().fold(0.0, |largest, v| v.abs().max(largest)));
    let sum = |part: &[f64]| part.iter().map(|v| in_units(v.abs(), unit)).sum::<f64>();
    unit + exponent_above(values.chunks_exact(n).map(sum).fold(0.0, f64::max))
}

/// Grains of one pair: at most 2^61 of them.
fn below_2_62(grains: i128) -> i64 {
    i64::try_from(grains).unwrap_or_default()
}

fn add(sums: &mut [i64], cell: &[i64]) {
    sums.iter_mut().zip(cell).for_each(|(sum, v)| *sum += v);
}

pub(super) fn subtract(sums: &mut [i64], cell: &[i64]) {
    sums.iter_mut().zip(cell).for_each(|(sum, v)| *sum -= v);
}
