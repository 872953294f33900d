//! Trees on x with a value for every action in each leaf, on binned columns.

mod search;
mod pruned;

use super::best_first::TreeGain;
use super::contract::{PairLearner, PairRound, evaluate};
use super::gain::Gain;
use super::{PairGrowth, VectorLeafNode, VectorLeafTree};
use crate::LearnerError;
use crate::batch::{BinnedColumns, Sample};
use pruned::Grown;
use search::{Histogram, Search, subtract};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The learner of trees on x alone with a value per action in each leaf: in a leaf with G_a = Σ_i g_{i,a} and
/// H_a = Σ_i h_{i,a} action a is worth G_a/(H_a+λ), or its sign.
///
/// A split gains the sum over the actions of what [`PairGrowth`] says, from the G_a and H_a of the node and of the two
/// sides; thresholds are the cuts of the bins; `min_child_weight` bounds Σ_a H_a of a child, the weight of its pairs.
/// Depth, ties, leaves and their number are as told there. Where a tree over \[x ; one-hot(a)\] must part the actions before x tells it
/// anything, when Σ_a g_{i,a} = 0, this one need not. An action without weight in a leaf of λ = 0 is worth 0 there.
///
/// *Precision:* g and h are rounded once, to multiples of 2^−61 of a power of two near the largest Σ_i|g_{i,a}| and the
/// largest Σ_i h_{i,a}, and from there on every sum is one of integers: neither the order of the rows nor the threads show. A
/// pair whose h is lighter than half such a grain counts as absent. A gain counts as 0 where g that are each off by 2^−50
/// of themselves, or sums that cancel but for 2^−27 of the node's Σ_i|g_{i,a}|, could make it so.
/// *Cost:* n·m·|A| additions a level of the tree for n examples, and |A| divisions a cut and node where weights are those of
/// pairs, else two; a node has no more cuts than bins, nor than examples. Where a node has many examples only the smaller
/// of its children is counted, and the other is the difference. *Threads:* those of the rayon pool that it is called in
/// share the columns. *Memory:* n·(|A|+1) numbers of 8 bytes (2n·|A| with weights of pairs), at most four times as many for
/// the histograms of all nodes that wait, and 256 times |A|+1 a thread.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::batch::BinnedColumns;
/// use weak_learners::pairs::{PairGrowth, PairLearner, PairRound, PairWeights, VectorLeafLearner};
/// // Action 1 is right where x ≥ 2, action 0 elsewhere, and one gains what the other loses.
/// let contexts = BinnedColumns::new(RowMatrix::dense(1, vec![1.0, 1.0, 3.0, 3.0])?)?;
/// let gradients = [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0];
/// let round = PairRound::new(4, 2, &gradients, PairWeights::OfExamples(&[1.0; 4]))?;
/// let mut values = [0.0; 8];
/// let mut learner = VectorLeafLearner::new(PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build()?);
/// let tree = learner.train(&contexts, &round, &mut values)?;
/// assert_eq!((tree.leaves(), values), (2, gradients));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VectorLeafLearner {
    growth: PairGrowth,
}

impl VectorLeafLearner {
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

impl PairLearner for VectorLeafLearner {
    type Contexts = BinnedColumns;
    type Hypothesis = VectorLeafTree;

    fn train(
        &mut self,
        contexts: &BinnedColumns,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<VectorLeafTree, LearnerError> {
        round.check_against(contexts, values)?;
        let search = Search::new(contexts, round, &self.growth);
        let mut rows = search.rows();
        let actions = round.actions();
        let mut grown = Grown::default();
        grown.open(1);
        let mut open = vec![search.root(&rows)];
        while let Some(part) = open.pop() {
            let node = part.node;
            let first = u32::try_from(grown.nodes.len()).ok().filter(|first| *first < u32::MAX);
            let answer: Vec<f64> = (0..actions).map(|a| search.leaf(&part.sums, a, &self.growth)).collect();
            let (Some((gain, feature, cut)), Some(first)) = (part.split, first) else {
                grown.nodes[node] = grown.leaf(actions, &answer);
                continue;
            };
            if self.growth.max_leaves().is_some() {
                grown.said[node] = Some((TreeGain::new(gain.value(), 0), answer));
            }
            let threshold = contexts.cuts(feature)[usize::from(cut)];
            let feature_index = u32::try_from(feature).unwrap_or(u32::MAX);
            grown.nodes[node] =
                VectorLeafNode::Split { feature: feature_index, threshold, below: first, rest: first + 1 };
            grown.open(2);
            let children = [first, first + 1].map(|child| child as usize);
            open.extend(search.divide(part, (feature, cut), children, &mut rows));
        }
        if let Some(most) = self.growth.max_leaves() {
            grown = grown.pruned(actions, most);
        }
        let Grown { nodes, answers, .. } = grown;
        let tree = VectorLeafTree::new(contexts.inputs(), actions, nodes, answers)?;
        evaluate(&tree, contexts, values)?;
        Ok(tree)
    }
}

/// A node, and where its examples stand.
struct Open {
    node: usize,
    depth: u32,
    range: Range<usize>,
    /// As a cell.
    sums: Vec<i64>,
    /// Σ|g| of every action.
    sizes: Vec<i64>,
    /// Of nodes with many examples.
    histogram: Option<Histogram>,
    /// None where the node is to be a leaf.
    split: Option<(Gain, usize, u8)>,
}

impl Search<'_> {
    fn root(&self, rows: &[u32]) -> Open {
        let (sums, sizes) = (self.sum(rows), self.sizes(rows));
        let mut root =
            Open { node: 0, depth: 0, range: 0..rows.len(), sums, sizes, histogram: None, split: None };
        if self.max_depth > 0 {
            root.histogram = self.keeps_histogram(rows.len()).then(|| self.count(rows));
            root.split = self.split(&root, rows);
        }
        root
    }

