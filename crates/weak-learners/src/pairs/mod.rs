//! Learners of pairs (x, a) of a context and an action, for off-policy learning \[L23\].
//!
//! Reading order: [`PairHypothesis`] and [`PairLearner`], the contracts, with [`PairRound`], what a learner is asked;
//! [`PairTree`], a tree over \[x ; one-hot(a)\], and [`PairGrowth`], when it splits; [`BinnedContexts`], the contexts a byte
//! a value, and [`HistogramPairTree`], which grows the tree on them.

mod contract;
mod pair_tree;
mod growth;
mod binned_contexts;
mod histogram_pair_tree;

pub use binned_contexts::BinnedContexts;
pub use contract::{PairHypothesis, PairLearner, PairRound, PairWeights};
pub use growth::PairGrowth;
pub use histogram_pair_tree::HistogramPairTree;
pub use pair_tree::{PairNode, PairTree};
