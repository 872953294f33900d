//! Logs whose actions have features: models are compared, shown on a page, exported, and trained with
//! settings.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod running;

use ocoboost::CandidateModel;
use off_policy::candidates::CandidateScores;
use running::{articles, offers, refused, run};
use serde_json::Value;
use std::io::Read;
use std::path::Path;

const SHORT: [&str; 7] = ["--budget", "1h", "--rounds", "20", "--seed", "1", "--quiet"];

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// The first choices of the log, and the others.
    fn halves(&self) -> (String, String) {
        let mut text = String::new();
        let file = std::fs::File::open(articles()).unwrap();
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
        let choices: Vec<&str> = text.trim_end().split("\n\n").collect();
        assert_eq!(choices.len(), 4000);
        let write = |name: &str, part: &[&str]| {
            std::fs::write(self.at(name), part.join("\n\n") + "\n").unwrap();
            self.at(name)
        };
        (write("first.vw", &choices[..2000]), write("second.vw", &choices[2000..]))
    }

    fn model(&self, name: &str, log: &str, settings: &[&str]) -> String {
        let model = self.at(name);
        let (code, out, error) = run(&[&["train", log, "-o", &model], &SHORT[..], settings].concat());
        assert!(matches!(code, Some(0 | 3)) && error.is_empty(), "{code:?} {out} {error}");
        model
    }
}

