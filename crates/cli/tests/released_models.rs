//! Model files of every released version, and of this one, load and answer as when they were written.
//!
//! `tests/models/VERSION` has a model of each kind and its answers for the rows of `tests/models`. With
//! `WRITE_MODELS=1` the folder of this version is written anew, as docs/releasing.md has it, once a release.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod running;

use running::{articles, offers, output};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The kinds of models, and how the program makes a small one.
const KINDS: [(&str, &[&str]); 4] = [
    ("policy", &["train", "--candidates", "1", "--rounds", "4", "--budget", "1h"]),
    ("candidates", &["train", "--candidates", "1", "--rounds", "4", "--budget", "1h"]),
    ("classifier", &["boost", "--label", "device", "--ignore", "action,propensity,reward", "--rounds", "4"]),
    ("stream", &["stream", "--label", "reward", "--ignore", "action,propensity", "--learners", "4"]),
];

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn path(folder: &Path, name: &str, end: &str) -> String {
    folder.join(format!("{name}{end}")).display().to_string()
}

/// What a model answers for the rows of its kind: every action with its score, or every class.
fn answers(folder: &Path, kind: &str) -> String {
    let (rows, asked): (_, &[&str]) = match kind {
        "candidates" => ("rows.vw", &["--top", "3"]),
        "policy" => ("rows.csv", &["--top", "3"]),
        "classifier" => ("rows.csv", &["--probabilities"]),
        _ => ("rows.csv", &[]),
    };
    let rows = models().join(rows).display().to_string();
    output(&[&["predict", &path(folder, kind, ".ocob"), &rows, "--quiet"], asked].concat())
}

fn write(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    for (kind, words) in KINDS {
        let log = if kind == "candidates" { articles() } else { offers() };
        let (model, (command, settings)) = (path(folder, kind, ".ocob"), words.split_first().unwrap());
        running::run(&[&[*command, &log, "-o", &model, "--quiet"], settings].concat());
        fs::write(path(folder, kind, ".txt"), answers(folder, kind)).unwrap();
    }
}

#[test]
fn models_of_every_version_answer_as_they_did() {
    let own = models().join(env!("CARGO_PKG_VERSION"));
    if std::env::var_os("WRITE_MODELS").is_some() {
        write(&own);
    }
    let folders = fs::read_dir(models()).unwrap().map(|entry| entry.unwrap().path());
    let folders: BTreeSet<PathBuf> = folders.filter(|path| path.is_dir()).collect();
    assert!(folders.contains(&own), "no models of this version: {}", own.display());
    for folder in folders {
        for (kind, _) in KINDS {
            let kept = fs::read_to_string(path(&folder, kind, ".txt")).unwrap();
            assert_eq!(answers(&folder, kind), kept, "{} of {}", kind, folder.display());
        }
    }
}
