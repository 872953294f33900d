//! What a classifier remembers of its training.

use super::BoostAlgorithm;
use crate::model::Source;
use boosters::maboost::MulticlassVote;
use serde::{Deserialize, Serialize};
use weak_learners::batch::{Tree, TreeNode};

/// How a classifier was trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoostRecord {
    /// The algorithm.
    pub algorithm: BoostAlgorithm,
    /// k, where the algorithm has one.
    pub smoothness: Option<f64>,
    /// The deepest leaf of a tree.
    pub max_depth: u16,
    /// The least share of the weight in a leaf.
    pub min_weight_fraction_leaf: f64,
    /// The seed of everything.
    pub seed: u64,
    /// How rows were split: `random` or `by time`.
    pub split: String,
    /// Rows by their part.
    pub rows: BoostRows,
    /// 1 where one part of the rows was chosen on, more where every row was in its turn (cross-validation).
    pub folds: usize,
    /// What was tried; an error is that of the best round among many, and optimistic.
    pub tried: Vec<TriedBoost>,
    /// The rounds that were chosen.
    pub rounds_planned: usize,
    /// The rounds of the classifier; fewer where no column of the code had an edge any more.
    pub rounds: usize,
    /// Whether the choice was ended before its end.
    pub is_choice_cut: bool,
    /// Whether the classifier is that of the choice, and has not learnt from the rows that it was chosen on.
    pub is_of_choice: bool,
    /// The trees of all columns.
    pub trees: usize,
    /// The leaves of all of them.
    pub leaves: usize,
    /// The share of the rows that it learnt from and answers wrongly.
    pub training_error: f64,
    /// The theorem's bound on it.
    pub bound: f64,
    /// Coordinates by their share of the splits, weighted by the coefficients of their trees; coordinates
    /// that no tree splits on are left out.
    pub importance: Vec<(u32, f64)>,
    /// The files of the tables, as far as they were named.
    pub sources: Vec<Source>,
    /// The program and its version.
    pub program: String,
}

/// How many rows had which part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BoostRows {
    /// Rows that were learnt from, those of the second table among them.
    pub learning: usize,
    /// Rows that the rounds and k were chosen on; with several folds, all but those that judge.
    pub choosing: usize,
    /// Rows that were kept apart to judge.
    pub judging: usize,
    /// Rows of the second table.
    pub secondary: usize,
}

/// A candidate of the choice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TriedBoost {
    /// The algorithm.
    pub algorithm: BoostAlgorithm,
    /// k, where the algorithm has one.
    pub smoothness: Option<f64>,
    /// The deepest leaf of a tree.
    pub max_depth: u16,
    /// The rounds that it played.
    pub rounds: usize,
    /// The round of least error, the first of equals.
    pub best_round: usize,
    /// Its share of wrong answers to the rows of the choice.
    pub error: f64,
}

/// The shares of the coordinates, the largest first: a tree shares the size of its coefficient evenly among
/// its splits.
pub(super) fn importance(vote: &MulticlassVote<Tree>) -> Vec<(u32, f64)> {
    let mut shares = std::collections::BTreeMap::new();
    for ensemble in vote.ensembles() {
        for (tree, eta) in ensemble.hypotheses().iter().zip(ensemble.coefficients()) {
            let splits = || tree.nodes().iter().filter_map(feature);
            #[allow(clippy::cast_precision_loss, reason = "a count of nodes")]
            let own = eta.abs() / splits().count().max(1) as f64;
            splits().for_each(|feature| *shares.entry(feature).or_insert(0.0) += own);
        }
    }
    let total: f64 = shares.values().sum();
    let mut shares: Vec<(u32, f64)> = shares.into_iter().map(|(j, share)| (j, share / total)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    shares
}

fn feature(node: &TreeNode) -> Option<u32> {
    match node {
        TreeNode::Leaf { .. } => None,
        TreeNode::Split { feature, .. } => u32::try_from(*feature).ok(),
    }
}
