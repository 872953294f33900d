//! How often the intervals hold the value, over 400 logs. A frequency of 0.95 over 400 has a standard deviation of 0.011;
//! the margin is three of them.

use crate::logs::{Columns, LARGEST_WEIGHT, settings, value};
use off_policy::estimators::{Bootstrap, EmpiricalBernstein, Estimator, Sides, normal_interval};

const LOGS: u64 = 400;
const MARGIN: f64 = 0.033;
const ROWS: usize = 250;

fn frequency(holds: impl Fn(u64) -> bool) -> f64 {
    (0..LOGS).filter(|seed| holds(*seed)).count() as f64 / LOGS as f64
}

const UNBIASED: [Estimator; 4] = [Estimator::Ips, Estimator::ClippedIps, Estimator::Snips, Estimator::Dr];

#[test]
fn normal_intervals_hold_the_value_as_often_as_they_say() {
    for estimator in UNBIASED {
        let held = frequency(|seed| {
            let found = Columns::drawn(ROWS, seed).evaluate(settings(LARGEST_WEIGHT, LARGEST_WEIGHT));
            let estimate = found.estimate(estimator).unwrap();
            normal_interval(estimate, 0.05).unwrap().unwrap().contains(value())
        });
        assert!((held - 0.95).abs() < MARGIN, "{estimator:?}: {held}");
    }
}

#[test]
fn bootstrap_intervals_do_as_well() {
    let logs: Vec<_> = (0..LOGS)
        .map(|seed| {
            let log = Columns::drawn(ROWS, seed);
            Bootstrap::of(&log.tables(), settings(LARGEST_WEIGHT, LARGEST_WEIGHT), 199, seed).unwrap()
        })
        .collect();
    for estimator in UNBIASED {
        let holds = |found: &&Bootstrap| found.interval(estimator, 0.05).unwrap().unwrap().contains(value());
        let held = logs.iter().filter(holds).count() as f64 / LOGS as f64;
        assert!((held - 0.95).abs() < MARGIN, "{estimator:?}: {held}");
    }
}

#[test]
fn empirical_bernstein_intervals_hold_it_at_least_so_often() {
    for (sides, delta) in [(Sides::Two, 0.05), (Sides::One, 0.05), (Sides::Two, 0.5)] {
        let held = frequency(|seed| {
            let found = Columns::drawn(ROWS, seed).evaluate(settings(LARGEST_WEIGHT, 1.0));
            let bound = EmpiricalBernstein::of_clipped_ips(&found, [0.0, 1.0], delta, sides).unwrap();
            match sides {
                Sides::One => bound.interval().lower <= value(),
                Sides::Two => bound.interval().contains(value()),
            }
        });
        assert!(held >= 1.0 - delta, "{sides:?} at {delta}: {held}");
    }
}

#[test]
fn clipping_below_the_weights_leaves_a_lower_bound() {
    let held = frequency(|seed| {
        let found = Columns::drawn(ROWS, seed).evaluate(settings(1.0, 1.0));
        let bound = EmpiricalBernstein::of_clipped_ips(&found, [0.0, 1.0], 0.05, Sides::One).unwrap();
        bound.interval().lower <= value()
    });
    assert!(held >= 0.95, "{held}");
}
