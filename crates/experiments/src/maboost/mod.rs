//! \[NP14\] measured: the MABoost family on real data, against its bounds, noise and mixed sources.
//!
//! Three parts: the course of every algorithm (errors, bound, margins, zero weights, rows used, round by round) over stumps and
//! trees; clean test error where training labels are turned at random; a small clean set boosted together with a large noisy
//! one. Whatever is chosen is chosen on training rows.
//!
//! Reading order: [`sets`], [`methods`], [`course`], [`noise`], [`combined`], `parts`, `report`, `tables`,
//! `rounds`, `figures`.

// Rounds, trials and examples are counted far below 2^53.
#![allow(clippy::cast_precision_loss, reason = "counts")]

pub mod sets;
pub mod methods;
pub mod course;
pub mod noise;
pub mod combined;
mod parts;
mod report;
mod tables;
mod rounds;
mod figures;
#[cfg(test)]
mod made_up;

use crate::progress::Progress;
use crate::record::{Provenance, Record, RecordError};
use crate::threads::{self, ThreadsError};
use crate::trials::{Trials, TrialsError};
use course::Course;
use datasets::{DataError, EncodeError, Name, SearchPath, StandIn, load};
use methods::Learner;
use parts::{Part, Size};
use rayon::prelude::*;
use report::Report;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use thiserror::Error;

/// What to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Trials of everything that is cheap; courses on large sets have fewer.
    pub trials: u64,
    /// The seed of everything.
    pub seed: u64,
    /// Threads; the result does not depend on them. `None` leaves them to [`threads::count`].
    pub threads: Option<usize>,
    /// Few rounds on few rows.
    pub quick: bool,
    /// Which data sets, of [`sets::SETS`].
    pub sets: Vec<Name>,
    /// Where results go.
    pub out: PathBuf,
    /// Where data is looked for.
    pub search: SearchPath,
    /// Show nothing on the way.
    pub quiet: bool,
}

