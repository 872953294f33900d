//! A small Hoeffding tree.
//!
//! Reading order: [`HoeffdingTree`]; [`Growth`], when it splits; the counts of a leaf.

use super::Thresholds;
use crate::predictor::check_shape;
use crate::{Label, LearnerError, OnlinePredictor, Shape};
use rows::Row;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The Hoeffding tree \[DH00\]: a decision tree that grows from a stream in one pass. A leaf counts labels on
/// either side of every threshold. It splits on the feature of the largest information gain G(X_a) once
/// G(X_a) − G(X_b) > ε for the second-best feature X_b (and no split, of gain 0, among them), ε =
/// √(ln(1/δ)/2n) after n examples at the leaf. It votes with the majority of the examples of the leaf of x,
/// with those inherited at its split; a tie is voted +1.
///
/// *Guarantee* \[DH00\]: on a stationary stream a confident split is on the feature that is best for
/// infinitely many examples, with probability at least 1 − δ; asserted for the root over 400 streams in
/// `tests/hoeffding_tree.rs`. *Errata:* Hoeffding's inequality holds for averages, and the gain is not one,
/// so the paper's ε is a heuristic; a bound for the gain is far wider \[RPDJ13\]. A tie is split once ε < τ,
/// whatever δ is. *Cost:* O(stored values·log thresholds + depth·log stored values) a round, and
/// O(thresholds) at every `grace`-th example of a leaf. A leaf that may still split holds two counts a
/// threshold. Only a split allocates; there are fewer than `max_leaves`. *Errors:* a row of another
/// dimension.
///
/// ```
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::{Growth, HoeffdingTree, Thresholds}};
/// let thresholds = Thresholds::at(vec![vec![0.5], vec![0.5]])?;
/// let mut tree = HoeffdingTree::new(thresholds, Growth { delta: 0.01, ..Growth::default() })?;
/// // +1 where both features are on: no single threshold says that.
/// for t in 0..2000 {
///     let x = [f64::from(t % 2), f64::from(t / 2 % 2)];
///     tree.round(Row::dense(&x)?, if x == [1.0, 1.0] { Label::Plus } else { Label::Minus })?;
/// }
/// assert_eq!((tree.leaves(), tree.depth()), (3, 2));
/// assert_eq!(tree.vote(Row::dense(&[1.0, 1.0])?)?, Label::Plus);
/// assert_eq!(tree.vote(Row::dense(&[1.0, 0.0])?)?, Label::Minus);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct HoeffdingTree {
    state: State,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    growth: Growth,
    thresholds: Thresholds,
    /// The root first, children after their parent.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Node {
    /// x_feature < threshold goes to node `low`, the others to `high`.
    Branch {
        feature: usize,
        threshold: f64,
        low: usize,
        high: usize,
    },
    Leaf(Leaf),
}

