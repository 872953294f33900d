//! Trees over candidates, by histograms.

use super::BinnedCandidates;
use super::grow::{Grower, Levels, Node, Spare};
use crate::LearnerError;
use crate::batch::indicators::with_indicators;
use crate::pairs::best_first::pruned;
use crate::pairs::contract::{check_columns, evaluate};
use crate::pairs::histogram_pair_tree::{FORKS, Quanta, RowBuffers, Scratch, Sums, Word};
use crate::pairs::{ColumnRestricted, PairGrowth, PairLearner, PairRound, PairTree};
use serde::{Deserialize, Serialize};

/// The learner of greedy trees on the pairs of [`BinnedCandidates`]: those of
/// [`HistogramPairTree`](crate::pairs::HistogramPairTree) with one action on the rows \[context ; own
/// features ; item ; identities\], which never exist.
///
/// A round has the pairs for examples and one action. *Splits, leaves and precision:* as there. *Cost:* a
/// node adds the sums of a choice's pairs once for its context, and those of an item's pairs once for the
/// item where it has enough of them: O(pairs + choices·columns of a context + min(pairs, items)·columns of an
/// item + pairs·their own columns) for a node that is counted, where a column counts if a row stores it. It
/// is the smaller child; the larger one is the difference. *Memory:* 16 bytes a pair beside the sample, and
/// the histograms of O(log n) nodes. *Threads:* inside a rayon pool its threads share large nodes; the result
/// does not depend on them.
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
    spare: Spare,
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
        let Self { growth, work: Work { quanta, root, scratch, spare, columns: own } } = self;
        let columns = with_indicators(columns, sample.indicators(), own);
        let is_flat = quanta.take(round)?;
        let grower = Grower {
            levels: Levels { sample, columns },
            round,
            quanta,
            growth: *growth,
            // Capped where H no longer matters, so that powers of λ stay in range.
            lambda: quanta.units.weight(growth.reg_lambda()).min(2_f64.powi(150)),
            least: quanta.units.weight(growth.min_child_weight()).max(1.0),
            limit: Word::limit(quanta.ratio),
            scratch,
            spare,
        };
        let mut buffers = scratch.take_buffers();
        buffers.nodes.clear();
        buffers.records.clear();
        let mut sums = Sums::default();
        quanta.sums.iter().for_each(|of_action| sums += *of_action);
        // At most 2^32 pairs.
        let (pairs, other) = root.fill((0..=u32::MAX).take(round.examples()));
        let is_open = grower.is_open(0, sums);
        let histograms = (is_open && !is_flat).then(|| grower.counted(&mut buffers, pairs, sums));
        grower.grow(&mut buffers, Node { pairs, spare: other, sums, depth: 0, is_open, histograms }, FORKS);
        let grown = buffers.nodes.len();
        let nodes = match growth.max_leaves() {
            None => buffers.nodes.clone(),
            Some(most) => pruned(&buffers.nodes, &buffers.records, most),
        };
        scratch.put_buffers(buffers);
        let is_whole = nodes.len() == grown;
        let candidates = sample.candidates();
        let tree = PairTree::new(candidates.dimension(), 1, nodes)?;
        if is_whole {
            quanta.answers(values);
        } else {
            evaluate(&tree, sample, values)?;
        }
        Ok(tree)
    }
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
