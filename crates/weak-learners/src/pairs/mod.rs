//! Learners of pairs (x, a) of a context and an action, for off-policy learning \[L23\].
//!
//! Reading order: [`PairHypothesis`] and [`PairLearner`], the contracts, with [`PairRound`], what a learner is asked;
//! [`PairTree`], a tree over \[x ; one-hot(a)\], and [`PairGrowth`], when it splits; [`ExactPairTree`], which tries every
//! split; [`BinnedContexts`], the contexts a byte a value, and [`HistogramPairTree`], which grows the tree on them;
//! [`SmartcorePairTree`], which has smartcore grow it; [`VectorLeafTree`], a tree on x with a value an action in each leaf,
//! and [`VectorLeafLearner`], which grows one; [`RowSampling`], which shows a learner a part of the examples, and [`ColumnSampling`], which
//! shows it a part of the columns: to [`ColumnRestricted`] learners.

mod contract;
mod pair_tree;
mod growth;
mod best_first;
mod gain;
mod exact_pair_tree;
mod binned_contexts;
mod histogram_pair_tree;
mod smartcore_pair_tree;
mod vector_leaf_tree;
mod vector_leaf_learner;
mod row_sampling;
mod column_sampling;

pub use binned_contexts::BinnedContexts;
pub use column_sampling::ColumnSampling;
pub use contract::{ColumnRestricted, PairHypothesis, PairLearner, PairRound, PairWeights};
pub use exact_pair_tree::ExactPairTree;
pub use growth::{PairGrowth, PairGrowthBuilder};
pub use histogram_pair_tree::HistogramPairTree;
pub use pair_tree::{PairNode, PairTree};
pub use row_sampling::RowSampling;
pub use smartcore_pair_tree::SmartcorePairTree;
pub use vector_leaf_learner::VectorLeafLearner;
pub use vector_leaf_tree::{VectorLeafNode, VectorLeafTree};
