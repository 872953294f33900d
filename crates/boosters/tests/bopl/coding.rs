//! Ensembles, models and their files carry the coding of the training log.

use crate::logs::random_log;
use boosters::bopl::{
    BoplError, BoplS, BoplStop, Checkpoint, Member, PolicyBoosting, PolicyEnsemble, PolicyModel,
    PredictedRewards, RewardRegression, Settings, Validation,
};
use boosters::saved::{SavedError, save};
use off_policy::estimators::{EstimateError, EstimatorSettings, OffPolicyEvaluation};
use off_policy::policies::{Argmax, Scores};
use off_policy::readers::{CsvColumns, CsvLog, Outcome, read_contexts, read_csv};
use off_policy::{ActionSet, ActionSets, Log, PolicyError};
use std::ops::ControlFlow;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{ExactPairTree, PairGrowth, PairNode, PairTree};

/// Rows of a device and an offer; on every device another offer pays, and another amount.
fn rows(devices: [&str; 3]) -> String {
    let mut text = String::from("device,age,offer,p,paid\n");
    for i in 0..90 {
        let (device, offer) = (devices[i % 3], ["music", "travel", "tools"][i / 3 % 3]);
        let paid = match (device, offer) {
            ("phone", "music") => 1.0,
            ("tablet", "travel") => 0.5,
            ("watch", "tools") => 0.25,
            _ => 0.0,
        };
        text.push_str(&format!("{device},{},{offer},0.25,{paid}\n", 20 + i % 7));
    }
    text
}

fn fresh() -> CsvColumns {
    let columns = CsvColumns::default().with_labels(["device"]).with_action("offer");
    columns.with_propensity("p").with_reward("paid")
}

fn read(devices: [&str; 3], columns: &CsvColumns) -> CsvLog {
    read_csv(rows(devices).as_bytes(), columns).unwrap()
}

const FIRST: [&str; 3] = ["phone", "tablet", "watch"];
const OTHER: [&str; 3] = ["watch", "phone", "tablet"];

fn learner() -> ExactPairTree {
    ExactPairTree::new(PairGrowth::builder().max_depth(3).min_child_weight(0.0).build().unwrap())
}

