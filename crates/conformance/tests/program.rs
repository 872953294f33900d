//! The program on the repository's vectors, and on one that is wrong.

#![allow(clippy::unwrap_used, reason = "a test may")]

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(arguments: &[&Path]) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_conformance"));
    let Output { status, stdout, stderr } = program.args(arguments).output().unwrap();
    let text = [stdout, stderr].concat();
    (status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn every_vector_of_the_repository_holds() {
    let (code, said) = run(&[]);
    assert_eq!(code, Some(0), "{said}");
    let last = said.lines().last().unwrap();
    assert!(last.ends_with(" passed, 0 failed, 0 skipped"), "{last}");
}

#[test]
fn a_wrong_vector_and_an_unknown_kernel_fail_by_name() {
    let vectors = conformance::official_vectors();
    let whole: Value = serde_json::from_slice(&fs::read(vectors.join("oco.json")).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let change = |place: &str, value: Value| {
        let mut changed = whole.clone();
        changed["cases"].as_array_mut().unwrap().truncate(2);
        *changed.pointer_mut(place).unwrap() = value;
        fs::write(folder.path().join("oco.json"), changed.to_string()).unwrap();
        run(&[folder.path()])
    };
    let (code, said) = change("/cases/1/name", json!("as it was"));
    assert_eq!((code, said.lines().last()), (Some(0), Some("2 passed, 0 failed, 0 skipped")), "{said}");
    let (code, said) = change("/cases/1/expected/regret", json!(1.75));
    assert_eq!((code, said.lines().last()), (Some(1), Some("1 passed, 1 failed, 0 skipped")), "{said}");
    assert!(said.contains("W13 Example 2, T=2"), "{said}");
    let (code, said) = change("/cases/0/kernel", json!("nobody's"));
    assert_eq!((code, said.lines().last()), (Some(1), Some("1 passed, 1 failed, 0 skipped")), "{said}");
    assert!(said.contains("nobody's"), "{said}");
}
