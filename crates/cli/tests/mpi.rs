//! `train --mpi` under a real `mpirun`: the model of one process, one voice, one exit code, and what is left
//! where a process is lost.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

mod running;

use running::{command, offers, said};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Nothing here takes a tenth of it on an idle machine.
const LIMIT: Duration = Duration::from_secs(120);
/// The seed of every run, and a budget that cuts nothing off.
const SHORT: [&str; 9] =
    ["--budget", "10h", "--candidates", "2", "--rounds", "40", "--seed", "1", "--max-depth=3"];

fn mpirun() -> Command {
    let mut command = Command::new("mpirun");
    // Open MPI refuses these two unless told otherwise: the user of a container, and few cores.
    for name in
        ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"]
    {
        command.env(name, "1");
    }
    command
}

/// The synthetic log in files of 1,024 rows or fewer, so that six ranks have rows.
struct Logs {
    folder: tempfile::TempDir,
    files: Vec<String>,
}

impl Logs {
    fn new() -> Self {
        let (folder, text) = (tempfile::tempdir().unwrap(), fs::read_to_string(offers()).unwrap());
        let (head, rows) = text.split_once('\n').unwrap();
        let rows: Vec<&str> = rows.lines().collect();
        let write = |(k, rows): (usize, &[&str])| {
            let path = folder.path().join(format!("{k}.csv"));
            fs::write(&path, format!("{head}\n{}\n", rows.join("\n"))).unwrap();
            path.display().to_string()
        };
        let files = rows.chunks(1024).enumerate().map(write).collect();
        Self { folder, files }
    }

