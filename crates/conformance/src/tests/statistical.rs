//! The statistical booster on cases worked by hand: tiny advantages, p ≡ 0, and every refusal.

use super::{case, produces, refuses, report, with};
use serde_json::{Value as Json, json};

fn run(setting: &str, gamma: f64, agreement: &Json, etas: &Json) -> Json {
    json!({"setting": setting, "gamma": gamma, "agreement": agreement, "etas": etas})
}

#[track_caller]
fn check(input: &Json, expected: &Json) {
    produces("agnostic", "statistical", input, expected);
}

/// Asserts agreement, for values too large for a perturbation of 0.01 to matter.
#[track_caller]
fn agrees(input: &Json, expected: &Json) {
    let (summary, text) = report("agnostic", &[case("statistical", input, expected)]);
    assert_eq!(summary.passed, 1, "{text}");
}

#[test]
fn two_rounds_of_each_setting() {
    // Slopes 1 and −3.
    let agnostic = run("agnostic", 0.5, &json!([[1, -1], [1, 1]]), &json!([0.25, 0.5]));
    let expected = json!({
        "p": [[0, 0], [-0.25, 0.75]], "p_next": [-0.75, 0.25], "losses": [0, 0.5], "vote": [2, 0],
        "expected_correlation": 0.5, "prob_true_label": [[0.5, 0.5], [0.375, 0.875]]});
    check(&agnostic, &expected);
    let realizable = run("realizable", 0.5, &json!([[1, -1], [1, 1]]), &json!([0.25, 0.5]));
    let expected = json!({
        "p": [[0.5, 0.5], [0.25, 1]], "p_next": [0, 0.5], "losses": [-1, 1.25], "vote": [2, 0],
        "expected_correlation": 0.5, "draw": [[0.5, 0.5], [0.2, 0.8]]});
    check(&realizable, &expected);
}

/// The hypothesis is right wherever p was positive, is given again, and then replaced by another.
#[test]
fn no_example_is_drawn_if_p_is_0() {
    let input = run("realizable", 0.5, &json!([[1, 1], [1, 1], [-1, 1]]), &json!([0.5, 1e130, 0.125]));
    let expected = json!({
        "p": [[0.5, 0.5], [0, 0], [0, 0]], "p_next": [0.375, 0], "losses": [1, 0, 0],
        "vote": [2.0 / 3.0, 2], "expected_correlation": 5.0 / 6.0});
    check(&input, &expected);
    let kept = run("realizable", 0.5, &json!([[1, 1], [1, 1]]), &json!([0.5, 1]));
    agrees(&kept, &json!({"draw": [[0.5, 0.5], null]}));
    let one_left = run("realizable", 0.5, &json!([[1, -1], [1, 1]]), &json!([0.5, 1]));
    agrees(&one_left, &json!({"draw": [[0.5, 0.5], [0, 1]]}));
}

/// Slopes are ±1e130, and the last loss is 2 only if it is not the sum of products with them.
#[test]
fn a_loss_survives_the_slopes_of_a_tiny_advantage() {
    let agreement = json!([[1, -1], [1, 1], [1, -1]]);
    let input = run("agnostic", 1e-130, &agreement, &json!([1e-130, 1e130, 1e-131]));
    let expected = json!({
        "p": [[0, 0], [-1, 1], [-1, -1]], "p_next": [-1, -0.9], "losses": [0, 0, 2], "expected_correlation": 0});
    check(&input, &expected);
    agrees(&input, &json!({"vote": [1e130, -1e130 / 3.0]}));
}

/// The terms of the second loss are ±1e130, and cancel.
#[test]
fn a_loss_of_large_terms_that_cancel() {
    let agreement = json!([[1, -1, 1, -1], [-1, 1, 1, -1]]);
    let input = run("agnostic", 1e-130, &agreement, &json!([1e9, 1e-130]));
    let expected = json!({
        "p": [[0, 0, 0, 0], [-1, 1, -1, 1]], "p_next": [0, 0, -1, 1], "losses": [0, 0],
        "expected_correlation": 0});
    check(&input, &expected);
    agrees(&input, &json!({"vote": [0, 0, 1e130, -1e130]}));
}

#[test]
fn every_fault_has_its_code() {
    let good = run("agnostic", 0.5, &json!([[1, -1], [1, 1]]), &json!([0.25, 0.5]));
    let refused = |key: &str, value: Json, code: &str| {
        for setting in ["agnostic", "realizable"] {
            let input = with(&with(&good, key, value.clone()), "setting", json!(setting));
            refuses("agnostic", "statistical", &input, code);
        }
    };
    for gamma in [json!(0), json!(-0.5), json!(1.0000001)] {
        refused("gamma", gamma, "bad-parameter");
    }
    refused("gamma", json!("NaN"), "not-finite");
    for eta in [json!(0), json!(-0.0), json!(-1)] {
        refused("etas", json!([0.25, eta]), "bad-step");
    }
    refused("etas", json!([0.25, "Infinity"]), "not-finite");
    refused("etas", json!([0.25]), "length-mismatch");
    refused("etas", json!([0.25, 0.5, 0.5]), "length-mismatch");
    refused("etas", json!([]), "empty");
    for vote in [json!(0), json!(0.5), json!(2), json!(-1.0000001)] {
        refused("agreement", json!([[1, -1], [1, vote]]), "bad-label");
    }
    refused("agreement", json!([[1, -1], [1, "NaN"]]), "not-finite");
    refused("agreement", json!([[1, -1], [1]]), "length-mismatch");
    refused("agreement", json!([]), "empty");
    refused("agreement", json!([[], []]), "empty");
}
