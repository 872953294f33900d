//! The experiment on boosted off-policy learning as a program: neither threads nor a stop change a number,
//! every theorem holds after every round, and learning does not use the test rows.

#![allow(clippy::unwrap_used, reason = "a run that fails here is a failure of the test")]

#[path = "../../datasets/tests/reduced/mod.rs"]
mod reduced;

use datasets::{Labels, SearchPath, Split, StandIn};
use experiments::bopl::logging_policy::Explorer;
use experiments::bopl::methods::Method;
use experiments::bopl::paper::Printed;
use experiments::bopl::parameters::Parameters;
use experiments::bopl::task::{MostRows, Task};
use experiments::bopl::task_name::TaskName;
use experiments::bopl::{Options, Plan, run, second_order, variations};
use experiments::peer::{Peer, Peers, State};
use experiments::runner::ExperimentError;
use report::record::{Record, Trial};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn options(out: &Path, trials: u64, threads: usize) -> Options {
    Options {
        trials,
        seed: 5,
        threads: Some(threads),
        quick: true,
        plan: Plan {
            large_trials: None,
            comparison_trials: None,
            search_parameters: false,
            // The recipe, which takes as long as all the others, has a test of its own.
            methods: Method::ALL.into_iter().filter(|method| *method != Method::AutoPolicy).collect(),
            tasks: vec![TaskName::Scene],
            peers: Peers::default(),
        },
        out: out.to_owned(),
        search: SearchPath::nowhere(),
        quiet: true,
    }
}

/// A quick run on the stand-in, which needs no files.
fn quick(out: &Path, trials: u64, threads: usize) -> Record {
    let report = run(&options(out, trials, threads)).unwrap();
    assert!(report.files.iter().all(|file| file.exists()));
    assert!(report.terminal.contains("(synthetic stand-in)"));
    Record::load(&out.join("bopl.json")).unwrap()
}

/// The trials without timings.
fn without_times(record: &Record) -> Vec<&Trial> {
    record.trials.iter().filter(|trial| !trial.metric.contains("seconds")).collect()
}

#[test]
fn neither_threads_nor_a_stop_change_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let whole = quick(&out("whole"), 2, 1);
    let other = quick(&out("threads"), 2, 3);
    assert_eq!(without_times(&other), without_times(&whole));
    let curves = |run: &str| std::fs::read(out(run).join("bopl-curves.csv")).unwrap();
    assert_eq!(curves("whole"), curves("threads"));
    // A run killed within a unit's line: complete units are not run again, the others are.
    let first = quick(&out("stopped"), 1, 2);
    let kept = units(&out("stopped"));
    std::fs::write(&kept.0, &kept.1[..kept.1.len() - 40]).unwrap();
    let resumed = quick(&out("stopped"), 2, 2);
    assert_eq!(without_times(&resumed), without_times(&whole));
    assert_eq!(curves("stopped"), curves("whole"));
    let seconds = |record: &Record| -> Vec<(String, f64)> {
        let of = record.trials.iter().filter(|trial| trial.trial == 0 && trial.metric == "seconds a round");
        of.map(|trial| (trial.method.clone(), trial.value)).collect()
    };
    // Timings never repeat, so equal times mean kept units.
    let (first, resumed) = (seconds(&first), seconds(&resumed));
    let redone = first.iter().zip(&resumed).filter(|(a, b)| a != b).count();
    assert_eq!((first.len(), redone), (13, 1));
    let broken =
        |trial: &&Trial| trial.metric.contains("rounds short") || trial.metric.contains("above the bound");
    let broken: Vec<f64> = whole.trials.iter().filter(broken).map(|trial| trial.value).collect();
    assert_eq!(broken, [0.0; 2 * 2 * 15]);
}

