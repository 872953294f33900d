//! The export, loaded by XGBoost itself.
//!
//! Needs a Python with xgboost and numpy: the one that `XGBOOST_PYTHON` names, or that of `reproduce bopl
//! --peers`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a refusal where none is expected fails the test")]
#![allow(clippy::cast_possible_truncation, reason = "XGBoost computes in single precision")]

#[path = "../../datasets/tests/reduced/mod.rs"]
mod reduced;

use boosters::bopl::Member;
use ocoboost::model_file::{XgboostError, export_xgboost_json};
use ocoboost::{Model, TrainJob};
use off_policy::policies::Scores;
use off_policy::readers::{CsvColumns, read_csv};
use off_policy::{ActionNames, ContextColumn, Log, Rewards, Schema};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use weak_learners::pairs::PairNode;

/// Prints the score of every pair, a row a line; reads m, |A| and the contexts.
const SCRIPT: &str = "
import sys, numpy as np, xgboost
folder, m, k = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
model = xgboost.Booster()
model.load_model(folder + '/model.json')
x = np.fromfile(folder + '/contexts.f32', dtype='<f4').reshape(-1, m)
scores = []
for a in range(k):
    rows = np.zeros((len(x), m + k), dtype=np.float32)
    rows[:, :m] = x
    rows[:, m + a] = 1
    scores.append(model.predict(xgboost.DMatrix(rows, feature_names=model.feature_names)))
    if not np.isnan(x).any():
        sparse = xgboost.DMatrix(rows, feature_names=model.feature_names, missing=0.0)
        assert np.array_equal(scores[-1], model.predict(sparse)), 'zeros that are left out'
np.stack(scores, axis=1).astype('<f4').tofile(folder + '/scores.f32')
model.save_model(folder + '/model.ubj')
print(xgboost.__version__)
";

fn python() -> Option<PathBuf> {
    let named = std::env::var_os("XGBOOST_PYTHON").map(PathBuf::from);
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/bin/python");
    let found = named.into_iter().chain([peers]).find(|path| {
        Command::new(path).args(["-c", "import xgboost"]).output().is_ok_and(|out| out.status.success())
    });
    if found.is_none() {
        reduced::announce("there is no Python with xgboost; name one in XGBOOST_PYTHON");
    }
    found
}

/// XGBoost's scores of single-precision contexts, and the bytes of its own file.
fn scores(python: &Path, model: &Model, contexts: &[f32]) -> (Vec<f32>, u64) {
    let folder = tempfile::tempdir().unwrap();
    let json = export_xgboost_json(model).unwrap();
    std::fs::write(folder.path().join("model.json"), json.to_string()).unwrap();
    let bytes: Vec<u8> = contexts.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(folder.path().join("contexts.f32"), bytes).unwrap();
    let (m, k) = (model.ensemble().inputs(), model.ensemble().actions());
    let run = Command::new(python)
        .args(["-c", SCRIPT, &folder.path().to_string_lossy(), &m.to_string(), &k.to_string()])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    println!("XGBoost {}", String::from_utf8_lossy(&run.stdout).trim());
    let bytes = std::fs::read(folder.path().join("scores.f32")).unwrap();
    let scores = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    (scores, std::fs::metadata(folder.path().join("model.ubj")).unwrap().len())
}

/// Every score of every row within the rounding of single-precision sums.
fn compare(python: &Path, model: &Model, contexts: &[f32]) -> u64 {
    let (found, size) = scores(python, model, contexts);
    let (m, k) = (model.ensemble().inputs(), model.ensemble().actions());
    let total: f64 = model.ensemble().members().iter().map(largest).sum();
    let mut expected = vec![0.0; k];
    for (x, found) in contexts.chunks(m).zip(found.chunks(k)) {
        // Here a missing value is 0.
        let x: Vec<f64> = x.iter().map(|x| if x.is_nan() { 0.0 } else { f64::from(*x) }).collect();
        model.ensemble().scores(Row::dense(&x).unwrap(), &mut expected).unwrap();
        for (found, expected) in found.iter().zip(&expected) {
            let gap = (f64::from(*found) - expected).abs();
            assert!(gap <= 1e-6 * total, "{found} and {expected} at {x:?}");
        }
    }
    size
}

/// The largest |α·leaf|.
fn largest(member: &Member<weak_learners::pairs::PairTree>) -> f64 {
    let leaf = |node: &PairNode| match node {
        PairNode::Leaf { value } => (member.alpha * value).abs(),
        _ => 0.0,
    };
    member.predictor.nodes().iter().map(leaf).fold(0.0, f64::max)
}

fn job(rounds: usize) -> TrainJob {
    TrainJob::builder().budget(Duration::from_secs(3600)).candidates(1).rounds(rounds).build().unwrap()
}

