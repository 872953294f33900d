//! Rows that change their rank, so that the rows of every rank begin at a block.

use crate::FormatError;
use ranks::{RankError, Ranks, Shard};
use std::ops::Range;

/// A number that is sent in eight bytes or fewer.
pub(crate) trait Word: Copy {
    type Bytes: AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;
    fn to_bytes(self) -> Self::Bytes;
    fn of_bytes(bytes: Self::Bytes) -> Self;
}

impl Word for u32 {
    type Bytes = [u8; 4];
    fn to_bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }
    fn of_bytes(bytes: [u8; 4]) -> Self {
        Self::from_le_bytes(bytes)
    }
}

impl Word for u64 {
    type Bytes = [u8; 8];
    fn to_bytes(self) -> [u8; 8] {
        self.to_le_bytes()
    }
    fn of_bytes(bytes: [u8; 8]) -> Self {
        Self::from_le_bytes(bytes)
    }
}

impl Word for f64 {
    type Bytes = [u8; 8];
    fn to_bytes(self) -> [u8; 8] {
        self.to_le_bytes()
    }
    fn of_bytes(bytes: [u8; 8]) -> Self {
        Self::from_le_bytes(bytes)
    }
}

/// Numbers of the rows of a rank, as many a row or as the rows have them.
#[derive(Debug)]
pub(crate) struct PerRow<T> {
    values: Vec<T>,
    places: Places,
    /// Those that came from ranks before and from ranks behind.
    front: Received<T>,
    back: Received<T>,
}

#[derive(Debug)]
enum Places {
    Width(usize),
    /// Row i is `values[offsets[i]..offsets[i + 1]]`.
    Offsets(Vec<usize>),
}

#[derive(Debug)]
struct Received<T> {
    values: Vec<T>,
    /// By row, where rows differ.
    counts: Vec<usize>,
}

impl<T> Received<T> {
    const fn none() -> Self {
        Self { values: Vec::new(), counts: Vec::new() }
    }
}

impl<T: Word> PerRow<T> {
    /// `width` numbers a row.
    pub(crate) fn of_width(width: usize, values: Vec<T>) -> Self {
        let (front, back) = (Received::none(), Received::none());
        Self { values, places: Places::Width(width), front, back }
    }

    /// Row i is `values[offsets[i]..offsets[i + 1]]`.
    pub(crate) fn of_offsets(offsets: Vec<usize>, values: Vec<T>) -> Self {
        let (front, back) = (Received::none(), Received::none());
        Self { values, places: Places::Offsets(offsets), front, back }
    }

    pub(crate) fn into_values(self) -> Vec<T> {
        self.values
    }

    /// The offsets and the numbers.
    pub(crate) fn into_parts(self) -> (Vec<usize>, Vec<T>) {
        let Places::Offsets(offsets) = self.places else { return (Vec::new(), self.values) };
        (offsets, self.values)
    }

    fn within(&self, rows: &Range<usize>) -> Range<usize> {
        match &self.places {
            Places::Width(width) => rows.start.saturating_mul(*width)..rows.end.saturating_mul(*width),
            Places::Offsets(offsets) => {
                let place = |row: usize| offsets.get(row).copied().unwrap_or(self.values.len());
                place(rows.start)..place(rows.end)
            }
        }
    }
}

/// What is moved with the rows.
pub(crate) trait Moved {
    /// Writes rows of this rank.
    fn write(&self, rows: Range<usize>, to: &mut Vec<u8>);

    /// Reads this many rows of a rank before this one or behind it; `None` for bytes that are none.
    fn read(&mut self, rows: usize, is_before: bool, from: &mut &[u8]) -> Option<()>;

    /// Keeps these of the own rows, between those that were read.
    fn keep(&mut self, rows: Range<usize>);
}

