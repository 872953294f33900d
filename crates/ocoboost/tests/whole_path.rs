//! From a file to a policy, its judgement, its file, and its use.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a refusal where none is expected fails the test")]

#[path = "../../datasets/tests/reduced/mod.rs"]
mod reduced;

use boosters::Threads;
use boosters::auto_policy::{Objective, Progress};
use datasets::{Name, Provenance, SearchPath, StandIn, Targets, load};
use flate2::read::GzDecoder;
use ocoboost::inspect::inspect;
use ocoboost::{
    Caveat, Event, Exploration, Explore, JobError, JudgeJob, JudgedRows, Model, OnOffer, PropensitySource,
    RangeSource, Ranked, Split, Target, TrainJob, TrainJobBuilder, Verdict, estimate_propensities,
};
use off_policy::estimators::Estimator;
use off_policy::policies::{Argmax, EpsilonGreedy, LogisticTraining, Softmax};
use off_policy::readers::{Affinities, CsvColumns, CsvLog, read_csv, read_open_bandit};
use off_policy::{LabelSets, Log, RewardStructure, Rewards, expected_reward, to_bandit};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn offers() -> CsvLog {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/offers.csv");
    let file = std::fs::File::open(path).unwrap();
    read_csv(file, &CsvColumns::default().with_labels(["device"])).unwrap()
}

