//! Settings by name, from the command line, the environment and a file.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod running;

use running::{offers, output, refused, run};
use serde_json::Value;
use std::path::Path;

fn candidates(model: &str) -> Vec<Value> {
    let model: Value = serde_json::from_str(&output(&["export", model, "-"])).unwrap();
    let tried = model["record"]["tried"].as_array().unwrap();
    tried.iter().map(|tried| tried["candidate"].clone()).collect()
}

#[test]
fn every_setting_has_a_name_and_those_of_xgboost_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let (log, model) = (offers(), folder.path().join("m.ocob").display().to_string());
    let train =
        ["train", &log, "-o", &model, "--candidates", "9", "--rounds", "3", "--budget", "10m", "--quiet"];
    let own = [
        "--objective",
        "ips",
        "--max-depth",
        "3",
        "--learning-rate",
        "0.25",
        "--min-child-weight",
        "2",
        "--reg-lambda",
        "0.5",
        "--colsample-bytree",
        "0.6",
        "--subsample",
        "0.75",
        "--clip",
        "4",
        "--translation",
        "-0.3",
    ];
    output(&[&train[..], &own].concat());
    let found = candidates(&model);
    let expected = serde_json::json!({
        "objective": "ips", "max_depth": 3, "min_child_weight": 2.0, "reg_lambda": 0.5, "learning_rate": 0.25,
        "translation": -0.3, "clip": 4.0, "columns": 0.6, "rows": 0.75,
    });
    // All candidates are one.
    assert_eq!(found, std::slice::from_ref(&expected));
    let theirs = [
        "--objective",
        "ips",
        "--max_depth",
        "3",
        "--eta",
        "0.25",
        "--min_child_weight",
        "2",
        "--lambda",
        "0.5",
        "--colsample_bytree",
        "0.6",
        "--subsample",
        "0.75",
        "--clip",
        "4",
        "--translation=-0.3",
        "--nthread",
        "1",
    ];
    output(&[&train[..], &theirs].concat());
    assert_eq!(candidates(&model), [expected]);
}

#[test]
fn the_range_of_the_rewards_can_be_given() {
    let folder = tempfile::tempdir().unwrap();
    let (log, model) = (offers(), folder.path().join("m.ocob").display().to_string());
    let train =
        ["train", &log, "-o", &model, "--candidates", "1", "--rounds", "20", "--budget", "10m", "--quiet"];
    let bound = |range: &[&str]| {
        let (_, out, error) = run(&[&train[..], range, &["--format", "json"]].concat());
        let answer: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{error}"));
        answer["certificate"]["bounds"][0]["lower"].as_f64().unwrap()
    };
    let own = bound(&[]);
    assert_eq!(bound(&["--reward-range", "0,1"]), own);
    assert!(bound(&["--reward-range", "-2,3"]) < own);
    refused(&[&train[..], &["--reward-range", "0.2,1"]].concat(), 65, "0.2");
    refused(
        &[&train[..], &["--reward-range", "1,0"]].concat(),
        2,
        "--reward-range 1,0: not two rising numbers",
    );
}

/// A range that was read off the judged rows makes a bound approximate; one that is known does not.
#[test]
fn an_evaluation_with_a_known_range_is_certain() {
    let log = offers();
    let verdict = |more: &[&str]| {
        let (_, out, _) = run(&[&["evaluate", "uniform", &log, "--quiet"], more].concat());
        out.contains("the range of the rewards is that of the judged rows")
    };
    assert_eq!([verdict(&[]), verdict(&["--reward-range", "0,1"])], [true, false]);
}

/// What is wrong with the settings is said before the log is looked for.
#[test]
fn settings_are_checked_before_anything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (none, model, nowhere) = (at("none.csv"), at("m.ocob"), at("no folder/m.ocob"));
    for (setting, words) in [
        (["--max-depth", "0"], "max_depth = 0"),
        (["--eta", "-1"], "learning_rate = -1"),
        (["--subsample", "1.5"], "1.5"),
        (["--clip", "0"], "clip = 0"),
        (["--holdout", "0.9"], "holdout_share = 0.9"),
        (["--budget", "-3s"], "--budget -3s: not a time"),
    ] {
        let arguments = ["train", &none, "-o", &model].map(str::to_owned);
        let joined = format!("{}={}", setting[0], setting[1]);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain([joined.as_str()]).collect();
        refused(&arguments, 2, words);
    }
    refused(&["evaluate", "uniform", &none, "--confidence", "2"], 2, "--confidence 2: not above");
    refused(&["compare", "uniform", "logged", &none, "--reward-range", "1"], 2, "--reward-range 1: not two");
    refused(&["train", &none, "-o", &nowhere], 73, "no folder/m.ocob");
    refused(&["train", &none, "-o", &folder.path().display().to_string()], 73, "directory");
    assert!(!Path::new(&model).exists());
}

/// The settings of a run in few rounds, from three sources.
fn record(folder: &Path, arguments: &[&str], variables: &[(&str, &str)], file: &str) -> (Value, String) {
    let at = |name: &str| folder.join(name).display().to_string();
    std::fs::write(at("settings.toml"), file).unwrap();
    let (log, model, config) = (offers(), at("m.ocob"), at("settings.toml"));
    let all = [&["train", &log, "-o", &model, "--config", &config], arguments].concat();
    let mut command = running::command(&all);
    command.envs(variables.iter().copied());
    let (code, out, error) = running::said(&command.output().unwrap());
    assert_eq!(code, Some(0), "{error}");
    let model: Value = serde_json::from_str(&output(&["export", &model, "-"])).unwrap();
    (model["record"].clone(), out + &error)
}

