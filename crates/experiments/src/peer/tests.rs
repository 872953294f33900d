//! What the process is given, and what is made of its answers. The process is a shell script here; the test
//! `xgboost_itself_is_a_row` asks XGBoost where it is installed.

use super::*;
use off_policy::Rewards;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

fn log() -> Log {
    let contexts = RowMatrix::dense(2, vec![0.5, -1.0, 2.0, 0.25, 3.0, 0.0]).unwrap();
    Log::new(contexts, 2, vec![1, 0, 1], vec![0.5; 3], Rewards(vec![1.0, 0.25, 0.0])).unwrap()
}

/// An interpreter that is this shell script; `$2` is the folder of the request.
fn peer(script: &str) -> (TempDir, Peer) {
    let folder = tempfile::tempdir().unwrap();
    let python = folder.path().join("python");
    std::fs::write(&python, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    (folder, Peer { python })
}

fn ask(peer: &Peer) -> Result<Predicted, PeerError> {
    let rows = RowMatrix::dense(2, vec![1.0, 1.0]).unwrap();
    let request = Request {
        rounds: 2000,
        max_depth: 8,
        min_child_weight: 20.0,
        reg_lambda: 0.05,
        learning_rate: 0.005,
    };
    peer.brr_xgb(&log(), request, &rows)
}

#[test]
fn the_log_is_handed_over_and_the_scores_come_back() {
    let (folder, peer) = peer(
        "cp -r \"$2\" \"$(dirname \"$0\")/seen\"\nprintf '\\0\\0\\200\\77\\0\\0\\0\\277' > \"$2/scores.f32\"\necho 0.5 > \"$2/seconds.json\"",
    );
    let Predicted { scores, seconds } = ask(&peer).unwrap();
    assert_eq!((scores, seconds), (vec![1.0, -0.5], 0.5));
    let seen = |name: &str| std::fs::read(folder.path().join("seen").join(name)).unwrap();
    let numbers = |name: &str| -> Vec<f32> {
        seen(name).as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    };
    assert_eq!(numbers("log.f32"), [0.5, -1.0, 2.0, 0.25, 3.0, 0.0]);
    assert_eq!(numbers("rewards.f32"), [1.0, 0.25, 0.0]);
    assert_eq!(numbers("rows.f32"), [1.0, 1.0]);
    assert_eq!(seen("actions.u32"), [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    let request: serde_json::Value = serde_json::from_slice(&seen("request.json")).unwrap();
    let expected = serde_json::json!({
        "inputs": 2, "actions": 2, "rounds": 2000, "max_depth": 8, "min_child_weight": 20.0, "reg_lambda": 0.05,
        "learning_rate": 0.005, "threads": 1,
    });
    assert_eq!(request, expected);
}

#[test]
fn a_peer_that_fails_is_an_error_with_its_last_words() {
    let said = |script: &str| ask(&peer(script).1).err().map(|error| error.to_string()).unwrap();
    let message = said("echo first >&2; echo 'No module named xgboost' >&2; exit 3");
    assert!(message.ends_with("failed: No module named xgboost"), "{message}");
    assert!(said("exit 1").ends_with("failed: it said nothing"));
    assert!(said("true").contains("scores.f32"));
    // One number, and one that is not finite.
    for bytes in ["\\0\\0\\200\\77", "\\0\\0\\200\\77\\0\\0\\300\\177"] {
        let message = said(&format!("printf '{bytes}' > \"$2/scores.f32\"; echo 1 > \"$2/seconds.json\""));
        assert_eq!(message, "the peer's scores: expected 2 finite numbers, got 1");
    }
    let nobody = Peer { python: "/nowhere/python".into() };
    assert!(matches!(ask(&nobody), Err(PeerError::Start { .. })));
}

#[test]
fn an_environment_is_used_again_only_with_the_pinned_packages() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("requirements.txt"), REQUIREMENTS).unwrap();
    assert_eq!(Peer::install(folder.path()).unwrap().python, folder.path().join("bin/python"));
    // A file stands where the environment would be made.
    let taken = folder.path().join("requirements.txt");
    assert!(Peer::install(&taken).is_err());
}

#[test]
fn a_missing_peer_says_why() {
    assert_eq!(Peers::default().reason(), "missing: needs --peers");
    assert_eq!(Peers::Missing("no Python".to_owned()).reason(), "missing: no Python");
    assert_eq!(Peers::Missing(String::new()).ready(), None);
}
