//! One pass: merged, in another order, and far from 1.

use crate::logs::{Columns, close, settings};
use off_policy::estimators::{
    Accumulator, Bootstrap, EstimateError, Estimator, EstimatorSettings, Observations, OnLog, Resampling,
    Tables,
};
use off_policy::policies::{Policy, Uniform};
use off_policy::{ActionSet, Log, PolicyError, Rewards};
use rows::{Row, RowMatrix};
use std::cell::RefCell;

/// The accumulator of some rows of a log.
fn of_rows(log: &Columns, rows: impl IntoIterator<Item = usize>) -> Accumulator {
    let mut observations = Vec::new();
    log.tables()
        .visit(|row| {
            observations.push(*row);
            Ok(())
        })
        .unwrap();
    let mut accumulator = Accumulator::new(settings(1.5, 1.0), true);
    rows.into_iter().for_each(|i| accumulator.observe(&observations[i]).unwrap());
    accumulator
}

#[track_caller]
fn agree(a: &Accumulator, b: &Accumulator) {
    let (a, b) = (a.finish().unwrap(), b.finish().unwrap());
    for ((_, a), (_, b)) in a.estimates().zip(b.estimates()) {
        close(a.value, b.value);
        close(a.standard_error.unwrap(), b.standard_error.unwrap());
    }
    close(a.support.ess, b.support.ess);
    close(a.support.mean_weight, b.support.mean_weight);
    close(a.support.standard_error.unwrap(), b.support.standard_error.unwrap());
    close(a.snips_covariance.unwrap(), b.snips_covariance.unwrap());
    let counts = |s: off_policy::estimators::Support| {
        (s.rows, s.clipped, s.switched, s.effective_rewards, s.at_floor, s.max_weight, s.least_propensity)
    };
    assert_eq!(counts(a.support), counts(b.support));
}

#[test]
fn parts_merge_to_the_whole() {
    let log = Columns::drawn(1500, 1);
    let whole = of_rows(&log, 0..1500);
    assert_eq!(whole.finish().unwrap(), log.evaluate(settings(1.5, 1.0)));
    for cuts in [[0, 700], [1, 2], [256, 512], [255, 1500], [1024, 1025]] {
        let mut merged = of_rows(&log, 0..cuts[0]);
        merged.merge(&of_rows(&log, cuts[0]..cuts[1])).unwrap();
        merged.merge(&of_rows(&log, cuts[1]..1500)).unwrap();
        agree(&merged, &whole);
        assert_eq!(merged.rows(), 1500);
    }
    let mut merged = of_rows(&log, 0..10);
    let before = merged.clone();
    assert!(merged.merge(&Accumulator::new(EstimatorSettings::default(), true)).is_err());
    assert_eq!(merged, before);
}

#[test]
fn rows_are_counted_as_far_as_doubles_count() {
    let log = Columns::drawn(1, 1);
    let (mut doubled, limit) = (of_rows(&log, 0..1), 1 << 53);
    for _ in 0..53 {
        doubled.merge(&doubled.clone()).unwrap();
    }
    close(doubled.finish().unwrap().ips.value, log.evaluate(settings(1.5, 1.0)).ips.value);
    assert_eq!(doubled.finish().unwrap().support.rows, limit);
    let before = doubled.clone();
    let refused = EstimateError::TooManyRows { rows: 2 * limit, limit };
    assert_eq!(doubled.merge(&before), Err(refused));
    let mut one = of_rows(&log, 0..1);
    let refused = EstimateError::TooManyRows { rows: limit + 1, limit };
    assert_eq!(one.merge(&before), Err(refused.clone()));
    assert_eq!(one, of_rows(&log, 0..1));
    log.tables()
        .visit(|row| {
            assert_eq!(doubled.observe(row), Err(refused.clone()));
            Ok(())
        })
        .unwrap();
    assert_eq!(doubled, before);
}

#[test]
fn the_same_cuts_merged_in_the_same_order_give_the_same_bits() {
    let log = Columns::drawn(1500, 1);
    let cuts = [0, 1, 300, 1024, 1500];
    let merged = |parts: [Accumulator; 4]| {
        let mut merged = Accumulator::new(settings(1.5, 1.0), true);
        parts.iter().for_each(|part| merged.merge(part).unwrap());
        merged
    };
    let part = |k: usize| of_rows(&log, cuts[k]..cuts[k + 1]);
    let here = merged(std::array::from_fn(part));
    let elsewhere = std::thread::scope(|scope| {
        let part = &part;
        let mut parts = [3, 2, 1, 0].map(|k| scope.spawn(move || part(k))).map(|part| part.join().unwrap());
        parts.reverse();
        merged(parts)
    });
    assert_eq!(elsewhere, here);
    assert_eq!(elsewhere.finish().unwrap(), here.finish().unwrap());
}

#[test]
fn the_order_of_the_rows_moves_rounding_alone() {
    let log = Columns::drawn(1500, 2);
    agree(&of_rows(&log, (0..1500).rev()), &of_rows(&log, 0..1500));
    agree(&of_rows(&log, (0..1500).map(|i| i * 7 % 1500)), &of_rows(&log, 0..1500));
}

