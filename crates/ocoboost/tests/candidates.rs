//! Trainings over candidates that are stopped at any moment and go on, with settings of their own, and the
//! models that they leave.
#![allow(clippy::unwrap_used, reason = "a test may")]

use boosters::auto_policy::{Objective, Overrides};
use boosters::bopl::BoplError;
use ocoboost::model_file::SavedState;
use ocoboost::{
    CandidateEvent, CandidateJob, CandidateJobBuilder, CandidateModel, CandidateObjective, CandidateRecord,
    CandidateTrainCheckpoint, Explore, JobError,
};
use off_policy::Rewards;
use off_policy::candidates::{CandidateLog, CandidateSchema, CandidateScores};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Candidates, RowMatrix};
use std::ops::ControlFlow;
use weak_learners::LearnerError;
use weak_learners::pairs::{PairHypothesis, PairNode};

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

/// The same log, whose ages, prices and sizes of items are missing in some rows, with names; or with all as
/// plain numbers. Who lacks a price sells (synthetic).
fn lacking(n: usize, seed: u64, is_said: bool) -> CandidateLog {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let knocked_out = |value: f64, share: f64, rng: &mut ChaCha8Rng| {
        if rng.random_bool(share) { [0.0, 1.0] } else { [value, 0.0] }
    };
    let (mut ages, mut prices, mut chosen, mut rewards) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut offsets, mut of_pairs) = (vec![0], Vec::new());
    let sizes: Vec<f64> =
        (0..20).flat_map(|k| if k % 3 == 0 { [0.0, 1.0] } else { [f64::from(k), 0.0] }).collect();
    for _ in 0..n {
        let age = rng.random_range(1.0..2.0);
        ages.extend(knocked_out(age, 0.3, rng));
        let count = rng.random_range(3..=6_u32);
        let place = rng.random_range(0..count);
        for k in 0..count {
            let (price, item) = (rng.random_range(-1.0..1.0), rng.random_range(0..20_u32));
            let own = knocked_out(price, 0.3, rng);
            if k == place {
                let liked = own[1] * 0.8 + (1.0 - own[1]) * f64::from(u8::from(price > 0.5)) * 0.7;
                let liked = liked * if item % 3 == 0 { 1.0 } else { 0.3 };
                rewards.push(f64::from(u8::from(rng.random_bool(liked))));
            }
            prices.extend(own);
            of_pairs.push(item);
        }
        chosen.push(place);
        offsets.push(of_pairs.len());
    }
    let propensities = offsets.windows(2).map(|ends| 1.0 / (ends[1] - ends[0]) as f64).collect();
    let candidates = Candidates::builder(offsets)
        .contexts(RowMatrix::dense(2, ages).unwrap())
        .features(RowMatrix::dense(2, prices).unwrap())
        .items(of_pairs, RowMatrix::dense(2, sizes).unwrap())
        .build()
        .unwrap();
    let names = |name: &str| vec![name.to_owned(), format!("{name} is missing")];
    let schema = CandidateSchema {
        contexts: names("age"),
        features: names("price"),
        items: names("size"),
        identities: Vec::new(),
        optional: if is_said { vec![0, 2, 4] } else { Vec::new() },
    };
    let log = CandidateLog::new(candidates, chosen, propensities, Rewards(rewards)).unwrap();
    log.with_schema(schema).unwrap()
}

/// The columns of the splits with a side for missing values.
fn sides(model: &CandidateModel) -> Vec<u32> {
    let nodes = model.ensemble().members().iter().flat_map(|member| member.predictor.nodes());
    let feature = |node: &PairNode| match node {
        PairNode::ContextOrMissing { feature, .. } => Some(*feature),
        _ => None,
    };
    nodes.filter_map(feature).collect()
}

