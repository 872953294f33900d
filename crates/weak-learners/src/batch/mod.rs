//! Batch weak learners: the whole sample at once, weights as an argument.
//!
//! Reading order: [`Hypothesis`] and [`WeakLearner`], the contracts. [`SortedColumns`] is a [`Sample`]
//! prepared once, for [`ExactStump`], the exact search for a [`Stump`]. [`BinnedColumns`] has a byte a value,
//! for the same search, [`BinnedStump`]. [`Tree`] has the learners [`BinnedTree`], on binned columns, and
//! [`WeightedTree`], by smartcore. [`Sampled`] trains on m₀ draws.

pub(crate) mod contract;
pub(crate) mod indicators;
mod sorted_columns;
mod stump;
pub(crate) mod bundles;
mod column_groups;
pub(crate) mod binned_columns;
mod tree;
mod binned_tree;
mod weighted_tree;
mod sampled;

pub use binned_columns::BinnedColumns;
pub use binned_tree::BinnedTree;
pub use contract::{Hypothesis, Sample, WeakLearner};
pub(crate) use contract::{in_pool, in_units, midway};
pub use sampled::Sampled;
pub use sorted_columns::SortedColumns;
pub use stump::{BinnedStump, ExactStump, Stump};
pub use tree::{LeafAnswer, Tree, TreeNode};
pub use weighted_tree::WeightedTree;
