//! Estimates on a held-out log, and the best prefix.

use crate::logs::{Reward, Task};
use boosters::bopl::{
    BoplError, BoplS, BoplStop, Member, PolicyBoosting, PolicyEnsemble, PredictedRewards, RewardRegression,
    Settings, Validation,
};
use datasets::Name;
use off_policy::estimators::{
    EstimateError, Estimator, EstimatorSettings, OffPolicyEvaluation, StatedRanges, TableModel,
};
use off_policy::policies::{Argmax, Softmax};
use off_policy::{Log, Rewards};
use std::ops::ControlFlow;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{ExactPairTree, PairGrowth, PairTree};

fn logs() -> (Log, Log) {
    (Task::letters(300).log(Reward::Noisy, 1), Task::of(Name::Letter, 200, 2).log(Reward::Noisy, 2))
}

fn run(log: &Log) -> PolicyBoosting<BoplS, ExactPairTree> {
    let learner = ExactPairTree::new(
        PairGrowth::builder().max_depth(4).min_child_weight(2.0).reg_lambda(0.0).build().unwrap(),
    );
    let settings = Settings::builder().translation(-0.1).build().unwrap();
    PolicyBoosting::new(log, learner, settings).unwrap()
}

fn played(log: &Log, rounds: usize) -> PolicyEnsemble<PairTree> {
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let mut run = run(log);
    (0..rounds).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
    run.into_ensemble()
}

/// Each estimate is the evaluation of that prefix.
#[test]
fn estimates_are_those_of_the_prefixes() {
    let (log, held_out) = logs();
    let ensemble = played(&log, 6);
    let learner = ExactPairTree::new(
        PairGrowth::builder().max_depth(4).min_child_weight(2.0).reg_lambda(0.0).build().unwrap(),
    );
    let mut rewards = RewardRegression::new(&log, learner, 0.3).unwrap();
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    (0..5).for_each(|_| assert!(rewards.round(&contexts).unwrap().is_continue()));
    let model = PredictedRewards(rewards.ensemble());
    let settings = EstimatorSettings::default().clipped_at(3.0).unwrap().switched_at(4.0).unwrap();
    for estimator in Estimator::ALL {
        for is_of_argmax in [false, true] {
            let asked = Validation::builder(&held_out).estimator(estimator).model(&model).patience(100);
            let asked = asked.settings(settings);
            let asked = if is_of_argmax { asked.of_argmax() } else { asked };
            let mut validation = asked.build().unwrap();
            validation.follow(&ensemble).unwrap();
            assert_eq!(validation.estimates().len(), 7);
            for (t, found) in validation.estimates().iter().enumerate() {
                let prefix = ensemble.prefix(t);
                let expected = if is_of_argmax {
                    OffPolicyEvaluation::of(&held_out, &Argmax::new(prefix), Some(&model), settings)
                } else {
                    let policy = Softmax::new(prefix, 1.0).unwrap();
                    OffPolicyEvaluation::of(&held_out, &policy, Some(&model), settings)
                };
                let expected = expected.unwrap().estimate(estimator).unwrap();
                let found = found.unwrap();
                let gap = (found.value - expected.value).abs();
                assert!(gap <= 1e-12, "{}: {found:?} {expected:?}", estimator.name());
            }
        }
    }
}

/// Followed round by round, or at once by one that comes late: the same bits.
#[test]
fn a_new_one_catches_up() {
    let (log, held_out) = logs();
    let ensemble = played(&log, 6);
    let new = || Validation::builder(&held_out).patience(3).build().unwrap();
    let (mut slow, mut late) = (new(), new());
    (0..=6).for_each(|t| slow.follow(&ensemble.prefix(t)).unwrap());
    late.follow(&ensemble).unwrap();
    assert_eq!(slow.estimates(), late.estimates());
    assert_eq!(slow.best_round(), late.best_round());
    let fewer = late.follow(&ensemble.prefix(3));
    assert!(matches!(fewer, Err(BoplError::Mismatch { unit: "rounds", expected: 6, got: 3, .. })));
}

/// The run ends when as many rounds as there is patience for were no better than the best one.
#[test]
fn patience_ends_the_run() {
    let (log, held_out) = logs();
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    for (patience, least) in [(1, 0), (3, 0), (1, 25)] {
        let mut run = run(&log);
        let asked = Validation::builder(&held_out).estimator(Estimator::Ips).patience(patience);
        let mut validation = asked.not_before(least).build().unwrap();
        let go_on = |_: &PolicyBoosting<_, _>, _: Option<&Validation<'_>>| ControlFlow::Continue(());
        let stop = run.run_rounds(&contexts, 400, Some(&mut validation), go_on).unwrap();
        assert_eq!(stop, BoplStop::Patience);
        let values: Vec<f64> = validation.estimates().iter().flatten().map(|e| e.value).collect();
        assert_eq!(values.len(), run.record().len() + 1);
        let best = values.iter().copied().fold(f64::MIN, f64::max);
        let first = values.iter().position(|v| *v == best).unwrap();
        assert_eq!(validation.best_round(), first);
        assert!(run.record().len() >= least);
        // It ended in the first round in which it might.
        for t in least.max(1)..run.record().len() {
            let best = values[..=t].iter().copied().fold(f64::MIN, f64::max);
            let first = values[..=t].iter().position(|v| *v == best).unwrap();
            assert!(t - first < patience, "patience {patience}: over after {t} rounds");
        }
    }
}

