//! A case of every kernel, worked by hand.

use super::{produces, queried, refuses, rounds, with};
use serde_json::{Value as Json, json};

#[test]
fn every_projection_kernel_answers_a_case_worked_by_hand() {
    let check = |kernel, input: Json, expected: Json| produces("projections", kernel, &input, &expected);
    let simplex = json!({"type": "simplex", "s": 1});
    check(
        "project_euclidean",
        json!({"set": simplex, "y": [0.5, 0.25, 0.75]}),
        json!({"x": [1.0 / 3.0, 1.0 / 12.0, 7.0 / 12.0]}),
    );
    let capped = json!({"type": "capped_simplex", "caps": [0.25, 1, 1.0], "s": 1});
    check("project_entropic", json!({"set": capped, "y": [2, 1, 2]}), json!({"x": [0.25, 0.25, 0.5]}));
    let entropic = json!({"box": [1, 0.25, 0.75], "x": [0.5, 0.125, 0.375]});
    check("double_projection", json!({"geometry": "entropic", "y": [3, 0.25, 0.75]}), entropic);
    let euclidean = json!({"box": [0.25, 0, 0.25], "x": [5.0 / 12.0, 1.0 / 6.0, 5.0 / 12.0]});
    check("double_projection", json!({"geometry": "euclidean", "y": [0.25, -0.5, 0.25]}), euclidean);
    check(
        "l1_box_projection",
        json!({"z": [0.25, 0.5, 2], "alpha": 0.5, "eta": 1}),
        json!({"y": [0, 0.25, 1]}),
    );
    let infinite = json!({"map": "negative_entropy", "x": [1, 1], "y": [1, 0]});
    check("bregman", infinite, json!({"finite": false}));
    let divergence = json!({"finite": true, "divergence": 2.5});
    check("bregman", json!({"map": "euclidean", "x": [1, 2.0], "y": [0, 0]}), divergence.clone());
    check("bregman", json!({"map": "p_norm", "p": 2, "x": [1, 2.0], "y": [0, 0]}), divergence);
    let box_set = json!({"type": "box", "lower": [-1, 0], "upper": [1, 2]});
    check("lmo", json!({"set": box_set, "g": [1, -1]}), json!({"x": [-1, 2], "value": -3}));
}

#[test]
fn every_learner_kernel_answers_a_case_worked_by_hand() {
    let check = |kernel, input: Json, expected: Json| produces("oco", kernel, &input, &expected);
    let unit_box = json!({"type": "unit_box"});
    // The lazy learner keeps the unprojected sum; the active learner plays elsewhere.
    let lazy = json!({"set": unit_box, "eta": 1, "gradients": [[3], [-1], [-2.5]]});
    check("lazy_ogd", lazy, json!({"x": [[0], [0], [0], [0.5]]}));
    let active =
        json!({"set": unit_box, "etas": [1, 0.5, 0.125], "x1": [0.25], "gradients": [[3], [-1], [-2]]});
    check("ogd", active, json!({"x": [[0.25], [0], [0.5], [0.75]]}));
    let account = json!({"set": {"type": "l1_ball", "r": 2}, "gradients": [[1, 0], [2, -1]], "plays": [[1, 1], [0, 1]]});
    let regret = json!({"comparator": [-2, 0], "comparator_loss": -6, "total_loss": 0, "regret": 6});
    check("linear_regret", account, regret);
}

