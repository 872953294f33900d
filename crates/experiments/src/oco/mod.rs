//! \[W13\] measured: the theorems and examples of the lecture on online convex optimisation.
//!
//! Four parts, one file each: follow-the-leader against its regularised form on the lecture's Example 2
//! ([`example_2`]); regret against the bound of Theorem 2 on real streams ([`theorem_2`]); the mistakes of
//! Perceptron and Winnow on sparse targets against their bounds (`mistakes`); the values of zero-sum games
//! (`games`). Every part yields [`Point`]s; `page` turns them into one record, one page and one figure per
//! part.

pub mod example_2;
pub mod theorem_2;
pub mod mistakes;
pub mod games;
mod page;

use crate::bandit_boosting::task::Task;
use crate::runner::{self, ExperimentError, Report, Run};
use datasets::{Name, StandIn};
use report::record::{Provenance, Record, Trial};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Deterministic parts have a single trial.
pub type Options = runner::Options<()>;

/// One number of one trial, with its panel, curve and x.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The panel: a stream, a game.
    pub panel: String,
    /// The curve: a learner, or a bound.
    pub series: String,
    /// T, or n.
    pub x: u64,
    /// The number.
    pub value: f64,
}

/// The word in the name of every curve of a theorem's bound; such curves are dashed.
pub const BOUND: &str = "bound";

/// A part of the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Example 2 and Theorem 1.
    Example2,
    /// Theorem 2 on a real stream.
    Theorem2(Name),
    /// Perceptron and Winnow.
    Mistakes,
    /// Zero-sum games.
    Games,
}

/// The real streams of Theorem 2.
pub const STREAMS: [Name; 3] = [Name::Adult, Name::Census, Name::Letter];

impl Part {
    fn all() -> impl Iterator<Item = Self> {
        let streams = STREAMS.into_iter().map(Self::Theorem2);
        std::iter::once(Self::Example2).chain(streams).chain([Self::Mistakes, Self::Games])
    }

    fn name(self) -> String {
        match self {
            Self::Example2 => "example 2".to_owned(),
            Self::Theorem2(name) => format!("theorem 2, {name}"),
            Self::Mistakes => "mistakes".to_owned(),
            Self::Games => "games".to_owned(),
        }
    }

    /// The record's metric name for a series at x.
    pub(crate) fn metric(self, series: &str, x: u64) -> String {
        match self {
            Self::Theorem2(_) if series == theorem_2::GAP => format!("gap, T = {x}"),
            Self::Games if games::VALUES.contains(&series) => format!("value, T = {x}"),
            _ => self.row(x),
        }
    }

    /// The metric of the curves of a part, at x.
    pub(crate) fn row(self, x: u64) -> String {
        match self {
            Self::Example2 | Self::Theorem2(_) => format!("regret, T = {x}"),
            Self::Mistakes => format!("mistakes, n = {x}"),
            Self::Games => format!("gap, T = {x}"),
        }
    }
}

/// The points of one part and their provenance, trial by trial.
pub(crate) struct Measured {
    pub(crate) part: Part,
    pub(crate) provenance: Provenance,
    pub(crate) trials: Vec<Vec<Point>>,
}

impl Measured {
    /// Every number as a trial of the record.
    fn recorded(&self, seed: u64) -> impl Iterator<Item = Trial> {
        let of_trial = move |(trial, points): (u64, &'_ Vec<Point>)| -> Vec<Trial> {
            let of_point = |point: &Point| Trial {
                dataset: point.panel.clone(),
                method: point.series.clone(),
                metric: self.part.metric(&point.series, point.x),
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

/// Runs the experiment, resuming finished trials, and writes `oco.json`, `oco.md` and one figure per part.
///
/// # Errors
/// [`ExperimentError`]. Finished trials are kept in `oco-*.trials`: a stopped run resumes.
pub fn run(options: &Options) -> Result<Report, ExperimentError> {
    options.check(STREAMS.len())?;
    let settings = serde_json::json!({ "seed": options.seed, "quick": options.quick, "scheme": SCHEME });
    let run = Run::<(f64, Vec<Point>)>::begin("oco", options, &settings)?;
    let mut record = Record::new("oco", options.seed, settings);
    let mut measured = Vec::new();
    for part in Part::all() {
        let stream = match part {
            Part::Theorem2(name) => {
                Some(Task::load(name, &options.search, StandIn { seed: options.seed, rows: None })?)
            }
            _ => None,
        };
        let provenance =
            stream.as_ref().map_or(Provenance::Synthetic, |task| Provenance::from(&task.dataset.provenance));
        // Nothing in Example 2 is random.
        let trials = if part == Part::Example2 { 1 } else { options.trials };
        // Trials on a stand-in must not be reused once the official files are fetched.
        let data = provenance.label().unwrap_or("official");
        let key = |trial: &u64| format!("{}/{data}/{trial}", part.name());
        let kept = run.stage(&part.name(), &(0..trials).collect::<Vec<_>>(), key, |&trial| {
            let begun = Instant::now();
            let points = match (part, &stream) {
                (Part::Theorem2(_), Some(task)) => theorem_2::run(task, options.seed, trial, options.quick),
                (Part::Mistakes, _) => mistakes::run(options.seed, trial, options.quick),
                (Part::Games, _) => games::run(options.seed, trial, options.quick),
                _ => example_2::run(options.quick),
            }?;
            Ok((begun.elapsed().as_secs_f64(), points))
        })?;
        record.seconds += kept.iter().map(|unit| unit.0).sum::<f64>();
        let trials: Vec<Vec<Point>> = kept.iter().map(|unit| unit.1.clone()).collect();
        let one = Measured { part, provenance, trials };
        record.trials.extend(one.recorded(options.seed));
        measured.push(one);
    }
    run.end(&mut record);
    page::write(&record, &measured, options)
}

/// Changes whenever a trial's computation changes, so that trials of older code are not reused.
const SCHEME: &str = "1";

/// The generator of a trial of a part: a stream of its own.
pub(crate) fn generator(seed: u64, part: u64, trial: u64) -> rand_chacha::ChaCha8Rng {
    use rand::SeedableRng;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream((part << 32) + trial);
    rng
}

/// 1, 2, 4, … up to a last power.
pub(crate) fn powers_of_two(first: u32, last: u32) -> impl Iterator<Item = u32> {
    (first..=last).map(|k| 1 << k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn every_part_of_every_trial_has_its_own_stream() {
        let parts = (3..=11).map(|k| 1 << k).chain([200, 300, 301, 302]);
        let mut firsts: Vec<u64> =
            parts.flat_map(|part| (0..5).map(move |trial| generator(7, part, trial).next_u64())).collect();
        firsts.push(generator(8, 200, 0).next_u64());
        let count = firsts.len();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!((count, firsts.len()), (13 * 5 + 1, count));
        assert!(powers_of_two(2, 5).eq([4, 8, 16, 32]));
    }
}