impl<T: Word> Moved for PerRow<T> {
    fn write(&self, rows: Range<usize>, to: &mut Vec<u8>) {
        let within = self.within(&rows);
        if let Places::Offsets(offsets) = &self.places {
            for ends in offsets.get(rows.start..=rows.end).unwrap_or_default().windows(2) {
                to.extend(((ends[1] - ends[0]) as u64).to_bytes());
            }
        }
        for value in self.values.get(within).unwrap_or_default() {
            to.extend(value.to_bytes().as_ref());
        }
    }

    fn read(&mut self, rows: usize, is_before: bool, from: &mut &[u8]) -> Option<()> {
        let mut counts = Vec::new();
        let values = match &self.places {
            Places::Width(width) => rows.checked_mul(*width)?,
            Places::Offsets(_) => {
                counts = words::<u64>(rows, from)?.into_iter().map(count).collect::<Option<_>>()?;
                counts.iter().try_fold(0_usize, |sum, count| sum.checked_add(*count))?
            }
        };
        let received = if is_before { &mut self.front } else { &mut self.back };
        received.values.extend(words::<T>(values, from)?);
        received.counts.extend(counts);
        Some(())
    }

    fn keep(&mut self, rows: Range<usize>) {
        let within = self.within(&rows);
        let (front, back) = (
            std::mem::replace(&mut self.front, Received::none()),
            std::mem::replace(&mut self.back, Received::none()),
        );
        if let Places::Offsets(offsets) = &mut self.places {
            let own = offsets.get(rows.start..=rows.end).unwrap_or_default();
            let own = own.windows(2).map(|ends| ends[1] - ends[0]);
            let (mut end, mut all) = (0_usize, vec![0]);
            for count in front.counts.into_iter().chain(own).chain(back.counts) {
                end = end.saturating_add(count);
                all.push(end);
            }
            *offsets = all;
        }
        self.values.truncate(within.end);
        self.values.reserve_exact(front.values.len() + back.values.len());
        self.values.splice(..within.start.min(self.values.len()), front.values);
        self.values.extend(back.values);
    }
}

/// This many numbers from the beginning of the bytes.
fn words<T: Word>(count: usize, from: &mut &[u8]) -> Option<Vec<T>> {
    let bytes = count.checked_mul(size_of::<T::Bytes>())?;
    let (own, rest) = from.split_at_checked(bytes)?;
    *from = rest;
    own.chunks_exact(size_of::<T::Bytes>())
        .map(|bytes| T::Bytes::try_from(bytes).ok().map(T::of_bytes))
        .collect()
}

fn count(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}

/// Moves rows so that those of every rank begin at a multiple of [`Shard::BLOCK`]: where they begin now,
/// rounded to the nearest one. The rows behind the last multiple are those of the last rank. Where a rank
/// would have none, all rows are dealt out evenly: in whole blocks, or row by row where there are fewer
/// blocks than ranks. `parts` are what this rank has of its `rows` rows, the same on all ranks.
///
/// *Cost:* about half a block of rows between two ranks is sent; where a rank would have none, up to all
/// rows.
pub(crate) fn align(rows: usize, parts: &mut [&mut dyn Moved], ranks: &Ranks) -> Result<(), FormatError> {
    let all = ranks.gather((rows as u64).to_le_bytes().to_vec())?;
    let counts = words::<u64>(ranks.size(), &mut &all[..]);
    let counts: Option<Vec<usize>> = counts.unwrap_or_default().into_iter().map(count).collect();
    let (now, then) = boundaries(&counts.unwrap_or_default());
    if now == then {
        return Ok(());
    }
    let of = |boundaries: &[usize], rank: usize| {
        let place = |rank: usize| boundaries.get(rank).copied().unwrap_or_default();
        place(rank)..place(rank + 1)
    };
    let own = of(&now, ranks.rank());
    // Of the own rows those that are one rank's then.
    let of_rank = |rank: usize| {
        let then = of(&then, rank);
        let within = |row: usize| row.clamp(own.start, own.end) - own.start;
        within(then.start)..within(then.end)
    };
    let mut to = vec![Vec::new(); ranks.size()];
    for (rank, message) in to.iter_mut().enumerate().filter(|(rank, _)| *rank != ranks.rank()) {
        let rows = of_rank(rank);
        if !rows.is_empty() {
            message.extend((rows.len() as u64).to_bytes());
            parts.iter().for_each(|part| part.write(rows.clone(), message));
        }
    }
    let from = ranks.exchange(to)?;
    for (rank, message) in from.iter().enumerate().filter(|(_, message)| !message.is_empty()) {
        let mut message = &message[..];
        let rows = words::<u64>(1, &mut message).and_then(|rows| count(*rows.first()?));
        let read = rows.and_then(|rows| {
            parts.iter_mut().try_for_each(|part| part.read(rows, rank < ranks.rank(), &mut message))
        });
        if read.is_none() || !message.is_empty() {
            let reason = format!("the rows that rank {rank} has sent are not as long as it says");
            return Err(RankError::System { reason }.into());
        }
    }
    parts.iter_mut().for_each(|part| part.keep(of_rank(ranks.rank())));
    Ok(())
}

