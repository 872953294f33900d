//! The regret theorems of the learners, at every prefix, on random and adversarial gradients.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use oco_core::OcoError;
use oco_core::learners::{LazyOgd, Ogd};
use oco_core::losses::Loss;
use oco_core::regret::{LinearRegret, QuadraticRegret, best_in_hindsight};
use oco_core::{OnlineLearner, StepSchedule};
use projections::{AnySet, BoxSet, CappedSimplex, DecisionSet, L1Ball, L2Ball, LinearMinimisation, Simplex};
use proptest::prelude::*;

/// Every kind of set in R^4.
fn sets() -> Vec<AnySet> {
    vec![
        AnySet::Simplex(Simplex::new(1.5).unwrap()),
        AnySet::CappedSimplex(CappedSimplex::new(vec![0.5, 0.4, 0.3, 0.2], 1.0).unwrap()),
        AnySet::Box(BoxSet::new(vec![-1.0, 0.0, 0.5, -2.0], vec![1.0, 0.5, 2.0, -1.0]).unwrap()),
        AnySet::L2Ball(L2Ball::new(0.7).unwrap()),
        AnySet::L1Ball(L1Ball::new(1.2).unwrap()),
    ]
}

/// Random gradients, or those of an adversary that always pushes the play back (g = ±x-ish signs).
fn gradients() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let random = prop::collection::vec(prop::collection::vec(-2.0..2.0_f64, 4), 1..40);
    let alternating = (1usize..40, prop::collection::vec(-2.0..2.0_f64, 4)).prop_map(|(rounds, g)| {
        (0..rounds).map(|t| g.iter().map(|g| if t % 2 == 0 { *g } else { -g }).collect()).collect()
    });
    prop_oneof![random, alternating]
}

fn norm_squared(g: &[f64]) -> f64 {
    g.iter().map(|g| g * g).sum()
}

fn distance_squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

proptest! {
    /// [Z03], constant step: Σ⟨g, x − u⟩ ≤ ‖x_1 − u‖²/2η + (η/2)Σ‖g‖², with u the best point in hindsight.
    #[test]
    fn ogd_with_a_constant_step(gradients in gradients(), eta in 0.01..2.0_f64) {
        for set in sets() {
            let mut learner = Ogd::new(set.clone(), 4, StepSchedule::constant(eta).unwrap()).unwrap();
            let start = learner.play().to_vec();
            let (mut account, mut squares) = (LinearRegret::new(4).unwrap(), 0.0);
            for g in &gradients {
                account.record(g, learner.play()).unwrap();
                learner.observe(g).unwrap();
                prop_assert!(set.contains(learner.play(), 1e-9));
                squares += norm_squared(g);
                let regret = account.regret(&set).unwrap();
                let bound = distance_squared(&start, &regret.comparator) / (2.0 * eta) + 0.5 * eta * squares;
                prop_assert!(regret.value <= bound + 1e-9, "{set:?}: {} > {bound}", regret.value);
            }
        }
    }

    /// [Z03], η_t = D/(G√t): regret ≤ (3/2)GD√T at every T, without knowing T.
    #[test]
    fn ogd_with_zinkevichs_steps(gradients in gradients()) {
        let lipschitz = gradients.iter().map(|g| norm_squared(g).sqrt()).fold(1e-9, f64::max);
        for set in sets() {
            let diameter = set.diameter(4).unwrap();
            let steps = StepSchedule::zinkevich(diameter, lipschitz).unwrap();
            let mut learner = Ogd::new(set.clone(), 4, steps).unwrap();
            let mut account = LinearRegret::new(4).unwrap();
            for (t, g) in (1u32..).zip(&gradients) {
                account.record(g, learner.play()).unwrap();
                learner.observe(g).unwrap();
                let bound = 1.5 * lipschitz * diameter * f64::from(t).sqrt();
                prop_assert!(account.regret(&set).unwrap().value <= bound + 1e-9);
            }
        }
    }

    /// [W13, Theorem 2] with the origin at the start point: regret ≤ Dρ√(2T), and its any-η form at every
    /// prefix.
    #[test]
    fn lazy_ogd(gradients in gradients()) {
        let rounds = u32::try_from(gradients.len()).unwrap();
        let lipschitz = gradients.iter().map(|g| norm_squared(g).sqrt()).fold(1e-9, f64::max);
        for set in sets() {
            let diameter = set.diameter(4).unwrap();
            let eta = StepSchedule::lecture_theorem_2(diameter, lipschitz, rounds).unwrap().eta(1);
            let mut origin = vec![0.0; 4];
            projections::start_point(&set, &mut origin).unwrap();
            let mut learner = LazyOgd::around(set.clone(), origin.clone(), eta).unwrap();
            let (mut account, mut squares) = (LinearRegret::new(4).unwrap(), 0.0);
            for g in &gradients {
                account.record(g, learner.play()).unwrap();
                learner.observe(g).unwrap();
                squares += norm_squared(g);
                let regret = account.regret(&set).unwrap();
                let bound = distance_squared(&origin, &regret.comparator) / (2.0 * eta) + eta * squares;
                prop_assert!(regret.value <= bound + 1e-9, "{set:?}: {} > {bound}", regret.value);
            }
            let bound = diameter * lipschitz * (2.0 * f64::from(rounds)).sqrt();
            prop_assert!(account.regret(&set).unwrap().value <= bound + 1e-9);
        }
    }

    /// The exact comparators are the best fixed points: no vertex-free search by Frank–Wolfe beats them.
    #[test]
    fn comparators_are_best(centres in prop::collection::vec(prop::collection::vec(-2.0..2.0_f64, 4), 1..6)) {
        struct Sum<'a>(&'a [Vec<f64>]);
        impl Loss for Sum<'_> {
            fn dimension(&self) -> usize { 4 }
            fn value(&self, u: &[f64]) -> f64 { self.0.iter().map(|c| distance_squared(u, c)).sum() }
            fn subgradient(&self, u: &[f64], g: &mut [f64]) {
                for (j, g) in g.iter_mut().enumerate() {
                    *g = self.0.iter().map(|c| 2.0 * (u[j] - c[j])).sum();
                }
            }
        }
        for set in sets() {
            let mut account = QuadraticRegret::new(4).unwrap();
            for c in &centres {
                account.record(c, &[0.0; 4]).unwrap();
            }
            let exact = account.regret(&set).unwrap();
            let found = best_in_hindsight(&Sum(&centres), &set, 1e-3, 20_000).unwrap();
            prop_assert!(set.contains(&found.point, 1e-9));
            prop_assert!(found.loss - found.gap <= exact.comparator_loss + 1e-9);
            prop_assert!(exact.comparator_loss <= found.loss + 1e-9, "{set:?}");
        }
    }
}

