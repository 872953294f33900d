//! `boost`, and what other commands do with its models, on tables of the repository.
#![allow(clippy::unwrap_used, reason = "a test may")]

use flate2::read::GzDecoder;
use serde_json::Value;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ocoboost")).args(arguments).output().unwrap()
}

fn said(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The standard output as JSON, of a command that ends well.
fn json(arguments: &[&str]) -> Value {
    let (code, out, error) = said(&[arguments, &["--format", "json", "--quiet"]].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {out} {error}");
    serde_json::from_str(&out).unwrap()
}

/// The rows of a data set of the repository.
fn rows(name: &str) -> Vec<String> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/data").join(name);
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn table(path: &Path, header: &str, rows: &[String]) -> String {
    std::fs::write(path, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
    path.display().to_string()
}

const CANCER: &str = "id,thickness,size,shape,adhesion,epithelial,nuclei,chromatin,nucleoli,mitoses,class";

/// Breast cancer, whose nuclei are missing in some rows; the last 150 rows apart.
fn cancer(folder: &Path) -> (String, String) {
    let all = rows("breast-cancer-wisconsin.data.gz");
    let (first, last) = all.split_at(all.len() - 150);
    (table(&folder.join("cancer.csv"), CANCER, first), table(&folder.join("new.csv"), CANCER, last))
}

#[test]
fn a_table_becomes_a_classifier_that_is_judged_played_and_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (table, new) = cancer(folder.path());
    let model = at("cancer.ocob");
    let train = ["boost", &table, "--label", "class", "--ignore", "id", "-o", &model, "--rounds", "40"];
    let (code, out, error) = said(&[&train[..], &["--quiet"]].concat());
    assert_eq!((code, error.as_str()), (Some(0), ""), "{out}");
    assert!(out.starts_with("On 137 rows that had no part in the choice "), "{out}");
    assert!(out.contains("always answering \"2\" is wrong on ") && out.contains(" rounds of "), "{out}");
    assert!(
        out.contains("by cross-validation on 412 rows; the theorem bounds the training error by"),
        "{out}"
    );

    // Rows that came later: right on nearly all, and the confusion adds up.
    let answer = json(&["evaluate", &model, &new]);
    let [value, lower, upper] = ["value", "lower", "upper"].map(|end| answer["error"][end].as_f64().unwrap());
    assert!(0.0 <= lower && lower <= value && value <= upper && upper < 0.1, "{answer}");
    assert_eq!((&answer["rows"], &answer["is_better"]), (&150.into(), &true.into()));
    let counts: Vec<u64> = answer["confusion"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap())
        .map(|n| n.as_u64().unwrap())
        .collect();
    assert_eq!(counts.iter().sum::<u64>(), 150);
    #[allow(clippy::cast_precision_loss, reason = "at most 150")]
    let wrong = (counts[1] + counts[2]) as f64 / 150.0;
    assert!((wrong - value).abs() < 1e-12 && answer["warnings"].as_array().unwrap().is_empty(), "{answer}");
    let own = json(&["evaluate", &model, &table, "--confidence", "0.9"]);
    assert!(own["warnings"].to_string().contains("trained on this table"), "{own}");
    assert_eq!(own["confidence"].as_f64().unwrap(), 0.9);
    let (code, out, _) = said(&["evaluate", &model, &new, "--quiet"]);
    assert!(code == Some(0) && out.starts_with("On 150 rows ") && out.lines().count() == 5, "{out}");

    // The answers are those that were judged.
    let (code, out, error) = said(&["predict", &model, &new]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((code, lines[0], lines.len()), (Some(0), "class,margin", 151), "{error}");
    let truth: Vec<String> = std::fs::read_to_string(&new)
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').next().unwrap().to_owned())
        .collect();
    let errors =
        lines[1..].iter().zip(&truth).filter(|(line, truth)| line.split(',').next() != Some(truth)).count();
    assert_eq!(u64::try_from(errors).unwrap(), counts[1] + counts[2]);
    let (_, out, _) = said(&["predict", &model, &new, "--probabilities", "--quiet"]);
    assert_eq!(out.lines().next(), Some("class,margin,2,4"));
    for line in out.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [margin, benign, malign] = [1, 2, 3].map(|k| cells[k].parse::<f64>().unwrap());
        assert!((benign + malign - 1.0).abs() < 1e-12 && (0.0..=1.0).contains(&margin), "{line}");
        assert_eq!(cells[0] == "4", malign > benign, "{line}");
    }

    // Later rows may lack what was not learnt from.
    let short: String = std::fs::read_to_string(&new)
        .unwrap()
        .lines()
        .map(|line| line.split_once(',').unwrap().1.rsplit_once(',').unwrap().0.to_owned() + "\n")
        .collect();
    std::fs::write(at("short.csv"), short).unwrap();
    assert_eq!(
        said(&["predict", &model, &at("short.csv"), "--quiet"]).1,
        said(&["predict", &model, &new, "--quiet"]).1
    );

    let (code, out, _) = said(&["inspect", &model, "--most", "3"]);
    assert!(code == Some(0) && out.contains("tried smooth boosting, k = 1.5, depth 3:"), "{out}");
    assert!(out.contains("412 rows to learn from, 412 to choose and 137 to judge on"), "{out}");
    assert_eq!(out.lines().skip_while(|line| !line.starts_with("columns,")).count(), 4, "{out}");
}

#[test]
fn every_algorithm_is_at_hand_and_more_rounds_than_needed_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (table, new) = cancer(folder.path());
    let model = folder.path().join("m.ocob").display().to_string();
    for algorithm in ["adaboost", "smooth", "sparse", "madaboost"] {
        let asked =
            ["boost", &table, "--label", "class", "--ignore", "id", "-o", &model, "--algorithm", algorithm];
        let named =
            ["--n_estimators", "60", "--max_depth", "2", "--early_stopping_rounds", "20", "--seed", "4"];
        let answer = json(&[&asked[..], &named].concat());
        let record = &answer["record"];
        assert_eq!(record["max_depth"], 2);
        assert!(record["rounds"].as_u64().unwrap() <= 60, "{answer}");
        assert!(record["training_error"].as_f64().unwrap() <= record["bound"].as_f64().unwrap(), "{answer}");
        let of_new = json(&["evaluate", &model, &new]);
        assert!(of_new["error"]["value"].as_f64().unwrap() < 0.06, "{algorithm}: {of_new}");
    }
}

#[test]
fn many_classes_are_told_apart_and_their_commonest_mistakes_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let all = rows("letter-recognition.data.gz");
    let names: Vec<String> = (0..16).map(|k| format!("f{k}")).collect();
    let header = format!("letter,{}", names.join(","));
    let letters = table(&folder.path().join("letters.csv"), &header, &all[..2_500]);
    let new = table(&folder.path().join("new.csv"), &header, &all[2_500..4_000]);
    let model = folder.path().join("letters.ocob").display().to_string();
    let asked =
        ["boost", &letters, "--label", "letter", "-o", &model, "--algorithm", "adaboost", "--rounds", "25"];
    let (code, out, error) = said(&[&asked[..], &["--max_depth", "5", "--quiet"]].concat());
    assert_eq!(code, Some(0), "{out} {error}");
    let answer = json(&["evaluate", &model, &new]);
    assert!(answer["error"]["value"].as_f64().unwrap() < 0.25, "{answer}");
    assert!(answer["constant"]["error"].as_f64().unwrap() > 0.9);
    assert_eq!(answer["classes"].as_array().unwrap().len(), 26);
    let (_, out, _) = said(&["evaluate", &model, &new, "--quiet"]);
    assert!(out.contains("the commonest mistakes:") && out.lines().count() == 12, "{out}");
}

