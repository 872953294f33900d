//! What the ranks of a job tell each other: columns, and which rows each of them has.

use crate::error::JobError;
use off_policy::{Log, LogError};
use ranks::{RankError, Ranks, Shard};
use std::borrow::Cow;

/// A column, or a few of them, of all rows.
pub(crate) fn doubles(ranks: &Ranks, own: &[f64]) -> Result<Vec<f64>, RankError> {
    let all = ranks.gather(own.iter().flat_map(|number| number.to_le_bytes()).collect())?;
    let (words, _) = all.as_chunks::<8>();
    Ok(words.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
}

/// The same of whole numbers.
pub(crate) fn numbers(ranks: &Ranks, own: &[u64]) -> Result<Vec<u64>, RankError> {
    let all = ranks.gather(own.iter().flat_map(|number| number.to_le_bytes()).collect())?;
    let (words, _) = all.as_chunks::<8>();
    Ok(words.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
}

/// Of rows among those of all ranks, in their order, those of this rank, counted from its first one.
pub(crate) fn own(rows: impl IntoIterator<Item = usize>, shard: &Shard, count: usize) -> Vec<usize> {
    let own = rows.into_iter().skip_while(|row| *row < shard.first());
    own.map(|row| row - shard.first()).take_while(|row| *row < count).collect()
}

/// Some rows of all ranks, on every rank; the log itself where one process asks for all of its own.
pub(crate) fn gathered<'l>(
    log: &'l Log,
    shard: &Shard,
    rows: impl ExactSizeIterator<Item = usize>,
) -> Result<Cow<'l, Log>, LogError> {
    if !shard.ranks().are_several() && rows.len() == log.len() {
        return Ok(Cow::Borrowed(log));
    }
    Ok(Cow::Owned(log.gathered(&own(rows, shard, log.len()), shard.ranks())?))
}

/// Refuses a column of another length than the rows of this rank.
pub(crate) fn check_length(column: &'static str, got: usize, expected: usize) -> Result<(), JobError> {
    if got == expected { Ok(()) } else { Err(JobError::Length { column, expected, got }) }
}
