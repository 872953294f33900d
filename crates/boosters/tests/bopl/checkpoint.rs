//! Runs that are stopped after k rounds, saved, loaded and continued; other files and logs.

use crate::learners::Arbitrary;
use crate::logs::{Reward, Task};
use boosters::bopl::{
    Bopl, BoplError, BoplS, Checkpoint, Classification, PolicyBoosting, PolicyEnsemble, PolicyObjective,
    Settings, Smoothness, Step,
};
use boosters::saved::{SavedError, load, save};
use off_policy::{ActionSets, Log, Rewards};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use weak_learners::batch::{BinnedColumns, SortedColumns};
use weak_learners::pairs::{
    BinnedContexts, ColumnSampling, ExactPairTree, GradientSampling, HistogramPairTree, PairGrowth,
    PairHypothesis, PairLearner, PairTree, RowSampling, VectorLeafLearner,
};

const KIND: &str = "bopl checkpoint";

fn settings(step: Step) -> Settings {
    Settings::builder().translation(-0.2).ridge(1e-3).step(step).build().unwrap()
}

/// Killed and resumed after every k, the run is the one that was not.
fn goes_on<O, L>(log: &Log, contexts: &L::Contexts, learner: &L, step: Step)
where
    O: PolicyObjective,
    L: PairLearner + Clone + Serialize + DeserializeOwned,
    L::Hypothesis: PairHypothesis + Clone + Sync + Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    const ROUNDS: usize = 5;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let new = || PolicyBoosting::<O, L>::new(log, learner.clone(), settings(step)).unwrap();
    let mut whole = new();
    (0..ROUNDS).for_each(|_| assert!(whole.round(contexts).unwrap().is_continue()));
    for k in 0..ROUNDS {
        let mut run = new();
        (0..k).for_each(|_| assert!(run.round(contexts).unwrap().is_continue()));
        save(&path, KIND, &run.checkpoint()).unwrap();
        let checkpoint: Checkpoint<L> = load(&path, KIND).unwrap();
        assert_eq!((checkpoint.ensemble(), checkpoint.record()), (run.ensemble(), run.record()));
        let mut resumed: PolicyBoosting<O, L> = checkpoint.resume(log).unwrap();
        assert_eq!((resumed.scores(), resumed.gradients()), (run.scores(), run.gradients()), "after {k}");
        assert_eq!((resumed.objective(), resumed.delta_0()), (run.objective(), run.delta_0()), "after {k}");
        (k..ROUNDS).for_each(|_| assert!(resumed.round(contexts).unwrap().is_continue()));
        assert_eq!(resumed.record(), whole.record(), "after {k}");
        assert_eq!(resumed.ensemble(), whole.ensemble(), "after {k}");
        assert_eq!(resumed.scores(), whole.scores(), "after {k}");
        let text = |run: &PolicyBoosting<O, L>| serde_json::to_string(&run.checkpoint()).unwrap();
        assert_eq!(text(&resumed), text(&whole), "after {k}");
    }
}

fn by_all_learners<O: PolicyObjective>(log: &Log) {
    let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
    let columns = BinnedColumns::new(log.contexts().clone()).unwrap();
    let binned = BinnedContexts::new(log.contexts().clone()).unwrap();
    let growth = PairGrowth::builder().max_depth(5).min_child_weight(0.05).reg_lambda(0.1).build().unwrap();
    for step in [Step::Closed(Smoothness::Sharp), Step::LineSearch, Step::SecondOrder { learning_rate: 0.5 }]
    {
        goes_on::<O, _>(log, &sorted, &ExactPairTree::new(growth), step);
        goes_on::<O, _>(log, &binned, &HistogramPairTree::new(growth), step);
        let signs = Classification::new(HistogramPairTree::new(growth.of_signs()));
        goes_on::<O, _>(log, &binned, &signs, step);
        goes_on::<O, _>(log, &columns, &VectorLeafLearner::new(growth), step);
        let rng = || ChaCha8Rng::seed_from_u64(6);
        let sampling = ColumnSampling::new(HistogramPairTree::new(growth), 0.5, rng()).unwrap();
        goes_on::<O, _>(log, &binned, &RowSampling::new(sampling, 0.5, rng()).unwrap(), step);
        let sampling = GradientSampling::new(HistogramPairTree::new(growth), 0.4, rng()).unwrap();
        goes_on::<O, _>(log, &binned, &sampling, step);
        let arbitrary = Arbitrary { rng: ChaCha8Rng::seed_from_u64(5), size: 1.0 };
        goes_on::<O, _>(log, &sorted, &arbitrary, step);
    }
}

