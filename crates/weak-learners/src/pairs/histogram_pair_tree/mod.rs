//! Trees over pairs, by histograms.

mod before_rounding;
mod grow;
mod histogram;
mod node;
mod partition;
mod quantise;
mod scratch;
mod split;
mod sums;
mod units;

use super::best_first::pruned;
use super::contract::{check_columns, evaluate};
use super::{BinnedContexts, ColumnRestricted, PairGrowth, PairLearner, PairRound, PairTree};
use crate::LearnerError;
use crate::batch::Sample;
use grow::{FORKS, Grower};
use histogram::View;
use node::{Actions, Node};
use quantise::Quanta;
use scratch::{Buffers, Scratch};
use serde::{Deserialize, Serialize};
use sums::{Sums, Word};

/// The learner of greedy trees over \[x ; one-hot(a)\] on binned contexts, by sums per bin: the n·|A| rows of
/// \[L23, Appendix F.5\] are never made.
///
/// *Splits and leaves:* those of [`PairGrowth`], where the thresholds are the cuts of the contexts. A node is a set of examples
/// times a set of actions: a split on x needs Σ_a over its actions of every example, one on the action the sums of each action.
///
/// *Precision:* g and h are rounded to multiples of a power of two, and from there on every sum is one of whole numbers below
/// 2^53, exact in doubles: no order, no layout and no thread shows. The unit of g is 2^−21 to 2^−20 of the largest
/// Σ_a |g| of an example (up to 2|A| times that where this sum is beyond the range), with more than 2^30 examples more by the
/// power of two that reaches their number, and with up to 512 of them 2^−28 to 2^−27; so for h. A pair is
/// off by a unit at most, and a weight above 0 weighs one at least. Where the g of an example sum to 0 to rounding, so do the
/// multiples, exactly: a node of all actions is then never split on x. A split is not taken where its gain comes from
/// such roundings. With D = G_L(H_R+λ) − G_R(H_L+λ) in units and k pairs, a split with |D| ≤ e(H + 2λ + |G|), e = min(k, 10√k), is not
/// considered: k independent roundings reach more with probability 2e^−50 \[H63\]. Equal values are rounded alike, so
/// that the best split with no more than that for e = k must also gain by the g and h that were given, summed anew; else the node takes
/// its best one beyond.
///
/// *Cost:* a pass over the round; then a node counts its smaller child, bytes a row and listed values, and the larger one is the
/// difference; rows move between children by four bytes each. A node whose children would be too light is not counted.
/// The values on the pairs come from the leaves: no pair walks the tree, unless it was cut back to `max_leaves`. *Threads:* inside a rayon pool
/// (`pool.install(|| …)`) those of the pool share the children of large nodes. *Memory:* 8 bytes a pair, 16 an example, 8 more for
/// each action that a thread works on, and the histograms of O(log n) nodes for each, 8 bytes a bin where the node is so light
/// that G and H fit a word, else 16; kept from one training to the next.
/// After the first, the nodes of the tree are allocated, and a list of the actions for each node of several, and what cutting
/// back takes.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::pairs::{
///     BinnedContexts, HistogramPairTree, PairGrowth, PairLearner, PairNode, PairRound, PairWeights,
/// };
/// // Action 1 is good where x = 1, and action 0 where it is not; g sums to 0 over the actions.
/// let contexts = BinnedContexts::new(RowMatrix::dense(1, vec![0.0, 1.0, 1.0])?)?;
/// let g = [0.5, -0.5, -0.25, -0.5, 0.5, 0.25];
/// let round = PairRound::new(3, 2, &g, PairWeights::OfExamples(&[1.0; 3]))?;
/// let mut learner = HistogramPairTree::new(PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build()?);
/// let mut values = [0.0; 6];
/// let tree = learner.train(&contexts, &round, &mut values)?;
/// assert!(matches!(tree.nodes()[0], PairNode::Action { action: 0, .. }));
/// assert_eq!(values, [0.5, -0.375, -0.375, -0.5, 0.375, 0.375]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HistogramPairTree {
    growth: PairGrowth,
    /// Working memory of a training.
    #[serde(skip)]
    work: Work,
}

#[derive(Debug, Default)]
struct Work {
    quanta: Quanta,
    root: Buffers,
    scratch: Scratch,
}

/// A copy starts without memory of its own.
impl Clone for Work {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl HistogramPairTree {
    /// Trees that grow by these rules.
    #[must_use]
    pub fn new(growth: PairGrowth) -> Self {
        Self { growth, work: Work::default() }
    }

    /// The rules.
    #[must_use]
    pub fn growth(&self) -> PairGrowth {
        self.growth
    }
}

impl PairLearner for HistogramPairTree {
    type Contexts = BinnedContexts;
    type Hypothesis = PairTree;

    fn train(
        &mut self,
        contexts: &BinnedContexts,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        self.grow(contexts, round, None, values)
    }
}

impl ColumnRestricted for HistogramPairTree {
    fn train_among(
        &mut self,
        contexts: &BinnedContexts,
        round: &PairRound<'_>,
        columns: &[bool],
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        check_columns(contexts, columns)?;
        self.grow(contexts, round, Some(columns), values)
    }
}

impl HistogramPairTree {
    /// Among some columns, or all.
    fn grow(
        &mut self,
        contexts: &BinnedContexts,
        round: &PairRound<'_>,
        columns: Option<&[bool]>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        round.check_against(contexts, values)?;
        let Self { growth, work: Work { quanta, root, scratch } } = self;
        let is_flat = quanta.take(round)?;
        let grower = Grower {
            contexts,
            round,
            quanta,
            growth: *growth,
            columns,
            // So large a λ leaves no trace of H, and none of its powers is beyond the range.
            lambda: quanta.units.weight(growth.reg_lambda()).min(2_f64.powi(150)),
            least: quanta.units.weight(growth.min_child_weight()).max(1.0),
            limit: Word::limit(quanta.ratio),
            scratch,
        };
        let mut desk = scratch.desk();
        desk.nodes.clear();
        desk.said.clear();
        let mut all = Sums::default();
        quanta.sums.iter().for_each(|sums| all += *sums);
        let (actions, words) = match quanta.sums[..] {
            [_] => (Actions::One(0), quanta.of(0)),
            ref sums => (Actions::Several((0..).zip(sums.iter().copied()).collect()), quanta.rest()),
        };
        // At most 2^32 examples.
        let (rows, spare) = root.fill((0..=u32::MAX).take(round.examples()));
        let view = View::whole(contexts.layout(), words);
        let is_open = grower.is_open(0, all);
        let is_counted = is_open && !is_flat;
        let histogram = is_counted.then(|| grower.counted(&mut desk, view, rows, all));
        let root = Node { view, rows, spare, actions, sums: all, depth: 0, is_open, histogram };
        grower.grow(&mut desk, root, FORKS);
        let grown = desk.nodes.len();
        let nodes = match growth.max_leaves() {
            None => desk.nodes.clone(),
            Some(most) => pruned(&desk.nodes, &desk.said, most),
        };
        scratch.put_desk(desk);
        let is_whole = nodes.len() == grown;
        let tree = PairTree::new(contexts.inputs(), round.actions(), nodes)?;
        if is_whole {
            quanta.answers(values);
        } else {
            evaluate(&tree, contexts, values)?;
        }
        Ok(tree)
    }
}
