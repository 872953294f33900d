//! Trees over pairs, by histograms.

mod grow;
mod histogram;
mod node;
mod partition;
mod quantise;
mod scratch;
mod split;

use super::{BinnedContexts, PairGrowth, PairLearner, PairRound, PairTree};
use crate::LearnerError;
use crate::batch::Sample;
use grow::{FORKS, Grower};
use histogram::View;
use node::{Actions, Node};
use quantise::{Quanta, Sums};
use scratch::{Buffers, Scratch};
use serde::{Deserialize, Serialize};

/// Greedy trees over \[x ; one-hot(a)\] on binned contexts, from sums per bin: the n·|A| rows are never made.
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
        round.check_against(contexts, values)?;
        let Self { growth, work: Work { quanta, root, scratch } } = self;
        let is_flat = quanta.take(round, root)?;
        let grower = Grower {
            contexts,
            quanta,
            growth: *growth,
            // So large a λ leaves no trace of H, and none of its powers is beyond the range.
            lambda: quanta.units.weight(growth.reg_lambda()).min(2_f64.powi(150)),
            least: quanta.units.weight(growth.min_child_weight()).max(1.0),
            scratch,
        };
        let mut desk = scratch.desk();
        desk.nodes.clear();
        let mut all = Sums::default();
        quanta.sums.iter().for_each(|sums| all += *sums);
        let (records, spare) = root.both();
        let actions = match quanta.sums[..] {
            [_] => Actions::One(0),
            ref sums => Actions::Several((0..).zip(sums.iter().copied()).collect()),
        };
        let is_open = grower.is_open(0, all);
        let view = View::whole(contexts.layout());
        let histogram = (is_open && !is_flat).then(|| {
            let mut histogram = desk.histogram(contexts.layout().cells);
            view.count(records.iter().copied(), &mut histogram);
            histogram
        });
        grower.grow(&mut desk, view, Node { records, spare, actions, sums: all, depth: 0, is_open, histogram }, FORKS);
        let nodes = desk.nodes.clone();
        scratch.put_desk(desk);
        let tree = PairTree::new(contexts.inputs(), round.actions(), nodes)?;
        quanta.answers(values);
        Ok(tree)
    }
}
