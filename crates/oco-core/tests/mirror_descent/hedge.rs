//! Hedge.

use crate::play::*;
use oco_core::OnlineLearner;
use oco_core::learners::{Hedge, MirrorDescent};
use projections::{NegativeEntropy, Simplex};
use proptest::prelude::*;

proptest! {
    /// log n/η + (η/2)Σ‖g‖∞².
    #[test]
    fn the_bound_of_hedge(adversary in adversary(), eta in 0.01..5.0_f64) {
        let mut hedge = Hedge::new(N, eta).unwrap();
        let entropy = (N as f64).ln();
        held(&mut hedge, &Simplex::new(1.0).unwrap(), &adversary, |g| largest(g).powi(2), |_, sizes| {
            entropy / eta + 0.5 * eta * sizes
        })?;
    }

    /// G√(2T log n) after T rounds with the η that was tuned for them.
    #[test]
    fn the_tuned_bound(adversary in adversary()) {
        let rounds = u32::try_from(adversary.rounds()).unwrap();
        let mut hedge = Hedge::tuned(N, 2.0, rounds).unwrap();
        let set = Simplex::new(1.0).unwrap();
        let (mut account, start) = (oco_core::regret::LinearRegret::new(N).unwrap(), hedge.play().to_vec());
        for t in 0..adversary.rounds() {
            let g = adversary.gradient(t, &start, hedge.play());
            account.record(&g, hedge.play()).unwrap();
            hedge.observe(&g).unwrap();
        }
        let bound = 2.0 * (2.0 * f64::from(rounds) * (N as f64).ln()).sqrt();
        prop_assert!(account.regret(&set).unwrap().value <= bound + 1e-9);
    }

    /// It is exp(−ηΣg) rescaled, and entropic mirror descent from uniform weights.
    #[test]
    fn hedge_is_the_exponential_of_the_sum(gradients in gradients(), eta in 0.01..3.0_f64) {
        let mut sums = [0.0; N];
        let mut want = vec![vec![0.25; N]];
        for g in &gradients {
            sums.iter_mut().zip(g).for_each(|(sum, g)| *sum += g);
            let weights = sums.map(|sum| (-eta * sum).exp());
            want.push(weights.iter().map(|w| w / weights.iter().sum::<f64>()).collect());
        }
        close(&plays(&mut Hedge::new(N, eta).unwrap(), &gradients), &want, 1e-12)?;
        let mut mirror = MirrorDescent::new(NegativeEntropy, Simplex::new(1.0).unwrap(), N, eta).unwrap();
        close(&plays(&mut mirror, &gradients), &want, 1e-12)?;
    }
}

/// The tuned step minimises the bound: no other has a smaller one.
#[test]
fn the_tuned_step_is_the_best_one() {
    let (rounds, loss, entropy) = (100.0, 3.0, (N as f64).ln());
    let bound = |eta: f64| entropy / eta + 0.5 * eta * rounds * loss * loss;
    let tuned = (2.0 * entropy / rounds).sqrt() / loss;
    let mut hedge = Hedge::tuned(N, loss, 100).unwrap();
    let mut same = Hedge::new(N, tuned).unwrap();
    for learner in [&mut hedge, &mut same] {
        learner.observe(&[1.0, 0.0, 0.0, 2.0]).unwrap();
    }
    assert_eq!(hedge.play(), same.play());
    assert!(bound(tuned) < bound(1.01 * tuned) && bound(tuned) < bound(0.99 * tuned));
    assert!(
        Hedge::tuned(N, 0.0, 100).is_err()
            && Hedge::tuned(N, 1.0, 0).is_err()
            && Hedge::tuned(0, 1.0, 9).is_err()
    );
    assert_eq!(Hedge::tuned(1, 1.0, 9).unwrap().play(), [1.0]);
}
