//! The command line: absent files, unknown names, progress, and interruption.

#![allow(clippy::unwrap_used, reason = "a program that does not start fails the test")]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program in a folder without data.
fn program(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_experiments"));
    command.args(line.split(' ')).current_dir(folder).env_remove("OCO_DATA").env_remove("RAYON_NUM_THREADS");
    command.stdin(Stdio::null());
    command
}

fn run(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = program(folder, line).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn an_unknown_experiment_is_answered_with_the_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, stderr) = run(folder.path(), "reproduce bandit-bosting");
    assert_eq!(code, Some(2));
    assert!(stderr.contains("'bandit-boosting'") && stderr.contains("\n  projection-free "), "{stderr}");
    let (code, stdout, _) = run(folder.path(), "reproduce --help");
    assert_eq!(code, Some(0));
    assert!(
        stdout.contains("Usage: cargo xtask reproduce") && stdout.contains("\n  projection-free"),
        "{stdout}"
    );
}

#[test]
fn absent_files_are_reported_and_refused_with_strict() {
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, stderr) = run(folder.path(), "data verify");
    assert_eq!(code, Some(0));
    assert!(stdout.ends_with("0 intact, 21 absent, 0 damaged\n"), "{stdout}");
    assert!(
        stderr.contains("21 of 21 official files are absent") && stderr.contains("data fetch"),
        "{stderr}"
    );
    let (code, _, stderr) = run(folder.path(), "data verify --strict");
    assert!(code == Some(1) && stderr.contains("21 of 21 official files are absent"), "{code:?} {stderr}");
}

#[test]
fn an_experiment_on_a_stand_in_warns_and_is_refused_with_strict() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let (code, stdout, stderr) = run(folder.path(), "reproduce obd --data empty --replicates 50");
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("obd.json"), "{stdout}");
    let warnings =
        stderr.matches("warning: no official files of obd: synthetic stand-ins take their place").count();
    assert_eq!(warnings, 2, "before the run and after its results: {stderr}");
    assert!(stderr.contains("`cargo xtask data fetch obd`") && stderr.contains("empty"), "{stderr}");
    for experiment in
        ["obd", "oco", "projection-free", "agnostic", "maboost", "bopl", "bandit-boosting", "tour"]
    {
        let line = format!("reproduce {experiment} --data empty --out strict --strict");
        let (code, stdout, stderr) = run(folder.path(), &line);
        assert_eq!((code, stdout.contains("json")), (Some(1), false), "{experiment}: {stdout}");
        assert!(stderr.contains("--strict: no official files of"), "{experiment}: {stderr}");
    }
    assert!(!folder.path().join("strict").exists(), "nothing was begun");
    // Synthetic streams need no files.
    let (code, _, stderr) =
        run(folder.path(), "reproduce agnostic --datasets jumps --quick --trials 1 --strict");
    assert!(code == Some(0) && !stderr.contains("warning"), "{stderr}");
}

/// Trials that count twice would make an interval too short, and two threads would run one unit at once.
#[test]
fn a_name_given_twice_is_one_row() {
    let folder = tempfile::tempdir().unwrap();
    for threads in [1, 2] {
        let line = format!(
            "reproduce bopl --datasets scene,scene --methods brr-gb,brr-gb --quick --trials 2 --threads {threads} \
             --out out-{threads}"
        );
        let (code, _, stderr) = run(folder.path(), &line);
        assert_eq!(code, Some(0), "{stderr}");
        let text = std::fs::read_to_string(folder.path().join(format!("out-{threads}/bopl.json"))).unwrap();
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        let rows = record["rows"].as_array().unwrap();
        let rewards = rows.iter().filter(|row| row["metric"] == "test reward").collect::<Vec<_>>();
        assert!(rewards.len() == 1 && rewards[0]["n"] == 2, "{rows:?}");
    }
}

#[test]
fn every_experiment_refuses_an_impossible_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for experiment in
        ["obd", "oco", "projection-free", "agnostic", "maboost", "bopl", "bandit-boosting", "tour"]
    {
        for (threads, variable) in [("--threads 0", "2"), ("--threads 1000000", "2"), ("--seed 1", "many")] {
            let mut command = program(folder.path(), &format!("reproduce {experiment} {threads}"));
            let output = command.env("RAYON_NUM_THREADS", variable).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{experiment} {threads}: {stderr}");
            assert!(stderr.contains("threads"), "{stderr}");
        }
    }
    assert!(!folder.path().join("out").exists(), "nothing was begun");
}

/// A run of minutes, and its lines on standard error up to the first line of progress.
fn long_run(folder: &Path) -> (Child, impl BufRead + use<>, Vec<String>) {
    let line = "reproduce oco --quick --trials 100000 --threads 1 --out my-results";
    let mut child = program(folder, line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut lines = Vec::new();
    while !lines.last().is_some_and(|line: &String| line.contains("/100000")) {
        let mut line = String::new();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "it ended: {lines:?}");
        lines.push(line);
    }
    (child, stderr, lines)
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_prints_how_to_resume_and_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let (mut child, mut stderr, lines) = long_run(folder.path());
    let seconds = begun.elapsed();
    assert!(seconds < Duration::from_secs(8), "the first progress came after {seconds:?}: {lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("oco: results go to my-results")), "{lines:?}");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let command = "cargo xtask reproduce oco --quick --trials 100000 --threads 1 --out my-results\n";
    assert!(rest.contains("interrupted; finished trials are kept") && rest.ends_with(command), "{rest}");
    // Finished units are there when the same command runs again.
    let kept = |folder: &Path| {
        let is_store = |path: &std::path::PathBuf| path.extension().is_some_and(|ending| ending == "trials");
        let entries =
            std::fs::read_dir(folder.join("my-results")).unwrap().map(|entry| entry.unwrap().path());
        let store = entries.into_iter().find(is_store).unwrap();
        std::fs::read_to_string(store).unwrap().lines().count()
    };
    let before = kept(folder.path());
    let (mut child, ..) = long_run(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(before > 1 && kept(folder.path()) >= before, "{before}");
}
