//! The ranks as others see them.

use crate::engine::{Engine, Outcome, Parcel};
use crate::frame::Operation;
use mpi::Threading;
use ranks::{Communicator, RankError};
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The ranks that `mpirun` has started, this process among them. Made by [`MpiRanks::builder`].
///
/// A thread of its own calls MPI, so that a rank can give up: an operation that lasts longer than the limit
/// is [`RankError::TimedOut`] on the ranks that wait. Ranks at different operations, or with other lengths,
/// all find that out, and a rank that leaves before the others have ended tells them:
/// [`RankError::Gone`]. An error of MPI itself ends the processes, as its library does by default.
///
/// When the last clone is dropped, it [leaves](Self::leave) and ends MPI, for which it waits for the limit at
/// most. After a `TimedOut` it does not end MPI: the process should end with another exit code than 0, by
/// which `mpirun` ends the others.
///
/// *Cost:* an operation is one exchange of 256 bytes a rank, which carries up to 29 numbers or 232 bytes.
/// What is longer follows in messages of MPI: all-reduce (sum, max), all-gather, broadcast, all-to-all (sums
/// that are scattered: every number is sent once), and from rank to rank without a copy (exchange).
#[derive(Debug, Clone)]
pub struct MpiRanks {
    rank: usize,
    size: usize,
    line: Arc<Mutex<Line>>,
}

/// The way to the engine.
#[derive(Debug)]
struct Line {
    rank: usize,
    engine: Option<JoinHandle<()>>,
    /// Closed where the engine has ended MPI.
    ended: Receiver<()>,
    limit: Duration,
    /// `None` when the engine is to end.
    requests: Option<SyncSender<(Operation, Parcel)>>,
    outcomes: Receiver<Outcome>,
    parcel: Parcel,
    /// The first error, which ends all operations; leaving is one too.
    error: Option<RankError>,
}

/// Settings of [`MpiRanks`].
#[derive(Debug, Clone)]
pub struct MpiRanksBuilder {
    limit: Duration,
    largest: usize,
}

impl MpiRanks {
    /// Settings, with their defaults.
    #[must_use]
    pub fn builder() -> MpiRanksBuilder {
        MpiRanksBuilder { limit: Duration::from_secs(600), largest: 1 << 26 }
    }

    /// Ends the work of this rank, which asks for nothing more. It waits until every other rank leaves too or
    /// meets this one in another operation, at most for the limit. Returns the largest code of all ranks,
    /// which may become their exit code.
    ///
    /// # Errors
    /// [`RankError::Gone`] where this rank leaves before others do, and what has ended the operations before.
    pub fn leave(&self, code: u8) -> Result<u8, RankError> {
        self.lock().leave(code)
    }

    /// The first error of an operation.
    #[must_use]
    pub fn error(&self) -> Option<RankError> {
        self.lock().error.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One operation: `fill` puts the rank's part into an empty parcel, `take` takes the result.
    fn meet<T>(
        &self,
        operation: Operation,
        fill: impl FnOnce(&mut Parcel),
        take: impl FnOnce(&mut Parcel) -> T,
    ) -> Result<T, RankError> {
        let mut line = self.lock();
        let mut parcel = std::mem::take(&mut line.parcel);
        parcel.clear();
        fill(&mut parcel);
        let mut parcel = line.ask(operation, parcel)?;
        let taken = take(&mut parcel);
        line.parcel = parcel;
        Ok(taken)
    }

    fn reduce(&self, operation: Operation, numbers: &mut [u64]) -> Result<(), RankError> {
        let own = &*numbers;
        let fill = |parcel: &mut Parcel| parcel.numbers.extend_from_slice(own);
        let sums = self.meet(operation, fill, |parcel| std::mem::take(&mut parcel.numbers))?;
        numbers.copy_from_slice(&sums);
        self.lock().parcel.numbers = sums;
        Ok(())
    }
}

impl Line {
    fn ask(&mut self, operation: Operation, parcel: Parcel) -> Outcome {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let gone = || RankError::System { reason: "the thread that calls MPI has ended".to_owned() };
        let requests = self.requests.as_ref().ok_or_else(gone)?;
        let sent = requests.send((operation, parcel)).map_err(|_| gone());
        let outcome = sent.and_then(|()| self.outcomes.recv().map_err(|_| gone())?);
        self.error = outcome.as_ref().err().cloned();
        outcome
    }

    fn leave(&mut self, code: u8) -> Result<u8, RankError> {
        let parcel = Parcel { code: code.into(), ..Parcel::default() };
        let parcel = self.ask(Operation::Leave, parcel)?;
        self.error = Some(RankError::Gone { rank: self.rank });
        Ok(u8::try_from(parcel.code).unwrap_or(u8::MAX))
    }
}

impl Parcel {
    fn clear(&mut self) {
        self.numbers.clear();
        self.bytes.clear();
        self.lengths.clear();
        self.runs.clear();
    }
}

impl MpiRanksBuilder {
    /// How long a rank waits for the others in an operation. Default: 10 minutes.
    ///
    /// It must be longer than any rank works between two operations, such as reading its rows. A process that
    /// is killed is noticed by `mpirun` at once; the limit is for one that hangs, which is rare and can wait.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Numbers or bytes of one message of MPI, which counts up to 2^31 − 1; what is longer is cut. Default:
    /// 2^26, so that the copies of a message stay small. The same on all ranks.
    #[must_use]
    pub fn largest_message(mut self, count: usize) -> Self {
        self.largest = count;
        self
    }

