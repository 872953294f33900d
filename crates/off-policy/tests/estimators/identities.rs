//! What the estimators owe each other.

use crate::logs::{Columns, LARGEST_WEIGHT, close, settings};
use off_policy::estimators::{Estimate, EstimatorSettings, OffPolicyEvaluation, Tables, ZeroModel};
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
    let got = OffPolicyEvaluation::of(&log, &policy, None::<&ZeroModel>, settings).unwrap();
    for (got, want) in got.estimates().zip(want.estimates()) {
        assert_eq!(got.0, want.0);
        same(Some(got.1), Some(want.1));
    }
    assert_eq!((got.estimates().count(), got.dm), (3, None));
}
