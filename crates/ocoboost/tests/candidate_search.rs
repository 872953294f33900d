//! What a search over candidates chooses and keeps, and what its judgement says, on synthetic logs.
#![allow(clippy::unwrap_used, reason = "a test may")]

use boosters::auto_policy::Overrides;
use ocoboost::{
    CandidateEvent, CandidateJob, CandidateJobBuilder, CandidateModel, JudgeJob, Reason, Verdict,
};
use off_policy::Rewards;
use off_policy::candidates::{AmongCandidates, CandidateLog};
use off_policy::policies::Argmax;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Candidates, RowMatrix};
use serde_json::Value;
use std::ops::ControlFlow;

/// Offers at prices between 0 and 1, five a choice, the cheaper the better; the rewards are mapped.
fn log(n: usize, seed: u64, reward: impl Fn(f64) -> f64) -> CandidateLog {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let (mut prices, mut chosen, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let own: Vec<f64> = (0..5).map(|_| rng.random_range(0.0..1.0)).collect();
        let place = rng.random_range(0..5_u32);
        let price = own[place as usize];
        rewards.push(reward(f64::from(u8::from(rng.random_bool(1.0 - price)))));
        prices.extend(own);
        chosen.push(place);
    }
    let candidates = Candidates::builder((0..=n).map(|i| 5 * i).collect());
    let candidates = candidates.features(RowMatrix::dense(1, prices).unwrap()).build().unwrap();
    CandidateLog::new(candidates, chosen, vec![0.2; n], Rewards(rewards)).unwrap()
}

fn job() -> CandidateJobBuilder {
    let hour = std::time::Duration::from_secs(3600);
    CandidateJob::builder().budget(hour).rounds(20).candidates(3).seed(5)
}

fn fit(job: CandidateJobBuilder, log: &CandidateLog) -> CandidateModel {
    job.build().unwrap().fit(log, |_| ControlFlow::Continue(())).unwrap()
}

fn record(model: &CandidateModel) -> Value {
    serde_json::to_value(model.record()).unwrap()
}

fn reasons(verdict: &Verdict) -> &[Reason] {
    match verdict {
        Verdict::CannotAnswer(reasons) => reasons,
        _ => &[],
    }
}

#[test]
fn a_log_of_copies_cannot_answer() {
    let once = log(300, 1, |r| r);
    let twice = once.select((0..600).map(|row| row % 300)).unwrap();
    let job = || job().candidates(1).rounds(5);
    let copied = Reason::CopiedRows { times: 2 };
    let model = fit(job(), &twice);
    assert!(reasons(&model.judgement().verdict).contains(&copied), "{:?}", model.judgement().verdict);
    let model = fit(job(), &once);
    assert!(!reasons(&model.judgement().verdict).contains(&copied), "{:?}", model.judgement().verdict);
}