/// Negative space: outside its hypotheses the lecture's theorem fails. On [100, 101] with origin 0 and D the
/// diameter, as its statement reads, regret passes the bound twentyfold.
#[test]
fn the_lecture_needs_zero_in_the_set() {
    let (rounds, set) = (2000u32, BoxSet::interval(100.0, 101.0).unwrap());
    let eta = StepSchedule::lecture_theorem_2(1.0, 1.0, rounds).unwrap().eta(1);
    let mut account = LinearRegret::new(1).unwrap();
    let mut learner = LazyOgd::new(set.clone(), 1, eta).unwrap();
    let mut shifted = LazyOgd::around(set.clone(), vec![100.0], eta).unwrap();
    let mut shifted_account = LinearRegret::new(1).unwrap();
    for _ in 0..rounds {
        account.record(&[-1.0], learner.play()).unwrap();
        learner.observe(&[-1.0]).unwrap();
        shifted_account.record(&[-1.0], shifted.play()).unwrap();
        shifted.observe(&[-1.0]).unwrap();
    }
    let bound = (2.0 * f64::from(rounds)).sqrt();
    assert!(account.regret(&set).unwrap().value > 20.0 * bound);
    assert!(shifted_account.regret(&set).unwrap().value <= bound, "the start point puts it right");
}

/// A refused gradient changes nothing.
#[test]
fn refused_gradients_change_nothing() {
    fn check<L: OnlineLearner + Clone>(mut learner: L) {
        learner.observe(&[0.3, -0.2]).unwrap();
        let mut twin = learner.clone();
        for bad in [&[1.0][..], &[f64::NAN, 0.0], &[f64::INFINITY, 0.0]] {
            assert!(learner.observe(bad).is_err(), "{bad:?}");
        }
        learner.observe(&[-0.1, 0.4]).unwrap();
        twin.observe(&[-0.1, 0.4]).unwrap();
        assert_eq!(learner.play(), twin.play());
        learner.reset();
        assert_eq!(learner.play(), [0.0, 0.0]);
    }
    let ball = || L2Ball::new(1.0).unwrap();
    check(Ogd::new(ball(), 2, StepSchedule::power(2.0, 0.5).unwrap()).unwrap());
    check(LazyOgd::new(ball(), 2, 2.0).unwrap());
    let outside = Ogd::starting_at(ball(), vec![2.0, 0.0], StepSchedule::constant(1.0).unwrap());
    assert!(matches!(outside, Err(OcoError::OutsideSet { argument: "start" })));
    assert!(ball().lmo(&[f64::NAN, 0.0]).is_err());
}

/// Stop, save, load, continue: bit for bit the run without a stop.
#[test]
fn a_saved_learner_goes_on_bit_for_bit() {
    fn check<L: OnlineLearner + Clone + serde::Serialize + serde::de::DeserializeOwned>(mut learner: L) {
        let gradient = |t: u32| [f64::from(t).sin(), (f64::from(t) * 0.7).cos()];
        (0..50).for_each(|t| learner.observe(&gradient(t)).unwrap());
        let text = serde_json::to_string(&learner).unwrap();
        let mut loaded: L = serde_json::from_str(&text).unwrap();
        for t in 50..100 {
            learner.observe(&gradient(t)).unwrap();
            loaded.observe(&gradient(t)).unwrap();
            assert_eq!(learner.play(), loaded.play());
        }
        assert!(
            serde_json::from_str::<L>(&text.replace("\"r\":1.0", "\"r\":-1.0")).is_err(),
            "checked on loading"
        );
    }
    let ball = || L2Ball::new(1.0).unwrap();
    check(Ogd::new(ball(), 2, StepSchedule::power(0.3, 0.5).unwrap()).unwrap());
    check(LazyOgd::new(ball(), 2, 0.1).unwrap());
}

/// A count of rounds at the end of its type stays there.
#[test]
fn the_last_round_is_not_the_end() {
    let ogd = Ogd::new(L2Ball::new(1.0).unwrap(), 1, StepSchedule::power(1.0, 0.5).unwrap()).unwrap();
    let text = serde_json::to_string(&ogd).unwrap();
    assert!(text.contains("\"t\":1"), "{text}");
    let text = text.replace("\"t\":1", &format!("\"t\":{}", u64::MAX));
    let mut ogd: Ogd<L2Ball> = serde_json::from_str(&text).unwrap();
    for round in 1_u32..3 {
        ogd.observe(&[-1.0]).unwrap();
        // η_t = 2^−32.
        assert!((ogd.play()[0] - f64::from(round) * 0.5_f64.powi(32)).abs() < 1e-25);
    }
}
