//! Batch weak learners: the whole sample at once, weights as an argument.
//!
//! Reading order: [`Hypothesis`] and [`WeakLearner`], the contracts; [`SortedColumns`], the [`Sample`] that is prepared
//! once; [`Stump`] and [`ExactStump`], the search for the best one; [`BinnedColumns`], whose values are a byte each, and
//! [`BinnedStump`], the same search there; [`Tree`], and two that grow one: [`BinnedTree`] on binned columns and
//! [`WeightedTree`] by smartcore; [`Sampled`], which lets a learner see no more than m₀ draws.

pub(crate) mod contract;
mod sorted_columns;
mod stump;
mod exact_stump;
pub(crate) mod binned_columns;
mod binned_stump;
mod decision_tree;
mod binned_tree;
mod tree;
mod sampled;

pub use binned_columns::BinnedColumns;
pub use binned_stump::BinnedStump;
pub use binned_tree::BinnedTree;
pub use contract::{Hypothesis, Sample, WeakLearner};
pub(crate) use contract::{in_pool, in_units};
pub(crate) use decision_tree::Node;
pub use decision_tree::{LeafAnswer, Tree};
pub use exact_stump::ExactStump;
pub(crate) use exact_stump::midway;
pub use sampled::Sampled;
pub use sorted_columns::SortedColumns;
pub use stump::Stump;
pub use tree::WeightedTree;