    fn at(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// The program with these options behind its files.
    fn train(&self, processes: Option<usize>, options: &[&str]) -> Command {
        let program = command(&["train"]);
        let mut command = match processes {
            None => program,
            Some(processes) => {
                let mut mpirun = mpirun();
                mpirun
                    .args(["-n", &processes.to_string()])
                    .arg(program.get_program())
                    .args(["train", "--mpi"]);
                mpirun
            }
        };
        command.args(&self.files).args(options).stdin(Stdio::null());
        command
    }

    /// Two processes with other options of mpirun each, and variables.
    fn train_apart(&self, of_each: [(&[&str], &[&str]); 2], options: &[&str]) -> Command {
        let (program, mut command) = (command(&["train"]), mpirun());
        for (k, (of_mpirun, variables)) in of_each.into_iter().enumerate() {
            command.args((k > 0).then_some(":")).args(["-n", "1"]).args(of_mpirun);
            command.arg("env").args(variables).arg(program.get_program()).args(["train", "--mpi"]);
            command.args(&self.files).args(options);
        }
        command.stdin(Stdio::null());
        command
    }

    /// The model of this name without its times.
    fn model(&self, name: &str) -> Value {
        let (model, json) = (self.at(name), self.at("model.json"));
        assert_eq!(running::output(&["export", &model, &json, "--as", "json"]), "");
        serde_json::from_slice(&fs::read(json).unwrap()).unwrap()
    }
}

/// What is not the program's but mpirun's: a notice of an exit code other than 0.
fn of_program(error: &str) -> Vec<&str> {
    error.lines().filter(|line| line.starts_with("ocoboost:")).collect()
}

fn end(mut child: Child) -> Output {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("mpirun has not ended after {LIMIT:?}");
        }
        sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

/// Runs it to its end; what it says is short enough for a pipe.
fn run(command: &mut Command) -> (Option<i32>, String, String) {
    said(&end(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()))
}

#[test]
fn processes_train_the_model_of_one() {
    let logs = Logs::new();
    let alone = logs.at("alone.ocob");
    let expected = run(logs.train(None, &SHORT).args(["-o", &alone]));
    assert!(expected.0 == Some(0) && expected.1.lines().count() == 1, "{expected:?}");
    for processes in [1, 2, 3, 7] {
        let together = logs.at("together.ocob");
        let found = run(logs.train(Some(processes), &SHORT).args(["-o", &together]));
        assert_eq!((found.0, &found.1), (Some(0), &expected.1), "{processes} processes: {}", found.2);
        assert_eq!(of_program(&found.2), Vec::<&str>::new());
        assert!(logs.model("together.ocob") == logs.model("alone.ocob"), "{processes} processes");
    }
}

/// A file is read by one process, and each has some of its rows.
#[test]
fn processes_share_the_rows_of_one_file() {
    let mut logs = Logs::new();
    let text = fs::read_to_string(offers()).unwrap();
    let (path, alone, together) = (logs.at("one.csv"), logs.at("alone.ocob"), logs.at("together.ocob"));
    let write = |rows: usize| {
        let lines = text.lines().take(rows.saturating_add(1)).map(|line| format!("{line}\n"));
        fs::write(&path, lines.collect::<String>()).unwrap();
    };
    logs.files = vec![path.clone()];
    // With a block for each process, and with fewer blocks.
    for (rows, processes) in [(usize::MAX, 3), (70, 4)] {
        write(rows);
        let expected = run(logs.train(None, &SHORT).args(["-o", &alone]));
        let found = run(logs.train(Some(processes), &SHORT).args(["-o", &together]));
        assert_eq!((found.0, &found.1), (expected.0, &expected.1), "{rows} rows: {}", found.2);
        assert!(logs.model("together.ocob") == logs.model("alone.ocob"), "{rows} rows");
        fs::remove_file(&together).unwrap();
    }
    write(5);
    let (code, out, error) = run(logs.train(Some(7), &SHORT).args(["-o", &together]));
    assert_eq!((code, out.as_str()), (Some(65), ""), "{error}");
    let expected = "one.csv: 5 rows are fewer than the 7 processes that share them; start fewer processes";
    assert_eq!(error.matches(expected).count(), 1, "{error}");
}

/// A variable that one machine alone has.
#[test]
fn other_settings_of_a_process_are_refused() {
    let logs = Logs::new();
    let model = logs.at("model.ocob");
    let options = [&SHORT[..], &["-o", &model]].concat();
    for (of_first, of_second, expected) in [
        ("A=1", "OCOBOOST_HOLDOUT=0.5", "ocoboost: --holdout is 0.5 on rank 1, and not given on rank 0"),
        ("OCOBOOST_IGNORE=x,y", "A=1", "ocoboost: --ignore is not given on rank 1, and x y on rank 0"),
        ("A=1", "OCOBOOST_CLIP=much", "ocoboost: rank 1: OCOBOOST_CLIP: invalid value 'much'"),
        ("OCOBOOST_CLIP=much", "A=1", "ocoboost: OCOBOOST_CLIP: invalid value 'much'"),
    ] {
        let found = run(&mut logs.train_apart([(&[], &[of_first]), (&[], &[of_second])], &options));
        assert_eq!((found.0, found.1.as_str()), (Some(2), ""), "{found:?}");
        let said = of_program(&found.2);
        assert!(said.len() == 1 && said[0].starts_with(expected), "{said:?}");
        assert!(!Path::new(&model).exists());
    }
    // What changes no result may differ.
    let few = ["--budget", "10h", "--candidates", "1", "--rounds", "2", "-o", &model];
    let both: [(&[&str], &[&str]); 2] =
        [(&[], &["OCOBOOST_THREADS=1"]), (&[], &["OCOBOOST_THREADS=2", "OCOBOOST_QUIET=1"])];
    let found = run(&mut logs.train_apart(both, &few));
    assert!(found.0 == Some(0) || found.0 == Some(3), "{found:?}");
}

/// The log without its column of propensities.
#[test]
fn processes_estimate_the_propensities_of_one() {
    let logs = Logs::new();
    for path in &logs.files {
        let text = fs::read_to_string(path).unwrap();
        let place = text.lines().next().unwrap().split(',').position(|name| name == "propensity").unwrap();
        let without = |line: &str| {
            let mut cells: Vec<&str> = line.split(',').collect();
            cells.remove(place);
            cells.join(",") + "\n"
        };
        fs::write(path, text.lines().map(without).collect::<String>()).unwrap();
    }
    let (alone, together) = (logs.at("alone.ocob"), logs.at("together.ocob"));
    let expected = run(logs.train(None, &SHORT).args(["-o", &alone]));
    let found = run(logs.train(Some(3), &SHORT).args(["-o", &together]));
    assert_eq!((expected.0, found.0, &found.1), (Some(0), Some(0), &expected.1), "{}", found.2);
    assert!(expected.1.contains("estimated"), "{}", expected.1);
    assert!(logs.model("together.ocob") == logs.model("alone.ocob"));
}

/// Exit codes of all processes are one, and one says why.
#[test]
fn one_process_says_what_is_wrong() {
    let mut logs = Logs::new();
    let model = logs.at("model.ocob");
    let refused = |logs: &Logs, options: &[&str], code: i32, words: &str| {
        let (found, out, error) = run(&mut logs.train(Some(3), options));
        let said = error.matches(words).count();
        assert_eq!((found, out.as_str(), said), (Some(code), "", 1), "{options:?}: {error}");
        assert!(!Path::new(&model).exists());
    };
    refused(&logs, &["-o", &model, "--no-such-option"], 2, "unexpected argument '--no-such-option'");
    refused(&logs, &["-o", &model, "--rounds", "0"], 2, "ocoboost: ");
    refused(&logs, &["-o", &model, "--mpi-timeout", "soon"], 2, "--mpi-timeout soon: not a time");
    refused(&logs, &["-o", &model, "--mpi-timeout", "0s"], 2, "--mpi-timeout 0s: less than 1s");
    refused(&logs, &["-o", &model, "--holdout", "7"], 2, "ocoboost: ");
    refused(&logs, &["-o", &logs.at("no folder/model.ocob")], 73, "no folder/model.ocob");
    // A cell that the last process reads, and a file that none finds.
    let text = fs::read_to_string(&logs.files[5]).unwrap();
    let broken = text.replacen(",0.5,", ",1.5,", 1);
    assert!(broken != text);
    fs::write(&logs.files[5], broken).unwrap();
    refused(&logs, &["-o", &model], 65, "\"1.5\" is not a propensity");
    logs.files[2] = logs.at("none.csv");
    refused(&logs, &["-o", &model], 66, "none.csv");
    // What one process alone can read, and train on.
    logs.files = vec!["-".to_owned()];
    refused(&logs, &["-o", &model], 2, "ocoboost: --mpi: several processes read files");
    logs.files = vec![logs.at("offers.vw")];
    fs::write(&logs.files[0], "shared |u a\n0:1:0.5 |o b\n|o c\n\n".repeat(20)).unwrap();
    let words = "several processes do not train on, and one does";
    refused(&logs, &["-o", &model], 65, words);
}

/// The processes that mpirun has started.
fn children(of: &Child) -> Vec<String> {
    let tasks = format!("/proc/{0}/task/{0}/children", of.id());
    let children = fs::read_to_string(tasks).unwrap_or_default();
    children.split_whitespace().map(str::to_owned).collect()
}

fn signal(name: &str, process: &str) {
    assert!(Command::new("kill").args([name, process]).status().unwrap().success());
}

/// Waits for the first checkpoint of a training.
fn started(mut command: Command, checkpoint: &Path) -> (Child, Vec<String>) {
    let mut mpirun = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !checkpoint.exists() {
        assert!(begun.elapsed() < LIMIT && mpirun.try_wait().unwrap().is_none(), "no checkpoint");
        sleep(Duration::from_millis(5));
    }
    let processes = children(&mpirun);
    (mpirun, processes)
}

/// Rounds that take longer than a test.
const LONG: [&str; 9] =
    ["--budget", "10h", "--candidates", "1", "--rounds", "4000", "--seed", "1", "--max-depth=5"];

#[test]
fn a_training_goes_on_where_a_process_was_killed() {
    let logs = Logs::new();
    let checkpoint = PathBuf::from(logs.at("checkpoint.ocob"));
    let (file, model, alone) =
        (checkpoint.display().to_string(), logs.at("model.ocob"), logs.at("alone.ocob"));
    let rounds = [&SHORT[..], &["--min-child-weight", "1"]].concat();
    assert_eq!(run(logs.train(None, &rounds).args(["-o", &alone])).0, Some(0));
    let options = [&rounds[..], &["-o", &model, "--checkpoint", &file]].concat();
    let (mpirun, processes) = started(logs.train(Some(3), &options), &checkpoint);
    assert_eq!(processes.len(), 3);
    signal("-KILL", &processes[1]);
    let begun = Instant::now();
    let (code, out, _) = said(&end(mpirun));
    assert!(code != Some(0) && out.is_empty() && begun.elapsed() < LIMIT / 4, "{code:?} {out}");
    assert!(!Path::new(&model).exists());
    // Not under other settings, but with another number of processes.
    let resume = [&rounds[..], &["-o", &model, "--resume", &file]].concat();
    let other = run(logs.train(Some(2), &resume).args(["--subsample", "0.5"]));
    assert!(other.0 == Some(2) && of_program(&other.2).len() == 1, "{other:?}");
    // The second process has another file by the name of the checkpoint, as on the disk of another machine.
    let elsewhere = logs.at("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(Path::new(&elsewhere).join("checkpoint.ocob"), "an old one").unwrap();
    let here = logs.folder.path().display().to_string();
    let places: [(&[&str], &[&str]); 2] = [(&["-wdir", &here], &[]), (&["-wdir", &elsewhere], &[])];
    let resume = [&rounds[..], &["-o", &model, "--resume", "checkpoint.ocob"]].concat();
    let (code, _, error) = run(&mut logs.train_apart(places, &resume));
    assert_eq!(code, Some(0), "{error}");
    assert!(logs.model("model.ocob") == logs.model("alone.ocob"));
}

#[test]
fn a_process_that_stands_still_is_not_waited_for() {
    let logs = Logs::new();
    let checkpoint = PathBuf::from(logs.at("checkpoint.ocob"));
    let (file, model) = (checkpoint.display().to_string(), logs.at("model.ocob"));
    let options = ["-o", &model, "--checkpoint", &file, "--mpi-timeout", "3s"];
    let (mpirun, processes) = started(logs.train(Some(3), &[&LONG[..], &options].concat()), &checkpoint);
    signal("-STOP", &processes[2]);
    let begun = Instant::now();
    let (code, out, error) = said(&end(mpirun));
    assert_eq!((code, out.as_str()), (Some(75), ""), "{error}");
    assert!(
        error.contains("ocoboost: ") && error.contains("no answer from another rank within 3 s"),
        "{error}"
    );
    assert!(begun.elapsed() < Duration::from_secs(30) && !Path::new(&model).exists());
}
