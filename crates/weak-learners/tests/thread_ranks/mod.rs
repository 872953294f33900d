//! Ranks as threads of one process, with a limit on waiting.

use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use weak_learners::{Communicator, RankError, Ranks};

/// Runs the work of every rank on a thread of its own, inside a pool of so many threads or none, and returns
/// the results in their order; `None` of a rank that panicked.
pub(crate) fn run<T: Send>(
    size: usize,
    threads: Option<NonZero<usize>>,
    limit: Duration,
    work: impl Fn(Ranks) -> T + Sync,
) -> Vec<Option<T>> {
    let table = Arc::new(Table::new(size, limit));
    thread::scope(|scope| {
        let spawn = |rank: usize| {
            let (table, work) = (Arc::clone(&table), &work);
            scope.spawn(move || {
                let own = move || work(Ranks::of(ThreadRank { rank, table }));
                match threads {
                    None => own(),
                    Some(threads) => {
                        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
                        pool.build().unwrap().install(own)
                    }
                }
            })
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
    /// The first error, which ends all operations.
    error: Option<RankError>,
}

impl Table {
    fn new(size: usize, limit: Duration) -> Self {
        let state = State { parts: vec![Vec::new(); size], ..State::default() };
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
        let end = Instant::now() + self.limit;
        loop {
            if is_so(&state) {
                return Ok(state);
            }
            if let Some(error) = &state.error {
                return Err(error.clone());
            }
            let left = end.saturating_duration_since(Instant::now());
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
}

impl Drop for ThreadRank {
    fn drop(&mut self) {
        let mut state = self.table.lock();
        // A rank that has taken all results leaves no one waiting.
        self.table.fail(&mut state, RankError::Gone { rank: self.rank });
    }
}
