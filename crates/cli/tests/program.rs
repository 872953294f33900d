//! The program as its users run it.
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ocoboost")).args(arguments).output().unwrap()
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn offers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/offers.csv")
}

/// A model of the synthetic log, trained in few rounds so that no budget cuts anything off.
fn trained(folder: &Path) -> (String, String) {
    let model = folder.join("policy.ocob").display().to_string();
    let log = offers().display().to_string();
    let short = ["--budget", "10m", "--candidates", "2", "--rounds", "40", "--quiet"];
    let arguments = [&["train", &log, "-o", &model, "--seed", "1"], &short[..]].concat();
    let (code, out, error) = said(&run(&arguments));
    assert_eq!((code, error.as_str()), (Some(0), ""), "{out}");
    assert!(out.starts_with("On ") && out.contains("with 95% certainty it earns at least"), "{out}");
    (model, log)
}

#[test]
fn a_log_becomes_a_policy_that_is_judged_played_and_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let (model, log) = trained(folder.path());

    let (code, out, _) = said(&run(&["evaluate", &model, &log, "--format", "json", "--quiet"]));
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, Some(3));
    let logged = answer["logged"]["value"].as_f64().unwrap();
    for one in answer["estimates"].as_array().unwrap() {
        let [value, lower, upper] = ["value", "lower", "upper"].map(|end| one[end].as_f64().unwrap());
        assert!(one["name"].is_string() && lower <= value && value <= upper && value > logged + 0.2, "{one}");
    }
    assert_eq!(answer["certificate"]["verdict"], serde_json::json!({ "cannot_answer": ["own_log"] }));
    // It is the log that the policy was trained on; another one is not.
    let own = |answer: &serde_json::Value| answer["warnings"].to_string().contains("trained on this log");
    assert!(own(&answer), "{answer}");
    let text = std::fs::read_to_string(&log).unwrap();
    // The same rows in another order.
    let (header, rows) = text.split_once('\n').unwrap();
    let turned: Vec<&str> = std::iter::once(header).chain(rows.lines().rev()).collect();
    let path = folder.path().join("turned.csv");
    std::fs::write(&path, turned.join("\n")).unwrap();
    let (_, out, _) =
        said(&run(&["evaluate", &model, &path.display().to_string(), "--format", "json", "--quiet"]));
    assert!(own(&serde_json::from_str(&out).unwrap()), "{out}");
    let other = folder.path().join("other.csv");
    std::fs::write(&other, text.lines().take(2_000).collect::<Vec<_>>().join("\n")).unwrap();
    let other = ["evaluate", &model, &other.display().to_string(), "--format", "json", "--quiet"];
    let (code, out, _) = said(&run(&other));
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(code == Some(0) && !own(&answer), "{answer}");
    assert!(answer["certificate"]["verdict"]["better"]["at_least"].as_f64().unwrap() > 0.2, "{answer}");

    let (code, out, _) = said(&run(&["predict", &model, &log, "--quiet"]));
    let lines: Vec<&str> = out.lines().collect();
    let rows = std::fs::read_to_string(&log).unwrap().lines().count() - 1;
    assert_eq!((code, lines[0], lines.len()), (Some(0), "action,propensity", rows + 1));
    assert!(lines[1..].iter().all(|line| line.ends_with(",1")));
    let explored = ["predict", &model, &log, "--explore", "0.3", "--probabilities", "--quiet"];
    assert_ne!(run(&explored).stdout, run(&explored).stdout, "every call draws anew");
    let seeded = [&explored[..], &["--seed", "1"]].concat();
    assert_eq!(run(&seeded).stdout, run(&seeded).stdout);
    let (_, out, _) = said(&run(&explored));
    let mut lines = out.lines();
    assert_eq!(lines.next().unwrap().split(',').count(), 5);
    for line in lines {
        let cells: Vec<f64> = line.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect();
        assert!(cells[0] >= 0.1 - 1e-12 && (cells[1..].iter().sum::<f64>() - 1.0).abs() < 1e-12, "{line}");
    }

    // A label that the model does not know is said.
    let rows = folder.path().join("rows.csv").display().to_string();
    std::fs::write(&rows, "device,income,age\nfridge,30,40\n").unwrap();
    let (code, out, error) = said(&run(&["predict", &model, &rows]));
    assert!(code == Some(0) && out.lines().count() == 2, "{error}");
    assert!(error.contains("1 values of column \"device\" are not known"), "{error}");
    let (code, out, _) = said(&run(&["inspect", &model]));
    assert!(code == Some(0) && out.contains("largest leaves:") && out.contains("age"), "{out}");
    let (code, out, _) = said(&run(&["compare", &model, "uniform", "logged", &log, "--quiet"]));
    assert!(code == Some(0) && out.lines().count() == 7 && out.contains("uniform less logged: "), "{out}");
}

