//! Trees over pairs by the exact search: sums are whole numbers, and the best split of a node is found
//! without rounding.

use super::best_first::{SplitRecord, TreeGain, pruned};
use super::contract::{ColumnRestricted, PairLearner, PairRound, check_columns, evaluate};
use super::gain::{Gain, Scale, Term};
use super::{PairGrowth, PairNode, PairTree};
use crate::LearnerError;
use crate::batch::indicators::with_indicators;
use crate::batch::{Sample, SortedColumns, midway};
use crate::fractions::compare_sums;
use rows::numeric::exponent_above;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Sub};
use std::rc::Rc;

/// A reference implementation: the learner of trees over \[x ; one-hot(a)\] that tries *every* split.
///
/// A node is {examples} × {actions S}. Its splits on x are, for every column, the midpoints of neighbouring
/// values of its examples with h > 0 for some action of S. If S has several actions, its further splits are
/// "is it a?" for each a in S. [`PairGrowth`] decides which split is taken. An example of weight 0 sets no
/// threshold, but gets a value. Where the sample has the indicators of missing values
/// ([`SortedColumns::with_indicators`]), a split on x is tried with them on the side of 0 and on the other
/// one.
///
/// *Precision:* g and h are rounded once a node, to multiples of about 2^−92 of its largest, and every sum is
/// exact from there on (docs/numerics.md, Trees). *Cost:* O(stored values + examples·|S|) a node, so
/// O(n·|A| + stored values) a level for each set of actions; the n·|A| rows are never made. *Memory:* 16
/// bytes a stored value for each action split above the current node.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::batch::SortedColumns;
/// use weak_learners::pairs::{ExactPairTree, PairGrowth, PairLearner, PairRound, PairWeights};
/// // Action 1 is right where x ≥ 2, action 0 elsewhere; Σ_a g = 0, so that x alone gains nothing.
/// let contexts = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 1.0, 3.0, 3.0])?)?;
/// let gradients = [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0];
/// let round = PairRound::new(4, 2, &gradients, PairWeights::OfExamples(&[1.0, 2.0, 1.0, 2.0]))?;
/// let growth = PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build()?;
/// let mut learner = ExactPairTree::new(growth);
/// let mut values = [0.0; 8];
/// let tree = learner.train(&contexts, &round, &mut values)?;
/// assert_eq!(tree.leaves(), 1, "no split of the root gains anything");
///
/// let gradients = [2.0, 2.0, 0.0, 0.0, -1.0, -1.0, 1.0, 1.0];
/// let round = PairRound::new(4, 2, &gradients, PairWeights::OfExamples(&[1.0; 4]))?;
/// let tree = learner.train(&contexts, &round, &mut values)?;
/// assert_eq!((tree.leaves(), values), (4, gradients));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExactPairTree {
    growth: PairGrowth,
}

impl ExactPairTree {
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

impl PairLearner for ExactPairTree {
    type Contexts = SortedColumns;
    type Hypothesis = PairTree;

