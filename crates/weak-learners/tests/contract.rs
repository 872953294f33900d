//! Every online classifier keeps the contract of `OnlinePredictor<Label>`, on real rows and on rows at the
//! limits of doubles. A new classifier is a line in [`classifiers`].

#![allow(clippy::unwrap_used, reason = "a refusal that is not expected fails the test")]

mod streams;

use oco_core::StepSchedule;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowError, RowMatrix};
use serde::{Serialize, de::DeserializeOwned};
use streams::Stream;
use weak_learners::batch::Stump;
use weak_learners::online::{
    BalancedWinnow, GrownStumps, Growth, HedgeStumps, HoeffdingTree, LogisticRegression, NaiveBayes,
    Perceptron, SyntheticWeakLearner, Thresholds, Winnow,
};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};

/// Calls `$check(name, learner, rows, labels)` for every online classifier of m inputs.
macro_rules! classifiers {
    ($check:ident, $rows:expr, $labels:expr) => {{
        let (rows, labels): (&RowMatrix, &[Label]) = ($rows, $labels);
        let m = rows.dimension();
        let thresholds = Thresholds::quantiles(rows.iter(), 8).unwrap();
        // Small steps, so that the tree grows, fills up and settles within a few hundred rounds.
        let growth = Growth { delta: 0.2, tie: 0.2, grace: 20, max_depth: 3, max_leaves: 6 };
        let steps = StepSchedule::power(0.5, 0.5).unwrap();
        let rng = ChaCha8Rng::seed_from_u64(3);
        let hedge = HedgeStumps::new(thresholds.clone(), 0.1, rng.clone()).unwrap();
        $check("HedgeStumps", hedge, rows, labels);
        $check("HedgeStumps, anytime", HedgeStumps::anytime(thresholds.clone(), rng.clone()), rows, labels);
        let grown = GrownStumps::new(m, 12, 0.1, rng.clone()).unwrap();
        $check("GrownStumps", grown, rows, labels);
        $check("GrownStumps, anytime", GrownStumps::anytime(m, 12, rng.clone()).unwrap(), rows, labels);
        let stump = Stump::new(m, 0, 0.0, Label::Plus).unwrap();
        $check("SyntheticWeakLearner", SyntheticWeakLearner::new(stump, 0.3, rng).unwrap(), rows, labels);
        $check("Perceptron", Perceptron::new(m).unwrap(), rows, labels);
        $check("Winnow", Winnow::new(m, 0.1).unwrap(), rows, labels);
        $check("BalancedWinnow", BalancedWinnow::new(m, 0.1).unwrap(), rows, labels);
        $check("LogisticRegression", LogisticRegression::new(m, steps, 2.0).unwrap(), rows, labels);
        $check("NaiveBayes", NaiveBayes::new(m).unwrap(), rows, labels);
        $check("HoeffdingTree", HoeffdingTree::new(thresholds, growth).unwrap(), rows, labels);
    }};
}

fn saved(learner: &impl Serialize) -> String {
    serde_json::to_string(learner).unwrap()
}

/// The contract, on a stream.
fn contract<P>(what: &str, mut learner: P, rows: &RowMatrix, labels: &[Label])
where
    P: OnlinePredictor<Label> + Clone + Serialize + DeserializeOwned,
{
    assert_eq!(learner.shape(), Shape { inputs: rows.dimension(), outputs: 1 }, "{what}");
    // One that is never asked, and one that is saved and loaded on the way.
    let (mut unasked, mut resumed) = (learner.clone(), learner.clone());
    for (t, (x, &y)) in rows.iter().zip(labels).enumerate() {
        let vote = learner.vote(x).unwrap();
        assert_eq!(learner.vote(rows.row((7 * t + 1) % rows.len()).unwrap()).map(drop), Ok(()));
        assert_eq!(learner.vote(x), Ok(vote), "{what}, round {t}: asking changed the vote");
        assert_eq!(resumed.vote(x), Ok(vote), "{what}, round {t}: the loaded learner votes otherwise");
        if t < 20 || t % 37 == 0 {
            let before = saved(&learner);
            refuses(what, &mut learner, y);
            assert_eq!(saved(&learner), before, "{what}, round {t}: a refusal left a trace");
            assert_eq!(saved(&unasked), before, "{what}, round {t}: asking left a trace");
            assert_eq!(saved(&resumed), before, "{what}, round {t}: loading left a trace");
            resumed = serde_json::from_str(&before).unwrap();
            at_the_limits(what, &learner, rows.dimension());
        }
        let accepted = learner.accepts(x, &y);
        for learner in [&mut learner, &mut unasked, &mut resumed] {
            assert_eq!(learner.update(x, &y), accepted, "{what}, round {t}: `accepts` lied");
        }
    }
    let end = saved(&learner);
    assert_eq!((saved(&unasked), saved(&resumed)), (end.clone(), end), "{what}");
}