/// The recipe learns from the log and nothing else, and the page says what it chose and what it thought of
/// its choice.
#[test]
fn the_recipe_says_what_it_chose() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(folder.path(), 1, 2);
    options.plan.methods = vec![Method::Logging, Method::AutoPolicy];
    let report = run(&options).unwrap();
    assert!(report.files.iter().all(|file| file.exists()));
    let record = Record::load(&folder.path().join("bopl.json")).unwrap();
    let of = |method: Method, metric: &str| {
        let mut found =
            record.trials.iter().filter(|one| one.method == method.name() && one.metric == metric);
        found.next().map(|one| one.value).unwrap()
    };
    let [policy, logged] = [Method::AutoPolicy, Method::Logging].map(|method| of(method, "test reward"));
    // 300 rows of six actions, and no two rows alike: at least as good as the policy of the log.
    assert!(policy > logged, "{policy} of the recipe, {logged} of the log");
    let (_, kept) = store(folder.path(), "bopl-");
    let choice = kept.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let choices: Vec<Value> =
        choice.map(|unit| unit["value"]["choice"].clone()).filter(|c| c.is_object()).collect();
    assert_eq!(choices.len(), 1);
    let page = std::fs::read_to_string(folder.path().join("bopl.md")).unwrap();
    assert!(page.contains("What AutoPolicy chose"), "{page}");
    assert!(page.contains(choices[0]["candidate"].as_str().unwrap()), "{page}");
    assert!(page.contains(&format!("{policy:.4}")) && !page.contains("course"), "{page}");
}