/// What a model was told of its columns holds for later files, in any format.
#[test]
fn a_model_keeps_the_names_of_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let text = std::fs::read_to_string(offers()).unwrap();
    let named = text.replacen("action,propensity,reward", "shown,p,paid", 1);
    std::fs::write(at("log.csv"), &named).unwrap();
    let columns = ["--action", "shown", "--propensity", "p", "--reward", "paid"];
    let (log, model, other) = (at("log.csv"), at("policy.ocob"), at("log.parquet"));
    let short = ["train", &log, "-o", &model, "--candidates", "1", "--rounds", "20", "--quiet"];
    let format = ["--input-format", "csv"];
    assert_eq!(said(&run(&[&short[..], &columns, &format].concat())).0, Some(0));
    assert_eq!(said(&run(&[&["convert", &log, &other], &columns[..]].concat())).0, Some(0));
    // The converted log has the usual names, and no format is asked for.
    let usual = ["--action", "action", "--propensity", "propensity", "--reward", "reward"];
    let of = |arguments: &[&str]| {
        let (code, out, error) = said(&run(&[arguments, &["--format", "json", "--quiet"]].concat()));
        // Nothing is shown by the log that the model was trained on.
        assert!(matches!(code, Some(0 | 3)), "{error}");
        serde_json::from_str::<serde_json::Value>(&out).unwrap()["estimates"].clone()
    };
    let own = of(&["evaluate", &model, &log]);
    assert_eq!(own, of(&[&["evaluate", &model, &other], &usual[..]].concat()));
    // One name that is asked for leaves the others.
    assert_eq!(own, of(&["evaluate", &model, &log, "--reward", "paid"]));
}

#[test]
fn the_log_is_no_better_than_itself() {
    let log = offers().display().to_string();
    let (code, out, _) = said(&run(&["evaluate", "logged", &log, "--quiet"]));
    assert_eq!(code, Some(3), "{out}");
}

#[test]
fn a_log_is_written_in_another_format_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let (log, other) = (offers().display().to_string(), folder.path().join("log.jsonl.gz"));
    let other = other.display().to_string();
    assert_eq!(said(&run(&["convert", &log, &other])).0, Some(0));
    let of = |file: &str| said(&run(&["evaluate", "uniform", file, "--format", "json", "--quiet"])).1;
    assert_eq!(of(&log), of(&other));
    // To the standard output: CSV, or what is asked for.
    let (code, lines, _) = said(&run(&["convert", &log, "-", "--output-format", "json-lines"]));
    assert_eq!((code, lines.lines().count()), (Some(0), 6_000));
    let named = folder.path().join("log").display().to_string();
    assert_eq!(said(&run(&["convert", &log, &named, "--output-format", "csv"])).0, Some(0));
    assert_eq!(said(&run(&["convert", &log, "-"])).1, std::fs::read_to_string(&named).unwrap());
}

/// The logs of `examples` in several formats are one log.
#[test]
fn the_examples_are_the_same_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let csv = offers();
    let text = std::fs::read_to_string(&csv).unwrap();
    let first = folder.path().join("first.csv");
    std::fs::write(&first, text.lines().take(401).collect::<Vec<_>>().join("\n")).unwrap();
    let of = |file: &Path| {
        let file = file.display().to_string();
        let (code, out, error) = said(&run(&["evaluate", "uniform", &file, "--format", "json", "--quiet"]));
        assert!(matches!(code, Some(0 | 3)), "{error}");
        serde_json::from_str::<serde_json::Value>(&out).unwrap()
    };
    assert_eq!(of(&csv.with_extension("parquet")), of(&csv));
    // The estimates of a model of rewards depend on the order of the columns and on the labels' coding.
    let weighted = |file: &Path| {
        let answer = of(file);
        (answer["rows"].clone(), answer["logged"].clone(), answer["estimates"][0].clone())
    };
    for other in ["vw", "dsjson"] {
        assert_eq!(weighted(&csv.with_extension(other)), weighted(&first), "{other}");
    }
}

