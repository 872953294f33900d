//! What is refused, and how it is named.

use crate::logs::{Columns, LARGEST_WEIGHT, close, settings};
use off_policy::estimators::{
    Accumulator, Bootstrap, EmpiricalBernstein, Estimate, EstimateError, Estimator, EstimatorSettings,
    Moments, Observation, Observations, OffPolicyEvaluation, Resampling, RewardModel, Sides, StatedRanges,
    TableModel, Tables, ZeroModel, empirical_bernstein_interval, normal_interval,
};
use off_policy::policies::{Policy, Softmax, Tabular};
use off_policy::{ActionSet, ActionSets, Log, LogError, PolicyError, Rewards};
use rows::{Row, RowMatrix};

fn refusal(change: impl Fn(&mut Columns)) -> EstimateError {
    let mut log = Columns::drawn(300, 1);
    change(&mut log);
    let (a, p, r) = (&log.actions, &log.propensities, &log.rewards);
    let found = Tables::new(3, a, p, r, &log.target, Some(&log.q))
        .and_then(|tables| OffPolicyEvaluation::of_tables(&tables, EstimatorSettings::default()));
    found.unwrap_err()
}

#[test]
fn tables_name_row_and_value() {
    let log = |error: LogError| EstimateError::Log(error);
    for value in [0.0, -0.5, 1.5] {
        let refused = refusal(|log| log.propensities[299] = value);
        assert_eq!(refused, log(LogError::BadPropensity { row: 299, value }));
    }
    let refused = refusal(|log| log.actions[7] = 3);
    assert_eq!(refused, log(LogError::ActionOutOfRange { row: 7, action: 3, actions: 3 }));
    let refused = refusal(|log| log.rewards[8] = f64::INFINITY);
    assert_eq!(refused, log(LogError::NotFinite { row: 8, column: "reward", value: f64::INFINITY }));
    assert!(matches!(
        refusal(|log| log.target[10] = f64::NAN),
        EstimateError::NotFinite { argument: "target", index: 10, .. }
    ));
    assert!(matches!(
        refusal(|log| log.q[899] = f64::NEG_INFINITY),
        EstimateError::NotFinite { argument: "q", index: 899, .. }
    ));
    let sum = refusal(|log| log.target[30..33].copy_from_slice(&[0.5, 0.5, 2e-9]));
    assert!(matches!(sum, EstimateError::NotADistribution { row: 10, .. }));
    for at in 0..3 {
        let least = refusal(|log| {
            log.target[30..33].copy_from_slice(&[0.625; 3]);
            log.target[30 + at] = -0.25;
        });
        assert!(matches!(least, EstimateError::NotADistribution { row: 10, least: -0.25, .. }));
    }
    let short = EstimateError::LengthMismatch { argument: "q", expected: 900, got: 899 };
    assert_eq!(refusal(|log| log.q.truncate(899)), short);
    let empty = refusal(|log| log.actions.clear());
    assert_eq!(empty, log(LogError::Empty));
    let overflow = refusal(|log| {
        log.propensities[5] = 1e-320;
        log.target[15..18].copy_from_slice(&[1.0 / 3.0; 3]);
    });
    assert_eq!(overflow, EstimateError::Weight { row: 5, target: 1.0 / 3.0, propensity: 1e-320 });
}

#[test]
fn no_overlap_leaves_every_estimate_but_snips() {
    let tables = Tables::new(2, &[0, 0], &[0.5; 2], &[1.0; 2], &[0.0, 1.0, 0.0, 1.0], None).unwrap();
    let found = OffPolicyEvaluation::of_tables(&tables, EstimatorSettings::default()).unwrap();
    assert_eq!((found.ips.value, found.snips), (0.0, None));
    assert_eq!(found.self_normalised(), Err(EstimateError::ZeroWeights));
}

const GOOD: Observation =
    Observation { target: 0.5, propensity: 0.5, reward: 1.0, direct: 0.0, predicted: 0.0 };

/// Rows of a caller, which nobody checked.
struct Foreign([Observation; 2]);

impl Observations for Foreign {
    fn has_model(&self) -> bool {
        false
    }

    fn visit(&self, see: impl FnMut(&Observation) -> Result<(), EstimateError>) -> Result<(), EstimateError> {
        self.0.iter().try_for_each(see)
    }
}

