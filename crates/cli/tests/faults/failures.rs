//! The nth write, sync or rename fails, for every n until a run succeeds.

use crate::jobs::{CHECKPOINT, Job, ends_well, left_over};
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

/// A checkpoint that fails does not end the training, and one that is there leads to the model of a whole
/// run.
#[test]
fn the_nth_call_fails_and_a_checkpoint_is_whole_or_not_there() {
    if !traced::is_possible() {
        return;
    }
    let trace = tempfile::NamedTempFile::new().unwrap();
    let job = Job::with_checkpoint();
    let checkpoint = job.folder().join(CHECKPOINT);
    let (mut gone_on, mut ended) = (0, 0);
    for (calls, error, reason) in FAULTS {
        for nth in 1.. {
            job.reset();
            let _ = std::fs::remove_file(&checkpoint);
            let (output, met) =
                traced::run(&job.command(), calls, &format!("error={error}"), nth, trace.path());
            let Some(met) = met else { break };
            let (when, said) = (format!("{:?}", met.calls), String::from_utf8_lossy(&output.stderr));
            job.assert_whole(&when);
            assert_eq!(left_over(job.folder()), [""; 0], "{when}");
            if ends_well(output.status) {
                // It was the checkpoint, or a line on a standard stream.
                assert!(job.files().all(|file| job.is_new(file)), "{when}");
                let is_named = said.contains(&format!(
                    "a checkpoint was not saved, and the training goes on: {CHECKPOINT}: "
                ));
                assert!(is_named && said.contains(reason) || met.is_of(2), "{when}: {said}");
                gone_on += 1;
            } else {
                assert_eq!(output.status.code(), Some(CANNOT_WRITE), "{when}: {said}");
                ended += 1;
            }
            if checkpoint.exists() {
                job.assert_goes_on(CHECKPOINT, &when);
            }
        }
    }
    println!("trainings that went on: {gone_on}, that ended: {ended}");
    assert!(gone_on >= 3 && ended >= 3, "{gone_on} {ended}");
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