impl OnlinePredictor<Label> for HoeffdingTree {
    fn shape(&self) -> Shape {
        Shape { inputs: self.state.thresholds.inputs(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, y.len())?;
        let (at, _) = self.state.sort(x);
        let majority = self.state.leaf(at).map_or(0.0, Leaf::majority);
        y.fill(Label::of_score(majority).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        let (at, depth) = self.state.sort(x);
        let State { growth, thresholds, nodes } = &mut self.state;
        let Some(Node::Leaf(leaf)) = nodes.get_mut(at) else { return Ok(()) };
        leaf.count(x, *y, thresholds);
        if leaf.is_due(growth.grace)
            && let Some(split) = leaf.split(thresholds, growth)
        {
            self.state.grow(at, depth, split);
        }
        Ok(())
    }
}

impl HoeffdingTree {
    /// A tree of one leaf.
    ///
    /// # Errors
    /// A parameter of `growth` outside its domain.
    pub fn new(thresholds: Thresholds, growth: Growth) -> Result<Self, LearnerError> {
        growth.check()?;
        let root = Leaf::new([0, 0], if growth.may_split(1, 0) { cells(&thresholds) } else { 0 });
        State { growth, thresholds, nodes: vec![Node::Leaf(root)] }.try_into()
    }

    /// The leaves, at least 1.
    pub fn leaves(&self) -> usize {
        self.state.leaves()
    }

    /// The depth: the most comparisons for a row.
    pub fn depth(&self) -> u32 {
        depths(&self.state.nodes).into_iter().max().unwrap_or_default()
    }

    /// The feature and threshold of the root; `None` for a leaf.
    pub fn root(&self) -> Option<(usize, f64)> {
        match self.state.nodes.first() {
            Some(Node::Branch { feature, threshold, .. }) => Some((*feature, *threshold)),
            _ => None,
        }
    }
}

impl State {
    /// The node of the leaf that x falls into, and its depth.
    fn sort(&self, x: Row<'_>) -> (usize, u32) {
        let (mut at, mut depth) = (0, 0);
        while let Some(Node::Branch { feature, threshold, low, high }) = self.nodes.get(at) {
            at = if x.get(*feature) < Some(*threshold) { *low } else { *high };
            depth += 1;
        }
        (at, depth)
    }

    fn leaf(&self, at: usize) -> Option<&Leaf> {
        match self.nodes.get(at) {
            Some(Node::Leaf(leaf)) => Some(leaf),
            _ => None,
        }
    }

    /// The leaf becomes a branch with two leaves.
    fn grow(&mut self, at: usize, depth: u32, split: Split) {
        let Split { feature, threshold, sides } = split;
        let may_split = self.growth.may_split(self.leaves() + 1, depth + 1);
        let cells = if may_split { cells(&self.thresholds) } else { 0 };
        let low = self.nodes.len();
        self.nodes.extend(sides.map(|votes| Node::Leaf(Leaf::new(votes, cells))));
        self.nodes[at] = Node::Branch { feature, threshold, low, high: low + 1 };
        if self.leaves() == self.growth.max_leaves {
            // No leaf splits any more.
            for node in &mut self.nodes {
                if let Node::Leaf(leaf) = node {
                    leaf.settle();
                }
            }
        }
    }

    /// Every branch has added one leaf and one node.
    fn leaves(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }
}

/// The depth of every node; children come after their parents.
fn depths(nodes: &[Node]) -> Vec<u32> {
    let mut depths = vec![0; nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        if let Node::Branch { low, high, .. } = node {
            depths[*low] = depths[at] + 1;
            depths[*high] = depths[at] + 1;
        }
    }
    depths
}

impl From<HoeffdingTree> for State {
    fn from(tree: HoeffdingTree) -> Self {
        tree.state
    }
}

impl TryFrom<State> for HoeffdingTree {
    type Error = LearnerError;

    fn try_from(state: State) -> Result<Self, LearnerError> {
        let State { growth, thresholds, nodes } = &state;
        growth.check()?;
        let refuse = |at: usize, domain| {
            #[allow(clippy::cast_precision_loss, reason = "a number for a message")]
            let value = at as f64;
            Err(LearnerError::BadParameter { name: "node", value, domain })
        };
        // Every node but the root is the child of one branch before it.
        let mut parents = vec![0_u32; nodes.len()];
        for (at, node) in nodes.iter().enumerate() {
            let Node::Branch { feature, threshold, low, high } = node else { continue };
            for child in [*low, *high] {
                if child <= at || child >= nodes.len() {
                    return refuse(at, "branches whose children stand behind them");
                }
                parents[child] += 1;
            }
            if !thresholds.of(*feature).contains(threshold) {
                return refuse(at, "branches on thresholds of the tree");
            }
        }
        if parents.first() != Some(&0) || parents.iter().skip(1).any(|&parents| parents != 1) {
            return refuse(0, "nodes with one parent");
        }
        let leaves = state.leaves();
        if leaves > growth.max_leaves {
            return refuse(leaves, "1 to max_leaves leaves");
        }
        for (at, depth) in depths(nodes).into_iter().enumerate() {
            if depth > growth.max_depth {
                return refuse(at, "depths up to max_depth");
            }
            if let Some(leaf) = state.leaf(at) {
                leaf.check(thresholds, growth.may_split(leaves, depth))?;
            }
        }
        Ok(Self { state })
    }
}

/// When a leaf splits, and when growth ends. The default is the paper's δ, τ and n_min \[DH00\], and a tree
/// of at most 32 leaves and depth 8. Checked when a tree is made.
///
/// ```
/// use weak_learners::online::{Growth, HoeffdingTree, Thresholds};
/// let growth = Growth { max_leaves: 4, ..Growth::default() };
/// assert!((growth.epsilon(200) - 0.2007).abs() < 1e-4);
/// let thresholds = Thresholds::at(vec![vec![0.0]])?;
/// assert!(HoeffdingTree::new(thresholds, Growth { delta: 0.0, ..growth }).is_err());
/// # Ok::<(), weak_learners::LearnerError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// δ ∈ (0, 1), the probability that a split is not on the best feature.
    pub delta: f64,
    /// τ ≥ 0: once ε < τ, the largest gain wins however close the others are; the first feature wins a tie.
    pub tie: f64,
    /// n_min ≥ 1: a leaf looks for a split at every n_min-th example.
    pub grace: u64,
    /// The largest depth; 0 keeps the tree one leaf.
    pub max_depth: u32,
    /// The most leaves, at least 1.
    pub max_leaves: usize,
}

impl Default for Growth {
    fn default() -> Self {
        Self { delta: 1e-7, tie: 0.05, grace: 200, max_depth: 8, max_leaves: 32 }
    }
}

impl Growth {
    /// ε = √(ln(1/δ)/2n) \[DH00\], for gains between 0 and 1 bit.
    pub fn epsilon(&self, n: u64) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "a count of examples")]
        let n = n as f64;
        (-self.delta.ln() / (2.0 * n)).sqrt()
    }

    /// Whether a leaf of this depth may split while the tree has so many leaves.
    pub(super) fn may_split(&self, leaves: usize, depth: u32) -> bool {
        leaves < self.max_leaves && depth < self.max_depth
    }

    pub(super) fn check(&self) -> Result<(), LearnerError> {
        let Self { delta, tie, grace, max_leaves, .. } = *self;
        let refuse = |name, value, domain| Err(LearnerError::BadParameter { name, value, domain });
        if !(delta > 0.0 && delta < 1.0) {
            return refuse("delta", delta, "(0, 1)");
        }
        if !(0.0..=LARGEST).contains(&tie) {
            return refuse("tie", tie, "[0, 1e140]");
        }
        if grace == 0 {
            return refuse("grace", 0.0, "n_min ≥ 1");
        }
        if max_leaves == 0 {
            return refuse("max_leaves", 0.0, "at least 1");
        }
        Ok(())
    }
}