/// XGBoost learns from the log, and the direct method is its own prediction.
#[test]
fn xgboost_itself_is_a_row() {
    if !Peer::folder().join("requirements.txt").exists() {
        reduced::announce("XGBoost is not installed in target/peers, where `reproduce bopl --peers` puts it");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(folder.path(), 2, 2);
    options.plan.methods = vec![Method::Logging, Method::BrrXgb, Method::BrrGb];
    let xgboost = State::Ready(Peer::install(&Peer::folder()).unwrap());
    options.plan.peers = Peers { xgboost, ..Peers::default() };
    run(&options).unwrap();
    let record = Record::load(&folder.path().join("bopl.json")).unwrap();
    let of = |metric: &str| -> Vec<f64> {
        let of_peer = record.trials.iter().filter(|one| one.method == "BRR-xgb" && one.metric == metric);
        of_peer.map(|one| one.value).collect()
    };
    // Ten small steps of a reward regression predict little.
    let (rewards, predicted) = (of("test reward"), of("direct method"));
    assert_eq!((rewards.len(), predicted.len()), (2, 2));
    assert!(rewards.iter().all(|reward| (0.0..=1.0).contains(reward)), "{rewards:?}");
    assert!(predicted.iter().all(|value| (0.0..=1.0).contains(value)), "{predicted:?}");
    let page = std::fs::read_to_string(folder.path().join("bopl.md")).unwrap();
    assert!(!page.contains("missing:"), "{page}");
}

/// Both nets learn from the log, in the epochs that the page shows, and a unit that is kept is not run again.
#[test]
fn nets_are_rows() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../neural-policies/Cargo.toml");
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/neural-policies/release");
    if !built.exists() {
        reduced::announce("the nets are not built in target/, where `reproduce bopl --peers` builds them");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(folder.path(), 2, 2);
    options.plan.methods = vec![Method::Logging, Method::Drr, Method::BanditNet];
    let neural_policies = State::Ready(Peer::build_nets(&manifest).unwrap());
    options.plan.peers = Peers { neural_policies, ..Peers::default() };
    run(&options).unwrap();
    let record = || Record::load(&folder.path().join("bopl.json")).unwrap();
    let of = |method: &str, metric: &str| -> Vec<f64> {
        let record = record();
        let of_net = record.trials.iter().filter(|one| one.method == method && one.metric == metric);
        of_net.map(|one| one.value).collect()
    };
    for method in ["DRR", "BanditNet"] {
        let (rewards, epochs) = (of(method, "test reward"), of(method, "rounds"));
        assert_eq!((rewards.len(), epochs.len()), (2, 2));
        assert!(rewards.iter().all(|reward| *reward > 0.5), "{method}: {rewards:?}");
        assert!(epochs.iter().all(|epochs| (1.0..=10.0).contains(epochs)), "{method}: {epochs:?}");
    }
    let (before, _) = (record(), std::fs::remove_file(folder.path().join("bopl.json")));
    run(&options).unwrap();
    assert_eq!(record().trials, before.trials);
}

/// The path of a store of units, by the prefix of its name, and its content.
fn store(out: &Path, name: &str) -> (PathBuf, String) {
    let is_store = |path: &PathBuf| {
        let file = path.file_name().unwrap().to_str().unwrap();
        file.starts_with(name) && file.ends_with(".trials")
    };
    let path = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path()).find(is_store).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

/// The file of the units, and its content; the last unit is not the logging policy's, whose time is 0.
fn units(out: &Path) -> (PathBuf, String) {
    let (path, text) = store(out, "bopl-");
    let mut lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(|line| line.contains("/BOPL-regr/")).unwrap();
    let line = lines.remove(last);
    lines.push(line);
    (path, lines.join("\n") + "\n")
}

#[test]
fn the_table_of_a_reduced_run() {
    let folder = tempfile::tempdir().unwrap();
    run(&options(folder.path(), 2, 2)).unwrap();
    let page = std::fs::read_to_string(folder.path().join("bopl.md")).unwrap();
    let of_the_rows = |line: &&str| !line.starts_with("|--");
    // Label, ours, paper; times are not stable.
    let cells =
        |line: &str| line.split('|').skip(1).take(3).map(|cell| format!("{:<42}", cell.trim())).collect();
    let table: Vec<String> = page
        .lines()
        .skip_while(|line| !line.starts_with("| scene "))
        .take(20)
        .filter(of_the_rows)
        .map(cells)
        .map(|cells: Vec<String>| cells.concat().trim_end().to_owned())
        .collect();
    insta::assert_snapshot!(table.join("\n"), @r"
    scene                                     ours                                      paper
    Logging (synthetic stand-in)              0.6217 ± 0.0976                           0.4317 ± 0.0042
    BRR-gb (synthetic stand-in)               0.1583 ± 0.0000                           0.6328 ± 0.0319
    BRR-xgb (synthetic stand-in)              missing: needs --peers                    0.6854 ± 0.0189
    DRR (synthetic stand-in)                  missing: needs --peers                    0.7636 ± 0.0098
    BanditNet (synthetic stand-in)            missing: needs --peers                    0.7794 ± 0.0124
    BOPL-regr (synthetic stand-in)            0.9583 ± 0.3177                           0.7778 ± 0.0105
    BOPL-class (synthetic stand-in)           0.6417 ± 0.6353                           0.7651 ± 0.0112
    BOPL-S-regr (synthetic stand-in)          1.0000 ± 0.0000                           0.7703 ± 0.0132
    BOPL-S-class (synthetic stand-in)         0.9875 ± 0.1588                           0.7877 ± 0.0091
    ours: regr, sharp (synthetic stand-in)    0.9792 ± 0.0529                           –
    ours: class, sharp (synthetic stand-in)   0.6958 ± 1.9589                           –
    ours: S-regr, sharp (synthetic stand-in)  0.9917 ± 0.1059                           –
    ours: S-class, sharp (synthetic stand-in) 1.0000 ± 0.0000                           –
    ours: line search (synthetic stand-in)    1.0000 ± 0.0000                           –
    ours: second order (synthetic stand-in)   0.9542 ± 0.4765                           –
    ours: vector leaves (synthetic stand-in)  0.9792 ± 0.0529                           –
    ours: BRR, squared (synthetic stand-in)   0.2167 ± 0.7412                           –
    ours: BRR, logistic (synthetic stand-in)  0.1583 ± 0.0000                           –
    ");
}

#[test]
fn the_variations_of_a_reduced_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let go = |name: &str, trials, threads| {
        let report = variations::run(&options(&out(name), trials, threads)).unwrap();
        assert!(
            report.files.iter().all(|file| file.exists()) && report.terminal.contains("(synthetic stand-in)")
        );
        Record::load(&out(name).join("bopl-variations.json")).unwrap()
    };
    let whole = go("whole", 2, 2);
    let names: Vec<&str> = whole.rows.iter().map(|row| row.method.as_str()).collect();
    assert_eq!(names.len(), 25);
    let has = |start: &str| names.iter().any(|name| name.starts_with(start));
    assert!([3, 10, 30].iter().all(|most| has(&format!("1/p at most {most}"))));
    assert!(has("as it is") && has("logged with ε = 0.5, columns as they are") && has("sharp constants, "));
    // A logging policy's target is not always reachable on the stand-in; the name then states it.
    let reached = |row: &&report::record::Row| !row.method.contains("not reached");
    assert!(whole.rows.iter().filter(reached).count() >= 14);
    // The logging policy of a variation is the named one, and is scored on validation rows.
    let keys = store(&out("whole"), "bopl-variations-").1;
    assert!(!keys.contains("/Test/"));
    for trial in &whole.trials {
        let [explorer, parameters] =
            ["logging policy", "parameters"].map(|part| trial.settings[part].to_string());
        let of_trial =
            |line: &&str| line.contains(&format!("/{}/", trial.trial)) && line.contains("/BOPL-regr/");
        let same = |text: &str, json: &str| {
            serde_json::from_str::<Value>(text).unwrap() == serde_json::from_str::<Value>(json).unwrap()
        };
        let is_kept = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap();
            let key = line["unit"].as_str().unwrap().to_owned();
            let (before, asked) = key.split_once("}/").unwrap();
            let who = before.split_once("/Validation/").unwrap().1.to_owned() + "}";
            same(&who, &explorer) && same(asked, &parameters) && line["value"]["reward"] == trial.value
        };
        if trial.method.starts_with("logged") {
            assert!(keys.lines().skip(1).filter(of_trial).any(is_kept), "{trial:?}");
        }
    }
    // Neither threads nor a stop change a number.
    go("stopped", 1, 1);
    assert_eq!(go("stopped", 2, 1).trials, whole.trials);
    assert!(matches!(
        variations::run(&options(&out("none"), 0, 1)),
        Err(ExperimentError::NothingToRun { .. })
    ));
}

