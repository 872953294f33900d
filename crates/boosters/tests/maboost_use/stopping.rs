//! Every reason to stop, and the rounds up to it.

use crate::tasks::{StumpRun, Task};
use boosters::maboost::{
    Active, AdaBoost, BoostError, BoostStop, BoostingRun, Examples, MadaBoost, Reweighting, SmoothBoost,
    Stopping, Watch,
};
use rows::RowMatrix;
use std::ops::ControlFlow;
use std::time::Duration;
use weak_learners::Label::{Minus, Plus};
use weak_learners::batch::{ExactStump, SortedColumns};

fn text<T: serde::Serialize>(run: &T) -> String {
    serde_json::to_string(run).unwrap()
}

fn smooth(task: &Task, k: f64) -> StumpRun<SmoothBoost<Active>> {
    let smooth = SmoothBoost::smooth(&task.examples(), k).unwrap();
    BoostingRun::new(task.examples(), ExactStump::default(), smooth).unwrap()
}

#[test]
fn a_run_is_its_rounds_and_their_number_counts_from_the_first() {
    let task = Task::noisy_majority(60, 1);
    let (mut run, mut by_hand) = (task.ada(), task.ada());
    for _ in 0..12 {
        assert!(by_hand.round(&task.sample).unwrap().is_continue());
    }
    for rounds in [0, 5, 5, 3, 12] {
        assert_eq!(run.run(&task.sample, &Stopping::after(rounds)).unwrap(), BoostStop::Rounds);
    }
    assert_eq!(text(&run), text(&by_hand));
}

#[test]
fn a_target_error_ends_the_run_in_the_first_round_that_reaches_it() {
    let task = Task::noisy_majority(80, 2);
    let stopping = Stopping::after(5000);
    for target in [0.3, 0.1, 0.05, 0.0] {
        let mut run = task.ada();
        let why = run.run(&task.sample, &stopping.at_error(target).unwrap()).unwrap();
        assert_eq!(why, BoostStop::TargetError, "{target}");
        let errors: Vec<f64> = run.record().iter().map(|round| round.error).collect();
        let (last, before) = errors.split_last().unwrap();
        assert!(*last <= target && before.iter().all(|error| *error > target), "{target}: {errors:?}");
        let rounds = errors.len();
        assert_eq!(run.run(&task.sample, &stopping.at_error(target).unwrap()), Ok(BoostStop::TargetError));
        assert_eq!(run.record().len(), rounds, "nothing is played where the target is reached");
    }
    for target in [-0.1, 1.0, f64::NAN] {
        assert!(stopping.at_error(target).is_err() && stopping.at_any_error(target).is_err(), "{target}");
        assert!(
            serde_json::from_value::<Stopping>(
                serde_json::json!({"rounds": 1, "target": 1.0, "past_reachable": false})
            )
            .is_err()
        );
    }
}

/// 1/k is rounded on its way through the caps; asking for it is legal for every k, asking for less never.
#[test]
fn the_reachable_error_is_where_a_smooth_run_ends_and_less_is_refused() {
    let task = Task::noisy_majority(40, 3);
    for k in 2..40 {
        let (least, stopping) = (1.0 / f64::from(k), Stopping::after(100_000));
        let mut run = smooth(&task, f64::from(k));
        let before = text(&run);
        let refused = run.run(&task.sample, &stopping.at_error(0.999 * least).unwrap()).unwrap_err();
        assert!(matches!(refused, BoostError::UnreachableAccuracy { .. }), "k = {k}: {refused}");
        assert_eq!(text(&run), before);
        let to_reachable = stopping.at_reachable_error();
        let refused = run.run(&task.sample, &to_reachable.at_error(0.999 * least).unwrap()).unwrap_err();
        assert!(matches!(refused, BoostError::UnreachableAccuracy { .. }), "k = {k}: {refused}");
        assert_eq!(run.run(&task.sample, &to_reachable), Ok(BoostStop::ReachableError), "k = {k}");
        assert!(run.error() <= least + 1e-12);
        let to_the_point = run.run(&task.sample, &stopping.at_error(least).unwrap());
        assert_eq!(to_the_point, Ok(BoostStop::TargetError), "k = {k}");
        let played = run.record().len();
        assert!(run.record()[..played - 1].iter().all(|round| round.error > least));
        let further = Stopping::after(played + 5);
        assert_eq!(run.run(&task.sample, &further), Ok(BoostStop::Rounds));
        assert_eq!(run.record().len(), played + 5, "k = {k}");
        let asked = run.run(&task.sample, &further.at_any_error(0.0).unwrap());
        assert!(matches!(asked, Ok(BoostStop::Rounds | BoostStop::TargetError)), "k = {k}: {asked:?}");
    }
}

/// Of 15 stumps that vote, the first few already bring the training error to 1/k, and rows that the run has
/// not seen want all of them.
#[test]
fn going_on_at_the_reachable_error_is_the_default_and_better_on_other_rows() {
    for seed in 0..8 {
        let task = Task::majority(15, 400, seed, 0.05);
        let others = Task::majority(15, 2000, 100 + seed, 0.0);
        let error_elsewhere = |stopping: &Stopping, why: BoostStop| {
            let mut run = smooth(&task, 4.0);
            assert_eq!(run.run(&task.sample, stopping), Ok(why), "seed {seed}");
            let rows = others.sample.matrix().iter().zip(&others.labels);
            let wrong = rows.filter(|(x, label)| run.ensemble().sign(*x).unwrap() != **label).count();
            (run.record().len(), wrong as f64 / 2000.0)
        };
        let stopping = Stopping::after(200);
        let (few, early) = error_elsewhere(&stopping.at_reachable_error(), BoostStop::ReachableError);
        let (many, late) = error_elsewhere(&stopping, BoostStop::Rounds);
        assert!(few < 10 && many == 200, "seed {seed}: {few} and {many} rounds");
        assert!(late < 0.7 * early, "seed {seed}: {late} after {many} rounds, {early} after {few}");
    }
}

