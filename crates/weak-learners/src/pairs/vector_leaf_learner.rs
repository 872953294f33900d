//! Trees on x with a value for every action in each leaf, on binned columns.

use super::best_first::{Kept, TreeGain, best_first};
use super::contract::{PairLearner, PairRound, evaluate};
use super::gain::{Gain, Scale, Term, certain_order};
use super::{PairGrowth, PairWeights, VectorLeafNode, VectorLeafTree};
use crate::batch::{BinnedColumns, Sample, in_pool, in_units};
use crate::fractions::{Fraction, compare_sums};
use crate::{LearnerError, RankError};
use rayon::prelude::*;
use rows::numeric::exponent_above;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::iter::repeat_n;
use std::num::NonZero;
use std::ops::Range;

/// The learner of trees on x alone with a value per action in each leaf: in a leaf with G_a = Σ_i g_{i,a} and
/// H_a = Σ_i h_{i,a} the value of action a is G_a/(H_a+λ), or its sign.
///
/// The gain of a split is the sum over the actions of [`PairGrowth`]'s gain, from the G_a and H_a of the node
/// and the two sides. Thresholds are the cuts of the bins; `min_child_weight` bounds Σ_a H_a of a child.
/// Depth, ties and leaves follow [`PairGrowth`]. If Σ_a g_{i,a} = 0, a tree over \[x ; one-hot(a)\] must
/// split on actions before x helps; this tree need not. An action without weight has the value 0 if λ = 0.
///
/// *Precision:* g and h are rounded once, to multiples of about 2^−61 of their largest sum of an action, and
/// every sum is exact from there on (docs/numerics.md, Trees). *Cost:* n·m·|A| additions a level of the tree
/// for n examples, and |A| divisions a cut and node with weights of pairs, else two. A node has no more cuts
/// than bins, nor than examples. In a node of many examples only the smaller child is counted. *Threads:*
/// those of the caller's rayon pool share the columns. *Memory:* n·(|A|+1) numbers of 8 bytes (2n·|A| with
/// weights of pairs), at most four times as many for the histograms of all nodes that wait, and 256 times
/// |A|+1 a thread.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::batch::BinnedColumns;
/// use weak_learners::pairs::{PairGrowth, PairLearner, PairRound, PairWeights, VectorLeafLearner};
/// // Action 1 is right where x ≥ 2, action 0 elsewhere, and one gains what the other loses.
/// let contexts = BinnedColumns::new(RowMatrix::dense(1, vec![1.0, 1.0, 3.0, 3.0])?)?;
/// let gradients = [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0];
/// let round = PairRound::new(4, 2, &gradients, PairWeights::OfExamples(&[1.0; 4]))?;
/// let mut values = [0.0; 8];
/// let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build()?;
/// let mut learner = VectorLeafLearner::new(growth);
/// let tree = learner.train(&contexts, &round, &mut values)?;
/// assert_eq!((tree.leaves(), values), (2, gradients));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VectorLeafLearner {
    growth: PairGrowth,
}

impl VectorLeafLearner {
    /// The learner of trees that grow by these rules.
    #[must_use]
    pub fn new(growth: PairGrowth) -> Self {
        Self { growth }
    }

    /// The rules of growth.
    #[must_use]
    pub fn growth(&self) -> &PairGrowth {
        &self.growth
    }
}

impl PairLearner for VectorLeafLearner {
    type Contexts = BinnedColumns;
    type Hypothesis = VectorLeafTree;

