//! Trees over candidates, by histograms.

use super::BinnedCandidates;
use super::item_actions::ItemActions;
use super::pair_columns::PairColumns;
use crate::batch::Sample;
use crate::batch::indicators::with_indicators;
use crate::pairs::binned_contexts::PartialLayout;
use crate::pairs::contract::{check_columns, evaluate};
use crate::pairs::histogram_pair_tree::{
    Actions, ContextColumns, Grower, OneHot, Quanta, Root, RowBuffers, Scratch, View,
};
use crate::pairs::{ColumnRestricted, PairGrowth, PairLearner, PairRound, PairTree};
use crate::{LearnerError, Ranks, Shard};
use serde::{Deserialize, Serialize};

/// The learner of greedy trees on the pairs of [`BinnedCandidates`]: those of
/// [`HistogramPairTree`](crate::pairs::HistogramPairTree) with one action on the rows \[context ; own
/// features ; item ; identities\], which never exist.
///
/// A round has the pairs for examples and one action. *Splits, leaves and precision:* as there. *Threads:*
/// inside a rayon pool its threads share large nodes; the result does not depend on them.
///
/// *Layouts:* a node of a list of pairs adds the sums of a choice's pairs once for its context, and those of
/// an item's pairs once for the item where it has enough of them. It is counted in O(pairs +
/// choices·columns of a context + min(pairs, items)·columns of an item + pairs·their own columns), where a
/// column counts if a row stores it. It is the smaller child; the larger one is the difference. *Memory:* 16
/// bytes a pair beside the sample, and the histograms of O(log n) nodes.
///
/// Where the actions are fixed ([`BinnedCandidates::actions`]) a node is a set I of choices times a set S of
/// actions. A question about an item or its identity parts S, and reads the sums of its actions alone. The
/// contexts are counted once for all of S: O(|I|·(|S| + columns of a context) + |S|·columns of an item).
/// *Memory:* 8 bytes a pair, and for each choice 16 + 8·log₂|A|, more with several threads. After the first
/// training, one allocates the nodes of the tree and lists of the actions of its nodes. The tree is that of
/// the list of pairs. Choices with actions that are
/// not always there are a list of pairs. So is a round of which a word of 64 bits does not hold the sums of a
/// choice: one of few pairs, or of some thousand actions.
///
/// A training on 100,000 choices of 20 features among 50 items of 10 features and their identities, depth 8
/// (synthetic; one thread beside other work) took 0.25 s, and 1.23 s as a list of pairs. Beyond the sample
/// and the round, it took 101 and 140 MB with the values: `cargo run --release -p benches --example
/// fastest_items` (docs/benchmarks.md, Fixed actions with features).
///
/// ```
/// use rows::{Candidates, RowMatrix};
/// use weak_learners::pairs::{
///     BinnedCandidates, HistogramCandidateTree, PairGrowth, PairLearner, PairRound, PairWeights,
/// };
/// // Item 1 is good for the second reader, and item 0 for the first.
/// let candidates = Candidates::builder(vec![0, 2, 4])
///     .contexts(RowMatrix::dense(1, vec![30.0, 50.0])?)
///     .identities(vec![0, 1, 0, 1], 2)
///     .build()?;
/// let sample = BinnedCandidates::new(candidates)?;
/// let round = PairRound::new(4, 1, &[1.0, -1.0, -0.5, 0.5], PairWeights::OfExamples(&[1.0; 4]))?;
/// let growth = PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build()?;
/// let mut values = [0.0; 4];
/// HistogramCandidateTree::new(growth).train(&sample, &round, &mut values)?;
/// assert_eq!(values, [1.0, -1.0, -0.5, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HistogramCandidateTree {
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
    /// The layout of the columns of contexts of a round, where it has few.
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

impl HistogramCandidateTree {
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

    /// Among some columns, or all.
    fn grow(
        &mut self,
        sample: &BinnedCandidates,
        round: &PairRound<'_>,
        columns: Option<&[bool]>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        round.check_against(sample, values)?;
        if round.actions() != 1 {
            let (expected, got) = (1, round.actions());
            return Err(LearnerError::LengthMismatch { argument: "actions of a pair", expected, got });
        }
        let Self { growth, work: Work { quanta, root, scratch, part, columns: own } } = self;
        let columns = with_indicators(columns, sample.indicators(), own);
        let is_flat = quanta.take(round, &Shard::whole(round.examples()))?;
        let (growth, quanta, ranks) = (*growth, &*quanta, &Ranks::alone());
        let [of_contexts, _, of_items] = sample.levels();
        if let Some(count) = sample.actions() {
            let own = columns.map(|allowed| of_contexts.among(allowed));
            let part = own.and_then(|allowed| part.among(&of_contexts.layout, allowed));
            let (layout, own) = part.map_or((&of_contexts.layout, own), |part| (part, None));
            let actions = ItemActions {
                quanta,
                actions: count,
                items: sample.candidates().items(),
                level: of_items,
                allowed: columns.map(|allowed| of_items.among(allowed)),
                first: layout.columns.len(),
            };
            let choices = sample.candidates().len();
            let words = scratch.take_words(choices);
            if let Some(all) = actions.root(&words) {
                let view = View { rows: choices, ..View::whole(layout, &words) };
                let columns = ContextColumns { layout, cuts: &of_contexts.cuts, allowed: own };
                let grower = Grower::new(growth, (round, quanta), scratch, ranks, columns, actions);
                let from = Root { view, count: choices, actions: all, is_flat };
                let grown = grower.tree(sample.inputs(), from, root);
                scratch.put_words(words);
                return answered(grown?, sample, quanta, values);
            }
            scratch.put_words(words);
        }
        let view = View::of_words(&of_contexts.layout, quanta.of(0));
        let columns = PairColumns { sample, allowed: columns };
        let grower = Grower::new(growth, (round, quanta), scratch, ranks, columns, OneHot { quanta, ranks });
        let from = Root { view, count: view.rows, actions: Actions::One(0), is_flat };
        let grown = grower.tree(sample.inputs(), from, root)?;
        answered(grown, sample, quanta, values)
    }
}

/// A tree, whose values on the pairs the quanta have if nothing of it was pruned.
fn answered(
    (tree, is_whole): (PairTree, bool),
    sample: &BinnedCandidates,
    quanta: &Quanta,
    values: &mut [f64],
) -> Result<PairTree, LearnerError> {
    if is_whole {
        quanta.answers(values);
    } else {
        evaluate(&tree, sample, values)?;
    }
    Ok(tree)
}

impl PairLearner for HistogramCandidateTree {
    type Contexts = BinnedCandidates;
    type Hypothesis = PairTree;

    fn train(
        &mut self,
        contexts: &BinnedCandidates,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        self.grow(contexts, round, None, values)
    }
}

impl ColumnRestricted for HistogramCandidateTree {
    fn train_among(
        &mut self,
        contexts: &BinnedCandidates,
        round: &PairRound<'_>,
        columns: &[bool],
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        check_columns(contexts, columns)?;
        self.grow(contexts, round, Some(columns), values)
    }
}