    fn train(
        &mut self,
        contexts: &SortedColumns,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        self.grow(contexts, round, None, values)
    }
}

impl ColumnRestricted for ExactPairTree {
    fn train_among(
        &mut self,
        contexts: &SortedColumns,
        round: &PairRound<'_>,
        columns: &[bool],
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        check_columns(contexts, columns)?;
        self.grow(contexts, round, Some(columns), values)
    }
}

impl ExactPairTree {
    /// Among some columns, or all.
    fn grow(
        &self,
        contexts: &SortedColumns,
        round: &PairRound<'_>,
        columns: Option<&[bool]>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        round.check_against(contexts, values)?;
        let mut own = Vec::new();
        let columns = with_indicators(columns, contexts.indicators(), &mut own);
        let mut search = Search::new(self.growth, round, columns, contexts.indicators());
        let mut nodes = vec![PairNode::Leaf { value: 0.0 }];
        let mut records = vec![SplitRecord { value: 0.0, gain: TreeGain::NONE }];
        let mut open = vec![Open {
            node: 0,
            depth: 0,
            actions: (0..).take(round.actions()).collect(),
            examples: Rc::new(Examples::of(contexts, round)),
        }];
        while let Some(part) = open.pop() {
            let (value, split) = search.split(&part);
            let first = u32::try_from(nodes.len()).ok().filter(|first| *first < u32::MAX);
            let (Some((gain, split)), Some(first)) = (split, first) else {
                nodes[part.node] = PairNode::Leaf { value };
                records[part.node].value = value;
                continue;
            };
            nodes[part.node] = split.node(first);
            nodes.extend([PairNode::Leaf { value }; 2]);
            records[part.node] = SplitRecord { value, gain };
            records.extend([records[part.node]; 2]);
            open.extend(part.divided(split, first as usize, round.examples()));
        }
        if let Some(most) = self.growth.max_leaves() {
            nodes = pruned(&nodes, &records, most);
        }
        let tree = PairTree::new(contexts.inputs(), round.actions(), nodes)?;
        evaluate(&tree, contexts, values)?;
        Ok(tree)
    }
}

/// A node whose split is not known yet.
struct Open {
    node: usize,
    depth: u32,
    /// S, ascending.
    actions: Vec<u32>,
    /// Nodes of different actions share their examples.
    examples: Rc<Examples>,
}

/// Examples, with each column's non-zero values in ascending order.
struct Examples {
    rows: Vec<u32>,
    columns: Vec<Vec<(f64, u32)>>,
}

#[derive(Clone, Copy)]
enum Split {
    /// With the indicator if missing values are on the other side than 0.
    Context {
        feature: u32,
        threshold: f64,
        moved: Option<u32>,
    },
    Action {
        action: u32,
    },
}

impl Examples {
    /// The examples that have a pair with h > 0.
    fn of(contexts: &SortedColumns, round: &PairRound<'_>) -> Self {
        let is_fitted = |i: &u32| (0..round.actions()).any(|a| round.weight(*i as usize, a) > 0.0);
        let column = |j: usize| {
            let (values, rows) = contexts.column(j);
            values.iter().copied().zip(rows.iter().copied()).filter(|(_, row)| is_fitted(row)).collect()
        };
        Self {
            rows: (0..).take(contexts.size()).filter(is_fitted).collect(),
            columns: (0..contexts.inputs()).map(column).collect(),
        }
    }

    /// The examples with x_j < θ, and the others; those without x_j on the other side than 0 if they moved.
    fn divided(&self, feature: u32, threshold: f64, moved: Option<u32>, n: usize) -> [Rc<Self>; 2] {
        let mut is_below = vec![0.0 < threshold; n];
        for (value, row) in &self.columns[feature as usize] {
            is_below[*row as usize] = *value < threshold;
        }
        if let Some(indicator) = moved {
            for (_, row) in &self.columns[indicator as usize] {
                is_below[*row as usize] = 0.0 >= threshold;
            }
        }
        [true, false].map(|side| {
            let here = |row: &u32| is_below[*row as usize] == side;
            let column =
                |column: &Vec<(f64, u32)>| column.iter().filter(|(_, row)| here(row)).copied().collect();
            Rc::new(Self {
                rows: self.rows.iter().filter(|row| here(row)).copied().collect(),
                columns: self.columns.iter().map(column).collect(),
            })
        })
    }
}

impl Open {
    /// The children, the first of which is node `first`.
    fn divided(self, split: Split, first: usize, n: usize) -> [Self; 2] {
        let Self { depth, actions, examples, .. } = self;
        let child = |node, actions, examples| Self { node, depth: depth + 1, actions, examples };
        match split {
            Split::Context { feature, threshold, moved } => {
                let [below, rest] = examples.divided(feature, threshold, moved, n);
                [child(first, actions.clone(), below), child(first + 1, actions, rest)]
            }
            Split::Action { action } => {
                let others = actions.into_iter().filter(|a| *a != action).collect();
                [child(first, others, Rc::clone(&examples)), child(first + 1, vec![action], examples)]
            }
        }
    }
}

impl Split {
    /// The node of this split, whose children are two nodes from `first` on.
    fn node(self, first: u32) -> PairNode {
        match self {
            Self::Context { feature, threshold, moved: None } => {
                PairNode::Context { feature, threshold, below: first, rest: first + 1 }
            }
            Self::Context { feature, threshold, moved: Some(indicator) } => PairNode::ContextOrMissing {
                feature,
                threshold,
                indicator,
                missing_below: 0.0 >= threshold,
                below: first,
                rest: first + 1,
            },
            Self::Action { action } => PairNode::Action { action, others: first, this: first + 1 },
        }
    }
}

/// A search for the best split of one node after another.
struct Search<'a> {
    growth: PairGrowth,
    round: &'a PairRound<'a>,
    /// Whether a column may be split; `None` for all columns.
    columns: Option<&'a [bool]>,
    /// The columns whose values may be missing with their indicators, by column.
    indicators: &'a [(usize, usize)],
    /// The sums over the actions of the node, for each of its examples.
    sums: Vec<Sums>,
}

