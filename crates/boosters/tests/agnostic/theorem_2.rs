//! Theorem 2 of [BCMH20]: with OGD, R_A(N)/N falls like 1/√N; and the excess that remains.

use super::streams::{Examples, Inner, class, hedges, margin, rng, synthetic};
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster};

/// (1/NT)ΣR_{A,t} and the sum of E_Π[ŷ_t]y_t of Algorithm 1 over N learners that learn, Hedge over stumps.
fn over_hedge(examples: &Examples, rounds: u32, gamma: f64, n: u32) -> (f64, f64, f64) {
    let thresholds = examples.thresholds(4);
    let experts = class(&thresholds);
    let stream = examples.nearly_separable(rounds as usize, experts[20], 0.05, 3);
    let learners = hedges(&thresholds, rounds, u64::from(n), 1);
    let mut booster = OnlineAgnosticBooster::with_ogd(learners, gamma, &mut rng(2, 0)).unwrap();
    let (mut gain, mut oco) = (0.0, 0.0);
    for (x, y) in stream.examples() {
        booster.round(x, y).unwrap();
        let inner = Inner::of(booster.trace(), gamma, y, [-1.0, 1.0]);
        gain += inner.mean_gain;
        oco += inner.oco_regret / f64::from(n);
    }
    (gain, oco / f64::from(rounds), stream.best(&experts).1)
}

/// With learners that learn: the realised R_A(N)/N, at most (1 + 1/γ)/√N, is within a factor of it for every
/// N and is halved by four times the learners; and the excess over the best expert is at most what Hedge's
/// own theorem and that of OGD leave.
#[test]
fn four_times_the_learners_halve_the_regret_of_the_oco_learner() {
    let (examples, rounds, gamma) = (Examples::letter(), 800_u32, 0.8);
    let t = f64::from(rounds);
    let mut before = None;
    for n in [4_u32, 16, 64] {
        let (gain, oco, of_best) = over_hedge(&examples, rounds, gamma, n);
        let proved = (1.0 + 1.0 / gamma) / f64::from(n).sqrt();
        assert!(oco <= proved && oco >= 0.25 * proved, "N = {n}: {oco}, proved {proved}");
        if let Some(before) = before.replace(oco) {
            assert!((0.35..0.65).contains(&(oco / before)), "N = {n}: {oco} after {before}");
        }
        let experts = class(&examples.thresholds(4)).len() as f64;
        let hedge = (2.0 * t * experts.ln()).sqrt() / gamma;
        // The labels that were passed for p_t^iy_t, the learners' draws for their means: as in
        // `proposition_3.rs`.
        let coins = t * (4.0 * (1.0 + gamma).powi(2) + 4.0) / (gamma * gamma * f64::from(n));
        let bound = hedge + t * proved + margin(coins, 1.0);
        assert!(of_best - gain <= bound, "N = {n}: {gain} of {of_best}, {bound}");
        assert!(n < 64 || bound < of_best, "{bound} says nothing of {of_best}");
    }
}

/// Where nothing is to be learnt, the vote is a mean of coins: with coins of advantage γ around an expert, z
/// has mean h(x) and variance (1 − γ²)/(γ²N), so the excess over h is E max(0, 1 − zh) ≈ √((1 − γ²)/(2πγ²N))
/// a round for each correct label, and as much is won back for each wrong one: quartered steps in N halve it.
/// Both boosters, and the bound of Theorem 2 is never crossed.
#[test]
fn four_times_the_coins_halve_the_excess_over_their_expert() {
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
