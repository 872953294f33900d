//! Follow the leader, regularised or not.

use crate::play::*;
use oco_core::learners::{DualAveraging, FollowTheLeader, Ftrl, FtrlQuadratic};
use oco_core::regret::LinearRegret;
use oco_core::{Geometry, OnlineLearner};
use projections::{
    AnySet, BoxSet, Euclidean, Exact, LinearMinimisation, NegativeEntropy, PNorm, Regulariser, WholeSpace,
};
use proptest::prelude::*;

/// [W13, Example 2]: the leader's regret is at least T − 1; a regulariser keeps it below the √T of Theorem 2.
#[test]
fn example_2() {
    let interval = || BoxSet::interval(-1.0, 1.0).unwrap();
    let slope = |t: u32| match t {
        1 => -0.5,
        _ if t.is_multiple_of(2) => 1.0,
        _ => -1.0,
    };
    let rounds = 1000_u32;
    let mut leader = FollowTheLeader::starting_at(interval(), vec![0.0]).unwrap();
    let eta = 2.0 / (2.0 * f64::from(rounds)).sqrt();
    let mut regularised = Ftrl::new(Euclidean, interval(), 1, eta).unwrap();
    let [mut of_leader, mut of_ftrl] = [0, 1].map(|_| LinearRegret::new(1).unwrap());
    for t in 1..=rounds {
        of_leader.record(&[slope(t)], leader.play()).unwrap();
        of_ftrl.record(&[slope(t)], regularised.play()).unwrap();
        leader.observe(&[slope(t)]).unwrap();
        regularised.observe(&[slope(t)]).unwrap();
        assert!(of_leader.regret(&interval()).unwrap().value >= f64::from(t) - 1.0);
        assert_eq!(of_leader.against(&[0.0]).unwrap(), f64::from(t) - 1.0, "what the lecture counts");
    }
    let bound = 2.0 * (2.0 * f64::from(rounds)).sqrt();
    assert!(of_ftrl.regret(&interval()).unwrap().value <= bound && bound < 90.0);
}

/// ⟨∇F(x), v − x⟩ ≥ 0 for every v ∈ K, where ∇F = Σg + ∇R(x)/η: x minimises what FTRL minimises.
fn minimises(set: &AnySet, x: &[f64], slope: &[f64]) -> Result<(), TestCaseError> {
    let v = set.lmo(slope).unwrap();
    let gain = dot(slope, &v) - dot(slope, x);
    prop_assert!(gain >= -1e-9 * (1.0 + largest(slope)), "{set:?}: a gain of {gain}");
    Ok(())
}

/// Theorem 1 and optimality, every round.
fn theorem_1<R: Geometry<AnySet> + Clone>(
    set: &AnySet,
    map: &R,
    eta: f64,
    adversary: &Adversary,
) -> Result<(), TestCaseError>
where
    AnySet: Exact<R>,
{
    let mut ftrl = Ftrl::new(map.clone(), set.clone(), N, eta).unwrap();
    let start = ftrl.play().to_vec();
    let (mut account, mut sum, mut stability) = (LinearRegret::new(N).unwrap(), vec![0.0; N], 0.0);
    for t in 0..adversary.rounds() {
        let x = ftrl.play().to_vec();
        let g = adversary.gradient(t, &start, &x);
        account.record(&g, &x).unwrap();
        ftrl.observe(&g).unwrap();
        stability += dot(&g, &x) - dot(&g, ftrl.play());
        let regret = account.regret(set).unwrap();
        let penalties = ftrl.penalty(&regret.comparator).unwrap() - ftrl.penalty(&start).unwrap();
        prop_assert!(regret.value <= stability + penalties + 1e-9, "{set:?}: {} in round {t}", regret.value);

        sum.iter_mut().zip(&g).for_each(|(sum, g)| *sum += g);
        let mut slope = vec![0.0; N];
        map.mirror(ftrl.play(), &mut slope).unwrap();
        slope.iter_mut().zip(&sum).for_each(|(theta, sum)| *theta = *theta / eta + sum);
        minimises(set, ftrl.play(), &slope)?;
    }
    Ok(())
}