impl<'a> Search<'a> {
    fn new(
        growth: PairGrowth,
        round: &'a PairRound<'a>,
        columns: Option<&'a [bool]>,
        indicators: &'a [(usize, usize)],
    ) -> Self {
        Self { growth, round, columns, indicators, sums: vec![Sums::default(); round.examples()] }
    }

    /// The value of the node as a leaf, and its best split with the gain.
    #[allow(clippy::cast_possible_truncation, reason = "at most 2^26 columns")]
    fn split(&mut self, part: &Open) -> (f64, Option<(TreeGain, Split)>) {
        let scale = self.scale(part);
        let (mut all, mut of_actions) = (Sums::default(), vec![Sums::default(); part.actions.len()]);
        for &i in &part.examples.rows {
            let mut sums = Sums::default();
            for (&a, of_action) in part.actions.iter().zip(&mut of_actions) {
                let pair = Sums::of(self.round, (i, a), &scale);
                sums += pair;
                *of_action += pair;
            }
            self.sums[i as usize] = sums;
            all += sums;
        }
        let leaf = scale.leaf(all.g, all.h, self.growth.answer());
        if part.depth >= self.growth.max_depth() {
            return (leaf, None);
        }
        let mut best = Best { scale, all, term: all.term(&scale), found: None };
        for (feature, column) in (0..).zip(&part.examples.columns) {
            if self.columns.is_none_or(|columns| columns[feature as usize]) {
                best.search(feature, column, None, &self.sums, part.examples.rows.len());
            }
        }
        for &(feature, indicator) in self.indicators {
            if self.columns.is_none_or(|columns| columns[feature]) {
                let [column, missing] = [feature, indicator].map(|j| part.examples.columns[j].as_slice());
                let missing = Some((indicator, missing));
                best.search(feature as u32, column, missing, &self.sums, part.examples.rows.len());
            }
        }
        if part.actions.len() > 1 {
            for (&action, of_action) in part.actions.iter().zip(of_actions) {
                best.offer(of_action, Split::Action { action });
            }
        }
        let found = best.found.filter(|found| found.gain.exceeds_rounding());
        let split = found.map(|Found { split, side, .. }| {
            let other = all - side;
            (scale.tree_gain([side.g, other.g], [side.h, other.h]), split)
        });
        (leaf, split)
    }

    /// The units of a node; sums of its pairs stay below 2^126.
    fn scale(&self, part: &Open) -> Scale {
        let (mut largest_g, mut largest_h) = (0.0_f64, 0.0_f64);
        for &i in &part.examples.rows {
            for &a in &part.actions {
                largest_g = largest_g.max(self.round.gradient(i as usize, a as usize).abs());
                largest_h = largest_h.max(self.round.weight(i as usize, a as usize));
            }
        }
        let pairs = part.examples.rows.len() * part.actions.len();
        let [unit_g, unit_h] = [largest_g, largest_h].map(exponent_above);
        Scale::new(unit_g, unit_h, (125 - pairs.max(1).ilog2()).min(92), &self.growth)
    }
}

/// The best split so far.
struct Best {
    scale: Scale,
    all: Sums,
    term: Term,
    found: Option<Found>,
}

/// A split, and the sums on one side.
struct Found {
    gain: Gain,
    split: Split,
    side: Sums,
}

