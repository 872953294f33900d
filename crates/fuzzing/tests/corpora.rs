//! Every input that guided fuzzing kept is judged again.

#![allow(clippy::unwrap_used, reason = "a test may")]

use fuzzing::{Verdict, corpora, targets};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[global_allocator]
static ALLOCATOR: fuzzing::Counting = fuzzing::Counting;

/// One test, because the law of memory counts what all threads allocate.
#[test]
fn kept_inputs_do_no_harm() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora");
    let mut files: BTreeSet<String> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!files.is_empty(), "no corpus is kept");
    let (mut faults, mut judged) = (Vec::new(), 0);
    for target in targets() {
        let inputs = corpora::read(&folder, target.name()).unwrap();
        files.remove(&format!("{}.json", corpora::file_stem(target.name())));
        if inputs.is_empty() {
            continue;
        }
        let mut prepared = target.prepare().unwrap();
        for (number, input) in inputs.iter().enumerate() {
            judged += 1;
            if let Verdict::Faulty(complaint) = target.judge(&mut prepared, input) {
                faults.push(format!("{}, input {number}: {complaint:?}", target.name()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(files.is_empty(), "no target has these: {files:?}");
    println!("{judged} inputs");
}