/// Rows and outputs of another dimension, by all three methods and for the same reason.
fn refuses<P: OnlinePredictor<Label>>(what: &str, learner: &mut P, y: Label) {
    let m = learner.shape().inputs;
    for got in [m + 1, m.saturating_sub(1).max(1)].into_iter().filter(|&got| got != m) {
        let wrong = vec![1.0; got];
        let x = Row::dense(&wrong).unwrap();
        let refusal = Err(LearnerError::InputDimension { expected: m, got });
        assert_eq!(learner.accepts(x, &y), refusal, "{what}");
        assert_eq!(learner.update(x, &y), refusal, "{what}");
        assert_eq!(learner.predict(x, &mut [0.0]), refusal, "{what}");
        let sparse = Row::sparse(got, &[], &[]).unwrap();
        assert_eq!(learner.update(sparse, &y), refusal, "{what}");
    }
    let x = vec![1.0; m];
    let two = learner.predict(Row::dense(&x).unwrap(), &mut [0.0; 2]);
    let (argument, expected, got) = ("prediction", 1, 2);
    assert_eq!(two, Err(LearnerError::OutputDimension { argument, expected, got }), "{what}");
}

/// Rows of numbers of every magnitude: an accepted row is learnt, a refused row leaves no trace, and the vote
/// stays ±1.
fn at_the_limits<P>(what: &str, learner: &P, m: usize)
where
    P: OnlinePredictor<Label> + Clone + Serialize + DeserializeOwned,
{
    let sizes = [1e140, -1e140, 1e130, -1e-300, f64::MIN_POSITIVE, 5e-324, -0.0, 1.0];
    let mut learner = learner.clone();
    for shift in 0..16 {
        let x: Vec<f64> = (0..m).map(|j| sizes[(j * (1 + shift / 8) + shift) % 8]).collect();
        let x = Row::dense(&x).unwrap();
        let y = if shift % 3 == 0 { Label::Minus } else { Label::Plus };
        let before = saved(&learner);
        learner.vote(x).unwrap();
        assert_eq!(saved(&learner), before, "{what}: asking left a trace");
        let accepted = learner.accepts(x, &y);
        assert_eq!(learner.update(x, &y), accepted, "{what}: `accepts` lied");
        assert!(accepted.is_ok() || saved(&learner) == before, "{what}: a refusal left a trace");
        learner.vote(x).unwrap();
        let loaded: P = serde_json::from_str(&saved(&learner)).unwrap();
        assert_eq!(saved(&loaded), saved(&learner), "{what}");
    }
}

/// The first examples of a stream as a matrix of their own, and as dense rows.
fn first(stream: &Stream, n: usize) -> (RowMatrix, Vec<Label>) {
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for (x, y) in stream.iter().take(n) {
        values.extend(x.to_dense());
        labels.push(y);
    }
    (RowMatrix::dense(stream.rows.dimension(), values).unwrap(), labels)
}

/// The stored values of the rows only.
fn sparse(rows: &RowMatrix) -> RowMatrix {
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for x in rows.iter() {
        x.for_each(|j, x_j| {
            if x_j != 0.0 {
                indices.push(u32::try_from(j).unwrap());
                values.push(x_j);
            }
        });
        offsets.push(values.len());
    }
    RowMatrix::sparse(rows.dimension(), offsets, indices, values).unwrap()
}

#[test]
fn dense_rows() {
    let (rows, labels) = first(&Stream::letter(), 600);
    classifiers!(contract, &rows, &labels);
}

#[test]
fn sparse_rows() {
    let (rows, labels) = first(&Stream::adult(), 300);
    classifiers!(contract, &sparse(&rows), &labels);
}

#[test]
fn one_feature() {
    let rows = RowMatrix::dense(1, (0..100).map(|t| f64::from(t % 5) - 2.0).collect()).unwrap();
    let labels: Vec<Label> = rows.iter().map(|x| Label::of_score(x.values()[0])).collect();
    classifiers!(contract, &rows, &labels);
}

/// A sparse row is its dense copy, up to the order of a sum.
fn storage_does_not_matter<P>(what: &str, mut learner: P, rows: &RowMatrix, labels: &[Label])
where
    P: OnlinePredictor<Label> + Clone,
{
    let (stored, mut twin) = (sparse(rows), learner.clone());
    let mut differences = 0;
    for ((x, stored), &y) in rows.iter().zip(stored.iter()).zip(labels) {
        differences += usize::from(learner.round(x, y) != twin.round(stored, y));
    }
    assert_eq!(differences, 0, "{what}");
}

#[test]
fn dense_and_sparse_rows_vote_alike() {
    // Integers, so that sums are exact.
    let (rows, labels) = first(&Stream::letter(), 600);
    classifiers!(storage_does_not_matter, &rows, &labels);
}

/// Values that no learner needs to refuse, because no row holds them.
#[test]
fn nan_cannot_enter() {
    assert!(matches!(Row::dense(&[0.0, f64::NAN]), Err(RowError::NotFinite { position: 1, .. })));
    assert!(matches!(Row::sparse(2, &[1], &[f64::INFINITY]), Err(RowError::NotFinite { .. })));
    assert!(serde_json::from_str::<Label>("0.5").is_err());
}
