//! The processes of `train --mpi`: the same program as many times, of which the first one speaks.

use crate::arguments::{Cli, Command};
use crate::commands::duration;
use crate::failure::Failure;
use ranks::Ranks;
use report::output::warn;
use std::ffi::OsString;

#[cfg(feature = "mpi")]
use crate::failure::LOST;
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
        Self::start(timeout.and_then(|text| duration("mpi-timeout", text).ok()))
    }

    #[cfg(feature = "mpi")]
    fn start(limit: Option<std::time::Duration>) -> Result<Self, Failure> {
        let builder = MpiRanks::builder();
        let builder = match limit {
            None => builder,
            Some(limit) => builder.limit(limit),
        };
        Ok(Self { mpi: Some(builder.start()?) })
    }

    #[cfg(not(feature = "mpi"))]
    fn start(_: Option<std::time::Duration>) -> Result<Self, Failure> {
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
            return end_together(&mpi, outcome);
        }
        outcome.unwrap_or_else(|failure| {
            warn(&format!("ocoboost: {failure}"));
            failure.code()
        })
    }
}

/// What has ended one process alone is said by this one, and what that has done to the others by the first.
#[cfg(feature = "mpi")]
fn end_together(mpi: &MpiRanks, outcome: Result<u8, Failure>) -> u8 {
    let (is_first, before) = (mpi.rank() == 0, mpi.error());
    let own = outcome.as_ref().map_or_else(Failure::code, |code| *code);
    let left = mpi.leave(own);
    let is_lost = matches!(before, None | Some(RankError::TimedOut { .. }));
    if let Err(failure) = outcome {
        if is_first {
            warn(&format!("ocoboost: {failure}"));
        } else if left.is_err() && is_lost {
            warn(&format!("ocoboost: rank {}: {failure}", mpi.rank()));
        }
    }
    match (left, before) {
        (Ok(code), _) => code,
        (Err(_), None) => own,
        (Err(_), Some(_)) => LOST,
    }
}
