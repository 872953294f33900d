//! The warnings, each on a log that deserves it, and none on one that does not.

use crate::logs::Columns;
use off_policy::estimators::{EstimatorSettings, OffPolicyEvaluation, Support, SupportWarning, TableModel};
use off_policy::policies::Uniform;
use off_policy::{Log, Rewards};
use rows::RowMatrix;

fn support_of(change: impl Fn(&mut Columns)) -> Support {
    let mut log = Columns::drawn(1000, 7);
    change(&mut log);
    log.evaluate(EstimatorSettings::default()).support
}

/// Row i is a log of action 0 with this propensity, and the target plays it with probability π.
fn set(log: &mut Columns, i: usize, propensity: f64, pi: f64) {
    log.actions[i] = 0;
    log.propensities[i] = propensity;
    log.target[i * 3..][..3].copy_from_slice(&[pi, 1.0 - pi, 0.0]);
}

#[test]
fn a_log_that_covers_the_target_has_none() {
    for seed in 0..40 {
        let found = Columns::drawn(1000, seed).evaluate(EstimatorSettings::default());
        assert_eq!(found.warnings(), [], "seed {seed}");
    }
}

#[test]
fn a_target_that_plays_what_the_log_cannot_shows_in_the_mean_weight() {
    let support = support_of(|log| (0..1000).for_each(|i| set(log, i, 1.0, 0.5)));
    let warning = SupportWarning::MeanWeight { mean: 0.5, standard_error: 0.0 };
    assert_eq!(support.warnings(), [warning]);
    let none = support_of(|log| (0..1000).for_each(|i| set(log, i, 1.0, 0.0)));
    assert_eq!((none.ess, none.warnings()[0]), (0.0, SupportWarning::NoOverlap));
}

/// Logs of one action at propensity 1/3, which the target plays with 1/3.
#[test]
fn rounded_propensities_show_in_digits_that_tell_them_from_true_ones() {
    let of_propensity = |p: f64| {
        let third = 1.0 / 3.0;
        support_of(|log| (0..1000).for_each(|i| set(log, i, p, third))).warnings()
    };
    let said = |p| of_propensity(p).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(said(1.0 / 3.0), [""; 0]);
    assert_eq!(said(0.333_333_3), [""; 0], "seven significant digits");
    assert_eq!(said(0.333_33), ["the mean weight is 1.000010 ± 0.000000, and not 1"]);
    assert_eq!(said(0.333), ["the mean weight is 1.0010 ± 0.0000, and not 1"]);
    assert_eq!(said(0.334), ["the mean weight is 0.9980 ± 0.0000, and not 1"]);
    let warning = SupportWarning::MeanWeight { mean: 1.0019, standard_error: 0.00046 };
    assert_eq!(warning.to_string(), "the mean weight is 1.0019 ± 0.0005, and not 1");
    let warning = SupportWarning::MeanWeight { mean: 0.5, standard_error: 0.0123 };
    assert_eq!(warning.to_string(), "the mean weight is 0.500 ± 0.012, and not 1");
}

#[test]
fn one_row_that_decides_everything_is_named() {
    let support = support_of(|log| set(log, 13, 2f64.powi(-17), 0.5));
    let (weight, share) = (65536.0, 65536.0 / support.mean_weight / 1000.0);
    let warnings = support.warnings();
    assert!(warnings.contains(&SupportWarning::LargestWeight { weight, share }), "{warnings:?}");
    assert!(
        warnings
            .iter()
            .any(|w| matches!(w, SupportWarning::EffectiveSampleSize { ess, rows: 1000 } if *ess < 2.0))
    );
}

#[test]
fn propensities_at_the_floor_and_rewards_that_are_missing_are_counted() {
    let support = support_of(|log| {
        (0..3).for_each(|i| set(log, i, f64::from(f32::EPSILON), 1e-9));
        set(log, 3, 1e-7, 1e-9);
        log.rewards.fill(0.0);
        log.rewards[..29].fill(1.0);
        log.target[12..15].copy_from_slice(&[0.25, 0.25, 0.5]);
        (4..29).for_each(|i| set(log, i, 0.5, 0.5));
    });
    let floor = SupportWarning::PropensityFloor { rows: 4, least: 1e-7 };
    assert_eq!(support.warnings(), [floor, SupportWarning::FewRewards { rows: 29 }]);
}

/// Of 10,000 rows with nothing to complain about.
const FINE: Support = Support {
    rows: 10_000,
    mean_weight: 1.0,
    standard_error: Some(0.25),
    max_weight: 100.0,
    ess: 5000.0,
    clipped: 0,
    switched: 0,
    effective_rewards: 1000,
    least_propensity: 0.01,
    at_floor: 0,
};