/// Names, labels and zeros of sparse rows; contexts are at thresholds and next to them.
#[test]
fn xgboost_scores_pairs_as_the_model_does() {
    let Some(python) = python() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/offers.csv");
    let file = std::fs::File::open(path).unwrap();
    let read = read_csv(file, &CsvColumns::default().with_labels(["device"])).unwrap();
    let model = job(40).fit(&read.log, |_| ControlFlow::Continue(())).unwrap();
    let mut contexts = Vec::new();
    for i in 0..300 {
        contexts.extend(read.log.row(i).unwrap().context.to_dense().iter().map(|x| *x as f32));
    }
    // Rows at the thresholds of their columns, and at the single-precision numbers beside them.
    let nodes = model.ensemble().members().iter().flat_map(|member| member.predictor.nodes());
    for (row, node) in nodes.filter(|node| matches!(node, PairNode::Context { .. })).enumerate().take(600) {
        let PairNode::Context { feature, threshold, .. } = *node else { continue };
        let near = threshold as f32;
        for x in [near.next_down(), near, near.next_up()] {
            let mut of_row = contexts[row % 300 * 5..row % 300 * 5 + 5].to_vec();
            of_row[feature as usize] = x;
            contexts.extend(of_row);
        }
    }
    let size = compare(&python, &model, &contexts);
    let own = model.to_bytes().unwrap().len();
    println!("{} leaves: {own} bytes, XGBoost's UBJ {size}", model.record().leaves);
    assert!((own as u64) < size);
}

/// Numbers around 0 of both signs and all sizes, and a log of bare numbers.
#[test]
fn xgboost_takes_thresholds_of_any_size_and_sign() {
    let Some(python) = python() else { return };
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut contexts: Vec<f32> = (0..1200)
        .map(|_| rng.random_range(-1.0_f32..1.0) * 10.0_f32.powi(rng.random_range(-30..30)))
        .collect();
    contexts.iter_mut().step_by(7).for_each(|x| *x = 0.0);
    let actions: Vec<u32> = (0..600).map(|_| rng.random_range(0..2)).collect();
    let paid = |i: usize| f64::from(u8::from((contexts[2 * i] > 0.0) == (actions[i] == 1)));
    let rewards = (0..600).map(paid).collect();
    let matrix = RowMatrix::dense(2, contexts.iter().map(|x| f64::from(*x)).collect()).unwrap();
    let log = Log::new(matrix, 2, actions.clone(), vec![0.5; 600], Rewards(rewards)).unwrap();
    let model = job(30).fit(&log, |_| ControlFlow::Continue(())).unwrap();
    assert!(model.record().leaves > 100);
    compare(&python, &model, &contexts);
}

/// NaN where a value is missing, and 1 for its indicator. Zeros that are there are no missing values.
#[test]
fn xgboost_takes_nan_for_missing_values() {
    let Some(python) = python() else { return };
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let (mut coded, mut contexts) = (Vec::new(), Vec::new());
    for _ in 0..900 {
        for _ in 0..2 {
            let value = f32::from(rng.random_range(-6_i8..7)) / 2.0;
            let is_missing = rng.random_bool(0.3);
            coded.extend(if is_missing { [0.0, 1.0] } else { [f64::from(value), 0.0] });
            contexts.extend(if is_missing { [f32::NAN, 1.0] } else { [value, 0.0] });
        }
    }
    // A missing value pays as a large one of the first column, and as a small one of the second.
    let paid = |x: &[f64]| (x[1] == 1.0 || x[0] > 1.0) != (x[3] == 1.0 || x[2] < -1.0);
    let actions: Vec<u32> = (0..900).map(|_| rng.random_range(0..2)).collect();
    let rows = coded.chunks_exact(4).zip(&actions);
    let rewards = rows.map(|(x, a)| f64::from(u8::from(paid(x) == (*a == 1)))).collect();
    let columns = ["a", "b"].map(|name| ContextColumn::NumberOrMissing { name: name.into() });
    let schema = Schema::new(columns.to_vec(), ActionNames::Numbered(2)).unwrap();
    let matrix = RowMatrix::dense(4, coded).unwrap();
    let log = Log::new(matrix, 2, actions, vec![0.5; 900], Rewards(rewards)).unwrap();
    let log = log.with_schema(schema).unwrap();
    let model = job(30).fit(&log, |_| ControlFlow::Continue(())).unwrap();
    let nodes = model.ensemble().members().iter().flat_map(|member| member.predictor.nodes());
    let sides = nodes.filter(|node| matches!(node, PairNode::ContextOrMissing { .. })).count();
    assert!(sides > 10, "{sides}");
    compare(&python, &model, &contexts);
}

#[test]
fn what_has_no_single_precision_is_refused() {
    let contexts = RowMatrix::dense(1, (0..200).map(|i| f64::from(i) * 1e60).collect()).unwrap();
    let actions = (0..200).map(|i| i % 2).collect();
    let rewards = (0..200).map(|i| f64::from(u8::from((i < 100) == (i % 2 == 0)))).collect();
    let log = Log::new(contexts, 2, actions, vec![0.5; 200], Rewards(rewards)).unwrap();
    let model = job(10).fit(&log, |_| ControlFlow::Continue(())).unwrap();
    let refused = export_xgboost_json(&model);
    assert!(
        matches!(refused, Err(XgboostError::BeyondSinglePrecision { what: "threshold", .. })),
        "{refused:?}"
    );
}
