//! Theorem 2 of [BCMH20]: the excess falls like 1/√N.

use super::streams::{Examples, Inner, class, rng, synthetic};
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster};

/// With coins of advantage γ around an expert, z has mean h(x) and variance (1 − γ²)/(γ²N), so the excess over h is
/// E max(0, 1 − zh) ≈ √((1 − γ²)/(2πγ²N)) a round for each correct label, and as much is won back for each wrong one:
/// quartered steps in N halve it. Both boosters, and the bound itself is never crossed.
#[test]
fn four_times_the_learners_halve_the_excess() {
    let (examples, rounds, gamma) = (Examples::letter(), 1000, 0.2);
    let expert = class(&examples.thresholds(4))[20];
    let stream = examples.separable(rounds, expert, 3);
    for realizable in [false, true] {
        let excess = |n: u32| {
            let learners = synthetic(expert, gamma, u64::from(n), 1);
            let mut key = rng(2, 0);
            let mut gain = 0.0;
            if realizable {
                let mut booster = OnlineRealizableBooster::with_ogd(learners, gamma, &mut key).unwrap();
                for (x, y) in stream.examples() {
                    booster.round(x, y).unwrap();
                    gain += Inner::of(booster.trace(), gamma, y, [0.0, 1.0]).mean_gain;
                }
            } else {
                let mut booster = OnlineAgnosticBooster::with_ogd(learners, gamma, &mut key).unwrap();
                for (x, y) in stream.examples() {
                    booster.round(x, y).unwrap();
                    gain += Inner::of(booster.trace(), gamma, y, [-1.0, 1.0]).mean_gain;
                }
            }
            1.0 - gain / 1000.0
        };
        for n in [64_u32, 256, 1024] {
            let (few, scale) = (excess(n), f64::from(n).sqrt());
            let expected =
                (1.0 - gamma * gamma).sqrt() / (gamma * (2.0 * std::f64::consts::PI).sqrt()) / scale;
            assert!((few / expected - 1.0).abs() < 0.25, "N = {n}: {few}, not about {expected}");
            let reach = if realizable { 0.5 } else { 1.0 };
            assert!(few <= reach * (1.0 + 1.0 / gamma) / scale, "N = {n}: {few}");
        }
    }
}