#[test]
fn a_refused_row_is_not_counted() {
    let mut accumulator = Accumulator::new(EstimatorSettings::default(), false);
    assert_eq!(accumulator.finish(), Err(LogError::Empty.into()));
    accumulator.observe(&GOOD).unwrap();
    let before = accumulator.clone();
    for bad in [
        Observation { target: -0.1, ..GOOD },
        Observation { target: 1.1, ..GOOD },
        Observation { propensity: 0.0, ..GOOD },
        Observation { propensity: f64::NAN, ..GOOD },
        Observation { reward: f64::INFINITY, ..GOOD },
        Observation { direct: f64::NAN, ..GOOD },
        Observation { predicted: f64::NAN, ..GOOD },
        Observation { target: 1.0, propensity: 5e-324, ..GOOD },
    ] {
        let refused = accumulator.observe(&bad).unwrap_err();
        assert_eq!(accumulator, before);
        // Debug, for a NaN among the values.
        let of_bootstrap = Bootstrap::of(
            &Foreign([GOOD, bad]),
            EstimatorSettings::default(),
            Resampling { replicates: 9, seed: 1 },
        )
        .unwrap_err();
        assert_eq!(format!("{of_bootstrap:?}"), format!("{refused:?}"), "{bad:?}");
    }
    assert!(
        Bootstrap::of(
            &Foreign([GOOD; 2]),
            EstimatorSettings::default(),
            Resampling { replicates: 9, seed: 1 }
        )
        .is_ok()
    );
}

#[test]
fn replicates_are_as_many_as_memory_holds() {
    for replicates in [0, (1 << 20) + 1, u32::MAX] {
        let refused = Bootstrap::of(
            &Foreign([GOOD; 2]),
            EstimatorSettings::default(),
            Resampling { replicates, seed: 1 },
        );
        assert!(matches!(refused, Err(EstimateError::BadParameter { name: "replicates", .. })));
    }
}

/// Plays everything evenly, on offer or not.
struct Everything;

impl Policy for Everything {
    fn inputs(&self) -> Option<usize> {
        None
    }

    fn actions(&self) -> usize {
        2
    }

    fn probabilities(&self, _: Row<'_>, _: ActionSet<'_>, p: &mut [f64]) -> Result<(), PolicyError> {
        p.fill(0.5);
        Ok(())
    }
}

/// Knows nothing of action 0.
struct OneMissing;

impl RewardModel for OneMissing {
    fn inputs(&self) -> Option<usize> {
        None
    }

    fn actions(&self) -> usize {
        2
    }

    fn rewards(&self, _: Row<'_>, rewards: &mut [f64]) -> Result<(), PolicyError> {
        rewards.copy_from_slice(&[f64::NAN, 3.0]);
        Ok(())
    }
}

#[test]
fn a_prediction_is_asked_for_what_was_on_offer_alone() {
    let contexts = RowMatrix::dense(1, vec![0.0]).unwrap();
    let log = Log::new(contexts, 2, vec![1], vec![1.0], Rewards(vec![1.0])).unwrap();
    let policy = Softmax::new(Tabular::new(1, vec![0.0; 2]).unwrap(), 1.0).unwrap();
    let dm = |log: &Log| OffPolicyEvaluation::of(log, &policy, Some(&OneMissing), settings(1.0, 1.0));
    assert!(matches!(dm(&log), Err(EstimateError::NotFinite { argument: "q", index: 0, .. })));
    let log = log.with_action_sets(ActionSets::new(2, [[1]]).unwrap()).unwrap();
    close(dm(&log).unwrap().dm.unwrap().value, 3.0);
}

#[test]
fn sums_that_overflow_on_the_way_are_no_fault() {
    // (1 + 3e−10)·MAX is beyond the doubles, and (1 + 3e−10 − 5e−10)·MAX is not.
    let (q, rewards) = ([1e140, 1e140, -1e140], [-1e140]);
    let target = [0.5, 0.5 + 3e-10, 5e-10];
    let tables = Tables::new(3, &[2], &[1.0], &rewards, &target, Some(&q)).unwrap();
    let found = OffPolicyEvaluation::of_tables(&tables, settings(1.0, 1.0)).unwrap();
    close(found.dm.unwrap().value / 1e140, 1.0 - 2e-10);
}

