//! Learners with linear minimisation instead of projections.

use super::{Target, rng, used};
use crate::Checks;
use crate::play::{MOST, online, oracle, wave};
use crate::verdict::AnyError;
use oco_core::StepSchedule;
use oco_core::learners::{FollowTheLeader, Ogd};
use oco_core::losses::LinearLoss;
use oco_core::projection_free::{
    GradientNoise, MetaFrankWolfe, Minibatches, Morgfw, OneGradient, OnlineFrankWolfe, OracleLearner,
    ProjectionFreeOco, StochasticGradient,
};
use projections::L2Ball;
use serde::Serialize;

type Inner = FollowTheLeader<L2Ball>;

fn ball() -> Result<L2Ball, AnyError> {
    Ok(L2Ball::new(2.0)?)
}

fn inner() -> Result<Vec<Inner>, AnyError> {
    (0..3).map(|_| Ok(FollowTheLeader::new(ball()?, 3)?)).collect()
}

/// Learners over a set other than the cascade's play outside it; saving and loading refuse that.
fn of_one_set<L: OracleLearner + Serialize>(learner: &mut L, checks: &mut Checks) -> Result<(), AnyError> {
    let saved = serde_json::to_value(&*learner)?;
    let sets = saved["learners"].as_array().into_iter().flatten().map(|inner| &inner["set"]);
    if sets.into_iter().all(|set| *set == saved["set"]) { oracle(learner, checks) } else { Ok(()) }
}

pub(super) fn all() -> Vec<Target> {
    vec![
        Target::saved(
            || {
                let new = || MetaFrankWolfe::new(inner()?, ball()?).map_err(AnyError::from);
                Ok(vec![new()?, used(new()?, oracle)?])
            },
            of_one_set::<MetaFrankWolfe<Inner, L2Ball>>,
        ),
        Target::saved(
            || {
                let new = || Morgfw::new(inner()?, ball()?).map_err(AnyError::from);
                Ok(vec![new()?, used(new()?, oracle)?])
            },
            of_one_set::<Morgfw<Inner, L2Ball>>,
        ),
        Target::saved(
            || {
                let new = || ProjectionFreeOco::new(inner()?, ball()?).map_err(AnyError::from);
                Ok(vec![new()?, used(new()?, oracle)?])
            },
            of_one_set::<ProjectionFreeOco<Inner, L2Ball>>,
        ),
        Target::saved(
            || {
                let new = || OnlineFrankWolfe::new(ball()?, vec![0.0; 3], 0.1).map_err(AnyError::from);
                Ok(vec![new()?, used(new()?, online)?])
            },
            online::<OnlineFrankWolfe<L2Ball>>,
        ),
        Target::saved(
            || {
                let new = || Ogd::new(ball()?, 3, StepSchedule::constant(0.1)?).map_err(AnyError::from);
                Ok(vec![OneGradient::new(new()?), used(OneGradient::new(new()?), oracle)?])
            },
            oracle::<OneGradient<Ogd<L2Ball>>>,
        ),
        Target::saved(
            || Ok(vec![Minibatches::new(2, rng(6))?, Minibatches::new(1, rng(7))?]),
            |batches: &mut Minibatches, checks| {
                let slopes: Vec<Vec<f64>> = (0..4).map(|t| wave(3, t)).collect();
                let losses: Vec<LinearLoss<'_>> =
                    slopes.iter().map(|s| LinearLoss::new(s)).collect::<Result<_, _>>()?;
                let mut g = [0.0; 3];
                let mut oracle = batches.over(&losses)?;
                oracle.draw();
                oracle.gradient(&[0.0; 3], &mut g);
                checks.numbers("a gradient", &g);
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![GradientNoise::on_sphere(0.5, rng(8))?, GradientNoise::gaussian(0.1, rng(9))?]),
            |noise: &mut GradientNoise, checks| {
                let slope = wave(3, 0);
                let loss = LinearLoss::new(&slope)?;
                let mut g = vec![0.0; slope.len().min(MOST)];
                let mut oracle = noise.over(&loss);
                oracle.draw();
                oracle.gradient(&[0.0; 3], &mut g);
                // A deviation may be arbitrarily large.
                g.iter().for_each(|&g| checks.extended("a gradient", g));
                Ok(())
            },
        ),
    ]
}
