//! `stream`, and what other commands do with its models, on rows of the repository.
#![allow(clippy::unwrap_used, reason = "a test may")]

use flate2::read::GzDecoder;
use ocoboost::StreamLearner;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

fn said(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ocoboost")).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The standard output as JSON, of a command that ends well.
fn json(arguments: &[&str]) -> Value {
    let (code, out, error) = said(&[arguments, &["--format", "json", "--quiet"]].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {out} {error}");
    serde_json::from_str(&out).unwrap()
}

const CANCER: &str = "id,thickness,size,shape,adhesion,epithelial,nuclei,chromatin,nucleoli,mitoses,class";

/// Rows of breast cancer.
fn cancer() -> Vec<String> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/data/breast-cancer-wisconsin.data.gz");
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(data).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn table(path: &Path, rows: &[String]) -> String {
    std::fs::write(path, format!("{CANCER}\n{}\n", rows.join("\n"))).unwrap();
    path.display().to_string()
}

const BOOSTERS: [&str; 6] = ["agnostic", "realizable", "osboost", "bbm", "adaboost-ol", "none"];

#[test]
fn a_stream_is_predicted_and_then_learnt_from() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let rows = cancer();
    let (first, last) = rows.split_at(rows.len() - 150);
    let (table, new) =
        (table(&folder.path().join("t.csv"), first), table(&folder.path().join("n.csv"), last));
    let (model, predictions) = (at("m.ocob"), at("p.csv"));
    let asked = ["stream", &table, "--label", "class", "--ignore", "id", "-o", &model, "-p", &predictions];
    let (code, out, error) = said(&asked);
    assert_eq!(code, Some(0), "{error}");
    assert!(out.starts_with("Of 549 examples, each predicted before it was learnt from, "), "{out}");
    // A line at 1, 2, 4, …, 512 examples below a header, and nothing else.
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 11, "{error}");
    for (k, line) in lines[1..].iter().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!((words[2], words.len()), ((1_u32 << k).to_string().as_str(), 5), "{line}");
    }
    assert_eq!(lines[1].split_whitespace().last(), Some("-"), "nothing is known before the first row");

    // The predictions are those that the error counts.
    let text = std::fs::read_to_string(&predictions).unwrap();
    let predicted: Vec<&str> = text.lines().collect();
    assert_eq!((predicted[0], predicted[1], predicted.len()), ("predicted", "", 550));
    let classes: Vec<&str> = first.iter().map(|row| row.rsplit(',').next().unwrap()).collect();
    let wrong = predicted[1..].iter().zip(&classes).filter(|(predicted, class)| predicted != class).count();
    let answer = json(&["stream", &table, "--label", "class", "--ignore", "id"]);
    #[allow(clippy::cast_precision_loss, reason = "at most 549")]
    let share = wrong as f64 / 549.0;
    assert!((answer["error"].as_f64().unwrap() - share).abs() < 1e-12 && share < 0.06, "{answer}");
    assert_eq!(answer["lines"].as_array().unwrap().len(), 10);
    assert!(answer["constant"]["error"].as_f64().unwrap() > 0.3, "{answer}");

    // Later rows: predicted, judged, and not learnt from.
    let before = std::fs::read(&model).unwrap();
    let (code, out, _) = said(&["predict", &model, &new, "--quiet"]);
    let answers: Vec<&str> = out.lines().collect();
    assert_eq!((code, answers[0], answers.len()), (Some(0), "class", 151));
    let classes: Vec<&str> = last.iter().map(|row| row.rsplit(',').next().unwrap()).collect();
    let wrong = answers[1..].iter().zip(&classes).filter(|(answer, class)| answer != class).count();
    let report = json(&["evaluate", &model, &new]);
    let counts: Vec<u64> = report["confusion"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap())
        .map(|n| n.as_u64().unwrap())
        .collect();
    assert_eq!((report["rows"].as_u64(), counts[1] + counts[2]), (Some(150), u64::try_from(wrong).unwrap()));
    assert!(
        report["error"]["value"].as_f64().unwrap() < 0.06
            && report["warnings"].as_array().unwrap().is_empty()
    );
    assert!(
        json(&["evaluate", &model, &table])["warnings"].to_string().contains("has learnt from these rows")
    );
    assert_eq!(std::fs::read(&model).unwrap(), before);

    let (code, out, _) = said(&["inspect", &model, "--most", "3"]);
    assert!(code == Some(0) && out.starts_with("Online BBM of 20, by ocoboost "), "{out}");
    assert!(out.contains("10 of 256 coordinates are given out:\n  thickness, size, shape, …"), "{out}");
}