#[test]
fn missing_values_of_every_level_go_to_a_learnt_side() {
    let (told, plain) = (lacking(900, 6, true), lacking(900, 6, false));
    let job = job().rounds(20).build().unwrap();
    let model = job.fit(&told, |_| ControlFlow::Continue(())).unwrap();
    let found = sides(&model);
    assert!(found.contains(&2) && found.contains(&4), "{found:?}");
    assert!(found.iter().all(|feature| feature % 2 == 0));
    let questions = model.questions();
    assert!(questions.iter().any(|(name, _)| name == "price"), "{questions:?}");
    // Nothing but the schema says which columns lack values.
    let other = job.fit(&plain, |_| ControlFlow::Continue(())).unwrap();
    assert!(sides(&other).is_empty());
    assert_ne!(model.ensemble().members(), other.ensemble().members());

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.ocob");
    model.save(&path).unwrap();
    let loaded = CandidateModel::load(&path).unwrap();
    assert_eq!(loaded, model);
    assert_eq!(
        loaded.ensemble().schema().map(CandidateSchema::indicators),
        Some(vec![(0, 1), (2, 3), (4, 5)])
    );
    let new = lacking(50, 7, true);
    assert_eq!(loaded.predict(new.candidates()).unwrap(), model.predict(new.candidates()).unwrap());
    // A walk over the row of a pair finds the score of the pair.
    let rows = new.candidates().expanded().unwrap();
    let mut scores = vec![0.0; rows.len()];
    loaded.candidate_scores(new.candidates(), 0..rows.len(), &mut scores).unwrap();
    for (x, score) in rows.iter().zip(&scores) {
        let walks = model.ensemble().members().iter();
        let expected = walks.map(|one| one.alpha * one.predictor.score(x, 0).unwrap()).sum::<f64>();
        assert!((score - expected).abs() < 1e-12, "{score} {expected}");
    }
    assert!(model.was_trained_on(&told) && !model.was_trained_on(&new));
    // Values that are not coded so are refused.
    let broken = CandidateSchema { optional: vec![2], ..told.schema().unwrap().clone() };
    let prices: Vec<f64> = (0..2 * told.candidates().pairs()).map(|k| (k % 3) as f64).collect();
    let candidates = Candidates::builder(told.candidates().offsets().to_vec())
        .contexts(told.candidates().contexts().unwrap().clone())
        .features(RowMatrix::dense(2, prices).unwrap())
        .items(told.candidates().items().to_vec(), told.candidates().item_features().unwrap().clone());
    let (chosen, propensities) = (told.chosen().to_vec(), told.propensities().to_vec());
    let rewards = Rewards(told.rewards().to_vec());
    let log = CandidateLog::new(candidates.build().unwrap(), chosen, propensities, rewards).unwrap();
    let refused = job.fit(&log.with_schema(broken).unwrap(), |_| ControlFlow::Continue(()));
    assert!(matches!(refused, Err(JobError::Learner(LearnerError::BadIndicator { column: 2, .. }))));
}

#[test]
fn a_training_with_missing_values_goes_on() {
    let (log, job) = (lacking(400, 8, true), job().build().unwrap());
    let (mut saved, mut moments) = (Vec::new(), 0);
    let whole = job.fit_resumable(&log, None, |_, moment| {
        moments += 1;
        saved.extend(moment.filter(|_| moments % 9 == 4).map(ocoboost::CandidateMoment::checkpoint));
        ControlFlow::Continue(())
    });
    let whole = whole.unwrap();
    assert!(saved.len() > 2 && !sides(&whole).is_empty());
    for from in saved {
        let resumed = job.fit_resumable(&log, Some(from), |_, _| ControlFlow::Continue(())).unwrap();
        is_same(&resumed, &whole, "with missing values");
    }
}

#[test]
fn a_policy_explores_as_its_probabilities_say() {
    let log = log(300, 9);
    let model = job().build().unwrap().fit(&log, |_| ControlFlow::Continue(())).unwrap();
    let all = log.candidates();
    for explore in [Explore::EpsilonGreedy(0.3), Explore::Softmax(2.0)] {
        let pi = model.explored(all, explore).unwrap();
        let drawn = model.explore(all, explore, 5).unwrap();
        assert_eq!(model.explore(all, explore, 5).unwrap(), drawn);
        for i in 0..all.len() {
            let own = &pi[all.pairs_of(i)];
            assert!((own.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert_eq!(drawn.propensities[i], own[drawn.actions[i] as usize]);
        }
    }
    assert_eq!(model.explored(all, Explore::EpsilonGreedy(0.3)), model.probabilities(all, 0.3));
    let mut decided = Vec::new();
    let see = |place: usize, p: f64, _: &[f64]| {
        decided.push((u32::try_from(place).unwrap(), p));
        ControlFlow::Continue(())
    };
    model.decide(all, (0.3, 5), see).unwrap();
    let drawn = model.explore(all, Explore::EpsilonGreedy(0.3), 5).unwrap();
    assert!(decided.into_iter().eq(drawn.actions.into_iter().zip(drawn.propensities)));
    assert!(model.explored(all, Explore::Softmax(f64::NAN)).is_err());
    assert!(model.explore(all, Explore::EpsilonGreedy(1.5), 0).is_err());
}
