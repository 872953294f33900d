//! The weight of a predictor with a ridge: the closed form at any scale, and the search against the
//! objective.

use crate::account::{Printed, objective};
use crate::learners::Arbitrary;
use crate::logs::random_log;
use boosters::bopl::{Bopl, BoplS, PolicyBoosting, Settings, Smoothness, Step};
use off_policy::{Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn start<O: Printed>(log: &Log, ridge: f64, step: Step) -> PolicyBoosting<O, Arbitrary> {
    let learner = Arbitrary { rng: ChaCha8Rng::seed_from_u64(1), size: 1.0 };
    PolicyBoosting::new(log, learner, Settings::builder().ridge(ridge).step(step).build().unwrap()).unwrap()
}

fn predictions(log: &Log, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..log.len() * log.actions()).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// The same with every reward times 2^k.
fn with_rewards(log: &Log, k: i32) -> Log {
    let (a, p) = (log.logged_actions().to_vec(), log.propensities().to_vec());
    let rewards = log.iter().map(|row| row.reward * 2_f64.powi(k)).collect();
    Log::new(log.contexts().clone(), log.actions(), a, p, Rewards(rewards)).unwrap()
}

/// α = U/(S + 2nλ): rewards times 2^k and predictions times 2^l make it 2^(−l) times as large with the ridge
/// 2^(k + 2l)λ, and the decrease 2^k times, to the bit.
fn has_no_unit<O: Printed>() {
    let (mut is_moved, ridge) = (0, 0.5);
    for seed in 0..6 {
        let log = random_log(40, 2, 3, seed);
        let f = predictions(&log, seed.into());
        for step in [Step::Closed(Smoothness::Paper), Step::Closed(Smoothness::Sharp)] {
            let plain = start::<O>(&log, ridge, step).weigh(&f, step).unwrap();
            let free = start::<O>(&log, 0.0, step).weigh(&f, step).unwrap();
            is_moved += usize::from(plain.alpha.abs() < 0.75 * free.alpha.abs());
            for (k, l) in
                [(0, 0), (40, -30), (0, -400), (0, 200), (-400, 0), (-400, 200), (-250, -250), (400, -350)]
            {
                let run = start::<O>(&with_rewards(&log, k), ridge * 2_f64.powi(k + 2 * l), step);
                let scaled: Vec<f64> = f.iter().map(|f| f * 2_f64.powi(l)).collect();
                let found = run.weigh(&scaled, step).unwrap();
                assert_eq!(found.alpha, plain.alpha * 2_f64.powi(-l), "{}: 2^{k}, 2^{l}", O::NAME);
                assert_eq!(found.decrease, plain.decrease * 2_f64.powi(k), "{}: 2^{k}, 2^{l}", O::NAME);
            }
        }
    }
    assert_eq!(is_moved, 12, "a ridge that decides on the step");
}

#[test]
fn the_closed_form_has_no_unit() {
    has_no_unit::<Bopl>();
    has_no_unit::<BoplS>();
}

/// The slope of objective + λα² is 0 where the search ends, unless it may go no further.
fn ends_where_the_slope_is_0<O: Printed>() {
    let mut ended = 0;
    for seed in 0..40 {
        let (log, ridge) = (random_log(40, 2, 3, seed), [0.003, 0.03, 0.3][seed as usize % 3]);
        let f = predictions(&log, seed.into());
        let run = start::<O>(&log, ridge, Step::LineSearch);
        let slope = |alpha: f64| {
            let at = |h: f64| {
                let row = |i: usize| (0..3).map(|a| h * f[a * 40 + i]).collect();
                objective::<O>(&log, 0.0, &(0..40).map(row).collect::<Vec<_>>()) + ridge * h * h
            };
            (at(alpha + 1e-5) - at(alpha - 1e-5)) / 2e-5
        };
        let closed = run.weigh(&f, Step::Closed(Smoothness::Sharp)).unwrap();
        let found = run.weigh(&f, Step::LineSearch).unwrap();
        let reached = found.alpha.abs() * f.iter().fold(0.0, |largest: f64, f| largest.max(f.abs()));
        if found.alpha != closed.alpha && reached < 3.99 {
            let share = slope(found.alpha) / slope(0.0);
            assert!(share.abs() < 4e-3, "{} {seed}: {share} of the slope is left at {found:?}", O::NAME);
            ended += 1;
        }
    }
    assert!(ended > 20, "{}: {ended}", O::NAME);
}

#[test]
fn the_search_ends_where_the_slope_of_objective_and_ridge_is_0() {
    ends_where_the_slope_is_0::<Bopl>();
    ends_where_the_slope_is_0::<BoplS>();
}