/// The predictors that a warm start inherits, all of them worse than F_0 here, try no patience.
#[test]
fn a_warm_start_is_patient_from_its_own_start() {
    let (log, held_out) = logs();
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let worse: Vec<_> = played(&log, 6)
        .members()
        .iter()
        .map(|member| Member { alpha: -member.alpha, predictor: member.predictor.clone() })
        .collect();
    let worse = PolicyEnsemble::of(log.inputs(), log.actions(), worse).unwrap();
    // On rows of the stand-in, chance says which predictors are worse: another log, until these are.
    let is_best_at_first = |held_out: &Log| {
        let mut validation =
            Validation::builder(held_out).estimator(Estimator::Ips).patience(7).build().unwrap();
        validation.follow(&worse).unwrap();
        validation.best_round() == 0
    };
    let others = (3..60).map(|seed| Task::of(Name::Letter, 200, seed).log(Reward::Noisy, seed));
    let other = if Task::has_letters() { None } else { others.into_iter().find(is_best_at_first) };
    let held_out = other.unwrap_or(held_out);
    for patience in [1, 3] {
        let mut validation =
            Validation::builder(&held_out).estimator(Estimator::Ips).patience(patience).build().unwrap();
        validation.follow(&worse).unwrap();
        assert!(
            (validation.best_round(), validation.is_over()) == (0, true),
            "F_0 is the best of F_0, …, F_6"
        );
        let before = run(&log);
        let (learner, settings) = (before.learner().clone(), *before.settings());
        let mut warm =
            PolicyBoosting::<BoplS, _>::from_ensemble(&log, learner, settings, worse.clone()).unwrap();
        let go_on = |_: &PolicyBoosting<_, _>, _: Option<&Validation<'_>>| ControlFlow::Continue(());
        let stop = warm.run_rounds(&contexts, 400, Some(&mut validation), go_on).unwrap();
        assert_eq!(stop, BoplStop::Patience);
        // Over in the first of its rounds that is `patience` behind the best of them and of F_6, or F_0 is
        // that.
        let values: Vec<f64> = validation.estimates().iter().flatten().map(|e| e.value).collect();
        let best_of = |t: usize| (0..=t).rev().max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap();
        let first = (7..values.len()).find(|t| t - best_of(*t).max(6) >= patience);
        assert_eq!(first, Some(values.len() - 1), "patience {patience}");
        assert_eq!(values.len() - 1, 6 + warm.record().len());
    }
}

/// A refused row is named by its place in the log, also behind the first block of 1,024.
#[test]
fn a_refused_row_is_named_by_its_place() {
    let task = Task::letters(1100);
    let log = task.log(Reward::Right, 1);
    let held_out = |propensity: f64| {
        let (mut p, a) = (log.propensities().to_vec(), log.logged_actions().to_vec());
        p[1050] = propensity;
        let rewards = Rewards(log.rewards().to_vec());
        Log::new(log.contexts().clone(), log.actions(), a, p, rewards).unwrap()
    };
    let policy = played(&log, 1);
    let refused = |held_out: &Log, settings: EstimatorSettings| {
        let asked = Validation::builder(held_out).estimator(Estimator::Ips).patience(1).settings(settings);
        asked.build().unwrap().follow(&policy)
    };
    let found = refused(&held_out(1e-320), EstimatorSettings::default());
    let named = matches!(found, Err(BoplError::Estimate(EstimateError::Weight { row: 1050, .. })));
    assert!(named, "{found:?}");
    let ranges = StatedRanges::new([0.0, 1.0]).unwrap().with_least_propensity(1e-2).unwrap();
    let found = refused(&held_out(1e-3), EstimatorSettings::default().within(ranges));
    let outside = EstimateError::OutsideStated {
        row: 1050,
        column: "propensity",
        value: 1e-3,
        lower: 1e-2,
        upper: 1.0,
    };
    assert_eq!(found, Err(BoplError::Estimate(outside)));
}

#[test]
fn what_is_refused() {
    let (log, held_out) = logs();
    let without =
        |estimator| Validation::builder(&held_out).estimator(estimator).patience(1).build().map(|_| ());
    for estimator in [Estimator::Dm, Estimator::Dr, Estimator::SwitchDr] {
        assert!(matches!(without(estimator), Err(BoplError::NoModel { .. })));
    }
    assert!(without(Estimator::Snips).is_ok());
    let no_patience =
        Validation::builder(&held_out).estimator(Estimator::Ips).patience(0).build().map(|_| ());
    assert!(matches!(no_patience, Err(BoplError::BadParameter { name: "patience", .. })));
    let other = TableModel::new(vec![0.0; 3]).unwrap();
    let other =
        Validation::builder(&held_out).estimator(Estimator::Dr).model(&other).patience(1).build().map(|_| ());
    assert!(matches!(other, Err(BoplError::Mismatch { argument: "the model", .. })));
    let adults = Task::adults(50).log(Reward::Right, 1);
    let mut validation = Validation::builder(&adults).estimator(Estimator::Ips).patience(1).build().unwrap();
    assert!(matches!(validation.follow(&played(&log, 1)), Err(BoplError::Mismatch { .. })));
    assert!(validation.estimates().is_empty());
}
