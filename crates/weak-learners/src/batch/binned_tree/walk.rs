//! The answers of a tree, from the bins.

use crate::batch::decision_tree::Node;
use crate::batch::{BinnedColumns, Tree};

/// A node of a tree in terms of bins.
pub(super) enum Step<'a> {
    Answer(f64),
    /// To the first node where the row's bin is at most this one, else to the second.
    Compare(&'a [u8], u8, [usize; 2]),
}

/// The nodes of a tree in terms of bins, if its thresholds are cuts.
pub(super) fn steps<'a>(tree: &Tree, sample: &'a BinnedColumns) -> Option<Vec<Step<'a>>> {
    let step = |node: &Node| match *node {
        Node::Leaf { answer } => Some(Step::Answer(answer)),
        Node::Split { feature, threshold, at_most, above } => {
            let cuts = sample.cuts(feature);
            let bin = cuts.partition_point(|cut| *cut <= threshold);
            let is_cut = cuts.get(bin)?.next_down() == threshold;
            is_cut.then_some(Step::Compare(sample.bins(feature), u8::try_from(bin).ok()?, [at_most, above]))
        }
    };
    let mut steps = Vec::with_capacity(tree.nodes().len());
    for node in tree.nodes() {
        steps.push(step(node)?);
    }
    Some(steps)
}

/// What the tree answers to row i.
pub(super) fn walk(steps: &[Step<'_>], i: usize) -> f64 {
    let mut node = 0;
    loop {
        match steps[node] {
            Step::Answer(answer) => return answer,
            Step::Compare(bins, bin, children) => node = children[usize::from(bins[i] > bin)],
        }
    }
}
