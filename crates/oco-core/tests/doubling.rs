//! The doubling trick: its price over a horizon that is known, at every T.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::float_cmp, reason = "what is compared exactly is exact")]

use oco_core::learners::{
    Doubling, Draws, DualAveraging, FollowThePerturbedLeader, FplConstants, Hedge, LazyOgd, MirrorDescent,
    Ogd, OptimisticMirrorDescent, Perturbation,
};
use oco_core::regret::LinearRegret;
use oco_core::{OnlineLearner, Restart, StepSchedule};
use projections::{
    AnySet, BoxSet, DecisionSet, Euclidean, L1Ball, L2Ball, NegativeEntropy, Simplex, UnitBox,
};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::f64::consts::SQRT_2;

/// √2/(√2 − 1).
const PRICE: f64 = SQRT_2 / (SQRT_2 - 1.0);

fn sets() -> Vec<AnySet> {
    vec![
        AnySet::Simplex(Simplex::new(1.5).unwrap()),
        AnySet::Box(BoxSet::new(vec![-1.0, 0.0, 0.0], vec![1.0, 0.5, 2.0]).unwrap()),
        AnySet::L2Ball(L2Ball::new(0.7).unwrap()),
        AnySet::L1Ball(L1Ball::new(1.2).unwrap()),
    ]
}

/// Regret ≤ price·C√T in every round.
fn check(
    mut learner: impl OnlineLearner,
    set: &AnySet,
    c: f64,
    gradients: &[Vec<f64>],
) -> Result<(), TestCaseError> {
    let mut account = LinearRegret::new(3).unwrap();
    for (t, g) in (1_u32..).zip(gradients) {
        account.record(g, learner.play()).unwrap();
        learner.observe(g).unwrap();
        let (regret, bound) = (account.regret(set).unwrap().value, PRICE * c * f64::from(t).sqrt());
        prop_assert!(regret <= bound + 1e-9, "{set:?}, T = {t}: {regret} > {bound}");
    }
    Ok(())
}

proptest! {
    /// C = DG for OGD with η = D/(G√T), and √2·Dρ for lazy OGD with η = D/(ρ√(2T)) [W13, Theorem 2].
    #[test]
    fn the_price_is_never_more(gradients in prop::collection::vec(prop::collection::vec(-2.0..2.0_f64, 3), 1..70)) {
        let norm = |g: &Vec<f64>| g.iter().map(|g| g * g).sum::<f64>().sqrt();
        let lipschitz = gradients.iter().map(norm).fold(1e-9, f64::max);
        for set in sets() {
            let diameter = set.diameter(3).unwrap();
            let ogd = Ogd::new(set.clone(), 3, StepSchedule::constant(1.0).unwrap()).unwrap();
            check(Doubling::new(ogd, diameter / lipschitz).unwrap(), &set, diameter * lipschitz, &gradients)?;
            let mut origin = vec![0.0; 3];
            projections::start_point(&set, &mut origin).unwrap();
            let lazy = LazyOgd::around(set.clone(), origin, 1.0).unwrap();
            let lazy = Doubling::new(lazy, diameter / lipschitz / SQRT_2).unwrap();
            check(lazy, &set, SQRT_2 * diameter * lipschitz, &gradients)?;
        }
    }
}

/// Epoch m is the learner that was made for 2^m rounds, play for play.
#[test]
fn an_epoch_is_a_fresh_learner() {
    fn check<L: Restart + Clone>(make: impl Fn(f64) -> L) {
        let mut doubling = Doubling::new(make(1.0), 0.8).unwrap();
        let mut t = 0.0_f64;
        for m in 0..7_u32 {
            let mut fresh = make(0.8 / f64::from(2_u32.pow(m)).sqrt());
            assert_eq!(doubling.horizon(), 1 << m);
            for _ in 0..2_u32.pow(m) {
                for (got, want) in doubling.play().iter().zip(fresh.play()) {
                    assert!((got - want).abs() < 1e-14);
                }
                let g = [t.sin(), (0.7 * t).cos() - 0.5];
                t += 1.0;
                doubling.observe(&g).unwrap();
                fresh.observe(&g).unwrap();
            }
        }
    }
    let ball = || L2Ball::new(1.0).unwrap();
    check(|eta| Ogd::new(ball(), 2, StepSchedule::constant(eta).unwrap()).unwrap());
    check(|eta| LazyOgd::new(ball(), 2, eta).unwrap());
    check(|eta| Hedge::new(2, eta).unwrap());
    check(|eta| MirrorDescent::new(NegativeEntropy, UnitBox, 2, eta).unwrap());
    check(|eta| DualAveraging::starting_at(NegativeEntropy, UnitBox, vec![0.5, 0.3], eta).unwrap());
    check(|eta| OptimisticMirrorDescent::new(NegativeEntropy, UnitBox, 2, eta).unwrap());
}