/// Each warning at its threshold, and one step beyond: 4 standard errors, a twentieth of all weight or ten
/// times the mean, a tenth of n, one propensity, 30 rewards.
#[test]
fn warnings_begin_where_they_are_said_to() {
    type Kind = fn(&SupportWarning) -> bool;
    let mean: Kind = |w| matches!(w, SupportWarning::MeanWeight { .. });
    let largest: Kind = |w| matches!(w, SupportWarning::LargestWeight { .. });
    let ess: Kind = |w| matches!(w, SupportWarning::EffectiveSampleSize { .. });
    let floor: Kind = |w| matches!(w, SupportWarning::PropensityFloor { .. });
    let few: Kind = |w| matches!(w, SupportWarning::FewRewards { .. });
    let overlap: Kind = |w| matches!(w, SupportWarning::NoOverlap);
    let of_mean = |mean_weight, standard_error| Support { mean_weight, standard_error, ..FINE };
    let of_largest = |rows, max_weight| Support { rows, max_weight, ess: rows as f64, ..FINE };
    for (support, warned) in [
        (FINE, None),
        (of_mean(2.0, Some(0.25)), None),
        (of_mean(0.0, Some(0.25)), None),
        (of_mean(2.001, Some(0.25)), Some(mean)),
        (of_mean(0.5, Some(0.124)), Some(mean)),
        (of_mean(1.0 + 0.5e-6, Some(0.0)), None),
        (of_mean(1.0 + 2e-6, Some(0.0)), Some(mean)),
        (of_mean(1.0 - 2e-6, Some(0.0)), Some(mean)),
        (of_mean(3.0, None), None),
        (of_largest(10_000, 500.0), None),
        (of_largest(10_000, 501.0), Some(largest)),
        (of_largest(100, 10.0), None),
        (of_largest(100, 10.1), Some(largest)),
        (Support { ess: 1000.0, ..FINE }, None),
        (Support { ess: 999.0, ..FINE }, Some(ess)),
        (Support { at_floor: 1, ..FINE }, Some(floor)),
        (Support { effective_rewards: 30, ..FINE }, None),
        (Support { effective_rewards: 29, ..FINE }, Some(few)),
        (Support { max_weight: 0.0, ..FINE }, Some(overlap)),
    ] {
        let found = support.warnings();
        // A mean of 0 makes every share infinite, which another test looks at.
        let others = found.iter().filter(|w| support.mean_weight > 0.0 || !largest(w)).collect::<Vec<_>>();
        assert_eq!(others.len(), usize::from(warned.is_some()), "{support:?}: {found:?}");
        assert!(warned.is_none_or(|is_it| is_it(others[0])), "{support:?}: {found:?}");
    }
}

/// A target that always plays the action that pays, of which the log has more than its share: IPS goes beyond
/// the largest reward, and the estimators that are divided by the weights do not.
#[test]
fn an_estimate_that_no_policy_earns_is_named() {
    let mut log = Columns::drawn(1000, 7);
    (0..1000).for_each(|i| set(&mut log, i, 0.5, 1.0));
    (0..400).for_each(|i| log.actions[i] = 1);
    log.propensities[..400].fill(0.5);
    log.rewards.fill(0.0);
    log.rewards[400..].fill(1.0);
    log.q.fill(0.5);
    let found = log.evaluate(EstimatorSettings::default());
    assert!((found.ips.value - 1.2).abs() < 1e-12, "{found:?}");
    let said: Vec<String> = found.warnings_within([0.0, 1.0]).iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|words| words == "IPS says 1.2, and no reward is above 1"), "{said:?}");
    assert!(!said.iter().any(|words| words.contains("SNIPS")), "{said:?}");
    let is_outside = |w: &SupportWarning| matches!(w, SupportWarning::OutOfRange { .. });
    // Inside, at the end but for rounding, and below.
    assert!(!found.warnings_within([0.0, 1.25]).iter().any(is_outside));
    assert!(!found.warnings_within([0.0, found.ips.value * (1.0 - 1e-12)]).iter().any(is_outside));
    let low = found.warnings_within([1.5, 2.0]).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(low.iter().any(|words| words == "IPS says 1.2, and no reward is below 1.5"), "{low:?}");
    assert!(!found.warnings().iter().any(is_outside));
}

/// Only where there is a doubly robust estimate, and few rows for it.
#[test]
fn few_rows_are_few_for_the_doubly_robust_estimate_too() {
    let model = TableModel::new(vec![0.2, 0.4, 0.6]).unwrap();
    let is_it = |w: &SupportWarning| matches!(w, SupportWarning::DoublyRobust { .. });
    for (rows, weight, is_few) in [(1000, 1.0, false), (1000, 1e4, true), (25, 1.0, true)] {
        let contexts = RowMatrix::dense(1, vec![0.0; rows]).unwrap();
        let actions = (0..rows).map(|i| if i % 3 == 0 { 0 } else { 1 + u32::from(i % 3 == 1) }).collect();
        let mut propensities = vec![1.0 / 3.0; rows];
        propensities[0] /= weight;
        let log = Log::new(contexts, 3, actions, propensities, Rewards(vec![1.0; rows])).unwrap();
        let settings = EstimatorSettings::default();
        let uniform = Uniform::new(3).unwrap();
        let with = OffPolicyEvaluation::of(&log, &uniform, Some(&model), settings).unwrap();
        let without = OffPolicyEvaluation::of(&log, &uniform, None, settings).unwrap();
        assert_eq!(with.warnings().iter().any(is_it), is_few, "{:?}", with.support);
        assert!(!without.warnings().iter().any(is_it));
    }
}
