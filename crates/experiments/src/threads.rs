//! The number of threads of an experiment: one rule for all, that of [`Threads`].

use boosters::Threads;
pub use boosters::ThreadsError;

/// The number of threads: the requested number, else `RAYON_NUM_THREADS`, else one per core.
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

/// The number of threads of an experiment that times its units: one, unless another number is requested.
///
/// # Errors
/// [`ThreadsError`].
pub fn count_for_timing(asked: Option<usize>) -> Result<usize, ThreadsError> {
    chosen(asked, Threads::one())?.count()
}

fn chosen(asked: Option<usize>, otherwise: Threads) -> Result<Threads, ThreadsError> {
    asked.map_or(Ok(otherwise), Threads::exactly)
}