#[test]
fn every_run_goes_on_bit_for_bit() {
    by_all_learners::<Bopl>(&Task::letters(250).log(Reward::Noisy, 1));
    by_all_learners::<BoplS>(&Task::adults(300).log(Reward::Punished, 2));
}

/// Trees with a side for missing values, and samples that say where these are.
#[test]
fn a_run_with_missing_values_goes_on_bit_for_bit() {
    let (task, indicators) = Task::letters(250).knocked_out(3);
    let log = task.log(Reward::Noisy, 1);
    let binned = BinnedContexts::new(log.contexts().clone()).unwrap().with_indicators(&indicators).unwrap();
    let saved = serde_json::to_string(&binned).unwrap();
    let binned: BinnedContexts = serde_json::from_str(&saved).unwrap();
    let growth = PairGrowth::builder().max_depth(5).min_child_weight(0.05).reg_lambda(0.1).build().unwrap();
    let step = Step::SecondOrder { learning_rate: 0.5 };
    goes_on::<BoplS, _>(&log, &binned, &HistogramPairTree::new(growth), step);
    let rng = || ChaCha8Rng::seed_from_u64(6);
    let sampling = ColumnSampling::new(HistogramPairTree::new(growth), 0.5, rng()).unwrap();
    goes_on::<BoplS, _>(&log, &binned, &RowSampling::new(sampling, 0.5, rng()).unwrap(), step);
}

/// One round, saved and loaded; its gradient.
fn round_trip<O: PolicyObjective>(log: &Log, contexts: &BinnedContexts, learner: &HistogramPairTree) -> f64 {
    let (folder, step) = (tempfile::tempdir().unwrap(), Step::Closed(Smoothness::Sharp));
    let path = folder.path().join("run.json");
    let settings = Settings::builder().step(step).build().unwrap();
    let mut run = PolicyBoosting::<O, _>::new(log, learner.clone(), settings).unwrap();
    assert!(run.round(contexts).unwrap().is_continue());
    save(&path, KIND, &run.checkpoint()).unwrap();
    let checkpoint: Checkpoint<HistogramPairTree> = load(&path, KIND).unwrap();
    let resumed: PolicyBoosting<O, _> = checkpoint.resume(log).unwrap();
    assert_eq!((resumed.record(), resumed.gradients()), (run.record(), run.gradients()));
    run.record()[0].gradient_norm
}

#[test]
fn the_largest_numbers_are_saved() {
    let n = 100;
    let contexts = rows::RowMatrix::dense(1, (0..n).map(f64::from).collect()).unwrap();
    let rewards = (0..n).map(|i| if i < 70 { 1e140 } else { -1e140 }).collect();
    let log = Log::new(contexts, 2, vec![0; 100], vec![1.0; 100], Rewards(rewards)).unwrap();
    let binned = BinnedContexts::new(log.contexts().clone()).unwrap();
    let learner = HistogramPairTree::new(
        PairGrowth::builder().max_depth(3).min_child_weight(0.0).reg_lambda(0.0).build().unwrap(),
    );
    // ‖u‖ = √100·√2·|c|/2, and c is v/2 in one objective and v in most rows of the other.
    let norms = [round_trip::<Bopl>(&log, &binned, &learner), round_trip::<BoplS>(&log, &binned, &learner)];
    assert!((norms[0] / 1e140 - 12.5_f64.sqrt()).abs() < 1e-12, "{norms:?}");
    assert!(norms[1] > norms[0] && norms[1] < 1e141, "{norms:?}");
}

