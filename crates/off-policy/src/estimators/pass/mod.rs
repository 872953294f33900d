//! One pass over a log: the moments of all terms, block by block.

pub(crate) mod block;
mod evaluation;
pub(crate) mod moments;
pub(crate) mod self_normalised;

pub use evaluation::{Accumulator, OffPolicyEvaluation};
pub use moments::Moments;
