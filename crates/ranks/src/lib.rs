//! The ranks that share a training: each holds some of the rows, and all find the same result.
//!
//! A result does not depend on the number of ranks, because what they exchange is summed without rounding, or
//! in the order of the rows. Whole numbers are summed in any order. Doubles are summed block by block of
//! [`Shard::BLOCK`] rows, and the blocks in their order, whichever rank has them.

mod communicator;
mod ranks;
mod shard;
mod threads;

pub use communicator::{Communicator, OtherSetting, RankError};
pub use ranks::{Ranks, Traffic};
pub use shard::Shard;
pub use threads::on_threads;

/// [`Shard::BLOCK`].
const BLOCK: usize = 1024;

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