/// Where the rows of each rank begin and end, now and then.
fn boundaries(counts: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut now = vec![0_usize];
    for count in counts {
        now.push(now.last().copied().unwrap_or_default().saturating_add(*count));
    }
    let total = now.last().copied().unwrap_or_default();
    let last = total - total % Shard::BLOCK;
    let rounded = |row: usize| (row.saturating_add(Shard::BLOCK / 2) / Shard::BLOCK * Shard::BLOCK).min(last);
    let mut then: Vec<usize> = now.iter().map(|row| rounded(*row)).collect();
    if let Some(end) = then.last_mut() {
        *end = total;
    }
    // A log of no rows is none: learners refuse it.
    if then.windows(2).any(|ends| ends[0] == ends[1]) {
        let size = counts.len();
        let first = |rank: usize| match total.div_ceil(Shard::BLOCK) < size {
            true => total / size * rank + total % size * rank / size,
            false => Shard::rows(total, rank, size).start,
        };
        then = (0..=size).map(first).collect();
    }
    (now, then)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_are_rounded_to_blocks() {
        let block = Shard::BLOCK;
        let then = |counts: &[usize]| boundaries(counts).1;
        assert_eq!(then(&[1500, 1500]), [0, block, 3000]);
        assert_eq!(then(&[block, block]), [0, block, 2 * block]);
        assert_eq!(then(&[1600, 1400]), [0, 2 * block, 3000]);
        // What is behind the last block is the last rank's.
        assert_eq!(then(&[1500, 700]), [0, block, 2200]);
    }

    #[test]
    fn every_rank_has_rows() {
        let block = Shard::BLOCK;
        let then = |counts: &[usize]| boundaries(counts).1;
        assert_eq!(then(&[0, 3000]), [0, block, 3000]);
        assert_eq!(then(&[0, 9 * block + 1, 0]), [0, 3 * block, 6 * block, 9 * block + 1]);
        assert_eq!(then(&[750; 8]), [0, 750, 1500, 2250, 3000, 3750, 4500, 5250, 6000]);
        assert_eq!(then(&[1000; 4]), [0, block, 2 * block, 3 * block, 4000]);
        assert_eq!(then(&[3 * block, 0, 1, 1]), [0, block, 2 * block, 3 * block, 3 * block + 2]);
        // Fewer blocks than ranks.
        assert_eq!(then(&[0, 2000, 0]), [0, 666, 1333, 2000]);
        assert_eq!(then(&[0, 3, 0]), [0, 1, 2, 3]);
        assert_eq!(then(&[0, 0, 3, 0, 0]), [0, 0, 1, 1, 2, 3]);
        assert_eq!(then(&[0, 0]), [0, 0, 0]);
    }
}
