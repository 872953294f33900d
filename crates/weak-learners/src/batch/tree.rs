//! A binary decision tree of any learner.

use super::Hypothesis;
use crate::{Label, LearnerError};
use rows::Row;
use serde::{Deserialize, Serialize};

/// The answer of a leaf, from the weighted mean of its targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeafAnswer {
    /// Its side, −1 or +1; 0 counts as +1.
    Sign,
    /// The mean itself, in \[−1, 1\].
    Mean,
}

/// A tree of splits x_j ≤ θ.
///
/// *Cost:* as many comparisons as the tree is deep, each as a [`Stump`](super::Stump)'s.
///
/// ```
/// use rows::Row;
/// use weak_learners::batch::{Hypothesis, Tree, TreeNode};
/// let leaf = |answer| TreeNode::Leaf { answer };
/// let root = TreeNode::Split { feature: 1, threshold: 0.5, at_most: 1, above: 2 };
/// let tree = Tree::new(2, vec![root, leaf(-1.0), leaf(1.0)])?;
/// assert_eq!(tree.predict(Row::dense(&[9.0, 0.5])?)?, -1.0);
/// assert!(Tree::new(2, vec![root, leaf(-1.0)]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Tree {
    inputs: usize,
    nodes: Vec<TreeNode>,
}

/// A node; the root comes first. Every other node is the child of exactly one earlier node, so every walk
/// from the root ends in a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeNode {
    /// h(x) = answer.
    Leaf {
        /// In \[−1, 1\].
        answer: f64,
    },
    /// x_feature ≤ threshold goes to `at_most`, else to `above`.
    Split {
        /// j.
        feature: usize,
        /// θ.
        threshold: f64,
        /// The place of the child for x_j ≤ θ.
        at_most: usize,
        /// The place of the other child.
        above: usize,
    },
}

impl LeafAnswer {
    /// The answer for this mean.
    pub(crate) fn of(self, mean: f64) -> f64 {
        match self {
            Self::Sign => Label::of_score(mean).sign(),
            Self::Mean => mean,
        }
    }
}

impl Tree {
    /// The tree of these nodes, from the root on.
    ///
    /// # Errors
    /// No inputs, or nodes that are not a tree.
    pub fn new(inputs: usize, nodes: Vec<TreeNode>) -> Result<Self, LearnerError> {
        Unchecked { inputs, nodes }.try_into()
    }

    /// The tree of checked nodes.
    pub(super) fn trusted(inputs: usize, nodes: Vec<TreeNode>) -> Self {
        Self { inputs, nodes }
    }

    /// The nodes, root first; children come after their parent.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node, TreeNode::Leaf { .. })).count()
    }
}

impl Hypothesis for Tree {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn predict(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        if x.dimension() != self.inputs {
            return Err(LearnerError::InputDimension { expected: self.inputs, got: x.dimension() });
        }
        let mut node = self.nodes[0];
        loop {
            match node {
                TreeNode::Leaf { answer } => return Ok(answer),
                TreeNode::Split { feature, threshold, at_most, above } => {
                    node = self.nodes[if x.get(feature) <= Some(threshold) { at_most } else { above }];
                }
            }
        }
    }
}

#[derive(Deserialize)]
struct Unchecked {
    inputs: usize,
    nodes: Vec<TreeNode>,
}

impl TryFrom<Unchecked> for Tree {
    type Error = LearnerError;

    fn try_from(Unchecked { inputs, nodes }: Unchecked) -> Result<Self, LearnerError> {
        for (argument, count) in [("tree", nodes.len()), ("inputs", inputs)] {
            if count == 0 {
                return Err(LearnerError::Empty { argument });
            }
        }
        let mut parents = vec![0; nodes.len()];
        for node in &nodes {
            if let TreeNode::Split { at_most, above, .. } = *node {
                for child in [at_most, above] {
                    parents
                        .get_mut(child)
                        .into_iter()
                        .for_each(|count: &mut u32| *count = count.saturating_add(1));
                }
            }
        }
        let is_sound = |(i, node): (usize, &TreeNode)| match *node {
            TreeNode::Leaf { answer } => answer.abs() <= 1.0,
            TreeNode::Split { feature, threshold, at_most, above } => {
                let behind = i + 1..nodes.len();
                feature < inputs
                    && threshold.is_finite()
                    && behind.contains(&at_most)
                    && behind.contains(&above)
            }
        };
        // Children come after their parent, so the root is no child.
        let has_one_parent = |i: usize| i == 0 || parents[i] == 1;
        let unsound = |node: (usize, &TreeNode)| !(is_sound(node) && has_one_parent(node.0));
        match nodes.iter().enumerate().position(unsound) {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            Some(i) => {
                let domain =
                    "leaves in [−1, 1] and splits of a feature with two nodes behind, each the child of one";
                Err(LearnerError::BadParameter { name: "node", value: i as f64, domain })
            }
            None => Ok(Self { inputs, nodes }),
        }
    }
}
