//! Every input that guided fuzzing kept is judged again.

#![allow(clippy::unwrap_used, reason = "a test may")]

use fuzzing::{Inputs, Job, Launch, corpora, targets};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A worker a target, as in a run: its limits hold, and an input that ends it is named.
#[test]
fn kept_inputs_do_no_harm() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora");
    let mut files: BTreeSet<String> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let mut jobs = Vec::new();
    for target in targets() {
        let inputs = corpora::read(&folder, target.name()).unwrap();
        if files.remove(&format!("{}.json", corpora::file_stem(target.name()))) {
            assert!(!inputs.is_empty(), "{}", target.name());
            jobs.push(Job { target: target.name().to_owned(), seed: 0, inputs: Inputs::Given(inputs) });
        }
    }
    assert!(files.is_empty(), "no target has these: {files:?}");
    assert!(jobs.len() > 200, "{} targets have inputs", jobs.len());
    let launch = Launch {
        command: vec![env!("CARGO_BIN_EXE_fuzzing").into(), "--worker".into()],
        environment: Vec::new(),
        case: Duration::from_secs(20),
        memory_mib: 256,
    };
    let next = AtomicUsize::new(0);
    let judge = || {
        let (mut judged, mut faults) = (0, Vec::new());
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let account = launch.run(job).unwrap();
            let faulty = |(input, failure)| format!("{}, input {input}: {failure:?}", job.target);
            judged += account.next;
            faults.extend(account.failures.into_iter().map(faulty));
        }
        (judged, faults)
    };
    let parts: Vec<(u64, Vec<String>)> = thread::scope(|scope| {
        let workers = [0; 2].map(|_| scope.spawn(judge));
        workers.map(|worker| worker.join().unwrap()).into()
    });
    let faults: Vec<&String> = parts.iter().flat_map(|(_, faults)| faults).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    println!("{} inputs", parts.iter().map(|(judged, _)| judged).sum::<u64>());
}
