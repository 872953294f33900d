//! The ranks that share a training: each holds some of the rows, and all find the same result.
//!
//! A result does not depend on the number of ranks, because what they exchange is summed without rounding, or
//! in the order of the rows. Whole numbers are summed in any order. Doubles are summed block by block of
//! [`Shard::BLOCK`] rows, and the blocks in their order, whichever rank has them.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use thiserror::Error;

/// The messages between the ranks of a training, as MPI has them.
///
/// Contract: every rank calls the same operations in the same order, and an operation returns when all ranks
/// have called it. Where a rank is gone, calls another operation, or takes too long, the operation is an
/// error on every rank that waits, and so is every later one. All six methods are required.
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
    /// Rows of a rank that do not begin at a block.
    #[error("the rows of rank {rank} begin at row {first}, which is no multiple of {}", Shard::BLOCK)]
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

/// All ranks of a training, or none but this one.
///
/// *Cost:* alone, every operation is a check of one pointer. Among several, the calls and bytes of this rank
/// are counted: [`traffic`](Self::traffic).
///
/// ```
/// use weak_learners::Ranks;
/// let ranks = Ranks::alone();
/// let mut numbers = [3, 4];
/// ranks.sum(&mut numbers)?;
/// assert_eq!((numbers, ranks.are_several(), ranks.traffic().messages), ([3, 4], false, 0));
/// # Ok::<(), weak_learners::RankError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Ranks {
    peers: Option<Arc<Peers>>,
}

#[derive(Debug)]
struct Peers {
    communicator: Box<dyn Communicator>,
    messages: AtomicU64,
    bytes: AtomicU64,
}

/// What a rank has exchanged: the operations, and the bytes that it handed to them.
///
/// How many times a byte is sent depends on the engine: an all-reduce of b bytes among R ranks moves at least
/// 2b(R − 1)/R a rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The operations.
    pub messages: u64,
    /// The bytes that this rank contributed.
    pub bytes: u64,
}

/// The ranks of a sample that has all rows.
pub(crate) static ALONE: Ranks = Ranks::alone();

impl Ranks {
    /// One process, without another.
    #[must_use]
    pub const fn alone() -> Self {
        Self { peers: None }
    }

    /// The ranks that a communicator connects.
    #[must_use]
    pub fn of(communicator: impl Communicator + 'static) -> Self {
        let (messages, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { peers: Some(Arc::new(Peers { communicator: Box::new(communicator), messages, bytes })) }
    }

    /// Whether there is a communicator; it may connect one rank with itself.
    #[inline]
    #[must_use]
    pub fn are_several(&self) -> bool {
        self.peers.is_some()
    }

    /// The number of this rank, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.peers.as_ref().map_or(0, |peers| peers.communicator.rank())
    }

    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.peers.as_ref().map_or(1, |peers| peers.communicator.size())
    }

    /// What this rank has exchanged so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.peers.as_ref().map_or_else(Traffic::default, |peers| Traffic {
            messages: peers.messages.load(Relaxed),
            bytes: peers.bytes.load(Relaxed),
        })
    }

    /// As [`Communicator::sum`].
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn sum(&self, numbers: &mut [u64]) -> Result<(), RankError> {
        match &self.peers {
            None => Ok(()),
            Some(peers) => peers.counted(8 * numbers.len(), |ranks| ranks.sum(numbers)),
        }
    }

    /// As [`Communicator::max`].
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn max(&self, numbers: &mut [u64]) -> Result<(), RankError> {
        match &self.peers {
            None => Ok(()),
            Some(peers) => peers.counted(8 * numbers.len(), |ranks| ranks.max(numbers)),
        }
    }

    /// The largest of numbers that are at least 0; NaN is above all of them.
    ///
    /// # Errors
    /// As [`Communicator::max`].
    pub fn largest<const N: usize>(&self, numbers: [f64; N]) -> Result<[f64; N], RankError> {
        let mut bits = numbers.map(|v| v.abs().to_bits());
        self.max(&mut bits)?;
        Ok(bits.map(f64::from_bits))
    }

    /// Whether it is so on any rank.
    ///
    /// # Errors
    /// As [`Communicator::max`].
    pub fn any(&self, here: bool) -> Result<bool, RankError> {
        let mut any = [u64::from(here)];
        self.max(&mut any)?;
        Ok(any[0] != 0)
    }

    /// The bytes of all ranks, rank by rank.
    ///
    /// # Errors
    /// As [`Communicator::gather`].
    pub fn gather(&self, bytes: Vec<u8>) -> Result<Vec<u8>, RankError> {
        let Some(peers) = &self.peers else { return Ok(bytes) };
        let mut all = Vec::new();
        peers.counted(bytes.len(), |ranks| ranks.gather(&bytes, &mut all))?;
        Ok(all)
    }

    /// A pass over the rows of all ranks in their order, one rank after the other. Each goes on from the
    /// bytes that the rank before has left; all get the last ones.
    ///
    /// # Errors
    /// As [`Communicator::copy_from`].
    pub fn in_order(
        &self,
        start: Vec<u8>,
        pass: impl FnOnce(Vec<u8>) -> Vec<u8>,
    ) -> Result<Vec<u8>, RankError> {
        let Some(peers) = &self.peers else { return Ok(pass(start)) };
        let (mut state, mut pass) = (start, Some(pass));
        for root in 0..self.size() {
            if let Some(pass) = pass.take_if(|_| root == self.rank()) {
                state = pass(state);
            }
            let own = if root == self.rank() { state.len() } else { 0 };
            peers.counted(own, |ranks| ranks.copy_from(root, &mut state))?;
        }
        Ok(state)
    }
}

