//! The program answers the request in its folder, the same on any number of threads.
#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

use std::path::Path;
use std::process::{Command, Output};

fn ask(folder: &Path, threads: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_neural-policies");
    Command::new(program).arg(folder).env("RAYON_NUM_THREADS", threads).output().unwrap()
}

/// 600 rows of three numbers, of which the first says which of two actions pays.
fn write_request(folder: &Path, training: &str) {
    let n = 600_u32;
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.join(name), bytes).unwrap();
    let number = |k: u32| ((k * 7919) % 1000) as f32 / 500.0 - 1.0;
    let single = |numbers: &mut dyn Iterator<Item = f32>| numbers.flat_map(f32::to_le_bytes).collect();
    write("log.f32", single(&mut (0..3 * n).map(number)));
    let action = |i: u32| i % 2;
    write("actions.u32", (0..n).flat_map(|i| action(i).to_le_bytes()).collect());
    write("propensities.f64", (0..n).flat_map(|_| 0.5_f64.to_le_bytes()).collect());
    let paid = |i: u32| f32::from(u8::from((number(3 * i) > 0.0) == (action(i) == 1)));
    write("rewards.f32", single(&mut (0..n).map(paid)));
    write("rows.f32", single(&mut [0.9, 0.0, 0.0, -0.9, 0.0, 0.0].into_iter()));
    write("request.json", format!(r#"{{"inputs": 3, "actions": 2, "training": {training}}}"#).into());
}

#[test]
fn a_request_is_answered_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let training = r#"{"objective": {"bandit_net": {"translation": -0.5}}, "hidden_layers": 2,
        "first_layer_width": 96, "epochs": 5, "seed": 2}"#;
    write_request(folder.path(), training);
    let scores = |threads| {
        let Output { status, stderr, .. } = ask(folder.path(), threads);
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
        std::fs::read(folder.path().join("scores.f32")).unwrap()
    };
    let one = scores("1");
    assert_eq!(one, scores("4"));
    let scores: Vec<f32> = one.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    assert!(scores[1] > scores[0] && scores[2] > scores[3], "{scores:?}");
    let answer = std::fs::read(folder.path().join("answer.json")).unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    assert!(answer["seconds"].as_f64().unwrap() > 0.0);
    assert!(answer["best_epoch"].as_u64().unwrap() <= answer["epochs"].as_u64().unwrap());
}

#[test]
fn what_is_wrong_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let said = || {
        let Output { status, stderr, .. } = ask(folder.path(), "1");
        assert!(!status.success());
        String::from_utf8_lossy(&stderr).into_owned()
    };
    assert!(said().contains("request.json"));
    write_request(folder.path(), r#"{"dropout": 2}"#);
    assert!(said().contains("dropout = 2 is outside [0, 1)"));
    write_request(folder.path(), r#"{}, "epochs": 5"#);
    assert!(said().contains("unknown field `epochs`"), "{}", said());
    write_request(folder.path(), "{}");
    std::fs::write(folder.path().join("rewards.f32"), [0; 8]).unwrap();
    assert!(said().contains("column reward has 2 rows"), "{}", said());
    let usage = Command::new(env!("CARGO_BIN_EXE_neural-policies")).output().unwrap();
    assert_eq!(usage.status.code(), Some(2));
}