/// The comparison of second-order steps uses validation rows, and a stopped one goes on.
#[test]
fn what_second_order_steps_save_in_a_reduced_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let go = |name: &str, trials| {
        let report = second_order::run(&options(&out(name), trials, 1)).unwrap();
        assert!(report.files.iter().all(|file| file.exists()));
        Record::load(&out(name).join("bopl-second-order.json")).unwrap().trials
    };
    let whole = go("whole", 2);
    assert_eq!(whole.len(), 6);
    go("stopped", 1);
    assert_eq!(go("stopped", 2), whole);
    let kept = store(&out("whole"), "bopl-second-order-").1;
    assert!(kept.contains("/Validation/") && !kept.contains("/Test/"));
    let page = std::fs::read_to_string(out("whole").join("bopl-second-order.md")).unwrap();
    assert!(page.contains("| BOPL-S-regr, second order reaches"), "{page}");
}

#[test]
#[allow(clippy::float_cmp, reason = "copied numbers")]
fn the_hyper_parameters_are_those_of_table_5() {
    use TaskName::{Covertype, Fashion, Scene, Tmc};
    let of = |method, task| {
        let found = Parameters::table_5(method, task);
        (found.rounds, found.max_depth, found.min_child_weight, found.reg_lambda, found.translation)
    };
    assert_eq!(of(Method::BoplRegr, Covertype), (600, 25, 200.0, 0.0, -0.4));
    assert_eq!(of(Method::BoplRegr, Fashion), (250, 20, 200.0, 0.0, -0.41));
    assert_eq!(of(Method::BoplSRegr, Scene), (100, 10, 60.0, 0.0, -0.2));
    assert_eq!(of(Method::BoplSRegr, Tmc), (300, 20, 200.0, 0.0, -0.3));
    assert_eq!(of(Method::BoplClass, Scene), (1000, 14, 60.0, 0.0, -0.35));
    assert_eq!(of(Method::BoplClass, Tmc), (200, 20, 50.0, 0.0, -0.1));
    assert_eq!(of(Method::BoplSClass, Scene), (1000, 14, 120.0, 0.0, -0.2));
    assert_eq!(of(Method::BrrGb, Covertype), (600, 20, 2.0, 0.0, 0.0));
    let rates = TaskName::PAPER.map(|task| Parameters::table_5(Method::BrrGb, task).learning_rate);
    assert_eq!(rates, [0.1, 0.1, 0.01, 0.1]);
    assert_eq!(of(Method::BoplCsRegr, Covertype), (600, 25, 200.0, 0.0, 0.0));
    // Hidden layers, width, dropout, weight decay, translation, epochs, batch; columns as in the paper.
    let nets = |method| {
        TaskName::PAPER.map(|task| {
            let Parameters { rounds, translation, learning_rate, net, .. } =
                Parameters::table_5(method, task);
            let net = net.unwrap();
            assert_eq!(learning_rate, 0.01);
            let [decay, share] = [net.weight_decay, net.dropout];
            (net.hidden_layers, net.first_layer_width, share, decay, translation, rounds, net.batch_size)
        })
    };
    let [layers, widths] = [[4, 4, 2, 1], [256, 512, 512, 256]];
    let [dropout, decay] = [[0.1, 0.1, 0.2, 0.1], [0.0, 1e-6, 1e-5, 1e-6]];
    let [epochs, batch] = [[116, 1000, 1000, 1000], [1000, 100, 100, 100]];
    let expected = |k: usize| (layers[k], widths[k], dropout[k], decay[k], 0.0, epochs[k], batch[k]);
    assert_eq!(nets(Method::Drr), [0, 1, 2, 3].map(expected));
    let [layers, widths] = [[4, 4, 4, 2], [256, 512, 512, 512]];
    let decay = [1e-4, 1e-5, 1e-4, 1e-3];
    let translation = [-0.4, -0.42, -0.2, -0.2];
    let expected = |k: usize| (layers[k], widths[k], 0.1, decay[k], translation[k], epochs[k], batch[k]);
    assert_eq!(nets(Method::BanditNet), [0, 1, 2, 3].map(expected));
    for task in TaskName::PAPER {
        for ours in [Method::SharpSteps, Method::LineSearch, Method::VectorLeaves] {
            assert_eq!(of(ours, task), of(Method::BoplSRegr, task));
            assert_eq!(Printed::table_1(ours, task), None);
        }
        for (ours, theirs) in [
            (Method::SharpRegr, Method::BoplRegr),
            (Method::SharpClass, Method::BoplClass),
            (Method::SharpSClass, Method::BoplSClass),
        ] {
            assert_eq!(of(ours, task), of(theirs, task));
            assert_eq!(Printed::table_1(ours, task), None);
        }
    }
}

