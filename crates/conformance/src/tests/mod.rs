//! The runner on small test folders, and on the vectors of the repository.

mod boosting;
mod by_hand;
mod statistical;
mod weighted_tree;

use super::*;
use serde_json::json;

/// A case, with the official tolerance.
fn case(kernel: &str, input: &Json, expected: &Json) -> Json {
    let tolerance = json!({"abs": 1e-9, "rel": 1e-9});
    json!({"kernel": kernel, "name": "a case", "input": input, "expected": expected, "tolerance": tolerance})
}

fn family(name: &str, cases: &[Json]) -> String {
    json!({"family": name, "version": 1, "cases": cases}).to_string()
}

/// The outcome for a folder of these files, and the report.
fn outcome(files: &[(&str, String)], allow_unknown: bool) -> (Result<Summary, ConformError>, String) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let mut report = Vec::new();
    let outcome = run(dir.path(), allow_unknown, &mut report);
    (outcome, String::from_utf8(report).unwrap())
}

fn report(family_name: &str, cases: &[Json]) -> (Summary, String) {
    let (outcome, report) = outcome(&[("file.json", family(family_name, cases))], false);
    (outcome.unwrap(), report)
}

/// Asserts that the kernel produces these outputs, and that a run detects a change of any output.
#[track_caller]
fn produces(family: &str, kernel: &str, input: &Json, expected: &Json) {
    let (summary, text) = report(family, &[case(kernel, input, expected)]);
    assert_eq!(summary, Summary { passed: 1, ..Summary::default() }, "{text}");
    for (key, value) in expected.as_object().unwrap() {
        let mut other = expected.clone();
        other[key] = perturbed(value);
        let (summary, text) = report(family, &[case(kernel, input, &other)]);
        assert_eq!(summary, Summary { failed: 1, ..Summary::default() }, "{text}");
        assert!(text.contains(&format!("FAILED {family} {kernel} 'a case': {key}")), "{text}");
    }
}

/// The same value with its last number changed, or its truth value negated.
fn perturbed(value: &Json) -> Json {
    match value {
        Json::Array(list) => {
            let (last, rest) = list.split_last().unwrap();
            rest.iter().cloned().chain([perturbed(last)]).collect()
        }
        Json::Bool(truth) => json!(!truth),
        number => json!(number.as_f64().unwrap() + 0.01),
    }
}

#[track_caller]
fn refuses(family: &str, kernel: &str, input: &Json, code: &str) {
    let (summary, text) = report(family, &[case(kernel, input, &json!({"error": code}))]);
    assert_eq!(summary.passed, 1, "{text}");
}

/// The input with another value at this key.
fn with(input: &Json, key: &str, value: Json) -> Json {
    let mut input = input.clone();
    input[key] = value;
    input
}

/// Two rounds on x = 1 with target 1 and steps 1/4, 1/8; B is small enough to bind.
fn rounds() -> Json {
    let interval = json!({"type": "box", "lower": [-1], "upper": [1]});
    json!({"X": [[1], [1]], "targets": [[1], [1]], "lr": 0.25, "c": 1, "B": 0.25, "y_set": interval})
}

fn queried(input: &Json, n: u32) -> Json {
    let vectors = json!([vec![[1]; n as usize], vec![[-1.0]; n as usize]]);
    let noise = json!([vec![0.25; n as usize], vec![0.0; n as usize]]);
    let input = with(&with(input, "vectors", vectors), "noise", noise);
    with(&with(&input, "delta", json!(0.5)), "N", json!(n))
}

