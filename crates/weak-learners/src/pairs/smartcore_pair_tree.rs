//! Trees over pairs, grown by smartcore on the n·|A| rows.

use super::contract::{PairLearner, PairRound, evaluate};
use super::{PairNode, PairTree};
use crate::LearnerError;
use crate::batch::{LeafAnswer, Sample, SortedColumns, TreeNode, WeightedTree, in_units};
use rows::numeric::exponent_above;
use serde::{Deserialize, Serialize};

/// A reference implementation: smartcore's tree on the rows \[x_i ; one-hot(a)\] with targets g/h and weights
/// h, that of a [`WeightedTree`] with its limits.
///
/// Only the depth limits growth, and λ = 0: the value of a leaf is G/H, or its sign. Features are tried in an
/// order drawn from the seed, which breaks ties. It also splits where the gain is rounding. *Cost:* the rows
/// with h > 0 are written out dense, n·|A|·(m + |A|) numbers, and sorted by every column;
/// [`ExactPairTree`](super::ExactPairTree) never makes them.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::batch::{LeafAnswer, SortedColumns};
/// use weak_learners::pairs::{PairLearner, PairRound, PairWeights, SmartcorePairTree};
/// let contexts = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 1.0, 3.0, 3.0])?)?;
/// let gradients = [4.0, 4.0, 0.0, 0.0, -2.0, -2.0, 2.0, 2.0];
/// let round = PairRound::new(4, 2, &gradients, PairWeights::OfExamples(&[2.0; 4]))?;
/// let mut values = [0.0; 8];
/// let mut learner = SmartcorePairTree::new(2, LeafAnswer::Mean, 7)?;
/// assert_eq!(learner.train(&contexts, &round, &mut values)?.leaves(), 4);
/// assert_eq!(values, gradients.map(|g| g / 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmartcorePairTree {
    tree: WeightedTree,
}

impl SmartcorePairTree {
    /// Trees of at most this depth: 0 is a constant, 1 a stump.
    ///
    /// # Errors
    /// Those of [`WeightedTree::new`].
    pub fn new(depth: u16, answer: LeafAnswer, seed: u64) -> Result<Self, LearnerError> {
        Ok(Self { tree: WeightedTree::new(depth, answer, seed)? })
    }
}

impl PairLearner for SmartcorePairTree {
    type Contexts = SortedColumns;
    type Hypothesis = PairTree;

    /// # Errors
    /// As the contract says, [`LearnerError::NotFinite`] for a g/h beyond the range,
    /// [`LearnerError::BadParameter`] for rows that memory does not hold.
    fn train(
        &mut self,
        contexts: &SortedColumns,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        round.check_against(contexts, values)?;
        let (n, inputs, actions) = (round.examples(), contexts.inputs(), round.actions());
        let pairs = || (0..actions).flat_map(|a| (0..n).map(move |i| (i, a)));
        let unit = exponent_above(pairs().map(|(i, a)| round.weight(i, a)).fold(0.0, f64::max));
        let weight = |(i, a): (usize, usize)| in_units(round.weight(i, a), unit);
        // A weight that underflows in units of the largest counts as 0.
        let fitted: Vec<(usize, usize)> = pairs().filter(|pair| weight(*pair) > 0.0).collect();
        let target = |&(i, a): &(usize, usize)| round.gradient(i, a) / round.weight(i, a);
        let targets: Vec<f64> = fitted.iter().map(target).collect();
        if let Some(index) = targets.iter().position(|y| !y.is_finite()) {
            let (i, a) = fitted[index];
            let (argument, index, value) = ("g/h", a * n + i, targets[index]);
            return Err(LearnerError::NotFinite { argument, index, value });
        }
        let weights: Vec<f64> = fitted.iter().map(|pair| weight(*pair)).collect();
        let mut columns = Vec::new();
        let numbers = inputs.checked_add(actions).and_then(|width| width.checked_mul(fitted.len()));
        if numbers.is_none_or(|numbers| columns.try_reserve_exact(numbers).is_err()) {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            let value = fitted.len() as f64 * (inputs as f64 + actions as f64);
            return Err(LearnerError::BadParameter {
                name: "n·|A|·(m + |A|)",
                value,
                domain: "what memory holds",
            });
        }
        for j in 0..inputs {
            let mut column = vec![0.0; n];
            let (stored, rows) = contexts.column(j);
            stored.iter().zip(rows).for_each(|(value, i)| column[*i as usize] = *value);
            columns.extend(fitted.iter().map(|(i, _)| column[*i]));
        }
        for action in 0..actions {
            columns.extend(fitted.iter().map(|(_, a)| if *a == action { 1.0 } else { 0.0 }));
        }
        let grown = self.tree.grow(columns, &targets, &weights)?;
        let nodes = grown.into_iter().map(|node| over_pairs(node, inputs)).collect();
        let tree = PairTree::new(inputs, actions, nodes)?;
        evaluate(&tree, contexts, values)?;
        Ok(tree)
    }
}

/// A node over rows [x ; one-hot(a)] as a node over pairs. x ≤ θ is x < θ′ with θ′ the next number.
fn over_pairs(node: TreeNode, inputs: usize) -> PairNode {
    // A number beyond u32 becomes a child out of range, which the tree refuses.
    let index = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    match node {
        TreeNode::Leaf { answer } => PairNode::Leaf { value: answer },
        TreeNode::Split { feature, threshold, at_most, above } if feature < inputs => PairNode::Context {
            feature: index(feature),
            threshold: threshold.next_up(),
            below: index(at_most),
            rest: index(above),
        },
        TreeNode::Split { feature, at_most, above, .. } => {
            PairNode::Action { action: index(feature - inputs), others: index(at_most), this: index(above) }
        }
    }
}