fn run(log: &Log) -> PolicyBoosting<BoplS, ExactPairTree> {
    let mut run = PolicyBoosting::new(log, learner(), Settings::default()).unwrap();
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let stop = run.run_rounds(&contexts, 10, None, |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(stop, BoplStop::Rounds);
    run
}

fn constant(value: f64) -> PairTree {
    PairTree::new(4, 3, vec![PairNode::Leaf { value }]).unwrap()
}

#[test]
fn an_ensemble_is_refused_by_a_log_of_another_coding() {
    let first = read(FIRST, &fresh());
    let (alike, other) = (read(OTHER, &first.columns).log, read(OTHER, &fresh()).log);
    let run = run(&first.log);
    let ensemble = run.ensemble();
    let value = |log: &Log| {
        let policy = Argmax::new(ensemble.clone());
        OffPolicyEvaluation::of(log, &policy, None, EstimatorSettings::default())
            .map(|found| found.snips.unwrap().value)
    };
    // The best policy earns (1 + 1/2 + 1/4)/3 = 0.58, the log a third of it.
    assert!(value(&alike).unwrap() > 0.45);
    assert!(matches!(value(&other), Err(EstimateError::Coding { argument: "the policy", .. })));

    let coding = |error| matches!(error, BoplError::Policy(PolicyError::Coding(_)));
    let follow = |log: &Log| Validation::builder(log).of_argmax().build().unwrap().follow(ensemble);
    assert_eq!(follow(&alike), Ok(()));
    assert!(coding(follow(&other).unwrap_err()));
    let start = |log: &Log| {
        PolicyBoosting::<BoplS, _>::from_ensemble(log, learner(), Settings::default(), ensemble.clone())
    };
    assert!(start(&alike).is_ok() && coding(start(&other).unwrap_err()));

    // An ensemble without a schema takes on that of the log that it goes on with.
    let members = ensemble.members().to_vec();
    let bare = PolicyEnsemble::of(ensemble.inputs(), ensemble.actions(), members).unwrap();
    let warm =
        PolicyBoosting::<BoplS, _>::from_ensemble(&first.log, learner(), Settings::default(), bare).unwrap();
    assert_eq!(warm.model(1).unwrap().schema(), first.log.schema());

    // Predicted rewards are those of the log that they were fitted on.
    let mut regression = RewardRegression::new(&first.log, learner(), 0.5).unwrap();
    let contexts = SortedColumns::new(first.log.contexts().clone()).unwrap();
    assert!(regression.round(&contexts).unwrap().is_continue());
    let model = PredictedRewards(regression.ensemble());
    let build = |log: &Log| Validation::builder(log).model(&model).build().map(|_| ());
    assert_eq!(build(&alike), Ok(()));
    assert!(coding(build(&other).unwrap_err()));

    // A saved ensemble and a saved run know it too; files from before there was a schema are still read.
    let text = serde_json::to_string(ensemble).unwrap();
    assert_eq!(&serde_json::from_str::<PolicyEnsemble<PairTree>>(&text).unwrap(), ensemble);
    let mut bare: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(bare.as_object_mut().unwrap().remove("schema").is_some());
    let bare: PolicyEnsemble<PairTree> = serde_json::from_value(bare).unwrap();
    assert_eq!((bare.schema(), bare.members()), (None, ensemble.members()));
    let saved = serde_json::to_string(&run.checkpoint()).unwrap();
    let checkpoint: Checkpoint<ExactPairTree> = serde_json::from_str(&saved).unwrap();
    let resumed = checkpoint.resume::<BoplS>(&first.log).unwrap();
    assert_eq!(resumed.ensemble(), ensemble);
}

#[test]
fn a_saved_model_holds_all_that_its_use_needs() {
    let first = read(FIRST, &fresh());
    let run = run(&first.log);
    let model = run.model(7).unwrap().with_columns(&fresh()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.json");
    model.save(&path).unwrap();
    let loaded = <PolicyModel>::load(&path).unwrap();
    assert_eq!(loaded, model);
    assert_eq!(loaded.ensemble(), &run.ensemble().prefix(7));
    let training = loaded.training();
    assert_eq!((&*training.objective, training.rounds, training.rows), ("bopl_s", 10, 90));
    assert_eq!((training.settings, training.log_sha256.len()), (Settings::default(), 64));
    assert_eq!(training.base_learner["growth"]["max_depth"], 3);

    // The columns of a log, by their names, with their labels.
    let columns = loaded.columns().unwrap();
    assert_eq!(columns, first.columns);
    assert_eq!(columns.outcome, Outcome::Reward("paid".into()));
    assert_eq!(read(OTHER, &columns).log.schema(), first.log.schema());
    assert_eq!(run.model(1).unwrap().columns().unwrap().action, "action", "the default, before it is told");

    // A table without actions and rewards, and a record.
    let schema = loaded.schema().unwrap();
    let best = |x: rows::Row<'_>, on_offer: ActionSet<'_>| {
        let action = loaded.predict(x, on_offer).unwrap();
        schema.action_name(action).unwrap().into_owned()
    };
    let all = ActionSet::all(3).unwrap();
    let table = read_contexts("age,device\n22,phone\n20,tablet\n".as_bytes(), &columns).unwrap();
    let found: Vec<String> = table.contexts.iter().map(|x| best(x, all)).collect();
    assert_eq!(found, ["music", "travel"]);
    let x = schema.encode([("age", 21.0.into()), ("device", "tablet".into())]).unwrap();
    assert_eq!(best(x.row(), all), "travel");
    let sets = ActionSets::new(3, [[2]]).unwrap();
    assert_eq!(best(x.row(), sets.row(0).unwrap()), "tools", "the only one on offer");

    // Sums beyond the range of numbers are no scores.
    let beyond = [1e308, 1e308].map(|alpha| Member { alpha, predictor: constant(1e308) });
    let beyond = PolicyEnsemble::of(4, 3, beyond.to_vec()).unwrap();
    let mut state = serde_json::to_value(&model).unwrap();
    state["ensemble"]["members"] = serde_json::to_value(beyond.members()).unwrap();
    let beyond: PolicyModel = serde_json::from_value(state).unwrap();
    assert!(matches!(beyond.predict(x.row(), all), Err(PolicyError::NotFiniteScore { action: 0, .. })));

    // What does not fit.
    let narrow = [1.0, 0.0];
    let narrow = loaded.predict(rows::Row::dense(&narrow).unwrap(), all);
    assert_eq!(narrow, Err(PolicyError::InputDimension { expected: 4, got: 2 }));
    assert!(matches!(
        loaded.predict(x.row(), ActionSet::all(2).unwrap()),
        Err(PolicyError::ActionCount { argument: "the action set", expected: 3, got: 2 })
    ));
    assert!(matches!(run.model(11), Err(BoplError::Mismatch { unit: "rounds", expected: 10, got: 11, .. })));
}

#[test]
fn damaged_and_foreign_models_are_refused() {
    let first = read(FIRST, &fresh());
    let model = run(&first.log).model(2).unwrap().with_columns(&fresh()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.json");
    let load = |state: &serde_json::Value| {
        save(&path, "policy-model", state).unwrap();
        <PolicyModel>::load(&path)
    };
    let state = serde_json::to_value(&model).unwrap();
    assert_eq!(load(&state).unwrap(), model);
    let damaged = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut state = state.clone();
        change(&mut state);
        load(&state).unwrap_err().to_string()
    };
    let says =
        damaged(&|state| state["columns"]["contexts"] = serde_json::json!({ "named": ["age", "device"] }));
    assert!(says.contains("columns of the saved model are not those"), "{says}");
    let says =
        damaged(&|state| state["ensemble"]["schema"]["actions"] = serde_json::json!({ "numbered": 2 }));
    assert!(says.contains("the schema has 2 actions, not 3"), "{says}");
    let says = damaged(&|state| drop(state["ensemble"].as_object_mut().unwrap().remove("schema")));
    assert!(says.contains("without a schema"), "{says}");
    let says = damaged(&|state| state["ensemble"]["inputs"] = serde_json::json!(5));
    assert!(says.contains("has 4 coordinates, not 5"), "{says}");
    // A file of another kind.
    save(&path, "policy", &state).unwrap();
    assert!(matches!(<PolicyModel>::load(&path), Err(SavedError::WrongKind { .. })));

    // A log of bare numbers makes a model without names.
    let bare = random_log(20, 2, 3, 1);
    let model = run(&bare).model(1).unwrap();
    assert_eq!((model.schema(), model.columns()), (None, None));
    assert_eq!(model.with_columns(&fresh()).unwrap_err(), BoplError::NoSchema);
}

/// Nothing can be learnt where there is nothing to choose, and the end of the run says so.
#[test]
fn a_log_without_a_choice_says_so() {
    let contexts = |log: &Log| SortedColumns::new(log.contexts().clone()).unwrap();
    let end = |log: &Log| {
        let mut run = PolicyBoosting::<BoplS, _>::new(log, learner(), Settings::default()).unwrap();
        run.round(&contexts(log)).unwrap()
    };
    assert_eq!(end(&random_log(20, 2, 1, 1)), ControlFlow::Break(BoplStop::NoChoice));
    let log = random_log(20, 2, 3, 1);
    let only = |extra: Option<u32>| {
        let logged = log.logged_actions().iter().map(|a| vec![*a]);
        let mut sets: Vec<Vec<u32>> = logged.collect();
        sets[7].extend(extra);
        log.clone().with_action_sets(ActionSets::new(3, sets).unwrap()).unwrap()
    };
    assert_eq!(end(&only(None)), ControlFlow::Break(BoplStop::NoChoice));
    let second = (log.logged_actions()[7] + 1) % 3;
    assert!(end(&only(Some(second))).is_continue(), "one row has a choice");
    assert!(BoplStop::NoChoice.to_string().contains("two actions"));
}
