//! Each policy's value from its own log, and its estimates from the other policy's log.

use super::campaign::{POSITIONS, synthetic_logs};
use super::*;
use datasets::SearchPath;
use std::path::PathBuf;

fn options() -> Options {
    Options {
        trials: 1,
        seed: 5,
        threads: Some(1),
        quick: false,
        plan: 60,
        out: PathBuf::new(),
        search: SearchPath::nowhere(),
        quiet: true,
    }
}

/// The frequency of each item at each position, counted independently.
fn shares(log: &Log) -> Vec<[f64; 10]> {
    let mut counts = vec![[0.0; 10]; POSITIONS];
    log.logged_actions().iter().enumerate().for_each(|(i, a)| counts[i % 3][*a as usize] += 1.0);
    counts.iter().map(|counts| counts.map(|count| count / counts.iter().sum::<f64>())).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// (weight, click) of every row of a log, under a policy π(a|position).
fn weighted(log: &Log, pi: &dyn Fn(usize, usize) -> f64) -> Vec<(f64, f64)> {
    let rows = log.iter().enumerate();
    rows.map(|(i, row)| (pi(i % 3, row.action) / row.propensity, row.reward)).collect()
}

/// Rates of the other half, shrunk to its mean: the model of row i.
fn rates(log: &Log, i: usize) -> [f64; 10] {
    let others: Vec<_> = log.iter().enumerate().filter(|(j, _)| j % 2 != i % 2).map(|(_, row)| row).collect();
    let overall = mean(others.iter().map(|row| row.reward));
    std::array::from_fn(|a| {
        let of_item = || others.iter().filter(|row| row.action == a);
        (of_item().map(|row| row.reward).sum::<f64>() + 100.0 * overall) / (of_item().count() as f64 + 100.0)
    })
}

#[test]
fn every_policy_is_evaluated_by_the_other_ones_log() {
    let logs = synthetic_logs(7).unwrap();
    let found = directions(&logs, &options()).unwrap();
    let [random, bts] = logs.map(|shown| shown.log);
    let often = shares(&bts);
    let uniform = |_, _| 0.1;
    let frequent = |position: usize, a: usize| often[position][a];
    for (direction, names, own, other, pi) in [
        (&found[0], ["random", "BTS"], &random, &bts, &uniform as &dyn Fn(usize, usize) -> f64),
        (&found[1], ["BTS", "random"], &bts, &random, &frequent),
    ] {
        assert_eq!([direction.policy, direction.log], names);
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-12, "{names:?}: {found}, {expected}");
        };
        // The value from the policy's own log.
        let truth = mean(own.rewards().iter().copied());
        near(direction.truth, truth);
        let error = (truth * (1.0 - truth) / (own.len() as f64 - 1.0)).sqrt();
        let half = 0.5 * (direction.truth_interval.upper - direction.truth_interval.lower);
        assert!((half - 1.959_964 * error).abs() < 1e-5 * error, "{half}, {error}");
        near(0.5 * (direction.truth_interval.upper + direction.truth_interval.lower), truth);
        // The estimates from the other log, by definition.
        let rows = weighted(other, pi);
        let ips = mean(rows.iter().map(|(w, r)| w * r));
        let q: Vec<[f64; 10]> = vec![rates(other, 0), rates(other, 1)];
        let dm = |i: usize| (0..10).map(|a| pi(i % 3, a) * q[i % 2][a]).sum::<f64>();
        let residual = |(i, (w, r)): (usize, &(f64, f64))| {
            let action = other.logged_actions()[i] as usize;
            (dm(i), w * (r - q[i % 2][action]), *w)
        };
        let terms: Vec<(f64, f64, f64)> = rows.iter().enumerate().map(residual).collect();
        let expected = |estimator| match estimator {
            Estimator::Ips => ips,
            Estimator::ClippedIps => mean(rows.iter().map(|(w, r)| w.min(10.0) * r)),
            Estimator::Snips => ips / mean(rows.iter().map(|(w, _)| *w)),
            Estimator::Dm => mean(terms.iter().map(|term| term.0)),
            Estimator::Dr => mean(terms.iter().map(|term| term.0 + term.1)),
            Estimator::SwitchDr => {
                mean(terms.iter().map(|(dm, more, w)| if *w <= 10.0 { dm + more } else { *dm }))
            }
        };
        assert_eq!(direction.lines.len(), 6);
        for line in &direction.lines {
            near(line.value, expected(line.estimator));
        }
        let ends: Vec<f64> = direction.growth.iter().map(|(rows, _)| *rows).collect();
        let sizes = [200, 400, 800, 1200, 1600, 2400, 3200, 4000];
        assert_eq!(ends, sizes.map(|size| size as f64));
        for (size, (_, evaluation)) in sizes.into_iter().zip(&direction.growth) {
            near(evaluation.ips.value, mean(rows.iter().take(size).map(|(w, r)| w * r)));
        }
        assert_eq!(direction.growth.last().map(|(_, last)| last), Some(&direction.evaluation));
        assert_eq!(direction.provenance, Provenance::StandIn);
    }
    // The assumptions of the intervals.
    let Assumed { least_propensity, is_known, largest_weight } = found[0].assumed;
    assert!((least_propensity - 0.01).abs() < 1e-12 && !is_known && (largest_weight - 10.0).abs() < 1e-9);
    let Assumed { least_propensity, is_known, largest_weight } = found[1].assumed;
    let largest = often.iter().flatten().copied().fold(0.0, f64::max);
    assert!(
        (least_propensity - 0.1).abs() < 1e-15 && is_known && (largest_weight - 10.0 * largest).abs() < 1e-9
    );
}

