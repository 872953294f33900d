//! The parts common to all experiments: options, threads, the store of finished units, progress, errors,
//! output.
//!
//! Reading order: [`Options`], the request; [`ExperimentError`]; `Run`, the units of an experiment, kept and
//! resumed; `Output`, the record, the page and the figures; [`Report`], the answer to the caller.
//!
//! **Invariant.** The runner knows no experiment.

use crate::threads::{self, ThreadsError};
use datasets::{DataError, EncodeError, Name, SearchPath, SplitError};
use rayon::prelude::*;
use report::plot::PlotError;
use report::progress::{Progress, Stage};
use report::record::{Record, RecordError, write_atomically};
use report::table::{Table, TableError};
use report::trials::{Trials, TrialsError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::{Display, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use thiserror::Error;

/// The list of units is built before the first trial. A million units fit easily.
const MOST_TRIALS: u64 = 1_000_000;

/// A request to run an experiment. `plan` holds what is specific to the experiment, such as its data sets.
#[derive(Debug, Clone)]
pub struct Options<P> {
    /// Number of trials; an experiment may set fewer for expensive parts.
    pub trials: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Number of threads; only times depend on it. `None`: see [`threads::count`].
    pub threads: Option<usize>,
    /// Quick form of the experiment.
    pub quick: bool,
    /// The part specific to the experiment.
    pub plan: P,
    /// The folder of the results.
    pub out: PathBuf,
    /// The folders searched for data.
    pub search: SearchPath,
    /// No progress output.
    pub quiet: bool,
}

impl<P> Options<P> {
    /// Checks that there is something to run.
    ///
    /// # Errors
    /// [`ExperimentError::NothingToRun`] without a trial or without a subject;
    /// [`ExperimentError::TooManyTrials`] above a million.
    pub(crate) fn check(&self, subjects: usize) -> Result<(), ExperimentError> {
        let trials = self.trials;
        if trials == 0 || subjects == 0 {
            Err(ExperimentError::NothingToRun { trials, subjects })
        } else if trials > MOST_TRIALS {
            Err(ExperimentError::TooManyTrials { trials, limit: MOST_TRIALS })
        } else {
            Ok(())
        }
    }

    /// The name of the run in headings.
    pub(crate) fn kind(&self) -> &'static str {
        if self.quick { "a quick look" } else { "the full run" }
    }

    /// The suffix of figure titles.
    pub(crate) fn note(&self) -> &'static str {
        if self.quick { " (a quick look)" } else { "" }
    }
}

/// The results of a run.
#[derive(Debug)]
pub struct Report {
    /// The tables for a terminal.
    pub terminal: String,
    /// The files written.
    pub files: Vec<PathBuf>,
}

