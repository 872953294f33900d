//! Runs that are stopped and go on.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may")]

mod running;

use running::{articles, command, offers, output, refused, run, said};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A run of a few seconds, in which no budget cuts anything off.
const SETTINGS: [&str; 9] =
    ["--budget", "1h", "--candidates", "4", "--rounds", "40", "--seed", "2", "--quiet"];

/// What a model is, but for the time that it was given.
fn exported(model: &str) -> Value {
    let mut exported: Value = serde_json::from_str(&output(&["export", model, "-"])).unwrap();
    assert!(exported["record"].as_object_mut().unwrap().remove("budget").is_some());
    exported
}

/// Starts a run, and waits until it has saved something.
fn started(arguments: &[&str], checkpoint: &str) -> Child {
    let mut train = command(arguments);
    let mut child = train.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !Path::new(checkpoint).exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run has ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn a_run_that_was_killed_goes_on_as_if_it_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (log, whole, model, checkpoint) = (offers(), at("whole.ocob"), at("m.ocob"), at("run.ckpt"));
    output(&[&["train", &log, "-o", &whole], &SETTINGS[..]].concat());
    let train = [&["train", &log, "-o", &model, "--checkpoint", &checkpoint], &SETTINGS[..]].concat();
    let mut child = started(&train, &checkpoint);
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None);
    assert!(!Path::new(&model).exists());
    let resume = ["train", &log, "-o", &model, "--resume", &checkpoint];
    output(&[&resume[..], &SETTINGS].concat());
    assert_eq!(exported(&model), exported(&whole));
    // What was saved last is the end of the run.
    let last = at("last.ocob");
    output(&[&["train", &log, "-o", &last, "--resume", &checkpoint], &SETTINGS[..]].concat());
    assert_eq!(exported(&last), exported(&whole));

    // Other settings, another log, and other files.
    let other = SETTINGS.map(|word| if word == "2" { "3" } else { word });
    refused(&[&resume[..], &other].concat(), 2, "the checkpoint is of a run with seed = 2, not 3");
    let deeper = [&resume[..], &SETTINGS, &["--max-depth", "3"]].concat();
    refused(&deeper, 2, "the checkpoint is of a run with overrides = ");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(at("half.csv"), text.lines().take(2000).collect::<Vec<_>>().join("\n")).unwrap();
    let half = ["train", &at("half.csv"), "-o", &model, "--resume", &checkpoint];
    refused(&[&half[..], &SETTINGS].concat(), 65, "half.csv: the log is not the one that the saved run");
    let of =
        |file: &str| [&["train", &log, "-o", &model, "--resume", file], &SETTINGS[..]].concat().join("\u{1}");
    for (file, code, words) in [
        (at("none.ckpt"), 66, "none.ckpt: "),
        (whole.clone(), 65, "whole.ocob: the file holds a policy, not a training that is not over"),
        (at("half.csv"), 65, "half.csv: not a model file"),
    ] {
        let joined = of(&file);
        refused(&joined.split('\u{1}').collect::<Vec<_>>(), code, words);
    }
    refused(&["evaluate", &checkpoint, &log], 65, "the file holds a training that is not over, not a policy");
    let nowhere = ["train", &log, "-o", &model, "--checkpoint", &at("no folder/run.ckpt")];
    refused(&nowhere, 73, "no folder/run.ckpt");
}

/// The best policy so far is judged and kept, and the run can go on.
#[test]
fn a_run_that_is_interrupted_leaves_a_policy_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (log, whole, model, checkpoint) = (offers(), at("whole.ocob"), at("m.ocob"), at("run.ckpt"));
    output(&[&["train", &log, "-o", &whole], &SETTINGS[..]].concat());
    let loud = &SETTINGS[..8];
    let train = [&["train", &log, "-o", &model, "--checkpoint", &checkpoint], loud].concat();
    let child = started(&train, &checkpoint);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let (code, out, error) = said(&child.wait_with_output().unwrap());
    assert_eq!(code, Some(130), "{error}");
    assert!(out.starts_with("On ") && error.contains(&format!("to go on: --resume {checkpoint}")), "{error}");
    let so_far = exported(&model);
    assert_eq!(
        (&so_far["record"]["cuts"]["search"], so_far == exported(&whole)),
        (&Value::from(true), false)
    );
    assert_eq!(run(&["evaluate", &model, &log, "--quiet"]).2, "");
    output(&[&["train", &log, "-o", &model, "--resume", &checkpoint], &SETTINGS[..]].concat());
    assert_eq!(exported(&model), exported(&whole));
}

/// A run on a log whose actions have features, that says nothing.
const OF_ARTICLES: [&str; 8] = ["--budget", "1h", "--candidates", "4", "--rounds", "25", "--seed", "2"];