/// Half of the labels of the second table are drawn anew.
#[test]
fn a_second_table_is_combined_with_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let all = rows("breast-cancer-wisconsin.data.gz");
    let clean = table(&folder.path().join("clean.csv"), CANCER, &all[..200]);
    let turned = |(i, row): (usize, &String)| match (i % 4, row.strip_suffix(['2', '4'])) {
        (0, Some(start)) => format!("{start}{}", if row.ends_with('2') { 4 } else { 2 }),
        _ => row.clone(),
    };
    let noisy: Vec<String> = all[200..550].iter().enumerate().map(turned).collect();
    let noisy = table(&folder.path().join("noisy.csv"), CANCER, &noisy);
    let new = table(&folder.path().join("new.csv"), CANCER, &all[550..]);
    let model = folder.path().join("m.ocob").display().to_string();
    let asked = ["boost", &clean, "--secondary", &noisy, "--label", "class", "--ignore", "id", "-o", &model];
    let answer = json(&[&asked[..], &["-k", "1.5", "--max_depth", "3"]].concat());
    let record = &answer["record"];
    assert_eq!((&record["algorithm"], &record["smoothness"]), (&"combined".into(), &1.5.into()));
    assert_eq!((&record["rows"]["secondary"], &record["rows"]["learning"]), (&350.into(), &500.into()));
    assert_eq!(record["sources"].as_array().unwrap().len(), 2);
    let of_new = json(&["evaluate", &model, &new]);
    assert!(of_new["error"]["value"].as_f64().unwrap() < 0.08, "{of_new}");
    let (_, out, _) = said(&["inspect", &model]);
    assert!(out.contains("500 rows to learn from, 350 of them of the second table"), "{out}");
    let refused = said(&[
        "boost",
        &clean,
        "--secondary",
        &noisy,
        "--algorithm",
        "sparse",
        "--label",
        "class",
        "-o",
        &model,
    ]);
    assert!(refused.0 == Some(2) && refused.2.contains("is for --algorithm combined"), "{refused:?}");
    let refused = said(&["boost", &clean, "--algorithm", "combined", "--label", "class", "-o", &model]);
    assert!(refused.0 == Some(2) && refused.2.contains("name it with --secondary"), "{refused:?}");
}