#[test]
fn every_mirror_descent_kernel_answers_a_case_worked_by_hand() {
    let check = |kernel, input: Json, expected: Json| produces("oco", kernel, &input, &expected);
    let leader = json!({"coefficients": [1, -1, 0.5], "lower": -2, "upper": 1, "start": 0.25});
    let expected = json!({
        "x": [0.25, -2, 0.25], "losses": [0.25, 2, 0.125],
        "total_loss": 2.375, "comparator_loss": -1, "regret": 3.375});
    check("ftl_interval", leader, expected);
    // e^{−ηg} is 4, then ¼: the active learner forgets the part cut off by the projection, the lazy one does
    // not.
    let four = -4_f64.ln();
    let unit_box = json!({"type": "unit_box"});
    let entropic =
        json!({"set": unit_box, "eta": 1, "x1": [0.5], "gradients": [[four], [-four]], "lazy": false});
    check("entropic_md", entropic.clone(), json!({"x": [[0.5], [1], [0.25]]}));
    check("entropic_md", with(&entropic, "lazy", json!(true)), json!({"x": [[0.5], [1], [0.5]]}));
    let losses = json!({"eta": 2, "gradients": [[0.5 * 3_f64.ln(), 0], [0, 1]]});
    let three = 3_f64.ln();
    let expected = json!({
        "x": [[0.5, 0.5], [0.25, 0.75], [0.711_234_594_227_593_8, 0.288_765_405_772_406_2]],
        "total_loss": 0.75 + 0.25 * three, "comparator_loss": 0.5 * three, "regret": 0.75 - 0.25 * three});
    check("hedge", losses, expected);
    let hinted = json!({
        "geometry": "euclidean", "set": unit_box, "eta": 0.5, "z1": [2],
        "gradients": [[1], [-1]], "hints": [[3], [1]]});
    check("optimistic_md", hinted.clone(), json!({"x": [[0.5], [0.5]], "z": [[2], [1], [1]]}));
    let entropic = with(&with(&hinted, "geometry", json!("entropic")), "hints", json!([[0], [4_f64.ln()]]));
    let entropic = with(&entropic, "gradients", json!([[-four], [0]]));
    check("optimistic_md", entropic, json!({"x": [[1], [0.5]], "z": [[2], [1], [1]]}));
    let quadratic = json!({"r": 1, "eta": 1, "a": [1, 2], "centres": [[1], [3]], "u": [1]});
    check(
        "ftrl_quadratic_ball",
        quadratic,
        json!({"x": [[0], [0.5], [1]], "theorem1_lhs": 2.75, "theorem1_rhs": 3.125}),
    );
}

#[test]
fn every_adaptive_and_mistake_kernel_answers_a_case_worked_by_hand() {
    let check = |kernel, input: Json, expected: Json| produces("oco", kernel, &input, &expected);
    let comid = json!({"eta": 0.5, "lambda": 0.5, "x1": [1, 0], "gradients": [[-1, 1]]});
    check("comid_l1", comid.clone(), json!({"x": [[1, 0], [1.25, -0.25]]}));
    let boxed = with(&with(&comid, "lower", json!([-1, -1])), "upper", json!([1, 1]));
    check("comid_l1", boxed, json!({"x": [[1, 0], [1, -0.25]]}));
    let below = with(&comid, "lower", json!([-1, 0]));
    check("comid_l1", below, json!({"x": [[1, 0], [1.25, 0]]}));
    let above = with(&comid, "upper", json!([1, 1]));
    check("comid_l1", above, json!({"x": [[1, 0], [1, -0.25]]}));
    let adagrad = json!({"lower": [-1, -1], "upper": [1, 1], "D": 0.5, "x1": [0.25, 0], "gradients": [[0, 3], [0, -4]]});
    check(
        "adagrad_box",
        adagrad.clone(),
        json!({"x": [[0.25, 0], [0.25, -0.5], [0.25, -0.1]], "accumulator": [0, 25]}),
    );
    let perceptron = json!({"X": [[1, 0], [1, 1], [-1, 1]], "y": [1, 1, 1]});
    let learnt =
        json!({"w": [[0, 0], [1, 0], [1, 0], [0, 1]], "mistakes": [true, false, true], "n_mistakes": 2});
    check("perceptron", perceptron.clone(), learnt);
    let winnow = json!({"X": [[1, -1], [1, 0]], "y": [1, -1], "eta": 2.0_f64.ln()});
    let learnt = json!({"w": [[0.5, 0.5], [0.8, 0.2], [2.0 / 3.0, 1.0 / 3.0]], "mistakes": [true, true], "n_mistakes": 2});
    check("winnow", winnow.clone(), learnt);

    let refuse =
        |kernel, input: &Json, key, value, code| refuses("oco", kernel, &with(input, key, value), code);
    refuse("comid_l1", &comid, "lambda", json!(-1), "bad-parameter");
    refuse("comid_l1", &comid, "eta", json!(0), "bad-step");
    refuse("comid_l1", &comid, "x1", json!([1]), "length-mismatch");
    refuse("adagrad_box", &adagrad, "D", json!(0), "bad-step");
    refuse("adagrad_box", &adagrad, "upper", json!([1, -2]), "bad-bounds");
    refuse("winnow", &winnow, "eta", json!(-1), "bad-step");
    for (kernel, input, labels) in [("perceptron", &perceptron, 3), ("winnow", &winnow, 2)] {
        for (last, code) in [(json!(0), "bad-label"), (json!(2), "bad-label"), (json!("NaN"), "not-finite")] {
            let labels: Vec<Json> = (1..labels).map(|_| json!(1)).chain([last]).collect();
            refuse(kernel, input, "y", json!(labels), code);
        }
        refuse(kernel, input, "y", json!([1]), "length-mismatch");
        refuse(kernel, input, "X", json!([]), "empty");
    }
}

