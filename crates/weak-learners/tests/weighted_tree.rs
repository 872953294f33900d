//! The weighted tree: its seed, its answers, its limits, and what is loaded.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

use rows::RowMatrix;
use weak_learners::batch::{Hypothesis, LeafAnswer, SortedColumns, Tree, WeakLearner, WeightedTree};

fn columns(inputs: usize, values: Vec<f64>) -> SortedColumns {
    SortedColumns::new(RowMatrix::dense(inputs, values).unwrap()).unwrap()
}

/// Two columns that split alike: the seed decides between them, and the same seed alike.
#[test]
fn the_seed_of_a_tree_decides_between_equal_splits() {
    let values = vec![1.0, 1.0, 2.0, 2.0, 3.0, 3.0];
    let sample = columns(2, values);
    let grow = |seed| {
        let mut learner = WeightedTree::new(1, LeafAnswer::Sign, seed).unwrap();
        serde_json::to_string(&learner.train(&sample, &[1.0, 1.0, -1.0], &[1.0; 3]).unwrap()).unwrap()
    };
    let trees: Vec<String> = (0..20).map(grow).collect();
    for feature in ["\"feature\":0", "\"feature\":1"] {
        assert!(trees.iter().any(|tree| tree.contains(feature)), "{feature} is never taken");
    }
    assert_eq!((0..20).map(grow).collect::<Vec<_>>(), trees);
}

/// The mean of a leaf whose labels are all alike is that label, whatever the weights: it does not round out
/// of [−1, 1].
#[test]
fn the_mean_answers_of_a_tree_stay_in_their_range() {
    for seed in 0..200 {
        let wave = |i: usize, k: f64| ((i * i + 31 * seed + 1) as f64 * k).sin();
        let target = |i: usize| if (5 + seed % 7..12).contains(&i) { 1.0 } else { -1.0 };
        let targets: Vec<f64> = (0..20).map(target).collect();
        let weights: Vec<f64> = (0..20).map(|i| wave(i, 0.53).abs()).collect();
        let sample = columns(1, (0..20).map(f64::from).collect());
        let mut learner = WeightedTree::new(4, LeafAnswer::Mean, 1).unwrap();
        let tree = learner.train(&sample, &targets, &weights).unwrap();
        for x in sample.matrix().iter() {
            let answer = tree.predict(x).unwrap();
            assert_eq!(answer.abs(), 1.0, "seed {seed}");
        }
    }
}

/// The limits that the tree states: on the near side of them light rows are split as if they were alone.
#[test]
fn light_rows_are_split_up_to_the_stated_limits() {
    // The first feature parts a heavy row from three light ones, and the second one parts those.
    let values = vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0];
    let sample = columns(2, values);
    let targets = [1.0, 1.0, -1.0, -1.0];
    for light in [1e-3, 1e-9, 1e-14] {
        let mut learner = WeightedTree::new(2, LeafAnswer::Sign, 1).unwrap();
        let tree = learner.train(&sample, &targets, &[1.0, light, light, light]).unwrap();
        let mut votes = [0.0; 4];
        learner.evaluate(&tree, &sample, &mut votes).unwrap();
        assert_eq!(votes, targets, "{light}");
    }
}

#[test]
fn a_saved_tree_that_is_none_is_refused() {
    let mut learner = WeightedTree::new(1, LeafAnswer::Sign, 1).unwrap();
    let tree =
        learner.train(&columns(1, vec![1.0, 2.0, 3.0, 4.0]), &[1.0, 1.0, -1.0, -1.0], &[1.0; 4]).unwrap();
    let text = serde_json::to_string(&tree).unwrap();
    for (from, to) in [
        ("\"at_most\":1", "\"at_most\":0"),
        ("\"above\":2", "\"above\":3"),
        ("\"feature\":0", "\"feature\":1"),
        ("\"answer\":1.0", "\"answer\":1.5"),
    ] {
        assert!(text.contains(from), "{from} is in {text}");
        assert!(serde_json::from_str::<Tree>(&text.replace(from, to)).is_err(), "{to}");
    }
    assert!(serde_json::from_str::<Tree>("{\"inputs\":1,\"nodes\":[]}").is_err());
    let with = |inputs: usize, nodes: &[&str]| {
        let text = format!("{{\"inputs\":{inputs},\"nodes\":[{}]}}", nodes.join(","));
        serde_json::from_str::<Tree>(&text).is_ok()
    };
    let leaf = "{\"leaf\":{\"answer\":1.0}}";
    let split = |at_most: usize, above: usize| {
        format!("{{\"split\":{{\"feature\":0,\"threshold\":0.5,\"at_most\":{at_most},\"above\":{above}}}}}")
    };
    assert!(with(1, &[&split(1, 2), leaf, leaf]) && with(1, &[leaf]));
    assert!(!with(0, &[leaf]), "a tree without inputs");
    assert!(
        !with(1, &[leaf, leaf]) && !with(1, &[&split(1, 2), leaf, leaf, leaf]),
        "a node without a parent"
    );
    assert!(!with(1, &[&split(1, 1), leaf]), "one child for both sides");
    assert!(!with(1, &[&split(1, 2), &split(2, 3), leaf, leaf]), "a child of two parents");
    let parameters = serde_json::to_string(&learner).unwrap();
    assert!(serde_json::from_str::<WeightedTree>(&parameters.replace(":1,", ":65535,")).is_err());
}
