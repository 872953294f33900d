//! Optimistic mirror descent.

use crate::play::*;
use oco_core::learners::{MirrorDescent, OptimisticMirrorDescent};
use oco_core::regret::LinearRegret;
use oco_core::{Geometry, OnlineLearner};
use projections::{
    AnySet, DecisionSet, Euclidean, Exact, L2Ball, NegativeEntropy, PNorm, Regulariser, WholeSpace,
};
use proptest::prelude::*;

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// B(u, z_1)/η + (η/2β)Σ‖g − m‖*², with hints that are given in some rounds and left to the learner in the
/// others.
fn held_with_hints<R: Geometry<AnySet> + Clone>(
    (set, size): Sized,
    map: &R,
    origin: &[f64],
    eta: f64,
    adversary: &Adversary,
    hints: &[Option<Vec<f64>>],
) -> Result<(), TestCaseError>
where
    AnySet: Exact<R>,
{
    let mut learner =
        OptimisticMirrorDescent::around(map.clone(), set.clone(), origin.to_vec(), eta).unwrap();
    let (start, mut last) = (learner.play().to_vec(), vec![0.0; N]);
    let (mut account, mut sizes) = (LinearRegret::new(N).unwrap(), 0.0);
    for (t, given) in (0..adversary.rounds()).zip(hints) {
        let hint = given.as_ref().unwrap_or(&last);
        if let Some(hint) = given {
            learner.expect(hint).unwrap();
        }
        let g = adversary.gradient(t, &start, learner.play());
        sizes += size(&difference(&g, hint));
        account.record(&g, learner.play()).unwrap();
        learner.observe(&g).unwrap();
        last = g;
        prop_assert!(set.contains(learner.play(), 1e-9));
        let regret = account.regret(&set).unwrap();
        let bound = map.divergence(&regret.comparator, origin).unwrap() / eta + 0.5 * eta * sizes;
        prop_assert!(regret.value <= bound + 1e-9, "round {t}, {set:?}: {} > {bound}", regret.value);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_optimistic_bound(
        adversary in adversary(), eta in 0.01..3.0_f64, weights in weights(),
        hints in prop::collection::vec(prop::option::of(point(2.0)), 30),
        origin in point(2.0),
    ) {
        for set in euclidean_sets() {
            held_with_hints(set, &Euclidean, &origin, eta, &adversary, &hints)?;
        }
        for set in entropic_sets() {
            held_with_hints(set, &NegativeEntropy, &weights, eta, &adversary, &hints)?;
        }
    }

    /// The last gradient as hint, in p-norms on the whole space.
    #[test]
    fn the_optimistic_bound_of_p_norms(
        adversary in adversary(), eta in 0.01..1.0_f64, p in 1.1..=2.0_f64, u in point(5.0),
    ) {
        let (map, size) = (PNorm::new(p).unwrap(), dual_p_size(p));
        let mut learner = OptimisticMirrorDescent::new(map, WholeSpace, N, eta).unwrap();
        let last = std::cell::RefCell::new(vec![0.0; N]);
        let surprise = |g: &[f64]| size(&difference(g, &last.replace(g.to_vec())));
        let distance = map.divergence(&u, &[0.0; N]).unwrap();
        held_against(&mut learner, &u, &adversary, surprise, |sizes| distance / eta + 0.5 * eta * sizes)?;
    }

    /// With hint 0 it plays z_t, which is mirror descent.
    #[test]
    fn without_expectations_it_is_mirror_descent(adversary in adversary(), eta in 0.01..3.0_f64) {
        for (set, _) in entropic_sets() {
            let mut plain = MirrorDescent::new(NegativeEntropy, set.clone(), N, eta).unwrap();
            let mut learner = OptimisticMirrorDescent::new(NegativeEntropy, set, N, eta).unwrap();
            let start = plain.play().to_vec();
            for t in 0..adversary.rounds() {
                learner.expect(&[0.0; N]).unwrap();
                close(&[learner.play().to_vec()], &[plain.play().to_vec()], 1e-12)?;
                let g = adversary.gradient(t, &start, plain.play());
                learner.observe(&g).unwrap();
                plain.observe(&g).unwrap();
                prop_assert_eq!(learner.z(), plain.play());
            }
        }
    }
}

/// A hint replaces an earlier one of the same round, and a refused one changes nothing.
#[test]
fn the_last_hint_counts() {
    let ball = L2Ball::new(10.0).unwrap();
    let mut learner = OptimisticMirrorDescent::new(Euclidean, ball, 2, 1.0).unwrap();
    learner.expect(&[5.0, 5.0]).unwrap();
    learner.expect(&[1.0, -2.0]).unwrap();
    assert_eq!((learner.play(), learner.z()), (&[-1.0, 2.0][..], &[0.0, 0.0][..]));
    assert!(learner.expect(&[1.0]).is_err() && learner.expect(&[f64::NAN, 0.0]).is_err());
    assert_eq!(learner.play(), [-1.0, 2.0]);
}
