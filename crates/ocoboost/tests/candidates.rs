//! Trainings over candidates that are stopped at any moment and go on, with settings of their own, and the
//! models that they leave.
#![allow(clippy::unwrap_used, reason = "a test may")]

use boosters::auto_policy::{Objective, Overrides};
use boosters::bopl::BoplError;
use ocoboost::model_file::SavedState;
use ocoboost::{
    CandidateEvent, CandidateJob, CandidateJobBuilder, CandidateModel, CandidateObjective, CandidateRecord,
    CandidateTrainCheckpoint, JobError,
};
use off_policy::Rewards;
use off_policy::candidates::CandidateLog;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Candidates, RowMatrix};
use std::ops::ControlFlow;

/// A synthetic log: who is old likes cheap items, who is young likes dear ones; 3 to 6 items a choice.
fn log(n: usize, seed: u64) -> CandidateLog {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let (mut offsets, mut prices, mut ages) = (vec![0], Vec::new(), Vec::new());
    let (mut chosen, mut propensities, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let age = rng.random_range(0.0..1.0);
        let count = rng.random_range(3..=6_u32);
        let own: Vec<f64> = (0..count).map(|_| rng.random_range(0.0..1.0)).collect();
        let place = rng.random_range(0..count);
        let liked = 1.0 - (own[place as usize] - (1.0 - age)).abs();
        ages.push(age);
        chosen.push(place);
        propensities.push(1.0 / f64::from(count));
        rewards.push(f64::from(u8::from(rng.random_bool(liked * liked * liked))));
        prices.extend(own);
        offsets.push(prices.len());
    }
    let candidates = Candidates::builder(offsets)
        .contexts(RowMatrix::dense(1, ages).unwrap())
        .features(RowMatrix::dense(1, prices).unwrap())
        .build()
        .unwrap();
    CandidateLog::new(candidates, chosen, propensities, Rewards(rewards)).unwrap()
}

fn job() -> CandidateJobBuilder {
    let hour = std::time::Duration::from_secs(3600);
    CandidateJob::builder().budget(hour).rounds(12).candidates(3).seed(5)
}

/// A record without the time that it took.
fn timeless(model: &CandidateModel) -> CandidateRecord {
    CandidateRecord { seconds: [0.0; 3], ..model.record().clone() }
}

fn is_same(one: &CandidateModel, other: &CandidateModel, what: &str) {
    assert_eq!(one.ensemble(), other.ensemble(), "{what}");
    assert_eq!(timeless(one), timeless(other), "{what}");
    assert_eq!((one.judgement(), one.provenance()), (other.judgement(), other.provenance()), "{what}");
}

/// Saves the run at every moment that `is_kept` names, and goes on from each. So many moments may be played
/// again: those of regressions that predict rewards.
fn goes_on(job: &CandidateJob, again: usize, is_kept: impl Fn(usize) -> bool) {
    let log = log(400, 1);
    let folder = tempfile::tempdir().unwrap();
    let path = |k: usize| folder.path().join(format!("{k}"));
    let (mut moments, mut kept) = (0, Vec::new());
    let whole = job.fit_resumable(&log, None, |event, moment| {
        if let Some(moment) = moment {
            if is_kept(moments) {
                moment.checkpoint().save(path(moments)).unwrap();
                kept.push((moments, format!("{event:?}")));
            }
            moments += 1;
        }
        ControlFlow::Continue(())
    });
    let whole = whole.unwrap();
    assert!(kept.len() > 5, "{moments} moments");
    for training in ["Search", "Training"] {
        assert!(kept.iter().any(|(_, event)| event.starts_with(training)), "{training}");
    }
    for (k, event) in kept {
        let from = CandidateTrainCheckpoint::load(path(k)).unwrap();
        let mut rest = 0;
        let resumed = job.fit_resumable(&log, Some(from), |_, moment| {
            rest += usize::from(moment.is_some());
            ControlFlow::Continue(())
        });
        is_same(&resumed.unwrap(), &whole, &event);
        // The moment itself may be seen again.
        assert!(rest <= moments - k + again, "{event}: {rest} of {moments} after {k}");
    }
}

#[test]
fn a_training_goes_on_from_any_moment() {
    goes_on(&job().build().unwrap(), 0, |k| k % 5 == 0);
}

#[test]
fn a_training_on_parts_of_rows_and_columns_and_doubly_robust_rewards_goes_on() {
    let some = Overrides { columns: Some(0.5), rows: Some(0.7), ..Overrides::default() };
    // With this seed policies go on for some rounds: a tree of one column may prefer no candidate.
    goes_on(&job().overrides(some).seed(0).build().unwrap(), 0, |k| k % 4 == 3);
    let doubly = Overrides { objective: Some(Objective::DoublyRobust), ..Overrides::default() };
    goes_on(&job().candidates(2).overrides(doubly).build().unwrap(), 24, |k| k % 7 == 2);
}

/// Where the search was ended, what was saved then is not a run that goes on with it.
#[test]
fn a_training_after_a_search_that_was_ended_goes_on_as_a_training() {
    let (log, job) = (log(400, 1), job().build().unwrap());
    let (mut saved, mut searched) = (None, 0);
    let cut = job.fit_resumable(&log, None, |event, moment| match event {
        CandidateEvent::Search { place: (1, _), round: 7.., .. } => ControlFlow::Break(()),
        CandidateEvent::Training { round: (4, _), .. } => {
            saved = moment.map(ocoboost::CandidateMoment::checkpoint);
            ControlFlow::Continue(())
        }
        _ => ControlFlow::Continue(()),
    });
    let cut = cut.unwrap();
    assert!(cut.record().is_cut);
    let resumed = job.fit_resumable(&log, saved, |event, _| {
        searched += usize::from(matches!(event, CandidateEvent::Search { .. }));
        ControlFlow::Continue(())
    });
    is_same(&resumed.unwrap(), &cut, "a cut search");
    assert_eq!(searched, 0);
}

