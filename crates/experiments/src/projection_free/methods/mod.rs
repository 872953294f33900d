//! The five methods, each at the settings of its own theorem, and a run of one method.

use super::counted_set::{CountedSet, Tally};
use super::problems::Task;
use crate::runner::ExperimentError;
use oco_core::StepSchedule;
use oco_core::learners::{Draws, FollowThePerturbedLeader, Ogd, Perturbation};
use oco_core::losses::Loss;
use oco_core::projection_free::{
    Counted, ExactGradient, GradientNoise, MetaFrankWolfe, Morgfw, OneGradient, OnlineFrankWolfe,
    OracleLearner, ProjectionFreeOco,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The rows of \[BH20, Table 1\], and the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// Online gradient descent with one projection per round.
    Ogd,
    /// \[HK12\].
    OnlineFw,
    /// \[CHHK18\].
    MetaFw,
    /// \[XSZQW19\].
    Morgfw,
    /// \[BH20, Algorithm 1\].
    Algorithm1,
}

impl Method {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 5] = [Self::Ogd, Self::OnlineFw, Self::MetaFw, Self::Morgfw, Self::Algorithm1];

    /// The name in tables and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ogd => "OGD, projected",
            Self::OnlineFw => "Online-FW",
            Self::MetaFw => "Meta-FW",
            Self::Morgfw => "MORGFW",
            Self::Algorithm1 => "Algorithm 1",
        }
    }

    /// The exponents of T in \[BH20, Table 1\]: of the regret, and of the cost of a round.
    pub fn printed(self) -> Option<(f64, f64)> {
        match self {
            Self::Ogd => None,
            Self::OnlineFw => Some((0.75, 0.0)),
            Self::MetaFw => Some((0.5, 1.5)),
            Self::Morgfw => Some((0.5, 1.0)),
            Self::Algorithm1 => Some((0.5, 0.5)),
        }
    }

    /// The number of linear optimisers for a horizon of T; 1 for methods without such optimisers.
    ///
    /// # Errors
    /// A horizon whose number of optimisers overflows.
    pub fn copies(self, task: &Task, noise: f64, rounds: u32) -> Result<u32, ExperimentError> {
        Ok(match self {
            Self::Ogd | Self::OnlineFw => 1,
            Self::MetaFw => MetaFrankWolfe::copies(rounds)?,
            Self::Morgfw => rounds,
            Self::Algorithm1 => ProjectionFreeOco::theorem_2_copies(
                task.smoothness,
                task.diameter,
                task.gradient_bound + noise,
                rounds,
            )?,
        })
    }
}

/// The cost and the loss of a run of T rounds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run {
    /// The method.
    pub method: Method,
    /// The norm of the noise on every gradient; 0 for exact gradients.
    pub noise: f64,
    /// T.
    pub rounds: u32,
    /// Σ ℓ_t(x_t).
    pub loss: f64,
    /// Oracle calls for a gradient.
    pub gradients: u64,
    /// Linear minimisations.
    pub minimisations: u64,
    /// Projections.
    pub projections: u64,
    /// Seconds for the T rounds, without the set-up.
    pub seconds: f64,
}

/// Plays the first T rounds of a task.
///
/// Every method gets D, β, G (σ with noise) and T, as its theorem requires. The methods with many linear
/// optimisers run FPL with Gaussian perturbations, one random stream per copy, so they never project.
///
/// # Errors
/// The errors of the learner.
pub fn run(method: Method, task: &Task, noise: f64, rounds: u32, seed: u64) -> Result<Run, ExperimentError> {
    let tally = Tally::default();
    let set = CountedSet { set: task.set.as_ref(), tally: &tally };
    let mut learner = learner(method, task, set, noise, rounds, seed)?;
    tally.minimisations.set(0);
    tally.projections.set(0);
    let mut source = None;
    if noise > 0.0 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(u64::MAX);
        source = Some(GradientNoise::on_sphere(noise, rng)?);
    }
    let (mut total, mut gradients, begun) = (0.0, 0, Instant::now());
    for loss in task.losses.iter().take(rounds as usize) {
        total += loss.value(learner.play());
        gradients += match &mut source {
            None => asked(learner.as_mut(), Counted::new(ExactGradient(loss)))?,
            Some(source) => asked(learner.as_mut(), Counted::new(source.over(loss)))?,
        };
    }
    let seconds = begun.elapsed().as_secs_f64();
    let (minimisations, projections) = (tally.minimisations.get(), tally.projections.get());
    Ok(Run { method, noise, rounds, loss: total, gradients, minimisations, projections, seconds })
}

fn asked<O: oco_core::projection_free::StochasticGradient>(
    learner: &mut dyn OracleLearner,
    mut oracle: Counted<O>,
) -> Result<u64, ExperimentError> {
    learner.observe(&mut oracle)?;
    Ok(oracle.gradients())
}

fn learner<'a>(
    method: Method,
    task: &Task,
    set: CountedSet<'a>,
    noise: f64,
    rounds: u32,
    seed: u64,
) -> Result<Box<dyn OracleLearner + 'a>, ExperimentError> {
    let sigma = task.gradient_bound + noise;
    let start = || task.start.clone();
    Ok(match method {
        Method::Ogd => {
            let steps = StepSchedule::zinkevich(task.diameter, sigma)?;
            Box::new(OneGradient::new(Ogd::starting_at(set, start(), steps)?))
        }
        Method::OnlineFw => {
            Box::new(OneGradient::new(OnlineFrankWolfe::theorem(set, start(), sigma, rounds)?))
        }
        Method::MetaFw => {
            let optimisers = perturbed_leaders(method, task, set, noise, rounds, seed)?;
            Box::new(MetaFrankWolfe::starting_at(optimisers, set, start())?)
        }
        Method::Morgfw => {
            let optimisers = perturbed_leaders(method, task, set, noise, rounds, seed)?;
            Box::new(Morgfw::starting_at(optimisers, set, start())?)
        }
        Method::Algorithm1 => {
            let optimisers = perturbed_leaders(method, task, set, noise, rounds, seed)?;
            Box::new(ProjectionFreeOco::starting_at(optimisers, set, start())?)
        }
    })
}

/// The ε that balances the two costs of FPL: w/ε for perturbing, with w the width of K, and εRσT/√(2π) for
/// moving, with R ≤ σD the range of a gradient.
fn balanced(task: &Task, sigma: f64, rounds: u32) -> f64 {
    let moving = sigma * sigma * task.diameter * f64::from(rounds) / std::f64::consts::TAU.sqrt();
    (task.width / moving).sqrt()
}

/// FPL, one random stream per copy.
fn perturbed_leaders<'a>(
    method: Method,
    task: &Task,
    set: CountedSet<'a>,
    noise: f64,
    rounds: u32,
    seed: u64,
) -> Result<Vec<FollowThePerturbedLeader<CountedSet<'a>>>, ExperimentError> {
    let epsilon = balanced(task, task.gradient_bound + noise, rounds);
    let seed = ChaCha8Rng::seed_from_u64(seed).next_u64();
    (0..method.copies(task, noise, rounds)?)
        .map(|i| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(u64::from(i));
            let (n, law) = (task.start.len(), Perturbation::Gaussian);
            Ok(FollowThePerturbedLeader::new(set, n, law, epsilon, Draws::EachRound, rng)?)
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the same arithmetic gives the same bits")]
mod tests;
