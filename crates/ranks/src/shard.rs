//! The rows of a rank.

use crate::{RankError, Ranks};
use std::ops::Range;

/// The rows of this rank among those of all: a run of them, behind those of the ranks before.
///
/// ```
/// use ranks::{Ranks, Shard};
/// let whole = Shard::of(Ranks::alone(), 5000)?;
/// assert_eq!((whole.first(), whole.total()), (0, 5000));
/// // 5000 rows are 5 blocks, of which the first of two ranks has 2.
/// assert_eq!([Shard::rows(5000, 0, 2), Shard::rows(5000, 1, 2)], [0..2048, 2048..5000]);
/// # Ok::<(), ranks::RankError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Shard {
    ranks: Ranks,
    first: usize,
    total: usize,
    /// The first rank whose rows begin at no block, with the first of them.
    unaligned: Option<(usize, usize)>,
}

impl Shard {
    /// The rows of a block, a *virtual shard*: sums of doubles are of blocks, so that they are the same
    /// however the blocks are spread over ranks and threads.
    pub const BLOCK: usize = crate::BLOCK;

    /// All rows.
    #[must_use]
    pub fn whole(rows: usize) -> Self {
        Self { ranks: Ranks::alone(), first: 0, total: rows, unaligned: None }
    }

    /// The rows of this rank, whose number every rank tells the others.
    ///
    /// # Errors
    /// As [`Communicator::gather`](crate::Communicator::gather).
    pub fn of(ranks: Ranks, rows: usize) -> Result<Self, RankError> {
        if !ranks.are_several() {
            return Ok(Self::whole(rows));
        }
        let all = ranks.gather((rows as u64).to_le_bytes().to_vec())?;
        let (counts, _) = all.as_chunks::<8>();
        // A count of rows is that of a slice on some machine.
        #[allow(clippy::cast_possible_truncation, reason = "rows are counted by 64 bits")]
        let counts = counts.iter().map(|bytes| u64::from_le_bytes(*bytes) as usize);
        let (mut first, mut total, mut unaligned) = (0, 0_usize, None);
        for (rank, count) in counts.enumerate() {
            first = if rank == ranks.rank() { total } else { first };
            if count > 0 && !total.is_multiple_of(Self::BLOCK) {
                unaligned = unaligned.or(Some((rank, total)));
            }
            total = total.saturating_add(count);
        }
        Ok(Self { ranks, first, total, unaligned })
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

    /// Refuses rows of any rank that do not begin at a block. Every rank comes to the same, without a
    /// message.
    ///
    /// ```
    /// use ranks::{RankError, Shard, on_threads};
    /// use std::time::Duration;
    /// let found = on_threads(3, Duration::from_secs(60), |ranks| {
    ///     let rows = [1024, 1000, 1000][ranks.rank()];
    ///     Shard::of(ranks, rows)?.check_alignment()
    /// });
    /// assert_eq!(found, [(); 3].map(|()| Some(Err(RankError::Unaligned { rank: 2, first: 2024 }))));
    /// ```
    ///
    /// # Errors
    /// [`RankError::Unaligned`] with the first rank that has such rows.
    pub fn check_alignment(&self) -> Result<(), RankError> {
        self.unaligned.map_or(Ok(()), |(rank, first)| Err(RankError::Unaligned { rank, first }))
    }
}

/// The same rows of the same rank among as many.
impl PartialEq for Shard {
    fn eq(&self, other: &Self) -> bool {
        let place = |shard: &Self| {
            let Self { ranks, first, total, unaligned: _ } = shard;
            (ranks.rank(), ranks.size(), ranks.are_several(), *first, *total)
        };
        place(self) == place(other)
    }
}
