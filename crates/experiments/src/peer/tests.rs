//! What a process is given, and what is made of its answers. The process is a shell script here; the tests
//! `xgboost_itself_is_a_row` and `nets_are_rows` ask the programs where they are installed.

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
    (folder, Peer { program: Program::XgBoost, executable: python })
}

fn ask(peer: &Peer) -> Result<Predicted, PeerError> {
    let rows = RowMatrix::dense(2, vec![1.0, 1.0]).unwrap();
    let request = Request::XgBoost(Trees {
        rounds: 2000,
        max_depth: 8,
        min_child_weight: 20.0,
        reg_lambda: 0.05,
        learning_rate: 0.005,
        threads: 1,
    });
    peer.ask(&log(), &request, &rows)
}

#[test]
fn the_log_is_handed_over_and_the_scores_come_back() {
    let (folder, peer) = peer(
        "cp -r \"$2\" \"$(dirname \"$0\")/seen\"\nprintf '\\0\\0\\200\\77\\0\\0\\0\\277' > \"$2/scores.f32\"\necho '{\"seconds\": 0.5, \"memory\": 4096}' > \"$2/answer.json\"",
    );
    let Predicted { scores, seconds, epochs, memory } = ask(&peer).unwrap();
    assert_eq!((scores, seconds, epochs, memory), (vec![1.0, -0.5], 0.5, None, Some(4096)));
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
        let message = said(&format!("printf '{bytes}' > \"$2/scores.f32\"; echo 1 > \"$2/answer.json\""));
        assert_eq!(message, "the peer's scores: expected 2 finite numbers, got 1");
    }
    let message =
        said("printf '\\0\\0\\200\\77\\0\\0\\0\\277' > \"$2/scores.f32\"; echo 1 > \"$2/answer.json\"");
    assert!(message.contains("answer.json: invalid type"), "{message}");
    let nobody = Peer { program: Program::XgBoost, executable: "/nowhere/python".into() };
    assert!(matches!(ask(&nobody), Err(PeerError::Start { .. })));
}

#[test]
fn an_environment_is_used_again_only_with_the_pinned_packages() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("requirements.txt"), REQUIREMENTS).unwrap();
    assert_eq!(Peer::install(folder.path()).unwrap().executable, folder.path().join("bin/python"));
    // A file stands where the environment would be made.
    let taken = folder.path().join("requirements.txt");
    assert!(Peer::install(&taken).is_err());
}

/// A program of nets gets the folder alone, the propensities, and one thread.
#[test]
fn a_net_is_asked_for_by_its_settings() {
    let (folder, peer) = peer(
        "mkdir \"$(dirname \"$0\")/seen\"\ncp \"$1\"/* \"$(dirname \"$0\")/seen\"\necho \"$# $RAYON_NUM_THREADS\" > \"$(dirname \"$0\")/how\"\n\
         printf '\\0\\0\\200\\77\\0\\0\\0\\277' > \"$1/scores.f32\"\necho '{\"seconds\": 2, \"epochs\": 7, \"best_epoch\": 3}' > \"$1/answer.json\"",
    );
    let peer = Peer { program: Program::NeuralPolicies, ..peer };
    let training = Net {
        objective: serde_json::json!({ "bandit_net": { "translation": -0.5 } }),
        hidden_layers: 4,
        first_layer_width: 512,
        dropout: 0.125,
        weight_decay: 0.25,
        learning_rate: 0.01,
        epochs: 1000,
        batch_size: 100,
        scaling: "standard".into(),
        seed: 6,
    };
    let rows = RowMatrix::dense(2, vec![1.0, 1.0]).unwrap();
    let found = peer.ask(&log(), &Request::Net { training }, &rows).unwrap();
    assert_eq!((found.scores, found.seconds, found.epochs), (vec![1.0, -0.5], 2.0, Some(7)));
    let seen = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(seen("how"), b"1 1\n");
    assert_eq!(seen("seen/propensities.f64"), [0.5_f64; 3].map(f64::to_le_bytes).concat());
    let request: serde_json::Value = serde_json::from_slice(&seen("seen/request.json")).unwrap();
    let expected = serde_json::json!({
        "inputs": 2, "actions": 2, "training": {
            "objective": { "bandit_net": { "translation": -0.5 } }, "hidden_layers": 4, "first_layer_width": 512,
            "dropout": 0.125, "weight_decay": 0.25, "learning_rate": 0.01, "epochs": 1000, "batch_size": 100,
            "scaling": "standard", "seed": 6,
        },
    });
    assert_eq!(request, expected);
}

#[test]
fn a_missing_peer_says_why() {
    let asked = |xgboost| Peers { xgboost, ..Peers::default() };
    assert_eq!(Peers::default().reason(Program::XgBoost), "missing: needs --peers");
    let missing = asked(State::Missing("no Python".to_owned()));
    assert_eq!(missing.reason(Program::XgBoost), "missing: no Python");
    assert_eq!(missing.reason(Program::NeuralPolicies), "missing: needs --peers");
    assert_eq!(missing.missing().collect::<Vec<_>>(), [(Program::XgBoost, "no Python")]);
    assert_eq!(missing.ready(Program::XgBoost), None);
    assert!(Peer::build_nets(Path::new("/nowhere/Cargo.toml")).is_err());
}
