//! Results to the bit, which `crates/python/tests/test_bits.py` holds the package for Python to: both sides
//! make the same rows, and are held against the digests in `crates/python/tests/bits.json`.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected fails the test")]

use boosters::maboost::{AdaBoost, BoostingRun, ClassExamples, Examples, Multiclass, OutputCode};
use ocoboost::{StreamJob, TrainJob};
use off_policy::policies::Scores;
use off_policy::{ActionNames, ContextColumn, Log, Rewards, Schema, Value};
use rows::RowMatrix;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;
use weak_learners::batch::{BinnedColumns, BinnedTree, LeafAnswer};

const INPUTS: usize = 4;

/// A made-up row (synthetic). Its numbers are multiples of 2^−10, which a single holds too.
struct Made {
    x: [f64; INPUTS],
    action: u32,
    reward: f64,
    noise: u32,
}

/// Of the generator s ← 1103515245·s + 12345 mod 2^31, by its upper bits.
fn made(rows: usize) -> Vec<Made> {
    let mut state = 1_u64;
    let mut draw = || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        u32::try_from(state >> 16).unwrap()
    };
    let mut row = || {
        let x = [(); INPUTS].map(|()| f64::from(draw() % 1024) / 1024.0);
        let (action, noise) = (draw() % 3, draw());
        let reward = match third(x[0]) == action {
            true => 1.0,
            false => f64::from(u8::from(noise.is_multiple_of(4))) / 4.0,
        };
        Made { x, action, reward, noise }
    };
    (0..rows).map(|_| row()).collect()
}

/// ⌊3x⌋.
fn third(x: f64) -> u32 {
    u32::from(x >= 1.0 / 3.0) + u32::from(x >= 2.0 / 3.0)
}

fn matrix(rows: &[Made]) -> RowMatrix {
    RowMatrix::dense(INPUTS, rows.iter().flat_map(|row| row.x).collect()).unwrap()
}

fn hexadecimal(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Scores of the rows, the judgement, and the number of trees.
fn of_policy() -> String {
    let rows = made(1_200);
    let names = |name: String| ContextColumn::Number { name };
    let columns = (0..INPUTS).map(|j| names(format!("x{j}"))).collect();
    let labels = ["0", "1", "2"].map(str::to_owned).to_vec();
    let schema = Schema::new(columns, ActionNames::Labels(labels)).unwrap();
    let actions: Vec<u32> = rows.iter().map(|row| row.action).collect();
    let propensities = actions.iter().map(|action| [0.25, 0.25, 0.5][*action as usize]).collect();
    let rewards = Rewards(rows.iter().map(|row| row.reward).collect());
    let log = Log::new(matrix(&rows), 3, actions, propensities, rewards).unwrap();
    let log = log.with_schema(schema).unwrap();
    let job = TrainJob::builder().budget(Duration::from_secs(1 << 40)).candidates(2).rounds(60);
    let model = job.build().unwrap().fit(&log, |_| ControlFlow::Continue(())).unwrap();
    let mut scores = vec![0.0; 3 * rows.len()];
    model.scores_of_rows(log.contexts(), 0, &mut scores).unwrap();
    let mut digest = Sha256::new();
    scores.iter().for_each(|score| digest.update(score.to_le_bytes()));
    digest.update(serde_json::to_vec(model.judgement()).unwrap());
    digest.update((model.ensemble().len() as u64).to_le_bytes());
    hexadecimal(digest)
}

/// AdaBoost over trees of depth 3: the trees with their weights, and the edges.
fn of_vote(code: OutputCode, class: impl Fn(&Made) -> u32) -> String {
    let rows = made(600);
    let examples = ClassExamples::uniform(rows.iter().map(class).collect()).unwrap();
    let learner = BinnedTree::new(3, LeafAnswer::Sign, 0.0).unwrap();
    let mut runs = Multiclass::new(code, &examples, |_, column: Examples| {
        let algorithm = AdaBoost::new(&column)?;
        BoostingRun::new(column, learner.clone(), algorithm)
    })
    .unwrap();
    let sample = BinnedColumns::new(matrix(&rows)).unwrap();
    let mut digest = Sha256::new();
    for run in runs.columns_mut() {
        for _ in 0..20 {
            assert!(run.round(&sample).unwrap().is_continue());
        }
        run.record().iter().for_each(|round| digest.update(round.edge.to_le_bytes()));
    }
    digest.update(serde_json::to_vec(&runs.into_vote()).unwrap());
    hexadecimal(digest)
}

/// What Online BBM predicts in 1,000 rounds, and what it says of them.
fn of_stream() -> String {
    let job = StreamJob::builder().learners(8).seed(3).build().unwrap();
    let (mut learner, mut said) = (job.begin(4).unwrap(), String::new());
    for row in made(1_000) {
        let [x, y, _, flag] = row.x;
        let is_missing = row.noise.is_multiple_of(16);
        let colour = ["red", "green", "blue"][row.action as usize];
        let cells = [
            ("x", Value::Number(x)),
            ("y", if is_missing { Value::Missing } else { Value::Number(y) }),
            ("colour", Value::Text(colour)),
            ("flag", Value::Number(f64::from(u8::from(flag > 0.5)))),
        ];
        let predicted = learner.predict(cells).unwrap();
        let name = predicted.and_then(|class| learner.class_name(class));
        said.push_str(name.unwrap_or("None"));
        let class = if (x > y) != row.noise.is_multiple_of(8) { "yes" } else { "no" };
        assert_eq!(learner.round(Some(class), cells).unwrap().predicted, predicted);
    }
    said.push_str(&learner.sentence());
    hexadecimal(Sha256::new_with_prefix(said))
}

#[test]
fn results_are_those_that_the_package_for_python_is_held_to() {
    let is_wrong = |row: &Made| row.noise.is_multiple_of(8);
    let two = OutputCode::new(vec![vec![-1], vec![1]]).unwrap();
    let found = BTreeMap::from([
        ("policy", of_policy()),
        ("vote of two", of_vote(two, |row| u32::from((row.x[0] > row.x[1]) != is_wrong(row)))),
        (
            "vote of three",
            of_vote(OutputCode::one_vs_rest(3).unwrap(), |row| match is_wrong(row) {
                true => row.action,
                false => third(row.x[2]),
            }),
        ),
        ("stream", of_stream()),
    ]);
    println!("{}", serde_json::to_string_pretty(&found).unwrap());
    let expected: BTreeMap<&str, String> =
        serde_json::from_str(include_str!("../../python/tests/bits.json")).unwrap();
    assert_eq!(found, expected);
}
