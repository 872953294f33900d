//! \[BCMH20\] measured: agnostic and realizable boosting of weak learners that are worth boosting, and of some that are not.
//!
//! Five parts: the progressive accuracy of every booster on real and synthetic streams whose labels lie; the gain of
//! Algorithm 1 as T grows and as N grows, with the bound of Proposition 3 beside it; Algorithm 1 over other learners; and
//! Algorithm 2 against Theorems 8 and 10. Whatever is fitted (scaling, thresholds of stumps) is fitted on rows that are
//! not scored; whatever is chosen is chosen by progressive validation, on the rounds that are past.
//!
//! Reading order: [`streams`], [`methods`], `parts`, `growth`, `other_learners`, `statistical`, `report`, `figures`.

// Rounds, trials and learners are counted far below 2^53.
#![allow(clippy::cast_precision_loss, reason = "counts")]

pub mod streams;
pub mod methods;
mod parts;
mod growth;
mod other_learners;
mod statistical;
mod report;
mod figures;

use crate::progress::Progress;
use crate::record::{Provenance, Record, RecordError, Trial};
use crate::threads::{self, ThreadsError};
use crate::trials::{Trials, TrialsError};
use datasets::{DataError, EncodeError, SearchPath};
use parts::{Part, Size, points};
use rayon::prelude::*;
use report::Report;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Instant;
use streams::{Lies, Source};
use thiserror::Error;

/// What to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Trials of everything.
    pub trials: u64,
    /// The seed of everything.
    pub seed: u64,
    /// Threads; the result does not depend on them. `None` leaves them to [`threads::count`].
    pub threads: Option<usize>,
    /// Short streams and few learners.
    pub quick: bool,
    /// Which sources of examples.
    pub sources: Vec<Source>,
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
pub enum AgnosticError {
    /// No source has this name.
    #[error("no stream is called {text:?}; there are {}", Source::ALL.map(Source::name).join(", "))]
    UnknownSource {
        /// The name asked for.
        text: String,
    },
    /// A data set could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Features or labels could not be coded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A generator refused its parameters.
    #[error(transparent)]
    Generator(#[from] datasets::synthetic::GeneratorError),
    /// A row could not be made.
    #[error(transparent)]
    Row(#[from] rows::RowError),
    /// A step or an online learner refused.
    #[error(transparent)]
    Oco(#[from] oco_core::OcoError),
    /// A learner or a booster refused.
    #[error(transparent)]
    Learner(#[from] weak_learners::LearnerError),
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
    /// No trial or no stream was asked for.
    #[error("nothing to run: {trials} trials of {sources} streams")]
    NothingToRun {
        /// Trials asked for.
        trials: u64,
        /// Sources asked for.
        sources: usize,
    },
}

/// One number of one trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// A method, or a bound.
    pub series: String,
    /// T, N, or 0 where there is one number only.
    pub x: u64,
    /// The number.
    pub value: f64,
}

/// How the name of a theorem's curve begins; it is drawn dashed.
pub const BOUND: &str = "bound";

/// The points of one stream in one part, trial by trial.
struct Measured {
    part: Part,
    source: Source,
    lies: Lies,
    provenance: Provenance,
    trials: Vec<Vec<Point>>,
}

impl Measured {
    fn name(&self) -> String {
        format!("{}, {}", self.source, self.lies)
    }

    /// Every number as a trial of a record.
    fn recorded(&self, seed: u64) -> impl Iterator<Item = Trial> {
        let of_trial = move |(trial, points): (u64, &'_ Vec<Point>)| -> Vec<Trial> {
            let of_point = |point: &Point| Trial {
                dataset: self.name(),
                method: point.series.clone(),
                metric: self.part.metric(point.x),
                trial,
                seed,
                value: point.value,
                settings: serde_json::Value::Null,
                provenance: self.provenance,
            };
            points.iter().map(of_point).collect()
        };
        (0..).zip(&self.trials).flat_map(of_trial)
    }
}

/// Changes with what a trial does, so that trials of older code are not mixed with new ones.
const SCHEME: &str = "2";

/// Runs the experiment, or what is left of it, and writes `agnostic.json`, `agnostic.md` and the figures.
///
/// # Errors
/// [`AgnosticError`]. Finished trials are kept in `agnostic-*.trials`, so that a run that was stopped goes on where it was.
pub fn run(options: &Options) -> Result<Report, AgnosticError> {
    if options.trials == 0 || options.sources.is_empty() {
        let (trials, sources) = (options.trials, options.sources.len());
        return Err(AgnosticError::NothingToRun { trials, sources });
    }
    let begun = Instant::now();
    let size = Size::of(options.quick);
    let settings = serde_json::json!({ "seed": options.seed, "size": size, "scheme": SCHEME });
    let store = Trials::<(f64, Vec<Point>)>::of_experiment(&options.out, "agnostic", &settings)?;
    let threads = threads::pool(options.threads)?;
    let progress = Progress::new(options.quiet);
    let mut record = Record::new("agnostic", options.seed, settings);
    let mut measured = Vec::new();
    for &source in &options.sources {
        let rows = options.quick.then_some(4 * size.rounds);
        let real = source.load(&options.search, options.seed, rows)?;
        let provenance = real.as_ref().map_or(Provenance::Synthetic, |data| (&data.provenance).into());
        for part in Part::ALL {
            let lies = part.lies(source);
            if lies.is_empty() {
                continue;
            }
            let units: Vec<(Lies, u64)> =
                lies.iter().flat_map(|&lies| (0..options.trials).map(move |trial| (lies, trial))).collect();
            let stage = progress.stage(&format!("{source}: {}", part.name()), units.len() as u64);
            let one = |&(lies, trial): &(Lies, u64)| {
                // Trials on a stand-in are not those of the official files that may be fetched later.
                let data = provenance.label().unwrap_or("official");
                let unit = format!("{}/{source}/{lies}/{data}/{trial}", part.name());
                store.kept_or_run(&unit, &stage, || {
                    let begun = Instant::now();
                    let points = points(part, source, real.as_ref(), lies, &size, options.seed, trial)?;
                    Ok::<_, AgnosticError>((begun.elapsed().as_secs_f64(), points))
                })
            };
            let kept = threads.install(|| units.par_iter().map(one).collect::<Result<Vec<_>, _>>())?;
            stage.finish();
            record.seconds += kept.iter().map(|unit| unit.0).sum::<f64>();
            for (&lies, kept) in lies.iter().zip(kept.chunks(kept.len() / lies.len())) {
                let trials = kept.iter().map(|unit| unit.1.clone()).collect();
                measured.push(Measured { part, source, lies, provenance, trials });
            }
        }
    }
    for one in &measured {
        record.trials.extend(one.recorded(options.seed));
    }
    record.summarise();
    progress.note(&format!("finished after {:.0} s", begun.elapsed().as_secs_f64()));
    report::write(&record, &measured, options)
}

impl Point {
    fn new(series: &str, x: u64, value: f64) -> Self {
        Self { series: series.to_owned(), x, value }
    }
}