#[test]
fn a_checkpoint_of_other_settings_or_another_log_is_refused() {
    let (own, mut saved) = (log(300, 2), None);
    let fit = job().build().unwrap().fit_resumable(&own, None, |event, moment| {
        if let (CandidateEvent::Search { place: (1, _), round: 6, .. }, Some(moment)) = (event, moment) {
            saved = Some(moment.checkpoint());
        }
        ControlFlow::Continue(())
    });
    fit.unwrap();
    let saved = saved.unwrap();
    let error = |job: CandidateJobBuilder, log: &CandidateLog| {
        let from = Some(saved.clone());
        job.build().unwrap().fit_resumable(log, from, |_, _| ControlFlow::Continue(())).unwrap_err()
    };
    assert_eq!(error(job(), &log(300, 3)), JobError::Training(BoplError::AnotherLog));
    let deep = Overrides { max_depth: Some(2), ..Overrides::default() };
    for (job, expected) in [
        (job().seed(6), "seed"),
        (job().rounds(13), "rounds"),
        (job().candidates(4), "candidates"),
        (job().holdout_share(0.3), "holdout_share"),
        (job().overrides(deep), "overrides"),
    ] {
        let found = error(job, &own);
        assert!(matches!(&found, JobError::OtherRun { name, .. } if name == expected), "{found}");
    }
    // Another version of the program may try other recipes, or save other things.
    let json = serde_json::to_value(&saved).unwrap();
    let resumed = |json: serde_json::Value| {
        let saved: CandidateTrainCheckpoint = serde_json::from_value(json).unwrap();
        job().build().unwrap().fit_resumable(&own, Some(saved), |_, _| ControlFlow::Continue(())).unwrap_err()
    };
    let mut other = json.clone();
    other["settings"]["recipes"][1]["max_depth"] = 7.into();
    assert!(matches!(resumed(other), JobError::OtherRun { name, .. } if name == "recipes"));
    let mut other = json.clone();
    other["done"]["tried"] = serde_json::json!([]);
    let broken =
        JobError::Training(BoplError::BrokenSearch { reason: "the run under way is not of the next recipe" });
    assert_eq!(resumed(other), broken);
    let mut other = json.clone();
    other["done"]["tried"][0]["rounds"] = 13.into();
    assert!(matches!(resumed(other), JobError::Training(BoplError::BrokenSearch { .. })));
    let mut other = json;
    other["done"]["under_way"]["run"]["policy"]["record"][2]["alpha"] = 0.125.into();
    assert!(matches!(resumed(other), JobError::Training(BoplError::NotReproduced { .. })));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let of_another_kind = SavedState::of("training", &[1.0]).unwrap();
    ocoboost::model_file::Content::State(of_another_kind).save(&path).unwrap();
    assert!(CandidateTrainCheckpoint::load(&path).is_err());
}

/// Every setting is in the recipes that were tried, and the objective is that of the winner.
#[test]
fn settings_are_those_of_every_recipe() {
    let log = log(300, 4);
    for (objective, expected) in [
        (Objective::Ips, CandidateObjective::Bopl),
        (Objective::Surrogate, CandidateObjective::BoplS),
        (Objective::DoublyRobust, CandidateObjective::DoublyRobust),
        (Objective::RewardRegression, CandidateObjective::Regression),
    ] {
        let overrides = Overrides {
            objective: Some(objective),
            max_depth: Some(2),
            learning_rate: Some(0.5),
            min_child_weight: Some(1.5),
            reg_lambda: Some(0.25),
            translation: Some(-0.25),
            clip: Some(4.0),
            ..Overrides::default()
        };
        let model = job().candidates(9).overrides(overrides).build().unwrap();
        let model = model.fit(&log, |_| ControlFlow::Continue(())).unwrap();
        let record = model.record();
        assert_eq!(record.overrides, overrides);
        let is_policy = objective != Objective::RewardRegression;
        // A regression that predicts rewards comes on top, and may not win.
        assert_eq!(record.tried.len(), 1 + usize::from(is_policy), "{:?}", record.tried);
        let winner = record.tried[record.chosen].recipe;
        assert_eq!(winner.objective, expected);
        assert_eq!((winner.max_depth, winner.learning_rate), (2, 0.5));
        assert_eq!((winner.min_child_weight, winner.reg_lambda), (1.5, 0.25));
        let is_translated = matches!(objective, Objective::Ips | Objective::Surrogate);
        assert_eq!(winner.unit_translation, is_translated.then_some(-0.25));
        assert_eq!(winner.clip, is_policy.then_some(4.0));
        assert!(model.ensemble().members().iter().all(|member| member.predictor.leaves() <= 4));
    }
    for refused in [
        Overrides { learning_rate: Some(-1.0), ..Overrides::default() },
        Overrides { max_depth: Some(0), ..Overrides::default() },
        Overrides { columns: Some(0.0), ..Overrides::default() },
        Overrides { rows: Some(1.5), ..Overrides::default() },
        Overrides { clip: Some(0.0), ..Overrides::default() },
        Overrides { translation: Some(f64::NAN), ..Overrides::default() },
    ] {
        assert!(job().overrides(refused).build().is_err(), "{refused:?}");
    }
    assert!(job().candidates(0).build().is_err());
}