/// Labels, −1 first.
type Counts = [u64; 2];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Leaf {
    /// The counts inherited from the branch above on this side.
    inherited: Counts,
    /// The counts of the examples of this leaf.
    seen: Counts,
    /// n_ijk: the counts of examples with x_j ≠ 0 in each cell of feature j; empty in a leaf that will not
    /// split.
    cells: Vec<Counts>,
}

/// A certain split of a leaf.
#[derive(Debug, Clone, Copy)]
struct Split {
    feature: usize,
    threshold: f64,
    /// The labels seen with x_feature < threshold, and the others.
    sides: [Counts; 2],
}

impl Leaf {
    fn new(inherited: Counts, cells: usize) -> Self {
        Self { inherited, seen: [0, 0], cells: vec![[0, 0]; cells] }
    }

    fn count(&mut self, x: Row<'_>, y: Label, thresholds: &Thresholds) {
        let class = usize::from(y == Label::Plus);
        if self.seen[class] == LARGEST_COUNT {
            return;
        }
        self.seen[class] += 1;
        if !self.cells.is_empty() {
            x.for_each(|j, x_j| {
                if x_j != 0.0 {
                    self.cells[thresholds.places(j).start + j + thresholds.bucket(j, x_j)][class] += 1;
                }
            });
        }
    }

    /// Whether to look for a split in this round; never if all labels are equal.
    fn is_due(&self, grace: u64) -> bool {
        let [minus, plus] = self.seen;
        !self.cells.is_empty() && minus > 0 && plus > 0 && (minus + plus).is_multiple_of(grace)
    }

    /// The best split, if its gain exceeds that of every other feature and of no split by more than ε, or if
    /// ε < τ.
    fn split(&self, thresholds: &Thresholds, growth: &Growth) -> Option<Split> {
        // No split has a gain of 0.
        let (mut best, mut second, mut split) = (0.0, 0.0, None);
        for feature in 0..thresholds.inputs() {
            let (gain, candidate) = self.best_of(feature, thresholds);
            if gain > best {
                (best, second, split) = (gain, best, candidate);
            } else if gain > second {
                second = gain;
            }
        }
        let epsilon = growth.epsilon(total(self.seen));
        if best - second > epsilon || epsilon < growth.tie { split } else { None }
    }

