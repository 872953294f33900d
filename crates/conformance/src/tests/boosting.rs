//! A vote and a round of the online boosters: by hand, at the ends of the range, and every refusal.

use super::{Summary, case, produces, refuses, report, with};
use serde_json::{Value as Json, json};

const VOTE: &str = "randomized_majority";
const ROUND: &str = "online_round";

fn vote() -> Json {
    json!({"gamma": 0.5, "votes": [1, 1, 1, -1, -1]})
}

fn round(setting: &str) -> Json {
    json!({"setting": setting, "gamma": 0.5, "outputs": [1, -1, 1.0], "y": 1, "etas": [0.25, 0.125, 1]})
}

#[test]
fn a_vote_and_a_round_answer_cases_worked_by_hand() {
    produces("agnostic", VOTE, &vote(), &json!({"z": 0.4, "prob_plus": 0.7}));
    // Right: slope 1/γ − 1 = 1. Wrong: −3. From 0 to −¼, to ⅛, over the lower end.
    let expected = json!({
        "slopes": [1, -3, 1], "p": [0, -0.25, 0.125], "losses": [0, 0.75, 0.125], "p_next": -0.875,
        "z": 2.0 / 3.0, "prob_plus": 5.0 / 6.0, "prob_true_label": [0.5, 0.375, 0.5625]});
    produces("agnostic", ROUND, &round("agnostic"), &expected);
    // From ½ to ¼, to ⅝, and cut off at 0.
    let expected = json!({
        "slopes": [1, -3, 1], "p": [0.5, 0.25, 0.625], "losses": [0.5, -0.75, 0.625], "p_next": 0,
        "z": 2.0 / 3.0, "prob_plus": 5.0 / 6.0, "prob_pass": [0.5, 0.25, 0.625]});
    produces("agnostic", ROUND, &round("realizable"), &expected);
    // Against y = −1 the same outputs are wrong, right, wrong.
    let turned = with(&with(&round("agnostic"), "y", json!(-1)), "etas", json!([0.125, 0.25, 1]));
    let expected = json!({
        "slopes": [-3, 1, -3], "p": [0, 0.375, 0.125], "losses": [0, 0.375, -0.375], "p_next": 1,
        "z": 2.0 / 3.0, "prob_plus": 5.0 / 6.0, "prob_true_label": [0.5, 0.6875, 0.5625]});
    produces("agnostic", ROUND, &turned, &expected);
    let one = json!({"setting": "agnostic", "gamma": 1, "outputs": [-1], "y": 1, "etas": [0.25]});
    let expected = json!({"slopes": [-2], "p": [0], "losses": [0], "p_next": 0.5, "z": -1, "prob_plus": 0,
        "prob_true_label": [0.5]});
    produces("agnostic", ROUND, &one, &expected);
}

#[track_caller]
fn agrees(kernel: &str, input: &Json, expected: &Json) {
    let (summary, text) = report("agnostic", &[case(kernel, input, expected)]);
    assert_eq!(summary, Summary { passed: 1, ..Summary::default() }, "{text}");
}

#[test]
fn advantages_and_steps_at_the_ends_of_the_range() {
    let tiny = |votes: Json| json!({"gamma": 1e-300, "votes": votes});
    agrees(VOTE, &tiny(json!([1, -1, 1, 1])), &json!({"z": 5e299, "prob_plus": 1}));
    agrees(VOTE, &tiny(json!([1, -1])), &json!({"z": 0, "prob_plus": 0.5}));
    agrees(VOTE, &json!({"gamma": 6e-309, "votes": [-1]}), &json!({"z": -1.0 / 6e-309, "prob_plus": 0}));
    let votes: Vec<i32> = (0..1001).map(|i| if i % 2 == 0 { 1 } else { -1 }).collect();
    agrees(
        VOTE,
        &json!({"gamma": 1, "votes": votes}),
        &json!({"z": 1.0 / 1001.0, "prob_plus": 501.0 / 1001.0}),
    );
    // A step of 10^260 to either side, and one of 1e130·1e-131.
    let far = json!({"setting": "agnostic", "gamma": 1e-130, "outputs": [1, -1, -1, 1], "y": 1,
        "etas": [1e130, 1e130, 1e-131, 1e-131]});
    let expected = json!({"p": [0, -1, 1, 1], "p_next": 0.9, "z": 0, "prob_plus": 0.5,
        "slopes": [1e130, -1e130, -1e130, 1e130], "losses": [0, 1e130, -1e130, 1e130],
        "prob_true_label": [0.5, 0, 1, 1]});
    agrees(ROUND, &far, &expected);
    let smallest = with(&round("realizable"), "etas", json!([5e-324, 1e-320, 1e-17]));
    agrees(ROUND, &smallest, &json!({"p": [0.5, 0.5, 0.5], "p_next": 0.5, "prob_pass": [0.5, 0.5, 0.5]}));
}

