//! Ranks as threads of one process, with a limit on waiting.

use crate::{Communicator, RankError, Ranks};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Runs the work of every rank on a thread of its own, and returns the results in the order of the ranks;
/// `None` of a rank that panicked. No rank waits for another longer than `limit`.
///
/// This is the engine of tests: messages are copies in memory, and nothing is faster for it.
///
/// ```
/// use ranks::on_threads;
/// use std::time::Duration;
/// let sums = on_threads(3, Duration::from_secs(60), |ranks| {
///     let mut numbers = [ranks.rank() as u64, 1];
///     ranks.sum(&mut numbers).map(|()| numbers)
/// });
/// assert_eq!(sums, vec![Some(Ok([3, 3])); 3]);
/// ```
pub fn on_threads<T: Send>(size: usize, limit: Duration, work: impl Fn(Ranks) -> T + Sync) -> Vec<Option<T>> {
    let table = Arc::new(Table::new(size, limit));
    thread::scope(|scope| {
        let spawn = |rank: usize| {
            let (table, work) = (Arc::clone(&table), &work);
            scope.spawn(move || work(Ranks::of(ThreadRank { rank, table })))
        };
        let ranks: Vec<_> = (0..size).map(spawn).collect();
        ranks.into_iter().map(|rank| rank.join().ok()).collect()
    })
}

/// One rank. The others learn that it has ended when it is dropped.
#[derive(Debug)]
struct ThreadRank {
    rank: usize,
    table: Arc<Table>,
}

/// Where ranks lay down their parts and take the result.
#[derive(Debug)]
struct Table {
    size: usize,
    limit: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Of the ranks that have arrived.
    operation: Option<&'static str>,
    arrived: usize,
    /// How many have yet to take the result; none may arrive at the next operation before.
    leaving: usize,
    numbers: Vec<u64>,
    parts: Vec<Vec<u8>>,
    /// What each rank sends to each.
    sent: Vec<Vec<Vec<u8>>>,
    /// The first error, which ends all operations.
    error: Option<RankError>,
}

