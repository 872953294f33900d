//! What an engine of messages does, and what may go wrong.

use crate::BLOCK;
use std::fmt::Debug;
use thiserror::Error;

/// The messages between the ranks of a training, as MPI has them.
///
/// Contract: every rank calls the same operations in the same order, and an operation returns when all ranks
/// have called it. Where a rank is gone, calls another operation, or takes too long, the operation is an
/// error on every rank that waits, and so is every later one. All methods are required.
pub trait Communicator: Debug + Send + Sync {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks, at least 1.
    fn size(&self) -> usize;

    /// Replaces every number by its sum over the ranks, modulo 2^64.
    ///
    /// # Errors
    /// As the contract says; [`RankError::Lengths`] where the ranks have another count of numbers.
    fn sum(&self, numbers: &mut [u64]) -> Result<(), RankError>;

    /// Replaces every number by the largest of the ranks.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    fn max(&self, numbers: &mut [u64]) -> Result<(), RankError>;

    /// Appends the bytes of all ranks to `all`, rank by rank; they may differ in length.
    ///
    /// # Errors
    /// As the contract says.
    fn gather(&self, bytes: &[u8], all: &mut Vec<u8>) -> Result<(), RankError>;

    /// Replaces the bytes of every rank by those of rank `root`.
    ///
    /// # Errors
    /// As the contract says.
    fn copy_from(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), RankError>;

    /// The numbers are a run a rank, of these lengths. Replaces those of this rank's own run by their sums
    /// over the ranks, modulo 2^64; the others may be left in any state.
    ///
    /// # Errors
    /// As [`sum`](Self::sum); [`RankError::Lengths`] where the lengths are not one a rank or do not add up.
    fn sum_scatter(&self, numbers: &mut [u64], lengths: &[usize]) -> Result<(), RankError>;

    /// Sends run r to rank r, and replaces it by what rank r has sent to this one. The run of this rank
    /// stays.
    ///
    /// # Errors
    /// As the contract says; [`RankError::Lengths`] where there is not one run a rank. The runs are lost.
    fn exchange(&self, runs: &mut Vec<Vec<u8>>) -> Result<(), RankError>;
}

/// A setting that one rank has, and not rank 0.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name} is {found} on rank {rank}, and {first} on rank 0: every rank needs the same settings")]
pub struct OtherSetting {
    /// The first rank that differs.
    pub rank: usize,
    /// The setting.
    pub name: String,
    /// That of rank 0.
    pub first: String,
    /// That of the other one.
    pub found: String,
}

/// Why ranks could not go on together. A training that this ends cannot be continued, because the ranks may
/// have come to different points; it starts again from what was saved.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RankError {
    /// A rank that ended, after an error of its own or by a fault.
    #[error("rank {rank} has left the training")]
    Gone {
        /// Its number.
        rank: usize,
    },
    /// A rank whose own work has failed.
    #[error("rank {rank}: {reason}")]
    Failed {
        /// Its number.
        rank: usize,
        /// Its error.
        reason: String,
    },
    /// A rank that was waited for in vain.
    #[error("no answer from another rank within {seconds} s")]
    TimedOut {
        /// How long it was waited for.
        seconds: u64,
    },
    /// Ranks at different operations: they were started with different settings.
    #[error("the ranks are at different operations: {expected} here, {found} elsewhere")]
    Operations {
        /// This rank's.
        expected: &'static str,
        /// That of a rank before.
        found: &'static str,
    },
    /// Ranks with different counts of numbers, such as logs of different columns.
    #[error("the ranks have {expected} and {found} numbers of the same kind")]
    Lengths {
        /// This rank's.
        expected: usize,
        /// That of a rank before.
        found: usize,
    },
    /// A setting that differs between ranks, whose work would be another one.
    #[error(transparent)]
    Settings(Box<OtherSetting>),
    /// Rows of a rank that do not begin at a block.
    #[error("the rows of rank {rank} begin at row {first}, which is no multiple of {}", BLOCK)]
    Unaligned {
        /// Its number.
        rank: usize,
        /// Its first row among those of all ranks.
        first: usize,
    },
    /// Work that only one rank does.
    #[error("{what} does not train on the rows of several ranks")]
    OneRankOnly {
        /// The learner.
        what: &'static str,
    },
    /// An error of the system that carries the messages.
    #[error("the ranks could not exchange messages: {reason}")]
    System {
        /// Its message.
        reason: String,
    },
}
