//! Mirror descent with an active projection.

use crate::play::*;
use oco_core::learners::{MirrorDescent, Ogd};
use oco_core::{OnlineLearner, StepSchedule};
use projections::{Euclidean, NegativeEntropy, PNorm, Regulariser, Simplex, Then, UnitBox, WholeSpace};
use proptest::prelude::*;

proptest! {
    /// B(u, x_1)/η + (η/2β)Σ‖g‖*², from the default start and, in the entropic geometry, from any other.
    #[test]
    fn the_active_bound(adversary in adversary(), eta in 0.01..3.0_f64, weights in weights()) {
        for (set, size) in euclidean_sets() {
            let mut learner = MirrorDescent::new(Euclidean, set.clone(), N, eta).unwrap();
            let start = learner.play().to_vec();
            held(&mut learner, &set, &adversary, size, |u, sizes| {
                Euclidean.divergence(u, &start).unwrap() / eta + 0.5 * eta * sizes
            })?;
        }
        for (set, size) in entropic_sets() {
            let mut start = weights.clone();
            projections::Projection::<NegativeEntropy>::project(&set, &mut start).unwrap();
            for mut learner in [
                MirrorDescent::new(NegativeEntropy, set.clone(), N, eta).unwrap(),
                MirrorDescent::starting_at(NegativeEntropy, set.clone(), start, eta).unwrap(),
            ] {
                let start = learner.play().to_vec();
                held(&mut learner, &set, &adversary, size, |u, sizes| {
                    NegativeEntropy.divergence(u, &start).unwrap() / eta + 0.5 * eta * sizes
                })?;
            }
        }
    }

    #[test]
    fn the_active_bound_of_p_norms(
        adversary in adversary(), eta in 0.01..1.0_f64, p in 1.1..=2.0_f64,
        u in point(5.0), start in point(1.0),
    ) {
        let map = PNorm::new(p).unwrap();
        let mut learner = MirrorDescent::starting_at(map, WholeSpace, start.clone(), eta).unwrap();
        let distance = map.divergence(&u, &start).unwrap();
        held_against(&mut learner, &u, &adversary, dual_p_size(p), |sizes| distance / eta + 0.5 * eta * sizes)?;
    }

    /// The double projection onto the simplex keeps the active bound: in the Euclidean geometry as it stands,
    /// in the entropic one with ΣB(x_t, z_{t+1})/η, of which a strongly convex step would make the quadratic
    /// term.
    #[test]
    fn an_approximate_projection_meets_the_active_bound(adversary in adversary(), eta in 0.01..3.0_f64) {
        let double = || Then::new(UnitBox, Simplex::new(1.0).unwrap());
        let mut learner = MirrorDescent::new(Euclidean, double(), N, eta).unwrap();
        let start = learner.play().to_vec();
        held(&mut learner, &double(), &adversary, squares, |u, sizes| {
            Euclidean.divergence(u, &start).unwrap() / eta + 0.5 * eta * sizes
        })?;

        let mut learner = MirrorDescent::new(NegativeEntropy, double(), N, eta).unwrap();
        let start = learner.play().to_vec();
        let (mut account, mut steps) = (oco_core::regret::LinearRegret::new(N).unwrap(), 0.0);
        for t in 0..adversary.rounds() {
            let (x, g) = (learner.play().to_vec(), adversary.gradient(t, &start, learner.play()));
            let z: Vec<f64> = x.iter().zip(&g).map(|(x, g)| x * (-eta * g).exp()).collect();
            steps += NegativeEntropy.divergence(&x, &z).unwrap();
            account.record(&g, &x).unwrap();
            learner.observe(&g).unwrap();
            let mut direct = z;
            projections::Projection::<NegativeEntropy>::project(&double(), &mut direct).unwrap();
            close(&[learner.play().to_vec()], &[direct], 1e-12)?;
            let regret = account.regret(&double()).unwrap();
            let bound = (NegativeEntropy.divergence(&regret.comparator, &start).unwrap() + steps) / eta;
            prop_assert!(regret.value <= bound + 1e-9, "{} > {bound}", regret.value);
        }
    }

    /// In the Euclidean geometry it is online gradient descent, bit for bit.
    #[test]
    fn euclidean_mirror_descent_is_ogd(adversary in adversary(), eta in 0.01..3.0_f64) {
        for (set, _) in euclidean_sets() {
            let mut ogd = Ogd::new(set.clone(), N, StepSchedule::constant(eta).unwrap()).unwrap();
            let mut mirror = MirrorDescent::new(Euclidean, set, N, eta).unwrap();
            let start = ogd.play().to_vec();
            for t in 0..adversary.rounds() {
                prop_assert_eq!(ogd.play(), mirror.play());
                let g = adversary.gradient(t, &start, ogd.play());
                ogd.observe(&g).unwrap();
                mirror.observe(&g).unwrap();
            }
        }
    }

    /// The 2-norm is Euclidean.
    #[test]
    fn the_2_norm_is_euclidean(adversary in adversary(), eta in 0.01..3.0_f64) {
        let gradients: Vec<_> = (0..adversary.rounds()).map(|t| adversary.gradient(t, &[0.0; N], &[0.0; N])).collect();
        let mut a = MirrorDescent::new(PNorm::new(2.0).unwrap(), WholeSpace, N, eta).unwrap();
        let mut b = MirrorDescent::new(Euclidean, WholeSpace, N, eta).unwrap();
        close(&plays(&mut a, &gradients), &plays(&mut b, &gradients), 1e-10)?;
    }

    /// x_{t+1} = Π(x_t∘exp(−ηg_t)) in plain numbers, where nothing underflows.
    #[test]
    fn the_entropic_update(gradients in gradients(), eta in 0.01..2.0_f64) {
        for (set, _) in entropic_sets() {
            let mut learner = MirrorDescent::new(NegativeEntropy, set.clone(), N, eta).unwrap();
            for g in &gradients {
                let mut x: Vec<f64> = learner.play().iter().zip(g).map(|(x, g)| x * (-eta * g).exp()).collect();
                projections::Projection::<NegativeEntropy>::project(&set, &mut x).unwrap();
                learner.observe(g).unwrap();
                close(&[learner.play().to_vec()], &[x], 1e-12)?;
            }
        }
    }
}
