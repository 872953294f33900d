//! Rows of a log that go from rank to rank.

use super::{Log, LoggedRow, Rewards};
use crate::action_set::ActionSets;
use crate::error::LogError;
use ranks::{RankError, Ranks, Shard};
use rows::{Entries, RowMatrix};

impl Log {
    /// Some rows of this rank's log, and those that every other rank has chosen of its own, in the order of
    /// the ranks. Every rank calls it, and gets the same log.
    ///
    /// *Cost:* a pass over the rows; alone, a [`select`](Self::select).
    ///
    /// ```
    /// use off_policy::{Log, Rewards};
    /// use ranks::on_threads;
    /// use std::time::Duration;
    /// let found = on_threads(2, Duration::from_secs(60), |ranks| {
    ///     let x = if ranks.rank() == 0 { vec![0.0, 1.0] } else { vec![2.0, 3.0] };
    ///     let contexts = rows::RowMatrix::dense(1, x.clone()).ok()?;
    ///     let log = Log::new(contexts, 2, vec![0; 2], vec![0.5; 2], Rewards(x)).ok()?;
    ///     log.gathered(&[1], &ranks).ok().map(|all| all.rewards().to_vec())
    /// });
    /// assert_eq!(found, [Some(Some(vec![1.0, 3.0])), Some(Some(vec![1.0, 3.0]))]);
    /// ```
    ///
    /// # Errors
    /// On every rank: [`LogError::NoSuchRow`] of a row that a rank lacks, [`LogError::Empty`] where no rank
    /// has chosen any, [`LogError::OtherLogs`] for logs of other shapes, [`LogError::Ranks`].
    pub fn gathered(&self, chosen: &[usize], ranks: &Ranks) -> Result<Self, LogError> {
        if !ranks.are_several() {
            return self.select(chosen.iter().copied());
        }
        let shape = self.agreed_shape(chosen, ranks)?;
        let all = ranks.gather(self.encoded(chosen))?;
        let mut rows = Rows::of(shape);
        rows.decode(&all)?;
        rows.into_log(self)
    }

    /// The same rows dealt out: this rank gets its [even share](Shard::rows) of them, whole blocks of
    /// [`Shard::BLOCK`] rows, as a learner of ranks asks for.
    ///
    /// *Cost:* rows that change their rank are sent, and all are copied; a rank whose rows stay as they are
    /// shares them as [`select`](Self::select) does.
    ///
    /// # Errors
    /// As [`gathered`](Self::gathered); [`LogError::Empty`] where there are fewer blocks than ranks.
    pub fn dealt(&self, chosen: &[usize], ranks: &Ranks) -> Result<Self, LogError> {
        if !ranks.are_several() {
            return self.select(chosen.iter().copied());
        }
        let shape = self.agreed_shape(chosen, ranks)?;
        let (own, size) = (Shard::of(ranks.clone(), chosen.len())?, ranks.size());
        if own.total().div_ceil(Shard::BLOCK) < size {
            return Err(LogError::Empty);
        }
        // The places among the chosen ones that go to a rank.
        let going = |to: usize| {
            let share = Shard::rows(own.total(), to, size);
            let place = |row: usize| row.clamp(own.first(), own.first() + chosen.len()) - own.first();
            &chosen[place(share.start)..place(share.end)]
        };
        let stays = going(ranks.rank());
        let to = |rank: usize| if rank == ranks.rank() { Vec::new() } else { self.encoded(going(rank)) };
        let from = ranks.exchange((0..size).map(to).collect())?;
        if stays.len() == chosen.len() && from.iter().all(Vec::is_empty) {
            return self.select(chosen.iter().copied());
        }
        let mut rows = Rows::of(shape);
        for (rank, bytes) in from.iter().enumerate() {
            if rank == ranks.rank() {
                stays.iter().filter_map(|row| self.row(*row)).for_each(|row| rows.push(row));
            } else {
                rows.decode(bytes)?;
            }
        }
        rows.into_log(self)
    }

