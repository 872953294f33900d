//! Weighted trees, grown by smartcore: the one file that names it.

use super::contract::{check_examples, in_units};
use super::tree::TreeNode;
use super::{LeafAnswer, Sample, SortedColumns, Tree, WeakLearner};
use crate::LearnerError;
use rows::numeric::exponent_above;
use serde::{Deserialize, Serialize};
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::tree::decision_tree_regressor::{DecisionTreeRegressor, DecisionTreeRegressorParameters};

/// A regression tree on the targets, by smartcore: greedy splits of least weighted squared error, and in each
/// leaf the weighted mean of the targets or its sign.
///
/// It does not maximise the edge, as [`ExactStump`](super::ExactStump) does; at depth 1 the two agree only
/// where the edge and the error have the same optimum. Features are tried in an order drawn from the seed,
/// which breaks ties; nothing else is random. Examples of weight 0 are left out. smartcore counts the root as
/// a level, so its depth is one more than the depth here: 0 is a constant, 1 a stump. *Limits:* smartcore
/// computes the mass beyond a threshold as a difference of doubles, and compares splits by fourth powers of
/// masses. Rows together lighter than 10^−15 of their node may not be separated, and a node lighter than
/// 10^−75 of the heaviest row may be split wrongly. *Cost:* the rows with a positive weight are written out
/// dense, O(m·inputs), and sorted by every column.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::batch::{LeafAnswer, SortedColumns, WeakLearner, WeightedTree};
/// let xor = SortedColumns::new(RowMatrix::dense(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0])?)?;
/// let (targets, weights) = ([-1.0, 1.0, 1.0, -1.0], [1.0, 1.0, 1.0, 2.0]);
/// let mut learner = WeightedTree::new(2, LeafAnswer::Sign, 7)?;
/// let tree = learner.train(&xor, &targets, &weights)?;
/// let mut votes = [0.0; 4];
/// learner.evaluate(&tree, &xor, &mut votes)?;
/// assert_eq!((votes, tree.leaves()), (targets, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct WeightedTree {
    depth: u16,
    answer: LeafAnswer,
    seed: u64,
}

impl WeakLearner for WeightedTree {
    type Sample = SortedColumns;
    type Hypothesis = Tree;

    fn train(
        &mut self,
        sample: &SortedColumns,
        targets: &[f64],
        weights: &[f64],
    ) -> Result<Tree, LearnerError> {
        let unit = exponent_above(check_examples(sample.size(), targets, weights)?);
        // A weight that underflows in units of the largest counts as 0; its row is left out.
        let fitted: Vec<usize> = (0..weights.len()).filter(|&i| in_units(weights[i], unit) > 0.0).collect();
        let of_fitted = |values: &[f64]| fitted.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        let weights: Vec<f64> = fitted.iter().map(|&i| in_units(weights[i], unit)).collect();
        let nodes = self.grow(columns(sample, &fitted), &of_fitted(targets), &weights)?;
        Tree::new(sample.inputs(), nodes)
    }
}

impl WeightedTree {
    /// The nodes of a tree on rows that come column by column, the root first. Weights are positive and at
    /// most 1.
    ///
    /// Σ w_i a_i and Σ w_i of a leaf are summed in one order, so that the mean stays in [−1, 1].
    pub(crate) fn grow(
        &self,
        columns: Vec<f64>,
        targets: &Vec<f64>,
        weights: &[f64],
    ) -> Result<Vec<TreeNode>, LearnerError> {
        let (rows, inputs) = (targets.len(), columns.len() / targets.len().max(1));
        let x = DenseMatrix::new(rows, inputs, columns, true).map_err(refused)?;
        let parameters = DecisionTreeRegressorParameters {
            max_depth: Some(self.depth + 1),
            min_samples_leaf: 1,
            min_samples_split: 2,
            seed: Some(self.seed),
        };
        let grown =
            DecisionTreeRegressor::fit_with_weights(&x, targets, weights, parameters).map_err(refused)?;
        read(&grown, self.answer)
    }
}

/// The rows of the fit, column by column.
fn columns(sample: &SortedColumns, fitted: &[usize]) -> Vec<f64> {
    let mut position = vec![None; sample.size()];
    fitted.iter().enumerate().for_each(|(k, &i)| position[i] = Some(k));
    let mut values = vec![0.0; fitted.len() * sample.inputs()];
    for (j, column) in values.chunks_exact_mut(fitted.len()).enumerate() {
        let (stored, rows) = sample.column(j);
        for (value, &row) in stored.iter().zip(rows) {
            if let Some(k) = position[row as usize] {
                column[k] = *value;
            }
        }
    }
    values
}

fn refused(error: impl std::fmt::Display) -> LearnerError {
    LearnerError::Refused { by: "smartcore", reason: error.to_string() }
}

/// The part of smartcore's saved form that is read.
#[derive(Deserialize)]
struct Grown {
    tree_regressor: GrownNodes,
}

#[derive(Deserialize)]
struct GrownNodes {
    nodes: Vec<GrownNode>,
}

#[derive(Deserialize)]
struct GrownNode {
    output: f64,
    split_feature: usize,
    split_value: Option<f64>,
    true_child: Option<usize>,
    false_child: Option<usize>,
}

/// smartcore exposes its nodes only by serialisation.
fn read(grown: &impl Serialize, answer: LeafAnswer) -> Result<Vec<TreeNode>, LearnerError> {
    let json = serde_json::to_value(grown).map_err(refused)?;
    let grown: Grown = serde_json::from_value(json).map_err(refused)?;
    let node = |node: GrownNode| match (node.split_value, node.true_child, node.false_child) {
        (Some(threshold), Some(at_most), Some(above)) => {
            TreeNode::Split { feature: node.split_feature, threshold, at_most, above }
        }
        _ => TreeNode::Leaf { answer: answer.of(node.output) },
    };
    Ok(grown.tree_regressor.nodes.into_iter().map(node).collect())
}

impl WeightedTree {
    /// A tree of at most this depth: 0 is a constant, 1 a stump.
    ///
    /// # Errors
    /// A depth of 65535, which is one more than smartcore can count.
    pub fn new(depth: u16, answer: LeafAnswer, seed: u64) -> Result<Self, LearnerError> {
        Unchecked { depth, answer, seed }.try_into()
    }
}

#[derive(Deserialize)]
struct Unchecked {
    depth: u16,
    answer: LeafAnswer,
    seed: u64,
}

impl TryFrom<Unchecked> for WeightedTree {
    type Error = LearnerError;

    fn try_from(Unchecked { depth, answer, seed }: Unchecked) -> Result<Self, LearnerError> {
        if depth == u16::MAX {
            let (name, domain) = ("depth", "[0, 65534]");
            return Err(LearnerError::BadParameter { name, value: depth.into(), domain });
        }
        Ok(Self { depth, answer, seed })
    }
}