impl Best {
    /// Every threshold of a column, from the lowest; with the examples without a value on the other side
    /// than 0, if there are some, where they are given with their indicator.
    fn search(
        &mut self,
        feature: u32,
        column: &[(f64, u32)],
        missing: Option<(usize, &[(f64, u32)])>,
        sums: &[Sums],
        examples: usize,
    ) {
        #[allow(clippy::cast_possible_truncation, reason = "at most 2^26 columns")]
        let moved = missing.map(|(indicator, _)| indicator as u32);
        let mut of_missing = Sums::default();
        missing.iter().flat_map(|(_, rows)| *rows).for_each(|(_, row)| of_missing += sums[*row as usize]);
        if moved.is_some() && of_missing.fitted == 0 {
            return;
        }
        // Examples without a stored value have 0, between the negative and the positive values.
        let mut zeros = self.all;
        column.iter().for_each(|(_, row)| zeros = zeros - sums[*row as usize]);
        let zeros = (column.len() < examples).then_some((0.0, zeros));
        let (negative, positive) = column.split_at(column.partition_point(|(value, _)| *value < 0.0));
        let of = |entry: &(f64, u32)| (entry.0, sums[entry.1 as usize]);
        let (mut below, mut last) = (Sums::default(), None);
        let groups = negative.iter().map(of).chain(zeros).chain(positive.iter().map(of));
        for (value, sums) in groups.filter(|(_, sums)| sums.fitted > 0) {
            if let Some(last) = last.filter(|last| *last < value) {
                let threshold = midway(last, value);
                let side = if 0.0 < threshold { below - of_missing } else { below + of_missing };
                self.offer(side, Split::Context { feature, threshold, moved });
            }
            below += sums;
            last = Some(value);
        }
    }

    /// A split with these sums on one side.
    fn offer(&mut self, side: Sums, split: Split) {
        let other = self.all - side;
        if self.scale.admits(side.h) && self.scale.admits(other.h) {
            let gain = self.term.split_into(side.term(&self.scale), other.term(&self.scale));
            if self.found.as_ref().is_none_or(|best| self.is_above([side, other], gain, best)) {
                self.found = Some(Found { gain, split, side });
            }
        }
    }

    /// Whether a split into these sides gains more than another one. Gains that doubles cannot tell apart are
    /// compared without rounding.
    fn is_above(&self, sides: [Sums; 2], gain: Gain, best: &Found) -> bool {
        let order = gain.compare(best.gain, 2).unwrap_or_else(|| {
            let parts = |sides: [Sums; 2]| sides.map(|side| (side.g, side.h));
            let (these, [a, b]) = (parts(sides), parts([best.side, self.all - best.side]));
            if these == [a, b] || these == [b, a] {
                Ordering::Equal
            } else {
                let sum = |parts: [(i128, i128); 2]| {
                    parts.into_iter().filter_map(|(g, h)| self.scale.fraction([g], h)).collect()
                };
                compare_sums(sum(these), sum([a, b]))
            }
        });
        order.is_gt()
    }
}

/// G, Σ|g| and H over some pairs, in grains.
#[derive(Clone, Copy, Default)]
struct Sums {
    g: i128,
    size: i128,
    h: i128,
    /// The number of pairs with h > 0.
    fitted: usize,
}

impl Sums {
    fn of(round: &PairRound<'_>, (i, a): (u32, u32), scale: &Scale) -> Self {
        let (g, h) = (round.gradient(i as usize, a as usize), round.weight(i as usize, a as usize));
        let g = scale.grains_of_g(g);
        Self { g, size: g.abs(), h: scale.grains_of_h(h), fitted: usize::from(h > 0.0) }
    }

    fn term(self, scale: &Scale) -> Term {
        scale.term(self.g, self.size, self.h)
    }
}

impl Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            g: self.g + other.g,
            size: self.size + other.size,
            h: self.h + other.h,
            fitted: self.fitted + other.fitted,
        }
    }
}

impl Sub for Sums {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            g: self.g - other.g,
            size: self.size - other.size,
            h: self.h - other.h,
            fitted: self.fitted - other.fitted,
        }
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
