//! The sums of a node bin by bin, and its best cut.

use super::Open;
use crate::batch::{BinnedColumns, Sample, in_pool, in_units};
use crate::fractions::{Fraction, compare_sums};
use crate::pairs::gain::{Gain, Scale, Term, surely};
use crate::pairs::{PairGrowth, PairRound, PairWeights};
use projections::exponent_above;
use rayon::prelude::*;
use std::cmp::Ordering;

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

/// The sums of every column's bins, a cell each.
pub(super) type Histogram = Vec<Vec<i64>>;

/// "x_j is in this bin or below".
struct Cut {
    feature: usize,
    bin: u8,
    /// What the terms of both sides come to, up to rounding.
    sides: f64,
    /// Of the examples below, as a cell.
    below: Vec<i64>,
}

/// Working memory of the search of a column.
#[derive(Default)]
struct Work {
    ordered: Vec<u32>,
    cells: Vec<i64>,
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

    /// Whether a node of so many examples keeps a histogram: one has at most four times the numbers of its examples.
    pub(super) fn keeps_histogram(&self, examples: usize) -> bool {
        let bins: usize = (0..self.contexts.inputs()).map(|j| self.contexts.cuts(j).len() + 1).sum();
        examples >= bins.div_ceil(4)
    }

    /// The sums of some examples, a cell a bin, column by column.
    pub(super) fn count(&self, rows: &[u32]) -> Histogram {
        let width = self.weights + self.actions;
        let mut histogram = vec![Vec::new(); self.contexts.inputs()];
        self.each_column(rows.len(), &mut histogram, |j, cells| {
            cells.resize((self.contexts.cuts(j).len() + 1) * width, 0);
            self.each_cell(j, rows, cells, add);
        });
        histogram
    }

    /// Takes some examples away from a histogram.
    pub(super) fn remove(&self, rows: &[u32], histogram: &mut Histogram) {
        self.each_column(rows.len(), histogram, |j, cells| self.each_cell(j, rows, cells, subtract));
    }

    /// Takes what was counted away from a histogram.
    pub(super) fn subtract(&self, counted: &Histogram, histogram: &mut Histogram) {
        self.each_column(256, histogram, |j, cells| subtract(cells, &counted[j]));
    }

    fn each_cell(&self, j: usize, rows: &[u32], cells: &mut [i64], act: impl Fn(&mut [i64], &[i64])) {
        let (bins, width) = (self.contexts.bins(j), self.weights + self.actions);
        for &i in rows {
            act(&mut cells[usize::from(bins[i as usize]) * width..][..width], self.cell(i));
        }
    }

    /// Treats every column, on one thread or on several.
    fn each_column(
        &self,
        cells: usize,
        histogram: &mut Histogram,
        act: impl Fn(usize, &mut Vec<i64>) + Sync + Send,
    ) {
        if self.is_shared(cells) {
            histogram.par_iter_mut().enumerate().for_each(|(j, cells)| act(j, cells));
        } else {
            histogram.iter_mut().enumerate().for_each(|(j, cells)| act(j, cells));
        }
    }

    /// Whether threads share the columns where each has so many cells to add.
    fn is_shared(&self, cells: usize) -> bool {
        in_pool(cells * (self.weights + self.actions) * self.contexts.inputs(), WORTHWHILE)
    }

