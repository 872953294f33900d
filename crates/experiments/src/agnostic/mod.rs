//! \[BCMH20\] measured: agnostic and realizable boosting of weak learners, including some that gain nothing
//! from boosting.
//!
//! Five parts: the progressive accuracy of every booster on real and synthetic streams with label noise; the
//! gain of Algorithm 1 as T grows and as N grows, with the bound of Proposition 3 beside it; Algorithm 1 over
//! other learners; and Algorithm 2 against Theorems 8 and 10. Scaling and stump thresholds are fitted on rows
//! that are not scored. Every choice is made by progressive validation on past rounds.
//!
//! Reading order: [`streams`], [`methods`], `parts`, `measured`, `growth`, `other_learners`, `statistical`,
//! `page`, `figures`.

// Rounds, trials and learners are counted far below 2^53.
#![allow(clippy::cast_precision_loss, reason = "counts")]

pub mod streams;
pub mod methods;
mod parts;
mod measured;
mod growth;
mod other_learners;
mod statistical;
mod page;
mod figures;

use crate::runner::{self, ExperimentError, Report, Run};
use measured::Measured;
use parts::{Part, Size, points};
use report::record::{Provenance, Record};
use serde::{Deserialize, Serialize};
use std::time::Instant;
use streams::{LabelFlips, Source};

/// The plan is the sources of examples.
pub type Options = runner::Options<Vec<Source>>;

/// One number of one trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// A method, or a bound.
    pub series: String,
    /// T, N, or 0 for a series with a single number.
    pub x: u64,
    /// The number.
    pub value: f64,
}

/// The first word in the name of every curve of a theorem's bound; such curves are dashed.
pub const BOUND: &str = "bound";

/// Changes whenever a trial's computation changes, so that trials of older code are not reused.
const SCHEME: &str = "2";

/// Runs the experiment, resuming finished trials, and writes `agnostic.json`, `agnostic.md` and the figures.
///
/// # Errors
/// [`ExperimentError`]. Finished trials are kept in `agnostic-*.trials`: a stopped run resumes.
pub fn run(options: &Options) -> Result<Report, ExperimentError> {
    options.check(options.plan.len())?;
    let size = Size::of(options.quick);
    let settings = serde_json::json!({ "seed": options.seed, "size": size, "scheme": SCHEME });
    let run = Run::<(f64, Vec<Point>)>::begin("agnostic", options, &settings)?;
    let mut record = Record::new("agnostic", options.seed, settings);
    let mut measured = Vec::new();
    for &source in &options.plan {
        let rows = options.quick.then_some(4 * size.rounds);
        let real = source.load(&options.search, options.seed, rows)?;
        let provenance = real.as_ref().map_or(Provenance::Synthetic, |data| (&data.provenance).into());
        for part in Part::ALL {
            let label_flips = part.label_flips(source);
            if label_flips.is_empty() {
                continue;
            }
            let units: Vec<(LabelFlips, u64)> = label_flips
                .iter()
                .flat_map(|&label_flips| (0..options.trials).map(move |trial| (label_flips, trial)))
                .collect();
            // Trials on a stand-in must not be reused once the official files are fetched.
            let data = provenance.label().unwrap_or("official");
            let key = |(label_flips, trial): &(LabelFlips, u64)| {
                format!("{}/{source}/{label_flips}/{data}/{trial}", part.name())
            };
            let kept =
                run.stage(&format!("{source}: {}", part.name()), &units, key, |&(label_flips, trial)| {
                    let begun = Instant::now();
                    let points =
                        points(part, source, real.as_ref(), label_flips, &size, options.seed, trial)?;
                    Ok((begun.elapsed().as_secs_f64(), points))
                })?;
            record.seconds += kept.iter().map(|unit| unit.0).sum::<f64>();
            for (&label_flips, kept) in label_flips.iter().zip(kept.chunks(kept.len() / label_flips.len())) {
                let trials = kept.iter().map(|unit| unit.1.clone()).collect();
                measured.push(Measured { part, source, label_flips, provenance, trials });
            }
        }
    }
    for one in &measured {
        record.trials.extend(one.recorded(options.seed));
    }
    run.end(&mut record);
    page::write(&record, &measured, options)
}

impl Point {
    fn new(series: &str, x: u64, value: f64) -> Self {
        Self { series: series.to_owned(), x, value }
    }
}