/// An adversary that pulls one way for ever: the tuned learner pays once, the doubled one in every epoch;
/// early in an epoch that is √2/(√2 − 1) = 3.41 times as much, in the limit.
#[test]
fn the_price_is_real() {
    let (rounds, set) = ((1_u32 << 15) + 1000, BoxSet::interval(-1.0, 1.0).unwrap());
    let regret = |learner: &mut dyn OnlineLearner| {
        let mut account = LinearRegret::new(1).unwrap();
        for _ in 0..rounds {
            account.record(&[-1.0], learner.play()).unwrap();
            learner.observe(&[-1.0]).unwrap();
        }
        account.regret(&set).unwrap().value
    };
    let ogd = |eta| Ogd::new(set.clone(), 1, StepSchedule::constant(eta).unwrap()).unwrap();
    let known = regret(&mut ogd(2.0 / f64::from(rounds).sqrt()));
    let unknown = regret(&mut Doubling::new(ogd(1.0), 2.0).unwrap());
    assert!(unknown > 3.3 * known && unknown < PRICE * 1.1 * known, "{unknown} against {known}");
}

/// FPL on an alternating adversary, the mean regret of 40 seeds at every T, without a margin.
#[test]
fn follow_the_perturbed_leader_in_expectation() {
    let (rounds, seeds, set) = (500_u32, 40_u64, Simplex::new(1.0).unwrap());
    let of = FplConstants { dimension: 2, diameter: 2.0, range: 1.0, size: 1.0 };
    for law in [Perturbation::Uniform, Perturbation::Exponential, Perturbation::Gaussian] {
        let scale = law.tuned_epsilon(&of, 1).unwrap();
        let c = law.regret_bound(&of, 1, scale);
        let mut mean = vec![0.0; rounds as usize];
        for seed in 0..seeds {
            let rng = ChaCha8Rng::seed_from_u64(seed);
            let fpl = FollowThePerturbedLeader::new(set, 2, law, 1.0, Draws::Once, rng).unwrap();
            let mut learner = Doubling::new(fpl, scale).unwrap();
            let mut account = LinearRegret::new(2).unwrap();
            for (t, mean) in mean.iter_mut().enumerate() {
                let g = if t % 2 == 0 { [0.0, 1.0] } else { [1.0, 0.0] };
                account.record(&g, learner.play()).unwrap();
                learner.observe(&g).unwrap();
                *mean += account.regret(&set).unwrap().value / seeds as f64;
            }
        }
        for (t, mean) in (1_u32..).zip(mean) {
            assert!(mean <= PRICE * c * f64::from(t).sqrt(), "{law:?}, T = {t}: {mean}");
        }
    }
}

/// A restarted learner is a new one with the new step; a refused step leaves it as it was; FPL draws on.
#[test]
fn restarts() {
    let (set, rng) = (Simplex::new(1.0).unwrap(), ChaCha8Rng::seed_from_u64(3));
    let mut lazy = LazyOgd::new(set, 3, 1.0).unwrap();
    lazy.observe(&[1.0, 0.2, 0.0]).unwrap();
    let before = lazy.play().to_vec();
    assert!(lazy.restart(0.0).is_err() && lazy.play() == before);
    let mut fpl =
        FollowThePerturbedLeader::new(set, 3, Perturbation::Gaussian, 1.0, Draws::Once, rng).unwrap();
    let mut first_plays = Vec::new();
    for _ in 0..20 {
        first_plays.push(fpl.play().to_vec());
        assert!(fpl.restart(1e-301).is_err());
        fpl.restart(0.1).unwrap();
    }
    assert!(serde_json::to_string(&fpl).unwrap().contains("\"epsilon\":0.1"));
    assert!(first_plays.iter().any(|play| *play != first_plays[0]));
}