/// Every interval is that of its own estimator.
#[test]
fn every_estimator_has_its_own_intervals() {
    let logs = synthetic_logs(7).unwrap();
    let [by_bts, _] = directions(&logs, &options()).unwrap();
    let [random, bts] = logs.map(|shown| shown.log);
    let uniform = Uniform::new(random.actions()).unwrap();
    let model = ClickRates::of(&bts);
    let on_log = OnLog::new(&bts, &uniform, Some(&model)).unwrap();
    let evaluation = &by_bts.evaluation;
    let bootstrap =
        Bootstrap::of(&on_log, evaluation.settings, Resampling { replicates: 60, seed: 5 }).unwrap();
    let mut seen: Vec<[Option<Interval>; 3]> = Vec::new();
    for line in &by_bts.lines {
        let estimate = evaluation.estimate(line.estimator).unwrap();
        assert_eq!((line.value, line.standard_error), (estimate.value, estimate.standard_error));
        let error = estimate.standard_error.unwrap();
        let normal = line.normal.unwrap();
        assert!((normal.upper - estimate.value - 1.959_964 * error).abs() < 1e-5 * error, "{line:?}");
        assert_eq!(line.bootstrap, bootstrap.interval(line.estimator, 0.05).unwrap());
        let bernstein = empirical_bernstein_interval(evaluation, line.estimator, 0.05, Sides::Two).unwrap();
        assert_eq!(line.bernstein, bernstein);
        // A finite-sample interval is wider than an asymptotic one.
        assert!(bernstein.is_none_or(|found| found.upper - found.lower > normal.upper - normal.lower));
        seen.push([line.normal, line.bootstrap, line.bernstein]);
    }
    // A clip above all weights leaves IPS unchanged.
    let of = |estimator| by_bts.lines.iter().position(|line| line.estimator == estimator).unwrap();
    let distinct = [Estimator::Ips, Estimator::Snips, Estimator::Dm, Estimator::Dr].map(of);
    for (place, one) in distinct.iter().enumerate() {
        for other in &distinct[..place] {
            assert!(seen[*one].iter().zip(&seen[*other]).take(2).all(|(a, b)| a != b), "{one}, {other}");
        }
    }
}

#[test]
fn the_record_names_whose_value_it_is() {
    let found = directions(&synthetic_logs(7).unwrap(), &options()).unwrap();
    let kept = trials(&found, 5);
    for (direction, of_direction) in found.iter().zip(kept.chunks(1 + found[0].lines.len())) {
        let dataset = format!("men: {} by the log of {}", direction.policy, direction.log);
        assert!(of_direction.iter().all(|kept| kept.dataset == dataset && kept.seed == 5));
        assert_eq!((&of_direction[0].method[..], of_direction[0].value), ("on-policy mean", direction.truth));
        for (kept, line) in of_direction[1..].iter().zip(&direction.lines) {
            assert_eq!((&kept.method[..], kept.value), (line.estimator.name(), line.value));
        }
    }
    assert_eq!(kept.len(), 2 * 7);
}