    /// The threshold of the largest gain, the lowest of equals.
    fn best_of(&self, feature: usize, thresholds: &Thresholds) -> (f64, Option<Split>) {
        let cells = &self.cells[cells_of(feature, thresholds)];
        // Zeros are not counted: they are the rest.
        let stored = cells.iter().fold([0, 0], |sum, cell| plus(sum, *cell));
        let (zeros, zero_bin) = (minus(self.seen, stored), thresholds.bucket(feature, 0.0));
        let (mut best, mut split, mut low) = (0.0, None, [0, 0]);
        for (bin, &threshold) in thresholds.of(feature).iter().enumerate() {
            low = plus(low, cells[bin]);
            if bin == zero_bin {
                low = plus(low, zeros);
            }
            let sides = [low, minus(self.seen, low)];
            let gain = information_gain(sides);
            if gain > best {
                (best, split) = (gain, Some(Split { feature, threshold, sides }));
            }
        }
        (best, split)
    }

    /// Positive for +1.
    fn majority(&self) -> f64 {
        let [minus, plus] = plus(self.inherited, self.seen);
        if plus >= minus { 1.0 } else { -1.0 }
    }

    /// Drops the counts that only a split needs.
    fn settle(&mut self) {
        self.cells = Vec::new();
    }

    /// Checks a saved leaf.
    fn check(&self, thresholds: &Thresholds, may_split: bool) -> Result<(), LearnerError> {
        let (expected, got) = (if may_split { cells(thresholds) } else { 0 }, self.cells.len());
        if expected != got {
            return Err(LearnerError::LengthMismatch { argument: "cells of a leaf", expected, got });
        }
        let refuse = |value: u64, domain| {
            #[allow(clippy::cast_precision_loss, reason = "a number for a message")]
            let value = value as f64;
            Err(LearnerError::BadParameter { name: "count", value, domain })
        };
        for count in self.inherited.into_iter().chain(self.seen) {
            if count > LARGEST_COUNT {
                return refuse(count, "[0, 2^52]");
            }
        }
        for class in 0..2 {
            for feature in 0..if may_split { thresholds.inputs() } else { 0 } {
                let cells = &self.cells[cells_of(feature, thresholds)];
                let stored = cells.iter().fold(0_u64, |sum, cell| sum.saturating_add(cell[class]));
                if stored > self.seen[class] {
                    return refuse(stored, "at most the examples of the leaf");
                }
            }
        }
        Ok(())
    }
}

/// One cell more than there are thresholds, for each feature.
fn cells(thresholds: &Thresholds) -> usize {
    thresholds.total() + thresholds.inputs()
}

fn cells_of(feature: usize, thresholds: &Thresholds) -> Range<usize> {
    let places = thresholds.places(feature);
    places.start + feature..places.end + feature + 1
}

/// Counts stay below 2^53, where every integer is a double: a leaf with so many examples of a class counts no
/// more.
const LARGEST_COUNT: u64 = 1 << 52;

fn plus(a: Counts, b: Counts) -> Counts {
    [a[0] + b[0], a[1] + b[1]]
}

fn minus(a: Counts, b: Counts) -> Counts {
    [a[0] - b[0], a[1] - b[1]]
}

fn total([minus, plus]: Counts) -> u64 {
    minus + plus
}

/// H(both) − Σ (n_side/n)·H(side), in bits; 0 where a side is empty.
fn information_gain([low, high]: [Counts; 2]) -> f64 {
    let (below, above) = (total(low), total(high));
    if below == 0 || above == 0 {
        return 0.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "counts below 2^53")]
    let share = below as f64 / (below + above) as f64;
    entropy(plus(low, high)) - share * entropy(low) - (1.0 - share) * entropy(high)
}

/// In bits.
fn entropy(counts: Counts) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts below 2^53")]
    let share = |k: u64| k as f64 / total(counts) as f64;
    counts.into_iter().filter(|&k| k > 0).map(|k| -share(k) * share(k).log2()).sum()
}
