//! What every experiment is run with: options, threads, the store of finished units, progress, errors and
//! output.
//!
//! Reading order: [`Options`], what is asked for; [`ExperimentError`]; `Run`, the units of an experiment,
//! kept and resumed; `Output`, the record, the page and the figures; [`Report`], what the caller is told.
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

/// A list of units is made before the first trial. A million of them is small.
const MOST_TRIALS: u64 = 1_000_000;

/// What to run. `plan` is what is particular to the experiment, such as its data sets.
#[derive(Debug, Clone)]
pub struct Options<P> {
    /// Trials of everything; an experiment may state fewer for what is expensive.
    pub trials: u64,
    /// The seed of everything.
    pub seed: u64,
    /// Threads. No number but a time depends on them. `None` leaves them to [`threads::count`].
    pub threads: Option<usize>,
    /// A short form of the experiment.
    pub quick: bool,
    /// What is particular to the experiment.
    pub plan: P,
    /// The folder of the results.
    pub out: PathBuf,
    /// Where data is looked for.
    pub search: SearchPath,
    /// Show no progress.
    pub quiet: bool,
}

impl<P> Options<P> {
    /// Whether there is something to run.
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

    /// What a heading calls the run.
    pub(crate) fn kind(&self) -> &'static str {
        if self.quick { "a quick look" } else { "the full run" }
    }

    /// What the title of a figure adds.
    pub(crate) fn note(&self) -> &'static str {
        if self.quick { " (a quick look)" } else { "" }
    }
}

/// What a run leaves behind.
#[derive(Debug)]
pub struct Report {
    /// The tables for a terminal.
    pub terminal: String,
    /// The files written.
    pub files: Vec<PathBuf>,
}

/// Why an experiment could not be run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// No trial or no subject was asked for.
    #[error("nothing to run: {trials} trials of {subjects} data sets, streams or problems")]
    NothingToRun {
        /// Trials asked for.
        trials: u64,
        /// Data sets, streams or problems asked for.
        subjects: usize,
    },
    /// More trials than an experiment lists.
    #[error("{trials} trials were asked for; the most is {limit}")]
    TooManyTrials {
        /// Trials asked for.
        trials: u64,
        /// The largest number.
        limit: u64,
    },
    /// A data set or stream that the experiment does not have.
    #[error("{text:?} is not among {}", known.join(", "))]
    UnknownSource {
        /// The name asked for.
        text: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// A set without two classes was asked for.
    #[error("{name} is not among the sets of two classes: {}", known.join(", "))]
    NotTwoClasses {
        /// The set asked for.
        name: Name,
        /// The sets that there are.
        known: Vec<&'static str>,
    },
    /// No setting to try.
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
    /// A row could not be made.
    #[error(transparent)]
    Row(#[from] rows::RowError),
    /// A set of vectors was refused.
    #[error(transparent)]
    Projection(#[from] projections::ProjectionError),
    /// A step or an online learner refused.
    #[error(transparent)]
    Oco(#[from] oco_core::OcoError),
    /// A weak learner or an online booster refused.
    #[error(transparent)]
    Learner(#[from] weak_learners::LearnerError),
    /// A MABoost booster refused.
    #[error(transparent)]
    Maboost(#[from] boosters::maboost::BoostError),
    /// A booster of policies refused.
    #[error(transparent)]
    Bopl(#[from] boosters::bopl::BoplError),
    /// Labels were refused.
    #[error(transparent)]
    Label(#[from] off_policy::LabelError),
    /// A log was refused.
    #[error(transparent)]
    Log(#[from] off_policy::LogError),
    /// A file is no log.
    #[error(transparent)]
    Read(#[from] off_policy::readers::ReadError),
    /// A policy refused.
    #[error(transparent)]
    Policy(#[from] off_policy::PolicyError),
    /// An estimator refused.
    #[error(transparent)]
    Estimate(#[from] off_policy::estimators::EstimateError),
    /// There are no threads to work on.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// Finished units could not be kept.
    #[error(transparent)]
    Trials(#[from] TrialsError),
    /// The record or a page could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A plot could not be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// A table row did not fit.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// The units of one experiment: done side by side, kept when they are finished, and taken from the store when
/// they were.
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

    /// The values of a stage's units in their order: kept ones under their keys, the others from the work.
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

    /// Works in a pool of the run's threads.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, ThreadsError> {
        Ok(threads::pool(self.threads)?.install(work))
    }

    /// Summarises the record, and says how long the run took.
    pub(crate) fn end(&self, record: &mut Record) {
        record.summarise();
        self.progress.note(&format!("finished after {:.0} s", self.begun.elapsed().as_secs_f64()));
    }
}

/// Does the work for every item, in their order on as many threads, and returns what came out in their order.
/// The threads are in no pool, so that a learner forks nowhere. After a failure no further item is begun.
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

/// What an experiment writes: `NAME.json` at once, the other files at the end.
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

    /// A line of the page.
    pub(crate) fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.page, "{text}");
    }

    /// A line for the terminal.
    pub(crate) fn say(&mut self, text: impl Display) {
        let _ = writeln!(self.terminal, "{text}");
    }

    /// A heading and its tables, on the page and for the terminal.
    pub(crate) fn section(&mut self, heading: &str, tables: &[Table]) {
        self.line(format_args!("\n## {heading}\n"));
        tables.iter().for_each(|table| self.table(table));
    }

    /// A table on the page and for the terminal.
    pub(crate) fn table(&mut self, table: &Table) {
        self.line(table.to_markdown());
        self.say(format_args!("{}\n", table.to_terminal()));
    }

    /// A file beside the page: `NAME` and this ending.
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