    /// The shape of all logs. Every rank learns whether all rows are there and all shapes are the same.
    fn agreed_shape(&self, chosen: &[usize], ranks: &Ranks) -> Result<Shape, LogError> {
        let first = self.contexts().row(0).map(|x| x.entries());
        let is_sparse = matches!(first, Some(Entries::Sparse(..)));
        let shape = Shape {
            is_sparse,
            has_sets: self.action_sets().is_some(),
            inputs: self.inputs(),
            actions: self.actions(),
        };
        let missing = chosen.iter().copied().find(|row| *row >= self.len());
        let missing = missing.map_or([u64::MAX; 2], |row| [row, self.len()].map(|v| v as u64));
        let flags = u64::from(is_sparse) + 2 * u64::from(shape.has_sets);
        let own =
            [missing[0], missing[1], chosen.len() as u64, flags, self.inputs() as u64, self.actions() as u64];
        let all = ranks.gather(own.iter().flat_map(|v| v.to_le_bytes()).collect())?;
        let (words, _) = all.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let (of_ranks, _) = words.as_chunks::<6>();
        let place = |v: u64| usize::try_from(v).unwrap_or(usize::MAX);
        if let Some([row, rows, ..]) = of_ranks.iter().find(|[row, ..]| *row != u64::MAX) {
            return Err(LogError::NoSuchRow { row: place(*row), rows: place(*rows) });
        }
        if let Some(rank) = of_ranks.iter().position(|of_rank| of_rank[3..] != of_ranks[0][3..]) {
            return Err(LogError::OtherLogs { rank });
        }
        if of_ranks.iter().all(|[_, _, count, ..]| *count == 0) {
            return Err(LogError::Empty);
        }
        Ok(shape)
    }

    fn encoded(&self, chosen: &[usize]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for row in chosen.iter().filter_map(|row| self.row(*row)) {
            if let Entries::Sparse(indices, _) = row.context.entries() {
                add_list(indices.iter().copied(), &mut bytes);
            }
            row.context.values().iter().for_each(|value| bytes.extend(value.to_le_bytes()));
            bytes.extend(number(row.action).to_le_bytes());
            bytes.extend(row.propensity.to_le_bytes());
            bytes.extend(row.reward.to_le_bytes());
            if !row.on_offer.is_all() {
                add_list(row.on_offer.iter().map(number), &mut bytes);
            }
        }
        bytes
    }
}

/// What all rows of a log have in common.
#[derive(Clone, Copy)]
struct Shape {
    is_sparse: bool,
    has_sets: bool,
    inputs: usize,
    actions: usize,
}

/// An action or an index: both are below 2^32.
fn number(v: usize) -> u32 {
    u32::try_from(v).unwrap_or(u32::MAX)
}

/// A list behind its length.
fn add_list(list: impl Iterator<Item = u32>, bytes: &mut Vec<u8>) {
    let place = bytes.len();
    bytes.extend([0; 4]);
    list.for_each(|v| bytes.extend(v.to_le_bytes()));
    let count = number((bytes.len() - place) / 4 - 1).to_le_bytes();
    bytes[place..place + 4].copy_from_slice(&count);
}

/// The columns of a log that grows by rows.
struct Rows {
    shape: Shape,
    /// Of sparse contexts: where a row ends, and the indices of its values.
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    actions: Vec<u32>,
    propensities: Vec<f64>,
    rewards: Vec<f64>,
    sets: Vec<Vec<u32>>,
}

impl Rows {
    fn of(shape: Shape) -> Self {
        Self {
            shape,
            offsets: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            actions: Vec::new(),
            propensities: Vec::new(),
            rewards: Vec::new(),
            sets: Vec::new(),
        }
    }

