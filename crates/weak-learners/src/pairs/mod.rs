//! Learners of pairs (x, a) of a context and an action, for off-policy learning \[L23\].
//!
//! Reading order: [`PairHypothesis`] and [`PairLearner`], the contracts, with [`PairRound`], what a learner is asked;
//! [`PairTree`], a tree over \[x ; one-hot(a)\], and [`PairGrowth`], when it splits; [`ExactPairTree`], which tries every
//! split.

mod contract;
mod pair_tree;
mod growth;
mod gain;
mod exact_pair_tree;

pub use contract::{PairHypothesis, PairLearner, PairRound, PairWeights};
pub use exact_pair_tree::ExactPairTree;
pub use growth::PairGrowth;
pub use pair_tree::{PairNode, PairTree};
