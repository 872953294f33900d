//! \[NP14\] measured: the MABoost family on real data, against its bounds, noise and mixed sources.
//!
//! Three parts: the history of every algorithm (errors, bound, margins, zero weights, rows used, round by
//! round) over stumps and trees; clean test error where training labels are turned at random; a small clean
//! set boosted together with a large noisy one. Every choice is made on training rows.
//!
//! Reading order: [`sets`], [`methods`], [`history`], [`noise`], [`combined`], `parts`, `measured`, `page`,
//! `tables`, `rounds`, `figures`.

// Rounds, trials and examples are counted far below 2^53.
#![allow(clippy::cast_precision_loss, reason = "counts")]

pub mod sets;
pub mod methods;
pub mod history;
pub mod noise;
pub mod combined;
mod parts;
mod measured;
mod page;
mod tables;
mod rounds;
mod figures;
#[cfg(test)]
mod fixtures;

use crate::runner::{self, ExperimentError, Report, Run};
use datasets::{Name, StandIn, load};
use history::History;
use measured::Measured;
use methods::Learner;
use parts::{Part, Size};
use report::record::{Provenance, Record};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The plan is the data sets, of [`sets::SETS`].
pub type Options = runner::Options<Vec<Name>>;

/// The numbers of one trial of one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// A run of each algorithm.
    // Kept trials use the variant's first name.
    #[serde(rename = "Courses")]
    Histories(Vec<History>),
    /// Single numbers.
    Points(Vec<Point>),
}

/// One number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The treatment of the labels.
    pub case: String,
    /// The method.
    pub method: String,
    /// The metric.
    pub metric: String,
    /// The x coordinate in a figure: the noise in percent, or k.
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

/// Changes whenever a trial's computation changes, so that trials of older code are not reused.
const SCHEME: &str = "2";

/// Runs the experiment, resuming finished trials, and writes `maboost.json`, `maboost.md`, two tables by
/// round as comma-separated values, and the figures.
///
/// # Errors
/// [`ExperimentError`]. Finished trials are kept in `maboost-*.trials`: a stopped run resumes.
pub fn run(options: &Options) -> Result<Report, ExperimentError> {
    options.check(options.plan.len())?;
    if let Some(&name) = options.plan.iter().find(|name| !sets::SETS.contains(name)) {
        let known = sets::SETS.map(Name::as_str).to_vec();
        return Err(ExperimentError::NotTwoClasses { name, known });
    }
    let size = Size::of(options.quick);
    let settings = serde_json::json!({ "seed": options.seed, "size": size, "scheme": SCHEME });
    let run = Run::<(f64, Outcome)>::begin("maboost", options, &settings)?;
    let mut record = Record::new("maboost", options.seed, settings);
    let mut measured = Vec::new();
    for &set in &options.plan {
        let stand_in = StandIn { seed: options.seed, rows: options.quick.then_some(300) };
        let dataset = load(set, &options.search, stand_in)?;
        let provenance = Provenance::from(&dataset.provenance);
        for part in Part::ALL {
            let (learners, trials) = (part.learners(set), size.trials(part, set, options.trials));
            let units: Vec<(Learner, u64)> =
                learners.iter().flat_map(|&learner| (0..trials).map(move |trial| (learner, trial))).collect();
            if units.is_empty() {
                continue;
            }
            // Trials on a stand-in must not be reused once the official files are fetched.
            let data = provenance.label().unwrap_or("official");
            let key =
                |(learner, trial): &(Learner, u64)| format!("{}/{set}/{learner}/{data}/{trial}", part.name());
            let kept = run.stage(&format!("{set}: {}", part.name()), &units, key, |&(learner, trial)| {
                let begun = Instant::now();
                let seed = options.seed;
                let outcome = outside_the_pool(|| part.run(set, &dataset, learner, &size, seed, trial))?;
                Ok((begun.elapsed().as_secs_f64(), outcome))
            })?;
            record.seconds += kept.iter().map(|unit| unit.0).sum::<f64>();
            for (&learner, trials) in learners.iter().zip(kept.chunks(kept.len() / learners.len())) {
                measured.push(Measured { part, set, learner, provenance, trials: trials.to_vec() });
            }
        }
    }
    for one in &measured {
        record.trials.extend(page::trials(one, options.seed));
    }
    run.end(&mut record);
    page::write(&record, &measured, options)
}

/// Runs the work on a separate thread while a pool worker waits. Learners fork inside a pool. A worker
/// waiting for its forks may start another trial, whose time would count twice.
fn outside_the_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let done = std::thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    #[test]
    fn work_runs_outside_the_pool() {
        let pool = crate::threads::pool(Some(1)).unwrap();
        let places = pool.install(|| {
            [rayon::current_thread_index(), super::outside_the_pool(rayon::current_thread_index)]
        });
        assert_eq!(places, [Some(0), None]);
    }
}