    /// The cut of largest gain of all columns, the first of equal ones, if its gain is no rounding.
    pub(super) fn split(&self, part: &Open, rows: &[u32]) -> Option<(Gain, usize, u8)> {
        let all = &*part.sums;
        let columns = 0..self.contexts.inputs();
        let of_column = |work: &mut Work, j| match &part.histogram {
            Some(histogram) => self.best_bin(j, all, &histogram[j]),
            None => self.best_cut(j, all, rows, work),
        };
        let better = |one: Option<Cut>, later: Option<Cut>| match (one, later) {
            (Some(one), Some(later)) if self.compare(all, &later, &one).is_gt() => Some(later),
            (one, later) => one.or(later),
        };
        let best = if self.is_shared(rows.len()) {
            columns.into_par_iter().map_init(Work::default, of_column).reduce(|| None, better)
        } else {
            let mut work = Work::default();
            columns.map(|j| of_column(&mut work, j)).reduce(better).flatten()
        };
        let Cut { feature, bin, below, .. } = best?;
        let mut rest = all.to_vec();
        subtract(&mut rest, &below);
        let [whole, below, rest] = [all, &below, &rest].map(|sums| self.term(sums, &part.sizes));
        let gain = whole.split_into(below, rest);
        gain.is_real().then_some((gain, feature, bin))
    }

    /// The best cut of a column, from the sums of its bins.
    fn best_bin(&self, feature: usize, all: &[i64], cells: &[i64]) -> Option<Cut> {
        let width = all.len();
        let (mut below, mut best) = (vec![0; width], None);
        let bins = cells.chunks_exact(width).take((cells.len() / width).saturating_sub(1));
        for (cell, bin) in bins.zip(0..) {
            if cell[..self.weights].iter().any(|h| *h != 0) {
                add(&mut below, cell);
                self.offer(&mut best, (feature, bin), all, &below);
            }
        }
        best
    }

    /// The best cut of a column, from the examples: bin by bin where they are more than the bins, else in the order of
    /// their bins.
    fn best_cut(&self, feature: usize, all: &[i64], rows: &[u32], work: &mut Work) -> Option<Cut> {
        let bins = self.contexts.bins(feature);
        let count = self.contexts.cuts(feature).len() + 1;
        if rows.len() >= count {
            work.cells.clear();
            work.cells.resize(count * all.len(), 0);
            self.each_cell(feature, rows, &mut work.cells, add);
            return self.best_bin(feature, all, &work.cells);
        }
        work.ordered.clear();
        work.ordered.extend_from_slice(rows);
        work.ordered.sort_unstable_by_key(|row| bins[*row as usize]);
        let ordered = &work.ordered;
        let mut below = vec![0; all.len()];
        let mut best = None;
        for of_bin in ordered.chunk_by(|i, k| bins[*i as usize] == bins[*k as usize]) {
            let bin = bins[of_bin[0] as usize];
            if usize::from(bin) < self.contexts.cuts(feature).len() {
                of_bin.iter().for_each(|i| add(&mut below, self.cell(*i)));
                self.offer(&mut best, (feature, bin), all, &below);
            }
        }
        best
    }

    /// A cut with these sums below it, which takes the place of a worse one of its column.
    fn offer(&self, best: &mut Option<Cut>, (feature, bin): (usize, u8), all: &[i64], below: &[i64]) {
        let Some(sides) = self.sides(all, below) else { return };
        match best {
            Some(best) => {
                let order = surely(sides, best.sides, 2 * self.actions);
                if order.unwrap_or_else(|| self.compare_sums(all, below, &best.below)).is_gt() {
                    best.below.copy_from_slice(below);
                    (best.bin, best.sides) = (bin, sides);
                }
            }
            None => *best = Some(Cut { feature, bin, sides, below: below.to_vec() }),
        }
    }

    fn compare(&self, all: &[i64], one: &Cut, other: &Cut) -> Ordering {
        let order = surely(one.sides, other.sides, 2 * self.actions);
        order.unwrap_or_else(|| self.compare_sums(all, &one.below, &other.below))
    }

    /// The gain of a cut with these sums below it against that of another one, without any rounding.
    fn compare_sums(&self, all: &[i64], one: &[i64], other: &[i64]) -> Ordering {
        let is_rest = || one.iter().zip(other).zip(all).all(|((one, other), all)| one + other == *all);
        if one == other || is_rest() {
            return Ordering::Equal;
        }
        let [one, other] = [one, other].map(|below| {
            let mut rest = all.to_vec();
            subtract(&mut rest, below);
            let mut fractions = self.fractions(below);
            fractions.append(&mut self.fractions(&rest));
            fractions
        });
        compare_sums(one, other)
    }