#[test]
fn a_fault_is_refused_under_its_code() {
    let simplex = json!({"type": "simplex", "s": 1});
    let projection = json!({"set": simplex, "y": [1, 2]});
    let in_set = |set: Json| with(&projection, "set", set);
    for (input, code) in [
        (with(&projection, "y", json!([1, "NaN"])), "not-finite"),
        (with(&projection, "y", json!(["-Infinity", 1])), "not-finite"),
        (in_set(json!({"type": "simplex", "s": "Infinity"})), "not-finite"),
        (with(&projection, "y", json!([])), "empty"),
        (in_set(json!({"type": "l2_ball", "r": 0})), "bad-radius"),
        (in_set(json!({"type": "box", "lower": [0], "upper": [1]})), "length-mismatch"),
        (in_set(json!({"type": "box", "lower": [0, 2], "upper": [1, 1]})), "bad-bounds"),
        (in_set(json!({"type": "capped_simplex", "caps": [1, -1], "s": 1})), "negative-cap"),
        (in_set(json!({"type": "capped_simplex", "caps": [0.4, 0.4], "s": 1})), "infeasible-caps"),
    ] {
        refuses("projections", "project_euclidean", &input, code);
    }
    refuses("projections", "project_entropic", &with(&projection, "y", json!([-1, 2])), "negative-entry");
    refuses("projections", "project_entropic", &with(&projection, "y", json!([0, 0])), "no-mass");
    refuses("projections", "l1_box_projection", &json!({"z": [0], "alpha": -1, "eta": 1}), "bad-parameter");
    refuses("projections", "l1_box_projection", &json!({"z": [0], "alpha": 1, "eta": 0}), "bad-step");
    let divergence = json!({"map": "euclidean", "x": [1], "y": [2], "p": "NaN"});
    refuses("projections", "bregman", &divergence, "not-finite");

    let ogd = json!({"set": simplex, "etas": [1, 1], "x1": [1, 0], "gradients": [[1, 2], [3, 4]]});
    for (key, value, code) in [
        ("gradients", json!([]), "empty"),
        ("gradients", json!([[1, 2], [3]]), "length-mismatch"),
        ("etas", json!([]), "empty"),
        ("etas", json!([1]), "length-mismatch"),
        ("etas", json!([1, 0]), "bad-step"),
        ("etas", json!([1, "NaN"]), "not-finite"),
        ("x1", json!([0.5]), "length-mismatch"),
        ("x1", json!([1, 1]), "bad-parameter"),
    ] {
        refuses("oco", "ogd", &with(&ogd, key, value), code);
    }

    let entropic = json!({"set": simplex, "eta": 1, "x1": [1, 0], "gradients": [[1, 2]], "lazy": true});
    for (key, value, code) in [
        ("x1", json!([1.5, -0.5]), "negative-entry"),
        ("x1", json!([1, 1]), "bad-parameter"),
        ("x1", json!([1]), "length-mismatch"),
        ("eta", json!(0), "bad-step"),
    ] {
        for lazy in [true, false] {
            refuses(
                "oco",
                "entropic_md",
                &with(&with(&entropic, "lazy", json!(lazy)), key, value.clone()),
                code,
            );
        }
    }
    let leader = json!({"coefficients": [1], "lower": 0, "upper": 1, "start": 0.5});
    for (key, value, code) in [
        ("start", json!(2), "bad-bounds"),
        ("lower", json!(2), "bad-bounds"),
        ("coefficients", json!([]), "empty"),
    ] {
        refuses("oco", "ftl_interval", &with(&leader, key, value), code);
    }
    let hinted = json!({
        "geometry": "entropic", "set": simplex, "eta": 1, "z1": [1, 2], "gradients": [[1, 2]], "hints": [[0, 0]]});
    for (key, value, code) in [
        ("z1", json!([0, 0]), "no-mass"),
        ("z1", json!([-1, 1]), "negative-entry"),
        ("hints", json!([[0, 0], [0, 0]]), "length-mismatch"),
        ("hints", json!([[0, "NaN"]]), "not-finite"),
    ] {
        refuses("oco", "optimistic_md", &with(&hinted, key, value), code);
    }
    let quadratic = json!({"r": 1, "eta": 1, "a": [1], "centres": [[1]], "u": [1]});
    for (key, value, code) in [
        ("a", json!([0]), "bad-parameter"),
        ("a", json!([1, 1]), "length-mismatch"),
        ("r", json!(0), "bad-radius"),
    ] {
        refuses("oco", "ftrl_quadratic_ball", &with(&quadratic, key, value), code);
    }

    let bandit = queried(&with(&rounds(), "gamma", json!(1)), 1);
    for (key, value, code) in [
        ("X", json!([[1]]), "length-mismatch"),
        ("X", json!([[], []]), "empty"),
        ("targets", json!([[1], ["NaN"]]), "not-finite"),
        ("N", json!(0), "bad-parameter"),
        ("N", json!(-1), "bad-parameter"),
        ("N", json!(1.5), "bad-parameter"),
        ("N", json!(4_294_967_297_u64), "bad-parameter"),
        ("N", json!("NaN"), "not-finite"),
        ("lr", json!(0), "bad-step"),
        ("c", json!(-0.5), "bad-parameter"),
        ("B", json!(0), "bad-radius"),
        ("gamma", json!(0), "bad-parameter"),
        ("delta", json!(0), "bad-step"),
        ("vectors", json!([[[1]], [[1, 0]]]), "length-mismatch"),
        ("vectors", json!([[[1]], [[1], [1]]]), "length-mismatch"),
        ("vectors", json!([[[1]], [[1.0 + 2e-9]]]), "bad-parameter"),
        ("vectors", json!([[[1]], [["NaN"]]]), "not-finite"),
        ("noise", json!([[0]]), "length-mismatch"),
        ("noise", json!([[0], [0, 0]]), "length-mismatch"),
        ("noise", json!([[0, 0], [0, 0]]), "length-mismatch"),
        ("noise", json!([[0], ["Infinity"]]), "not-finite"),
    ] {
        refuses("gradient_boosting", "bandit_boosting", &with(&bandit, key, value), code);
    }
}

