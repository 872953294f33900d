//! The processes of `train --mpi`: the same program as many times, of which the first one speaks.

use crate::arguments::{Cli, Command};
use crate::commands::patience;
use crate::failure::Failure;
use ranks::Ranks;
use report::output::warn;
use std::ffi::OsString;
use std::time::Duration;

#[cfg(feature = "mpi")]
use crate::failure::{LOST, OF_ANOTHER};
#[cfg(feature = "mpi")]
use mpi_ranks::MpiRanks;
#[cfg(feature = "mpi")]
use ranks::{Communicator, RankError};

/// Those that `mpirun` has started, or this one alone.
#[derive(Debug, Default)]
pub(crate) struct Processes {
    #[cfg(feature = "mpi")]
    mpi: Option<MpiRanks>,
}

impl Processes {
    /// Those that the command line asks for. Where it is refused, it may ask for them all the same, so that
    /// one of them says why.
    pub(crate) fn of(cli: Option<&Cli>, arguments: &[OsString]) -> Result<Self, Failure> {
        let asked = match cli.map(|cli| &cli.command) {
            None => arguments.iter().any(|word| word == "--mpi").then_some(None),
            Some(Command::Train(asked)) => asked.mpi.then_some(asked.mpi_timeout.as_deref()),
            Some(_) => None,
        };
        let Some(timeout) = asked else { return Ok(Self::default()) };
        // One that is no time is refused by the command.
        Self::start(timeout.and_then(|text| patience(text).ok()))
    }

    #[cfg(feature = "mpi")]
    fn start(limit: Option<Duration>) -> Result<Self, Failure> {
        let builder = MpiRanks::builder();
        let builder = match limit {
            None => builder,
            Some(limit) => builder.limit(limit),
        };
        Ok(Self { mpi: Some(builder.start()?) })
    }

    #[cfg(not(feature = "mpi"))]
    fn start(_: Option<Duration>) -> Result<Self, Failure> {
        let why = "this program was built without MPI; build one with it by `cargo build --release -p ocoboost-cli \
                   --features mpi`";
        Err(Failure::Flag { name: "mpi", why })
    }

    /// The ranks of the training. One process has no one to talk to.
    pub(crate) fn ranks(&self) -> Ranks {
        #[cfg(feature = "mpi")]
        if let Some(mpi) = self.mpi.as_ref().filter(|mpi| mpi.size() > 1) {
            return Ranks::of(mpi.clone());
        }
        Ranks::alone()
    }

    /// Says why the work of this process has failed, and returns its exit code. Of several processes that end
    /// together, the first one says it for all, and they end with one exit code.
    pub(crate) fn end(self, outcome: Result<u8, Failure>) -> u8 {
        #[cfg(feature = "mpi")]
        if let Some(mpi) = self.mpi {
            return end_together(&mpi, &outcome);
        }
        outcome.unwrap_or_else(|failure| {
            warn(&format!("ocoboost: {failure}"));
            failure.code()
        })
    }
}

/// For so long a process waits for the others to end with it before it says what has ended it.
#[cfg(feature = "mpi")]
const TOGETHER: Duration = Duration::from_secs(5);

/// What has ended one process alone is said by this one, and what that has done to the others by the first.
#[cfg(feature = "mpi")]
fn end_together(mpi: &MpiRanks, outcome: &Result<u8, Failure>) -> u8 {
    let (rank, before) = (mpi.rank(), mpi.error());
    let own = outcome.as_ref().map_or_else(Failure::code, |code| *code);
    let is_said_here = outcome.as_ref().is_err_and(|failure| rank == 0 || !failure.is_of_another());
    let say = || {
        if let (Err(failure), true) = (outcome, is_said_here) {
            let of_rank = if rank == 0 { String::new() } else { format!("rank {rank}: ") };
            warn(&format!("ocoboost: {of_rank}{failure}"));
        }
    };
    // The first process speaks, without waiting for others that may be busy for long.
    let patience = if rank == 0 { Duration::ZERO } else { TOGETHER };
    let (left, is_said) = unless_within(patience, || mpi.leave(own), say);
    let is_lost = matches!(before, None | Some(RankError::TimedOut { .. }));
    if !is_said && rank > 0 && left.is_err() && is_lost {
        say();
    }
    match (left, before) {
        (Ok(code), _) => code,
        // What another process has met has no code here where that one has left already.
        (Err(_), None) if own != OF_ANOTHER => own,
        (Err(_), _) => LOST,
    }
}

/// Works, and says something meanwhile where the work takes longer than this. Whether it was said comes
/// second.
#[cfg(any(test, feature = "mpi"))]
fn unless_within<T>(patience: Duration, work: impl FnOnce() -> T, say: impl FnOnce() + Send) -> (T, bool) {
    if patience.is_zero() {
        say();
        return (work(), true);
    }
    let (is_done, done) = std::sync::mpsc::sync_channel(1);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || {
            let is_late = done.recv_timeout(patience).is_err();
            if is_late {
                say();
            }
            is_late
        });
        let outcome = work();
        // Nobody is there to hear it where it was said.
        let _ = is_done.send(());
        (outcome, waiting.join().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::unless_within;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    /// An error is not kept back until the others have ended, who may be busy or stand still.
    #[test]
    fn what_is_to_be_said_is_said_while_others_are_busy() {
        for patience in [Duration::ZERO, Duration::from_millis(1)] {
            let (say, said) = channel();
            // It ends when it has heard what is said.
            let work = || said.recv_timeout(Duration::from_secs(60));
            let (heard, is_said) = unless_within(patience, work, move || say.send(7).unwrap_or_default());
            assert_eq!((heard, is_said), (Ok(7), true));
        }
        assert_eq!(unless_within(Duration::from_secs(3600), || 3, || panic!("it was said")), (3, false));
    }
}
