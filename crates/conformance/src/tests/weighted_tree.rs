//! The kernel of trees over pairs on a case worked by hand: plain, scaled and with faults.

use super::{produces, refuses, with};
use serde_json::{Value as Json, json};

/// x has no gain for both actions together: G = 1 on either side, ½(½ + ½ − 1) = 0. Splitting off action 0
/// has: ½(2 + 0 − 1) = ½. Then x ≥ 2 gains 1 for either action, and every pair has its own leaf.
fn input() -> Json {
    json!({"X": [[1], [3]], "weights": [1, 1], "targets": [[2, -1], [0, 1]], "max_depth": 2,
        "min_child_weight": 0, "reg_lambda": 0})
}

#[test]
fn it_answers_a_case_worked_by_hand() {
    let check = |input: &Json, predictions: Json, leaves: u32| {
        let expected = json!({"predictions": predictions, "leaves": leaves});
        produces("bopl", "weighted_tree", input, &expected);
    };
    check(&input(), json!([[2, -1], [0, 1]]), 4);
    check(&with(&input(), "max_depth", json!(0)), json!([[0.5, 0.5], [0.5, 0.5]]), 1);
    check(&with(&input(), "max_depth", json!(1)), json!([[1, 0], [1, 0]]), 2);
    check(&with(&input(), "min_child_weight", json!(2)), json!([[1, 0], [1, 0]]), 2);
    check(&with(&input(), "min_child_weight", json!(2.5)), json!([[0.5, 0.5], [0.5, 0.5]]), 1);
    // ½(4/3 + 0 − 4/5) > 0; then ½(4/2 + 0 − 4/3) and ½(½ + ½ − 0) > 0.
    check(&with(&input(), "reg_lambda", json!(1)), json!([[1, -0.5], [0, 0.5]]), 4);
    // The second example has weight 0: no threshold, but a prediction.
    check(&with(&input(), "weights", json!([1, 0])), json!([[2, -1], [2, -1]]), 2);
}

/// No product wy leaves the range, although the targets alone do.
#[test]
fn the_size_of_weights_and_targets_does_not_matter() {
    for weight in [1e-300, 1e130] {
        let heavy = with(&input(), "weights", json!([weight, weight]));
        let heavy = with(&heavy, "targets", json!([[2e300, -1e300], [0, 1e300]]));
        let expected = json!({"predictions": [[2e300, -1e300], [0, 1e300]], "leaves": 4});
        let (summary, text) = super::report("bopl", &[super::case("weighted_tree", &heavy, &expected)]);
        assert_eq!(summary.passed, 1, "{text}");
    }
}

#[test]
fn a_fault_is_refused_under_its_code() {
    for (key, value, code) in [
        ("X", json!([[1], ["NaN"]]), "not-finite"),
        ("weights", json!([1, "Infinity"]), "not-finite"),
        ("targets", json!([[2, -1], [0, "-Infinity"]]), "not-finite"),
        ("min_child_weight", json!("NaN"), "not-finite"),
        ("reg_lambda", json!("Infinity"), "not-finite"),
        ("weights", json!([1, -1]), "bad-parameter"),
        ("min_child_weight", json!(-1), "bad-parameter"),
        ("reg_lambda", json!(-1), "bad-parameter"),
        ("max_depth", json!(1.5), "bad-parameter"),
        ("weights", json!([1]), "length-mismatch"),
        ("targets", json!([[2, -1]]), "length-mismatch"),
        ("targets", json!([[2, -1], [0]]), "length-mismatch"),
        ("targets", json!([[], []]), "empty"),
        ("X", json!([]), "empty"),
        ("weights", json!([0, 0]), "zero-weights"),
    ] {
        refuses("bopl", "weighted_tree", &with(&input(), key, value), code);
    }
}
