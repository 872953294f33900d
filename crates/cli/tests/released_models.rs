//! Model files of every released version, and of this one, load and answer as when they were written.
//!
//! `tests/models/VERSION` has a model of each kind and its answers for the rows of `tests/models`. With
//! `WRITE_MODELS=1` the folder of this version is written anew, as docs/releasing.md has it, once a release.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may")]

mod running;

use ocoboost::model_file::Content;
use ocoboost::{BanditSettings, RegressionBooster, RegressionSettings};
use off_policy::Value;
use running::{offers, output};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The kinds of models, and how the program makes a small one. A name up to its hyphen says what is asked of
/// it.
const KINDS: [(&str, &str); 8] = [
    ("policy", "train --candidates 1 --rounds 4 --budget 1h"),
    ("candidates", "train --candidates 1 --rounds 4 --budget 1h"),
    ("classifier", "boost --label device --ignore action,propensity,reward --rounds 4"),
    (
        "classifier-smooth",
        "boost --label device --ignore action,propensity,reward --rounds 4 --algorithm smooth -k 2",
    ),
    ("stream", "stream --label reward --ignore propensity --learners 4 --weak-learner stumps"),
    (
        "stream-agnostic",
        "stream --label reward --ignore propensity --learners 4 --booster agnostic --weak-learner stumps",
    ),
    (
        "stream-osboost",
        "stream --label reward --ignore propensity --learners 4 --booster osboost --weak-learner logistic",
    ),
    ("stream-adaboost-ol", "stream --label reward --ignore propensity --learners 4 --booster adaboost-ol"),
];
/// Models that Python writes and the program reads.
const OF_PYTHON: [&str; 3] = ["regressor", "regressor-span", "bandit"];

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn path(folder: &Path, name: &str, end: &str) -> String {
    folder.join(format!("{name}{end}")).display().to_string()
}

/// What a model answers for the rows of its kind: every action with its score, every class, or a number.
fn answers(folder: &Path, kind: &str) -> String {
    let (rows, asked): (_, &[&str]) = match kind.split('-').next() {
        Some("regressor" | "bandit") => return numbers(&path(folder, kind, ".ocob")),
        Some("candidates") => ("rows.vw", &["--top", "3"]),
        Some("policy") => ("rows.csv", &["--top", "3"]),
        Some("classifier") => ("rows.csv", &["--probabilities"]),
        // Of three rows a class says little: how often it errs on the log says more.
        _ => return running::run(&["evaluate", &path(folder, kind, ".ocob"), &offers(), "--quiet"]).1,
    };
    let rows = models().join(rows).display().to_string();
    output(&[&["predict", &path(folder, kind, ".ocob"), &rows, "--quiet"], asked].concat())
}

/// The numbers that a model answers, to the bit, for which the program has no command.
fn numbers(file: &str) -> String {
    let mut model = Content::load(file).unwrap();
    let ask = |x| {
        let number = match &mut model {
            Content::Regressor(model) => model.predict([("x", Value::Number(x))]).unwrap(),
            Content::Bandit(model) => model.predict([("x", Value::Number(x))]).unwrap()[0],
            other => panic!("{}", other.kind()),
        };
        format!("{number:?}\n")
    };
    [0.0, 2.5, 7.0].map(ask).concat()
}

fn write(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    for (kind, words) in KINDS {
        // From beside the log: a model names its files, and a path of this machine is of no use.
        let log = if kind == "candidates" { "articles.vw.gz" } else { "offers.csv" };
        let (model, words): (_, Vec<&str>) = (path(folder, kind, ".ocob"), words.split(' ').collect());
        let mut program =
            running::command(&[&[words[0], log, "-o", &model, "--quiet"], &words[1..]].concat());
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        program.current_dir(examples).output().unwrap();
    }
    for (kind, booster) in [
        ("regressor", RegressionBooster::GradientBoosting),
        ("regressor-span", RegressionBooster::SpanBoosting),
    ] {
        let settings = RegressionSettings { booster, learners: 4, ..RegressionSettings::default() };
        let mut model = settings.begin(1).unwrap();
        for x in (0..200).map(|t| f64::from(t % 7)) {
            model.round([("x", Value::Number(x))], 3.0 * x + 5.0).unwrap();
        }
        model.save(path(folder, kind, ".ocob")).unwrap();
    }
    let settings = BanditSettings { queries: 4, range: [-2.0, 2.0], ..BanditSettings::default() };
    let mut model = settings.begin(1).unwrap();
    for x in (0..200).map(|t| f64::from(t % 7)) {
        model.round([("x", Value::Number(x))], &mut |y| (y[0] - x / 3.0 + 1.0).powi(2)).unwrap();
    }
    model.save(path(folder, "bandit", ".ocob")).unwrap();
    for kind in kinds() {
        fs::write(path(folder, kind, ".txt"), answers(folder, kind)).unwrap();
    }
}

fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.map(|(kind, _)| kind).into_iter().chain(OF_PYTHON)
}

/// Whether the list of changes has a version with its date: `## 0.1.0, 2027-01-31`. Then its models are out.
fn is_released(changes: &str, version: &str) -> bool {
    let start = format!("## {version}, ");
    let date = changes.lines().find_map(|line| line.strip_prefix(&start));
    date.is_some_and(|date| date.starts_with(|first: char| first.is_ascii_digit()))
}

#[test]
fn a_version_is_released_when_it_has_a_date() {
    let changes = "# Changes\n\n## 0.2.0, unreleased\n\n## 0.1.10, 2027-01-31\n\nOf 0.1.9, 2026: nothing.\n";
    let of = |version| is_released(changes, version);
    assert_eq!(["0.2.0", "0.1.10", "0.1.1", "0.1.9", "0.3.0"].map(of), [false, true, false, false, false]);
    let own = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CHANGELOG.md")).unwrap();
    assert!(own.contains(&format!("## {}, ", env!("CARGO_PKG_VERSION"))), "this version has no heading");
}

#[test]
fn models_of_every_version_answer_as_they_did() {
    let (version, own) = (env!("CARGO_PKG_VERSION"), models().join(env!("CARGO_PKG_VERSION")));
    if std::env::var_os("WRITE_MODELS").is_some() {
        let changes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CHANGELOG.md");
        let is_released = is_released(&fs::read_to_string(changes).unwrap(), version);
        assert!(!is_released, "{version} is released: its models stay as they are");
        write(&own);
    }
    let folders = fs::read_dir(models()).unwrap().map(|entry| entry.unwrap().path());
    let folders: BTreeSet<PathBuf> = folders.filter(|path| path.is_dir()).collect();
    assert!(folders.contains(&own), "no models of this version: {}", own.display());
    for folder in folders {
        // A version has the kinds that it had.
        let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let models: BTreeSet<_> =
            entries.filter(|path| path.extension().is_some_and(|end| end == "ocob")).collect();
        for model in &models {
            let kind = model.file_stem().unwrap().to_string_lossy();
            let kept = fs::read_to_string(path(&folder, &kind, ".txt")).unwrap();
            assert_eq!(answers(&folder, &kind), kept, "{kind} of {}", folder.display());
        }
        let has = |kind| folder != own || models.contains(&folder.join(format!("{kind}.ocob")));
        assert!(kinds().all(has), "a kind without a model of this version");
    }
}