impl Peers {
    fn counted(
        &self,
        bytes: usize,
        operation: impl FnOnce(&dyn Communicator) -> Result<(), RankError>,
    ) -> Result<(), RankError> {
        self.messages.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes as u64, Relaxed);
        operation(&*self.communicator)
    }
}

/// The rows of this rank among those of all: a run of them, behind those of the ranks before.
///
/// ```
/// use weak_learners::{Ranks, Shard};
/// let whole = Shard::of(Ranks::alone(), 5000)?;
/// assert_eq!((whole.first(), whole.total()), (0, 5000));
/// // 5000 rows are 5 blocks, of which the first of two ranks has 2.
/// assert_eq!([Shard::rows(5000, 0, 2), Shard::rows(5000, 1, 2)], [0..2048, 2048..5000]);
/// # Ok::<(), weak_learners::RankError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Shard {
    ranks: Ranks,
    first: usize,
    total: usize,
}

impl Shard {
    /// The rows of a block, a *virtual shard*: sums of doubles are of blocks, so that they are the same
    /// however the blocks are spread over ranks and threads.
    pub const BLOCK: usize = 1024;

    /// All rows.
    #[must_use]
    pub fn whole(rows: usize) -> Self {
        Self { ranks: Ranks::alone(), first: 0, total: rows }
    }

    /// The rows of this rank, whose number every rank tells the others.
    ///
    /// # Errors
    /// As [`Communicator::gather`].
    pub fn of(ranks: Ranks, rows: usize) -> Result<Self, RankError> {
        if !ranks.are_several() {
            return Ok(Self::whole(rows));
        }
        let all = ranks.gather((rows as u64).to_le_bytes().to_vec())?;
        let (counts, _) = all.as_chunks::<8>();
        // A count of rows is that of a slice on some machine.
        #[allow(clippy::cast_possible_truncation, reason = "rows are counted by 64 bits")]
        let counts = counts.iter().map(|bytes| u64::from_le_bytes(*bytes) as usize);
        let (mut first, mut total) = (0, 0_usize);
        for (rank, count) in counts.enumerate() {
            first = if rank == ranks.rank() { total } else { first };
            total = total.saturating_add(count);
        }
        Ok(Self { ranks, first, total })
    }

    /// The rows of a rank where n rows are dealt out evenly, in runs of whole blocks. Empty where there are
    /// fewer blocks than ranks, or no such rank.
    #[must_use]
    pub fn rows(n: usize, rank: usize, size: usize) -> Range<usize> {
        if rank >= size {
            return n..n;
        }
        let blocks = n.div_ceil(Self::BLOCK);
        // blocks·rank/size, without a product beyond the range.
        let begin = |rank: usize| blocks / size * rank + blocks % size * rank / size;
        let row = |rank: usize| begin(rank).saturating_mul(Self::BLOCK).min(n);
        row(rank)..row(rank + 1)
    }

    /// The ranks.
    #[must_use]
    pub fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// The first row of this rank, counted over all.
    #[must_use]
    pub fn first(&self) -> usize {
        self.first
    }

    /// The number of rows of all ranks.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }

    /// Refuses rows that do not begin at a block.
    ///
    /// # Errors
    /// [`RankError::Unaligned`].
    pub fn check_alignment(&self) -> Result<(), RankError> {
        if self.first.is_multiple_of(Self::BLOCK) {
            Ok(())
        } else {
            Err(RankError::Unaligned { rank: self.ranks.rank(), first: self.first })
        }
    }
}

/// The same rows of the same rank among as many.
impl PartialEq for Shard {
    fn eq(&self, other: &Self) -> bool {
        let place = |shard: &Self| {
            let Self { ranks, first, total } = shard;
            (ranks.rank(), ranks.size(), ranks.are_several(), *first, *total)
        };
        place(self) == place(other)
    }
}
