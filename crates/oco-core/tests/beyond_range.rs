//! Steps, sums of gradients and losses beyond the range of doubles, with results within it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::float_cmp, reason = "what is compared exactly is exact")]

use oco_core::bandit::Fkm;
use oco_core::learners::{LazyOgd, Ogd};
use oco_core::losses::{LinearLoss, Loss};
use oco_core::regret::LinearRegret;
use oco_core::{BanditLearner, OnlineLearner, StepSchedule};
use projections::{AnySet, BoxSet, CappedSimplex, L1Ball, L2Ball, Simplex, UnitBox};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::numeric::{scale_down, scale_up};

fn plays(mut learner: impl OnlineLearner, gradients: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut plays = vec![learner.play().to_vec()];
    for g in gradients {
        learner.observe(g).unwrap();
        plays.push(learner.play().to_vec());
    }
    plays
}

/// Sets in R^3, in units of 2^−exponent.
fn sets(exponent: u32) -> Vec<AnySet> {
    let up = |v: f64| scale_up(v, exponent);
    vec![
        AnySet::Simplex(Simplex::new(up(1.5)).unwrap()),
        AnySet::CappedSimplex(CappedSimplex::new([0.5, 0.4, 0.3].map(up).to_vec(), up(1.0)).unwrap()),
        AnySet::Box(
            BoxSet::new([-1.0, 0.0, 0.5].map(up).to_vec(), [1.0, 0.5, 2.0].map(up).to_vec()).unwrap(),
        ),
        AnySet::L2Ball(L2Ball::new(up(0.7)).unwrap()),
        AnySet::L1Ball(L1Ball::new(up(1.2)).unwrap()),
    ]
}

fn close(got: &[Vec<f64>], want: &[Vec<f64>], exponent: u32) -> Result<(), TestCaseError> {
    for (got, want) in got.concat().iter().zip(want.concat()) {
        prop_assert!((scale_down(*got, exponent) - want).abs() < 1e-12, "{got} for {want}");
    }
    Ok(())
}

proptest! {
    /// The steps of 2^e·K from gradients 2^e·g are 2^e times those of K from g, and a sum of gradients 2^e·g
    /// with the step η/2^e is that of g with η: on the left steps, or sums, lie beyond the range.
    #[test]
    fn learners_are_homogeneous_beyond_the_range(
        gradients in prop::collection::vec(prop::collection::vec(-2.0..2.0_f64, 3), 1..20),
    ) {
        let times = |e: u32| -> Vec<Vec<f64>> {
            gradients.iter().map(|g| g.iter().map(|g| scale_up(*g, e)).collect()).collect()
        };
        let eta = |e: u32| StepSchedule::constant(scale_up(1.0, e)).unwrap();
        for (small, large) in sets(0).into_iter().zip(sets(1000)) {
            let near = plays(Ogd::new(small.clone(), 3, eta(24)).unwrap(), &gradients);
            let far = plays(Ogd::new(large.clone(), 3, eta(512)).unwrap(), &times(512));
            close(&far, &near, 1000)?;
            let near = plays(LazyOgd::new(small.clone(), 3, scale_up(1.0, 24)).unwrap(), &gradients);
            let far = plays(LazyOgd::new(large, 3, scale_up(1.0, 512)).unwrap(), &times(512));
            close(&far, &near, 1000)?;
            let near = plays(LazyOgd::new(small.clone(), 3, 0.25).unwrap(), &gradients);
            let far = plays(LazyOgd::new(small, 3, scale_down(0.25, 1022)).unwrap(), &times(1022));
            close(&far, &near, 0)?;
        }
    }

    /// The account of 2^1022·g is 2^1022 times that of g.
    #[test]
    fn regret_is_homogeneous_beyond_the_range(
        rounds in prop::collection::vec((prop::collection::vec(-2.0..2.0_f64, 3), 0.0..0.01_f64), 1..20),
    ) {
        let small = BoxSet::new(vec![0.0; 3], vec![0.01; 3]).unwrap();
        let (mut near, mut far) = (LinearRegret::new(3).unwrap(), LinearRegret::new(3).unwrap());
        for (g, x) in &rounds {
            near.record(g, &[*x; 3]).unwrap();
            let g: Vec<f64> = g.iter().map(|g| scale_up(*g, 1022)).collect();
            far.record(&g, &[*x; 3]).unwrap();
        }
        let (near, far) = (near.regret(&small).unwrap(), far.regret(&small).unwrap());
        prop_assert_eq!(near.comparator, far.comparator);
        prop_assert!((near.value - scale_down(far.value, 1022)).abs() < 1e-12);
        prop_assert!((near.learner_loss - scale_down(far.learner_loss, 1022)).abs() < 1e-12);
    }
}