    fn push(&mut self, row: LoggedRow<'_>) {
        if let Entries::Sparse(indices, _) = row.context.entries() {
            self.indices.extend_from_slice(indices);
        }
        self.values.extend_from_slice(row.context.values());
        self.offsets.push(self.values.len());
        self.actions.push(number(row.action));
        self.propensities.push(row.propensity);
        self.rewards.push(row.reward);
        if self.shape.has_sets {
            self.sets.push(row.on_offer.iter().map(number).collect());
        }
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<(), LogError> {
        let mut message = Message(bytes);
        while !message.0.is_empty() {
            let before = self.indices.len();
            let count = if self.shape.is_sparse {
                message.list(&mut self.indices)?;
                self.indices.len() - before
            } else {
                self.shape.inputs
            };
            message.doubles(count, &mut self.values)?;
            self.offsets.push(self.values.len());
            self.actions.push(u32::from_le_bytes(message.take()?));
            self.propensities.push(f64::from_le_bytes(message.take()?));
            self.rewards.push(f64::from_le_bytes(message.take()?));
            if self.shape.has_sets {
                let mut set = Vec::new();
                message.list(&mut set)?;
                self.sets.push(set);
            }
        }
        Ok(())
    }

    /// The log of these rows, coded as another one is.
    fn into_log(self, like: &Log) -> Result<Log, LogError> {
        let Shape { is_sparse, has_sets, inputs, actions } = self.shape;
        let contexts = if is_sparse {
            RowMatrix::sparse(inputs, self.offsets, self.indices, self.values)
        } else {
            RowMatrix::dense(inputs, self.values)
        };
        let contexts = contexts.map_err(|error| broken(&error.to_string()))?;
        let mut log = Log::new(contexts, actions, self.actions, self.propensities, Rewards(self.rewards))?;
        if has_sets {
            log = log.with_action_sets(ActionSets::new(actions, self.sets)?)?;
        }
        match like.schema() {
            Some(schema) => log.with_schema(schema.clone()),
            None => Ok(log),
        }
    }
}

/// What is still to be read of a message.
struct Message<'a>(&'a [u8]);