/// As Ctrl-C does: asked for during the search, and at every event from then on.
#[test]
fn who_ends_the_search_and_the_training_keeps_the_best_so_far() {
    let log = log(600, 2, |r| r);
    for rounds_of_second in [1, 15] {
        let mut is_over = false;
        let model = job().build().unwrap().fit(&log, |event| {
            let is_then = |round: usize| round >= rounds_of_second;
            is_over |= matches!(event, CandidateEvent::Search { place: (1, _), round, .. } if is_then(round));
            if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let model = model.unwrap();
        let record = record(&model);
        let winner = &model.record().tried[model.record().chosen];
        // A regression has one more, its mean reward.
        let is_regression = record["tried"][model.record().chosen]["recipe"]["objective"] == "regression";
        let expected = winner.rounds + usize::from(is_regression);
        assert!(winner.rounds > 1 && model.ensemble().members().len() == expected, "{record}");
        assert_eq!((&record["is_cut"], &record["is_of_search"]), (&true.into(), &true.into()));
        assert_eq!(model.record().trees, expected);
    }
    // Who ends the search alone gets the best recipe on all rows.
    let mut is_ended = false;
    let model = job().build().unwrap().fit(&log, |event| match event {
        CandidateEvent::Search { place: (1, _), round: 15, .. } if !is_ended => {
            is_ended = true;
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    let record = record(&model.unwrap());
    assert_eq!((&record["is_cut"], &record["is_of_search"]), (&true.into(), &false.into()));
}

/// η·rounds is below 1, where a search begins to judge in good time.
#[test]
fn a_few_rounds_are_judged_as_well() {
    let log = log(600, 3, |r| r);
    let slow = Overrides { learning_rate: Some(0.002), ..Overrides::default() };
    for (job, rounds) in [(job().rounds(4), 4), (job().overrides(slow), 20)] {
        let model = fit(job, &log);
        let record = record(&model);
        let tried = record["tried"].as_array().unwrap();
        assert_eq!(tried.len(), 3, "{record}");
        for tried in tried {
            assert_eq!(tried["rounds"], rounds, "{record}");
            let number = |name: &str| tried[name].as_f64().unwrap();
            // The uniform policy earns a half, the best one five sixths.
            assert!((0.3..1.0).contains(&number("value")) && number("standard_error") > 0.0, "{record}");
        }
        let cautious = |k: usize| {
            let number = |name: &str| tried[k][name].as_f64().unwrap();
            number("value") - number("standard_error")
        };
        assert!((0..3).all(|k| cautious(k) <= cautious(model.record().chosen)), "{record}");
    }
}

#[test]
fn a_recipe_that_was_not_judged_has_no_value() {
    let model = fit(job(), &log(300, 4, |_| 0.0));
    let record = record(&model);
    assert_eq!((record["tried"].as_array().unwrap().len(), &record["chosen"]), (1, &0.into()), "{record}");
    assert_eq!(
        (&record["tried"][0]["value"], &record["tried"][0]["standard_error"]),
        (&Value::Null, &Value::Null)
    );
    let bytes = model.to_bytes().unwrap();
    assert_eq!(CandidateModel::from_bytes(&bytes).unwrap(), model);
    // What was saved before said 0.
    let mut before = record["tried"][0].clone();
    (before["value"], before["standard_error"]) = (0.5.into(), 0.1.into());
    let before: ocoboost::TriedRecipe = serde_json::from_value(before).unwrap();
    assert_eq!(serde_json::to_value(before).unwrap()["value"], 0.5);
}

/// Costs, of which the larger part depends on the context. Stumps learn it first, and prefer no candidate so
/// long: then the first of equals is played, which the log never shows.
#[test]
fn a_policy_that_no_choice_speaks_for_does_not_win_by_that() {
    let n = 4000;
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    let (mut contexts, mut features, mut chosen, mut rewards) = (vec![], vec![], vec![], vec![]);
    for _ in 0..n {
        let is_dear = rng.random_bool(0.5);
        let place = rng.random_range(1..5_u32);
        let own: Vec<bool> = (0..5).map(|k| k > 0 && rng.random_bool(0.5)).collect();
        let cost = if is_dear { 9.0 } else { 0.0 } + if own[place as usize] { 0.0 } else { 1.0 };
        contexts.push(f64::from(u8::from(is_dear)));
        features.extend(own.iter().map(|is| f64::from(u8::from(*is))));
        chosen.push(place);
        rewards.push(0.0 - cost);
    }
    let candidates = Candidates::builder((0..=n).map(|i| 5 * i).collect())
        .contexts(RowMatrix::dense(1, contexts).unwrap())
        .features(RowMatrix::dense(1, features).unwrap())
        .build()
        .unwrap();
    let log = CandidateLog::new(candidates, chosen, vec![0.25; n], Rewards(rewards)).unwrap();
    let stumps = Overrides { max_depth: Some(1), ..Overrides::default() };
    let model = fit(job().candidates(1).rounds(60).overrides(stumps), &log);
    let record = record(&model);
    assert!(model.record().tried[0].rounds > 20, "{record}");
    let value = record["tried"][0]["value"].as_f64().unwrap();
    // The log earns −5 on average; half as much of a candidate's share is to be had.
    assert!((-5.0..-4.3).contains(&value), "{record}");
}

/// The places of the shown candidates turn as the rows do.
#[test]
fn a_log_of_choices_did_not_take_one_action() {
    let of = |counts: usize, place: fn(u32) -> u32| {
        let candidates = Candidates::builder((0..=200).map(|i| counts * i).collect());
        let prices = (0..200 * counts).map(|p| (p % 7) as f64).collect();
        let candidates = candidates.features(RowMatrix::dense(1, prices).unwrap()).build().unwrap();
        let rewards = Rewards((0..200).map(|i| f64::from(i % 3)).collect());
        let p = vec![1.0 / counts as f64; 200];
        let log = CandidateLog::new(candidates, (0..200).map(place).collect(), p, rewards).unwrap();
        JudgeJob::builder().build().unwrap().evaluate_candidates(&log, &AmongCandidates, None).unwrap()
    };
    let is_one = |reason: &Reason| matches!(reason, Reason::OneAction { .. });
    let places: [fn(u32) -> u32; 4] = [|i| i % 2, |i| (i + 1) % 2, |_| 0, |_| 1];
    for place in places {
        let verdict = of(2, place).verdict;
        assert!(!reasons(&verdict).iter().any(is_one), "{verdict:?}");
    }
    // There was nothing else to take.
    let found = of(1, |_| 0);
    assert!(reasons(&found.verdict).iter().any(is_one));
    assert!(found.sentence().contains("a single action on offer"), "{}", found.sentence());
}

/// Before anything is trained, also where the reward is of a row to learn from.
#[test]
fn a_reward_outside_the_stated_range_is_refused_at_once() {
    let log = log(300, 7, |r| 2.0 * r);
    let row = log.rewards().iter().position(|r| *r == 2.0).unwrap();
    let mut seen = 0;
    let refused = job().reward_range([0.0, 1.0]).build().unwrap().fit(&log, |_| {
        seen += 1;
        ControlFlow::Continue(())
    });
    let message = refused.unwrap_err().to_string();
    assert!(
        seen == 0 && message.contains(&format!("row {row}")) && message.contains('2'),
        "{seen}: {message}"
    );
    // Of a single row to learn from.
    let mut rewards: Vec<f64> = log.rewards().iter().map(|r| r / 2.0).collect();
    let of = |rewards: Vec<f64>| {
        let (chosen, p) = (log.chosen().to_vec(), log.propensities().to_vec());
        CandidateLog::new(log.candidates().clone(), chosen, p, Rewards(rewards)).unwrap()
    };
    let fine = fit(job().candidates(1).rounds(3).reward_range([0.0, 1.0]), &of(rewards.clone()));
    assert!(Argmax::new(&fine).scores().ensemble().members().len() > 1);
    for row in [0, 1, 2] {
        rewards[row] += 5.0;
        let refused = job().candidates(1).rounds(3).reward_range([0.0, 1.0]).build().unwrap();
        let refused = refused.fit(&of(rewards.clone()), |_| ControlFlow::Continue(()));
        assert!(refused.is_err(), "{row}");
        rewards[row] -= 5.0;
    }
}