    /// Σ_a G_a²/(H_a+λ).
    fn fractions(&self, sums: &[i64]) -> Vec<Fraction> {
        let (h, g) = sums.split_at(self.weights);
        let of_weights = h.iter().zip(g.chunks(self.actions / self.weights));
        of_weights
            .filter_map(|(h, g)| self.scale.fraction(g.iter().map(|g| i128::from(*g)), (*h).into()))
            .collect()
    }

    /// Σ_a G_a²/(H_a+λ) over the actions and both sides, up to rounding, with G in grains; nothing where a side is too light.
    fn sides(&self, all: &[i64], below: &[i64]) -> Option<f64> {
        let ((h, g), (h_below, g_below)) = (all.split_at(self.weights), below.split_at(self.weights));
        let weigh = |h: i128| self.admits(h);
        let total = |h: &[i64]| h.iter().map(|h| i128::from(*h)).sum::<i128>();
        let of_below = total(h_below);
        if !weigh(of_below) || !weigh(total(h) - of_below) {
            return None;
        }
        if let ([h], [h_below]) = (h, h_below) {
            let [below, rest] = sums_of_squares(g, g_below);
            let denominator = |h: i64| self.scale.denominator(h as f64);
            return Some(below / denominator(*h_below) + rest / denominator(h - h_below));
        }
        // Four sums: an addition need not wait for the one before it.
        let mut sums = [0.0; 4];
        let term = |g: i64, h: i64| {
            let (g, d) = (g as f64, self.scale.denominator(h as f64));
            let term = g * g / d;
            if d > 0.0 { term } else { 0.0 }
        };
        let of_actions = h.iter().zip(h_below).zip(g.iter().zip(g_below));
        for (a, ((h, h_below), (g, g_below))) in of_actions.enumerate() {
            sums[a % 4] += term(*g_below, *h_below) + term(g - g_below, h - h_below);
        }
        Some(sums.iter().sum())
    }

    /// Whether a child may have this H, summed over what weights an example has.
    fn admits(&self, h: i128) -> bool {
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

/// Σ g² of some sums, and of what is left of all of them.
fn sums_of_squares(all: &[i64], below: &[i64]) -> [f64; 2] {
    // Four sums each: an addition need not wait for the one before it.
    let (mut of_below, mut of_rest) = ([0.0; 4], [0.0; 4]);
    let (all, last_all) = all.as_chunks::<4>();
    let (below, last_below) = below.as_chunks::<4>();
    let mut square = |k: usize, all: i64, below: i64| {
        let (below, rest) = (below as f64, (all - below) as f64);
        of_below[k] += below * below;
        of_rest[k] += rest * rest;
    };
    for (all, below) in all.iter().zip(below) {
        (0..4).for_each(|k| square(k, all[k], below[k]));
    }
    last_all.iter().zip(last_below).for_each(|(all, below)| square(0, *all, *below));
    [of_below, of_rest].map(|sums| sums.iter().sum())
}

#[cfg(test)]
thread_local! {
    /// Numbers that were added or taken away on this thread.
    pub(super) static ADDED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts them, in tests.
fn note(_numbers: usize) {
    #[cfg(test)]
    ADDED.set(ADDED.get() + _numbers as u64);
}

fn add(sums: &mut [i64], cell: &[i64]) {
    note(cell.len());
    sums.iter_mut().zip(cell).for_each(|(sum, v)| *sum += v);
}

pub(super) fn subtract(sums: &mut [i64], cell: &[i64]) {
    note(cell.len());
    sums.iter_mut().zip(cell).for_each(|(sum, v)| *sum -= v);
}
