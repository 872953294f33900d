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
    refused(&["evaluate", "uniform", &none, "--confidence", "2"], 2, "--confidence 2: not between");
    refused(&["compare", "uniform", "logged", &none, "--reward-range", "1"], 2, "--reward-range 1: not two");
    refused(&["train", &none, "-o", &nowhere], 73, "no folder/m.ocob");
    refused(&["train", &none, "-o", &folder.path().display().to_string()], 73, "directory");
    assert!(!Path::new(&model).exists());
}
