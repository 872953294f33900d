//! Logs in several files, the rows that judge, and Vowpal Wabbit's flags.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod running;

use running::{offers, output, refused, run};
use serde_json::Value;
use std::fs;
use std::path::Path;

const SHORT: [&str; 7] = ["--budget", "10m", "--candidates", "1", "--rounds", "20", "--quiet"];

/// The name of a column, and its value in a row.
type Column = (&'static str, fn(usize) -> String);

/// The synthetic log with more columns, in files of so many rows; the names of the files.
fn parts(folder: &Path, sizes: &[usize], more: &[Column]) -> Vec<String> {
    let text = fs::read_to_string(offers()).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let names: String = more.iter().map(|(name, _)| format!(",{name}")).collect();
    let mut rows = rows.lines().enumerate();
    let of = |(k, size): (usize, &usize)| {
        let rows: String = rows
            .by_ref()
            .take(*size)
            .map(|(i, row)| {
                format!("{row}{}\n", more.iter().map(|(_, of)| format!(",{}", of(i))).collect::<String>())
            })
            .collect();
        let path = folder.join(format!("part-{k}.csv"));
        fs::write(&path, format!("{header}{names}\n{rows}")).unwrap();
        path.display().to_string()
    };
    sizes.iter().enumerate().map(of).collect()
}

fn exported(model: &str) -> Value {
    serde_json::from_str(&output(&["export", model, "-"])).unwrap()
}

#[test]
fn a_log_may_lie_in_several_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let whole = parts(folder.path(), &[3000], &[]);
    output(&[&["train", &whole[0], "-o", &at("whole.ocob")], &SHORT[..]].concat());
    let whole = exported(&at("whole.ocob"));
    let split = parts(folder.path(), &[1000, 500, 1500], &[]);
    let files: Vec<&str> = split.iter().map(String::as_str).collect();
    output(&[&["train"], &files[..], &["-o", &at("split.ocob")], &SHORT[..]].concat());
    let of_parts = exported(&at("split.ocob"));
    assert_eq!((&of_parts["trees"], &of_parts["judgement"]), (&whole["trees"], &whole["judgement"]));
    let sources = of_parts["provenance"]["sources"].as_array().unwrap();
    let names: Vec<&str> = sources.iter().map(|source| source["name"].as_str().unwrap()).collect();
    assert_eq!(names, files);
    assert!(sources.iter().all(|source| source["sha256"].as_str().unwrap().len() == 64));
    // Each of the files is one that the model was trained on.
    let (_, out, error) = run(&["compare", &at("split.ocob"), "uniform", files[1]]);
    assert!(
        out.lines().count() == 4 && error.contains("split.ocob: the policy was trained on this log"),
        "{error}"
    );

    let text = fs::read_to_string(files[2]).unwrap();
    let bad = text.lines().take(3).collect::<Vec<_>>().join("\n") + "\n3,4,phone,music,0.5,much\n";
    fs::write(files[2], bad).unwrap();
    let none = at("no.ocob");
    let train = [&["train"], &files[..], &["-o", &none]].concat();
    refused(&train, 65, "part-2.csv, line 4, column \"reward\"");
    fs::write(files[2], text.replacen("income", "salary", 1)).unwrap();
    refused(&train, 65, "part-2.csv: there is no column \"income\", and ");
    assert!(!Path::new(&none).exists());
}

#[test]
fn a_column_says_which_rows_judge() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let every_third: fn(usize) -> String = |i| ["train", "Test", "other"][i % 3].to_owned();
    let log = &parts(folder.path(), &[1200], &[("part", every_third)])[0];
    let train = ["train", log, "-o", &at("m.ocob")];
    let rows = |more: &[&str]| {
        output(&[&train[..], more, &SHORT[..]].concat());
        let model = exported(&at("m.ocob"));
        assert!(!model["columns"].to_string().contains("part"), "{}", model["columns"]);
        let split = model["record"]["split"].as_str().unwrap().to_owned();
        (split, model["provenance"]["judging_rows"].as_u64().unwrap())
    };
    assert_eq!(rows(&["--validation", "part"]), ("by column".to_owned(), 400));
    assert_eq!(rows(&["--validation", "part=other"]), ("by column".to_owned(), 400));
    let words = "column \"part\": no row has \"test\"; there are \"Test\", \"other\", \"train\"";
    refused(&[&train[..], &["--validation", "part=test"]].concat(), 65, words);
    refused(&[&train[..], &["--validation", "place"]].concat(), 65, "there is no column \"place\"");
    let both = [&train[..], &["--validation", "part", "--holdout", "0.5"]].concat();
    assert_eq!(run(&both).0, Some(2));
    // The rows of a later file are not split, so that they need not have the column.
    let (code, out, error) = run(&["predict", &at("m.ocob"), &offers(), "--quiet"]);
    assert!(code == Some(0) && out.lines().count() > 1000 && error.is_empty(), "{error}");
}