/// A thousand trees of a line each, and all the actions that there may be: a file of a hundred kilobytes fits
/// into memory.
#[test]
fn a_tree_is_as_large_as_its_nodes() {
    let tree = json!({ "inputs": 1, "actions": 1 << 24, "nodes": [{ "leaf": { "value": 1.0 } }] });
    let members: Vec<Value> = (0..1000).map(|_| json!({ "alpha": 1.0, "predictor": tree })).collect();
    let ensemble = json!({ "inputs": 1, "actions": 1 << 24, "members": members });
    let ensemble: PolicyEnsemble<PairTree> = serde_json::from_value(ensemble).unwrap();
    assert_eq!(ensemble.len(), 1000);
}

/// A warm start counts its rounds, and has its Δ_0, from the ensemble that it was given.
#[test]
fn a_warm_start_goes_on() {
    let (first, then) = (Task::letters(200).log(Reward::Right, 1), Task::letters(200).log(Reward::Right, 2));
    let contexts = SortedColumns::new(first.contexts().clone()).unwrap();
    let learner = ExactPairTree::new(
        PairGrowth::builder().max_depth(4).min_child_weight(1.0).reg_lambda(0.0).build().unwrap(),
    );
    let step = settings(Step::Closed(Smoothness::Paper));
    let mut run = PolicyBoosting::<BoplS, _>::new(&first, learner.clone(), step).unwrap();
    (0..3).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
    let mut warm =
        PolicyBoosting::<BoplS, _>::from_ensemble(&then, learner, step, run.into_ensemble()).unwrap();
    (0..2).for_each(|_| assert!(warm.round(&contexts).unwrap().is_continue()));
    assert_eq!((warm.record().len(), warm.ensemble().len()), (2, 5));
    let mut resumed: PolicyBoosting<BoplS, _> = warm.checkpoint().resume(&then).unwrap();
    assert_eq!(resumed.delta_0(), warm.delta_0());
    assert_eq!(resumed.round(&contexts).unwrap(), warm.round(&contexts).unwrap());
    assert!(warm.record().iter().all(|round| round.objective <= round.bound + 1e-12));
}

fn saved() -> (Log, Checkpoint<ExactPairTree>) {
    let log = Task::adults(120).log(Reward::Noisy, 3);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let learner = ExactPairTree::new(
        PairGrowth::builder().max_depth(3).min_child_weight(1.0).reg_lambda(0.0).build().unwrap(),
    );
    let mut run =
        PolicyBoosting::<Bopl, _>::new(&log, learner, settings(Step::Closed(Smoothness::Sharp))).unwrap();
    (0..4).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
    (log, run.checkpoint())
}

#[test]
fn another_log_is_refused() {
    let (log, checkpoint) = saved();
    let resumes = |log: &Log| checkpoint.clone().resume::<Bopl>(log).map(|_| ());
    assert_eq!(resumes(&log), Ok(()));
    let (a, p, r) = (log.logged_actions().to_vec(), log.propensities().to_vec(), log.rewards().to_vec());
    let with = |a: &[u32], p: &[f64], r: &[f64]| {
        Log::new(log.contexts().clone(), 2, a.to_vec(), p.to_vec(), Rewards(r.to_vec())).unwrap()
    };
    let mut other = a.clone();
    other[7] = 1 - other[7];
    assert_eq!(resumes(&with(&other, &p, &r)), Err(BoplError::AnotherLog));
    let mut other = p.clone();
    other[119] *= 1.0 - f64::EPSILON;
    assert_eq!(resumes(&with(&a, &other, &r)), Err(BoplError::AnotherLog));
    let mut other = r.clone();
    other[0] += 1e-12;
    assert_eq!(resumes(&with(&a, &p, &other)), Err(BoplError::AnotherLog));
    let sets = ActionSets::new(2, vec![[0, 1]; 120]).unwrap();
    assert_eq!(resumes(&log.clone().with_action_sets(sets).unwrap()), Err(BoplError::AnotherLog));
    assert_eq!(resumes(&Task::adults(119).log(Reward::Noisy, 3)), Err(BoplError::AnotherLog));
    let refused = checkpoint.clone().resume::<BoplS>(&log).map(|_| ());
    assert!(matches!(refused, Err(BoplError::AnotherObjective { expected: "bopl_s", .. })));
}

