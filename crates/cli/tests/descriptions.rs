//! The program describes itself and its models: `completions`, `man`, `export`.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod running;

use running::{output, refused, run, trained};
use serde_json::Value;

#[test]
fn every_shell_gets_the_commands_and_their_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let text = output(&["completions", shell]);
        for word in ["train", "evaluate", "predict", "holdout", "explore"] {
            assert!(text.contains(word), "{shell} lacks {word}");
        }
    }
    assert_eq!(run(&["completions", "cmd"]).0, Some(2));
}

#[test]
fn the_manual_has_a_page_of_the_program_and_one_a_command() {
    let page = output(&["man"]);
    assert!(page.contains(".TH ocoboost 1") && page.contains("ocoboost\\-predict(1)"), "{page}");
    assert!(page.contains("65 bad data"), "{page}");
    let page = output(&["man", "train"]);
    assert!(page.contains(".TH ocoboost-train 1") && page.contains("\\-\\-budget"), "{page}");
    refused(&["man", "tain"], 2, "there is no command \"tain\"; there are train, evaluate, compare");
}

/// What is in the file is the model: its trees give the scores that `predict` ranks by.
#[test]
fn a_model_is_exported() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let model = trained(folder.path());
    let file = at("model.json");
    assert_eq!(output(&["export", &model, &file]), "");
    let text = std::fs::read_to_string(&file).unwrap();
    let exported: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(exported["actions"], serde_json::json!(["music", "tools", "travel"]));
    let trees = exported["record"]["trees"].as_u64().unwrap();
    assert!(trees > 0 && exported["trees"].as_array().unwrap().len() as u64 == trees, "{trees}");
    assert_eq!(output(&["export", &model, "-", "--as", "json"]), text);

    let booster: Value = serde_json::from_str(&output(&["export", &model, "-", "--as", "xgboost"])).unwrap();
    let found = &booster["learner"]["gradient_booster"]["model"]["gbtree_model_param"]["num_trees"];
    assert_eq!(found.as_str().unwrap(), trees.to_string());

    refused(&["export", &at("none.ocob"), &file], 66, "none.ocob");
    refused(&["export", &model, &at("no folder/model.json")], 73, "no folder/model.json");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}
