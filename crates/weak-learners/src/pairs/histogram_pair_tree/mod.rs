//! Trees over pairs, by histograms.
//!
//! Reading order: [`HistogramPairTree`]; [`Grower`], the growth of a tree, which trees over candidates share;
//! [`Columns`] and [`ActionSplits`], what a layout of pairs says to it; `split`, the search of a node.

mod actions;
mod columns;
mod grains;
mod grow;
mod histogram;
mod kept;
mod node;
mod partition;
mod quantise;
mod restricted;
mod shares;
mod buffers;
mod split;
mod subtrees;
mod sums;

use super::binned_contexts::{Layout, PartialLayout};
use super::contract::check_columns;
use super::{BinnedContexts, ColumnRestricted, PairGrowth, PairLearner, PairRound, PairTree};
use crate::batch::Sample;
use crate::batch::indicators::with_indicators;
use crate::{LearnerError, Shard};
use restricted::Router;
use serde::{Deserialize, Serialize};

pub(in crate::pairs) use actions::{ActionSplits, Actions, OneHot, Parted};
pub(in crate::pairs) use buffers::{Buffers, RowBuffers, Scratch};
pub(in crate::pairs) use columns::{Columns, ContextColumns};
pub(in crate::pairs) use grow::{Grower, Root};
pub(in crate::pairs) use histogram::{Histogram, View};
pub(in crate::pairs) use partition::part;
pub(in crate::pairs) use quantise::Quanta;
pub(in crate::pairs) use split::{Cut, MissingSide, Question, Search};
pub(in crate::pairs) use sums::{Cell, FreeCells, Sums, Word};

/// The learner of greedy trees over \[x ; one-hot(a)\] on binned contexts, by sums per bin. The n·|A| rows of
/// \[L23, Appendix F.5\] never exist.
///
/// *Splits and leaves:* those of [`PairGrowth`]; the thresholds are the cuts of the contexts. A node is a set
/// of examples times a set of actions. A split on x needs the sum over its actions of every example; a split
/// on the action needs the sums of each action.
///
/// *Precision:* g and h are rounded once, to whole multiples of about 2^−21 of their largest sum of an
/// example, and every sum is exact from there on. A split whose gain those roundings could produce is not
/// taken: if the gain is within their worst-case bound, it is recomputed from the unrounded g and h
/// (docs/numerics.md, Trees).
///
/// *Cost:* a pass over the round. A node counts its smaller child, bytes a row and listed values; the larger
/// child is the difference. Rows move between children by four bytes each. A node whose children would be
/// too light is not counted. The values on the pairs come from the leaves, without a walk. Where the tree
/// was pruned to `max_leaves`, or grown on some rows, the rows are partitioned once more, action by action.
/// *Ranks:* on the contexts of a rank, the tree is that of the rows of all ranks, to the bit. They grow the
/// top of it together. For a node they exchange the bins of the smaller child, 8 bytes each if G and H fit a
/// word, else 16, of which each rank gets the sums of its share of the columns; the best cut of each share;
/// the number of rows; and 16 bytes for each action of a node of several but the last. A node of at most
/// 1/16 of the pairs of a rank, or up to 1/4 among many ranks, is grown by one of them, alone: it gets the
/// bins and quanta of its rows, 16 bytes a pair with the values that come back, in exchanges of 16 MiB a
/// rank. Where a choice is within the rounding of the quanta, its subtree is grown again with g and h.
/// *Threads:* inside a rayon pool (`pool.install(|| …)`) the threads of the pool share the children of large
/// nodes. *Memory:* 8 bytes a pair, 16 an example, 8 more for each action that a thread works on, and the
/// histograms of O(log n) nodes for each. A bin takes 8 bytes if G and H of the node fit a word, else 16. All
/// are kept from one training to the next. After the first training, a training allocates the nodes of the
/// tree, a list of actions for each node of several, and the memory of pruning.
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
/// let growth = PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build()?;
/// let mut learner = HistogramPairTree::new(growth);
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
    root: RowBuffers,
    scratch: Scratch,
    /// The layout of the columns of a round, where it has few.
    part: PartialLayout,
    /// The layout of the rows of a round, where it has few.
    rows: Layout,
    router: Router,
    /// The columns that may be split, with the indicators of missing values.
    columns: Vec<bool>,
}

/// A clone starts with empty buffers.
impl Clone for Work {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl HistogramPairTree {
    /// The learner of trees that grow by these rules.
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
        let Self { growth, work } = self;
        let (mut part, mut own) = (std::mem::take(&mut work.part), std::mem::take(&mut work.columns));
        let columns = with_indicators(columns, contexts.indicators(), &mut own);
        let among = columns.and_then(|allowed| part.among(contexts.layout(), allowed));
        let (layout, columns) = among.map_or((contexts.layout(), columns), |part| (part, None));
        let grown = work.tree(*growth, (contexts, layout, contexts.rows()), round, columns);
        (work.part, work.columns) = (part, own);
        let (tree, is_whole) = grown?;
        if is_whole {
            work.quanta.answers(values);
        } else {
            work.router.route(&tree, contexts, &work.scratch, values);
        }
        Ok(tree)
    }
}

impl Work {
    /// The tree of a round on the rows of a layout and those of other ranks, and whether nothing of it was
    /// pruned.
    fn tree(
        &mut self,
        growth: PairGrowth,
        (contexts, layout, shard): (&BinnedContexts, &Layout, &Shard),
        round: &PairRound<'_>,
        columns: Option<&[bool]>,
    ) -> Result<(PairTree, bool), LearnerError> {
        let Self { quanta, root, scratch, .. } = self;
        let is_flat = quanta.take(round, shard)?;
        let quanta = &*quanta;
        let (actions, words) = match quanta.sums[..] {
            [_] => (Actions::One(0), quanta.of(0)),
            ref sums => (Actions::Several((0..).zip(sums.iter().copied()).collect()), quanta.rest()),
        };
        let root_node = Root { view: View::whole(layout, words), count: shard.total(), actions, is_flat };
        let columns = ContextColumns { layout, cuts: contexts.all_cuts(), allowed: columns };
        let (ranks, of_actions) = (shard.ranks(), OneHot { quanta, ranks: shard.ranks() });
        let grower = Grower::new(growth, (round, quanta), scratch, ranks, columns, of_actions);
        match ranks.are_several() {
            true => grower.tree_of_ranks(contexts.inputs(), root_node, root),
            false => grower.tree(contexts.inputs(), root_node, root),
        }
    }
}