#[test]
fn a_file_that_was_tampered_with_is_refused() {
    let (log, checkpoint) = saved();
    let file = serde_json::to_value(&checkpoint).unwrap();
    let resumes = |pointer: &str, value: Value| {
        let mut file = file.clone();
        *file.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is there")) = value;
        serde_json::from_value::<Checkpoint<ExactPairTree>>(file)
            .is_ok_and(|checkpoint| checkpoint.resume::<Bopl>(&log).is_ok())
    };
    let same = file.pointer("/record/2/alpha").unwrap().clone();
    assert!(resumes("/record/2/alpha", same), "the file itself is fine");
    let alpha = file.pointer("/ensemble/members/1/alpha").unwrap().as_f64().unwrap();
    for (pointer, value) in [
        ("/objective", json!("bopl_s")),
        ("/log", json!("00")),
        ("/settings/translation", json!(0.5)),
        ("/settings/ridge", json!(-1.0)),
        ("/ensemble/members/1/alpha", json!(alpha * (1.0 + 1e-15))),
        ("/ensemble/members/1/alpha", json!(null)),
        ("/ensemble/actions", json!(3)),
        ("/record/1/alpha", json!(alpha * 2.0)),
        ("/record/1/decrease", json!(0.5)),
        ("/record/3/bound", json!(0.5)),
        ("/record/3/objective", json!(0.5)),
        ("/record/3/ips", json!(0.5)),
        ("/record/3/snips", json!(0.5)),
        ("/record", json!(null)),
    ] {
        assert!(!resumes(pointer, value.clone()), "{pointer} = {value}");
    }
    // More rounds than predictors, or a record of other rounds.
    let rounds = file.pointer("/record").unwrap().as_array().unwrap();
    assert!(!resumes("/record", json!(rounds.iter().chain(rounds).collect::<Vec<_>>())));
    assert!(!resumes("/record", json!(rounds.iter().rev().collect::<Vec<_>>())));
}

/// A number of actions that there is no room for, in a tree or in an ensemble, under a checksum that is
/// right.
#[test]
fn more_actions_than_there_is_room_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.json");
    let (_, checkpoint) = saved();
    for actions in [9_000_000_000_u64, u64::MAX] {
        let leaf = json!({ "leaf": { "value": 1.0 } });
        let tree = json!({ "inputs": 1, "actions": actions, "nodes": [leaf] });
        assert!(serde_json::from_value::<PairTree>(tree.clone()).is_err(), "{actions}");
        let with =
            json!({ "inputs": 1, "actions": actions, "members": [{ "alpha": 1.0, "predictor": tree }] });
        let without = json!({ "inputs": 1, "actions": actions, "members": [] });
        for ensemble in [with, without] {
            let mut file = serde_json::to_value(&checkpoint).unwrap();
            file["ensemble"] = ensemble.clone();
            save(&path, KIND, &file).unwrap();
            let loaded = load::<Checkpoint<ExactPairTree>>(&path, KIND);
            assert!(matches!(loaded, Err(SavedError::State { .. })), "{actions}");
            save(&path, "policy", &ensemble).unwrap();
            let loaded = load::<PolicyEnsemble<PairTree>>(&path, "policy");
            assert!(matches!(loaded, Err(SavedError::State { .. })), "{actions}");
        }
    }
}

#[test]
fn a_file_that_is_cut_off_is_refused() {
    let (_, checkpoint) = saved();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    save(&path, KIND, &checkpoint).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len() - 1).step_by(997) {
        std::fs::write(&path, &whole[..length]).unwrap();
        let refused = load::<Checkpoint<ExactPairTree>>(&path, KIND);
        assert!(
            matches!(refused, Err(SavedError::Damaged { .. } | SavedError::NotASavedLearner { .. })),
            "{length}"
        );
    }
    std::fs::write(&path, &whole).unwrap();
    assert!(matches!(load::<Checkpoint<ExactPairTree>>(&path, "another"), Err(SavedError::WrongKind { .. })));
    assert_eq!(load::<Checkpoint<ExactPairTree>>(&path, KIND).unwrap(), checkpoint);
}