#[test]
fn policies_and_models_must_fit_the_log() {
    let contexts = RowMatrix::dense(1, vec![0.0; 2]).unwrap();
    let log = Log::new(contexts, 2, vec![0, 1], vec![0.5; 2], Rewards(vec![1.0, 2.0])).unwrap();
    let settings = settings(1.0, 1.0);
    let policy = |inputs, k| Softmax::new(Tabular::new(inputs, vec![0.0; k]).unwrap(), 1.0).unwrap();
    let none = None;
    let refused = OffPolicyEvaluation::of(&log, &policy(1, 3), none, settings);
    let expected = EstimateError::ActionCount { argument: "the policy", expected: 2, got: 3 };
    assert_eq!(refused, Err(expected));
    let refused = OffPolicyEvaluation::of(&log, &policy(2, 2), none, settings);
    assert!(matches!(refused, Err(EstimateError::Policy { row: 0, .. })));
    let refused = OffPolicyEvaluation::of(&log, &policy(1, 2), Some(&ZeroModel { actions: 1 }), settings);
    assert!(matches!(refused, Err(EstimateError::ActionCount { argument: "the model of rewards", .. })));
    let sets = ActionSets::new(2, [vec![0, 1], vec![1]]).unwrap();
    let log = log.with_action_sets(sets).unwrap();
    let refused = OffPolicyEvaluation::of(&log, &Everything, none, settings);
    assert_eq!(refused, Err(EstimateError::NotOnOffer { row: 1, action: 0 }));
    // What the model says of an action that was not on offer does not count.
    let model = TableModel::new(vec![1e130, 3.0]).unwrap();
    let found = OffPolicyEvaluation::of(&log, &policy(1, 2), Some(&model), settings).unwrap();
    close(found.dm.unwrap().value, 0.5 * (0.5 * 1e130 + 1.5 + 3.0));
}

#[test]
fn parameters_are_in_their_domains() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(EstimatorSettings::default().clipped_at(bad).is_err());
        assert!(EstimatorSettings::default().switched_at(bad).is_err());
    }
    let estimate = Estimate { value: 0.0, standard_error: Some(1.0) };
    let moments = Moments::of(&[0.0, 1.0]).unwrap();
    for delta in [0.0, 1.0, -0.5, f64::NAN] {
        assert!(normal_interval(estimate, delta).is_err());
        assert!(EmpiricalBernstein::new(&moments, 1.0, delta, Sides::One).is_err());
    }
    assert_eq!(normal_interval(Estimate { standard_error: None, ..estimate }, 0.1), Ok(None));
    for width in [0.0, f64::NAN, 0.5] {
        assert!(EmpiricalBernstein::new(&moments, width, 0.1, Sides::One).is_err());
    }
    assert!(EmpiricalBernstein::new(&Moments::of(&[1.0]).unwrap(), 1.0, 0.1, Sides::One).is_err());
    assert!(Moments::of(&[]).is_err() && Moments::of(&[f64::NAN]).is_err());
}

#[test]
fn terms_further_apart_than_stated_are_noticed() {
    // 0.1 + 0.2 is a rounding above 0.3; 1e-8 is none.
    let apart =
        |largest| EmpiricalBernstein::new(&Moments::of(&[0.0, largest]).unwrap(), 0.3, 0.1, Sides::One);
    assert!(apart(0.1 + 0.2).is_ok() && apart(0.3 + 1e-8).is_err());
}

const UNIT: [f64; 2] = [0.0, 1.0];

/// Of the problem of `logs`, rewards turned into 0 and 1.
fn stated() -> StatedRanges {
    let ranges = StatedRanges::new(UNIT).unwrap().with_predictions([-1.0, 3.0]).unwrap();
    ranges.with_least_propensity(0.25).unwrap().with_largest_weight(LARGEST_WEIGHT).unwrap()
}

