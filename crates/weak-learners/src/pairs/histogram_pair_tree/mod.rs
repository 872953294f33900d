//! Trees over pairs, by histograms.

mod grow;
mod histogram;
mod node;
mod partition;
mod quantise;
mod buffers;
mod split;
mod sums;

use super::best_first::pruned;
use super::binned_contexts::PartialLayout;
use super::contract::{check_columns, evaluate};
use super::{BinnedContexts, ColumnRestricted, PairGrowth, PairLearner, PairRound, PairTree};
use crate::LearnerError;
use crate::batch::Sample;
use crate::batch::indicators::with_indicators;
use grow::Grower;
use histogram::View;
use node::{Actions, Node};
use serde::{Deserialize, Serialize};

pub(in crate::pairs) use buffers::{Buffers, RowBuffers, Scratch};
pub(in crate::pairs) use grow::FORKS;
pub(in crate::pairs) use histogram::Histogram;
pub(in crate::pairs) use quantise::Quanta;
pub(in crate::pairs) use split::{Cut, Question, Roundings, ScaledGain, Search, Split, Unrounded};
pub(in crate::pairs) use sums::{Cell, Sums, Word};

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
/// child is the difference. Rows move between children by four bytes each. A node whose children would be too
/// light is not counted. The values on the pairs come from the leaves, without a walk, unless the tree was
/// pruned to `max_leaves`. *Threads:* inside a rayon pool (`pool.install(|| …)`) the threads of the pool
/// share the children of large nodes. *Memory:* 8 bytes a pair, 16 an example, 8 more for each action that a
/// thread works on, and the histograms of O(log n) nodes for each. A bin takes 8 bytes if G and H of the node
/// fit a word, else 16. All are kept from one training to the next. After the first training, a training
/// allocates the nodes of the tree, a list of actions for each node of several, and the memory of pruning.
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
        let Self { growth, work: Work { quanta, root, scratch, part, columns: own } } = self;
        let columns = with_indicators(columns, contexts.indicators(), own);
        let is_flat = quanta.take(round)?;
        let part = columns.and_then(|allowed| part.among(contexts.layout(), allowed));
        let (layout, columns) = part.map_or((contexts.layout(), columns), |part| (part, None));
        let grower = Grower {
            contexts,
            layout,
            round,
            quanta,
            growth: *growth,
            columns,
            // Capped where H no longer matters, so that powers of λ stay in range.
            lambda: quanta.units.weight(growth.reg_lambda()).min(2_f64.powi(150)),
            least: quanta.units.weight(growth.min_child_weight()).max(1.0),
            limit: Word::limit(quanta.ratio),
            scratch,
        };
        let mut buffers = scratch.take_buffers();
        buffers.nodes.clear();
        buffers.records.clear();
        let mut all = Sums::default();
        quanta.sums.iter().for_each(|sums| all += *sums);
        let (actions, words) = match quanta.sums[..] {
            [_] => (Actions::One(0), quanta.of(0)),
            ref sums => (Actions::Several((0..).zip(sums.iter().copied()).collect()), quanta.rest()),
        };
        // At most 2^32 examples.
        let (rows, spare) = root.fill((0..=u32::MAX).take(round.examples()));
        let view = View::whole(layout, words);
        let is_open = grower.is_open(0, all);
        let is_counted = is_open && !is_flat;
        let histogram = is_counted.then(|| grower.counted(&mut buffers, view, rows, all));
        let root = Node { view, rows, spare, actions, sums: all, depth: 0, is_open, histogram };
        grower.grow(&mut buffers, root, FORKS);
        let grown = buffers.nodes.len();
        let nodes = match growth.max_leaves() {
            None => buffers.nodes.clone(),
            Some(most) => pruned(&buffers.nodes, &buffers.records, most),
        };
        scratch.put_buffers(buffers);
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
