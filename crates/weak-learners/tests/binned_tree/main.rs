//! The tree on binned columns: the tree that its definition names, leaf by leaf and split by split, whatever
//! the layout, the scale and the number of threads.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod definition;
#[path = "../exact_sum/mod.rs"]
mod exact_sum;
mod ranks;

use definition::Nested;
use exact_sum::sum_of_products;
use proptest::prelude::*;
use proptest::sample::select;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use weak_learners::LearnerError;
use weak_learners::batch::{
    BinnedColumns, BinnedTree, Hypothesis, LeafAnswer, SortedColumns, Tree, WeakLearner, WeightedTree,
};

proptest! {
    /// Any targets and weights, light and heavy: a leaf has the mean of its rows, up to the stated error.
    #[test]
    fn a_leaf_says_the_mean_of_its_rows(
        seed in 0_u64..1000, m in 1_usize..200, depth in 0_u16..6, spread in 0.0_f64..40.0, (unit, to_one) in select(&[(0.0, 0), (300.0, -433), (-600.0, 800)][..]),
    ) {
        let random = Random::new(seed, m, 5, 20.0);
        let weights: Vec<f64> = random.weights.iter().map(|w| (unit - spread * w).exp()).collect();
        let mut learner = BinnedTree::new(depth, LeafAnswer::Mean, 0.0).unwrap();
        let tree = learner.train(&random.sample(), &random.targets, &weights).unwrap();
        let weight = |i: usize| weights[i] * 2_f64.powi(to_one);
        let all: f64 = (0..m).map(weight).sum();
        let mut leaves = 0;
        Nested::of(&tree).for_each_leaf(&random.rows, (0..m).collect(), &mut |answer, part| {
            leaves += 1;
            let mass: f64 = part.iter().map(|&i| weight(i)).sum();
            let terms = |&i: &usize| [(weight(i), random.targets[i]), (weight(i), -answer)];
            let error = sum_of_products(part.iter().flat_map(terms)).abs();
            let stated = 2_f64.powi(-59) * part.len() as f64 * all + 2_f64.powi(-51) * mass;
            assert!(answer.abs() <= 1.0 && error <= stated * (1.0 + 1e-12), "{answer}: {error}, not {stated}");
        });
        prop_assert_eq!(leaves, tree.leaves());
    }
}

/// Rows, targets in \[−1, 1\] and weights in (0, 1] without ties.
struct Random {
    rows: Vec<Vec<f64>>,
    targets: Vec<f64>,
    weights: Vec<f64>,
}

impl Random {
    /// As many values a column as `values`.
    fn new(seed: u64, m: usize, inputs: usize, values: f64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = || 1.0 - rng.random::<f64>();
        let rows = (0..m).map(|_| (0..inputs).map(|_| (values * uniform()).ceil() - 7.0).collect()).collect();
        let targets = (0..m).map(|_| 2.0 * uniform() - 1.0).collect();
        Self { rows, targets, weights: (0..m).map(|_| uniform()).collect() }
    }

    fn matrix(&self) -> RowMatrix {
        RowMatrix::dense(self.rows[0].len(), self.rows.concat()).unwrap()
    }

    fn sample(&self) -> BinnedColumns {
        BinnedColumns::new(self.matrix()).unwrap()
    }

    /// Σ w (a − h(x))².
    fn error(&self, tree: &Tree) -> f64 {
        let loss = |i: usize| {
            let answer = tree.predict(Row::dense(&self.rows[i]).unwrap()).unwrap();
            self.weights[i] * (self.targets[i] - answer).powi(2)
        };
        (0..self.rows.len()).map(loss).sum()
    }
}

/// Where no two splits are equal and every value has its bin, smartcore's trees are these.
#[test]
fn its_squared_error_is_that_of_smartcores_tree() {
    for (seed, depth) in (0..12).zip([1, 2, 3, 4].into_iter().cycle()) {
        let random = Random::new(seed, 700, 6, 250.0);
        let mut binned = BinnedTree::new(depth, LeafAnswer::Mean, 0.0).unwrap();
        let tree = binned.train(&random.sample(), &random.targets, &random.weights).unwrap();
        let mut other = WeightedTree::new(depth, LeafAnswer::Mean, seed).unwrap();
        let sorted = SortedColumns::new(random.matrix()).unwrap();
        let theirs = other.train(&sorted, &random.targets, &random.weights).unwrap();
        let (error, expected) = (random.error(&tree), random.error(&theirs));
        assert!((error - expected).abs() < 1e-9 * expected, "seed {seed}: {error}, smartcore {expected}");
    }
}