#[test]
fn rows_of_a_group_stay_together() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let user: fn(usize) -> String = |i| format!("user {}", i % 40);
    let log = &parts(folder.path(), &[1200], &[("user", user)])[0];
    output(&[&["train", log, "-o", &at("m.ocob"), "--groups", "user"], &SHORT[..]].concat());
    let model = exported(&at("m.ocob"));
    // Whole groups of 30 rows judge.
    assert_eq!(model["provenance"]["judging_rows"], 300);
    assert_eq!(
        (&model["record"]["split"], model["judgement"]["caveats"].to_string().contains("grouped")),
        (&Value::from("by groups"), true)
    );
}

/// What a model needs of a later file are its contexts.
#[test]
fn columns_that_are_left_out_need_not_be_there_later() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let log =
        &parts(folder.path(), &[600], &[("session", |i| format!("s{i}")), ("hour", |i| i.to_string())])[0];
    let columns = ["--ignore", "session", "--labels", "device", "--time", "hour"];
    output(&[&["train", log, "-o", &at("m.ocob")], &columns[..], &SHORT[..]].concat());
    assert_eq!(exported(&at("m.ocob"))["record"]["split"], "by time");
    for command in [&["predict", &at("m.ocob"), &offers()][..], &["evaluate", &at("m.ocob"), &offers()][..]] {
        let (code, out, error) = run(&[command, &["--quiet"]].concat());
        assert!(matches!(code, Some(0 | 3)) && !out.is_empty() && error.is_empty(), "{error}");
    }
}

#[test]
fn flags_of_vowpal_wabbit_mean_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let log = offers();
    let own = ["train", &log, "-o", &at("own.ocob"), "--seed", "3"];
    output(&[&own[..], &SHORT[..]].concat());
    let theirs = ["train", "-d", &log, "-f", &at("theirs.ocob"), "--random_seed", "3"];
    output(&[&theirs[..], &SHORT[..]].concat());
    assert_eq!(exported(&at("theirs.ocob"))["trees"], exported(&at("own.ocob"))["trees"]);

    let printed = output(&["predict", &at("own.ocob"), &log, "--explore", "0.2", "--seed", "5", "--quiet"]);
    let theirs = [
        "predict",
        "-t",
        "-i",
        &at("own.ocob"),
        "-d",
        &log,
        "--epsilon",
        "0.2",
        "--random_seed",
        "5",
        "-p",
        &at("p.csv"),
        "--quiet",
    ];
    assert_eq!(output(&theirs), "");
    assert_eq!(fs::read_to_string(at("p.csv")).unwrap(), printed);
    // Half of one way and half of the other, and what has another meaning here.
    for refused in [
        vec!["predict", "-i", &at("own.ocob"), &log],
        vec!["predict", &at("own.ocob"), "-d", &log],
        vec!["predict", &at("own.ocob")],
        vec!["train", "-o", &at("no.ocob")],
        vec!["train", "-d", &log, &log, "-o", &at("no.ocob")],
        vec!["train", &log, "-o", &at("no.ocob"), "--passes", "3"],
        vec!["train", &log, "-o", &at("no.ocob"), "-c"],
    ] {
        let (code, out, error) = run(&refused);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{refused:?}");
        assert!(error.starts_with("error: "), "{error}");
    }
}

/// A device is written to and stays a device.
#[cfg(unix)]
#[test]
fn an_answer_may_go_to_a_device() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().unwrap();
    let model = running::trained(folder.path());
    assert_eq!(output(&["predict", &model, &offers(), "-p", "/dev/null", "--quiet"]), "");
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    assert_eq!(
        output(&["predict", &model, &offers(), "-p", "/dev/stdout", "--quiet"]),
        output(&["predict", &model, &offers(), "--quiet"])
    );
}