#[test]
fn steps_and_sums_beyond_the_range() {
    let lazy = LazyOgd::new(Simplex::new(1.0).unwrap(), 2, 1e-308).unwrap();
    let got = plays(lazy, &[vec![1.5e308, 0.0], vec![1.5e308, 1.0]]);
    assert_eq!(got, [[0.5, 0.5], [0.0, 1.0], [0.0, 1.0]]);
    let steep = StepSchedule::constant(1e200).unwrap();
    let ogd = Ogd::starting_at(UnitBox, vec![0.5], steep).unwrap();
    assert_eq!(plays(ogd, &[vec![1e200]]), [[0.5], [0.0]]);
    let lazy = LazyOgd::new(UnitBox, 1, 1e200).unwrap();
    assert_eq!(plays(lazy, &[vec![-1e200], vec![2e200]]), [[0.0], [1.0], [0.0]]);
    // The ends of the range: every product 2^2048, every sum beyond 2^2049.
    let lazy = LazyOgd::new(L2Ball::new(5.0).unwrap(), 2, f64::MAX).unwrap();
    let g = vec![0.75 * f64::MAX, -f64::MAX];
    for x in &plays(lazy, &vec![g; 4])[1..] {
        assert!((x[0] + 3.0).abs() < 1e-14 && (x[1] - 4.0).abs() < 1e-14, "{x:?}");
    }
}

/// Out of the range and back: the sum is the ordinary one again. Saved beyond the range, the run goes on bit
/// for bit.
#[test]
fn sums_come_back_and_are_saved_on_the_way() {
    let mut lazy = LazyOgd::new(BoxSet::interval(-2.0, 2.0).unwrap(), 1, 1e-308).unwrap();
    for (g, play) in [(-0.75, 0.75), (-0.75, 1.5), (-1.5, 2.0), (1.5, 1.5), (0.75, 0.75)] {
        lazy.observe(&[g * 1e308]).unwrap();
        assert!((lazy.play()[0] - play).abs() < 1e-14, "{} for {play}", lazy.play()[0]);
        let loaded: LazyOgd<BoxSet> = serde_json::from_str(&serde_json::to_string(&lazy).unwrap()).unwrap();
        assert_eq!(loaded.play(), lazy.play());
        lazy = loaded;
    }
    let mut account = LinearRegret::new(1).unwrap();
    for g in [1.5e308, 1.5e308, -1.5e308] {
        account.record(&[g], &[1.0]).unwrap();
        account = serde_json::from_str(&serde_json::to_string(&account).unwrap()).unwrap();
    }
    let regret = account.regret(&Simplex::new(1.0).unwrap()).unwrap();
    assert_eq!((regret.value, regret.learner_loss, regret.comparator_loss), (0.0, 1.5e308, 1.5e308));
    // Both losses beyond the range, their difference not.
    account.record(&[1.5e308], &[1.0]).unwrap();
    let regret = account.regret(&Simplex::new(1.0).unwrap()).unwrap();
    assert_eq!((regret.value, regret.learner_loss), (0.0, f64::INFINITY));
}

#[test]
fn inner_products_whose_partial_sums_leave_the_range() {
    let value = |g: &[f64], y: &[f64]| LinearLoss::new(g).unwrap().value(y);
    let got = value(&[1e308, 1e308, 1.7e308], &[1.0, 1.0, -1.0]);
    assert!((got / 3e307 - 1.0).abs() < 1e-14, "{got}");
    assert_eq!(value(&[1e300, 1e300, 1.0], &[1e300, -1e300, 1.0]), 0.0, "1 is below the rounding of 1e600");
    assert_eq!(value(&[f64::MAX, f64::MAX], &[1.0, 1.0]), f64::INFINITY);
}

/// Here the start is near the end of the range: ηg is 2^−24 of it, and their sum is beyond the range. The
/// step points out of the set, so the play stays at the start.
#[test]
fn a_short_step_from_a_start_near_the_end_of_the_range() {
    let (far, short) = (f64::MAX, -scale_up(1.0, 1000));
    let steps = StepSchedule::constant(1.0).unwrap();
    let cube = BoxSet::new(vec![-far; 2], vec![far; 2]).unwrap();
    let ogd = Ogd::starting_at(cube, vec![far; 2], steps).unwrap();
    assert_eq!(plays(ogd, &[vec![short; 2]]), [[far; 2], [far; 2]]);
    let ogd = Ogd::starting_at(Simplex::new(far).unwrap(), vec![far, 0.0], steps).unwrap();
    assert_eq!(plays(ogd, &[vec![short, 0.0]]), [[far, 0.0], [far, 0.0]]);
    let ogd = Ogd::starting_at(L2Ball::new(far).unwrap(), vec![far, 0.0], steps).unwrap();
    assert_eq!(plays(ogd, &[vec![short, 0.0]]), [[far, 0.0], [far, 0.0]]);
}

/// The estimate of a loss near the end of the range is finite, its step is not.
#[test]
fn bandit_steps_beyond_the_range() {
    let rng = ChaCha8Rng::seed_from_u64(3);
    let mut fkm = Fkm::new(L2Ball::new(1.0).unwrap(), 2, 1.0, 0.5, 1e10, rng).unwrap();
    let query = fkm.play().to_vec();
    fkm.observe(1e307).unwrap();
    // One step of this size against the query direction reaches the rim of (1 − δ)K, δ = 0.5.
    let next = fkm.play().to_vec();
    let centre = [0, 1].map(|j| -query[j]);
    let distance = (next[0] - centre[0]).hypot(next[1] - centre[1]);
    assert!((distance - 0.5).abs() < 1e-12, "the next query lies at δ from the opposite rim: {distance}");
}
