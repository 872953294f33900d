//! \[BH20, Table 2\]: online gradient boosting against its weak learner, with full information and with noisy
//! bandit feedback, on five data sets.
//!
//! Protocol \[BH20, §4 and Appendix E\]: squared loss; the first half of the examples tunes, the second gives
//! the reported progressive validation loss, of learners that start afresh; 20 trials; noise uniform on
//! [−0.1, 0.1]; δ = ½. Choices that the paper leaves open: labels are coded into Y = [−1, 1]; number columns
//! are moved to [0, 1] by the tuning half and a constant is appended; every weak learner is a linear model on
//! the ball of radius B = 1/max‖x‖, so that its predictions lie in Y, as \[BH20, Definition 6\] asks; the
//! advantage γ is tuned with the rest, on the tuning half. Every trial draws its own halves.
//!
//! Reading order: [`task`], [`methods`], [`tuning`], [`hindsight`], `paper`, `page`.

pub mod task;
pub mod methods;
pub mod tuning;
pub mod hindsight;
mod paper;
mod page;

use crate::runner::{self, ExperimentError, Report};
use boosters::feedback::Noise;
use datasets::{Name, StandIn};
use methods::{Fixed, Method, Progressive, progressive};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use report::record::{Provenance, Record, Trial};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::time::Instant;
use task::Task;
use tuning::{Grid, Tuned, tune};

/// The metric of the table's losses.
pub const LOSS: &str = "squared loss";
/// The metric 1 − (loss of boosting)/(loss of its baseline), trial by trial.
pub const DECREASE: &str = "relative decrease";
/// The method name of the reference: the best fixed linear predictor in hindsight.
pub const HINDSIGHT: &str = "fixed linear, hindsight";

/// The options specific to the experiment.
#[derive(Debug, Clone)]
pub struct Plan {
    /// δ; the paper's is ½.
    pub delta: f64,
    /// The data sets.
    pub datasets: Vec<Name>,
}

/// The plan is a [`Plan`]. A stand-in gets at most three trials.
pub type Options = runner::Options<Plan>;

/// All inputs that determine a trial's outcome: the key of finished trials.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Settings {
    seed: u64,
    fixed: Fixed,
    grid: Grid,
    /// The most examples of a half.
    at_most: Option<usize>,
    scheme: String,
}

/// The outcome of one trial on one data set.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outcome {
    provenance: Provenance,
    radius: f64,
    runs: Vec<Run>,
    hindsight: Option<f64>,
    /// The time of the trial.
    seconds: f64,
}

/// A tuned method on the reporting half.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Run {
    method: Method,
    tuned: Tuned,
    reported: Progressive,
    /// The seed of the reported run.
    seed: u64,
}

/// The most trials on a stand-in: its figures are not comparable with the paper's.
const STAND_IN_TRIALS: u64 = 3;
/// Streams below this one shuffle the examples of a trial.
const FIRST_LEARNER_STREAM: u64 = 1 << 32;
/// The most examples of a half in a quick run.
const QUICK_EXAMPLES: usize = 2500;

/// Runs the experiment, resuming finished trials, and writes `bandit-boosting.{json,md,svg}` and
/// `bandit-boosting-curves.svg`.
///
/// # Errors
/// [`ExperimentError`]. Finished trials are kept in `bandit-boosting-*.trials`: a stopped run resumes.
pub fn run(options: &Options) -> Result<Report, ExperimentError> {
    options.check(options.plan.datasets.len())?;
    let settings = Settings {
        seed: options.seed,
        fixed: Fixed { delta: options.plan.delta, noise: Noise::uniform(0.1)? },
        grid: if options.quick { Grid::quick() } else { Grid::full() },
        at_most: options.quick.then_some(QUICK_EXAMPLES),
        scheme: "labels in [-1, 1]; min-max features; B = 1/max|x|; successive halving by 4, up to 4 draws"
            .to_owned(),
    };
    let run = runner::Run::<Outcome>::begin("bandit-boosting", options, &settings)?;
    let mut record = Record::new("bandit-boosting", options.seed, page::settings(&settings, options));
    let mut curves = Vec::new();
    for &name in &options.plan.datasets {
        let official = options.search.locate(name)?.is_some();
        let trials = if official { options.trials } else { options.trials.min(STAND_IN_TRIALS) };
        let stage = run.progress.stage(name.as_str(), trials);
        let task = OnceCell::new();
        let read = || Task::load(name, &options.search, StandIn { seed: options.seed, rows: None });
        let mut outcomes = Vec::new();
        // One trial after the other: the threads share the grid of a single trial.
        for trial in 0..trials {
            // Trials on a stand-in must not be reused once the official files are fetched.
            let data = if official { "official" } else { "stand-in" };
            let outcome = run.unit(&format!("{name}/{data}/{trial}"), &stage, || {
                stage.message("reading");
                let task = match task.get() {
                    Some(task) => task,
                    None => task.get_or_init({
                        let read = read()?;
                        || read
                    }),
                };
                stage.message(&format!("{}, trial {}", task.dataset.provenance, trial + 1));
                run.install(|| one_trial(task, trial, &settings))?
            })?;
            outcomes.push(outcome);
        }
        stage.finish();
        for (trial, outcome) in (0..).zip(&outcomes) {
            record.trials.extend(outcome.trials(name, trial, options.seed));
            record.seconds += outcome.seconds;
        }
        record.paper.extend(paper::table_2(name));
        curves.push((name, outcomes));
    }
    run.end(&mut record);
    page::write(&record, &curves, options)
}