    fn train(
        &mut self,
        contexts: &BinnedColumns,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<VectorLeafTree, LearnerError> {
        if contexts.shard().is_some() {
            return Err(RankError::OneRankOnly { what: "a tree of vectors" }.into());
        }
        round.check_against(contexts, values)?;
        let search = Search::new(contexts, round, &self.growth);
        let mut rows = search.rows();
        let actions = round.actions();
        let mut grown = Grown::default();
        grown.open(1);
        let mut open = vec![search.root(&rows)];
        while let Some(part) = open.pop() {
            let node = part.node;
            let first = u32::try_from(grown.nodes.len()).ok().filter(|first| *first < u32::MAX);
            let answer: Vec<f64> = (0..actions).map(|a| search.leaf(&part.sums, a, &self.growth)).collect();
            let (Some((gain, feature, cut)), Some(first)) = (part.split, first) else {
                grown.nodes[node] = grown.leaf(actions, &answer);
                continue;
            };
            if self.growth.max_leaves().is_some() {
                grown.records[node] = Some((TreeGain::new(gain.value(), 0), answer));
            }
            let threshold = contexts.cuts(feature)[usize::from(cut)];
            let feature_index = u32::try_from(feature).unwrap_or(u32::MAX);
            grown.nodes[node] =
                VectorLeafNode::Split { feature: feature_index, threshold, below: first, rest: first + 1 };
            grown.open(2);
            let children = [first, first + 1].map(|child| child as usize);
            open.extend(search.divide(part, (feature, cut), children, &mut rows));
        }
        if let Some(most) = self.growth.max_leaves() {
            grown = grown.pruned(actions, most);
        }
        let Grown { nodes, answers, .. } = grown;
        let tree = VectorLeafTree::new(contexts.inputs(), actions, nodes, answers)?;
        evaluate(&tree, contexts, values)?;
        Ok(tree)
    }
}

/// A node and the range of its examples.
struct Open {
    node: usize,
    depth: u32,
    range: Range<usize>,
    /// The sums, as a cell.
    sums: Vec<i64>,
    /// Σ|g| of every action.
    sizes: Vec<i64>,
    /// Only for nodes with many examples.
    histogram: Option<Histogram>,
    /// `None` for a leaf.
    split: Option<(Gain, usize, u8)>,
}

impl Search<'_> {
    fn root(&self, rows: &[u32]) -> Open {
        let (sums, sizes) = (self.sum(rows), self.sizes(rows));
        let mut root =
            Open { node: 0, depth: 0, range: 0..rows.len(), sums, sizes, histogram: None, split: None };
        if self.max_depth > 0 {
            root.histogram = self.keeps_histogram(rows.len()).then(|| self.count(rows));
            root.split = self.split(&root, rows);
        }
        root
    }

    /// The children, the smaller one last: it is next, so that few nodes are open.
    fn divide(
        &self,
        part: Open,
        (feature, cut): (usize, u8),
        nodes: [usize; 2],
        rows: &mut [u32],
    ) -> [Open; 2] {
        let Open { depth, range, sums, sizes, histogram, .. } = part;
        let bins = self.contexts.bins(feature);
        let (below, rest): (Vec<u32>, Vec<u32>) =
            rows[range.clone()].iter().partition(|&&i| bins[i as usize] <= cut);
        let middle = range.start + below.len();
        rows[range.start..middle].copy_from_slice(&below);
        rows[middle..range.end].copy_from_slice(&rest);
        let child = |node, range, sums, sizes| Open {
            node,
            depth: depth + 1,
            range,
            sums,
            sizes,
            histogram: None,
            split: None,
        };
        let sums_below = self.sum(&below);
        let mut sums_rest = sums;
        subtract(&mut sums_rest, &sums_below);
        let (sizes_below, mut sizes_rest) = (self.sizes(&below), sizes);
        subtract(&mut sizes_rest, &sizes_below);
        let below = child(nodes[0], range.start..middle, sums_below, sizes_below);
        let rest = child(nodes[1], middle..range.end, sums_rest, sizes_rest);
        let is_smaller = below.range.len() <= rest.range.len();
        let (mut smaller, mut larger) = if is_smaller { (below, rest) } else { (rest, below) };
        if depth + 1 < self.max_depth {
            let [few, many] = [&smaller, &larger].map(|part| &rows[part.range.clone()]);
            smaller.histogram = self.keeps_histogram(few.len()).then(|| self.count(few));
            if let Some(mut rest) = histogram.filter(|_| self.keeps_histogram(many.len())) {
                match &smaller.histogram {
                    Some(counted) => self.subtract(counted, &mut rest),
                    None => self.remove(few, &mut rest),
                }
                larger.histogram = Some(rest);
            }
            smaller.split = self.split(&smaller, few);
            larger.split = self.split(&larger, many);
        }
        [larger, smaller]
    }
}