/// Rewards, predictions or both weights and rewards times a power of two: estimates times the same power,
/// within 1e-12, although squares of them are no doubles.
#[test]
fn scale_changes_the_exponent_alone() {
    let log = Columns::drawn(600, 3);
    let plain = log.evaluate(settings(1.5, 1.0));
    for power in [-1000, -600, 300, 440] {
        let scale = 2f64.powi(power);
        let mut scaled = log.clone();
        scaled.rewards.iter_mut().for_each(|r| *r *= scale);
        scaled.q.iter_mut().for_each(|q| *q *= scale);
        let found = scaled.evaluate(settings(1.5, 1.0));
        for ((estimator, want), (_, got)) in plain.estimates().zip(found.estimates()) {
            let context = format!("{estimator:?} at 2^{power}");
            assert!((got.value / scale / want.value - 1.0).abs() < 1e-12, "{context}: {got:?}, {want:?}");
            let (got, want) = (got.standard_error.unwrap() / scale, want.standard_error.unwrap());
            assert!((got / want - 1.0).abs() < 1e-12, "{context}: {got}, {want}");
        }
        let bootstrap = |log: &Columns| {
            Bootstrap::of(&log.tables(), settings(1.5, 1.0), Resampling { replicates: 99, seed: 1 }).unwrap()
        };
        for estimator in Estimator::ALL {
            let got = bootstrap(&scaled).interval(estimator, 0.1).unwrap().unwrap();
            let want = bootstrap(&log).interval(estimator, 0.1).unwrap().unwrap();
            assert!((got.upper / scale / want.upper - 1.0).abs() < 1e-12, "{estimator:?} at 2^{power}");
        }
    }
}

/// Mean 1e9 and deviation ½: the textbook Σx² − (Σx)²/n has no digit left here.
#[test]
fn a_large_mean_does_not_eat_the_variance() {
    let n = 4096;
    let actions = vec![0; n];
    let rewards: Vec<f64> = (0..n).map(|i| 1e9 + f64::from(i % 2 == 0)).collect();
    let ones = vec![1.0; n];
    let tables = Tables::new(1, &actions, &ones, &rewards, &ones, Some(&rewards)).unwrap();
    let found = off_policy::estimators::OffPolicyEvaluation::of_tables(&tables, settings(2.0, 2.0)).unwrap();
    let want = 0.5 / (n as f64 - 1.0).sqrt();
    for estimator in [Estimator::Ips, Estimator::ClippedIps, Estimator::Dm, Estimator::Dr] {
        close(found.estimate(estimator).unwrap().standard_error.unwrap(), want);
    }
    close(found.snips.unwrap().standard_error.unwrap(), 0.5 / (n as f64).sqrt());
}

#[test]
fn the_bootstrap_repeats_itself_and_another_seed_does_not() {
    let log = Columns::drawn(600, 4);
    let of = |replicates, seed| {
        Bootstrap::of(&log.tables(), settings(1.5, 1.0), Resampling { replicates, seed }).unwrap()
    };
    assert_eq!(of(50, 1), of(50, 1));
    assert_ne!(of(50, 1), of(50, 2));
    assert!(of(19, 1).interval(Estimator::Ips, 0.05).is_err());
    assert!(of(39, 1).interval(Estimator::Ips, 0.05).unwrap().is_some());
}

#[test]
fn replicates_without_a_row_are_left_out() {
    let tables = Tables::new(1, &[0], &[1.0], &[3.0], &[1.0], None).unwrap();
    let found =
        Bootstrap::of(&tables, EstimatorSettings::default(), Resampling { replicates: 4000, seed: 1 })
            .unwrap();
    // e^−1 of them, with a standard deviation of 31.
    assert!((found.defined(Estimator::Ips) as f64 - 4000.0 * (1.0 - (-1f64).exp())).abs() < 120.0);
    let interval = found.interval(Estimator::Snips, 0.1).unwrap().unwrap();
    assert_eq!((interval.lower, interval.upper, found.defined(Estimator::Dm)), (3.0, 3.0, 0));
}

/// Uniform, with a record of the blocks it was asked for: the first row, and the number of rows.
struct Recording(Uniform, RefCell<Vec<(usize, usize)>>);

impl Policy for Recording {
    fn inputs(&self) -> Option<usize> {
        None
    }

    fn actions(&self) -> usize {
        self.0.actions()
    }

    fn probabilities(&self, x: Row<'_>, on_offer: ActionSet<'_>, pi: &mut [f64]) -> Result<(), PolicyError> {
        self.0.probabilities(x, on_offer, pi)
    }

    fn probabilities_of_rows(&self, log: &Log, from: usize, pi: &mut [f64]) -> Result<(), PolicyError> {
        self.1.borrow_mut().push((from, pi.len() / log.actions()));
        self.0.probabilities_of_rows(log, from, pi)
    }
}

/// A policy is asked for every row of a log once, in order, and for none beyond its end; also where the rows
/// are more than one block, and where a single row is.
#[test]
fn a_policy_is_asked_for_the_rows_of_the_log_and_for_no_others() {
    for (n, actions) in [(1, 1), (300, 1 << 10), (512, 1 << 10), (513, 1 << 10), (3, 1 << 19)] {
        let contexts = RowMatrix::dense(1, vec![0.5; n]).unwrap();
        let rewards: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let logged = (0..n).map(|i| u32::from(i % 2 == 1) % actions).collect();
        let log =
            Log::new(contexts, actions as usize, logged, vec![0.5; n], Rewards(rewards.clone())).unwrap();
        let policy = Recording(Uniform::new(actions as usize).unwrap(), RefCell::default());
        let mut seen = Vec::new();
        let observations = OnLog::new(&log, &policy, None).unwrap();
        let visit = observations.visit(|row| {
            seen.push(row.reward);
            Ok(())
        });
        assert_eq!((visit, seen), (Ok(()), rewards));
        let mut end = 0;
        for (from, rows) in policy.1.into_inner() {
            assert!(from == end && rows > 0, "n = {n}: {rows} rows from {from} after {end}");
            end += rows;
        }
        assert_eq!(end, n, "with {actions} actions");
    }
}