/// The reason why an experiment could not be run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// No trial or no subject was requested.
    #[error("nothing to run: {trials} trials of {subjects} data sets, streams or problems")]
    NothingToRun {
        /// The number of trials requested.
        trials: u64,
        /// The number of data sets, streams or problems requested.
        subjects: usize,
    },
    /// Too many trials.
    #[error("{trials} trials were requested; the maximum is {limit}")]
    TooManyTrials {
        /// The number of trials requested.
        trials: u64,
        /// The maximum.
        limit: u64,
    },
    /// A data set or stream that the experiment does not have.
    #[error("{text:?} is not among {}", known.join(", "))]
    UnknownSource {
        /// The requested name.
        text: String,
        /// The known names.
        known: Vec<&'static str>,
    },
    /// The requested set does not have two classes.
    #[error("{name} is not among the sets with two classes: {}", known.join(", "))]
    NotTwoClasses {
        /// The requested set.
        name: Name,
        /// The sets with two classes.
        known: Vec<&'static str>,
    },
    /// The grid has no setting.
    #[error("the grid of settings is empty")]
    EmptyGrid,
    /// A data set could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Features or labels could not be coded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A data set could not be split.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// A generator refused its parameters.
    #[error(transparent)]
    Generator(#[from] datasets::synthetic::GeneratorError),
    /// A row could not be built.
    #[error(transparent)]
    Row(#[from] rows::RowError),
    /// A set of vectors was refused.
    #[error(transparent)]
    Projection(#[from] projections::ProjectionError),
    /// A step rule or an online learner refused its input.
    #[error(transparent)]
    Oco(#[from] oco_core::OcoError),
    /// A weak learner or an online booster refused its input.
    #[error(transparent)]
    Learner(#[from] weak_learners::LearnerError),
    /// A MABoost booster refused its input.
    #[error(transparent)]
    Maboost(#[from] boosters::maboost::BoostError),
    /// A policy booster refused its input.
    #[error(transparent)]
    Bopl(#[from] boosters::bopl::BoplError),
    /// A program of others was missing, or failed.
    #[error(transparent)]
    Peer(#[from] crate::peer::PeerError),
    /// Labels were refused.
    #[error(transparent)]
    Label(#[from] off_policy::LabelError),
    /// A log was refused.
    #[error(transparent)]
    Log(#[from] off_policy::LogError),
    /// A file could not be read as a log.
    #[error(transparent)]
    Read(#[from] off_policy::readers::ReadError),
    /// A policy refused its input.
    #[error(transparent)]
    Policy(#[from] off_policy::PolicyError),
    /// An estimator refused its input.
    #[error(transparent)]
    Estimate(#[from] off_policy::estimators::EstimateError),
    /// The number of threads is out of range.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// Finished units could not be stored.
    #[error(transparent)]
    Trials(#[from] TrialsError),
    /// The record or a page could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A plot could not be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// A table row has the wrong number of cells.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// The units of one experiment. They run in parallel. Finished units are stored, and later runs read them.
pub(crate) struct Run<T> {
    pub(crate) store: Trials<T>,
    pub(crate) progress: Progress,
    threads: Option<usize>,
    begun: Instant,
}

impl<T: Serialize + DeserializeOwned + Send + Sync> Run<T> {
    /// Opens the store of this experiment and these settings.
    pub(crate) fn begin<P>(
        experiment: &str,
        options: &Options<P>,
        settings: &impl Serialize,
    ) -> Result<Self, ExperimentError> {
        let threads = options.threads;
        threads::count(threads)?;
        let store = Trials::of_experiment(&options.out, experiment, settings)?;
        Ok(Self { store, progress: Progress::new(options.quiet), threads, begun: Instant::now() })
    }

    /// The values of a stage's units, in order: from the store where it has the key, else from `work`.
    pub(crate) fn stage<U: Sync>(
        &self,
        name: &str,
        units: &[U],
        key: impl Fn(&U) -> String + Sync,
        work: impl Fn(&U) -> Result<T, ExperimentError> + Sync,
    ) -> Result<Vec<Arc<T>>, ExperimentError> {
        let stage = self.progress.stage(name, units.len() as u64);
        let one = |unit: &U| self.unit(&key(unit), &stage, || work(unit));
        let done = self.install(|| units.par_iter().map(one).collect::<Result<Vec<_>, _>>())??;
        stage.finish();
        Ok(done)
    }

    /// The value of one unit of a stage.
    pub(crate) fn unit(
        &self,
        key: &str,
        stage: &Stage,
        work: impl FnOnce() -> Result<T, ExperimentError>,
    ) -> Result<Arc<T>, ExperimentError> {
        self.store.kept_or_run(key, stage, work)
    }

    /// Runs `work` in a pool of the run's threads.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, ThreadsError> {
        Ok(threads::pool(self.threads)?.install(work))
    }

    /// Summarises the record, and reports the time of the run.
    pub(crate) fn end(&self, record: &mut Record) {
        record.summarise();
        self.progress.note(&format!("finished after {:.0} s", self.begun.elapsed().as_secs_f64()));
    }
}

/// Applies `work` to every item on `threads` threads, and returns the results in the order of the items. The
/// threads belong to no pool, so learners do not fork. After a failure no further item is begun.
pub(crate) fn side_by_side<I: Sync, T: Send>(
    items: &[I],
    threads: Option<usize>,
    work: impl Fn(&I) -> Result<T, ExperimentError> + Sync,
) -> Result<Vec<T>, ExperimentError> {
    let threads = threads::count(threads)?;
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut mine = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return Ok(mine) };
            match work(item) {
                Ok(done) => mine.push((index, done)),
                Err(error) => {
                    next.store(items.len(), Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    };
    let done: Vec<Result<Vec<(usize, T)>, ExperimentError>> = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..threads.clamp(1, items.len().max(1))).map(|_| scope.spawn(worker)).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        workers.into_iter().map(join).collect()
    });
    let done = done.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut all: Vec<(usize, T)> = done.into_iter().flatten().collect();
    all.sort_by_key(|(index, _)| *index);
    Ok(all.into_iter().map(|(_, done)| done).collect())
}

/// The output of an experiment: `NAME.json` at once, the other files at the end.
pub(crate) struct Output {
    name: String,
    folder: PathBuf,
    page: String,
    terminal: String,
    others: Vec<(PathBuf, String)>,
}

impl Output {
    /// Saves the record, and begins a page with this heading.
    pub(crate) fn of<P>(
        record: &Record,
        options: &Options<P>,
        heading: &str,
    ) -> Result<Self, ExperimentError> {
        let (name, folder) = (record.experiment.clone(), options.out.clone());
        record.save(&folder.join(format!("{name}.json")))?;
        let page = format!("# {heading}\n");
        Ok(Self { name, folder, page, terminal: String::new(), others: Vec::new() })
    }

    /// Adds a line to the page.
    pub(crate) fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.page, "{text}");
    }

    /// Adds a line to the terminal text.
    pub(crate) fn say(&mut self, text: impl Display) {
        let _ = writeln!(self.terminal, "{text}");
    }

    /// Adds a heading and its tables to the page and the terminal text.
    pub(crate) fn section(&mut self, heading: &str, tables: &[Table]) {
        self.line(format_args!("\n## {heading}\n"));
        tables.iter().for_each(|table| self.table(table));
    }

    /// Adds a table to the page and the terminal text.
    pub(crate) fn table(&mut self, table: &Table) {
        self.line(table.to_markdown());
        self.say(format_args!("{}\n", table.to_terminal()));
    }

    /// Adds a file beside the page: `NAME` with this ending.
    pub(crate) fn file(&mut self, ending: &str, text: String) {
        self.others.push((self.folder.join(format!("{}{ending}", self.name)), text));
    }

    /// Writes everything.
    pub(crate) fn write(self) -> Result<Report, ExperimentError> {
        let [json, page] = [".json", ".md"].map(|ending| self.folder.join(format!("{}{ending}", self.name)));
        write_atomically(&page, self.page.as_bytes())?;
        let mut files = vec![json, page];
        for (path, text) in self.others {
            write_atomically(&path, text.as_bytes())?;
            files.push(path);
        }
        Ok(Report { terminal: self.terminal, files })
    }
}
