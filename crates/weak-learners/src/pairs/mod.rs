//! Learners of pairs (x, a) of a context and an action, for off-policy learning \[L23\].
//!
//! Reading order: the contracts [`PairHypothesis`] and [`PairLearner`], with the input [`PairRound`];
//! [`PairTree`], a tree over \[x ; one-hot(a)\], and its rules of growth, [`PairGrowth`]. Its learners are
//! [`ExactPairTree`], which tries every split, [`HistogramPairTree`], which searches [`BinnedContexts`], and
//! [`SmartcorePairTree`]. [`VectorLeafTree`] is a tree on x with a value an action in each leaf; its learner
//! is [`VectorLeafLearner`]. [`RowSampling`] and [`ColumnSampling`] train any learner on a part of the
//! examples or, if it is [`ColumnRestricted`], of the columns. [`GradientSampling`] draws the examples by
//! the size of their gradients, and trains a [`RowRestricted`] learner on them alone.
//! [`HistogramCandidateTree`] learns on [`BinnedCandidates`], where every row has candidates with features
//! of their own.

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
mod sampling;
mod gradient_sampling;
mod candidates;

pub use binned_contexts::BinnedContexts;
pub use candidates::{BinnedCandidates, HistogramCandidateTree};
pub use contract::{ColumnRestricted, PairHypothesis, PairLearner, PairRound, PairWeights, RowRestricted};
pub use exact_pair_tree::ExactPairTree;
pub use gradient_sampling::GradientSampling;
pub use growth::{PairGrowth, PairGrowthBuilder};
pub use histogram_pair_tree::HistogramPairTree;
pub use pair_tree::{PairNode, PairTree};
pub use sampling::{ColumnSampling, RowSampling};
pub use smartcore_pair_tree::SmartcorePairTree;
pub use vector_leaf_learner::VectorLeafLearner;
pub use vector_leaf_tree::{VectorLeafNode, VectorLeafTree};