/// What is said of a run that ends well, without the line about the reader's reward.
fn trained(arguments: &[&str]) {
    let (code, out, error) = run(&[arguments, &["--quiet"]].concat());
    assert_eq!((code, error.as_str()), (Some(0), ""), "{arguments:?}: {out}");
}

#[test]
fn a_run_over_candidates_that_was_killed_goes_on_as_if_it_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (log, whole, model, checkpoint) = (articles(), at("whole.ocob"), at("m.ocob"), at("run.ckpt"));
    trained(&[&["train", &log, "-o", &whole], &OF_ARTICLES[..]].concat());
    let train = [&["train", &log, "-o", &model, "--checkpoint", &checkpoint], &OF_ARTICLES[..]].concat();
    let mut child = started(&train, &checkpoint);
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None);
    assert!(!Path::new(&model).exists());
    let resume = ["train", &log, "-o", &model, "--resume", &checkpoint];
    trained(&[&resume[..], &OF_ARTICLES].concat());
    assert_eq!(exported(&model), exported(&whole));
    // What was saved last is the end of the run.
    let last = at("last.ocob");
    trained(&[&["train", &log, "-o", &last, "--resume", &checkpoint], &OF_ARTICLES[..]].concat());
    assert_eq!(exported(&last), exported(&whole));

    // Other settings, another log, and the other kind of log and of checkpoint.
    let quiet = [&OF_ARTICLES[..], &["--quiet"]].concat();
    let other: Vec<&str> = quiet.iter().map(|word| if *word == "2" { "3" } else { *word }).collect();
    refused(&[&resume[..], &other].concat(), 2, "the checkpoint is of a run with seed = 2, not 3");
    let deeper = [&resume[..], &quiet, &["--max-depth", "3"]].concat();
    refused(&deeper, 2, "the checkpoint is of a run with overrides = ");
    let text = output_of_gzip(&log);
    let half: Vec<&str> = text.split("\n\n").take(2000).collect();
    std::fs::write(at("half.vw"), half.join("\n\n")).unwrap();
    let half = ["train", &at("half.vw"), "-o", &model, "--resume", &checkpoint];
    refused(&[&half[..], &quiet].concat(), 65, "half.vw: the log is not the one that the saved run");
    let of_offers = ["train", &offers(), "-o", &model, "--resume", &checkpoint, "--quiet"];
    let words = "run.ckpt: the file holds a training on a log whose actions have features, not a training on a log of \
                 fixed actions";
    refused(&of_offers, 65, words);
    let fixed = at("fixed.ckpt");
    let (of_offers, unfinished) = (offers(), at("o.ocob"));
    let train = [&["train", &of_offers, "-o", &unfinished, "--checkpoint", &fixed], &SETTINGS[..]].concat();
    let mut child = started(&train, &fixed);
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None);
    let words = "fixed.ckpt: the file holds a training on a log of fixed actions, not a training on a log whose \
                 actions have features";
    refused(&[&["train", &log, "-o", &model, "--resume", &fixed], &quiet[..]].concat(), 65, words);
    let damaged = at("damaged.ckpt");
    let mut bytes = std::fs::read(&checkpoint).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&damaged, bytes).unwrap();
    let words = "damaged.ckpt: the checksum does not match";
    refused(&[&["train", &log, "-o", &model, "--resume", &damaged], &quiet[..]].concat(), 65, words);
}

/// The text of a compressed file.
fn output_of_gzip(path: &str) -> String {
    let unpacked = Command::new("gzip").args(["-dc", path]).output().unwrap();
    String::from_utf8(unpacked.stdout).unwrap()
}

#[test]
fn a_run_over_candidates_that_is_interrupted_leaves_a_policy_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (log, whole, model, checkpoint) = (articles(), at("whole.ocob"), at("m.ocob"), at("run.ckpt"));
    trained(&[&["train", &log, "-o", &whole], &OF_ARTICLES[..]].concat());
    let train = [&["train", &log, "-o", &model, "--checkpoint", &checkpoint], &OF_ARTICLES[..]].concat();
    let child = started(&train, &checkpoint);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let (code, out, error) = said(&child.wait_with_output().unwrap());
    assert_eq!(code, Some(130), "{error}");
    assert!(out.starts_with("On ") && error.contains(&format!("to go on: --resume {checkpoint}")), "{error}");
    let so_far = exported(&model);
    assert_eq!((&so_far["record"]["is_cut"], so_far == exported(&whole)), (&Value::from(true), false));
    trained(&[&["train", &log, "-o", &model, "--resume", &checkpoint], &OF_ARTICLES[..]].concat());
    assert_eq!(exported(&model), exported(&whole));
}