/// The same trial with another label for every test row: only the test rows' own numbers change.
#[test]
fn no_test_row_reaches_the_log() {
    let stand_in = StandIn { seed: 3, rows: Some(400) };
    for name in TaskName::PAPER {
        let mut task = Task::load(name, &SearchPath::nowhere(), stand_in).unwrap();
        let most = MostRows { log: 100, held_out: 50 };
        let draw = |task: &Task, trial| task.trial(Explorer::of(name), Some(most), 3, trial).unwrap();
        let told = draw(&task, 1);
        assert!(told.least_propensity >= 0.1 / told.log.actions() as f64 - 1e-12);
        assert_ne!(told.log, draw(&task, 2).log, "{name}: trials are alike");
        let labels = &task.labelled().unwrap().data.labels;
        let tested = Split::new(name.classification().unwrap().split_plan(400), 400, 3, 1).unwrap().test;
        let classes = u32::try_from(labels.classes()).unwrap();
        let (mut offsets, mut indices) = (vec![0], Vec::new());
        for (i, of_row) in labels.iter().enumerate() {
            let moved = u32::from(tested.contains(&i));
            let mut of_row: Vec<u32> = of_row.iter().map(|label| (label + moved) % classes).collect();
            of_row.sort_unstable();
            indices.extend(of_row);
            offsets.push(indices.len());
        }
        task.labelled_mut().unwrap().data.labels = Labels::new(labels.classes(), offsets, indices).unwrap();
        let garbled = draw(&task, 1);
        assert_eq!((&told.log, &told.contexts), (&garbled.log, &garbled.contexts), "{name}");
        assert_eq!(told.validation.logging.to_bits(), garbled.validation.logging.to_bits());
        assert_ne!(
            told.test.logging.to_bits(),
            garbled.test.logging.to_bits(),
            "{name}: tested on other labels"
        );
    }
}

