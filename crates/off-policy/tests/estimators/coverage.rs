//! How often the intervals hold the value, over 400 logs. A frequency of 0.95 over 400 has a standard
//! deviation of 0.011; the margin is three of them.

use crate::logs::{ACTIONS, Columns, LARGEST_WEIGHT, LOGGING, MODEL, REWARD, TARGET, settings, value};
use off_policy::estimators::{
    Bootstrap, Estimator, OffPolicyEvaluation, Resampling, Sides, StatedRanges, empirical_bernstein_interval,
    normal_interval,
};

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
            Bootstrap::of(
                &log.tables(),
                settings(LARGEST_WEIGHT, LARGEST_WEIGHT),
                Resampling { replicates: 199, seed },
            )
            .unwrap()
        })
        .collect();
    for estimator in UNBIASED {
        let holds = |found: &&Bootstrap| found.interval(estimator, 0.05).unwrap().unwrap().contains(value());
        let held = logs.iter().filter(holds).count() as f64 / LOGS as f64;
        assert!((held - 0.95).abs() < MARGIN, "{estimator:?}: {held}");
    }
}

/// What an estimator with M = 1.5 and τ = 1 is about: V(π), or the mean of its terms.
fn target(estimator: Estimator) -> f64 {
    let pairs = || (0..2).flat_map(|x| (0..ACTIONS).map(move |a| (x, a)));
    let mean = |term: &dyn Fn(usize, usize) -> f64| -> f64 {
        pairs().map(|(x, a)| 0.5 * LOGGING[x][a] * term(x, a)).sum()
    };
    let weight = |x: usize, a: usize| TARGET[x][a] / LOGGING[x][a];
    let direct = |x: usize| TARGET[x].iter().zip(MODEL[x]).map(|(p, q)| p * q).sum::<f64>();
    let correction = |x: usize, a: usize| weight(x, a) * (REWARD[x][a] - MODEL[x][a]);
    match estimator {
        Estimator::ClippedIps => mean(&|x, a| weight(x, a).min(1.5) * REWARD[x][a]),
        Estimator::Dm => mean(&|x, _| direct(x)),
        Estimator::SwitchDr => {
            mean(&|x, a| direct(x) + if weight(x, a) <= 1.0 { correction(x, a) } else { 0.0 })
        }
        _ => value(),
    }
}

fn stated() -> StatedRanges {
    let rewards = StatedRanges::new([0.0, 1.0]).unwrap().with_predictions([-1.0, 3.0]).unwrap();
    rewards.with_largest_weight(LARGEST_WEIGHT).unwrap()
}

#[test]
fn empirical_bernstein_intervals_hold_it_at_least_so_often() {
    let logs: Vec<_> = (0..LOGS)
        .map(|seed| Columns::drawn(ROWS, seed).evaluate(settings(1.5, 1.0).within(stated())))
        .collect();
    for estimator in Estimator::ALL {
        for (sides, delta) in [(Sides::Two, 0.05), (Sides::One, 0.05), (Sides::Two, 0.5), (Sides::One, 0.5)] {
            let holds = |found: &&OffPolicyEvaluation| {
                let interval = empirical_bernstein_interval(found, estimator, delta, sides).unwrap().unwrap();
                match sides {
                    Sides::One => interval.lower <= target(estimator),
                    Sides::Two => interval.contains(target(estimator)),
                }
            };
            let held = logs.iter().filter(holds).count() as f64 / LOGS as f64;
            assert!(held >= 1.0 - delta, "{estimator:?}, {sides:?} at {delta}: {held}");
        }
    }
}

#[test]
fn clipping_below_the_weights_leaves_a_lower_bound() {
    let held = frequency(|seed| {
        let found = Columns::drawn(ROWS, seed).evaluate(settings(1.0, 1.0).within(stated()));
        let bound = empirical_bernstein_interval(&found, Estimator::ClippedIps, 0.05, Sides::One);
        bound.unwrap().unwrap().lower <= value()
    });
    assert!(held >= 0.95, "{held}");
}