fn json(arguments: &[&str]) -> Value {
    let (code, out, error) = run(&[arguments, &["--format", "json", "--quiet"]].concat());
    assert!(matches!(code, Some(0 | 3)) && error.is_empty(), "{arguments:?}: {code:?} {error}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn models_and_the_logging_policy_are_compared() {
    let folder = Folder::new();
    let (first, second) = folder.halves();
    let model = folder.model("m.ocob", &first, &[]);
    // This one reads the log by columns of its own.
    let other = folder.model("i.ocob", &first, &["--identities", "--max-depth", "2"]);
    let found = json(&["compare", &model, "logged", "uniform", &other, &second]);
    let policies = found["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 4);
    let snips = |judgement: &Value| {
        let estimates = judgement["estimates"].as_array().unwrap();
        estimates.iter().find(|one| one["name"] == "SNIPS").unwrap()["value"].as_f64().unwrap()
    };
    for (place, policy) in [(0, &*model), (1, "logged"), (2, "uniform"), (3, &*other)] {
        assert_eq!(policies[place]["policy"], *policy);
        let alone = json(&["evaluate", policy, &second]);
        assert_eq!(policies[place]["judgement"], alone, "{policy}");
    }
    let logged = policies[1]["judgement"]["logged"]["value"].as_f64().unwrap();
    assert!((snips(&policies[1]["judgement"]) - logged).abs() < 1e-12);
    let differences = found["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 6);
    let [a, b] = [0, 1].map(|k| snips(&policies[k]["judgement"]));
    let difference = &differences[0];
    assert_eq!(
        (&difference["first"], &difference["second"]),
        (&policies[0]["policy"], &Value::from("logged"))
    );
    assert!((difference["value"].as_f64().unwrap() - (a - b)).abs() < 1e-9);
    assert!(difference["lower"].as_f64().unwrap() > 0.0);

    let (code, out, error) = run(&["compare", "uniform", &model, &second]);
    assert_eq!(code, Some(0), "{error}");
    assert!(
        out.contains(&format!("uniform less {model}: -0.")) && out.contains("earns more than all others"),
        "{out}"
    );
    // Without a model at all.
    assert_eq!(json(&["compare", "uniform", "logged", &second])["policies"].as_array().unwrap().len(), 2);
    // The log that a model comes from, a model of the other kind, and one policy.
    let (_, _, error) = run(&["compare", &model, "uniform", &first]);
    assert!(error.contains("the policy was trained on this log"), "{error}");
    let fixed = running::trained(Path::new(&folder.at("")));
    let words = "policy.ocob: the file holds a policy of fixed actions, not one over candidates, as another model does";
    refused(&["compare", &model, &fixed, &second, "--quiet"], 65, words);
    let (code, _, error) = run(&["compare", &model, "uniform", &offers(), "--quiet"]);
    assert!(code == Some(65) && error.lines().count() == 1, "{error}");
    let (code, _, error) = run(&["compare", &model, &second, "--quiet"]);
    assert!(code == Some(65) && error.contains("2 are the least"), "{code:?} {error}");
}

#[test]
fn the_page_has_what_makes_sense_without_fixed_actions() {
    let folder = Folder::new();
    let (first, second) = folder.halves();
    let model = folder.model("m.ocob", &first, &[]);
    let page = |policy: &str, log: &str| {
        let path = folder.at("page.html");
        let answer = json(&["evaluate", policy, log, "--html", &path]);
        assert_eq!(answer, json(&["evaluate", policy, log]));
        (std::fs::read_to_string(path).unwrap(), answer)
    };
    let (text, answer) = page(&model, &second);
    assert!(text.contains(answer["certificate"]["sentence"].as_str().unwrap()));
    for part in [
        "<h2 id=\"value\">",
        "<h2 id=\"overlap\">",
        "<h2 id=\"segments\">",
        "<h2 id=\"importance\">",
        "<h2 id=\"learning\">",
        "<h2 id=\"origin\">",
        // Why there is no table of actions.
        "The actions of this log have features of their own, and are not the same in every row",
        // Columns of the context by segment, those of candidates by the questions about them.
        "reader.age",
        "reader.device=laptop",
        "article.words",
        "reward regression, depth 6",
        "7 recipes were tried",
        "first.vw",
    ] {
        assert!(text.contains(part), "{part}");
    }
    // Columns of candidates have no segments of rows.
    let at = |id: &str| text.find(&format!("<h2 id=\"{id}\">")).unwrap();
    let segments = &text[at("segments")..at("importance")];
    assert!(segments.contains("reader.age") && !segments.contains("article.words"));
    assert!(
        !text.contains("http")
            || text.matches("http").count()
                == text.matches("http-equiv").count() + text.matches("http://www.w3.org/2000/svg").count()
    );
    let (text, _) = page("uniform", &second);
    assert!(text.contains("<h2 id=\"changes\">") && !text.contains("<h2 id=\"learning\">"));
    let (text, _) = page("logged", &second);
    assert!(text.contains("The log itself.") && !text.contains("<h2 id=\"changes\">"));
    let (text, _) = page(&model, &first);
    assert!(text.contains("Caution:"));
}

/// The score of a candidate, by hand from the exported trees.
#[test]
fn exported_trees_score_the_row_of_a_candidate() {
    let folder = Folder::new();
    let model = folder.model("m.ocob", &articles(), &["--identities"]);
    let export = |form: &[&str]| -> Value {
        let (code, out, error) = run(&[&["export", &model, "-"], form].concat());
        assert_eq!((code, error.as_str()), (Some(0), ""));
        serde_json::from_str(&out).unwrap()
    };
    let (json, booster) = (export(&[]), export(&["--as", "xgboost"]));
    assert_eq!(json["format"], "ocoboost policy over candidates");
    let names: Vec<&str> =
        json["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let features = booster["learner"]["feature_names"].as_array().unwrap();
    let numbered: Vec<String> = names.iter().enumerate().map(|(j, name)| format!("{j}:{name}")).collect();
    assert!(features.iter().map(|name| name.as_str().unwrap()).eq(numbered.iter().map(String::as_str)));
    assert_eq!(booster["learner"]["learner_model_param"]["num_feature"], names.len().to_string());
    assert_eq!(booster["learner"]["learner_model_param"]["base_score"], "0E0");

    // Two candidates of one reader, one of them with an identity and one without.
    let tomorrow = folder.at("tomorrow.vw");
    let text = "shared |reader age:60 device=laptop\n'a12 |article topic=politics words:1550\n\
                |article topic=sport words:300\n";
    std::fs::write(&tomorrow, text).unwrap();
    let (code, out, error) = run(&["predict", &model, &tomorrow, "--top", "2", "--quiet"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let cells: Vec<f64> = out.lines().nth(1).unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
    let mut found = [0.0; 2];
    [0, 2].into_iter().for_each(|k| found[usize::from(cells[k] == 1.0)] = cells[k + 1]);
    let rows: [&[(&str, f64)]; 2] = [
        &[
            ("reader.age", 60.0),
            ("reader.device=laptop", 1.0),
            ("article.topic=politics", 1.0),
            ("article.words", 1550.0),
            ("a12", 1.0),
        ],
        &[
            ("reader.age", 60.0),
            ("reader.device=laptop", 1.0),
            ("article.topic=sport", 1.0),
            ("article.words", 300.0),
        ],
    ];
    for (row, found) in rows.iter().zip(found) {
        let column = |name: &str| names.iter().position(|own| *own == name).unwrap();
        let mut x = vec![0.0; names.len()];
        row.iter().for_each(|(name, value)| x[column(name)] = *value);
        let (mut score, mut largest) = (0.0, 0.0);
        for tree in json["trees"].as_array().unwrap() {
            let (nodes, mut at) = (tree["nodes"].as_array().unwrap(), 0);
            while let Some(name) = nodes[at]["column"].as_str() {
                let is_below = x[column(name)] < nodes[at]["below"].as_f64().unwrap();
                let next = &nodes[at][if is_below { "yes" } else { "no" }];
                at = usize::try_from(next.as_u64().unwrap()).unwrap();
            }
            score += tree["alpha"].as_f64().unwrap() * nodes[at]["leaf"].as_f64().unwrap();
        }
        assert!((score - found).abs() < 1e-9, "{score} {found}");
        let mut of_booster = 0.0;
        for tree in booster["learner"]["gradient_booster"]["model"]["trees"].as_array().unwrap() {
            let number = |field: &str, at: usize| tree[field][at].as_f64().unwrap();
            let mut at = 0;
            while number("left_children", at) >= 0.0 {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "places")]
                let (column, [left, right]) = (
                    number("split_indices", at) as usize,
                    ["left_children", "right_children"].map(|field| number(field, at) as usize),
                );
                at = if x[column] < number("split_conditions", at) { left } else { right };
            }
            of_booster += number("split_conditions", at);
            largest = f64::max(largest, number("split_conditions", at).abs());
        }
        assert!((of_booster - found).abs() < 1e-5 * (1.0 + largest), "{of_booster} {found}");
    }
    let checkpoint = folder.at("no.ocob");
    std::fs::write(&checkpoint, "no model").unwrap();
    refused(&["export", &checkpoint, "-"], 65, "no.ocob: not a model file");
}

#[test]
fn settings_of_training_mean_what_they_mean_for_fixed_actions() {
    let folder = Folder::new();
    let (first, _) = folder.halves();
    let of = |settings: &[&str]| -> Value {
        let model = folder.model("s.ocob", &first, settings);
        let (code, out, error) = run(&["export", &model, "-"]);
        assert_eq!((code, error.as_str()), (Some(0), ""));
        serde_json::from_str(&out).unwrap()
    };
    let found = of(&[
        "--objective",
        "surrogate",
        "--max-depth",
        "2",
        "--learning-rate",
        "0.5",
        "--candidates",
        "1",
        "--min-child-weight",
        "2",
        "--reg-lambda",
        "0.5",
        "--translation",
        "-0.3",
        "--clip",
        "8",
        "--subsample",
        "0.5",
        "--colsample-bytree",
        "0.75",
    ]);
    let record = &found["record"];
    assert_eq!(record["overrides"]["max_depth"], 2);
    let winner = &record["tried"][usize::try_from(record["chosen"].as_u64().unwrap()).unwrap()]["recipe"];
    for (name, value) in [
        ("objective", Value::from("bopl_s")),
        ("max_depth", 2.into()),
        ("learning_rate", 0.5.into()),
        ("min_child_weight", 2.0.into()),
        ("reg_lambda", 0.5.into()),
        ("unit_translation", (-0.3).into()),
        ("clip", 8.0.into()),
        ("rows", 0.5.into()),
        ("columns", 0.75.into()),
    ] {
        assert_eq!(winner[name], value, "{name}");
    }
    let found = of(&["--objective", "dr", "--candidates", "1"]);
    assert_eq!(found["record"]["tried"][1]["recipe"]["objective"], "doubly_robust");
    assert_eq!(found["record"]["chosen"], 1);
    let model = folder.at("x.ocob");
    let train = |settings: &[&str], words: &str| {
        refused(&[&["train", &first, "-o", &model, "--quiet"], settings].concat(), 2, words);
    };
    train(&["--max-depth", "0"], "max_depth = 0 is outside 1, 2, …");
    train(&["--subsample", "1.5"], "1.5");
    train(&["--candidates", "0"], "candidates = 0");
    let groups = ["train", &first, "-o", &model, "--quiet", "--groups", "reader"];
    refused(&groups, 65, "there is no column \"reader\"; there are");
    assert!(!Path::new(&model).exists());
}

/// The first thousand choices, with the features of articles as those of pairs, are a log of arrays as well:
/// crates/python/tests/test_candidates.py trains on them, and finds these bits.
#[test]
fn a_log_has_the_same_policy_in_every_language() {
    let folder = Folder::new();
    let (first, _) = folder.halves();
    let text = std::fs::read_to_string(&first).unwrap();
    let log = folder.at("thousand.vw");
    std::fs::write(&log, text.split("\n\n").take(1000).collect::<Vec<_>>().join("\n\n") + "\n").unwrap();
    let model = folder.at("m.ocob");
    let settings = ["--pair-features", "article", "--candidates", "2", "--rounds", "6", "--seed", "1"];
    // A confidence that has no rounding.
    let train = ["train", &log, "-o", &model, "--budget", "1h", "--quiet", "--confidence", "0.9375"];
    let (code, _, error) = run(&[&train[..], &settings].concat());
    assert!(matches!(code, Some(0 | 3)) && error.is_empty(), "{code:?} {error}");
    let model = CandidateModel::load(&model).unwrap();
    let schema = model.ensemble().schema().unwrap();
    let source = formats::Source::path(&log).unwrap();
    let read = formats::read_choices(source, schema, &formats::LogOptions::default(), &mut formats::quiet);
    let mut scores = [0.0; 6];
    model.ensemble().candidate_scores(&read.unwrap().candidates, 0..6, &mut scores).unwrap();
    let bound = model.judgement().bounds.unwrap()[0];
    let found = (
        &*model.provenance().log_sha256,
        scores.map(f64::to_bits),
        [bound.lower, bound.setting, bound.terms.unwrap().estimate].map(f64::to_bits),
    );
    let scores = [
        4_598_197_626_318_201_828,
        4_591_884_333_178_610_249,
        4_589_573_082_165_401_460,
        4_591_170_217_841_254_966,
        4_590_407_923_956_794_951,
        4_590_418_774_823_472_776,
    ];
    let bound = [4_575_896_063_896_412_544, 4_594_778_618_781_306_354, 4_594_164_013_477_165_096];
    let expected = ("fc1b4e522ee7e3be0fc666e3a673a3630246e5699016b305e8c151f8b56b3bbf", scores, bound);
    assert_eq!(found, expected);
}

#[test]
fn choices_are_split_by_a_feature_of_the_row() {
    let folder = Folder::new();
    let (first, _) = folder.halves();
    let short = ["--candidates", "1"];
    let exported = |settings: &[&str]| -> (Value, CandidateModel) {
        let model = folder.model("s.ocob", &first, &[&short[..], settings].concat());
        let (code, out, error) = run(&["export", &model, "-"]);
        assert_eq!((code, error.as_str()), (Some(0), ""));
        (serde_json::from_str(&out).unwrap(), CandidateModel::load(&model).unwrap())
    };
    let ages = |model: &CandidateModel| model.column_names().contains(&"reader.age");
    let (json, model) = exported(&["--time", "reader.age", "--holdout", "0.25"]);
    assert_eq!((&json["record"]["split"], ages(&model)), (&Value::from("by time"), false));
    let judged = |from: f64| {
        let text = std::fs::read_to_string(&first).unwrap();
        let age = |line: &str| line.split("age:").nth(1)?.split(' ').next()?.parse::<f64>().ok();
        text.lines().filter_map(age).filter(|age| *age >= from).count()
    };
    // All choices of some greatest ages judge.
    let rows = model.provenance().judging_rows;
    assert!((500..600).contains(&rows) && (0..100).any(|from| judged(f64::from(from)) == rows), "{rows}");
    let (json, model) = exported(&["--groups", "reader.device"]);
    assert_eq!(json["record"]["split"], "by groups");
    assert!(ages(&model) && !model.column_names().iter().any(|name| name.starts_with("reader.device")));
    let (json, model) = exported(&["--validation", "reader.device=laptop"]);
    assert_eq!(json["record"]["split"], "by column");
    let laptops = std::fs::read_to_string(&first).unwrap().matches("device=laptop").count();
    assert_eq!(model.provenance().judging_rows, laptops);
    let none =
        ["train", &first, "-o", &folder.at("x.ocob"), "--quiet", "--validation", "reader.device=watch"];
    let (code, _, error) = run(&none);
    assert!(code.is_some_and(|code| code != 0) && error.contains("watch"), "{code:?} {error}");
}

#[test]
fn propensities_over_candidates_are_estimated_where_there_are_none() {
    let folder = Folder::new();
    let (first, second) = folder.halves();
    let without = |log: &str, name: &str| {
        let text = std::fs::read_to_string(log).unwrap();
        let line = |line: &str| match line.split_once(' ') {
            Some((label, rest)) if label.matches(':').count() == 2 => {
                format!("{} {rest}", &label[..label.rfind(':').unwrap_or_default()])
            }
            _ => line.to_owned(),
        };
        let text: Vec<String> = text.split('\n').map(line).collect();
        std::fs::write(folder.at(name), text.join("\n")).unwrap();
        folder.at(name)
    };
    let (first, second) = (without(&first, "f.vw"), without(&second, "s.vw"));
    let model = folder.model("m.ocob", &first, &["--candidates", "2"]);
    let own = CandidateModel::load(&model).unwrap();
    assert_eq!(own.provenance().propensities, ocoboost::PropensitySource::Estimated);
    let judged = json(&["evaluate", &model, &second]);
    assert_eq!(judged["certificate"]["propensities"], "estimated", "{judged}");
    let compared = json(&["compare", &model, "uniform", "logged", &second]);
    assert_eq!(compared["policies"][0]["judgement"], judged);
    // One model more, with columns of its own.
    let other = folder.model("i.ocob", &first, &["--candidates", "1", "--identities"]);
    let compared = json(&["compare", &model, &other, &second]);
    assert_eq!(compared["policies"].as_array().unwrap().len(), 2);
    let (_, out, _) = run(&["evaluate", &model, &second, "--quiet"]);
    assert!(out.contains("(propensities estimated)"), "{out}");
}