fn one_trial(task: &Task, trial: u64, settings: &Settings) -> Result<Outcome, ExperimentError> {
    let at_most = settings.at_most.unwrap_or(usize::MAX);
    let halves = task.halves(settings.seed, trial, at_most)?;
    let begun = Instant::now();
    let mut seeds = learner_seeds(settings.seed, trial);
    let mut runs = Vec::new();
    let mut boosting_n = 1;
    for method in Method::ALL {
        let (tuning_seed, reporting_seed) = seeds();
        let tuned = tune(method, &settings.grid, boosting_n, settings.fixed, &halves, tuning_seed)?;
        if method == Method::BanditBoosting {
            boosting_n = tuned.setting.n;
        }
        let order = &halves.reporting;
        let reported = progressive(method, tuned.setting, settings.fixed, &halves, order, reporting_seed)?;
        runs.push(Run { method, tuned, reported, seed: reporting_seed });
    }
    let provenance = Provenance::from(&task.dataset.provenance);
    let (radius, hindsight) = (halves.radius, hindsight::best_linear_loss(&halves));
    Ok(Outcome { provenance, radius, runs, hindsight, seconds: begun.elapsed().as_secs_f64() })
}

/// The seeds of a trial's methods, one pair per method, for tuning and for reporting. The halves use stream
/// number `trial` of the seed; the learners use streams after all of those.
fn learner_seeds(seed: u64, trial: u64) -> impl FnMut() -> (u64, u64) {
    let mut seeds = ChaCha8Rng::seed_from_u64(seed);
    seeds.set_stream(FIRST_LEARNER_STREAM + trial);
    move || (seeds.next_u64(), seeds.next_u64())
}

impl Outcome {
    fn loss(&self, method: Method) -> Option<f64> {
        self.runs.iter().find(|run| run.method == method).map(|run| run.reported.average)
    }

    /// The rows of a record: losses, relative decreases, and the reference.
    fn trials(&self, name: Name, trial: u64, seed: u64) -> Vec<Trial> {
        let row = |method: &str, metric: &str, value: f64, settings: serde_json::Value| Trial {
            dataset: name.to_string(),
            method: method.to_owned(),
            metric: metric.to_owned(),
            trial,
            seed,
            value,
            settings,
            provenance: self.provenance,
        };
        let tuned = |run: &Run| serde_json::to_value(run.tuned).unwrap_or_default();
        let mut rows: Vec<Trial> = self
            .runs
            .iter()
            .map(|run| row(run.method.name(), LOSS, run.reported.average, tuned(run)))
            .collect();
        let pairs = [(Method::OnlineBoosting, Method::Ogd), (Method::BanditBoosting, Method::NFkm)];
        for (boosted, baseline) in pairs {
            if let (Some(boosting), Some(alone)) = (self.loss(boosted), self.loss(baseline)) {
                rows.push(row(boosted.name(), DECREASE, 1.0 - boosting / alone, serde_json::Value::Null));
            }
        }
        let radius = serde_json::json!({ "radius": self.radius });
        rows.extend(self.hindsight.map(|loss| row(HINDSIGHT, LOSS, loss, radius)));
        rows
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the same arithmetic gives the same bits")]
mod tests;