/// A champion and a challenger of later logs, which know other columns in another order: each plays in the
/// comparison what it plays alone.
#[test]
fn models_of_different_logs_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let text = fs::read_to_string(offers()).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let file = |name: &str, header: &str, places: &[usize], rows: &[Vec<&str>]| {
        let line = |row: &Vec<&str>| places.iter().map(|place| row[*place]).collect::<Vec<_>>().join(",");
        let lines: Vec<String> = rows.iter().map(line).collect();
        fs::write(at(name), format!("{header}\n{}\n", lines.join("\n"))).unwrap();
    };
    // age, income, device, action, propensity, reward: the first log has no watch and no income.
    let early: Vec<Vec<&str>> = rows[..2_000].iter().filter(|row| row[2] != "watch").cloned().collect();
    file("early.csv", "device,age,action,propensity,reward", &[2, 0, 3, 4, 5], &early);
    file("late.csv", "reward,action,propensity,income,age,device", &[5, 3, 4, 1, 0, 2], &rows[2_000..4_000]);
    file("judge.csv", "age,income,device,action,propensity,reward", &[0, 1, 2, 3, 4, 5], &rows[4_000..]);
    for name in ["early", "late"] {
        let (log, model) = (at(&format!("{name}.csv")), at(&format!("{name}.ocob")));
        output(&[&["train", &log, "-o", &model], &SHORT[..]].concat());
    }
    let (early, late, judge) = (at("early.ocob"), at("late.ocob"), at("judge.csv"));
    let json = |arguments: &[&str]| {
        let (_, out, _) = run(&[arguments, &["--format", "json", "--quiet"]].concat());
        serde_json::from_str::<Value>(&out).unwrap()
    };
    let ips = |answer: &Value| {
        let estimates = answer["estimates"].as_array().unwrap();
        estimates.iter().find(|one| one["name"] == "IPS").unwrap()["value"].as_f64().unwrap()
    };
    for order in [[&early, &late], [&late, &early]] {
        let together = json(&["compare", order[0], "uniform", order[1], &judge]);
        for (place, policy) in [(0, &**order[0]), (1, "uniform"), (2, order[1])] {
            let alone = ips(&json(&["evaluate", policy, &judge]));
            let value = ips(&together["policies"][place]["judgement"]);
            assert!((value - alone).abs() < 1e-12, "{policy}: {value}, alone {alone}");
        }
        // The log is read as the first model reads it, so that its model of rewards is the same, too.
        let alone = json(&["evaluate", order[0], &judge]);
        assert_eq!(together["policies"][0]["judgement"]["estimates"], alone["estimates"], "{}", order[0]);
        assert_eq!(together["best"], late.as_str());
        assert_eq!(together["differences"].as_array().unwrap().len(), 3);
    }
}

/// The synthetic log without the age of every third row: from empty cells to a model that says what it makes
/// of them.
#[test]
fn empty_cells_have_a_side_that_is_learnt() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let text = fs::read_to_string(offers()).unwrap();
    let place = text.lines().next().unwrap().split(',').position(|name| name == "age").unwrap();
    let rows = text.lines().enumerate().map(|(i, line)| {
        let mut cells: Vec<&str> = line.split(',').collect();
        if i > 0 && i * 7 % 10 < 3 {
            cells[place] = "";
        }
        cells.join(",") + "\n"
    });
    let rows: String = rows.collect();
    fs::write(at("log.csv"), &rows).unwrap();
    let model = at("policy.ocob");
    output(&[&["train", &at("log.csv"), "-o", &model], &SHORT[..]].concat());
    let told = exported(&model);
    assert!(told["columns"].as_array().unwrap().contains(&Value::from("age is missing")), "{told}");
    let nodes = told["trees"].as_array().unwrap().iter().flat_map(|tree| tree["nodes"].as_array().unwrap());
    let with_side: Vec<&Value> = nodes.filter(|node| node.get("missing").is_some()).collect();
    assert!(!with_side.is_empty() && with_side.iter().all(|node| node["column"] == "age"), "{with_side:?}");
    let words = output(&["inspect", &model, "--most", "10000"]);
    assert!(words.contains("age") && words.contains(" missing)"), "{words}");
    // The file that was written is the one that is played, on rows without a value too.
    let played = output(&["predict", &model, &at("log.csv"), "--quiet"]);
    assert_eq!(played.lines().count(), rows.lines().count());
    output(&["export", &model, &at("booster.json"), "--as", "xgboost"]);
    // The same log again is the same model.
    output(&[&["train", &at("log.csv"), "-o", &at("again.ocob")], &SHORT[..]].concat());
    assert_eq!(exported(&at("again.ocob"))["trees"], told["trees"]);
}