    /// The children, the smaller one last: it comes next, so that few nodes are open at a time.
    fn divide(
        &self,
        part: Open,
        (feature, cut): (usize, u8),
        nodes: [usize; 2],
        rows: &mut [u32],
    ) -> [Open; 2] {
        let Open { depth, range, sums, sizes, histogram, .. } = part;
        let bins = self.contexts.bins(feature);
        let (below, rest): (Vec<u32>, Vec<u32>) =
            rows[range.clone()].iter().partition(|&&i| bins[i as usize] <= cut);
        let middle = range.start + below.len();
        rows[range.start..middle].copy_from_slice(&below);
        rows[middle..range.end].copy_from_slice(&rest);
        let child = |node, range, sums, sizes| Open {
            node,
            depth: depth + 1,
            range,
            sums,
            sizes,
            histogram: None,
            split: None,
        };
        let sums_below = self.sum(&below);
        let mut sums_rest = sums;
        subtract(&mut sums_rest, &sums_below);
        let (sizes_below, mut sizes_rest) = (self.sizes(&below), sizes);
        subtract(&mut sizes_rest, &sizes_below);
        let below = child(nodes[0], range.start..middle, sums_below, sizes_below);
        let rest = child(nodes[1], middle..range.end, sums_rest, sizes_rest);
        let is_smaller = below.range.len() <= rest.range.len();
        let (mut smaller, mut larger) = if is_smaller { (below, rest) } else { (rest, below) };
        if depth + 1 < self.max_depth {
            let [few, many] = [&smaller, &larger].map(|part| &rows[part.range.clone()]);
            smaller.histogram = self.keeps_histogram(few.len()).then(|| self.count(few));
            if let Some(mut rest) = histogram.filter(|_| self.keeps_histogram(many.len())) {
                match &smaller.histogram {
                    Some(counted) => self.subtract(counted, &mut rest),
                    None => self.remove(few, &mut rest),
                }
                larger.histogram = Some(rest);
            }
            smaller.split = self.split(&smaller, few);
            larger.split = self.split(&larger, many);
        }
        [larger, smaller]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::PairWeights;
    use rand::{RngExt, SeedableRng};
    use rows::RowMatrix;
    use search::ADDED;

    /// What growing a tree to single examples adds up, in units of n·m·(|A|+1).
    #[allow(clippy::cast_precision_loss, reason = "counts")]
    fn additions(n: usize, inputs: usize, actions: usize) -> f64 {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let rows = (0..n * inputs).map(|_| rng.random_range(-1.0..1.0)).collect();
        let contexts = BinnedColumns::new(RowMatrix::dense(inputs, rows).unwrap()).unwrap();
        let g: Vec<f64> = (0..n * actions).map(|_| rng.random_range(-1.0..1.0)).collect();
        let h = vec![1.0; n];
        let round = PairRound::new(n, actions, &g, PairWeights::OfExamples(&h)).unwrap();
        let mut learner = VectorLeafLearner::new(
            PairGrowth::builder().max_depth(1000).min_child_weight(0.0).reg_lambda(0.0).build().unwrap(),
        );
        let before = ADDED.get();
        let tree = learner.train(&contexts, &round, &mut vec![0.0; g.len()]).unwrap();
        assert!(100 * tree.leaves() >= 99 * n, "{} leaves", tree.leaves());
        (ADDED.get() - before) as f64 / (n * inputs * (actions + 1)) as f64
    }

    /// As many as the tree has levels, whatever the number of examples, columns, actions and bins: were every node to look
    /// at every bin, of 200 examples there would be 256 each.
    #[test]
    fn additions_are_linear_in_the_numbers_that_are_given() {
        for (n, inputs, actions) in [(200, 3, 4), (200, 24, 4), (200, 3, 64), (1600, 3, 4), (6400, 3, 4)] {
            let found = additions(n, inputs, actions);
            assert!(found < 4.0 * (n as f64).log2(), "{n}, {inputs}, {actions}: {found}");
        }
    }

    /// A node keeps a histogram where its examples have a quarter as many numbers at least.
    #[test]
    fn histograms_are_not_much_larger_than_their_examples() {
        let rows = RowMatrix::dense(2, (0..600).map(|k| f64::from(k / 2)).collect()).unwrap();
        let contexts = BinnedColumns::new(rows).unwrap();
        let bins = contexts.cuts(0).len() + contexts.cuts(1).len() + 2;
        let (g, h) = (vec![1.0; 300], vec![1.0; 300]);
        let round = PairRound::new(300, 1, &g, PairWeights::OfExamples(&h)).unwrap();
        let growth =
            PairGrowth::builder().max_depth(3).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
        let search = Search::new(&contexts, &round, &growth);
        for examples in 0..300 {
            assert_eq!(search.keeps_histogram(examples), 4 * examples >= bins, "{examples} of {bins}");
        }
        assert_eq!(search.root(&search.rows()).histogram.map(|columns| columns.len()), Some(2));
    }
}