/// What was saved before there was a choice ends where it ended.
#[test]
fn saved_rules_keep_their_meaning() {
    let saved = |past: bool| {
        let value = serde_json::json!({"rounds": 9, "target": 0.1, "past_reachable": past});
        serde_json::from_value::<Stopping>(value).unwrap()
    };
    let now = Stopping::after(9);
    assert_eq!(saved(true), now.at_any_error(0.1).unwrap());
    let task = Task::noisy_majority(60, 1);
    let unreachable = Err(BoostError::UnreachableAccuracy { target: 0.1, reachable: 0.25 });
    assert_eq!(smooth(&task, 4.0).run(&task.sample, &saved(false)), unreachable);
    assert_eq!(smooth(&task, 1.0).run(&task.sample, &saved(true)), Ok(BoostStop::Rounds));
    for rules in [now, now.at_reachable_error(), now.at_error(0.5).unwrap(), now.at_any_error(0.5).unwrap()] {
        let text = serde_json::to_string(&rules).unwrap();
        assert_eq!(serde_json::from_str::<Stopping>(&text).unwrap(), rules, "{text}");
    }
}

/// k = N is no constraint from the uniform start, so that no error is out of reach.
#[test]
fn without_a_cap_below_1_every_target_is_legal() {
    for m in 5..60_u32 {
        let task = Task::noisy_majority(m as usize, 3);
        let mut run = smooth(&task, f64::from(m));
        assert_eq!(run.algorithm().reachable_error(), 0.0, "N = {m}");
        let stopping = Stopping::after(1).at_error(0.0).unwrap();
        assert!(run.run(&task.sample, &stopping).is_ok());
        assert!(run.algorithm().promise().error >= 1.0 / f64::from(m) - 1e-12);
    }
}

#[test]
fn what_the_weak_learner_and_the_algorithm_end_has_its_own_name() {
    let sample = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 1.0]).unwrap()).unwrap();
    let stopping = Stopping::after(10);
    let contradiction = Examples::uniform(vec![Plus, Minus]).unwrap();
    let ada = AdaBoost::new(&contradiction).unwrap();
    let mut run = BoostingRun::new(contradiction, ExactStump::default(), ada).unwrap();
    assert_eq!(run.run(&sample, &stopping), Ok(BoostStop::NoEdge));
    assert!(run.record().is_empty());

    let agreement = Examples::uniform(vec![Plus, Plus]).unwrap();
    let ada = AdaBoost::new(&agreement).unwrap();
    let mut run = BoostingRun::new(agreement.clone(), ExactStump::default(), ada).unwrap();
    assert_eq!((run.run(&sample, &stopping), run.record().len()), (Ok(BoostStop::Perfect), 1));
    let mada = MadaBoost::new(&agreement).unwrap();
    let mut run = BoostingRun::new(agreement, ExactStump::default(), mada).unwrap();
    assert_eq!((run.run(&sample, &stopping), run.record().len()), (Ok(BoostStop::NoError), 1));
}

/// The clock is the caller's: this one advances a second a look, and it is looked at once a round.
#[test]
fn time_is_up_when_the_callers_clock_says_so() {
    let task = Task::noisy_majority(60, 4);
    for budget in [0, 1, 7] {
        let (mut run, mut seconds) = (task.ada(), 0);
        let mut clock = || {
            seconds += 1;
            Duration::from_secs(seconds - 1)
        };
        let watch = Watch::default().within(Duration::from_secs(budget), &mut clock);
        assert_eq!(run.run_watched(&task.sample, &Stopping::after(100), watch), Ok(BoostStop::TimeBudget));
        assert_eq!((run.record().len() as u64, seconds), (budget, budget + 1));
    }
}

#[test]
fn whoever_watches_sees_every_round_and_may_break_the_run_off() {
    let task = Task::noisy_majority(60, 5);
    let (mut run, mut seen) = (task.ada(), Vec::new());
    let mut watcher = |run: &StumpRun<AdaBoost>, _: Option<&_>| {
        seen.push(*run.record().last().unwrap());
        if seen.len() == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let watch = Watch::default().showing(&mut watcher);
    assert_eq!(run.run_watched(&task.sample, &Stopping::after(100), watch), Ok(BoostStop::Watcher));
    assert_eq!(run.record(), seen);
    assert_eq!(run.run(&task.sample, &Stopping::after(6)), Ok(BoostStop::Rounds));
}

#[test]
fn every_reason_has_words_of_its_own() {
    let reasons = [
        (BoostStop::NoEdge, "no edge"),
        (BoostStop::NoError, "margin of 0 or less"),
        (BoostStop::Perfect, "last hypothesis has no error"),
        (BoostStop::TargetError, "at most the target"),
        (BoostStop::ReachableError, "at most 1/k"),
        (BoostStop::Patience, "patience"),
        (BoostStop::Rounds, "all rounds"),
        (BoostStop::TimeBudget, "time budget"),
        (BoostStop::Watcher, "the caller ended"),
    ];
    let words = reasons.map(|(stop, _)| stop.to_string());
    for (i, (stop, part)) in reasons.iter().enumerate() {
        let holders: Vec<_> = (0..words.len()).filter(|j| words[*j].contains(part)).collect();
        assert_eq!(holders, [i], "{stop:?}: {words:?}");
    }
}