#[test]
fn a_row_outside_what_was_stated_is_named_with_its_value() {
    let settings = settings(1.5, 1.0).within(stated());
    let (row, (lower, upper)) = (171, (0.0, 1.0));
    let refused = |change: &dyn Fn(&mut Columns)| {
        let mut log = Columns::drawn(300, 1);
        change(&mut log);
        let of_bootstrap =
            Bootstrap::of(&log.tables(), settings, Resampling { replicates: 9, seed: 1 }).map(|_| ());
        assert_eq!(OffPolicyEvaluation::of_tables(&log.tables(), settings).map(|_| ()), of_bootstrap);
        of_bootstrap
    };
    assert_eq!(refused(&|_| {}), Ok(()));
    for value in [-1e-9, 1.0 + 1e-9, 7.0] {
        let outside = EstimateError::OutsideStated { row, column: "reward", value, lower, upper };
        assert_eq!(refused(&|log| log.rewards[row] = value), Err(outside));
    }
    let value = 0.25 - 1e-9;
    let outside = EstimateError::OutsideStated { row, column: "propensity", value, lower: 0.25, upper };
    assert_eq!(refused(&|log| log.propensities[row] = value), Err(outside));
    // With the place of the row's first entry, and the logged action.
    let named = |log: &mut Columns, change: &dyn Fn(&mut Columns, usize, usize)| {
        let action = log.actions[row] as usize;
        change(log, row * 3, action);
    };
    let of = |change: &dyn Fn(&mut Columns, usize, usize)| match refused(&|log| named(log, change)) {
        Err(EstimateError::OutsideStated { row: 171, column, value, .. }) => (column, value),
        other => panic!("{other:?}"),
    };
    // A weight of 4, on the logged action alone.
    let weight = of(&|log, at, action| {
        log.propensities[row] = 0.25;
        log.target[at..at + 3].fill(0.0);
        log.target[at + action] = 1.0;
    });
    assert_eq!(weight, ("weight", 4.0));
    let predicted = of(&|log, at, action| log.q[at + action] = -1.5);
    assert_eq!(predicted, ("predicted", -1.5));
    // What is predicted of an action that was not logged shows in the direct term.
    let direct = of(&|log, at, action| {
        let other = (action + 1) % 3;
        log.target[at..at + 3].fill(0.0);
        log.target[at + other] = 1.0;
        log.q[at + other] = 3.5;
    });
    assert_eq!(direct, ("direct", 3.5));
}

#[test]
fn a_refused_row_outside_is_not_counted_and_other_ranges_do_not_merge() {
    let settings = EstimatorSettings::default().within(StatedRanges::new(UNIT).unwrap());
    let mut accumulator = Accumulator::new(settings, false);
    accumulator.observe(&GOOD).unwrap();
    let before = accumulator.clone();
    let (lower, upper) = (0.0, 1.0);
    let outside = EstimateError::OutsideStated { row: 1, column: "reward", value: 2.0, lower, upper };
    assert_eq!(accumulator.observe(&Observation { reward: 2.0, ..GOOD }), Err(outside));
    assert_eq!(accumulator, before);
    // Without a model nobody looks at what one would say.
    accumulator.observe(&Observation { direct: 9.0, predicted: 9.0, ..GOOD }).unwrap();
    let other = Accumulator::new(EstimatorSettings::default(), false);
    assert_eq!(accumulator.merge(&other), Err(EstimateError::OtherSettings));
}

#[test]
fn ranges_are_checked_when_stated_and_when_loaded() {
    let good = StatedRanges::new(UNIT).unwrap();
    for bad in [[1.0, 0.0], [f64::NAN, 1.0], [0.0, f64::INFINITY]] {
        assert!(StatedRanges::new(bad).is_err() && good.with_predictions(bad).is_err());
    }
    for bad in [0.0, -0.5, f64::NAN, f64::INFINITY] {
        assert!(good.with_least_propensity(bad).is_err() && good.with_largest_weight(bad).is_err());
    }
    assert!(good.with_least_propensity(1.5).is_err() && good.with_largest_weight(1.5).is_ok());
    assert_eq!(stated().largest_weight(), Some(2.0));
    assert_eq!(good.with_least_propensity(0.25).unwrap().largest_weight(), Some(4.0));
    assert_eq!((good.largest_weight(), good.predictions()), (None, UNIT));
    let text = serde_json::to_string(&settings(1.5, 1.0).within(stated())).unwrap();
    assert_eq!(serde_json::from_str::<EstimatorSettings>(&text).unwrap().ranges(), Some(stated()));
    for (from, to) in [("[0.0,1.0]", "[2.0,1.0]"), ("-1.0", "9.0"), (":0.25", ":1.25"), (":2.0", ":0.0")] {
        assert!(text.contains(from), "{from} is not in {text}");
        assert!(serde_json::from_str::<EstimatorSettings>(&text.replacen(from, to, 1)).is_err(), "{to}");
    }
}

