//! The forms of answers, and rankings.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod running;

use running::{offers, output, refused, run, trained};
use serde_json::Value;
use std::fs;

/// A table by its lines of CSV without quotes.
fn csv(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The objects of the lines.
fn jsonl(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_evaluation_is_a_row_an_estimator() {
    let (log, arguments) = (offers(), ["evaluate", "uniform"]);
    let of = |form: &str| run(&[&arguments[..], &[&log, "--format", form, "--quiet"]].concat());
    let (code, text, _) = of("csv");
    assert_eq!(code, Some(3));
    let table = csv(&text);
    assert_eq!(table[0], ["policy", "estimator", "value", "lower", "upper"]);
    let json: Value = serde_json::from_str(&of("json").1).unwrap();
    let estimates = json["estimates"].as_array().unwrap();
    assert_eq!(table.len(), 2 + estimates.len());
    assert_eq!(table[1][..2], ["uniform", "logged"]);
    let lines = jsonl(&of("jsonl").1);
    for ((row, line), estimate) in table[2..].iter().zip(&lines[1..]).zip(estimates) {
        assert_eq!((row[0].as_str(), &line["policy"]), ("uniform", &Value::from("uniform")));
        assert_eq!(
            (row[1].as_str(), &line["estimator"]),
            (estimate["name"].as_str().unwrap(), &estimate["name"])
        );
        for (cell, end) in row[2..].iter().zip(["value", "lower", "upper"]) {
            assert_eq!(
                (Value::from(cell.parse::<f64>().unwrap()), &line[end]),
                (line[end].clone(), &estimate[end])
            );
        }
    }
}

#[test]
fn a_comparison_has_the_rows_of_all_policies() {
    let log = offers();
    let of = |form: &str| output(&["compare", "uniform", "logged", &log, "--format", form, "--quiet"]);
    let rows = jsonl(&of("jsonl"));
    let json: Value = serde_json::from_str(&of("json")).unwrap();
    let expected: Vec<usize> =
        (0..2).map(|k| 1 + json["policies"][k]["judgement"]["estimates"].as_array().unwrap().len()).collect();
    let count = |name: &str| rows.iter().filter(|row| row["policy"] == name).count();
    assert_eq!([count("uniform"), count("logged")], expected[..]);
    assert_eq!(csv(&of("csv")).len(), 1 + rows.len());
}

/// What speaks against the numbers of a table is said beside it.
#[test]
fn the_warnings_of_a_table_are_on_the_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let model = trained(folder.path());
    let (code, out, error) = run(&["evaluate", &model, &offers(), "--format", "csv"]);
    assert_eq!(code, Some(3));
    assert!(error.contains("the policy was trained on this log") && !out.contains("trained"), "{error}");
}

#[test]
fn decisions_are_objects_or_lines() {
    let folder = tempfile::tempdir().unwrap();
    let (model, log) = (trained(folder.path()), offers());
    let asked = ["predict", &model, &log, "--explore", "0.3", "--seed", "4", "--probabilities", "--quiet"];
    let table = csv(&output(&asked));
    let rows = jsonl(&output(&[&asked[..], &["--format", "jsonl"]].concat()));
    assert_eq!(
        (table.len() - 1, &table[0][..]),
        (rows.len(), &["action", "propensity", "music", "tools", "travel"].map(str::to_owned)[..])
    );
    for (line, row) in table[1..].iter().zip(&rows) {
        assert_eq!(row["action"], line[0].as_str());
        assert_eq!(row["propensity"], line[1].parse::<f64>().unwrap());
        assert_eq!(row["probabilities"][&line[0]], row["propensity"]);
        assert_eq!(row["probabilities"]["tools"], line[3].parse::<f64>().unwrap());
    }
}

#[test]
fn the_best_actions_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let (model, log) = (trained(folder.path()), offers());
    let chosen = csv(&output(&["predict", &model, &log, "--quiet"]));
    let table = csv(&output(&["predict", &model, &log, "--top", "2", "--quiet"]));
    assert_eq!(table[0], ["action_1", "score_1", "action_2", "score_2"]);
    assert_eq!(table.len(), chosen.len());
    for (row, chosen) in table[1..].iter().zip(&chosen[1..]) {
        let [first, second] = [1, 3].map(|k| row[k].parse::<f64>().unwrap());
        assert!(row[0] == chosen[0] && row[2] != row[0] && first >= second, "{row:?}");
    }
    // There are three actions; of those on offer there are fewer.
    let rows = folder.path().join("rows.csv").display().to_string();
    fs::write(&rows, "age,income,device,offers\n30,20,phone,tools|music\n60,50,tablet,travel\n").unwrap();
    let asked = ["predict", &model, &rows, "--available", "offers", "--top", "9", "--quiet"];
    let table = csv(&output(&asked));
    assert_eq!((table[0].len(), table[1].len(), &table[1][4..]), (6, 6, &[String::new(), String::new()][..]));
    assert_eq!((table[2][0].as_str(), &table[2][2..]), ("travel", &[const { String::new() }; 4][..]));
    let rows = jsonl(&output(&[&asked[..], &["--format", "jsonl"]].concat()));
    assert_eq!(rows[1]["actions"], serde_json::json!(["travel"]));
    let mut of_first: Vec<&str> =
        rows[0]["actions"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
    of_first.sort_unstable();
    assert_eq!((of_first, rows[0]["scores"].as_array().unwrap().len()), (vec!["music", "tools"], 2));
    assert_eq!(run(&["predict", &model, &log, "--top", "0"]).0, Some(2));
    assert_eq!(run(&["predict", &model, &log, "--top", "2", "--explore", "0.1"]).0, Some(2));
}

#[test]
fn a_model_is_summed_up_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let model = trained(folder.path());
    let found: Value =
        serde_json::from_str(&output(&["inspect", &model, "--format", "json", "--most", "2"])).unwrap();
    assert_eq!(found["columns"].as_array().unwrap().len(), 2);
    let share = |k: usize| found["columns"][k]["share"].as_f64().unwrap();
    assert!(share(0) >= share(1) && share(1) > 0.0, "{}", found["columns"]);
    assert_eq!(found["largest_leaves"].as_array().unwrap().len(), 2);
    assert_eq!(found["trees"], found["record"]["trees"]);
    assert!(found["judgement"]["certificate"]["sentence"].as_str().unwrap().starts_with("On "));
}

/// A form that a command cannot write is refused before anything is done.
#[test]
fn each_command_says_its_forms() {
    for (arguments, words) in [
        (
            vec!["train", "none.csv", "-o", "none.ocob", "--format", "csv"],
            "--format csv: train writes text or json",
        ),
        (vec!["evaluate", "none.ocob", "none.csv", "--format", "text"], "none.ocob"),
        (vec!["predict", "none.ocob", "none.csv", "--format", "text"], "predict writes csv or jsonl"),
        (vec!["inspect", "none.ocob", "--format", "jsonl"], "inspect writes text or json"),
        (vec!["convert", "none.csv", "none.jsonl", "--format", "jsonl"], "the end of the name of OUT"),
        (vec!["export", "none.ocob", "none.json", "--format", "json"], "--as names the form"),
        (vec!["man", "--format", "json"], "man has one form"),
    ] {
        let code = if words == "none.ocob" { 66 } else { 2 };
        refused(&arguments, code, words);
    }
    assert_eq!(run(&["inspect", "none.ocob", "--format", "xml"]).0, Some(2));
}