fn go_on(_: Event<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Small enough for a test, with time enough that nothing is cut off.
fn job() -> TrainJobBuilder {
    TrainJob::builder().budget(Duration::from_secs(3600)).candidates(2).rounds(60).seed(3)
}

#[test]
fn from_a_table_to_actions() {
    let read = offers();
    let format = serde_json::to_value(&read.columns).unwrap();
    let model = job().format(format.clone()).build().unwrap().fit(&read.log, go_on).unwrap();
    let judgement = model.judgement();
    println!("{}", judgement.sentence());
    println!("{judgement:#?}");
    // The best policy earns 0.7 a row, the logging policy 0.3.
    let Verdict::Better { at_least, is_certain: true } = judgement.verdict else { panic!("{judgement:?}") };
    let value = judgement.estimate(judgement.headline).unwrap();
    assert!((0.6..0.75).contains(&value.value) && value.lower < value.value, "{value:?}");
    assert!(at_least > 0.2 && at_least < 0.41, "{at_least}");
    assert_eq!((judgement.rows, judgement.judged), (1_000, JudgedRows::KeptApart));
    assert_eq!((judgement.range.lower, judgement.range.upper), (0.0, 1.0));
    assert_eq!(judgement.range.source, RangeSource::OtherRows);
    assert_eq!(judgement.estimates.len(), Estimator::ALL.len());
    let sentence = judgement.sentence();
    assert!(sentence.contains("rows that had no part in the choice the policy earns 0."), "{sentence}");
    assert!(sentence.contains("; with 95% certainty it earns at least 0."), "{sentence}");
    let record = model.record();
    assert!(!record.cuts.any() && record.trees == record.cuts.rounds_trained, "{:?}", record.cuts);
    assert_eq!(record.tried.len(), 2);

    // The file.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("offers.ocob");
    model.save(&path).unwrap();
    let loaded = Model::load(&path).unwrap();
    assert_eq!(loaded, model);
    assert_eq!(loaded.format(), &format);
    let bits = |model: &Model| -> Vec<u64> {
        model.ensemble().members().iter().map(|member| member.alpha.to_bits()).collect()
    };
    assert_eq!(bits(&loaded), bits(&model));

    // Its use.
    let contexts = read.log.contexts();
    let actions = loaded.predict(contexts, OnOffer::all(3).unwrap()).unwrap();
    let mut top = Vec::new();
    let keep = |ranked: &Ranked| {
        top.push(ranked.clone());
        ControlFlow::Continue(())
    };
    loaded.top(contexts, OnOffer::all(3).unwrap(), 2, keep).unwrap();
    assert_eq!(top.len(), actions.len());
    assert!(top.iter().zip(&actions).all(|(top, action)| top.actions[0] == *action));
    assert!(top.iter().all(|top| top.actions.len() == 2 && top.scores[0] >= top.scores[1]));
    let explored =
        loaded.explore(contexts, OnOffer::all(3).unwrap(), Explore::EpsilonGreedy(0.3), 9).unwrap();
    let best = explored.actions.iter().zip(&actions).filter(|(drawn, best)| drawn == best).count() as f64;
    let n = actions.len() as f64;
    assert!((best / n - 0.8).abs() < 5.0 * (0.16 / n).sqrt(), "{best} of {n}");
    assert!(explored.propensities.iter().all(|p| (p - 0.8).abs() < 1e-12 || (p - 0.1).abs() < 1e-12));
    let again = loaded.explore(contexts, OnOffer::all(3).unwrap(), Explore::EpsilonGreedy(0.3), 9).unwrap();
    assert_eq!(again, explored);
    let mut sums = Vec::new();
    loaded
        .probabilities(contexts, OnOffer::all(3).unwrap(), Explore::Softmax(1.0), |pi| {
            sums.push(pi.iter().sum::<f64>());
        })
        .unwrap();
    assert!(sums.len() == actions.len() && sums.iter().all(|sum| (sum - 1.0).abs() < 1e-12));

    // What it looks at.
    let found = inspect(&loaded, 3);
    assert_eq!((found.trees, found.leaves.len()), (record.trees, 3));
    assert!(found.leaves[0].adds.abs() >= found.leaves[1].adds.abs());
    for leaf in &found.leaves {
        println!("{}", leaf.sentence());
        assert!(leaf.sentence().contains("action"), "{leaf:?}");
    }
    println!("{:?} {:?}", found.columns, found.actions);
    let shares: f64 = found.columns.iter().chain(&found.actions).map(|(_, share)| share).sum();
    assert!((shares - 1.0).abs() < 1e-9 && !found.columns.is_empty());
}

/// Letter recognition, 26 actions: a log of a mediocre policy, and the truth from the labels of other rows.
#[test]
fn a_policy_for_letters_is_better_and_its_bound_is_true() {
    let search = SearchPath::from_environment(None).unwrap();
    let letters = load(Name::Letter, &search, StandIn { seed: 7, rows: Some(8000) }).unwrap();
    if !matches!(letters.provenance, Provenance::Official { .. }) {
        reduced::announce("letter recognition is not here, its stand-in is used");
    }
    let Targets::Classes { indices, .. } = &letters.targets else { panic!("no classes") };
    let part = |range: std::ops::Range<usize>| {
        let labels = LabelSets::single(26, &indices[range.clone()]).unwrap();
        (letters.features.select(range).unwrap(), labels)
    };
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let ((logged, labels), (fresh, fresh_labels)) = (part(0..6000), part(6000..8000));
    let training = LogisticTraining::builder().ridge(1.0).max_epochs(50).build().unwrap();
    let model = training.fit(&logged, &labels, &mut rng).unwrap().model;
    let logging = EpsilonGreedy::new(Softmax::new(model, 1.0).unwrap(), 0.1).unwrap();
    let structure = RewardStructure::one_of_the_labels(26).unwrap();
    let log = to_bandit(logged, &labels, &structure, &logging, &mut rng).unwrap();
    let job = TrainJob::builder().budget(Duration::from_secs(3600)).candidates(1).rounds(25).seed(2);
    let model = job.reward_range([0.0, 1.0]).build().unwrap().fit(&log, go_on).unwrap();
    println!("{}", model.judgement().sentence());
    let policy = Argmax::new(&model);
    let value = expected_reward(&policy, &fresh, &fresh_labels, &structure).unwrap();
    let of_log = expected_reward(&logging, &fresh, &fresh_labels, &structure).unwrap();
    let Verdict::Better { at_least, is_certain: true } = model.judgement().verdict else {
        panic!("{:?}", model.judgement())
    };
    // Values of 2,000 rows have a standard error of 0.011.
    assert!(value > of_log + 0.2 && at_least < value - of_log + 0.03, "{value}, {of_log}, {at_least}");
    assert!(at_least > 0.5 * (value - of_log), "{value}, {of_log}, {at_least}");
    let loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let all = OnOffer::all(26).unwrap();
    assert_eq!(loaded.predict(&fresh, all).unwrap(), model.predict(&fresh, all).unwrap());
    assert!(model.schema().is_none() && inspect(&model, 1).leaves[0].condition.contains('x'));
}

/// The Open Bandit sample: 10,000 rows, 34 actions, some fifty clicks. Whoever promises anything here is
/// wrong.
#[test]
fn a_log_of_few_clicks_gets_no_promise() {
    for campaign in ["random", "bts"] {
        let file = format!("../datasets/data/obd/{campaign}/men/men.csv.gz");
        let Ok(file) = std::fs::File::open(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)) else {
            reduced::announce("the Open Bandit sample is not here");
            return;
        };
        let read = read_open_bandit([GzDecoder::new(file)], Affinities::Left).unwrap();
        let log = &read.logs[0].log;
        let clicks = log.rewards().iter().sum::<f64>();
        assert!(log.len() == 10_000 && clicks < 100.0, "{clicks}");
        for seed in 0..2 {
            let job =
                TrainJob::builder().budget(Duration::from_secs(3600)).candidates(2).rounds(15).seed(seed);
            let model = job.build().unwrap().fit(log, go_on).unwrap();
            println!("{campaign}: {}", model.judgement().sentence());
            assert!(!model.judgement().verdict.is_better(), "{:?}", model.judgement());
        }
    }
}

