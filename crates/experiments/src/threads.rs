//! On how many threads an experiment works: one rule for all of them.

use std::ffi::OsString;
use std::thread::available_parallelism;
use thiserror::Error;

/// What rayon's own pools read as well.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// No machine has more cores, and every thread takes memory.
const MOST: usize = 4096;

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

/// The number of threads: as many as are asked for, or else as `RAYON_NUM_THREADS` says, or else one a core. The variable
/// counts as absent where it is empty or 0, as rayon has it.
///
/// # Errors
/// [`ThreadsError::OutOfRange`], [`ThreadsError::NotANumber`].
pub fn count(asked: Option<usize>) -> Result<usize, ThreadsError> {
    count_in(asked, |name| std::env::var_os(name), cores())
}

fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

fn count_in(
    asked: Option<usize>,
    variable: impl Fn(&str) -> Option<OsString>,
    otherwise: usize,
) -> Result<usize, ThreadsError> {
    let within = |asked, by| match asked {
        1..=MOST => Ok(asked),
        _ => Err(ThreadsError::OutOfRange { asked, by }),
    };
    if let Some(asked) = asked {
        return within(asked, "--threads");
    }
    let text = variable(VARIABLE).unwrap_or_default().to_string_lossy().trim().to_owned();
    match text.as_str() {
        "" | "0" => Ok(otherwise),
        digits => match digits.parse() {
            Ok(asked) => within(asked, VARIABLE),
            Err(_) => Err(ThreadsError::NotANumber { text }),
        },
    }
}

/// A pool of [`count`] threads.
///
/// ```
/// use experiments::threads::pool;
/// assert_eq!(pool(Some(3))?.current_num_threads(), 3);
/// assert!(pool(Some(0)).is_err());
/// # Ok::<(), experiments::threads::ThreadsError>(())
/// ```
///
/// # Errors
/// [`ThreadsError`].
pub fn pool(asked: Option<usize>) -> Result<rayon::ThreadPool, ThreadsError> {
    started(count(asked)?)
}

/// The same for an experiment that times what it runs: one thread, unless something else is asked for.
///
/// # Errors
/// [`ThreadsError`].
pub fn pool_for_timing(asked: Option<usize>) -> Result<rayon::ThreadPool, ThreadsError> {
    started(count_in(asked, |name| std::env::var_os(name), 1)?)
}

fn started(threads: usize) -> Result<rayon::ThreadPool, ThreadsError> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the environment of the test says.
    #[test]
    fn a_pool_has_a_thread_a_core_and_one_that_times_has_one() {
        let variable =
            std::env::var(VARIABLE).ok().and_then(|text| text.parse().ok()).filter(|threads| *threads > 0);
        assert_eq!(pool(None).unwrap().current_num_threads(), variable.unwrap_or(cores()));
        assert_eq!(pool_for_timing(None).unwrap().current_num_threads(), variable.unwrap_or(1));
        assert_eq!(pool_for_timing(Some(3)).unwrap().current_num_threads(), 3);
    }

    #[test]
    fn what_is_asked_for_wins_then_the_environment_then_the_cores() {
        let of = |asked, variable: Option<&str>| {
            let found = count_in(
                asked,
                |name| {
                    assert_eq!(name, "RAYON_NUM_THREADS");
                    variable.map(OsString::from)
                },
                77,
            );
            found.map_err(|error| error.to_string())
        };
        assert_eq!(of(Some(3), Some("5")), Ok(3));
        assert_eq!(of(None, Some("5")), Ok(5));
        assert_eq!(of(None, Some(" 5 ")), Ok(5));
        for absent in [None, Some(""), Some("0")] {
            assert_eq!(of(None, absent), Ok(77));
        }
        assert_eq!(of(Some(MOST), None), Ok(MOST));
        for asked in [0, MOST + 1, usize::MAX] {
            let refused = of(Some(asked), Some("5")).unwrap_err();
            assert!(
                refused.starts_with(&format!("{asked} threads")) && refused.contains("--threads"),
                "{refused}"
            );
        }
        assert_eq!(cores(), available_parallelism().unwrap().get());
        assert!(of(None, Some("4097")).unwrap_err().contains("RAYON_NUM_THREADS"));
        for text in ["many", "-1", "1.5", "99999999999999999999999"] {
            assert!(of(None, Some(text)).unwrap_err().contains(text), "{text}");
        }
    }
}
