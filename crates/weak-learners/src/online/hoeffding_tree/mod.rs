//! A small Hoeffding tree.
//!
//! Reading order: [`HoeffdingTree`]; [`Growth`], when it splits; the counts of a leaf.

mod growth;
mod leaf;

pub use growth::Growth;

use super::Thresholds;
use crate::predictor::check_shape;
use crate::{Label, LearnerError, OnlinePredictor, Shape};
use leaf::{Leaf, Split};
use rows::Row;
use serde::{Deserialize, Serialize};

/// The Hoeffding tree \[DH00\]: a decision tree that grows from a stream and never looks back. A leaf counts labels on
/// either side of every threshold; it splits on the feature of the largest information gain G(X_a) once
/// G(X_a) − G(X_b) > ε for the second-best feature X_b (and no split, of gain 0, among them), ε = √(ln(1/δ)/2n) after n
/// examples at the leaf. It votes with the majority of the examples that came to the leaf x falls into, those counted
/// before the split included; equality is voted +1.
///
/// *Guarantee* \[DH00\]: on a stationary stream a confident split is on the feature that is best for infinitely many
/// examples, but with probability δ; asserted for the root over 400 streams in `tests/hoeffding_tree.rs`.
/// *Errata:* Hoeffding's inequality is about averages, and the gain is none, so the paper's ε is a rule that works rather
/// than a proof; a bound that holds for the gain is far wider \[RPDJ13\]. And a tie is split below τ > ε whatever δ is.
/// *Cost:* O(stored values·log thresholds + depth·log stored values) a round, and O(thresholds) at every `grace`-th
/// example of a leaf. A leaf that may still split holds two counts a threshold. Only a split allocates, of which there are
/// less than `max_leaves`. *Errors:* a row of another dimension.
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
    /// The root first, children behind their parent.
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
    /// One leaf.
    ///
    /// # Errors
    /// A parameter of `growth` outside its domain.
    pub fn new(thresholds: Thresholds, growth: Growth) -> Result<Self, LearnerError> {
        growth.check()?;
        let root = Leaf::new([0, 0], if growth.may_split(1, 0) { leaf::cells(&thresholds) } else { 0 });
        State { growth, thresholds, nodes: vec![Node::Leaf(root)] }.try_into()
    }

    /// The leaves, at least 1.
    pub fn leaves(&self) -> usize {
        self.state.leaves()
    }

    /// The most questions that a row is asked.
    pub fn depth(&self) -> u32 {
        depths(&self.state.nodes).into_iter().max().unwrap_or_default()
    }

    /// The feature and threshold that the root asks for, once it does.
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
        let cells = if may_split { leaf::cells(&self.thresholds) } else { 0 };
        let low = self.nodes.len();
        self.nodes.extend(sides.map(|votes| Node::Leaf(Leaf::new(votes, cells))));
        self.nodes[at] = Node::Branch { feature, threshold, low, high: low + 1 };
        if self.leaves() == self.growth.max_leaves {
            // Nothing splits any more.
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

/// The depth of every node of a tree whose children stand behind their parents.
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