#[test]
fn threads_do_not_show() {
    let random = Random::new(5, 30_000, 7, 300.0);
    let sample = random.sample();
    let tree = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut learner = BinnedTree::new(5, LeafAnswer::Mean, 0.0).unwrap();
        pool.install(|| learner.train(&sample, &random.targets, &random.weights).unwrap())
    };
    let alone = tree(1);
    assert_eq!(alone.leaves(), 32);
    assert_eq!([2, 4].map(tree), [alone.clone(), alone]);
}

#[test]
fn a_light_leaf_and_a_light_side_are_told_apart() {
    // The first feature parts a heavy row from three light ones, and the second one parts those.
    let values = vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0];
    let sample = BinnedColumns::new(RowMatrix::dense(2, values).unwrap()).unwrap();
    let targets = [1.0, 1.0, -1.0, -1.0];
    let votes = |light: f64| {
        let mut learner = BinnedTree::new(2, LeafAnswer::Sign, 0.0).unwrap();
        let tree = learner.train(&sample, &targets, &[1.0, light, light, light]).unwrap();
        let mut votes = [0.0; 4];
        learner.evaluate(&tree, &sample, &mut votes).unwrap();
        votes
    };
    assert_eq!([1e-3, 1e-9, 1e-17].map(votes), [targets; 3]);
    assert_eq!(votes(1e-19), [1.0; 4], "lighter than a grain");
}

/// Two equal halves whose sum in grains, 2^60 + 448, is no double.
#[test]
fn a_half_is_half_of_all_weight() {
    let sample = BinnedColumns::new(RowMatrix::dense(1, vec![0.0, 0.0, 1.0, 1.0]).unwrap()).unwrap();
    let light = 3.5 * 2_f64.powi(-53);
    let leaves = |weights: [f64; 4]| {
        let mut learner = BinnedTree::new(1, LeafAnswer::Mean, 0.5).unwrap();
        learner.train(&sample, &[-1.0, -1.0, 1.0, 1.0], &weights).unwrap().leaves()
    };
    assert_eq!(leaves([1.0, light, 1.0, light]), 2);
    assert_eq!(leaves([1.0, light, 1.0, light + 2_f64.powi(-59)]), 1, "one side is a grain short");
}

/// An exact split of nothing, of one row, of equal rows, of equal targets; and a deep tree, without deep
/// recursion.
#[test]
fn it_stops_where_nothing_can_be_told_apart() {
    let leaves = |values: Vec<f64>, targets: &[f64], depth| {
        let sample = BinnedColumns::new(RowMatrix::dense(1, values).unwrap()).unwrap();
        let mut learner = BinnedTree::new(depth, LeafAnswer::Mean, 0.0).unwrap();
        learner.train(&sample, targets, &vec![0.1; targets.len()]).unwrap().leaves()
    };
    assert_eq!(leaves(vec![3.0], &[-0.3], 5), 1);
    assert_eq!(leaves(vec![3.0, 3.0, 3.0], &[-0.3, 1.0, 0.0], 5), 1);
    assert_eq!(leaves(vec![1.0, 2.0, 3.0], &[0.3; 3], 5), 1);
    let alternating: Vec<f64> = (0..256).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    assert_eq!(leaves((0..256).map(f64::from).collect(), &alternating, u16::MAX), 256);
}

#[test]
fn a_refusal_changes_nothing_and_parameters_are_checked_on_loading_too() {
    let random = Random::new(3, 50, 2, 9.0);
    let sample = random.sample();
    let mut learner = BinnedTree::new(3, LeafAnswer::Mean, 0.25).unwrap();
    let before = serde_json::to_string(&learner).unwrap();
    let tree = learner.train(&sample, &random.targets, &random.weights).unwrap();
    assert_eq!(learner.train(&sample, &random.targets, &[0.0; 50]), Err(LearnerError::ZeroWeights));
    assert_eq!(serde_json::to_string(&learner).unwrap(), before);
    assert_eq!(learner.train(&sample, &random.targets, &random.weights).unwrap(), tree);
    let mut loaded: BinnedTree = serde_json::from_str(&before).unwrap();
    assert_eq!(loaded.train(&sample, &random.targets, &random.weights).unwrap(), tree);
    for bad in ["0.75", "-0.5"] {
        assert!(serde_json::from_str::<BinnedTree>(&before.replace("0.25", bad)).is_err(), "{bad}");
    }
    let nan = BinnedTree::new(3, LeafAnswer::Mean, f64::NAN).unwrap_err();
    assert!(matches!(nan, LearnerError::BadParameter { name: "least_leaf", .. }));
    let other = BinnedColumns::new(RowMatrix::dense(1, vec![1.0]).unwrap()).unwrap();
    let (expected, got) = (2, 1);
    assert_eq!(
        learner.evaluate(&tree, &other, &mut [0.0]),
        Err(LearnerError::InputDimension { expected, got })
    );
}