impl Message<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], LogError> {
        let (first, rest) = self.0.split_first_chunk::<N>().ok_or_else(|| broken("a row ends early"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn bytes(&mut self, count: usize) -> Result<&[u8], LogError> {
        let (first, rest) = self.0.split_at_checked(count).ok_or_else(|| broken("a row ends early"))?;
        self.0 = rest;
        Ok(first)
    }

    fn list(&mut self, to: &mut Vec<u32>) -> Result<(), LogError> {
        let count = u32::from_le_bytes(self.take()?) as usize;
        let (words, _) = self.bytes(4 * count)?.as_chunks::<4>();
        to.extend(words.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        Ok(())
    }

    fn doubles(&mut self, count: usize, to: &mut Vec<f64>) -> Result<(), LogError> {
        let (words, _) = self.bytes(count.saturating_mul(8))?.as_chunks::<8>();
        to.extend(words.iter().map(|bytes| f64::from_le_bytes(*bytes)));
        Ok(())
    }
}

fn broken(reason: &str) -> LogError {
    RankError::System { reason: format!("rows from another rank: {reason}") }.into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;
    use crate::{ActionNames, ContextColumn, Schema};
    use ranks::on_threads;
    use std::time::Duration;

    const LIMIT: Duration = Duration::from_secs(60);

    /// Rows with numbers of their own in every column.
    fn log(n: u32, is_sparse: bool, has_sets: bool) -> Log {
        let contexts = if is_sparse {
            // No value, one, two, none, …
            let counts = (0..n).map(|i| i as usize % 3);
            let offsets = std::iter::once(0).chain(counts.clone().scan(0, |end, count| {
                *end += count;
                Some(*end)
            }));
            let indices = counts.clone().flat_map(|count| (0..count).map(|j| number(2 * j)));
            let values = (0..counts.clone().sum::<usize>()).map(|v| v as f64);
            RowMatrix::sparse(4, offsets.collect(), indices.collect(), values.collect()).unwrap()
        } else {
            RowMatrix::dense(2, (0..2 * n).map(f64::from).collect()).unwrap()
        };
        let propensities = (0..n).map(|i| 1.0 / f64::from(i % 7 + 1)).collect();
        let rewards = Rewards((0..n).map(|i| -f64::from(i)).collect());
        let log = Log::new(contexts, 5, (0..n).map(|i| i % 5).collect(), propensities, rewards).unwrap();
        if !has_sets {
            let columns = (0..log.inputs()).map(|j| ContextColumn::Number { name: format!("x{j}") });
            let schema = Schema::new(columns.collect(), ActionNames::Numbered(5)).unwrap();
            return log.with_schema(schema).unwrap();
        }
        let sets = (0..n).map(|i| (0..=i % 5).collect::<Vec<u32>>());
        log.with_action_sets(ActionSets::new(5, sets).unwrap()).unwrap()
    }

    /// Of rows that are spread over ranks those that three does not divide.
    #[test]
    fn rows_of_all_ranks_come_in_their_order() {
        let n = 5 * Shard::BLOCK;
        for (is_sparse, has_sets) in [(false, false), (false, true), (true, false), (true, true)] {
            let whole = log(number(n), is_sparse, has_sets);
            let chosen = |rows: std::ops::Range<usize>| -> Vec<usize> {
                rows.clone().filter(|row| row % 3 > 0).map(|row| row - rows.start).collect()
            };
            let expected = whole.select(chosen(0..n)).unwrap();
            for size in [1, 2, 3] {
                let found = on_threads(size, LIMIT, |ranks| {
                    // The first rank has most of the rows.
                    let rows = match ranks.rank() {
                        0 => 0..n - (size - 1) * 100,
                        rank => n - (size - rank) * 100..n - (size - rank - 1) * 100,
                    };
                    let here = whole.select(rows.clone()).unwrap();
                    let own = chosen(rows);
                    (here.gathered(&own, &ranks), here.dealt(&own, &ranks))
                });
                for (rank, found) in found.into_iter().enumerate() {
                    let (all, own) = found.unwrap();
                    assert!(all.unwrap() == expected, "{size} ranks, {is_sparse}, {has_sets}");
                    let share = Shard::rows(expected.len(), rank, size);
                    assert!(own.unwrap() == expected.select(share).unwrap(), "{rank} of {size}");
                }
            }
        }
    }

    #[test]
    fn all_ranks_refuse_what_one_has_to() {
        let whole = log(30, false, false);
        let on_two = |work: &(dyn Fn(Ranks) -> Result<Log, LogError> + Sync)| -> [LogError; 2] {
            let found = on_threads(2, LIMIT, work);
            let errors: Vec<_> = found.into_iter().map(|found| found.unwrap().unwrap_err()).collect();
            errors.try_into().unwrap()
        };
        let missing = on_two(&|ranks| whole.gathered(&[29 + ranks.rank()], &ranks));
        assert_eq!(missing, [(); 2].map(|()| LogError::NoSuchRow { row: 30, rows: 30 }));
        assert_eq!(on_two(&|ranks| whole.gathered(&[], &ranks)), [LogError::Empty, LogError::Empty]);
        assert_eq!(on_two(&|ranks| whole.dealt(&[1], &ranks)), [LogError::Empty, LogError::Empty]);
        let others = on_two(&|ranks| log(30, false, ranks.rank() == 1).gathered(&[1], &ranks));
        assert_eq!(others, [(); 2].map(|()| LogError::OtherLogs { rank: 1 }));
        assert_eq!(whole.gathered(&[30], &Ranks::alone()), Err(LogError::NoSuchRow { row: 30, rows: 30 }));
    }

    #[test]
    fn a_message_that_is_cut_is_refused() {
        for (is_sparse, has_sets) in [(false, false), (true, true)] {
            let own = log(4, is_sparse, has_sets);
            let bytes = own.encoded(&[1, 2]);
            let decoded = |length: usize| {
                let mut rows = Rows::of(Shape { is_sparse, has_sets, inputs: own.inputs(), actions: 5 });
                rows.decode(&bytes[..length]).and_then(|()| rows.into_log(&own))
            };
            assert_eq!(decoded(bytes.len()), own.select([1, 2]));
            let whole = own.encoded(&[1]).len();
            for length in (1..bytes.len()).filter(|length| *length != whole) {
                assert!(matches!(decoded(length), Err(LogError::Ranks(_))), "{length}");
            }
        }
    }
}