/// The number of additions from which threads are worth their start.
const WORTHWHILE: usize = 1 << 16;

/// The inputs of the search of every node.
struct Search<'a> {
    contexts: &'a BinnedColumns,
    scale: Scale,
    max_depth: u32,
    actions: usize,
    /// The number of h of an example: one, or one an action.
    weights: usize,
    /// The h and then the g of each example, in grains.
    cells: Vec<i64>,
}

/// The sums of every column's bins, a cell each.
type Histogram = Vec<Vec<i64>>;

/// "x_j is in this bin or below".
struct Cut {
    feature: usize,
    bin: u8,
    /// The sum of the terms of both sides, up to rounding.
    sides: f64,
    /// The sums of the examples below, as a cell.
    below: Vec<i64>,
}

/// Working memory of the search of a column.
#[derive(Default)]
struct Work {
    ordered: Vec<u32>,
    cells: Vec<i64>,
}

impl<'a> Search<'a> {
    fn new(contexts: &'a BinnedColumns, round: &PairRound<'_>, growth: &PairGrowth) -> Self {
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

    /// The examples of positive weight.
    fn rows(&self) -> Vec<u32> {
        let weighs = |i: &u32| self.cell(*i)[..self.weights].iter().any(|h| *h > 0);
        (0..).take(self.contexts.size()).filter(weighs).collect()
    }

    fn cell(&self, i: u32) -> &[i64] {
        let width = self.weights + self.actions;
        &self.cells[i as usize * width..][..width]
    }

    fn sum(&self, rows: &[u32]) -> Vec<i64> {
        let mut sums = vec![0; self.weights + self.actions];
        rows.iter().for_each(|&i| add(&mut sums, self.cell(i)));
        sums
    }

    /// Σ|g| of every action.
    fn sizes(&self, rows: &[u32]) -> Vec<i64> {
        let mut sizes = vec![0; self.actions];
        for &i in rows {
            let g = &self.cell(i)[self.weights..];
            sizes.iter_mut().zip(g).for_each(|(size, g)| *size += g.abs());
        }
        sizes
    }

    /// Whether a node of so many examples keeps a histogram, of at most four times the numbers of its
    /// examples.
    fn keeps_histogram(&self, examples: usize) -> bool {
        let bins: usize = (0..self.contexts.inputs()).map(|j| self.contexts.cuts(j).len() + 1).sum();
        examples >= bins.div_ceil(4)
    }

    /// The sums of some examples, a cell a bin, column by column.
    fn count(&self, rows: &[u32]) -> Histogram {
        let width = self.weights + self.actions;
        let mut histogram = vec![Vec::new(); self.contexts.inputs()];
        self.each_column(rows.len(), &mut histogram, |j, cells| {
            cells.resize((self.contexts.cuts(j).len() + 1) * width, 0);
            self.each_cell(j, rows, cells, add);
        });
        histogram
    }

    /// Subtracts some examples from a histogram.
    fn remove(&self, rows: &[u32], histogram: &mut Histogram) {
        self.each_column(rows.len(), histogram, |j, cells| self.each_cell(j, rows, cells, subtract));
    }

    /// Subtracts a counted histogram from a histogram.
    fn subtract(&self, counted: &Histogram, histogram: &mut Histogram) {
        self.each_column(256, histogram, |j, cells| subtract(cells, &counted[j]));
    }

    fn each_cell(&self, j: usize, rows: &[u32], cells: &mut [i64], act: impl Fn(&mut [i64], &[i64])) {
        let (bins, width) = (self.contexts.bins(j), self.weights + self.actions);
        for &i in rows {
            act(&mut cells[usize::from(bins[i as usize]) * width..][..width], self.cell(i));
        }
    }

    /// Calls `act` for every column, on one thread or on several.
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

    /// Whether threads share the columns, with so many cells to add in each.
    fn is_shared(&self, cells: usize) -> bool {
        in_pool(cells * (self.weights + self.actions) * self.contexts.inputs(), WORTHWHILE)
    }

    /// The cut of largest gain of all columns, the first of equals, if its gain exceeds rounding.
    fn split(&self, part: &Open, rows: &[u32]) -> Option<(Gain, usize, u8)> {
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
        gain.exceeds_rounding().then_some((gain, feature, bin))
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

    /// The best cut of a column, from the examples: bin by bin if they are more than the bins, else in the
    /// order of their bins.
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

    /// Offers a cut with these sums below it, which replaces a worse cut of its column.
    fn offer(&self, best: &mut Option<Cut>, (feature, bin): (usize, u8), all: &[i64], below: &[i64]) {
        let Some(sides) = self.sides(all, below) else { return };
        match best {
            Some(best) => {
                let order = certain_order(sides, best.sides, 2 * self.actions);
                if order.unwrap_or_else(|| self.compare_sums(all, below, &best.below)).is_gt() {
                    best.below.copy_from_slice(below);
                    (best.bin, best.sides) = (bin, sides);
                }
            }
            None => *best = Some(Cut { feature, bin, sides, below: below.to_vec() }),
        }
    }

    fn compare(&self, all: &[i64], one: &Cut, other: &Cut) -> Ordering {
        let order = certain_order(one.sides, other.sides, 2 * self.actions);
        order.unwrap_or_else(|| self.compare_sums(all, &one.below, &other.below))
    }

    /// The order of the gains of two cuts with these sums below them, without rounding.
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

    /// Σ_a G_a²/(H_a+λ) over the actions and both sides, up to rounding, with G in grains; `None` if a side
    /// is too light.
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
        // Four sums, so that additions do not wait for each other.
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

    /// Whether a child may have this H, summed over the weights of an example.
    fn admits(&self, h: i128) -> bool {
        self.scale.admits(if self.weights == 1 { h * self.actions as i128 } else { h })
    }

    /// The terms of all actions; `sizes` are the Σ|g| of the node, upper bounds for its sides.
    fn term(&self, sums: &[i64], sizes: &[i64]) -> Term {
        let (h, g) = sums.split_at(self.weights);
        g.iter().enumerate().fold(Term::NONE, |sum, (a, g)| {
            let (g, h) = (i128::from(*g), i128::from(h[a.min(self.weights - 1)]));
            sum.and(self.scale.term(g, i128::from(sizes[a]), h))
        })
    }

    fn leaf(&self, sums: &[i64], a: usize, growth: &PairGrowth) -> f64 {
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

/// Σ g² of the sums below, and of the rest.
fn sums_of_squares(all: &[i64], below: &[i64]) -> [f64; 2] {
    // Four sums each, so that additions do not wait for each other.
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
    /// The count of additions and subtractions on this thread.
    static ADDED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
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

fn subtract(sums: &mut [i64], cell: &[i64]) {
    note(cell.len());
    sums.iter_mut().zip(cell).for_each(|(sum, v)| *sum -= v);
}

/// A grown tree, with the gains of its splits and their values as leaves.
#[derive(Default)]
struct Grown {
    nodes: Vec<VectorLeafNode>,
    /// |A| values a leaf.
    answers: Vec<f64>,
    /// The record of every split.
    records: Vec<Option<(TreeGain, Vec<f64>)>>,
}

impl Grown {
    /// Reserves further nodes.
    fn open(&mut self, nodes: usize) {
        self.nodes.extend(repeat_n(VectorLeafNode::Leaf { leaf: 0 }, nodes));
        self.records.extend(repeat_n(None, nodes));
    }

    /// The tree pruned to at most so many leaves.
    fn pruned(self, actions: usize, most: NonZero<u32>) -> Self {
        if self.answers.len() / actions <= most.get() as usize {
            return self;
        }
        let split = |node: usize| match (self.nodes[node], &self.records[node]) {
            (VectorLeafNode::Split { below, rest, .. }, Some((gain, _))) => Some(([below, rest], *gain)),
            _ => None,
        };
        let mut left = Self::default();
        for Kept { node, children } in best_first(self.nodes.len(), split, most) {
            let node = match (self.nodes[node], children, &self.records[node]) {
                (VectorLeafNode::Split { feature, threshold, .. }, Some([below, rest]), _) => {
                    VectorLeafNode::Split { feature, threshold, below, rest }
                }
                (VectorLeafNode::Split { .. }, None, Some((_, answer))) => left.leaf(actions, answer),
                (VectorLeafNode::Leaf { leaf }, ..) => {
                    left.leaf(actions, &self.answers[leaf as usize * actions..][..actions])
                }
                // Unreachable: every split has a record.
                (node, ..) => node,
            };
            left.nodes.push(node);
        }
        left
    }

    /// A further leaf.
    fn leaf(&mut self, actions: usize, answer: &[f64]) -> VectorLeafNode {
        // Fewer leaves than nodes, whose number fits a u32.
        let leaf = u32::try_from(self.answers.len() / actions).unwrap_or(u32::MAX);
        self.answers.extend_from_slice(answer);
        VectorLeafNode::Leaf { leaf }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rows::RowMatrix;

    /// What growing a tree to single examples adds up, in units of n·m·(|A|+1).
    #[allow(clippy::cast_precision_loss, reason = "counts")]
    fn additions(n: usize, inputs: usize, actions: usize) -> f64 {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let rows = (0..n * inputs).map(|_| rng.random_range(-1.0..1.0)).collect();
        let contexts = BinnedColumns::new(RowMatrix::dense(inputs, rows).unwrap()).unwrap();
        let g: Vec<f64> = (0..n * actions).map(|_| rng.random_range(-1.0..1.0)).collect();
        let h = vec![1.0; n];
        let round = PairRound::new(n, actions, &g, PairWeights::OfExamples(&h)).unwrap();
        let mut learner = VectorLeafLearner::new(
            PairGrowth::builder().max_depth(1000).min_child_weight(0.0).reg_lambda(0.0).build().unwrap(),
        );
        let before = ADDED.get();
        let tree = learner.train(&contexts, &round, &mut vec![0.0; g.len()]).unwrap();
        assert!(100 * tree.leaves() >= 99 * n, "{} leaves", tree.leaves());
        (ADDED.get() - before) as f64 / (n * inputs * (actions + 1)) as f64
    }

    /// As many as the tree has levels, whatever the number of examples, columns, actions and bins: were every
    /// node to look at every bin, of 200 examples there would be 256 each.
    #[test]
    fn additions_are_linear_in_the_numbers_that_are_given() {
        for (n, inputs, actions) in [(200, 3, 4), (200, 24, 4), (200, 3, 64), (1600, 3, 4), (6400, 3, 4)] {
            let found = additions(n, inputs, actions);
            assert!(found < 4.0 * (n as f64).log2(), "{n}, {inputs}, {actions}: {found}");
        }
    }

    /// A node keeps a histogram where its examples have a quarter as many numbers at least.
    #[test]
    fn histograms_are_not_much_larger_than_their_examples() {
        let rows = RowMatrix::dense(2, (0..600).map(|k| f64::from(k / 2)).collect()).unwrap();
        let contexts = BinnedColumns::new(rows).unwrap();
        let bins = contexts.cuts(0).len() + contexts.cuts(1).len() + 2;
        let (g, h) = (vec![1.0; 300], vec![1.0; 300]);
        let round = PairRound::new(300, 1, &g, PairWeights::OfExamples(&h)).unwrap();
        let growth =
            PairGrowth::builder().max_depth(3).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
        let search = Search::new(&contexts, &round, &growth);
        for examples in 0..300 {
            assert_eq!(search.keeps_histogram(examples), 4 * examples >= bins, "{examples} of {bins}");
        }
        assert_eq!(search.root(&search.rows()).histogram.map(|columns| columns.len()), Some(2));
    }
}
