//! Dual averaging.

use crate::play::*;
use oco_core::OnlineLearner;
use oco_core::learners::{DualAveraging, LazyOgd, MirrorDescent};
use oco_core::regret::LinearRegret;
use projections::{AnySet, BoxSet, Euclidean, NegativeEntropy, PNorm, Regulariser, Simplex, WholeSpace};
use proptest::prelude::*;

proptest! {
    /// (B(u, z_1) − B(x_1, z_1))/η + (η/2β)Σ‖g‖*², from origins inside K and outside.
    #[test]
    fn the_lazy_bound(
        adversary in adversary(), eta in 0.01..3.0_f64,
        origin in point(2.0), weights in weights(),
    ) {
        for (set, size) in euclidean_sets() {
            let mut learner = DualAveraging::around(Euclidean, set.clone(), origin.clone(), eta).unwrap();
            let at_start = Euclidean.divergence(learner.play(), &origin).unwrap();
            held(&mut learner, &set, &adversary, size, |u, sizes| {
                (Euclidean.divergence(u, &origin).unwrap() - at_start) / eta + 0.5 * eta * sizes
            })?;
        }
        for (set, size) in entropic_sets() {
            let mut learner = DualAveraging::around(NegativeEntropy, set.clone(), weights.clone(), eta).unwrap();
            let at_start = NegativeEntropy.divergence(learner.play(), &weights).unwrap();
            held(&mut learner, &set, &adversary, size, |u, sizes| {
                (NegativeEntropy.divergence(u, &weights).unwrap() - at_start) / eta + 0.5 * eta * sizes
            })?;
        }
    }

    #[test]
    fn the_lazy_bound_of_p_norms(
        adversary in adversary(), eta in 0.01..1.0_f64, p in 1.1..=2.0_f64,
        u in point(5.0), start in point(1.0),
    ) {
        let map = PNorm::new(p).unwrap();
        let mut learner = DualAveraging::starting_at(map, WholeSpace, start.clone(), eta).unwrap();
        let distance = map.divergence(&u, &start).unwrap();
        held_against(&mut learner, &u, &adversary, dual_p_size(p), |sizes| distance / eta + 0.5 * eta * sizes)?;
    }

    /// On the simplex the entropic projection scales all weights alike, so that forgetting it changes
    /// nothing.
    #[test]
    fn lazy_is_active_for_the_entropy_on_the_simplex(
        adversary in adversary(), eta in 0.01..3.0_f64, weights in weights(),
    ) {
        let set = Simplex::new(1.5).unwrap();
        let mut start = weights;
        projections::Projection::<NegativeEntropy>::project(&set, &mut start).unwrap();
        let mut lazy = DualAveraging::starting_at(NegativeEntropy, set, start.clone(), eta).unwrap();
        let mut active = MirrorDescent::starting_at(NegativeEntropy, set, start.clone(), eta).unwrap();
        for t in 0..adversary.rounds() {
            close(&[lazy.play().to_vec()], &[active.play().to_vec()], 1e-12)?;
            let g = adversary.gradient(t, &start, lazy.play());
            lazy.observe(&g).unwrap();
            active.observe(&g).unwrap();
        }
    }

    /// In the Euclidean geometry it is the lecture's online subgradient descent, bit for bit.
    #[test]
    fn euclidean_dual_averaging_is_lazy_ogd(adversary in adversary(), eta in 0.01..3.0_f64, origin in point(2.0)) {
        for (set, _) in euclidean_sets() {
            let mut a = LazyOgd::around(set.clone(), origin.clone(), eta).unwrap();
            let mut b = DualAveraging::around(Euclidean, set, origin.clone(), eta).unwrap();
            let start = a.play().to_vec();
            for t in 0..adversary.rounds() {
                prop_assert_eq!(a.play(), b.play());
                let g = adversary.gradient(t, &start, a.play());
                a.observe(&g).unwrap();
                b.observe(&g).unwrap();
            }
        }
    }
}

/// The bound with B(u, x_1) in the place of B(u, z_1) − B(x_1, z_1) fails for z_1 ∉ K; the corrected one
/// holds.
#[test]
fn the_plain_bound_fails_outside_the_set() {
    let (set, eta) = (BoxSet::interval(0.5, 1.5).unwrap(), 0.5);
    let mut lazy = DualAveraging::around(Euclidean, set.clone(), vec![0.0], eta).unwrap();
    let (x1, mut account) = (lazy.play().to_vec(), LinearRegret::new(1).unwrap());
    for _ in 0..2 {
        account.record(&[-1.0], lazy.play()).unwrap();
        lazy.observe(&[-1.0]).unwrap();
    }
    let regret = account.regret(&set).unwrap();
    let from = |y: &[f64]| Euclidean.divergence(&regret.comparator, y).unwrap();
    let step_terms = 0.5 * eta * 2.0;
    let plain = from(&x1) / eta + step_terms;
    let corrected = (from(&[0.0]) - Euclidean.divergence(&x1, &[0.0]).unwrap()) / eta + step_terms;
    assert_eq!((regret.value, plain, corrected), (2.0, 1.5, 2.5));
}

/// On a capped simplex the two forms part: the negative space of the equivalence above.
#[test]
fn lazy_is_not_active_on_a_capped_simplex() {
    let set = || AnySet::CappedSimplex(projections::CappedSimplex::new(vec![0.6; 3], 1.0).unwrap());
    let start = vec![1.0 / 3.0; 3];
    let mut lazy = DualAveraging::starting_at(NegativeEntropy, set(), start.clone(), 1.0).unwrap();
    let mut active = MirrorDescent::starting_at(NegativeEntropy, set(), start, 1.0).unwrap();
    for g in [[-9.0, 0.0, 0.0], [5.0, 0.0, 0.0]] {
        lazy.observe(&g).unwrap();
        active.observe(&g).unwrap();
    }
    assert!((lazy.play()[0] - 0.6).abs() < 1e-12 && active.play()[0] < 0.1, "{:?}", active.play());
}
