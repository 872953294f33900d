//! L̂*: below the risk of every policy, and its infimum where contexts are distinct.

use crate::account::{objective, ratios};
use crate::logs::random_log;
use boosters::bopl::{Bopl, optimal_risk};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn no_policy_is_below_it() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for seed in 0..40 {
        let actions = 1 + seed as usize % 4;
        let log = random_log(25, 1, actions, seed);
        let b = rng.random_range(-0.5..0.5);
        let optimal = optimal_risk(&log, b).unwrap();
        for size in [0.0, 1.0, 100.0, 1e4] {
            let row = |_| (0..actions).map(|_| size * rng.random_range(-1.0..1.0)).collect();
            let scores: Vec<Vec<f64>> = (0..25).map(row).collect();
            assert!(objective::<Bopl>(&log, b, &scores) >= optimal - 1e-12);
        }
    }
}

#[test]
fn it_is_reached_where_contexts_are_distinct() {
    for seed in 0..20 {
        let (actions, b) = (2 + seed as usize % 3, -0.2);
        let log = random_log(25, 1, actions, seed);
        let scores: Vec<Vec<f64>> = ratios(&log, b)
            .iter()
            .zip(log.logged_actions())
            .map(|(v, logged)| {
                let liked = if *v > 0.0 { *logged as usize } else { (*logged as usize + 1) % actions };
                (0..actions).map(|a| if a == liked { 200.0 } else { 0.0 }).collect()
            })
            .collect();
        let (risk, optimal) = (objective::<Bopl>(&log, b, &scores), optimal_risk(&log, b).unwrap());
        assert!((risk - optimal).abs() < 1e-12, "{risk} {optimal}");
    }
}
