//! \[BH20, Table 1\] measured: regret and cost of a round of projection-free online learners as T grows, with
//! exact and with stochastic gradients, on sets with a cheap linear minimisation.
//!
//! Every method runs at the settings of its own theorem, which know D, β, G (or σ) and T; each horizon is a
//! separate run. Regret is against the best fixed point in hindsight, found to a certified gap. Stochastic
//! gradients carry noise of norm 1 in a uniform direction, the same at both points of a sample.
//!
//! Reading order: [`geometry`], [`problems`], [`round_loss`], [`methods`], [`hindsight`], [`growth`], `page`.

// Rounds, trials and horizons are counted far below 2^53.
#![allow(clippy::cast_precision_loss, reason = "counts")]

pub mod geometry;
pub mod problems;
pub mod round_loss;
pub mod methods;
pub mod hindsight;
pub mod growth;
mod counted_set;
mod page;

use crate::runner::{self, ExperimentError, Report};
use crate::threads::count_for_timing;
use datasets::SearchPath;
use hindsight::{Best, best};
use methods::{Method, Run, run as run_method};
use problems::{Problem, Task};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use report::record::{Provenance, Record};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The plan is the problems. The runs are timed, so `threads: None` means one thread.
pub type Options = runner::Options<Vec<Problem>>;

/// All inputs that determine a trial's outcome: the key of finished trials.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Settings {
    seed: u64,
    quick: bool,
    /// The norms of the noise.
    noise: Vec<f64>,
    scheme: String,
}

/// The outcome of one trial of one problem.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outcome {
    provenance: Provenance,
    bests: Vec<Best>,
    runs: Vec<Run>,
    /// The time of the trial.
    seconds: f64,
}

impl Outcome {
    /// Σ ℓ_t(x_t) − Σ ℓ_t(u) of a run.
    fn regret(&self, run: &Run) -> Option<f64> {
        self.bests.iter().find(|best| best.rounds == run.rounds).map(|best| run.loss - best.loss)
    }
}

/// The shortest horizon, as a power of two.
const SHORTEST: u32 = 4;
/// The longest horizon of the quick run, as a power of two.
const QUICK_LONGEST: u32 = 10;
/// Streams below this one draw the problems.
const FIRST_LEARNER_STREAM: u64 = 1 << 32;

/// Runs the experiment, resuming finished trials, and writes `projection-free.{json,md,svg}` and
/// `projection-free-seconds.svg`. Its runs are timed: one thread unless another number is requested.
///
/// # Errors
/// [`ExperimentError`]. Finished trials are kept in `projection-free-*.trials`: a stopped run resumes.
pub fn run(options: &Options) -> Result<Report, ExperimentError> {
    options.check(options.plan.len())?;
    let timed = Options { threads: Some(count_for_timing(options.threads)?), ..options.clone() };
    let scheme = "horizons 2^4..2^16, FPL with Gaussian perturbations, budgets of optimiser rounds, comparators of oco-core";
    let settings = Settings {
        seed: options.seed,
        quick: options.quick,
        noise: vec![0.0, 1.0],
        scheme: scheme.to_owned(),
    };
    let run = runner::Run::<Outcome>::begin("projection-free", &timed, &settings)?;
    let mut record = Record::new("projection-free", options.seed, page::settings(&settings, options));
    let official = options.search.locate(datasets::Name::Abalone)?.is_some();
    let mut found = Vec::new();
    for &problem in &options.plan {
        // Trials on a stand-in must not be reused once the official file is fetched.
        let data = match problem {
            Problem::Abalone if official => "official",
            Problem::Abalone => "stand-in",
            _ => "synthetic",
        };
        let key = |trial: &u64| format!("{}/{data}/{trial}", problem.name());
        let trials: Vec<u64> = (0..options.trials).collect();
        let outcomes = run.stage(problem.name(), &trials, key, |&trial| {
            one_trial(problem, trial, &settings, &options.search)
        })?;
        for (trial, outcome) in (0..).zip(&outcomes) {
            record.trials.extend(page::trials(problem, trial, options.seed, outcome));
            record.seconds += outcome.seconds;
        }
        found.push((problem, outcomes));
    }
    record.paper = page::printed();
    run.end(&mut record);
    page::write(&record, &found, options)
}

/// The seeds of the runs of a trial come from here, one after the other.
fn learner_seeds(seed: u64, trial: u64) -> ChaCha8Rng {
    let mut seeds = ChaCha8Rng::seed_from_u64(seed);
    seeds.set_stream(FIRST_LEARNER_STREAM + trial);
    seeds
}

fn one_trial(
    problem: Problem,
    trial: u64,
    settings: &Settings,
    search: &SearchPath,
) -> Result<Outcome, ExperimentError> {
    let begun = Instant::now();
    let longest = if settings.quick { problem.longest().min(QUICK_LONGEST) } else { problem.longest() };
    let task = Task::draw(problem, 1 << longest, settings.seed, trial, search)?;
    let mut seeds = learner_seeds(settings.seed, trial);
    let (mut bests, mut runs) = (Vec::new(), Vec::new());
    for rounds in (SHORTEST..=longest).map(|power| 1_u32 << power) {
        bests.push(best(&task, rounds)?);
        for &noise in &settings.noise {
            for method in Method::ALL {
                // A seed is drawn even for a skipped run, so that budgets do not change the other runs.
                let seed = seeds.next_u64();
                let work = u64::from(method.copies(&task, noise, rounds)?) * u64::from(rounds);
                if work <= 1 << problem.budget(settings.quick) {
                    runs.push(run_method(method, &task, noise, rounds, seed)?);
                }
            }
        }
    }
    Ok(Outcome { provenance: task.provenance, bests, runs, seconds: begun.elapsed().as_secs_f64() })
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the same arithmetic gives the same bits")]
mod tests;