/// Two hundred learners, against an independent loop.
#[test]
fn a_round_of_two_hundred_learners() {
    for (setting, lower) in [("agnostic", -1.0), ("realizable", 0.0_f64)] {
        let outputs: Vec<f64> =
            (0..200_u32).map(|i| if (i * i + i / 3).is_multiple_of(3) { 1.0 } else { -1.0 }).collect();
        let etas: Vec<f64> = (1..=200).map(|i| 0.7 / f64::from(i).sqrt()).collect();
        let (gamma, y) = (0.3, -1.0);
        let (mut p, mut next) = (Vec::new(), 0.5 * (lower + 1.0));
        for (w, eta) in outputs.iter().zip(&etas) {
            p.push(next);
            next = (next - eta * (w * y / gamma - 1.0)).clamp(lower, 1.0);
        }
        let z = outputs.iter().sum::<f64>() / (gamma * 200.0);
        let input = json!({"setting": setting, "gamma": gamma, "outputs": outputs, "y": y, "etas": etas});
        agrees(
            ROUND,
            &input,
            &json!({"p": p, "p_next": next, "z": z, "prob_plus": (0.5 + 0.5 * z).clamp(0.0, 1.0)}),
        );
    }
}

#[test]
fn a_fault_of_a_vote_or_a_round_is_refused_under_its_code() {
    for (kernel, input) in [(VOTE, vote()), (ROUND, round("agnostic")), (ROUND, round("realizable"))] {
        for (gamma, code) in [
            (json!(0), "bad-parameter"),
            (json!(-0.5), "bad-parameter"),
            (json!(1.0 + f64::EPSILON), "bad-parameter"),
            (json!("NaN"), "not-finite"),
            (json!("Infinity"), "not-finite"),
        ] {
            refuses("agnostic", kernel, &with(&input, "gamma", gamma), code);
        }
    }
    for (votes, code) in [
        (json!([]), "empty"),
        (json!([1, 0, 1]), "bad-label"),
        (json!([1, -1.0000001]), "bad-label"),
        (json!([1, "NaN"]), "not-finite"),
        (json!(["-Infinity", 1]), "not-finite"),
    ] {
        refuses("agnostic", VOTE, &with(&vote(), "votes", votes.clone()), code);
        let input = with(&with(&round("agnostic"), "outputs", votes), "etas", json!([0.5, 0.5, 0.5]));
        let code = if code == "bad-label" || code == "empty" { code } else { "not-finite" };
        refuses("agnostic", ROUND, &input, code);
    }
    for setting in ["agnostic", "realizable"] {
        for (key, value, code) in [
            ("y", json!(0), "bad-label"),
            ("y", json!(2), "bad-label"),
            ("y", json!("NaN"), "not-finite"),
            ("y", json!("Infinity"), "not-finite"),
            ("etas", json!([0.25, 0, 1]), "bad-step"),
            ("etas", json!([0.25, 0.125, -1e-300]), "bad-step"),
            ("etas", json!([0.25, "NaN", 1]), "not-finite"),
            ("etas", json!([0.25, 0.125, "Infinity"]), "not-finite"),
            ("etas", json!([0.25, 0.125]), "length-mismatch"),
            ("etas", json!([0.25, 0.125, 1, 1]), "length-mismatch"),
            ("etas", json!([]), "empty"),
            ("outputs", json!([1, -1]), "length-mismatch"),
            ("outputs", json!([]), "empty"),
        ] {
            refuses("agnostic", ROUND, &with(&round(setting), key, value), code);
        }
        let nothing = with(&with(&round(setting), "outputs", json!([])), "etas", json!([]));
        refuses("agnostic", ROUND, &nothing, "empty");
    }
}
