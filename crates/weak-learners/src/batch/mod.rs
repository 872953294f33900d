//! Batch weak learners: the whole sample at once, weights as an argument.
//!
//! Reading order: [`Hypothesis`] and [`WeakLearner`], the contracts; [`SortedColumns`], the [`Sample`] that is prepared
//! once; the learners [`ExactStump`] and [`WeightedTree`]; [`Sampled`], which lets a learner see no more than m₀ draws.

mod contract;
mod sorted_columns;
mod stump;
mod tree;
mod sampled;

pub use contract::{Hypothesis, Sample, WeakLearner};
pub use sampled::Sampled;
pub use sorted_columns::SortedColumns;
pub use stump::{ExactStump, Stump, StumpRule};
pub use tree::{LeafAnswer, Tree, WeightedTree};
//! Reading order: [`Hypothesis`] and [`WeakLearner`], the contracts; [`Sample`], what is prepared once. [`Stump`].

mod contract;
mod stump;

pub use contract::{Hypothesis, Sample, WeakLearner};
pub use stump::Stump;
