//! The nth write, sync or rename fails, for every n until a run succeeds.

use crate::jobs::{Job, ends_well, left_over};
use crate::traced::{self, Met};
use std::process::Output;

/// The calls that put bytes and names on a disc, and the reasons why they fail.
const FAULTS: [(&str, &str, &str); 4] = [
    ("write,pwrite64,writev", "ENOSPC", "No space left on device"),
    ("write,pwrite64,writev", "EIO", "Input/output error"),
    ("fsync,fdatasync", "EIO", "Input/output error"),
    ("rename,renameat,renameat2,link,linkat", "EACCES", "Permission denied"),
];
const CANNOT_WRITE: i32 = 73;

/// Asserts what holds of a run one of whose calls has failed.
fn check(job: &Job, met: &Met, reason: &str, output: &Output) {
    let when = format!("{}: {:?}", job.name, met.calls);
    let error = String::from_utf8_lossy(&output.stderr);
    // What the standard error does not take is no reason to fail.
    if met.is_only_of(2) {
        assert!(ends_well(output.status), "{when}: {:?}", output.status);
    } else {
        assert_eq!(output.status.code(), Some(CANNOT_WRITE), "{when}: {error}");
    }
    if !met.is_of(2) {
        let named = if met.is_of(1) { vec!["standard output"] } else { job.files().collect() };
        assert!(named.iter().any(|name| error.contains(&format!("ocoboost: {name}: "))), "{when}: {error}");
        assert!(error.contains(reason) && error.lines().count() == 1, "{when}: {error}");
        assert!(!error.contains(".part") && !error.contains(".tmp"), "{when}: {error}");
    }
    job.assert_whole(&when);
    assert_eq!(left_over(job.folder()), [""; 0], "{when}");
}

#[test]
fn the_nth_call_fails_and_the_old_files_stay() {
    if !traced::is_possible() {
        return;
    }
    let trace = tempfile::NamedTempFile::new().unwrap();
    let mut failed = std::collections::BTreeMap::new();
    for job in Job::all() {
        for (calls, error, reason) in FAULTS {
            for nth in 1.. {
                job.reset();
                let fault = format!("error={error}");
                let (output, met) = traced::run(&job.command(), calls, &fault, nth, trace.path());
                let Some(met) = met else {
                    assert!(ends_well(output.status), "{}: {output:?}", job.name);
                    assert!(job.files().all(|file| job.is_new(file)), "{}", job.name);
                    break;
                };
                check(&job, &met, reason, &output);
                job.assert_recovers(&met.calls.join("; "));
                *failed.entry((calls.split(',').next().unwrap(), error)).or_insert(0) += 1;
            }
        }
    }
    println!("calls that failed: {failed:?}");
    assert!(failed.len() >= 4, "{failed:?}");
}

/// Bytes, then their sync, then the name, then the sync of the folder: in no other order a power cut finds an
/// old file or a new one.
#[test]
fn a_file_is_synced_before_it_has_its_name_and_its_folder_after() {
    if !traced::is_possible() {
        return;
    }
    let trace = tempfile::NamedTempFile::new().unwrap();
    for job in Job::all() {
        let kinds = "write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2";
        let calls = traced::calls(&job.command(), kinds, trace.path());
        let order: Vec<&str> = calls
            .iter()
            .filter(|call| !call.starts_with("write(1,") && !call.starts_with("write(2,"))
            .map(|call| call.split('(').next().unwrap_or_default())
            .map(|name| if name.starts_with("rename") { "rename" } else { name })
            .collect();
        let mut steps: Vec<&str> = order;
        steps.dedup();
        let file = ["write", "fsync", "rename", "fsync"];
        assert_eq!(steps, file.repeat(job.files().count()), "{}: {calls:?}", job.name);
    }
}