/// Labels, dates and missing numbers; later rows come in another format and order.
#[test]
fn columns_are_coded_alike_in_later_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let mut text = "city,opened,size,kind\n".to_owned();
    for i in 0..300_u32 {
        let (city, day) = (["Rome", "Oslo", "Lima"][(i % 3) as usize], 1 + i / 3 % 28);
        let size = if i % 7 == 0 { String::new() } else { (i * 37 % 100).to_string() };
        let kind = if i % 3 == 1 {
            "cold"
        } else if day > 14 {
            "late"
        } else {
            "early"
        };
        writeln!(text, "{city},2026-02-{day:02},{size},{kind}").unwrap();
    }
    std::fs::write(at("t.csv"), text).unwrap();
    let asked = ["boost", &at("t.csv"), "--label", "kind", "-o", &at("m.ocob"), "--rounds", "20"];
    let answer = json(&asked);
    assert!(answer["error"]["value"].as_f64().unwrap() < 0.02, "{answer}");
    let lines = "{\"kind\":\"?\",\"size\":5,\"opened\":\"2026-02-27\",\"city\":\"Rome\"}\n\
                 {\"opened\":\"2026-02-01\",\"city\":\"Lima\",\"size\":null,\"more\":1}\n\
                 {\"opened\":\"2026-02-01\",\"city\":\"Oslo\",\"size\":7}\n";
    std::fs::write(at("new.jsonl"), lines).unwrap();
    let (code, out, error) = said(&["predict", &at("m.ocob"), &at("new.jsonl")]);
    let classes: Vec<&str> = out.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!((code, &classes[..]), (Some(0), &["late", "early", "cold"][..]), "{out}");
    assert!(error.contains("\"more\""), "{error}");
    // A class that the model does not know is an error of the data, with its line.
    std::fs::write(at("other.csv"), "city,opened,size,kind\nRome,2026-02-01,4,warm\n").unwrap();
    let (code, _, error) = said(&["evaluate", &at("m.ocob"), &at("other.csv")]);
    assert!(
        code == Some(65) && error.contains("other.csv, line 2, column \"kind\": \"warm\" is not one of"),
        "{error}"
    );
    // The column of the classes may have another name there.
    std::fs::write(at("renamed.csv"), "city,opened,size,sort\nOslo,2026-02-01,4,cold\n").unwrap();
    let (code, out, error) =
        said(&["evaluate", &at("m.ocob"), &at("renamed.csv"), "--label", "sort", "--quiet"]);
    assert!(code == Some(3) && out.starts_with("On 1 rows 0.0% are"), "{out}{error}");
}

/// The last quarter has the other class throughout.
#[test]
fn the_last_rows_judge_where_a_time_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let mut text = "day,x,y\n".to_owned();
    for i in 0..200_u32 {
        // Days do not come in order.
        let day = i * 77 % 200;
        let is_high = day * 37 % 100 > 50;
        let y = if day < 150 { is_high } else { !is_high };
        writeln!(text, "{day},{},{}", day * 37 % 100, ["no", "yes"][usize::from(y)]).unwrap();
    }
    std::fs::write(at("t.csv"), text).unwrap();
    let model = at("m.ocob");
    let table = at("t.csv");
    let asked = ["boost", &table, "--label", "y", "--rounds", "10", "--max_depth", "1", "-o", &model];
    let (code, out, _) = said(&[&asked[..], &["--time", "day", "--quiet"]].concat());
    assert!(code == Some(3) && out.contains("100.0% are classified wrongly"), "{out}");
    assert!(out.contains("the rows do not show that this is better"), "{out}");
    let (code, out, _) = said(&[&asked[..], &["--quiet"]].concat());
    assert!(code == Some(0), "{out}");
}