/// Why the experiment could not be run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MaboostError {
    /// A set without two classes was asked for.
    #[error("{name} is not among {}", sets::SETS.map(Name::as_str).join(", "))]
    NotTwoClasses {
        /// The set asked for.
        name: Name,
    },
    /// A data set could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Labels could not be coded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A generator refused its parameters.
    #[error(transparent)]
    Generator(#[from] datasets::synthetic::GeneratorError),
    /// A row could not be made.
    #[error(transparent)]
    Row(#[from] rows::RowError),
    /// A set of weights was refused.
    #[error(transparent)]
    Projection(#[from] projections::ProjectionError),
    /// A learner refused.
    #[error(transparent)]
    Learner(#[from] weak_learners::LearnerError),
    /// A booster refused.
    #[error(transparent)]
    Boost(#[from] boosters::maboost::BoostError),
    /// Finished trials could not be kept.
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
    /// There are no threads to work on.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// No trial or no set was asked for.
    #[error("nothing to run: {trials} trials of {sets} sets")]
    NothingToRun {
        /// Trials asked for.
        trials: u64,
        /// Sets asked for.
        sets: usize,
    },
}

/// The numbers of one trial of one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// A run of each algorithm.
    Courses(Vec<Course>),
    /// Single numbers.
    Points(Vec<Point>),
}

/// One number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// What was done to the labels.
    pub case: String,
    /// The method.
    pub method: String,
    /// What was measured.
    pub metric: String,
    /// Its place in a figure: the noise in percent, or k.
    pub x: f64,
    /// The number.
    pub value: f64,
}

impl Point {
    fn new(case: &str, method: &str, metric: &str, x: f64, value: f64) -> Self {
        let [case, method, metric] = [case, method, metric].map(str::to_owned);
        Self { case, method, metric, x, value }
    }
}

/// The trials of one part over one learner on one set: how long each took, and its numbers.
struct Measured {
    part: Part,
    set: Name,
    learner: Learner,
    provenance: Provenance,
    trials: Vec<Arc<(f64, Outcome)>>,
}

/// Changes with what a trial does, so that trials of older code are not mixed with new ones.
const SCHEME: &str = "2";

/// Runs the experiment, or what is left of it, and writes `maboost.json`, `maboost.md`, two tables by round as
/// comma-separated values, and the figures.
///
/// # Errors
/// [`MaboostError`]. Finished trials are kept in `maboost-*.trials`, so that a run that was stopped goes on where it was.
pub fn run(options: &Options) -> Result<Report, MaboostError> {
    if options.trials == 0 || options.sets.is_empty() {
        let (trials, sets) = (options.trials, options.sets.len());
        return Err(MaboostError::NothingToRun { trials, sets });
    }
    if let Some(&name) = options.sets.iter().find(|name| !sets::SETS.contains(name)) {
        return Err(MaboostError::NotTwoClasses { name });
    }
    let begun = Instant::now();
    let size = Size::of(options.quick);
    let settings = serde_json::json!({ "seed": options.seed, "size": size, "scheme": SCHEME });
    let store = Trials::<(f64, Outcome)>::of_experiment(&options.out, "maboost", &settings)?;
    let threads = threads::pool(options.threads)?;
    let progress = Progress::new(options.quiet);
    let mut record = Record::new("maboost", options.seed, settings);
    let mut measured = Vec::new();
    for &set in &options.sets {
        let stand_in = StandIn { seed: options.seed, rows: options.quick.then_some(300) };
        let dataset = load(set, &options.search, stand_in)?;
        let provenance = Provenance::from(&dataset.provenance);
        for part in Part::ALL {
            let trials = size.trials(part, set, options.trials);
            let units: Vec<(Learner, u64)> = part
                .learners(set)
                .iter()
                .flat_map(|&learner| (0..trials).map(move |trial| (learner, trial)))
                .collect();
            if units.is_empty() {
                continue;
            }
            let stage = progress.stage(&format!("{set}: {}", part.name()), units.len() as u64);
            let one = |&(learner, trial): &(Learner, u64)| {
                // Trials on a stand-in are not those of the official files that may be fetched later.
                let data = provenance.label().unwrap_or("official");
                let unit = format!("{}/{set}/{learner}/{data}/{trial}", part.name());
                store.kept_or_run(&unit, &stage, || {
                    let begun = Instant::now();
                    let seed = options.seed;
                    let outcome = outside_the_pool(|| part.run(set, &dataset, learner, &size, seed, trial))?;
                    Ok::<_, MaboostError>((begun.elapsed().as_secs_f64(), outcome))
                })
            };
            let kept = threads.install(|| units.par_iter().map(one).collect::<Result<Vec<_>, _>>())?;
            stage.finish();
            record.seconds += kept.iter().map(|unit| unit.0).sum::<f64>();
            let learners = part.learners(set);
            for (&learner, trials) in learners.iter().zip(kept.chunks(kept.len() / learners.len())) {
                measured.push(Measured { part, set, learner, provenance, trials: trials.to_vec() });
            }
        }
    }
    for one in &measured {
        record.trials.extend(report::trials(one, options.seed));
    }
    record.summarise();
    progress.note(&format!("finished after {:.0} s", begun.elapsed().as_secs_f64()));
    report::write(&record, &measured, options)
}

/// Does the work on a thread of its own while a worker of the pool waits. Learners fork inside a pool; a worker that waits for
/// its forks may take up another trial meanwhile, and the time of that one would count twice.
fn outside_the_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let done = std::thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    #[test]
    fn work_is_done_outside_the_pool() {
        let pool = crate::threads::pool(Some(1)).unwrap();
        let places = pool.install(|| {
            [rayon::current_thread_index(), super::outside_the_pool(rayon::current_thread_index)]
        });
        assert_eq!(places, [Some(0), None]);
    }
}
