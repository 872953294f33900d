//! The number of threads of a piece of work.

use std::ffi::OsString;
use std::thread::available_parallelism;
use thiserror::Error;

/// The variable that rayon's own pools read.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// The largest number of threads.
const MOST: usize = 4096;

/// The threads of a piece of work. The default is [`all`](Self::all).
///
/// The learners and boosters of this library start no threads. They use those of the caller's pool, or the
/// caller's thread. Their results are the same for any number.
///
/// ```
/// use boosters::Threads;
/// use boosters::bopl::{BoplS, PolicyBoosting, Settings};
/// use off_policy::{Log, Rewards};
/// use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth};
/// let contexts = rows::RowMatrix::dense(1, (0..100).map(f64::from).collect())?;
/// let actions = (0..100).map(|i| i % 2).collect();
/// let rewards = (0..100).map(|i| f64::from(i / 50)).collect();
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

/// An error of starting threads.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ThreadsError {
    /// 0 threads, or more than the largest number.
    #[error("{asked} threads are asked for by {by}; there can be 1 to {MOST}")]
    OutOfRange {
        /// How many.
        asked: usize,
        /// The source of the number.
        by: &'static str,
    },
    /// An environment variable that is not a number.
    #[error("{VARIABLE} is {text:?}, not a number of threads")]
    NotANumber {
        /// Its value.
        text: String,
    },
    /// An error of the system.
    #[error("could not start the threads: {0}")]
    NotStarted(#[from] rayon::ThreadPoolBuildError),
}

impl Threads {
    /// The number in `RAYON_NUM_THREADS`, or one a core. The variable counts as absent if it is empty or 0,
    /// as in rayon.
    #[must_use]
    pub fn all() -> Self {
        Self(Choice::All)
    }

    /// The number in `RAYON_NUM_THREADS`, or one: for timed work.
    #[must_use]
    pub fn one() -> Self {
        Self(Choice::One)
    }

    /// This number, whatever the machine and the variable.
    ///
    /// # Errors
    /// [`ThreadsError::OutOfRange`] for 0 or more than 4096.
    pub fn exactly(threads: usize) -> Result<Self, ThreadsError> {
        within(threads, "the setting of threads").map(|threads| Self(Choice::Exactly(threads)))
    }

    /// The number of threads.
    ///
    /// # Errors
    /// [`ThreadsError::OutOfRange`] and [`ThreadsError::NotANumber`] for a bad variable.
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

    /// A pool of these threads, for several pieces of work.
    ///
    /// # Errors
    /// As [`count`](Self::count); [`ThreadsError::NotStarted`].
    pub fn pool(self) -> Result<rayon::ThreadPool, ThreadsError> {
        Ok(rayon::ThreadPoolBuilder::new().num_threads(self.count()?).build()?)
    }

    /// Runs the work on these threads, and returns its result.
    ///
    /// # Errors
    /// As [`pool`](Self::pool); the work is then not started.
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
