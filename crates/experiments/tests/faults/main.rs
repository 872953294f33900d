//! Nothing is lost: downloads and experiments are killed, and calls of the system fail while they write.
//! KILLS in the environment is how often, by default a few times.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may")]

#[path = "../../../datasets/tests/reduced/mod.rs"]
mod reduced;
mod server;
#[path = "../../../cli/tests/faults/traced.rs"]
mod traced;

use server::Server;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn kills() -> u32 {
    std::env::var("KILLS").map_or(24, |value| value.parse().expect("KILLS"))
}

fn program(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_experiments"));
    command.args(line.split(' ')).current_dir(folder).stdin(Stdio::null());
    for name in
        ["OCO_DATA", "http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]
    {
        command.env_remove(name);
    }
    command
}

/// Runs a program for so long at most; its exit code, if it came to its end.
fn run_for(mut command: Command, time: Duration) -> Option<i32> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    while begun.elapsed() < time {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    child.wait().unwrap().code()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Shares of the time of a run, spread evenly by the golden ratio.
fn share(n: u32) -> f64 {
    (f64::from(n + 1) * 0.618_033_988_749_895).fract()
}

#[test]
fn a_fetch_that_is_killed_again_and_again_has_the_whole_file_or_none() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let line = format!("data fetch abalone --quiet --data data --home {}", server.home());
    let (mut killed, mut fetched, begun) = (0, 0, Instant::now());
    assert_eq!(run_for(program(folder.path(), &line), Duration::from_secs(30)), Some(0));
    let time = begun.elapsed();
    assert!(fs::read(data.join("abalone.data")).unwrap() == server.content());
    while killed < kills() / 2 {
        if data.join("abalone.data").exists() {
            fs::remove_file(data.join("abalone.data")).unwrap();
        }
        let code = run_for(program(folder.path(), &line), time.mul_f64(1.2 * share(killed + fetched)));
        killed += u32::from(code.is_none());
        fetched += u32::from(code == Some(0));
        assert!(matches!(code, None | Some(0)), "{code:?}");
        // The part of a download is gone on with; there is one of a file at most.
        let names = names(&data);
        assert!(
            names.iter().all(|name| ["abalone.data", "abalone.data.part"].contains(&name.as_str())),
            "{names:?}"
        );
        if names.first().is_some_and(|name| name == "abalone.data") {
            assert!(fs::read(data.join("abalone.data")).unwrap() == server.content());
        }
    }
    assert_eq!(run_for(program(folder.path(), &line), Duration::from_secs(30)), Some(0));
    assert_eq!(names(&data), ["abalone.data"]);
    println!("killed {killed} times, fetched {fetched} times");
}

/// Every write, sync and rename of a download; the file is the whole one or none, and the next fetch has it.
#[test]
fn the_nth_call_of_a_fetch_fails_or_kills() {
    if !traced::is_possible() {
        return;
    }
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let line = format!("data fetch abalone --quiet --data data --home {}", server.home());
    let (trace, mut met_faults) = (tempfile::NamedTempFile::new().unwrap(), 0);
    for (calls, faults) in [
        ("write", ["error=ENOSPC", "signal=KILL"]),
        ("fsync,fdatasync", ["error=EIO", "signal=KILL"]),
        ("rename,renameat,renameat2", ["error=EACCES", "signal=KILL"]),
    ] {
        for fault in faults {
            for nth in 1.. {
                let _ = fs::remove_dir_all(&data);
                let program = program(folder.path(), &line);
                let (output, met) = traced::run(&program, calls, fault, nth, trace.path());
                let Some(met) = met else {
                    assert!(output.status.success(), "{output:?}");
                    break;
                };
                let error = String::from_utf8_lossy(&output.stderr);
                if fault.starts_with("error") {
                    assert_eq!(output.status.code(), Some(1), "{met:?}: {error}");
                    assert!(
                        met.is_of(2) || met.is_of(1) || error.contains("abalone.data"),
                        "{met:?}: {error}"
                    );
                }
                let file = data.join("abalone.data");
                assert!(!file.exists() || fs::read(&file).unwrap() == server.content(), "{met:?}");
                let again = self::program(folder.path(), &line).output().unwrap();
                assert!(again.status.success(), "{met:?}: {}", String::from_utf8_lossy(&again.stderr));
                assert!(
                    fs::read(&file).unwrap() == server.content() && names(&data) == ["abalone.data"],
                    "{met:?}"
                );
                met_faults += 1;
                // Each of the hundred writes of a download is like the one before.
                if nth > 5 && calls == "write" && kills() < 200 {
                    break;
                }
            }
        }
    }
    println!("{met_faults} calls failed or killed");
    assert!(met_faults > 10);
}

/// What is in a record, but for how long it took and when.
fn record(folder: &Path) -> serde_json::Value {
    let mut record: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("agnostic.json")).unwrap()).unwrap();
    without_times(&mut record);
    record
}

fn without_times(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.retain(|name, _| !name.contains("seconds"));
            fields.values_mut().for_each(without_times);
        }
        serde_json::Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// Trials are appended to one file, each whole or dropped; the record is that of a run that was not killed.
#[test]
fn an_experiment_that_is_killed_again_and_again_has_the_same_record() {
    let folder = tempfile::tempdir().unwrap();
    let line = |out: &str| format!("reproduce agnostic --datasets jumps --quick --trials 6 --out {out}");
    let begun = Instant::now();
    assert_eq!(run_for(program(folder.path(), &line("whole")), Duration::from_secs(120)), Some(0));
    let time = begun.elapsed();
    let whole = record(&folder.path().join("whole"));
    let (mut killed, mut ends) = (0, 0);
    while killed < kills() / 2 {
        let out = folder.path().join("killed");
        let _ = fs::remove_dir_all(&out);
        let mut attempts = 0;
        // Longer each time: on a busy machine a trial may take longer than the whole run did before. Another
        // share after each end: where the machine is less busy than before, one share might never kill a run.
        let limit = |nth, attempts| time.mul_f64(share(nth) * (1.0 + f64::from(attempts) / 4.0));
        while run_for(program(folder.path(), &line("killed")), limit(killed + ends, attempts)).is_none() {
            (killed, attempts) = (killed + 1, attempts + 1);
            if out.exists() {
                let left = names(&out);
                assert!(left.iter().filter(|name| name.starts_with(".ocoboost-")).count() <= 1, "{left:?}");
            }
        }
        assert!(record(&out) == whole);
        ends += 1;
    }
    println!("killed {killed} times; {ends} experiments came to their end");
}