#[test]
fn the_command_line_goes_before_the_environment_and_that_before_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = "budget = \"10m\"\nseed = 5\nquiet = true\nmax_depth = 5\n\n[train]\ncandidates = 2\nrounds = 4\n\
                eta = 0.2\nignore = [\"income\", \"age\"]\n\n[predict]\nexplore = 0.5\n";
    let rounds = |record: &Value| record["tried"][0]["rounds"].as_u64().unwrap();
    let (of_file, said) = record(folder.path(), &[], &[], file);
    assert_eq!(
        (&of_file["seed"], &of_file["budget"], rounds(&of_file)),
        (&Value::from(5), &Value::from(600.0), 4)
    );
    assert_eq!(of_file["tried"].as_array().unwrap().len(), 2);
    let settings = &of_file["overrides"];
    assert_eq!((&settings["max_depth"], &settings["learning_rate"]), (&Value::from(5), &Value::from(0.2)));
    // `quiet`: nothing but the sentence; and both columns are left out.
    assert!(said.starts_with("On ") && said.lines().count() == 1, "{said}");
    let variables = [("OCOBOOST_ROUNDS", "3"), ("OCOBOOST_MAX_DEPTH", "4"), ("OCOBOOST_QUIET", "0")];
    let (of_environment, _) = record(folder.path(), &["--max-depth", "3"], &variables, file);
    assert_eq!((rounds(&of_environment), &of_environment["overrides"]["max_depth"]), (3, &Value::from(3)));
    assert_eq!(of_environment["seed"], 5);
    // Before the command and behind it.
    let (log, model) = (offers(), folder.path().join("m.ocob").display().to_string());
    let seeded = ["--seed", "9", "train", &log, "-o", &model];
    let mut command = running::command(&seeded);
    command.env("OCOBOOST_CONFIG", folder.path().join("settings.toml"));
    assert_eq!(running::said(&command.output().unwrap()).0, Some(0));
    let found: Value = serde_json::from_str(&output(&["export", &model, "-"])).unwrap();
    assert_eq!((&found["record"]["seed"], rounds(&found["record"])), (&Value::from(9), 4));
    assert_eq!(found["columns"].to_string(), "[\"device=phone\",\"device=tablet\",\"device=watch\"]");
}

/// What is excluded by a higher source is no setting of a lower one.
#[test]
fn a_cost_on_the_command_line_goes_before_a_reward_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let short = ["--candidates", "1", "--rounds", "3", "--quiet", "--holdout", "0.5"];
    let earned = |arguments: &[&str], file: &str, sign: &str| {
        let arguments = [arguments, &short].concat();
        let (_, said) = record(folder.path(), &arguments, &[("OCOBOOST_OBJECTIVE", "dr")], file);
        said.contains(&format!("the log earned {sign}0."))
    };
    assert!(earned(&["--cost", "reward"], "reward = \"income\"\n", "-"));
    assert!(earned(&["--reward", "reward"], "cost = \"income\"\n", ""));
    let both = "cost = \"income\"\nreward = \"reward\"\n";
    let path = folder.path().join("both.toml").display().to_string();
    std::fs::write(&path, both).unwrap();
    let arguments = ["train", &offers(), "-o", &format!("{path}.ocob"), "--config", &path];
    refused(&arguments, 2, "both.toml, line 1, column 1: --cost and --reward exclude each other");
}

#[test]
fn what_is_wrong_in_a_file_of_settings_is_said_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.toml").display().to_string();
    let train = ["train", "none.csv", "-o", "none.ocob", "--config", &path];
    for (text, words) in [
        ("seed = 1\nbugdet = \"10s\"\n", "settings.toml, line 2, column 1: there is no setting \"bugdet\""),
        ("[train]\n\n  explore = 0.1\n", "line 3, column 3: there is no setting \"explore\" of train"),
        ("[trains]\n", "line 1, column 2: there is no command \"trains\""),
        ("seed = \n", "settings.toml, line 1, column "),
        ("seed = \"one\"\n", "line 1, column 1: invalid value 'one' for '--seed <SEED>': invalid digit"),
        ("objective = \"value\"\n", "'--objective <OBJECTIVE>' [possible values: ips, surrogate"),
        ("quiet = 1\n", "line 1, column 9: quiet is not true or false"),
        ("seed = [1, 2]\n", "line 1, column 8: seed is not a text or a number"),
        ("é = 1\n", "line 1, column 1"),
        ("budget = \"soon\"\n", "settings.toml, line 1, column 1: budget = \"soon\": not a time"),
        ("config = \"other.toml\"\n", "there is no setting \"config\""),
    ] {
        std::fs::write(&path, text).unwrap();
        refused(&train, 2, words);
    }
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    refused(&train, 66, "settings.toml: ");
    refused(&["train", "none.csv", "-o", "none.ocob", "--config", "no/such.toml"], 66, "no/such.toml: ");
    let said = |name: &str, value: &str| {
        let mut command = running::command(&train[..4]);
        running::said(&command.env(name, value).output().unwrap())
    };
    let (code, _, error) = said("OCOBOOST_ROUNDS", "many");
    assert!(
        code == Some(2) && error.starts_with("ocoboost: OCOBOOST_ROUNDS: invalid value 'many'"),
        "{error}"
    );
    let (code, _, error) = said("OCOBOOST_QUIET", "maybe");
    assert!(code == Some(2) && error.contains("OCOBOOST_QUIET: \"maybe\" is not 1 or 0"), "{error}");
    // A setting of another command is none of this one.
    assert_eq!(said("OCOBOOST_EXPLORE", "much").0, Some(66));
}