proptest! {
    #[test]
    fn theorem_1_on_linear_losses(adversary in adversary(), eta in 0.05..2.0_f64) {
        for (set, _) in euclidean_sets() {
            theorem_1(&set, &Euclidean, eta, &adversary)?;
        }
        for (set, _) in entropic_sets() {
            theorem_1(&set, &NegativeEntropy, eta, &adversary)?;
        }
    }

    /// In p-norms on the whole space, against any comparator.
    #[test]
    fn theorem_1_in_p_norms(adversary in adversary(), eta in 0.05..2.0_f64, p in 1.1..=2.0_f64, u in point(5.0)) {
        let map = PNorm::new(p).unwrap();
        let mut ftrl = Ftrl::new(map, WholeSpace, N, eta).unwrap();
        let (mut account, mut sum, mut stability) = (LinearRegret::new(N).unwrap(), vec![0.0; N], 0.0);
        for t in 0..adversary.rounds() {
            let x = ftrl.play().to_vec();
            let g = adversary.gradient(t, &[0.0; N], &x);
            account.record(&g, &x).unwrap();
            ftrl.observe(&g).unwrap();
            stability += dot(&g, &x) - dot(&g, ftrl.play());
            prop_assert!(account.against(&u).unwrap() <= stability + ftrl.penalty(&u).unwrap() + 1e-9);
            sum.iter_mut().zip(&g).for_each(|(sum, g)| *sum += g);
            let mut theta = vec![0.0; N];
            map.mirror(ftrl.play(), &mut theta).unwrap();
            for (theta, sum) in theta.iter().zip(&sum) {
                prop_assert!((theta / eta + sum).abs() < 1e-9, "the gradient vanishes at the minimum");
            }
        }
    }

    /// From z_1 = argmin R, FTRL and dual averaging play alike; the entropy's least point is 1, not 0.
    #[test]
    fn ftrl_is_dual_averaging_from_the_minimiser(gradients in gradients(), eta in 0.05..2.0_f64) {
        for (set, _) in entropic_sets() {
            let mut ftrl = Ftrl::new(NegativeEntropy, set.clone(), N, eta).unwrap();
            let mut lazy = DualAveraging::around(NegativeEntropy, set, vec![1.0; N], eta).unwrap();
            prop_assert_eq!(plays(&mut ftrl, &gradients), plays(&mut lazy, &gradients));
        }
    }

    /// Theorem 1 and optimality on quadratics, every round, against the best point in hindsight and any
    /// other.
    #[test]
    fn theorem_1_on_quadratic_losses(
        losses in quadratics(), eta in 0.05..5.0_f64,
    ) {
        let value = |a: f64, c: &[f64], x: &[f64]| -> f64 {
            0.5 * a * x.iter().zip(c).map(|(x, c)| (x - c) * (x - c)).sum::<f64>()
        };
        for (set, _) in euclidean_sets() {
            let mut ftrl = FtrlQuadratic::new(set.clone(), N, eta).unwrap();
            let start = ftrl.play().to_vec();
            let (mut learner_loss, mut stability) = (0.0, 0.0);
            for (t, (a, c)) in losses.iter().enumerate() {
                let x = ftrl.play().to_vec();
                ftrl.observe(*a, c).unwrap();
                learner_loss += value(*a, c, &x);
                stability += value(*a, c, &x) - value(*a, c, ftrl.play());
                let seen = &losses[..=t];
                let total = seen.iter().map(|(a, _)| a).sum::<f64>();
                let weighted = |j: usize| seen.iter().map(|(a, c)| a * c[j]).sum::<f64>();
                let mut best: Vec<f64> = (0..N).map(|j| weighted(j) / total).collect();
                projections::Projection::<Euclidean>::project(&set, &mut best).unwrap();
                for u in [&best, &start, &set.lmo(c).unwrap()] {
                    let lhs = learner_loss - seen.iter().map(|(a, c)| value(*a, c, u)).sum::<f64>();
                    let rhs = stability + ftrl.penalty(u).unwrap() - ftrl.penalty(&start).unwrap();
                    prop_assert!(lhs <= rhs + 1e-9, "{set:?}: {lhs} > {rhs} in round {t}");
                }
                let x = ftrl.play();
                let slope: Vec<f64> = (0..N).map(|j| total * x[j] - weighted(j) + x[j] / eta).collect();
                minimises(&set, x, &slope)?;
            }
        }
    }
}
