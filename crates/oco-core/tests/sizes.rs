//! A dimension or a count that no memory holds is refused before anything is allocated.

use oco_core::bandit::{Estimates, Fkm, MultiPointFkm};
use oco_core::learners::{
    BalancedWinnow, Comid, Draws, FollowTheLeader, FollowThePerturbedLeader, Ftrl, FtrlQuadratic, Hedge,
    LazyOgd, MirrorDescent, Ogd, OptimisticMirrorDescent, Perceptron, Perturbation, Winnow,
};
use oco_core::losses::SquaredLoss;
use oco_core::projection_free::{Minibatches, StochasticGradient};
use oco_core::regret::{LinearRegret, QuadraticRegret};
use oco_core::{OcoError, StepSchedule};
use projections::{Euclidean, L2Ball, NegativeEntropy, ProjectionError, Simplex};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Sizes that a wrong column or a damaged file may contain.
const TOO_LARGE: [usize; 3] = [1 << 40, (1 << 53) + 1, usize::MAX];

#[allow(clippy::unwrap_used, reason = "a test helper: parameters that are legal")]
fn refusals(n: usize) -> Vec<(&'static str, Option<OcoError>)> {
    let ball = || L2Ball::new(1.0).unwrap();
    let simplex = || Simplex::new(1.0).unwrap();
    let rng = || ChaCha8Rng::seed_from_u64(1);
    let step = StepSchedule::constant(0.1).unwrap();
    let (law, draws) = (Perturbation::Uniform, Draws::EachRound);
    let pairs = Estimates::TwoPoint { pairs: 1 };
    vec![
        ("Ogd", Ogd::new(ball(), n, step).err()),
        ("LazyOgd", LazyOgd::new(ball(), n, 0.1).err()),
        ("MirrorDescent", MirrorDescent::new(NegativeEntropy, simplex(), n, 0.1).err()),
        ("OptimisticMirrorDescent", OptimisticMirrorDescent::new(Euclidean, ball(), n, 0.1).err()),
        ("Ftrl", Ftrl::new(Euclidean, ball(), n, 0.1).err()),
        ("FtrlQuadratic", FtrlQuadratic::new(ball(), n, 0.1).err()),
        ("FollowTheLeader", FollowTheLeader::new(simplex(), n).err()),
        (
            "FollowThePerturbedLeader",
            FollowThePerturbedLeader::new(simplex(), n, law, 0.1, draws, rng()).err(),
        ),
        ("Hedge", Hedge::new(n, 0.1).err()),
        ("Hedge::tuned", Hedge::tuned(n, 1.0, 100).err()),
        ("Comid", Comid::new(n, 0.1, 0.1).err()),
        ("Perceptron", Perceptron::new(n).err()),
        ("Winnow", Winnow::new(n, 0.1).err()),
        ("Winnow::for_margin", Winnow::for_margin(n, 1.0, 0.1).err()),
        ("BalancedWinnow", BalancedWinnow::new(n, 0.1).err()),
        ("BalancedWinnow::for_margin", BalancedWinnow::for_margin(n, 1.0, 0.1).err()),
        ("Fkm", Fkm::new(ball(), n, 1.0, 0.1, 0.1, rng()).err()),
        ("MultiPointFkm", MultiPointFkm::new(ball(), n, 1.0, 0.1, 0.1, pairs, rng()).err()),
        ("LinearRegret", LinearRegret::new(n).err()),
        ("QuadraticRegret", QuadraticRegret::new(n).err()),
        ("Minibatches", Minibatches::new(n, rng()).err()),
    ]
}

#[test]
fn a_size_that_no_memory_holds_is_refused_with_its_number() {
    for n in TOO_LARGE {
        for (what, refusal) in refusals(n) {
            let is_named = |refusal| matches!(refusal, Some(OcoError::Projection(ProjectionError::TooLarge { size, .. })) if size == n);
            assert!(is_named(refusal.clone()), "{what} with {n}: {refusal:?}");
        }
    }
    for (what, refusal) in refusals(3) {
        assert_eq!(refusal, None, "{what}");
    }
}

#[test]
fn a_size_that_is_loaded_is_bounded_too() {
    assert!(Minibatches::new((1 << 22) + 1, ChaCha8Rng::seed_from_u64(1)).is_err());
    let saved = serde_json::to_string(&Minibatches::new(2, ChaCha8Rng::seed_from_u64(1)).unwrap()).unwrap();
    assert!(saved.contains("\"size\":2"), "{saved}");
    for n in TOO_LARGE {
        let changed = saved.replace("\"size\":2", &format!("\"size\":{n}"));
        assert!(serde_json::from_str::<Minibatches>(&changed).is_err(), "{n}");
    }
    let mut loaded: Minibatches = serde_json::from_str(&saved).unwrap();
    let losses = [SquaredLoss::new(&[0.0]).unwrap(), SquaredLoss::new(&[4.0]).unwrap()];
    loaded.over(&losses).unwrap().draw();
}
