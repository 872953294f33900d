//! What the estimators owe each other.

use crate::logs::{Columns, LARGEST_WEIGHT, close, settings};
use off_policy::estimators::{
    Bootstrap, EmpiricalBernstein, Estimate, Estimator, EstimatorSettings, Moments, OffPolicyEvaluation,
    Resampling, Sides, Tables,
};
use off_policy::policies::{Softmax, Tabular};
use off_policy::{ActionSets, Log, Rewards};
use rows::RowMatrix;

#[track_caller]
fn same(got: Option<Estimate>, want: Option<Estimate>) {
    let (got, want) = (got.unwrap(), want.unwrap());
    close(got.value, want.value);
    close(got.standard_error.unwrap(), want.standard_error.unwrap());
}

#[test]
fn without_a_model_dr_is_ips() {
    let mut log = Columns::drawn(700, 1);
    log.q.fill(0.0);
    let found = log.evaluate(EstimatorSettings::default());
    same(found.dr, Some(found.ips));
    same(found.switch_dr, Some(found.ips));
    close(found.dm.unwrap().value, 0.0);
}

#[test]
fn a_model_that_is_right_on_every_row_makes_dr_dm() {
    let mut log = Columns::drawn(700, 2);
    for (i, action) in log.actions.iter().enumerate() {
        log.q[i * 3 + *action as usize] = log.rewards[i];
    }
    let found = log.evaluate(EstimatorSettings::default());
    same(found.dr, found.dm);
}

#[test]
fn switching_and_clipping_fade_in() {
    let log = Columns::drawn(700, 3);
    let never = log.evaluate(EstimatorSettings::default());
    let late = log.evaluate(settings(LARGEST_WEIGHT, LARGEST_WEIGHT));
    same(late.switch_dr, never.dr);
    same(Some(late.clipped_ips), Some(never.ips));
    assert_eq!(
        (late.support.clipped, late.support.switched),
        (0, 0),
        "a tie is neither clipped nor switched"
    );
    let always = log.evaluate(settings(1e-300, 1e-300));
    same(always.switch_dr, never.dm);
    assert!(always.clipped_ips.value.abs() <= 1e-300);
    let between = log.evaluate(settings(1.0, 1.0));
    assert!(between.clipped_ips.value < never.ips.value && between.support.clipped > 100);
    assert!((between.switch_dr.unwrap().value - never.dr.unwrap().value).abs() > 0.01);
}

#[test]
fn snips_moves_with_a_translation_and_ips_does_not() {
    let mut log = Columns::drawn(700, 4);
    let before = log.evaluate(EstimatorSettings::default());
    log.rewards.iter_mut().for_each(|r| *r += 10.0);
    let after = log.evaluate(EstimatorSettings::default());
    close(after.snips.unwrap().value, before.snips.unwrap().value + 10.0);
    close(after.snips.unwrap().standard_error.unwrap(), before.snips.unwrap().standard_error.unwrap());
    assert!((after.ips.value - before.ips.value - 10.0).abs() > 0.01);
}

#[test]
fn snips_is_its_definition() {
    let log = Columns::drawn(700, 6);
    let found = log.evaluate(EstimatorSettings::default());
    let row = |i: usize| (log.target[i * 3 + log.actions[i] as usize] / log.propensities[i], log.rewards[i]);
    let weight: f64 = (0..700).map(|i| row(i).0).sum();
    let value = (0..700).map(|i| row(i).0 * row(i).1).sum::<f64>() / weight;
    let square: f64 = (0..700).map(|i| (row(i).0 * (row(i).1 - value)).powi(2)).sum();
    let snips = Estimate { value, standard_error: Some(square.sqrt() / weight) };
    same(found.snips, Some(snips));
    close(found.support.ess, weight * weight / (0..700).map(|i| row(i).0.powi(2)).sum::<f64>());
}

/// Weights (1, 2⁻⁶⁰⁰), rewards (1, 0): V = 1 − 2⁻⁶⁰⁰ is 1 in doubles, and se = √2·2⁻⁶⁰⁰ all the same.
#[test]
fn a_row_that_outweighs_all_others_leaves_snips_its_error() {
    let (tiny, rewards) = (2f64.powi(-600), [1.0, 0.0]);
    let target = [1.0, 0.0, tiny, 1.0];
    let tables = Tables::new(2, &[0, 0], &[1.0; 2], &rewards, &target, None).unwrap();
    let snips = OffPolicyEvaluation::of_tables(&tables, EstimatorSettings::default()).unwrap().snips.unwrap();
    assert_eq!(snips.value, 1.0);
    close(snips.standard_error.unwrap() / tiny, 2f64.sqrt());
}

