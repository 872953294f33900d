//! Trainings over candidates that are stopped at any moment and go on, with settings of their own, and the
//! models that they leave.
#![allow(clippy::unwrap_used, reason = "a test may")]

use boosters::auto_policy::{Objective, Overrides};
use boosters::bopl::BoplError;
use ocoboost::model_file::SavedState;
use ocoboost::{
    CandidateEvent, CandidateJob, CandidateJobBuilder, CandidateModel, CandidateMoment, CandidateObjective,
    CandidateRows, CandidateTrainCheckpoint, Caveat, Explore, JobError, JudgeJob, PropensitySource, Split,
    Verdict, estimate_candidate_propensities,
};
use off_policy::candidates::{AmongCandidates, CandidateLog, CandidateSchema, CandidateScores};
use off_policy::{LogError, Rewards};
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

fn is_same(one: &CandidateModel, other: &CandidateModel, what: &str) {
    assert_eq!(one.ensemble(), other.ensemble(), "{what}");
    assert_eq!(one.record(), other.record(), "{what}");
    assert_eq!((one.judgement(), one.provenance()), (other.judgement(), other.provenance()), "{what}");
    assert!(one.to_bytes().unwrap() == other.to_bytes().unwrap(), "{what}");
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
    goes_on(&job().overrides(some).build().unwrap(), 0, |k| k % 4 == 3);
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
            saved = moment.map(CandidateMoment::checkpoint);
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
        saved.extend(moment.filter(|_| moments % 9 == 4).map(CandidateMoment::checkpoint));
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

/// Of nine columns of the context and one of the candidates a tree sees one: most draws tell no candidates
/// apart.
#[test]
fn a_draw_that_tells_no_candidates_apart_is_followed_by_another() {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let n = 300;
    let contexts = RowMatrix::dense(9, (0..9 * n).map(|_| rng.random_range(0.0..1.0)).collect()).unwrap();
    let prices: Vec<f64> = (0..4 * n).map(|_| rng.random_range(0.0..1.0)).collect();
    let chosen: Vec<u32> = (0..n).map(|_| rng.random_range(0..4)).collect();
    let paid = |i: usize| f64::from(u8::from(prices[4 * i + chosen[i] as usize] < 0.4));
    let rewards = Rewards((0..n).map(paid).collect());
    let candidates = Candidates::builder((0..=n).map(|i| 4 * i).collect())
        .contexts(contexts)
        .features(RowMatrix::dense(1, prices).unwrap())
        .build()
        .unwrap();
    let log = CandidateLog::new(candidates, chosen, vec![0.25; n], rewards).unwrap();
    let some =
        Overrides { objective: Some(Objective::Surrogate), columns: Some(0.1), ..Overrides::default() };
    let job = job().candidates(2).overrides(some).build().unwrap();
    // The regression that predicts rewards, and two recipes.
    let (mut most, mut moments, mut saved) = ([0; 3], 0, Vec::new());
    let whole = job.fit_resumable(&log, None, |event, moment| {
        if let CandidateEvent::Search { place: (place, 3), round, .. } = event {
            most[place] = most[place].max(round);
        }
        if let Some(moment) = moment {
            if moments % 40 == 25 {
                saved.push(serde_json::to_string(&moment.checkpoint()).unwrap());
            }
            moments += 1;
        }
        ControlFlow::Continue(())
    });
    let whole = whole.unwrap();
    assert_eq!(most, [12; 3]);
    assert!(
        whole.record().trees >= whole.record().tried[whole.record().chosen].rounds,
        "{:?}",
        whole.record()
    );
    // A run goes on from between two draws, too.
    assert!(saved.iter().any(|saved| saved.contains("fruitless")), "{moments} moments");
    for saved in saved {
        let from: CandidateTrainCheckpoint = serde_json::from_str(&saved).unwrap();
        let resumed = job.fit_resumable(&log, Some(from), |_, _| ControlFlow::Continue(())).unwrap();
        is_same(&resumed, &whole, "between two draws");
    }
}

/// Where no column tells candidates apart, the draws end.
#[test]
fn draws_end_where_there_is_nothing_to_find() {
    let n = 60;
    let contexts = RowMatrix::dense(1, (0..n).map(f64::from).collect()).unwrap();
    let candidates = Candidates::builder((0..=n as usize).map(|i| 2 * i).collect())
        .contexts(contexts)
        .features(RowMatrix::dense(1, vec![1.0; 2 * n as usize]).unwrap())
        .build()
        .unwrap();
    let rewards = Rewards((0..n).map(|i| f64::from(i % 2)).collect());
    let chosen = (0..n).map(|i| i / 2 % 2).collect();
    let log = CandidateLog::new(candidates, chosen, vec![0.5; n as usize], rewards).unwrap();
    let some =
        Overrides { objective: Some(Objective::Surrogate), columns: Some(0.5), ..Overrides::default() };
    let job = job().candidates(1).overrides(some).build().unwrap();
    let mut events = 0;
    let model = job.fit(&log, |_| {
        events += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(model.unwrap().record().trees, 0);
    assert!(events < 400, "{events}");
}

#[test]
fn the_regression_behind_a_judgement_ends_when_it_is_asked_to() {
    let (log, job) = (log(400, 1), job().build().unwrap());
    let fit = |watch: &mut dyn FnMut(CandidateEvent) -> ControlFlow<()>| {
        let mut seen = Vec::new();
        let model = job.fit(&log, |event| {
            if let CandidateEvent::RewardModel { round } = event {
                seen.push(round);
            }
            watch(event)
        });
        (model.unwrap(), seen)
    };
    let (whole, seen) = fit(&mut |_| ControlFlow::Continue(()));
    let planned = whole.record().tried[0].rounds;
    assert_eq!(whole.record().tried[0].recipe.objective, CandidateObjective::Regression);
    assert!(!whole.record().is_model_cut && planned > 4);
    assert_eq!(seen, (1..=planned).map(|round| (round, planned)).collect::<Vec<_>>());
    let stop = |is_it: bool| if is_it { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let (at_once, none) = fit(&mut |event| stop(event == CandidateEvent::Judging));
    let (later, two) = fit(&mut |event| stop(matches!(event, CandidateEvent::RewardModel { round: (2, _) })));
    assert_eq!((none.len(), two), (0, vec![(1, planned), (2, planned)]));
    for cut in [&at_once, &later] {
        assert_eq!(cut.ensemble(), whole.ensemble());
        assert!(cut.record().is_model_cut && !cut.record().is_cut);
        // Rewards are those that the search predicted, by as many trees.
        let (own, others) = (cut.judgement(), whole.judgement());
        assert_eq!((own.rows, own.headline, &own.logged), (others.rows, others.headline, &others.logged));
        assert_ne!(own.estimates, others.estimates);
    }
    assert_eq!(at_once.judgement(), later.judgement());
}

#[test]
fn choices_are_split_by_time_and_by_groups() {
    let log = log(400, 1);
    let times: Vec<f64> = (0..400).map(|i| f64::from(i * 7 % 400)).collect();
    let of = |split: Split| job().holdout_share(0.25).validation(split).build().unwrap();
    let fit = |split: Split| of(split).fit(&log, |_| ControlFlow::Continue(()));
    let model = fit(Split::ByTime(times.clone())).unwrap();
    let latest = times.iter().zip(log.rewards()).filter(|(time, _)| **time >= 300.0).map(|(_, r)| r / 100.0);
    assert!((model.judgement().logged.value - latest.sum::<f64>()).abs() < 1e-12);
    assert_eq!((model.record().split.as_str(), model.provenance().judging_rows), ("by time", 100));
    assert!(!model.judgement().caveats.contains(&Caveat::GroupedRows));

    let groups: Vec<u64> = (0..400).map(|i| i / 8 % 49).collect();
    let model = fit(Split::ByGroup(groups)).unwrap();
    assert_eq!((model.record().split.as_str(), model.provenance().judging_rows % 8), ("by groups", 0));
    assert!(model.judgement().caveats.contains(&Caveat::GroupedRows));
    // Two groups are enough to judge by, and the search splits one of them by lot.
    assert_eq!(
        fit(Split::ByGroup((0..400).map(|i| i % 2).collect())).unwrap().provenance().judging_rows,
        200
    );
    let given = fit(Split::Given((0..400).map(|i| i % 10 == 3).collect())).unwrap();
    assert_eq!((given.record().split.as_str(), given.provenance().judging_rows), ("by column", 40));

    let length = JobError::Length { column: "the times", expected: 400, got: 399 };
    assert_eq!(fit(Split::ByTime(times[1..].to_vec())).unwrap_err(), length);
    let mut bad = times.clone();
    bad[7] = f64::NAN;
    assert!(matches!(fit(Split::ByTime(bad)), Err(JobError::BadTime { row: 7, .. })));
    assert!(matches!(fit(Split::ByTime(vec![1.0; 400])), Err(JobError::TooFewRows { .. })));

    // A run goes on with its own split alone.
    let mut saved = None;
    let keep = |event: CandidateEvent, moment: Option<&CandidateMoment<'_>>| {
        if let (CandidateEvent::Search { place: (1, _), round: 3, .. }, Some(moment)) = (event, moment) {
            saved = Some(moment.checkpoint());
        }
        ControlFlow::Continue(())
    };
    let whole = of(Split::ByTime(times.clone())).fit_resumable(&log, None, keep).unwrap();
    let resumed =
        |split: Split| of(split).fit_resumable(&log, saved.clone(), |_, _| ControlFlow::Continue(()));
    is_same(&resumed(Split::ByTime(times.clone())).unwrap(), &whole, "by time");
    let name = |split: Split| match resumed(split) {
        Err(JobError::OtherRun { name, .. }) => name,
        other => format!("{other:?}"),
    };
    assert_eq!(name(Split::Random), "split");
    assert_eq!(name(Split::ByTime(times.iter().map(|time| -time).collect())), "split_sha256");
}

/// A synthetic log of a policy that prefers dear items for who is old: π ∝ exp(4·(price − ½)·(2·age − 1)).
fn preferring(n: usize, seed: u64, strength: f64) -> (CandidateLog, Vec<f64>) {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let (mut offsets, mut prices, mut ages) = (vec![0], Vec::new(), Vec::new());
    let (mut chosen, mut propensities, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let age: f64 = rng.random_range(0.0..1.0);
        let count = rng.random_range(2..=5);
        let own: Vec<f64> = (0..count).map(|_| rng.random_range(0.0..1.0)).collect();
        let weights: Vec<f64> =
            own.iter().map(|price| (strength * (price - 0.5) * (2.0 * age - 1.0)).exp()).collect();
        let total: f64 = weights.iter().sum();
        let mut left = rng.random_range(0.0..total);
        let place = weights.iter().position(|w| {
            left -= w;
            left < 0.0
        });
        let place = place.unwrap_or(0);
        ages.push(age);
        chosen.push(u32::try_from(place).unwrap());
        propensities.push(weights[place] / total);
        rewards.push(f64::from(u8::from(own[place] < 0.5)));
        prices.extend(own);
        offsets.push(prices.len());
    }
    let candidates = Candidates::builder(offsets)
        .contexts(RowMatrix::dense(1, ages).unwrap())
        .features(RowMatrix::dense(1, prices).unwrap())
        .build()
        .unwrap();
    let log = CandidateLog::new(candidates, chosen, propensities.clone(), Rewards(rewards)).unwrap();
    (log, propensities)
}

#[test]
fn propensities_of_candidates_are_estimated() {
    let go_on = &mut || ControlFlow::Continue(());
    let error = |found: &[f64], right: &[f64]| {
        let gaps = found.iter().zip(right).map(|(a, b)| (a - b).abs() / found.len() as f64);
        gaps.sum::<f64>()
    };
    let (log, right) = preferring(3000, 1, 4.0);
    let found = estimate_candidate_propensities(log.candidates(), log.chosen(), None, 1, go_on).unwrap();
    let even: Vec<f64> = (0..3000).map(|i| 1.0 / log.candidates().pairs_of(i).len() as f64).collect();
    let (own, of_even) = (error(found.propensities(), &right), error(&even, &right));
    assert!(own < 0.05 && own < of_even / 3.0, "{own}, an even choice {of_even}");
    assert!(found.cross_entropy() < found.cross_entropy_of_shares() - 0.05);
    assert!((0.3..3.0).contains(&found.temperature()), "{}", found.temperature());
    let again = estimate_candidate_propensities(log.candidates(), log.chosen(), None, 1, go_on).unwrap();
    assert_eq!(found, again);

    // Of an even policy they are near even.
    let (plain, right) = preferring(2000, 2, 0.0);
    let of_plain =
        estimate_candidate_propensities(plain.candidates(), plain.chosen(), None, 1, go_on).unwrap();
    assert!(error(of_plain.propensities(), &right) < 0.02);

    let mut trees = 0;
    let stop = &mut || {
        trees += 1;
        if trees == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = estimate_candidate_propensities(log.candidates(), log.chosen(), None, 1, stop);
    assert_eq!((stopped, trees), (Err(JobError::Interrupted), 3));
    let few = log.select(0..9).unwrap();
    let refused = estimate_candidate_propensities(few.candidates(), few.chosen(), None, 1, go_on);
    assert!(matches!(refused, Err(JobError::TooFewRows { rows: 9, .. })));
    let refused = estimate_candidate_propensities(few.candidates(), &[9; 9], None, 1, go_on);
    assert!(matches!(refused, Err(JobError::Log(LogError::ActionOutOfRange { row: 0, .. }))));

    // A training and a judgement on estimates say so, and are certain of nothing.
    let estimated = log.clone().with_propensities(found.propensities().to_vec()).unwrap();
    let job = job().candidates(2).estimated(found.clone()).build().unwrap();
    let model = job.fit(&estimated, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(model.provenance().propensities, PropensitySource::Estimated);
    assert!(model.judgement().caveats.contains(&Caveat::EstimatedPropensities));
    assert!(!matches!(model.judgement().verdict, Verdict::Better { is_certain: true, .. }));
    let other = estimate_candidate_propensities(log.candidates(), log.chosen(), None, 7, go_on).unwrap();
    assert_ne!(other, found);
    let other = log.clone().with_propensities(other.propensities().to_vec()).unwrap();
    assert!(
        model.was_trained_on(&estimated) && model.was_trained_on(&other) && !model.was_trained_on(&plain)
    );
    let refused = job.fit(&log, |_| ControlFlow::Continue(()));
    assert!(matches!(refused, Err(JobError::OtherPropensities { row: 0, .. })));

    let rows = CandidateRows::of(&estimated, &AmongCandidates).unwrap();
    let logged = CandidateRows::of_logging_policy(&estimated);
    let judge = JudgeJob::builder().estimated(found).build().unwrap();
    let widened = judge.evaluate_candidate_rows(&estimated, &rows).unwrap();
    let plain = JudgeJob::builder().build().unwrap().evaluate_candidate_rows(&estimated, &rows).unwrap();
    for (own, narrow) in widened.estimates.iter().zip(&plain.estimates) {
        assert!(own.value == narrow.value && own.lower < narrow.lower && own.upper > narrow.upper);
    }
    // The logging policy is whatever the propensities say.
    let of_log = judge.evaluate_candidate_rows(&estimated, &logged).unwrap();
    let mean = of_log.logged.value;
    assert!(of_log.estimates.iter().all(|one| (one.value - mean).abs() < 1e-12));
    let compared = judge.compare_candidates(&estimated, &[rows, logged]).unwrap();
    assert_eq!((&compared.judgements[0], &compared.judgements[1]), (&widened, &of_log));
    let refused = judge.evaluate_candidate_rows(&log, &CandidateRows::of(&log, &AmongCandidates).unwrap());
    assert!(matches!(refused, Err(JobError::OtherPropensities { .. })));
}
