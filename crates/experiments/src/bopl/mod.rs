//! \[L23, Section 5\] measured: policies boosted from logs of bandit feedback, on four classification tasks.
//!
//! A unit of work is one method in one trial of one task. Hyper-parameters are those of \[L23, Table 5\], or with a search
//! those that are best on validation rows; test rows are looked at for what is reported alone.
//!
//! Reading order: [`task`] and [`logging_policy`], where logs come from; [`methods`], [`parameters`] and `search`;
//! `training`, and [`course`], what is kept of it; [`paper`], `units`, `report`, `tables`, `curves`, `figures`;
//! [`variations`], which run the same trials with one thing at a time that is not as it was.

// Rounds, trials and examples are counted far below 2^53.
#![allow(clippy::cast_precision_loss, reason = "counts")]

pub mod task;
pub mod logging_policy;
pub mod methods;
pub mod parameters;
mod search;
pub mod course;
mod training;
pub mod paper;
mod units;
pub mod variations;
mod report;
mod tables;
mod curves;
mod figures;
#[cfg(test)]
mod made_up;

use crate::progress::Progress;
use crate::record::{Provenance, Record, RecordError};
use crate::trials::{Trials, TrialsError};
use course::Course;
use datasets::{ClassificationName, DataError, SearchPath, SplitError, StandIn};
use logging_policy::Explorer;
use methods::Method;
use parameters::Parameters;
pub use report::Report;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use task::{MostRows, Task};
use thiserror::Error;
use units::Units;

/// What to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Trials of every task.
    pub trials: u32,
    /// Trials of a large task ([`methods::is_large`]), if fewer.
    pub large_trials: Option<u32>,
    /// Trials of a large task by a method that the paper's table does not have, if fewer.
    pub comparison_trials: Option<u32>,
    /// The seed of everything.
    pub seed: u64,
    /// Threads, a unit each; the result does not depend on them. `None` leaves them to [`threads::count`](crate::threads::count).
    pub threads: Option<usize>,
    /// Few rounds on few rows.
    pub quick: bool,
    /// Search the hyper-parameters again, on validation rows.
    pub search_parameters: bool,
    /// Which tasks.
    pub tasks: Vec<ClassificationName>,
    /// Where results go.
    pub out: PathBuf,
    /// Where data is looked for.
    pub search: SearchPath,
    /// Show nothing on the way.
    pub quiet: bool,
}

impl Options {
    /// Whether there is something to run.
    fn check(&self) -> Result<(), BoplRunError> {
        let (trials, tasks) = (self.trials, self.tasks.len());
        if trials > 0 && tasks > 0 { Ok(()) } else { Err(BoplRunError::NothingToRun { trials, tasks }) }
    }

    /// Trials of this task by this method, at least one.
    fn trials_of(&self, task: ClassificationName, method: Method) -> u32 {
        let most = |most: Option<u32>| most.unwrap_or(u32::MAX);
        let trials = match (methods::is_large(task), method.is_in_table_1()) {
            (false, _) => self.trials,
            (true, true) => self.trials.min(most(self.large_trials)),
            (true, false) => self.trials.min(most(self.large_trials)).min(most(self.comparison_trials)),
        };
        trials.max(1)
    }
}