#[test]
fn an_unexpected_acceptance_refusal_or_code_fails() {
    let input = json!({"set": {"type": "simplex", "s": 1}, "y": [1, 2]});
    let (nan, missing) = (with(&input, "y", json!(["NaN"])), with(&input, "set", json!({"type": "simplex"})));
    for (input, expected, complaint) in [
        (&input, json!({"error": "empty"}), "error: got none, want empty"),
        (
            &nan,
            json!({"error": "empty"}),
            "error: got not-finite (y[0] is NaN, not a finite number), want empty",
        ),
        (&nan, json!({"x": [1]}), "refused: y[0] is NaN, not a finite number"),
        (&missing, json!({"x": [1]}), "refused: the case is malformed: s is not there"),
        (&missing, json!({"error": "empty"}), "error: got an error without a code (the case is malformed"),
    ] {
        let (summary, text) = report("projections", &[case("project_euclidean", input, &expected)]);
        assert_eq!(summary.failed, 1, "{text}");
        assert!(text.contains(complaint), "{text}");
    }
}

#[test]
fn an_unknown_kernel_fails_unless_allowed() {
    let empty = json!({});
    let files = [
        ("b.json", family("oco", &[case("hope", &empty, &empty), case("hope", &empty, &empty)])),
        ("a.json", family("astrology", &[case("lmo", &empty, &empty)])),
        ("notes.txt", "not a vector file".to_owned()),
    ];
    let (summary, text) = outcome(&files, false);
    assert_eq!(summary.unwrap(), Summary { failed: 3, ..Summary::default() });
    assert_eq!(
        text,
        "FAILED astrology lmo: unknown kernel, 1 cases\nastrology: 0 passed, 1 failed, 0 skipped\n\
         FAILED oco hope: unknown kernel, 2 cases\noco: 0 passed, 2 failed, 0 skipped\n\
         0 passed, 3 failed, 0 skipped\n"
    );
    let (summary, text) = outcome(&files, true);
    assert_eq!(summary.unwrap(), Summary { skipped: 3, ..Summary::default() });
    assert!(text.contains("skipped oco hope: unknown kernel, 2 cases\n"), "{text}");
}

#[test]
fn a_folder_without_valid_vectors_is_refused_with_its_name() {
    let file = |text: &str| outcome(&[("bad.json", text.to_owned())], true).0.unwrap_err();
    for text in ["", "{", "[]", "{\"family\": \"oco\", \"version\": 1, \"cases\": [{}]}", "{\"cases\": []}"] {
        let error = file(text);
        assert!(matches!(error, ConformError::Malformed { .. }), "{error:?}");
        assert!(error.to_string().contains("bad.json is not a vector file"), "{error}");
    }
    let error = file(r#"{"family": "oco", "version": 2, "cases": []}"#);
    assert!(error.to_string().ends_with("bad.json has version 2, not 1"), "{error}");
    assert!(matches!(outcome(&[], true).0, Err(ConformError::NoVectors { .. })));
    assert!(matches!(file(&family("oco", &[])), ConformError::NoVectors { .. }));
    let missing = run(Path::new("no such folder"), true, &mut Vec::new());
    assert!(missing.unwrap_err().to_string().contains("no such folder"));
}

#[test]
fn the_vectors_of_the_repository_agree() {
    let mut report = Vec::new();
    let summary = run(&official_vectors(), false, &mut report).unwrap();
    let expected = Summary { passed: 521, failed: 0, skipped: 0 };
    assert_eq!(summary, expected, "{}", String::from_utf8_lossy(&report));
}
