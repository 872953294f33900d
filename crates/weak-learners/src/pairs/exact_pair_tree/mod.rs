//! Trees over pairs by the exact search.

mod search;

use super::best_first::{Said, TreeGain, pruned};
use super::contract::{ColumnRestricted, PairLearner, PairRound, check_columns, evaluate};
use super::{PairGrowth, PairNode, PairTree};
use crate::LearnerError;
use crate::batch::{Sample, SortedColumns};
use search::Search;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The learner of trees over \[x ; one-hot(a)\] that tries *every* split: the reference for other engines.
///
/// A node is {examples} × {actions S}. Its splits are, for every column of x, the thresholds midway between neighbouring
/// values of its examples with h > 0 for some action of S, and then, where S has more than one, "is it a?" for each a in
/// S. Which of them it takes, and when, is told by [`PairGrowth`]. An example of weight 0 sets no threshold, and is given
/// its value.
///
/// *Precision:* in every node g and h are rounded once, to multiples of 2^−92 of a power of two near its largest ones
/// (coarser from 2^34 pairs on), and from there on every sum is one of integers: neither the order of the rows nor
/// that of the columns shows in it, and splits of a node into the same two parts gain the same. What is 27 orders of
/// magnitude below the largest numbers of a node is not seen in it. A gain counts as 0 where g that are each off by 2^−50
/// of themselves, or sums that cancel but for 2^−27 of Σ|g|, could make it so. A leaf beyond the range of doubles says
/// [`f64::MAX`] or [`f64::MIN`].
/// *Cost:* O(stored values + examples·|S|) a node, and so O(n·|A| + stored values) a level of the tree and a part of the
/// actions; the n·|A| rows are never made. 16 bytes a stored value for each action split above the node in hand.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::batch::SortedColumns;
/// use weak_learners::pairs::{ExactPairTree, PairGrowth, PairLearner, PairRound, PairWeights};
/// // Action 1 is right where x ≥ 2, action 0 elsewhere; what one gains the other loses, so that x alone tells nothing.
/// let contexts = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 1.0, 3.0, 3.0])?)?;
/// let gradients = [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0];
/// let round = PairRound::new(4, 2, &gradients, PairWeights::OfExamples(&[1.0, 2.0, 1.0, 2.0]))?;
/// let mut learner = ExactPairTree::new(PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build()?);
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
    /// Trees that grow like this.
    #[must_use]
    pub fn new(growth: PairGrowth) -> Self {
        Self { growth }
    }

    /// When they split, and what their leaves say.
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
        let mut search = Search::new(self.growth, round, columns);
        let mut nodes = vec![PairNode::Leaf { value: 0.0 }];
        let mut said = vec![Said { value: 0.0, gain: TreeGain::NONE }];
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
                said[part.node].value = value;
                continue;
            };
            nodes[part.node] = split.node(first);
            nodes.extend([PairNode::Leaf { value }; 2]);
            said[part.node] = Said { value, gain };
            said.extend([said[part.node]; 2]);
            open.extend(part.divided(split, first as usize, round.examples()));
        }
        if let Some(most) = self.growth.max_leaves() {
            nodes = pruned(&nodes, &said, most);
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
    /// S, rising.
    actions: Vec<u32>,
    /// Nodes of different actions share their examples.
    examples: Rc<Examples>,
}

/// Examples, and each column's values of them other than 0, rising.
struct Examples {
    rows: Vec<u32>,
    columns: Vec<Vec<(f64, u32)>>,
}

#[derive(Clone, Copy)]
enum Split {
    Context { feature: u32, threshold: f64 },
    Action { action: u32 },
}

impl Examples {
    /// Those that have a pair with h > 0.
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

    /// Those with x_j < θ, and the others.
    fn divided(&self, feature: u32, threshold: f64, n: usize) -> [Rc<Self>; 2] {
        let mut is_below = vec![0.0 < threshold; n];
        for (value, row) in &self.columns[feature as usize] {
            is_below[*row as usize] = *value < threshold;
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
            Split::Context { feature, threshold } => {
                let [below, rest] = examples.divided(feature, threshold, n);
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
    /// The node that takes this split, and whose children are two nodes from `first` on.
    fn node(self, first: u32) -> PairNode {
        match self {
            Self::Context { feature, threshold } => {
                PairNode::Context { feature, threshold, below: first, rest: first + 1 }
            }
            Self::Action { action } => PairNode::Action { action, others: first, this: first + 1 },
        }
    }
}
