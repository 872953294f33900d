//! COMID, AdaGrad, FPL, doubling, Perceptron, Winnow, FKM with several queries.

use oco_core::bandit::{Estimates, MultiPointFkm};
use oco_core::learners::{
    AdaGrad, Comid, Doubling, Draws, FollowThePerturbedLeader, LazyOgd, Ogd, Perceptron, Perturbation, Winnow,
};
use oco_core::{OnlineLearner, StepSchedule};
use projections::{AnySet, BoxSet, CappedSimplex, L1Ball, Simplex};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use std::error::Error;

type Outcome = Result<(), Box<dyn Error>>;

const ROUNDS: usize = 70;
const N: usize = 12;

/// Round t is handed a wave.
fn assert_only_the_first_allocates(what: &str, mut round: impl FnMut(&[f64; N]) -> Outcome) -> Outcome {
    let wave = |t: usize| std::array::from_fn(|j| (1.7 * t as f64 + j as f64).sin());
    crate::assert_only_the_first_allocates(what, ROUNDS, |t| round(&wave(t)))
}

fn check(what: &str, mut learner: impl OnlineLearner) -> Outcome {
    assert_only_the_first_allocates(what, |g| Ok(learner.observe(g)?))
}

fn sets() -> Result<Vec<AnySet>, Box<dyn Error>> {
    Ok(vec![
        AnySet::Box(BoxSet::new(vec![-1.0; N], vec![1.0; N])?),
        AnySet::Simplex(Simplex::new(1.0)?),
        AnySet::CappedSimplex(CappedSimplex::new(vec![0.2; N], 1.0)?),
        AnySet::L1Ball(L1Ball::new(1.0)?),
    ])
}

#[test]
fn learners_from_gradients() -> Outcome {
    let sides = BoxSet::new(vec![-1.0; N], vec![1.0; N])?;
    check("COMID", Comid::new(N, 0.1, 0.2)?)?;
    check("COMID on a box", Comid::on_box(sides.clone(), 0.1, 0.2)?)?;
    check("AdaGrad", AdaGrad::new(sides, 0.5)?)?;
    for set in sets()? {
        for law in [Perturbation::Uniform, Perturbation::Exponential, Perturbation::Gaussian] {
            for draws in [Draws::EachRound, Draws::Once] {
                let rng = ChaCha8Rng::seed_from_u64(1);
                let fpl = FollowThePerturbedLeader::new(set.clone(), N, law, 0.1, draws, rng)?;
                check("FPL", fpl.clone())?;
                check("doubled FPL", Doubling::new(fpl, 1.0)?)?;
            }
        }
        let steps = StepSchedule::constant(1.0)?;
        check("doubled OGD", Doubling::new(Ogd::new(set.clone(), N, steps)?, 1.0)?)?;
        check("doubled lazy OGD", Doubling::new(LazyOgd::new(set, N, 1.0)?, 1.0)?)?;
    }
    Ok(())
}

#[test]
fn learners_from_examples() -> Outcome {
    let (mut perceptron, mut winnow) = (Perceptron::new(N)?, Winnow::new(N, 0.3)?);
    assert_only_the_first_allocates("Perceptron and Winnow", |x| {
        let (label, sparse) = (if x[0] > 0.3 { 1.0 } else { -1.0 }, Row::sparse(N, &[1, 5], &x[..2])?);
        for x in [Row::dense(x)?, sparse] {
            perceptron.observe(x, label)?;
            winnow.observe(x, label)?;
            perceptron.predict(x)?;
            winnow.predict(x)?;
        }
        Ok(())
    })
}

#[test]
fn bandits_with_several_queries() -> Outcome {
    for set in [AnySet::L1Ball(L1Ball::new(1.0)?), AnySet::Box(BoxSet::new(vec![-1.0; N], vec![1.0; N])?)] {
        for queries in [Estimates::OnePoint { points: 3 }, Estimates::TwoPoint { pairs: 2 }] {
            let rng = ChaCha8Rng::seed_from_u64(1);
            // A step that reaches the boundary in the first round, for the projection takes its working
            // memory there.
            let mut fkm = MultiPointFkm::new(set.clone(), N, 0.2, 0.1, 1.0, queries, rng)?;
            assert_only_the_first_allocates("FKM", |c| {
                fkm.round(&mut |x| x.iter().zip(c).map(|(x, c)| (x - c) * (x - c)).sum())?;
                Ok(())
            })?;
        }
    }
    Ok(())
}