    /// Starts MPI, once in a process. A process that `mpirun` has not started is one rank.
    ///
    /// # Errors
    /// [`RankError::System`] where MPI was started before, or no thread can be.
    pub fn start(self) -> Result<MpiRanks, RankError> {
        let system = |error: &dyn fmt::Display| RankError::System { reason: error.to_string() };
        let (requests, asked) = sync_channel(1);
        let (sender, outcomes) = sync_channel(1);
        let (started, place) = sync_channel(1);
        let (ends, ended) = sync_channel::<()>(0);
        let limit = self.limit;
        let work = move || {
            // Dropped last, behind the end of MPI.
            let _ends = ends;
            // This thread alone calls MPI.
            let Some((universe, _)) = mpi::initialize_with_threading(Threading::Serialized) else { return };
            let mut engine = Engine::new(universe.world(), self.limit, self.largest, sender.clone());
            if started.send((engine.rank(), engine.size())).is_err() {
                return;
            }
            while let Ok((operation, mut parcel)) = asked.recv() {
                let outcome = engine.operate(operation, &mut parcel).map(|()| parcel);
                if sender.send(outcome).is_err() {
                    return;
                }
            }
        };
        let engine = std::thread::Builder::new().name("mpi".to_owned()).spawn(work);
        let engine = Some(engine.map_err(|error| system(&error))?);
        let (rank, size) = place.recv().map_err(|_| system(&"MPI was started in this process before"))?;
        let (requests, parcel) = (Some(requests), Parcel::default());
        let line = Line { rank, engine, ended, limit, requests, outcomes, parcel, error: None };
        Ok(MpiRanks { rank, size, line: Arc::new(Mutex::new(line)) })
    }
}

impl Communicator for MpiRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sum(&self, numbers: &mut [u64]) -> Result<(), RankError> {
        self.reduce(Operation::Sum, numbers)
    }

    fn max(&self, numbers: &mut [u64]) -> Result<(), RankError> {
        self.reduce(Operation::Max, numbers)
    }

    fn gather(&self, bytes: &[u8], all: &mut Vec<u8>) -> Result<(), RankError> {
        let fill = |parcel: &mut Parcel| parcel.bytes.extend_from_slice(bytes);
        self.meet(Operation::Gather, fill, |parcel| all.extend_from_slice(&parcel.bytes))
    }

    fn copy_from(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), RankError> {
        if root >= self.size {
            return Err(RankError::Gone { rank: root });
        }
        let own = &*bytes;
        let fill = |parcel: &mut Parcel| {
            parcel.root = root;
            parcel.bytes.extend_from_slice(own);
        };
        let copied = self.meet(Operation::Copy, fill, |parcel| std::mem::take(&mut parcel.bytes))?;
        self.lock().parcel.bytes = std::mem::replace(bytes, copied);
        Ok(())
    }

    fn sum_scatter(&self, numbers: &mut [u64], lengths: &[usize]) -> Result<(), RankError> {
        let (expected, found) = (numbers.len(), lengths.iter().sum());
        if expected != found || lengths.len() != self.size {
            return Err(RankError::Lengths { expected, found });
        }
        let own = &*numbers;
        let fill = |parcel: &mut Parcel| {
            parcel.numbers.extend_from_slice(own);
            parcel.lengths.extend_from_slice(lengths);
        };
        let sums = self.meet(Operation::SumScatter, fill, |parcel| std::mem::take(&mut parcel.numbers))?;
        let first = lengths[..self.rank].iter().sum::<usize>();
        numbers[first..first + sums.len()].copy_from_slice(&sums);
        self.lock().parcel.numbers = sums;
        Ok(())
    }

    fn exchange(&self, runs: &mut Vec<Vec<u8>>) -> Result<(), RankError> {
        let (expected, found) = (self.size, runs.len());
        if expected != found {
            return Err(RankError::Lengths { expected, found });
        }
        let sent = std::mem::take(runs);
        let fill = |parcel: &mut Parcel| parcel.runs = sent;
        *runs = self.meet(Operation::Exchange, fill, |parcel| std::mem::take(&mut parcel.runs))?;
        Ok(())
    }
}

/// Waits for the end of MPI, which waits for the other processes: one of them may stand still. Then this one
/// ends without it, and `mpirun` ends the others.
fn end_within(limit: Duration, ended: &Receiver<()>, engine: JoinHandle<()>) {
    if ended.recv_timeout(limit) != Err(RecvTimeoutError::Timeout) {
        // What a panic of the engine says has been said.
        let _ = engine.join();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // Where the ranks have found an error together, all know.
        let _ = self.leave(0);
        // The engine then ends MPI, unless it stays in a message that is not answered.
        self.requests = None;
        let is_stuck = matches!(self.error, Some(RankError::TimedOut { .. } | RankError::System { .. }));
        if let Some(engine) = self.engine.take_if(|_| !is_stuck) {
            end_within(self.limit, &self.ended, engine);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::end_within;
    use std::sync::mpsc::sync_channel;
    use std::thread;
    use std::time::{Duration, Instant};

    #[test]
    fn an_end_that_does_not_come_is_not_waited_for() {
        let begun = Instant::now();
        let (ends, ended) = sync_channel::<()>(0);
        let (release, released) = sync_channel::<()>(1);
        let stuck = thread::spawn(move || {
            let _ends = ends;
            // As long as MPI waits for another process.
            let _ = released.recv();
        });
        end_within(Duration::from_millis(20), &ended, stuck);
        assert!(begun.elapsed() < Duration::from_secs(30));
        drop(release);
        let (ends, ended) = sync_channel::<()>(0);
        end_within(Duration::from_secs(60), &ended, thread::spawn(move || drop(ends)));
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
