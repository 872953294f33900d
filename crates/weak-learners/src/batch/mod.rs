//! Batch weak learners: the whole sample at once, weights as an argument.
//!
//! Reading order: [`Hypothesis`] and [`WeakLearner`], the contracts; [`Sample`], what is prepared once. [`Stump`].

mod contract;
mod stump;

pub use contract::{Hypothesis, Sample, WeakLearner};
pub use stump::Stump;