/// Why the experiment could not be run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BoplRunError {
    /// There are no threads to work on.
    #[error(transparent)]
    Threads(#[from] crate::threads::ThreadsError),
    /// A task could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A task could not be split.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// A row could not be made.
    #[error(transparent)]
    Row(#[from] rows::RowError),
    /// Labels were refused.
    #[error(transparent)]
    Label(#[from] off_policy::LabelError),
    /// A log was refused.
    #[error(transparent)]
    Log(#[from] off_policy::LogError),
    /// A policy refused.
    #[error(transparent)]
    Policy(#[from] off_policy::PolicyError),
    /// A learner refused.
    #[error(transparent)]
    Learner(#[from] weak_learners::LearnerError),
    /// A booster refused.
    #[error(transparent)]
    Boost(#[from] boosters::bopl::BoplError),
    /// Finished units could not be kept.
    #[error(transparent)]
    Trials(#[from] TrialsError),
    /// The record could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A plot could not be drawn.
    #[error(transparent)]
    Plot(#[from] crate::plot::PlotError),
    /// A table row did not fit.
    #[error(transparent)]
    Table(#[from] crate::table::TableError),
    /// No trial or no task was asked for.
    #[error("nothing to run: {trials} trials of {tasks} tasks")]
    NothingToRun {
        /// Trials asked for.
        trials: u32,
        /// Tasks asked for.
        tasks: usize,
    },
}

/// How much is run.
#[derive(Debug, Clone, Serialize)]
struct Size {
    /// Rounds, at most.
    rounds: Option<u32>,
    /// Rows of the log and of what is held out, at most.
    rows: Option<[usize; 2]>,
    /// Rows of a stand-in.
    stand_in: Option<usize>,
}

impl Size {
    fn of(quick: bool) -> Self {
        if quick {
            Self { rounds: Some(10), rows: Some([300, 200]), stand_in: Some(600) }
        } else {
            Self { rounds: None, rows: None, stand_in: None }
        }
    }

    fn cut(&self, parameters: Parameters) -> Parameters {
        let rounds = parameters.rounds.min(self.rounds.unwrap_or(u32::MAX));
        Parameters { rounds, ..parameters }
    }
}

/// The trials of one method on one task.
struct Measured {
    task: ClassificationName,
    provenance: Provenance,
    method: Method,
    parameters: Parameters,
    trials: Vec<Arc<Course>>,
}

/// Changes with what a unit does, so that units of older code are not mixed with new ones.
const SCHEME: &str = "2";

/// Runs the experiment, or what is left of it, and writes `bopl.json`, `bopl.md`, `bopl-curves.csv` and the figures.
///
/// # Errors
/// [`BoplRunError`]. Finished units are kept in `bopl-*.trials`, so that a run that was stopped goes on where it was.
pub fn run(options: &Options) -> Result<Report, BoplRunError> {
    options.check()?;
    let begun = Instant::now();
    let size = Size::of(options.quick);
    let settings = serde_json::json!({ "seed": options.seed, "size": size, "scheme": SCHEME });
    let store = Trials::<Course>::of_experiment(&options.out, "bopl", &settings)?;
    let progress = Progress::new(options.quiet);
    let mut record = Record::new("bopl", options.seed, settings);
    let mut measured = Vec::new();
    for &name in &options.tasks {
        let stand_in = StandIn { seed: options.seed, rows: size.stand_in };
        let task = Task::load(name, &options.search, stand_in)?;
        let most = size.rows.map(|[log, held_out]| MostRows { log, held_out });
        let explorer = Explorer::of(name);
        let units = Units { task: &task, explorer, most, options, store: &store, progress: &progress };
        let methods = Method::ALL.into_iter().filter(|method| method.is_run_on(name));
        let chosen: Vec<(Method, Parameters)> = if options.search_parameters {
            let tried = methods.map(|method| {
                let tried = search::configurations(method, name, options.seed);
                (method, tried.into_iter().map(|parameters| size.cut(parameters)).collect())
            });
            units.search(tried.collect())?
        } else {
            methods.map(|method| (method, size.cut(Parameters::table_5(method, name)))).collect()
        };
        measured.extend(units.measure(&chosen)?);
    }
    for one in &measured {
        record.trials.extend(report::trials(one, options.seed));
        record.paper.extend(report::paper(one));
    }
    record.seconds = measured.iter().flat_map(|one| &one.trials).map(|course| course.seconds).sum();
    record.summarise();
    progress.note(&format!("finished after {:.0} s", begun.elapsed().as_secs_f64()));
    report::write(&record, &measured, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ClassificationName::{Covertype, Scene};

    #[test]
    fn large_tasks_have_fewer_trials_where_that_is_asked_for() {
        let options = |large_trials, comparison_trials| Options {
            large_trials,
            comparison_trials,
            ..made_up::options(&PathBuf::new(), 10)
        };
        let of = |options: Options| {
            let trials = |task, method| options.trials_of(task, method);
            [Covertype, Scene].map(|task| [trials(task, Method::BoplRegr), trials(task, Method::SharpSteps)])
        };
        assert_eq!(of(options(None, None)), [[10, 10], [10, 10]]);
        assert_eq!(of(options(Some(4), None)), [[4, 4], [10, 10]]);
        assert_eq!(of(options(None, Some(3))), [[10, 3], [10, 10]]);
        assert_eq!(of(options(Some(2), Some(3))), [[2, 2], [10, 10]]);
        assert_eq!(of(options(Some(0), Some(0))), [[1, 1], [10, 10]]);
    }
}