#[test]
fn algorithm_1_of_bh20_answers_a_case_worked_by_hand() {
    // ℓ = x²/2 − x on [−1, 1], two copies with step ½. Round 1 is played at 0 throughout: g = −1, both move
    // to ½. Round 2: x^1 = ½ is where the second is asked, g = −½; the first is asked at 0 again.
    let interval = json!({"type": "box", "lower": [-1], "upper": [1]});
    let input = json!({"set": interval, "N": 2, "A": [[[1]], [[1]]], "b": [[-1], [-1]], "eta": 0.5, "x_star": [1],
        "beta": 1, "D": 2});
    let expected = json!({
        "start": [0], "iterates": [[[0], [0], [0]], [[0], [0.5], [0.5]]], "plays": [[[0], [0]], [[0.5], [0.5]]],
        "gradients": [[[-1], [-1]], [[-1], [-0.5]]], "learner_regret": [1.5, 1.25], "lhs": 0.625,
        "rhs": 16.0 / 3.0 + 1.5});
    produces("projection_free", "bh20_alg1", &input, &expected);
    for (key, value, code) in [
        ("N", json!(0), "bad-parameter"),
        ("eta", json!(0), "bad-step"),
        ("beta", json!(0), "bad-parameter"),
        ("D", json!("Infinity"), "not-finite"),
        ("x_star", json!([2]), "bad-parameter"),
        ("x_star", json!([0, 0]), "length-mismatch"),
        ("A", json!([[[1]]]), "length-mismatch"),
        ("A", json!([[[1, 0]], [[1, 0]]]), "length-mismatch"),
        ("A", json!([[[1]], [["NaN"]]]), "not-finite"),
        ("b", json!([]), "empty"),
    ] {
        refuses("projection_free", "bh20_alg1", &with(&input, key, value), code);
    }
    let square = json!({"type": "box", "lower": [-1, -1], "upper": [1, 1]});
    let flat = json!({"set": square, "N": 2, "A": [[[1, 2], [3, 1]]], "b": [[-1, 0]], "eta": 0.5, "x_star": [1, 0],
        "beta": 1, "D": 2});
    refuses("projection_free", "bh20_alg1", &flat, "bad-parameter");
}

#[test]
fn every_gradient_boosting_kernel_answers_a_case_worked_by_hand() {
    let check =
        |kernel, input: Json, expected: Json| produces("gradient_boosting", kernel, &input, &expected);
    let boosting = with(&with(&rounds(), "gamma", json!(0.5)), "N", json!(1.0));
    let full = json!({
        "predictions": [[0], [0.5]], "partials": [[[0], [0]], [[0], [0.5]]], "weak_predictions": [[[0]], [[0.25]]],
        "gradients": [[[-2]], [[-2]]], "weights": [[[0.25]]], "average_loss": 0.625});
    check("online_boosting", boosting.clone(), full);
    // Round 1: 2·(0.5² + 0.25)·1 = 1, W = −0.25; round 2: −2·1.5² = −4.5, W = −0.25 + 0.5625 = 0.3125 → 0.25.
    let bandit = json!({
        "predictions": [[0], [-0.5]], "partials": [[[0], [0]], [[0], [-0.5]]], "weak_predictions": [[[0]], [[-0.25]]],
        "gradients": [[[1]], [[-4.5]]], "weights": [[[0.25]]], "average_loss": 1.625});
    check("bandit_boosting", queried(&boosting, 1), bandit);
    // As above, but the second queries are at −0.25 − 0.5 = −0.75: −2·1.75² = −6.125 each.
    let nfkm = json!({
        "predictions": [[0], [-0.25]], "gradients": [[1], [-6.125]], "weights": [[0.25]], "average_loss": 1.28125});
    check("nfkm", queried(&rounds(), 2), nfkm);
    // Round 1: W = 0.5 → 0.25; round 2: g = −1.5, W = 0.25 + 0.1875 → 0.25.
    let ogd = json!({"predictions": [[0], [0.25]], "weights": [[0.25]], "average_loss": 0.78125});
    check("ogd_linear", rounds(), ogd);
    // Round 2, learner 1: g = 2, σ = 0, W = 0.25 − 0.25 = 0; learner 2 at y¹ = 0.125: g = 2.25, σ =
    // 2.25·0.125.
    let span = with(&with(&with(&rounds(), "N", json!(2)), "eta", json!(0.5)), "alphas", json!([1, 1]));
    let span = with(&span, "targets", json!([[1], [-1]]));
    let expected = json!({
        "predictions": [[0], [0.25]], "shrinkage": [0, 0.28125], "weights": [[[0]], [[-0.03125]]],
        "average_loss": 1.28125});
    check("span_boosting", span, expected);
}
