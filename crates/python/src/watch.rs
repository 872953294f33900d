//! Work without Python's lock, which Python watches: Ctrl-C ends it, and a callback sees its events.

use crate::errors::value;
use boosters::Threads;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// How long the calling thread waits before it asks for signals again.
const PATIENCE: Duration = Duration::from_millis(20);

/// What the work tells the calling thread, and how it learns that it should end.
pub(crate) struct Watcher<'a> {
    events: SyncSender<String>,
    answers: Receiver<()>,
    has_callback: bool,
    is_over: &'a AtomicBool,
}

impl Watcher<'_> {
    /// Shows an event, as JSON, to the callback, if there is one; `Break` where the work should end.
    pub(crate) fn see(&self, event: impl FnOnce() -> String) -> ControlFlow<()> {
        if self.has_callback && self.events.send(event()).is_ok() {
            // The callback has returned. An error says that nobody waits any more.
            let _ = self.answers.recv();
        }
        if self.is_over.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The number of threads; all where nothing is said.
///
/// # Errors
/// `ValueError` for 0 and for too many.
pub(crate) fn threads(n_jobs: Option<usize>) -> PyResult<Threads> {
    n_jobs.map_or(Ok(Threads::all()), |count| Threads::exactly(count).map_err(value))
}

/// Runs the work on so many threads, without the lock. The calling thread asks for signals and calls the
/// callback; a true answer ends the work, as Ctrl-C does.
///
/// # Errors
/// `KeyboardInterrupt`, and what the callback raises; the result of the work is then dropped.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    n_jobs: Option<usize>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watcher<'_>) -> T + Send,
) -> PyResult<T> {
    let (threads, callback) = (threads(n_jobs)?, callback.map(|callback| callback.clone().unbind()));
    let (done, raised) = py.detach(|| {
        let is_over = AtomicBool::new(false);
        let (events, seen) = sync_channel(0);
        let (answer, answers) = sync_channel(0);
        let watcher = Watcher { events, answers, has_callback: callback.is_some(), is_over: &is_over };
        let mut raised = None;
        let done = std::thread::scope(|scope| {
            let worker = scope.spawn(move || {
                let watcher = std::sync::Mutex::new(watcher);
                threads.run(|| {
                    let watcher = watcher.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    work(&watcher)
                })
            });
            loop {
                let event = match seen.recv_timeout(PATIENCE) {
                    Ok(event) => Some(event),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                let is_waiting = event.is_some();
                let found = match event {
                    // Who has raised is not asked again.
                    Some(_) if raised.is_some() => Ok(true),
                    event => Python::attach(|py| {
                        py.check_signals()?;
                        match (event, &callback) {
                            (Some(event), Some(callback)) => callback.bind(py).call1((event,))?.is_truthy(),
                            _ => Ok(false),
                        }
                    }),
                };
                match found {
                    Ok(false) => {}
                    Ok(true) => is_over.store(true, Ordering::Relaxed),
                    Err(error) => {
                        raised.get_or_insert(error);
                        is_over.store(true, Ordering::Relaxed);
                    }
                }
                // Last: once answered, the worker asks whether it is over. It waits, unless it has panicked.
                if is_waiting {
                    let _ = answer.send(());
                }
            }
            worker.join()
        });
        (done, raised)
    });
    match (done, raised) {
        (Err(panic), _) => std::panic::resume_unwind(panic),
        (_, Some(error)) => Err(error),
        (Ok(done), None) => done.map_err(value),
    }
}