#[test]
fn the_bootstrap_of_snips_moves_with_a_translation() {
    let mut log = Columns::drawn(300, 7);
    let of = |log: &Columns| {
        let found = Bootstrap::of(
            &log.tables(),
            EstimatorSettings::default(),
            Resampling { replicates: 199, seed: 1 },
        )
        .unwrap();
        found.interval(Estimator::Snips, 0.1).unwrap().unwrap()
    };
    let before = of(&log);
    log.rewards.iter_mut().for_each(|r| *r += 10.0);
    let after = of(&log);
    close(after.lower, before.lower + 10.0);
    close(after.upper, before.upper + 10.0);
}

/// √(2VL/n) + 7bL/(3(n − 1)) of 0, 0, 3 with b = 4: V = 3, n = 3.
#[test]
fn the_empirical_bernstein_half_width_is_that_of_the_theorem() {
    let moments = Moments::of(&[0.0, 0.0, 3.0]).unwrap();
    for (sides, l) in [(Sides::One, 20f64.ln()), (Sides::Two, 40f64.ln())] {
        let found = EmpiricalBernstein::new(&moments, 4.0, 0.1, sides).unwrap();
        close(found.half_width, (2.0 * l).sqrt() + 14.0 / 3.0 * l);
        close(found.mean, 1.0);
    }
}

#[test]
fn constant_weights_make_snips_the_mean_reward() {
    let mut log = Columns::drawn(700, 5);
    // The target is the logging policy: weights 1.
    for (i, p) in log.propensities.iter_mut().enumerate() {
        let row = &mut log.target[i * 3..][..3];
        row.fill(0.25);
        row[log.actions[i] as usize] = 0.5;
        *p = 0.5;
    }
    let found = log.evaluate(EstimatorSettings::default());
    close(found.snips.unwrap().value, found.ips.value);
    close(found.ips.value, log.rewards.iter().sum::<f64>() / 700.0);
    close(found.support.ess, 700.0);
    // Divisor n here, n − 1 there.
    let ratio = found.snips.unwrap().standard_error.unwrap() / found.ips.standard_error.unwrap();
    close(ratio, (699.0_f64 / 700.0).sqrt());
}

#[test]
fn a_log_with_a_policy_is_its_tables() {
    let scores = Tabular::new(1, vec![0.0, 1.0, -1.0]).unwrap();
    let policy = Softmax::new(scores, 1.0).unwrap();
    let (n, sets) = (6, [vec![0, 1, 2], vec![1, 2], vec![0], vec![0, 2], vec![2, 1], vec![0, 1]]);
    let log = Log::new(
        RowMatrix::dense(1, vec![0.0; n]).unwrap(),
        3,
        vec![1, 2, 0, 0, 1, 1],
        vec![0.5, 0.25, 1.0, 0.5, 0.25, 0.75],
        Rewards(vec![1.0, -1.0, 2.0, 0.0, 0.5, 3.0]),
    );
    let log = log.unwrap().with_action_sets(ActionSets::new(3, &sets).unwrap()).unwrap();
    let mut target = Vec::new();
    for set in &sets {
        let exp = [0.0_f64, 1.0, -1.0].map(f64::exp);
        let sum: f64 = set.iter().map(|a| exp[*a as usize]).sum();
        target.extend((0..3_u32).map(|a| if set.contains(&a) { exp[a as usize] / sum } else { 0.0 }));
    }
    let tables =
        Tables::new(3, log.logged_actions(), log.propensities(), log.rewards(), &target, None).unwrap();
    let settings = settings(1.0, 1.0);
    let want = OffPolicyEvaluation::of_tables(&tables, settings).unwrap();
    let got = OffPolicyEvaluation::of(&log, &policy, None, settings).unwrap();
    for (got, want) in got.estimates().zip(want.estimates()) {
        assert_eq!(got.0, want.0);
        same(Some(got.1), Some(want.1));
    }
    assert_eq!((got.estimates().count(), got.dm), (3, None));
}
