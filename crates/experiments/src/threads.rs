//! On how many threads an experiment works: one rule for all of them, that of [`Threads`].

use boosters::Threads;
pub use boosters::ThreadsError;

/// The number of threads: as many as are asked for, or else as `RAYON_NUM_THREADS` says, or else one a core.
///
/// # Errors
/// [`ThreadsError`].
pub fn count(asked: Option<usize>) -> Result<usize, ThreadsError> {
    chosen(asked, Threads::all())?.count()
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
    chosen(asked, Threads::all())?.pool()
}

/// The number of threads of an experiment that times its units: one, unless something else is asked for.
///
/// # Errors
/// [`ThreadsError`].
pub fn count_for_timing(asked: Option<usize>) -> Result<usize, ThreadsError> {
    chosen(asked, Threads::one())?.count()
}

fn chosen(asked: Option<usize>, otherwise: Threads) -> Result<Threads, ThreadsError> {
    asked.map_or(Ok(otherwise), Threads::exactly)
}