#[test]
fn an_interval_asks_for_what_it_rests_on() {
    let of = |settings: EstimatorSettings, estimator, delta| {
        let found = Columns::drawn(300, 1).evaluate(settings);
        empirical_bernstein_interval(&found, estimator, delta, Sides::Two)
    };
    let plain = EstimatorSettings::default();
    let bare = plain.within(StatedRanges::new(UNIT).unwrap().with_predictions([-1.0, 3.0]).unwrap());
    let cut = bare.clipped_at(1.5).unwrap().switched_at(1.0).unwrap();
    for estimator in Estimator::ALL {
        let what = "a range of the rewards";
        assert_eq!(of(plain, estimator, 0.1), Err(EstimateError::NotStated { what }));
        let what = "a largest weight";
        let asks = |settings| of(settings, estimator, 0.1) == Err(EstimateError::NotStated { what });
        assert_eq!(asks(bare), estimator != Estimator::Dm, "{estimator:?}");
        let is_cut = matches!(estimator, Estimator::ClippedIps | Estimator::SwitchDr);
        assert_eq!(asks(cut), estimator != Estimator::Dm && !is_cut, "{estimator:?}");
        for delta in [0.0, 1.0, f64::NAN] {
            assert!(of(plain.within(stated()), estimator, delta).is_err());
        }
    }
    let tables = Tables::new(1, &[0], &[1.0], &[1.0], &[1.0], Some(&[1.0])).unwrap();
    let one_row = OffPolicyEvaluation::of_tables(&tables, plain.within(stated())).unwrap();
    for estimator in Estimator::ALL {
        let refused = empirical_bernstein_interval(&one_row, estimator, 0.1, Sides::Two);
        assert_eq!(refused, Err(EstimateError::BadParameter { name: "n", value: 1.0, domain: "2, 3, …" }));
    }
    // Ends beyond 1e140 are refused; 1/p_min may still take terms out of the doubles.
    let beyond = StatedRanges::new([-1e141, 1.0]);
    assert_eq!(beyond, Err(EstimateError::TooLarge { argument: "rewards", index: 0, value: -1e141 }));
    let vast = StatedRanges::new([-1e140, 1e140]).unwrap().with_least_propensity(1e-200).unwrap();
    let refused = of(plain.within(vast), Estimator::Ips, 0.1);
    assert_eq!(refused, Err(EstimateError::Overflow { quantity: "the half width" }));
}

/// Rows are asked for block by block; a refusal names the row all the same.
#[test]
fn a_policy_and_a_model_that_refuse_a_late_row_are_named_with_it() {
    struct Picky(f64);
    impl Picky {
        fn answer(&self, x: Row<'_>, to: &mut [f64]) -> Result<(), PolicyError> {
            let x = x.to_dense()[0];
            if x == self.0 {
                return Err(PolicyError::Model { reason: "no".to_owned() });
            }
            to.copy_from_slice(&[1.0, 0.0]);
            Ok(())
        }
    }
    impl Policy for Picky {
        fn inputs(&self) -> Option<usize> {
            None
        }
        fn actions(&self) -> usize {
            2
        }
        fn probabilities(&self, x: Row<'_>, _: ActionSet<'_>, to: &mut [f64]) -> Result<(), PolicyError> {
            self.answer(x, to)
        }
    }
    impl RewardModel for Picky {
        fn inputs(&self) -> Option<usize> {
            None
        }
        fn actions(&self) -> usize {
            2
        }
        fn rewards(&self, x: Row<'_>, to: &mut [f64]) -> Result<(), PolicyError> {
            self.answer(x, to)
        }
    }
    // More rows than a block has.
    let n = 150_000;
    let contexts = RowMatrix::dense(1, (0..n).map(f64::from).collect()).unwrap();
    let actions = (0..n).map(|i| u32::from(i % 3 == 0)).collect();
    let log = Log::new(contexts, 2, actions, vec![0.5; n as usize], Rewards(vec![1.0; n as usize])).unwrap();
    let of = |policy: f64, model: f64| {
        OffPolicyEvaluation::of(&log, &Picky(policy), Some(&Picky(model)), EstimatorSettings::default())
    };
    let found = of(-1.0, -1.0).unwrap();
    // Two rows of three have the action that the policy takes, and a weight of 2 each.
    assert!((found.ips.value - 4.0 / 3.0).abs() < 1e-12 && found.dr.is_some());
    let refused = of(140_001.0, -1.0).unwrap_err();
    assert!(matches!(refused, EstimateError::Policy { row: 140_001, .. }), "{refused:?}");
    let refused = of(-1.0, 149_999.0).unwrap_err();
    assert!(matches!(refused, EstimateError::Model { row: 149_999, .. }), "{refused:?}");
}