#[test]
fn one_seed_is_one_file_whatever_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (table, _) = cancer(folder.path());
    let bytes = |threads: &str, seed: &str| {
        let model = folder.path().join("m.ocob").display().to_string();
        let asked = ["boost", &table, "--label", "class", "-o", &model, "--rounds", "8", "--quiet"];
        let (code, ..) = said(&[&asked[..], &["--threads", threads, "--seed", seed]].concat());
        assert_eq!(code, Some(0));
        std::fs::read(model).unwrap()
    };
    let one = bytes("1", "5");
    assert_eq!(one, bytes("2", "5"));
    assert_ne!(one, bytes("1", "6"));
}

/// What is wrong is said in one line, and nothing is written.
#[test]
fn failures_have_exit_codes_and_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (table, _) = cancer(folder.path());
    let (model, bad, one, many) = (at("m.ocob"), at("bad.csv"), at("one.csv"), at("many.csv"));
    std::fs::write(&bad, "x,y\n1,a\n2\n").unwrap();
    std::fs::write(&one, "x,y\n1,a\n2,a\n").unwrap();
    let rows: String = (0..400).map(|i| format!("{},{i}.5\n", i * 7 % 400)).collect();
    std::fs::write(&many, format!("x,y\n{rows}")).unwrap();
    std::fs::write(at("few.csv"), "x,y\n1,a\n2,b\n").unwrap();
    let (none, few, noise) = (at("none.csv"), at("few.csv"), at("noise.ocob"));
    std::fs::write(&noise, [7; 100]).unwrap();
    let boost = |table: &str, label: &str, more: &[&str]| -> Vec<String> {
        let first = ["boost", table, "--label", label, "-o", &model];
        first.iter().chain(more).map(|word| (*word).to_owned()).collect()
    };
    for (arguments, expected, words) in [
        (boost(&none, "y", &[]), 66, "none.csv"),
        (boost(&bad, "y", &[]), 65, "bad.csv, line 3: 1 cells, the header has 2"),
        (boost(&table, "kind", &[]), 65, "there is no column \"kind\""),
        (boost(&one, "y", &[]), 65, "one.csv: 1 classes; 2 to 256 can be told apart"),
        (boost(&many, "y", &[]), 65, "many.csv: 400 classes; 2 to 256 can be told apart"),
        (boost(&few, "y", &[]), 65, "few.csv: 2 rows, split at random"),
        (boost(&table, "class", &["--rounds", "0"]), 2, "rounds = 0"),
        (boost(&table, "class", &["--holdout", "2"]), 2, "holdout_share = 2"),
        (boost(&table, "class", &["-k", "0.5"]), 2, "smoothness = 0.5"),
        (boost(&table, "class", &["--confidence", "1"]), 2, "--confidence 1"),
        (
            boost(&table, "class", &["--ignore", "class"]),
            65,
            "\"class\" is asked for as the label and as left out",
        ),
    ] {
        let words_of: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, out, error) = said(&words_of);
        assert_eq!((code, out.as_str()), (Some(expected), ""), "{arguments:?}: {error}");
        assert!(error.lines().count() == 1 && error.contains(words), "{arguments:?}: {error}");
    }
    assert!(!Path::new(&model).exists());
    let (code, ..) = said(&[
        "boost",
        &table,
        "--label",
        "class",
        "-o",
        &at("no folder/m.ocob"),
        "--rounds",
        "2",
        "--quiet",
    ]);
    assert_eq!(code, Some(73));
    // A model is no policy, and a policy's arguments are none of a classifier.
    let short =
        ["boost", &table, "--label", "class", "-o", &model, "--rounds", "2", "--max_depth", "1", "--quiet"];
    assert_eq!(said(&short).0, Some(0));
    let refused = said(&["compare", &model, "uniform", &table]);
    assert!(refused.0 == Some(65) && refused.2.contains("holds a classifier, not a policy"), "{refused:?}");
    let refused = said(&["predict", &model, &table, "--explore", "0.1"]);
    assert!(refused.0 == Some(2) && refused.2.contains("explores nothing"), "{refused:?}");
    let refused = said(&["predict", &model, &table, "--top", "2"]);
    assert!(refused.0 == Some(2) && refused.2.contains("ranks nothing"), "{refused:?}");
    let refused = said(&["predict", &model, &table, "--format", "jsonl"]);
    assert!(refused.0 == Some(2) && refused.2.contains("writes csv"), "{refused:?}");
    let mut bytes = std::fs::read(&model).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&model, bytes).unwrap();
    for command in ["predict", "evaluate"] {
        let refused = said(&[command, &model, &table]);
        assert!(
            refused.0 == Some(65) && refused.2.contains("m.ocob: the checksum does not match"),
            "{refused:?}"
        );
    }
}