/// On the official files, if present: the ridge follows its rule.
#[test]
fn logging_policies_are_about_as_good_as_the_papers() {
    for name in [TaskName::Scene, TaskName::Tmc] {
        let search = SearchPath::from_environment(None).unwrap();
        let task = Task::load(name, &search, StandIn { seed: 1, rows: Some(400) }).unwrap();
        let is_official = !task.labelled().unwrap().data.provenance.to_string().contains("stand-in");
        if !is_official {
            reduced::announce(&format!(
                "{name} is not here, its logging policy is held against chance alone"
            ));
        }
        let most = MostRows { log: 10, held_out: usize::MAX };
        let rewards = (0..4)
            .map(|trial| task.trial(Explorer::of(name), Some(most), 1, trial).unwrap().validation.logging);
        let mean = rewards.sum::<f64>() / 4.0;
        let printed = Printed::table_1(Method::Logging, name).unwrap().mean;
        assert!(!is_official || (mean - printed).abs() < 0.01, "{name}: {mean}, the paper's {printed}");
        let labels = &task.labelled().unwrap().data.labels;
        let chance = labels.cardinality() / labels.classes() as f64;
        assert!(mean > chance + 0.02 && mean < 1.0, "{name}: {mean}, by chance {chance}");
    }
}

#[test]
fn a_search_uses_validation_rows_and_keeps_its_units() {
    let folder = tempfile::tempdir().unwrap();
    let mut searched = options(folder.path(), 1, 2);
    searched.plan.search_parameters = true;
    run(&searched).unwrap();
    let page = std::fs::read_to_string(folder.path().join("bopl.md")).unwrap();
    assert!(page.contains("the best on validation rows of 6 configurations a method"));
    let (_, text) = units(folder.path());
    assert_eq!(text.matches("/Validation/").count(), 5 * 6);
    run(&searched).unwrap();
    assert_eq!(units(folder.path()).1, text, "no unit runs again");

    // Planted: the last configuration of every method is best by far on validation rows, so it is run and
    // shown.
    let (path, text) = units(folder.path());
    let mut lines: Vec<&str> = text.lines().collect();
    let header = lines.remove(0);
    let mut kept: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    kept.retain(|line| line["unit"].as_str().unwrap().contains("/Validation/"));
    let mut best = BTreeMap::new();
    for (place, line) in kept.iter().enumerate() {
        let [method, asked] = method_and_parameters(line["unit"].as_str().unwrap());
        let method = Method::ALL.into_iter().find(|one| one.name() == method).unwrap();
        let asked: Parameters = serde_json::from_str(asked).unwrap();
        let table_5 = Parameters::table_5(method, TaskName::Scene);
        if asked.min_child_weight.total_cmp(&table_5.min_child_weight).is_ne() {
            best.insert(method.name(), (place, asked));
        }
    }
    best.values().for_each(|(place, _)| kept[*place]["value"]["reward"] = 2.0.into());
    let lines: Vec<String> =
        std::iter::once(header.to_owned()).chain(kept.iter().map(Value::to_string)).collect();
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    run(&searched).unwrap();
    let record = Record::load(&folder.path().join("bopl.json")).unwrap();
    for (method, (_, expected)) in &best {
        let of_method = || record.trials.iter().filter(|trial| trial.method == *method);
        assert!(
            of_method().count() > 0 && of_method().all(|trial| trial.value < 2.0 || trial.metric == "rounds"),
            "{method}"
        );
        for trial in of_method() {
            let found: Parameters = serde_json::from_value(trial.settings.clone()).unwrap();
            assert_eq!(found, *expected, "{method}");
        }
    }
    assert_eq!(best.len(), 5);
    let of_tests = units(folder.path()).1.matches("/Test/").count();
    assert_eq!(of_tests, 15, "the chosen configurations are run again, and nothing else");
}

/// The method and the parameters in a unit's key.
fn method_and_parameters(key: &str) -> [&str; 2] {
    let (before, after) = key.split_once("}/").unwrap();
    [before.split('/').nth(3).unwrap(), after]
}

#[test]
fn nothing_to_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut no_tasks = options(folder.path(), 1, 1);
    no_tasks.plan.tasks.clear();
    for refused in [Options { trials: 0, ..options(folder.path(), 1, 1) }, no_tasks] {
        assert!(matches!(run(&refused), Err(ExperimentError::NothingToRun { .. })));
    }
}