/// a, and then b from the model of a, is a and b at once: the states are equal byte by byte, and so is
/// everything that is said of the last rows.
#[test]
fn a_stream_that_is_continued_is_bit_for_bit_one_stream() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let rows = cancer();
    let (a, b) = rows[..300].split_at(130);
    let whole = table(&folder.path().join("whole.csv"), &rows[..300]);
    let (a, b) = (table(&folder.path().join("a.csv"), a), table(&folder.path().join("b.csv"), b));
    let state = |path: &str| StreamLearner::load(path).unwrap().state_json().unwrap();
    for booster in BOOSTERS {
        for weak in ["stumps", "naive-bayes", "logistic"] {
            let named = ["--booster", booster, "--weak-learner", weak, "--learners", "3", "--seed", "9"];
            let first = |table: &str, model: &str| {
                let asked = [
                    "stream",
                    table,
                    "--label",
                    "class",
                    "--ignore",
                    "id",
                    "--quiet",
                    "-o",
                    model,
                    "-p",
                    &at("p1.csv"),
                ];
                assert_eq!(said(&[&asked[..], &named].concat()).0, Some(0));
            };
            first(&whole, &at("whole.ocob"));
            let all = std::fs::read_to_string(at("p1.csv")).unwrap();
            first(&a, &at("a.ocob"));
            let of_a = std::fs::read_to_string(at("p1.csv")).unwrap();
            // What was said of the columns is kept with the model, which is written over.
            let (code, out, error) = said(&[
                "stream",
                &b,
                "-i",
                &at("a.ocob"),
                "-o",
                &at("a.ocob"),
                "-p",
                &at("p2.csv"),
                "--quiet",
            ]);
            assert_eq!(code, Some(0), "{error}");
            assert!(out.starts_with("Of 300 examples, "), "{out}");
            assert_eq!(state(&at("a.ocob")), state(&at("whole.ocob")), "{booster} {weak}");
            let of_b = std::fs::read_to_string(at("p2.csv")).unwrap();
            assert_eq!(format!("{of_a}{}", of_b.strip_prefix("predicted\n").unwrap()), all);
            let both = StreamLearner::load(at("a.ocob")).unwrap();
            assert_eq!(
                both.sources().iter().map(|source| source.name.clone()).collect::<Vec<_>>(),
                [a.clone(), b.clone()]
            );
        }
    }
}

#[test]
fn boosting_helps_a_weak_learner() {
    let folder = tempfile::tempdir().unwrap();
    let table = table(&folder.path().join("t.csv"), &cancer());
    let error = |booster: &str| {
        let asked = ["stream", &table, "--label", "class", "--ignore", "id", "--weak-learner", "stumps"];
        json(&[&asked[..], &["--booster", booster, "--seed", "1"]].concat())["error"].as_f64().unwrap()
    };
    let alone = error("none");
    for booster in &BOOSTERS[..5] {
        let boosted = error(booster);
        assert!(boosted < 0.9 * alone, "{booster}: {boosted}, one stump {alone}");
    }
}

