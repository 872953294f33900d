//! Projection-free learners, with their oracles.

use crate::assert_only_the_first_allocates;
use oco_core::learners::{Draws, FollowThePerturbedLeader, Ogd, Perturbation};
use oco_core::losses::SquaredLoss;
use oco_core::projection_free::{
    Counted, ExactGradient, GradientNoise, MetaFrankWolfe, Minibatches, Morgfw, OneGradient,
    OnlineFrankWolfe, OracleLearner, ProjectionFreeOco,
};
use oco_core::{OnlineLearner, StepSchedule};
use projections::{AnySet, BoxSet, L1Ball, L2Ball, Simplex, start_point};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::error::Error;

type Outcome = Result<(), Box<dyn Error>>;

const ROUNDS: usize = 50;
const N: usize = 6;

/// Rounds with exact gradients, with noise, and with minibatches.
fn check(what: &str, learner: &(impl OracleLearner + Clone)) -> Outcome {
    let targets: Vec<f64> = (0..ROUNDS * N).map(|k| (1.7 * k as f64).sin()).collect();
    let losses = targets.chunks_exact(N).map(SquaredLoss::new).collect::<Result<Vec<_>, _>>()?;
    let mut exact = learner.clone();
    assert_only_the_first_allocates(&format!("{what}, exact"), ROUNDS, |t| {
        exact.observe(&mut Counted::new(ExactGradient(&losses[t])))
    })?;
    let rng = ChaCha8Rng::seed_from_u64(1);
    for mut noise in [GradientNoise::on_sphere(0.5, rng.clone())?, GradientNoise::gaussian(0.5, rng.clone())?]
    {
        let mut noisy = learner.clone();
        assert_only_the_first_allocates(&format!("{what}, {noise:?}"), ROUNDS, |t| {
            noisy.observe(&mut noise.over(&losses[t]))
        })?;
    }
    let (mut batches, mut batched) = (Minibatches::new(3, rng)?, learner.clone());
    assert_only_the_first_allocates(&format!("{what}, minibatches"), ROUNDS, |_| {
        batched.observe(&mut batches.over(&losses)?)
    })?;
    Ok(())
}

fn cascades<A: OnlineLearner + Clone>(what: &str, optimiser: &A, set: &AnySet) -> Outcome {
    let copies = || vec![optimiser.clone(); 4];
    check(&format!("ProjectionFreeOco {what}"), &ProjectionFreeOco::new(copies(), set.clone())?)?;
    check(&format!("MetaFrankWolfe {what}"), &MetaFrankWolfe::new(copies(), set.clone())?)?;
    check(&format!("Morgfw {what}"), &Morgfw::new(copies(), set.clone())?)
}

#[test]
fn rounds_allocate_nothing() -> Outcome {
    for set in [
        AnySet::Simplex(Simplex::new(1.0)?),
        AnySet::Box(BoxSet::new(vec![-1.0; N], vec![1.0; N])?),
        AnySet::L2Ball(L2Ball::new(1.0)?),
        AnySet::L1Ball(L1Ball::new(1.0)?),
    ] {
        let mut start = vec![0.0; N];
        start_point(&set, &mut start)?;
        let fw = OnlineFrankWolfe::theorem(set.clone(), start, 4.0, 50)?;
        check(&format!("OnlineFrankWolfe, {set:?}"), &OneGradient::new(fw))?;
        let ogd = Ogd::new(set.clone(), N, StepSchedule::constant(0.1)?)?;
        check(&format!("Ogd, {set:?}"), &OneGradient::new(ogd.clone()))?;
        cascades(&format!("of Ogd, {set:?}"), &ogd, &set)?;
        let rng = ChaCha8Rng::seed_from_u64(2);
        let fpl = FollowThePerturbedLeader::new(
            set.clone(),
            N,
            Perturbation::Gaussian,
            0.1,
            Draws::EachRound,
            rng,
        )?;
        cascades(&format!("of FPL, {set:?}"), &fpl, &set)?;
    }
    Ok(())
}