impl Table {
    fn new(size: usize, limit: Duration) -> Self {
        let (parts, sent) = (vec![Vec::new(); size], vec![Vec::new(); size]);
        let state = State { parts, sent, ..State::default() };
        Self { size, limit, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is so, but not after an error.
    fn wait<'s>(
        &self,
        mut state: MutexGuard<'s, State>,
        is_so: impl Fn(&State) -> bool,
    ) -> Result<MutexGuard<'s, State>, RankError> {
        let begun = Instant::now();
        loop {
            if is_so(&state) {
                return Ok(state);
            }
            if let Some(error) = &state.error {
                return Err(error.clone());
            }
            // A limit may lie beyond the end of the clock.
            let left = self.limit.saturating_sub(begun.elapsed()).min(Duration::from_secs(3600));
            if left.is_zero() {
                return Err(self.fail(&mut state, RankError::TimedOut { seconds: self.limit.as_secs() }));
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn fail(&self, state: &mut State, error: RankError) -> RankError {
        self.changed.notify_all();
        state.error.get_or_insert(error).clone()
    }

    /// One operation: `lay` adds a part, `take` takes the result when all ranks have.
    fn meet<T>(
        &self,
        operation: &'static str,
        lay: impl FnOnce(&mut State) -> Result<(), RankError>,
        take: impl FnOnce(&State) -> T,
    ) -> Result<T, RankError> {
        let mut state = self.wait(self.lock(), |state| state.leaving == 0 && state.error.is_none())?;
        let found = *state.operation.get_or_insert(operation);
        if found != operation {
            return Err(self.fail(&mut state, RankError::Operations { expected: operation, found }));
        }
        if let Err(error) = lay(&mut state) {
            return Err(self.fail(&mut state, error));
        }
        state.arrived += 1;
        if state.arrived == self.size {
            (state.leaving, state.operation) = (self.size, None);
            self.changed.notify_all();
        }
        let mut state = self.wait(state, |state| state.leaving > 0)?;
        let taken = take(&state);
        state.leaving -= 1;
        if state.leaving == 0 {
            state.arrived = 0;
            state.numbers.clear();
            self.changed.notify_all();
        }
        Ok(taken)
    }

    fn reduce(
        &self,
        operation: &'static str,
        numbers: &mut [u64],
        with: impl Fn(u64, u64) -> u64,
    ) -> Result<(), RankError> {
        let own = numbers.to_vec();
        let lay = |state: &mut State| {
            if state.arrived == 0 {
                state.numbers = own;
            } else if state.numbers.len() != own.len() {
                return Err(RankError::Lengths { expected: own.len(), found: state.numbers.len() });
            } else {
                state.numbers.iter_mut().zip(&own).for_each(|(all, own)| *all = with(*all, *own));
            }
            Ok(())
        };
        self.meet(operation, lay, |state| numbers.copy_from_slice(&state.numbers))
    }
}

impl Communicator for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.table.size
    }

    fn sum(&self, numbers: &mut [u64]) -> Result<(), RankError> {
        self.table.reduce("sum", numbers, u64::wrapping_add)
    }

    fn max(&self, numbers: &mut [u64]) -> Result<(), RankError> {
        self.table.reduce("max", numbers, u64::max)
    }

    fn gather(&self, bytes: &[u8], all: &mut Vec<u8>) -> Result<(), RankError> {
        let lay = |state: &mut State| {
            state.parts[self.rank] = bytes.to_vec();
            Ok(())
        };
        self.table.meet("gather", lay, |state| all.extend(state.parts.concat()))
    }

    fn copy_from(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), RankError> {
        let lay = |state: &mut State| {
            state.parts[self.rank] = bytes.clone();
            Ok(())
        };
        let copied = self.table.meet("copy", lay, |state| state.parts[root].clone())?;
        *bytes = copied;
        Ok(())
    }

    fn sum_scatter(&self, numbers: &mut [u64], lengths: &[usize]) -> Result<(), RankError> {
        let (expected, found) = (numbers.len(), lengths.iter().sum());
        if expected != found || lengths.len() != self.table.size {
            return Err(RankError::Lengths { expected, found });
        }
        self.table.reduce("sum and scatter", numbers, u64::wrapping_add)
    }

    fn exchange(&self, runs: &mut Vec<Vec<u8>>) -> Result<(), RankError> {
        let (expected, found) = (self.table.size, runs.len());
        if expected != found {
            return Err(RankError::Lengths { expected, found });
        }
        let sent = std::mem::take(runs);
        let lay = |state: &mut State| {
            state.sent[self.rank] = sent;
            Ok(())
        };
        let take = |state: &State| state.sent.iter().map(|runs| runs[self.rank].clone()).collect();
        *runs = self.table.meet("exchange", lay, take)?;
        Ok(())
    }
}

impl Drop for ThreadRank {
    fn drop(&mut self) {
        let mut state = self.table.lock();
        // A rank that has taken all results leaves no one waiting.
        self.table.fail(&mut state, RankError::Gone { rank: self.rank });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::on_threads;
    use crate::{RankError, Ranks};
    use std::time::Duration;

    const LIMIT: Duration = Duration::from_secs(60);

    #[test]
    fn sums_are_scattered_by_runs() {
        // Rank r has r + 1 numbers, the last of four none.
        let lengths = [1, 2, 3, 0];
        let found = on_threads(4, LIMIT, |ranks: Ranks| {
            let mut numbers: Vec<u64> = (0..6).map(|i| i + 10 * ranks.rank() as u64).collect();
            ranks.sum_scatter(&mut numbers, &lengths).map(|own| own.to_vec())
        });
        let own: Vec<Vec<u64>> = found.into_iter().map(|own| own.unwrap().unwrap()).collect();
        assert_eq!(own, [vec![60], vec![64, 68], vec![72, 76, 80], vec![]]);
        let mut alone = [5, 6];
        assert_eq!(Ranks::alone().sum_scatter(&mut alone, &[2]).unwrap(), [5, 6]);
        assert!(Ranks::alone().sum_scatter(&mut alone, &[1]).is_err());
        assert!(Ranks::alone().sum_scatter(&mut alone, &[1, 1]).is_err());
    }

    #[test]
    fn a_limit_may_be_without_end() {
        let found = on_threads(2, Duration::MAX, |ranks: Ranks| ranks.any(ranks.rank() == 1));
        assert_eq!(found, [Some(Ok(true)), Some(Ok(true))]);
    }

    #[test]
    fn bytes_are_exchanged() {
        let found = on_threads(3, LIMIT, |ranks: Ranks| {
            let to =
                (0..3_u8).map(|rank| vec![u8::try_from(ranks.rank()).unwrap(); usize::from(rank)]).collect();
            ranks.exchange(to).map(|from| (from, ranks.traffic().bytes))
        });
        for (rank, found) in found.into_iter().enumerate() {
            let (from, sent) = found.unwrap().unwrap();
            assert_eq!(from, [0, 1, 2].map(|sender| vec![sender; rank]));
            assert_eq!(sent, 3 - rank as u64);
        }
        assert_eq!(Ranks::alone().exchange(vec![vec![7]]).unwrap(), [[7]]);
        let expected = Err(RankError::Lengths { expected: 1, found: 2 });
        assert_eq!(Ranks::alone().exchange(vec![vec![], vec![]]), expected);
    }
}
