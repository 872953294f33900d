//! A tree on x with a value for every action in each leaf.

use super::PairHypothesis;
use crate::LearnerError;
use rows::Row;
use serde::{Deserialize, Serialize};

/// A binary tree of splits x_j < θ, with a value for every action in each leaf.
///
/// *Shapes:* f: R^m × {0, …, |A|−1} → R; the values of leaf l stand at l·|A|, …, l·|A| + |A| − 1. *Cost:* one
/// walk, and
/// |A| values copied.
///
/// ```
/// use rows::Row;
/// use weak_learners::pairs::{PairHypothesis, VectorLeafNode, VectorLeafTree};
/// // Where x_0 < ½ action 0 is worth 1, elsewhere action 1 is worth 2.
/// let tree = VectorLeafTree::new(1, 2, vec![
///     VectorLeafNode::Split { feature: 0, threshold: 0.5, below: 1, rest: 2 },
///     VectorLeafNode::Leaf { leaf: 0 },
///     VectorLeafNode::Leaf { leaf: 1 },
/// ], vec![1.0, 0.0, 0.0, 2.0])?;
/// let mut scores = [9.0; 2];
/// tree.scores(Row::dense(&[0.5])?, &mut scores)?;
/// assert_eq!(scores, [0.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct VectorLeafTree {
    inputs: usize,
    actions: usize,
    nodes: Vec<VectorLeafNode>,
    values: Vec<f64>,
}

/// A node; the root comes first, and children after their parent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorLeafNode {
    /// f(x, a) is the value of action a in this leaf.
    Leaf {
        /// The number of the leaf.
        leaf: u32,
    },
    /// x_feature < threshold goes to `below`, else to `rest`.
    Split {
        /// j.
        feature: u32,
        /// θ.
        threshold: f64,
        /// The child for x_j < θ.
        below: u32,
        /// The other child.
        rest: u32,
    },
}

impl VectorLeafTree {
    /// The tree of these nodes, from the root on, whose leaves have these values.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without inputs, actions or nodes; [`LearnerError::LengthMismatch`] unless
    /// there are |A| values a leaf, [`LearnerError::NotFinite`]; [`LearnerError::BadParameter`] for nodes
    /// that are not a tree: a feature, leaf or child out of range, a threshold that is not finite, a child
    /// before its parent or of two parents, a leaf used twice.
    pub fn new(
        inputs: usize,
        actions: usize,
        nodes: Vec<VectorLeafNode>,
        values: Vec<f64>,
    ) -> Result<Self, LearnerError> {
        Unchecked { inputs, actions, nodes, values }.try_into()
    }

    /// The nodes, root first; children come after their parent.
    #[must_use]
    pub fn nodes(&self) -> &[VectorLeafNode] {
        &self.nodes
    }

    /// The number of leaves.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.values.len() / self.actions
    }
}

impl PairHypothesis for VectorLeafTree {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn actions(&self) -> usize {
        self.actions
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), LearnerError> {
        if x.dimension() != self.inputs {
            return Err(LearnerError::InputDimension { expected: self.inputs, got: x.dimension() });
        }
        if scores.len() != self.actions {
            let (expected, got) = (self.actions, scores.len());
            return Err(LearnerError::LengthMismatch { argument: "scores", expected, got });
        }
        let mut node = 0;
        loop {
            match self.nodes[node] {
                VectorLeafNode::Leaf { leaf } => {
                    let first = leaf as usize * self.actions;
                    scores.copy_from_slice(&self.values[first..first + self.actions]);
                    return Ok(());
                }
                VectorLeafNode::Split { feature, threshold, below, rest } => {
                    let x_j = x.get(feature as usize).unwrap_or_default();
                    node = if x_j < threshold { below } else { rest } as usize;
                }
            }
        }
    }
}

#[derive(Deserialize)]
struct Unchecked {
    inputs: usize,
    actions: usize,
    nodes: Vec<VectorLeafNode>,
    values: Vec<f64>,
}

impl TryFrom<Unchecked> for VectorLeafTree {
    type Error = LearnerError;

    fn try_from(tree: Unchecked) -> Result<Self, LearnerError> {
        let Unchecked { inputs, actions, nodes, values } = tree;
        for (argument, count) in [("tree", nodes.len()), ("inputs", inputs), ("actions", actions)] {
            if count == 0 {
                return Err(LearnerError::Empty { argument });
            }
        }
        let leaves = nodes.iter().filter(|node| matches!(node, VectorLeafNode::Leaf { .. })).count();
        if leaves.checked_mul(actions) != Some(values.len()) {
            let (expected, got) = (leaves.saturating_mul(actions), values.len());
            return Err(LearnerError::LengthMismatch { argument: "values", expected, got });
        }
        if let Some(index) = values.iter().position(|v| !v.is_finite()) {
            return Err(LearnerError::NotFinite { argument: "values", index, value: values[index] });
        }
        // Children come after their parent, so the root is no child.
        let (mut has_parent, mut is_taken) = (vec![false; nodes.len()], vec![false; leaves]);
        let claim = |taken: &mut [bool], index: u32| {
            taken.get_mut(index as usize).is_some_and(|taken| !std::mem::replace(taken, true))
        };
        for (i, node) in nodes.iter().enumerate() {
            let is_sound = match *node {
                VectorLeafNode::Leaf { leaf } => claim(&mut is_taken, leaf),
                VectorLeafNode::Split { feature, threshold, below, rest } => {
                    (feature as usize) < inputs
                        && threshold.is_finite()
                        && [below, rest].into_iter().all(|c| c as usize > i && claim(&mut has_parent, c))
                }
            };
            if !is_sound || (i > 0 && !has_parent[i]) {
                #[allow(clippy::cast_precision_loss, reason = "for the message")]
                let value = i as f64;
                let domain =
                    "splits of what is there with two nodes behind, each the child of one; each leaf once";
                return Err(LearnerError::BadParameter { name: "node", value, domain });
            }
        }
        Ok(Self { inputs, actions, nodes, values })
    }
}