/// The same rows in four formats, the last one through a pipe.
#[test]
fn rows_are_learnt_from_alike_in_all_formats() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (mut csv, mut jsonl, mut vw) = ("x,colour,y\n".to_owned(), String::new(), String::new());
    for t in 0..200_u32 {
        let (x, colour) = (f64::from(t * 37 % 100) / 4.0 + 0.25, ["red", "blue", "grey"][(t % 3) as usize]);
        let y = if (x > 10.0) == (colour != "red") { 1 } else { -1 };
        writeln!(csv, "{x},{colour},{y}").unwrap();
        writeln!(jsonl, "{{\"x\":{x},\"colour\":\"{colour}\",\"y\":{y}}}").unwrap();
        writeln!(vw, "{y} | x:{x} colour={colour}").unwrap();
    }
    for (name, text) in [("t.csv", &csv), ("t.jsonl", &jsonl), ("t.vw", &vw)] {
        std::fs::write(at(name), text).unwrap();
    }
    let state = || StreamLearner::load(at("m.ocob")).unwrap().state_json().unwrap();
    let mut states = Vec::new();
    for (name, label) in [("t.csv", &["--label", "y"][..]), ("t.jsonl", &["--label", "y"]), ("t.vw", &[])] {
        let (rows, model) = (at(name), at("m.ocob"));
        let asked = [&["stream", &rows, "-o", &model, "--quiet", "-b", "4"][..], label].concat();
        let (code, _, error) = said(&asked);
        assert_eq!(code, Some(0), "{name}: {error}");
        states.push(state());
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_ocoboost"))
        .args(["stream", "-", "--label", "y", "-f", &at("m.ocob"), "-p", "-", "--bit_precision", "4"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(csv.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (out, error) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((output.status.code(), out.lines().count()), (Some(0), 201), "{error}");
    assert!(error.contains("Of 200 examples, "), "where predictions are the data, the rest is not: {error}");
    states.push(state());
    assert!(states.iter().all(|state| *state == states[0]));
    // A learner of one format predicts the rows of another.
    let predicted = |name: &str| said(&["predict", &at("m.ocob"), &at(name), "--quiet"]).1;
    assert_eq!(predicted("t.csv"), predicted("t.jsonl"));
    assert_eq!(predicted("t.csv"), predicted("t.vw"));
}

#[test]
fn rows_without_a_class_are_predicted_only() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let rows: String = (0..40).map(|t| format!("{},{}\n", t % 2, ["no", "yes"][t % 2])).collect();
    std::fs::write(at("t.csv"), format!("x,y\n{rows}1,\n0,\n")).unwrap();
    let (code, out, _) = said(&["stream", &at("t.csv"), "--label", "y", "-p", &at("p.csv"), "--quiet"]);
    assert!(
        code == Some(0) && out.contains("Of 40 examples") && out.contains("2 rows had no class"),
        "{out}"
    );
    let predictions = std::fs::read_to_string(at("p.csv")).unwrap();
    assert!(predictions.ends_with("yes\nyes\nno\n"), "{predictions}");
    // A file without that column may be predicted.
    assert_eq!(said(&["stream", &at("t.csv"), "--label", "y", "-o", &at("m.ocob"), "--quiet"]).0, Some(0));
    std::fs::write(at("new.csv"), "more,x\n3,0\n4,1\n").unwrap();
    assert_eq!(said(&["predict", &at("m.ocob"), &at("new.csv")]).1, "class\nno\nyes\n");
}

/// What is wrong is said in one line, and nothing is written.
#[test]
fn failures_have_exit_codes_and_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (model, none, predictions) = (at("m.ocob"), at("none.csv"), at("p.csv"));
    let file = |name: &str, text: &str| {
        std::fs::write(at(name), text).unwrap();
        at(name)
    };
    let good = file("good.csv", "x,y\n1,a\n2,b\n3,a\n");
    let third = file("third.csv", "x,y\n1,a\n2,b\n3,c\n");
    let ragged = file("ragged.csv", "x,y\n1,a\n2\n");
    let huge = file("huge.csv", "x,y\n1,a\n1e300,b\n");
    let empty = file("empty.csv", "x,y\n");
    let log = file("log.dsjson", "{\"_label_cost\":-1,\"c\":{}}\n");
    let weighted = file("weighted.vw", "1 | a\n-1 3 | b\n");
    let json = file("bad.jsonl", "{\"x\":1,\"y\":\"a\"}\n{\"x\":1\n");
    let stream = |file: &str, more: &[&str]| -> Vec<String> {
        let first = ["stream", file, "-o", &model, "-p", &predictions, "--quiet"];
        first.iter().chain(more).map(|word| (*word).to_owned()).collect()
    };
    let of_y = ["--label", "y"];
    let and = |more: &[&'static str]| -> Vec<&'static str> { of_y.iter().chain(more).copied().collect() };
    for (arguments, expected, words) in [
        (stream(&none, &of_y), 66, "none.csv"),
        (stream(&good, &[]), 2, "--label: name the column of the classes"),
        (stream(&good, &["--label", "z"]), 65, "there is no column \"z\""),
        (stream(&third, &of_y), 65, "third.csv, line 4: \"c\" is a third class, beside \"a\" and \"b\""),
        (stream(&ragged, &of_y), 65, "ragged.csv, line 3: 1 cells, the header has 2"),
        (stream(&huge, &of_y), 65, "huge.csv, line 3, column \"x\": \"1e300\" is not a finite number"),
        (stream(&empty, &of_y), 65, "empty.csv: there is no row to read"),
        (stream(&log, &of_y), 65, "dsjson holds decisions"),
        (stream(&weighted, &[]), 65, "weighted.vw, line 2: \"3\" is not a weight of 1"),
        (stream(&json, &of_y), 65, "bad.jsonl, line 2: not JSON"),
        (stream(&good, &and(&["--learners", "0"])), 2, "learners = 0"),
        (stream(&good, &and(&["-b", "30"])), 2, "bits = 30"),
        (stream(&good, &and(&["--advantage", "2"])), 2, "advantage = 2"),
        (stream(&good, &and(&["--booster", "none", "--advantage", "0.5"])), 2, "advantage = 0.5"),
    ] {
        let words_of: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, out, error) = said(&words_of);
        assert_eq!((code, out.as_str()), (Some(expected), ""), "{arguments:?}: {error}");
        assert!(error.lines().count() == 1 && error.contains(words), "{arguments:?}: {error}");
        assert!(!Path::new(&model).exists() && !Path::new(&predictions).exists(), "{arguments:?}");
    }
    let nowhere = at("no folder/m.ocob");
    assert_eq!(said(&["stream", &good, "--label", "y", "-o", &nowhere, "--quiet"]).0, Some(73));
    assert_eq!(said(&["stream", &good, "--label", "y", "-p", &nowhere, "--quiet"]).0, Some(73));
    assert_eq!(said(&["stream", &good, "--label", "y", "-o", &model, "--quiet"]).0, Some(0));
    for (more, words) in [
        (&["--seed", "1"][..], "has its own"),
        (&["--booster", "bbm"], "cannot be used with"),
        (&["--learners", "3"], "cannot be used with"),
    ] {
        let (code, _, error) = said(&[&["stream", &good, "-i", &model, "--quiet"][..], more].concat());
        assert!(code == Some(2) && error.contains(words), "{error}");
    }
    let refused = said(&["stream", &good, "-i", &good, "--quiet"]);
    assert!(refused.0 == Some(65) && refused.2.contains("not a model file"), "{refused:?}");
    let refused = said(&["predict", &model, &good, "--probabilities"]);
    assert!(refused.0 == Some(2) && refused.2.contains("a class alone"), "{refused:?}");
    let refused = said(&["evaluate", &model, &third]);
    assert!(
        refused.0 == Some(65)
            && refused.2.contains("third.csv, line 4, column \"y\": \"c\" is not one of the 2"),
        "{refused:?}"
    );
    let mut bytes = std::fs::read(&model).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&model, bytes).unwrap();
    for command in [&["predict", &model, &good][..], &["stream", &good, "-i", &model]] {
        let refused = said(command);
        assert!(
            refused.0 == Some(65) && refused.2.contains("m.ocob: the checksum does not match"),
            "{refused:?}"
        );
    }
}

/// The rows do not end before the signal does its work.
#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_learnt_so_far() {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.ocob").display().to_string();
    let mut child = Command::new(env!("CARGO_BIN_EXE_ocoboost"))
        .args(["stream", "-", "--label", "y", "-o", &model, "--learners", "2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || {
        let mut is_open = input.write_all(b"x,y\n").is_ok();
        for t in 0_u64.. {
            if !is_open {
                return;
            }
            is_open = writeln!(input, "{},{}", t % 7, t % 2).is_ok();
        }
    });
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().split_whitespace().nth(2) == Some("64")));
    let killed = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    // Whoever stops reading what a program says may end it.
    let rest = std::thread::spawn(move || lines.count());
    let output = child.wait_with_output().unwrap();
    assert!(feeder.join().is_ok() && rest.join().is_ok());
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("Of "));
    assert!(StreamLearner::load(model).unwrap().error().examples() >= 64);
}