/// What is wrong is said in one line, and nothing is written.
#[test]
fn failures_have_exit_codes_and_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("bad.csv"), "age,action,propensity,reward\n1,a,0.5,1\n2,b,1.5,0\n").unwrap();
    std::fs::write(at("noise.ocob"), [7; 100]).unwrap();
    let (log, model) = (offers().display().to_string(), at("policy.ocob"));
    let none = at("none.csv");
    let bad = at("bad.csv");
    let empty = at("empty.csv");
    std::fs::write(&empty, "").unwrap();
    let noise = at("noise.ocob");
    for (arguments, expected, words) in [
        (vec!["train", &bad, "-o", &model], 65, "bad.csv, line 3, column \"propensity\""),
        (vec!["train", &none, "-o", &model], 66, "none.csv"),
        (vec!["train", &log, "-o", &model, "--reward", "paid"], 65, "there is no column \"paid\""),
        (vec!["train", &log, "-o", &model, "--budget", "soon"], 2, "--budget soon"),
        (vec!["train", &log, "-o", &model, "--holdout", "2"], 2, "2"),
        (vec!["train", &log, "-o", &model, "--candidates", "0"], 2, "candidates = 0"),
        (vec!["train", &log, "-o", &model, "--confidence", "1"], 2, "--confidence 1"),
        (vec!["train", &log, "-o", &model, "--threads", "0"], 2, "0 threads"),
        (vec!["train", &empty, "-o", &model], 65, "empty.csv"),
        (vec!["evaluate", &noise, &log], 65, "noise.ocob"),
        (vec!["predict", &noise, &log], 65, "noise.ocob"),
    ] {
        let (code, out, error) = said(&run(&arguments));
        assert_eq!((code, out.as_str()), (Some(expected), ""), "{arguments:?}: {error}");
        assert!(error.lines().count() == 1 && error.contains(words), "{arguments:?}: {error}");
    }
    assert!(!Path::new(&model).exists());
    let into_nowhere = at("no folder/policy.ocob");
    let arguments = ["train", &log, "-o", &into_nowhere, "--candidates", "1", "--rounds", "3", "--quiet"];
    assert_eq!(said(&run(&arguments)).0, Some(73));
}

/// No command writes to what it reads, and no model goes through a pipe.
#[test]
fn an_output_is_no_input() {
    let folder = tempfile::tempdir().unwrap();
    let (model, _) = trained(folder.path());
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (log, twice) = (at("log.csv"), at("./log.csv"));
    std::fs::copy(offers(), &log).unwrap();
    let whole = std::fs::read(&log).unwrap();
    for (arguments, expected, words) in [
        (vec!["train", &log, "-o", &twice], 2, "would be overwritten"),
        (vec!["train", &log, "-o", &model, "--checkpoint", &log], 2, "would be overwritten"),
        (vec!["train", &log, "-o", &model, "--checkpoint", &model], 2, "would be overwritten"),
        (vec!["train", &log, "-o", "-"], 2, "a model goes to a file"),
        (vec!["evaluate", "uniform", &log, "--html", &log], 2, "would be overwritten"),
        (vec!["evaluate", &model, &log, "--html", &model], 2, "would be overwritten"),
        (vec!["evaluate", "-", &log], 2, "a model is read from a file"),
        (vec!["predict", &model, &log, "-o", &twice], 2, "would be overwritten"),
        (vec!["convert", &log, &twice], 2, "would be overwritten"),
        (vec!["export", &model, &model], 2, "would be overwritten"),
        (vec!["boost", &log, "--label", "device", "-o", &log], 2, "would be overwritten"),
        (vec!["boost", &log, "--label", "device", "-o", "-"], 2, "a model goes to a file"),
        (vec!["stream", &log, "--label", "device", "-p", &log], 2, "would be overwritten"),
        (
            vec!["stream", &log, "--label", "device", "-o", &at("s"), "-p", &at("s")],
            2,
            "would be overwritten",
        ),
        (vec!["stream", &log, "--label", "device", "-i", &model, "-p", &model], 2, "would be overwritten"),
        (vec!["train", &log, &offers().display().to_string(), "-o", &model], 65, "has the same bytes as"),
    ] {
        let (code, out, error) = said(&run(&arguments));
        assert_eq!((code, out.as_str()), (Some(expected), ""), "{arguments:?}: {error}");
        assert!(error.lines().count() == 1 && error.contains(words), "{arguments:?}: {error}");
    }
    assert_eq!(std::fs::read(&log).unwrap(), whole);
    assert!(!Path::new("-").exists());
}

/// Rows that were put together from copies are judged on what was learnt.
#[test]
fn copies_of_a_log_show_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let text = std::fs::read_to_string(offers()).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: String = rows.lines().take(400).map(|row| format!("{row}\n")).collect();
    std::fs::write(at("log.csv"), format!("{header}\n{rows}{rows}{rows}")).unwrap();
    let short = ["--candidates", "1", "--rounds", "20", "--quiet"];
    let (log, model) = (at("log.csv"), at("m.ocob"));
    let (code, out, error) = said(&run(&[&["train", &log, "-o", &model], &short[..]].concat()));
    assert_eq!(code, Some(3), "{out}{error}");
    assert!(out.contains("every row is in the log 3 times"), "{out}");
}

/// A program without MPI says how to get one with it. With it, `tests/mpi.rs` runs it.
#[test]
#[cfg(not(feature = "mpi"))]
fn without_mpi_many_processes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.ocob");
    let (log, model) = (offers().display().to_string(), model.display().to_string());
    let (code, out, error) = said(&run(&["train", "--mpi", &log, "-o", &model]));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(error.starts_with("ocoboost: --mpi: this program was built without MPI"), "{error}");
    assert!(error.contains("cargo build --release -p ocoboost-cli --features mpi"), "{error}");
    let (code, _, error) = said(&run(&["train", "--mpi-timeout", "1m", &log, "-o", &model]));
    assert!(code == Some(2) && error.contains("--mpi"), "{error}");
}