/// The same log, settings and seed give the same model, whatever the number of threads.
#[test]
fn a_job_is_repeatable() {
    let read = offers();
    let fit = |threads: usize| {
        let job = job().rounds(8).build().unwrap();
        Threads::exactly(threads).unwrap().run(|| job.fit(&read.log, go_on).unwrap()).unwrap()
    };
    let (one, two) = (fit(1), fit(2));
    assert_eq!((one.ensemble(), one.judgement()), (two.ensemble(), two.judgement()));
    assert_eq!(one.record().importance, two.record().importance);
    assert_eq!(one.provenance(), two.provenance());
}

/// Whoever ends a search has the best model so far: trained on all rows, or, where that is ended too, the
/// winner's trees of the search.
#[test]
fn an_interrupted_job_keeps_the_best_model_so_far() {
    let read = offers();
    let flag = AtomicBool::new(false);
    let mut rounds = 0;
    let job = job().build().unwrap();
    let stays_up = job.fit(&read.log, |event| {
        if let Event::Progress(Progress::Search { round, .. }) = event {
            rounds += 1;
            flag.store(rounds > 40 && round > 10, Ordering::Relaxed);
        }
        if flag.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let model = stays_up.unwrap();
    let cuts = model.record().cuts;
    assert!(cuts.search && cuts.training && cuts.is_of_search && cuts.reward_model, "{cuts:?}");
    assert!(cuts.rounds_trained > 1 && model.record().trees == cuts.rounds_trained, "{cuts:?}");
    let mut is_ended = false;
    let once = job.fit(&read.log, |event| match event {
        Event::Progress(Progress::Search { round: 20, .. }) if !is_ended => {
            is_ended = true;
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    let cuts = once.unwrap().record().cuts;
    assert!(cuts.search && !cuts.training && cuts.rounds_trained == cuts.rounds_planned, "{cuts:?}");
    // No time at all: one round, and a judgement of what it gave.
    let hurried = TrainJob::builder().budget(Duration::ZERO).seed(1).build().unwrap();
    let model = hurried.fit(&read.log, go_on).unwrap();
    assert!(model.record().cuts.search && model.record().cuts.training, "{:?}", model.record().cuts);
    assert!(model.record().trees >= 1 && model.judgement().rows == 1000);
}

/// Before anything is trained, also where the reward is of a row to learn from.
#[test]
fn a_reward_outside_the_stated_range_is_refused_at_once() {
    let read = offers();
    for row in [0, 1, 2] {
        let mut rewards = read.log.rewards().to_vec();
        rewards[row] = 3.0;
        let (contexts, actions) = (read.log.contexts().clone(), read.log.logged_actions().to_vec());
        let log = Log::new(contexts, 3, actions, read.log.propensities().to_vec(), Rewards(rewards)).unwrap();
        let mut seen = 0;
        let refused = job().rounds(2).reward_range([0.0, 1.0]).build().unwrap().fit(&log, |_| {
            seen += 1;
            ControlFlow::Continue(())
        });
        let message = refused.unwrap_err().to_string();
        assert!(seen == 0 && message.contains(&format!("row {row}: reward = 3")), "{seen}: {message}");
    }
}

#[test]
fn later_rows_and_whole_groups_are_kept_apart() {
    let read = offers();
    let n = read.log.len();
    let by_time = job().rounds(5).validation(Split::ByTime((0..n).map(|i| i as f64).collect()));
    let model = by_time.holdout_share(0.2).build().unwrap().fit(&read.log, go_on).unwrap();
    assert_eq!((model.provenance().judging_rows, model.record().split.as_str()), (n / 5, "by time"));
    let tail = read.log.select(n - n / 5..n).unwrap();
    let mean = tail.rewards().iter().sum::<f64>() / tail.len() as f64;
    assert!((model.judgement().logged.value - mean).abs() < 1e-12);
    let by_group = job().rounds(5).validation(Split::ByGroup((0..n as u64).map(|i| i / 10).collect()));
    let model = by_group.build().unwrap().fit(&read.log, go_on).unwrap();
    assert_eq!(model.judgement().caveats, [Caveat::GroupedRows]);
    assert!(!matches!(model.judgement().verdict, Verdict::Better { is_certain: true, .. }));
    let short = job().validation(Split::ByTime(vec![0.0; 3])).build().unwrap().fit(&read.log, go_on);
    assert!(matches!(short, Err(JobError::Length { column: "the times", got: 3, .. })));
}

#[test]
fn settings_by_name_hold_for_every_candidate() {
    let read = offers();
    let job =
        job().rounds(4).candidates(4).objective(Objective::Ips).max_depth(2).learning_rate(0.3).clip(2.5);
    let model = job.build().unwrap().fit(&read.log, go_on).unwrap();
    let candidates: Vec<_> = model.record().tried.iter().map(|tried| tried.candidate).collect();
    assert!(candidates.iter().all(|c| c.objective == Objective::Ips && c.max_depth == 2));
    assert!(candidates.iter().all(|c| c.learning_rate == 0.3 && c.clip == Some(2.5) && c.translation < 0.0));
    assert!(candidates.iter().enumerate().all(|(k, c)| !candidates[..k].contains(c)), "{candidates:?}");
    assert!(model.ensemble().members().iter().all(|member| member.predictor.leaves() <= 4));
    for refused in [
        TrainJob::builder().max_depth(0),
        TrainJob::builder().learning_rate(f64::NAN),
        TrainJob::builder().clip(-1.0),
        TrainJob::builder().holdout_share(0.0),
        TrainJob::builder().delta(1.0),
        TrainJob::builder().candidates(0),
        TrainJob::builder().exploration(Exploration { epsilon: 2.0 }),
    ] {
        assert!(refused.build().is_err());
    }
}

#[test]
fn a_break_during_the_judgement_ends_its_model_of_rewards() {
    let mut trees_seen = Vec::new();
    let mut is_judging = false;
    let model = job().build().unwrap().fit(&offers().log, |event| {
        is_judging |= event == Event::Judging;
        match event {
            Event::Progress(Progress::RewardModel { trees, .. }) if is_judging => {
                trees_seen.push(trees);
                if trees == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }
            _ => ControlFlow::Continue(()),
        }
    });
    let cuts = model.unwrap().record().cuts;
    assert!(cuts.reward_model && !cuts.search && !cuts.training);
    assert_eq!(trees_seen.last(), Some(&2));
}

/// Without its propensities the log is estimated to say the same, but nothing is certain any more.
#[test]
fn a_log_without_propensities_is_judged_with_estimates() {
    let read = offers();
    let log = &read.log;
    let found = estimate_propensities(log.contexts(), log.logged_actions(), 3, None, 4).unwrap();
    let error = |p: &[f64]| {
        let squares = p.iter().zip(log.propensities()).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        (squares / log.len() as f64).sqrt()
    };
    println!("{} {:?}", error(found.propensities()), (found.temperature(), found.at_floor()));
    assert!(error(found.propensities()) < 0.03);
    let estimated = Log::new(
        log.contexts().clone(),
        3,
        log.logged_actions().to_vec(),
        found.propensities().to_vec(),
        Rewards(log.rewards().to_vec()),
    );
    let estimated = estimated.unwrap().with_schema(log.schema().unwrap().clone()).unwrap();
    let true_model = job().build().unwrap().fit(log, go_on).unwrap();
    let job = job().estimated(found.clone()).build().unwrap();
    let model = job.fit(&estimated, go_on).unwrap();
    println!("{}", model.judgement().sentence());
    assert_eq!(model.judgement().caveats, [Caveat::EstimatedPropensities]);
    assert_eq!(model.provenance().propensities, PropensitySource::Estimated);
    // Whatever the propensities, the rows are those that it was trained on.
    for of_log in [log, &estimated] {
        assert!(model.was_trained_on(of_log) && true_model.was_trained_on(of_log));
        assert!(!model.was_trained_on(&of_log.select(1..of_log.len()).unwrap()));
    }
    let Verdict::Better { at_least, is_certain: false } = model.judgement().verdict else {
        panic!("{:?}", model.judgement().verdict)
    };
    let Verdict::Better { at_least: by_truth, .. } = true_model.judgement().verdict else {
        panic!("not better")
    };
    assert!((at_least - by_truth).abs() < 0.06, "{at_least}, {by_truth}");
    assert!(model.judgement().sentence().contains("estimated"), "{}", model.judgement().sentence());
    // The spread of the refits widens the intervals.
    let policy = Argmax::new(&model);
    let plain = JudgeJob::builder().reward_range([0.0, 1.0]).reward_model(false).build().unwrap();
    let narrow = plain.evaluate(&estimated, Target::Policy(&policy)).unwrap();
    let widened = JudgeJob::builder().reward_range([0.0, 1.0]).reward_model(false).estimated(found.clone());
    let wide = widened.build().unwrap().evaluate(&estimated, Target::Policy(&policy)).unwrap();
    for (narrow, wide) in narrow.estimates.iter().zip(&wide.estimates) {
        assert!(wide.lower < narrow.lower && wide.upper > narrow.upper && wide.value == narrow.value);
    }
    let bounds = narrow.bounds.unwrap().into_iter().zip(wide.bounds.unwrap());
    assert!(bounds.into_iter().all(|(narrow, wide)| wide.lower < narrow.lower));
    // Estimates of another log.
    let refused = job.fit(log, go_on);
    assert!(matches!(refused, Err(JobError::OtherPropensities { row: 0, .. })));
}