/// Refusals change nothing, a reset repeats the run, a saved one goes on bit for bit, and loading checks.
#[test]
fn refusals_resets_and_saved_runs() {
    fn check<L>(learner: L)
    where
        L: Restart + Clone + serde::Serialize + serde::de::DeserializeOwned,
    {
        let mut doubling = Doubling::new(learner, 0.5).unwrap();
        let mut twin = doubling.clone();
        let gradient = |t: u32| [f64::from(t).sin(), (0.7 * f64::from(t)).cos()];
        let mut plays = Vec::new();
        for t in 0..40 {
            plays.push(doubling.play().to_vec());
            assert!(doubling.observe(&[1.0]).is_err() && doubling.observe(&[f64::NAN, 0.0]).is_err());
            doubling.observe(&gradient(t)).unwrap();
            twin.observe(&gradient(t)).unwrap();
            twin = serde_json::from_str(&serde_json::to_string(&twin).unwrap()).unwrap();
            assert_eq!(doubling.play(), twin.play());
        }
        let text = serde_json::to_string(&doubling).unwrap();
        for (good, bad) in [
            ("\"scale\":0.5", "\"scale\":-0.5"),
            ("\"scale\":0.5", "\"scale\":1e-320"),
            ("\"epoch\":5", "\"epoch\":64"),
            // The learner inside has the step of epoch 5.
            ("\"epoch\":5", "\"epoch\":6"),
            ("\"scale\":0.5", "\"scale\":0.25"),
            ("\"rounds\":9", "\"rounds\":32"),
        ] {
            assert!(text.contains(good), "{text}");
            assert!(serde_json::from_str::<Doubling<L>>(&text.replace(good, bad)).is_err(), "{bad}");
        }
        doubling.reset();
        for (t, play) in (0..40).zip(plays) {
            assert_eq!(doubling.play(), play);
            doubling.observe(&gradient(t)).unwrap();
        }
    }
    let ball = || L2Ball::new(1.0).unwrap();
    check(Ogd::new(ball(), 2, StepSchedule::constant(1.0).unwrap()).unwrap());
    check(LazyOgd::new(ball(), 2, 1.0).unwrap());
    check(Hedge::new(2, 1.0).unwrap());
    check(MirrorDescent::new(Euclidean, ball(), 2, 1.0).unwrap());
    check(OptimisticMirrorDescent::new(Euclidean, ball(), 2, 1.0).unwrap());
    for draws in [Draws::Once, Draws::EachRound] {
        let rng = ChaCha8Rng::seed_from_u64(1);
        check(FollowThePerturbedLeader::new(ball(), 2, Perturbation::Uniform, 1.0, draws, rng).unwrap());
    }
    let text = serde_json::to_string(
        &Doubling::new(Ogd::new(ball(), 2, StepSchedule::constant(1.0).unwrap()).unwrap(), 1.0).unwrap(),
    )
    .unwrap();
    let (good, bad) = ("\"exponent\":0.0", "\"exponent\":0.5");
    assert!(text.contains(good) && serde_json::from_str::<Doubling<Ogd<L2Ball>>>(&text).is_ok(), "{text}");
    let loaded = serde_json::from_str::<Doubling<Ogd<L2Ball>>>(&text.replace(good, bad));
    assert!(loaded.is_err(), "a step that changes within the epoch");
    let ogd = Ogd::new(ball(), 2, StepSchedule::constant(1.0).unwrap()).unwrap();
    assert!(Doubling::new(ogd.clone(), 0.0).is_err() && Doubling::new(ogd, 1e-320).is_err());
}

/// The last epoch does not end: a run that is in it saves, loads and goes on at every count of rounds.
#[test]
fn the_last_epoch_can_be_saved() {
    let mut learner = LazyOgd::new(L2Ball::new(1.0).unwrap(), 1, 1.0).unwrap();
    learner.restart(0.5_f64.powi(63).sqrt()).unwrap();
    let learner = serde_json::to_string(&learner).unwrap();
    for rounds in [0, (1 << 63) - 1, 1 << 63, u64::MAX - 1, u64::MAX] {
        let text = format!("{{\"learner\":{learner},\"scale\":1.0,\"epoch\":63,\"rounds\":{rounds}}}");
        let mut doubling: Doubling<LazyOgd<L2Ball>> = serde_json::from_str(&text).unwrap();
        doubling.observe(&[1.0]).unwrap();
        let loaded: Doubling<LazyOgd<L2Ball>> =
            serde_json::from_str(&serde_json::to_string(&doubling).unwrap()).unwrap();
        assert_eq!((loaded.play(), loaded.horizon()), (doubling.play(), 1 << 63));
    }
}
