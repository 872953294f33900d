//! Batch weak learners: the whole sample at once, weights as an argument.
//!
//! Reading order: [`Hypothesis`] and [`WeakLearner`], the contracts; [`Sample`], what is prepared once.

mod contract;

pub use contract::{Hypothesis, Sample, WeakLearner};
