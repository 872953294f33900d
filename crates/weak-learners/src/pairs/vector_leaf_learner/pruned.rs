//! The part of a tree that is grown best first.

use crate::pairs::VectorLeafNode;
use crate::pairs::best_first::{Kept, TreeGain, best_first};
use std::iter::repeat_n;
use std::num::NonZero;

/// A tree, and what its splits gain and would say as leaves.
#[derive(Default)]
pub(super) struct Grown {
    pub(super) nodes: Vec<VectorLeafNode>,
    /// |A| values a leaf.
    pub(super) answers: Vec<f64>,
    /// Of every split.
    pub(super) said: Vec<Option<(TreeGain, Vec<f64>)>>,
}

impl Grown {
    /// Makes place for further nodes.
    pub(super) fn open(&mut self, nodes: usize) {
        self.nodes.extend(repeat_n(VectorLeafNode::Leaf { leaf: 0 }, nodes));
        self.said.extend(repeat_n(None, nodes));
    }

    /// What is left of it with so many leaves.
    pub(super) fn pruned(self, actions: usize, most: NonZero<u32>) -> Self {
        if self.answers.len() / actions <= most.get() as usize {
            return self;
        }
        let split = |node: usize| match (self.nodes[node], &self.said[node]) {
            (VectorLeafNode::Split { below, rest, .. }, Some((gain, _))) => Some(([below, rest], *gain)),
            _ => None,
        };
        let mut left = Self::default();
        for Kept { node, children } in best_first(self.nodes.len(), split, most) {
            let node = match (self.nodes[node], children, &self.said[node]) {
                (VectorLeafNode::Split { feature, threshold, .. }, Some([below, rest]), _) => {
                    VectorLeafNode::Split { feature, threshold, below, rest }
                }
                (VectorLeafNode::Split { .. }, None, Some((_, said))) => left.leaf(actions, said),
                (VectorLeafNode::Leaf { leaf }, ..) => {
                    left.leaf(actions, &self.answers[leaf as usize * actions..][..actions])
                }
                // Not there: a split has said something.
                (node, ..) => node,
            };
            left.nodes.push(node);
        }
        left
    }

    /// A further leaf.
    pub(super) fn leaf(&mut self, actions: usize, answer: &[f64]) -> VectorLeafNode {
        // There are fewer leaves than nodes, which a u32 counts.
        let leaf = u32::try_from(self.answers.len() / actions).unwrap_or(u32::MAX);
        self.answers.extend_from_slice(answer);
        VectorLeafNode::Leaf { leaf }
    }
}
