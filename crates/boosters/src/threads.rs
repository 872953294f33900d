//! On how many threads a piece of work runs.

use std::ffi::OsString;
use std::thread::available_parallelism;
use thiserror::Error;

/// What rayon's own pools read as well.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// No machine has more cores, and every thread takes memory.
const MOST: usize = 4096;

/// The threads that a piece of work runs on. The default is [`all`](Self::all).
///
/// The learners and boosters of this library start no thread of their own: they use those of the pool that they are called
/// in, and one where there is none. What they return is the same for any number.
///
/// ```
/// use boosters::Threads;
/// use boosters::bopl::{BoplS, PolicyBoosting, Settings};
/// use off_policy::{Log, Rewards};
/// use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth};
/// let contexts = rows::RowMatrix::dense(1, (0..100).map(f64::from).collect())?;
/// let (actions, rewards) = ((0..100).map(|i| i % 2).collect(), (0..100).map(|i| f64::from(i / 50)).collect());
/// let log = Log::new(contexts, 2, actions, vec![0.5; 100], Rewards(rewards))?;
/// let train = |threads: Threads| {
///     threads.run(|| {
///         let contexts = BinnedContexts::new(log.contexts().clone())?;
///         let learner = HistogramPairTree::new(PairGrowth::default());
///         let mut run = PolicyBoosting::<BoplS, _>::new(&log, learner, Settings::default())?;
///         run.round(&contexts)?;
///         Ok::<_, boosters::bopl::BoplError>(run.into_ensemble())
///     })
/// };
/// assert_eq!(train(Threads::all())??, train(Threads::exactly(1)?)??);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Threads(Choice);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Choice {
    #[default]
    All,
    One,
    Exactly(usize),
}

/// Why there are no threads to work on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ThreadsError {
    /// No thread, or more than any machine has cores.
    #[error("{asked} threads are asked for by {by}; there can be 1 to {MOST}")]
    OutOfRange {
        /// How many.
        asked: usize,
        /// What asks for them.
        by: &'static str,
    },
    /// The environment variable holds no number.
    #[error("{VARIABLE} is {text:?}, not a number of threads")]
    NotANumber {
        /// What it holds.
        text: String,
    },
    /// The system refused.
    #[error("could not start the threads: {0}")]
    NotStarted(#[from] rayon::ThreadPoolBuildError),
}

impl Threads {
    /// As many as the variable `RAYON_NUM_THREADS` says, or else one a core. The variable counts as absent where it is empty
    /// or 0, as rayon has it.
    #[must_use]
    pub fn all() -> Self {
        Self(Choice::All)
    }

    /// As many as the variable `RAYON_NUM_THREADS` says, or else one: for work whose time is measured.
    #[must_use]
    pub fn one() -> Self {
        Self(Choice::One)
    }

    /// So many, whatever the machine and the variable say.
    ///
    /// # Errors
    /// [`ThreadsError::OutOfRange`] for none or more than 4096.
    pub fn exactly(threads: usize) -> Result<Self, ThreadsError> {
        within(threads, "the setting of threads").map(|threads| Self(Choice::Exactly(threads)))
    }

    /// How many there will be.
    ///
    /// # Errors
    /// [`ThreadsError::OutOfRange`] and [`ThreadsError::NotANumber`] for what the variable holds.
    pub fn count(self) -> Result<usize, ThreadsError> {
        self.count_in(|name| std::env::var_os(name))
    }

    fn count_in(self, variable: impl Fn(&str) -> Option<OsString>) -> Result<usize, ThreadsError> {
        let otherwise = match self.0 {
            Choice::Exactly(threads) => return Ok(threads),
            Choice::One => 1,
            Choice::All => available_parallelism().map_or(1, usize::from),
        };
        let text = variable(VARIABLE).unwrap_or_default().to_string_lossy().trim().to_owned();
        match text.as_str() {
            "" | "0" => Ok(otherwise),
            digits => match digits.parse() {
                Ok(asked) => within(asked, VARIABLE),
                Err(_) => Err(ThreadsError::NotANumber { text }),
            },
        }
    }

    /// A pool of these threads, for whoever needs it for several pieces of work.
    ///
    /// # Errors
    /// As [`count`](Self::count); [`ThreadsError::NotStarted`].
    pub fn pool(self) -> Result<rayon::ThreadPool, ThreadsError> {
        Ok(rayon::ThreadPoolBuilder::new().num_threads(self.count()?).build()?)
    }

    /// Does the work on these threads, and returns its result.
    ///
    /// # Errors
    /// As [`pool`](Self::pool); the work is not begun then.
    pub fn run<T: Send>(self, work: impl FnOnce() -> T + Send) -> Result<T, ThreadsError> {
        Ok(self.pool()?.install(work))
    }
}

fn within(asked: usize, by: &'static str) -> Result<usize, ThreadsError> {
    match asked {
        1..=MOST => Ok(asked),
        _ => Err(ThreadsError::OutOfRange { asked, by }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_counts_before_the_variable_and_the_variable_before_the_cores() {
        let count = |threads: Threads, variable: &str| {
            let variable = variable.to_owned();
            threads.count_in(|name| (name == "RAYON_NUM_THREADS").then(|| variable.clone().into()))
        };
        let cores = available_parallelism().map_or(1, usize::from);
        for absent in ["", "0", " "] {
            assert_eq!(count(Threads::all(), absent).unwrap(), cores);
            assert_eq!(count(Threads::one(), absent).unwrap(), 1);
        }
        assert_eq!(Threads::default().count_in(|_| None).unwrap(), cores);
        assert_eq!(count(Threads::all(), "3").unwrap(), 3);
        assert_eq!(count(Threads::one(), " 3 ").unwrap(), 3);
        assert_eq!(count(Threads::exactly(2).unwrap(), "3").unwrap(), 2);
        let says = |error: ThreadsError| error.to_string();
        for text in ["many", "-1", "1.5", "99999999999999999999999"] {
            let refused = says(count(Threads::all(), text).unwrap_err());
            assert!(refused.contains(text) && refused.contains("RAYON_NUM_THREADS"), "{refused}");
        }
        assert!(says(count(Threads::all(), "4097").unwrap_err()).contains("4097"));
        for asked in [0, 4097, usize::MAX] {
            assert!(says(Threads::exactly(asked).unwrap_err()).contains(&asked.to_string()));
        }
    }

    #[test]
    fn work_is_done_on_so_many_threads() {
        for threads in [1, 3] {
            let threads_seen = Threads::exactly(threads).unwrap().run(rayon::current_num_threads).unwrap();
            assert_eq!(threads_seen, threads);
        }
    }
}
