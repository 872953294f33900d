//! What the exact tree does not look at: scale, order, repetition, absence, rounding.

use crate::simulated::Simulated;
use crate::streams::reduced;
use datasets::{Name, Provenance, SearchPath, StandIn, load};
use rows::RowMatrix;
use weak_learners::LearnerError;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{
    ExactPairTree, PairGrowth, PairLearner, PairNode, PairRound, PairTree, PairWeights,
};

fn learner(depth: u32, min_child_weight: f64, lambda: f64) -> ExactPairTree {
    ExactPairTree::new(
        PairGrowth::builder()
            .max_depth(depth)
            .min_child_weight(min_child_weight)
            .reg_lambda(lambda)
            .build()
            .unwrap(),
    )
}

fn grow(round: &Simulated, mut learner: ExactPairTree) -> (PairTree, Vec<f64>) {
    round.train(&mut learner, &SortedColumns::new(round.matrix()).unwrap())
}

/// Σ_a g = 0 but for rounding: as long as a node holds every action, x tells nothing, whatever its values.
#[test]
fn no_node_of_all_actions_is_split_by_x() {
    for seed in 0..60 {
        let actions = 2 + usize::try_from(seed % 6).unwrap();
        let round = Simulated::new(seed, 90, 4, actions);
        let (tree, _) = grow(&round, learner(8, 0.0, 0.3 * (seed % 2) as f64));
        assert!(matches!(tree.nodes()[0], PairNode::Action { .. }), "seed {seed}: {:?}", tree.nodes()[0]);
        assert!(tree.nodes().iter().any(|node| matches!(node, PairNode::Context { .. })));
        // No action can be told apart from the others where each child needs almost all weight.
        let all = actions as f64 * round.h.iter().sum::<f64>();
        let (tree, values) =
            grow(&round, learner(8, 0.51 * all * (1.0 - 1.0 / actions as f64).max(0.5), 0.0));
        let is_split_by_x = tree.nodes().iter().any(|node| matches!(node, PairNode::Context { .. }));
        assert!(!is_split_by_x && values.iter().all(|v| v.is_finite()), "seed {seed}");
    }
}

/// Only x splits are admissible, and none of them gains anything but rounding.
#[test]
fn rounding_noise_is_no_gain() {
    for seed in 0..200 {
        let round = Simulated::new(seed, 40, 3, 3);
        let third = round.h.iter().sum::<f64>();
        let (tree, values) = grow(&round, learner(5, 1.01 * third, 0.0));
        assert_eq!(tree.leaves(), 1, "seed {seed}: {:?}", tree.nodes());
        assert!(values.iter().all(|v| v.abs() < 1e-15));
    }
}

/// A policy that is nearly sure: 1 − π has lost nine of its sixteen digits, and Σ_a g is 10^−10 to 10^−9 of
/// Σ|g|.
#[test]
fn the_rounding_of_a_sure_policy_is_no_gain() {
    for seed in 0..50 {
        let mut round = Simulated::new(seed, 40, 3, 3);
        for i in 0..40 {
            let others = [1, 2].map(|a| 1e-7 * round.g[a * 40 + i].abs() / round.h[i]);
            let total = 1.0 + others[0] + others[1];
            round.g[i] = round.h[i] * (1.0 - 1.0 / total);
            [1, 2].into_iter().for_each(|a| round.g[a * 40 + i] = -round.h[i] * (others[a - 1] / total));
        }
        let third = round.h.iter().sum::<f64>();
        let (tree, _) = grow(&round, learner(5, 1.01 * third, 0.0));
        assert_eq!(tree.leaves(), 1, "seed {seed}: {:?}", tree.nodes());
    }
}

#[test]
fn powers_of_two_do_not_show() {
    let round = Simulated::new(7, 120, 3, 4);
    let (tree, values) = grow(&round, learner(7, 3.0, 0.5));
    assert!(tree.leaves() > 20, "{}", tree.leaves());
    for (of_g, of_h) in [(430, 430), (-900, -900), (0, 430), (400, -400), (-700, 200)] {
        let (by_g, by_h) = (2_f64.powi(of_g), 2_f64.powi(of_h));
        let mut scaled = round.clone();
        scaled.g.iter_mut().for_each(|g| *g *= by_g);
        scaled.h.iter_mut().for_each(|h| *h *= by_h);
        let (other, others) = grow(&scaled, learner(7, 3.0 * by_h, 0.5 * by_h));
        assert_eq!(splits(&other), splits(&tree), "2^{of_g}, 2^{of_h}");
        let expected: Vec<f64> = values.iter().map(|v| v * 2_f64.powi(of_g - of_h)).collect();
        assert_eq!(others, expected);
    }
}

/// The nodes with their leaves made equal.
fn splits(tree: &PairTree) -> Vec<PairNode> {
    let node = |node: &PairNode| match *node {
        PairNode::Leaf { .. } => PairNode::Leaf { value: 0.0 },
        split => split,
    };
    tree.nodes().iter().map(node).collect()
}

#[test]
fn the_order_of_the_rows_does_not_show() {
    for seed in 0..10 {
        let mut round = Simulated::new(seed, 100, 3, 3);
        // Equal values in different rows, and weights of all sizes.
        round.rows.iter_mut().for_each(|x| x[1] = x[1].round());
        round.h.iter_mut().zip(0..).for_each(|(h, i)| *h *= 10_f64.powi(i % 9 - 4));
        let order = datasets::permutation(100, seed, 0).unwrap();
        let (tree, values) = grow(&round, learner(9, 0.0, 0.0));
        let (other, others) = grow(&round.chosen(&order), learner(9, 0.0, 0.0));
        assert_eq!(tree, other, "seed {seed}");
        let moved = (0..3).flat_map(|a| order.iter().map(move |i| a * 100 + i));
        assert_eq!(others, moved.map(|pair| values[pair]).collect::<Vec<f64>>());
    }
}

/// An example of weight k is k examples of weight 1, and one of weight 0 is none; it is predicted
/// nevertheless.
#[test]
fn weights_repeat_examples() {
    for seed in 0..10 {
        let mut round = Simulated::new(seed, 60, 3, 3);
        let times = |i: usize| (i * 7 + 3) % 4;
        round.g.iter_mut().for_each(|g| *g = (*g * 1024.0).round() / 1024.0);
        round.h.fill(1.0);
        let repeated: Vec<usize> = (0..60).flat_map(|i| std::iter::repeat_n(i, times(i))).collect();
        let (tree, values) = grow(&round.chosen(&repeated), learner(6, 2.0, 0.25));
        for k in 0..180 {
            round.g[k] *= times(k % 60) as f64;
        }
        (0..60).for_each(|i| round.h[i] = times(i) as f64);
        let (other, others) = grow(&round, learner(6, 2.0, 0.25));
        assert_eq!(tree, other, "seed {seed}");
        assert!(tree.leaves() > 10);
        for (k, i) in repeated.iter().enumerate() {
            for a in 0..3 {
                assert_eq!(values[a * repeated.len() + k], others[a * 60 + i]);
            }
        }
        let kept: Vec<usize> = (0..60).filter(|i| times(*i) > 0).collect();
        assert_eq!(grow(&round.chosen(&kept), learner(6, 2.0, 0.25)).0, tree);
        assert!(others.iter().all(|v| v.is_finite()));
    }
}

/// Each split parts what is ten orders of magnitude lighter, down to thirty; values at both ends of the
/// range.
#[test]
fn light_examples_are_seen_step_by_step_and_nothing_overflows() {
    let columns = |x: &[f64]| SortedColumns::new(RowMatrix::dense(1, x.to_vec()).unwrap()).unwrap();
    let contexts = columns(&[1e140, 1e140, 1e139, 5e-324, -1e140]);
    let h = [1e130, 1e130, 1e129, 1e128, 1e127];
    let g = [1e130, 1e130, -1e129, 1e128, -1e127];
    let round = PairRound::new(5, 1, &g, PairWeights::OfExamples(&h)).unwrap();
    let mut values = [0.0; 5];
    let tree = learner(4, 0.0, 0.0).train(&contexts, &round, &mut values).unwrap();
    assert_eq!((values, tree.leaves()), ([1.0, 1.0, -1.0, 1.0, -1.0], 4));
    let (contexts, mut values) = (columns(&[1.0, 2.0, 3.0, 4.0]), [0.0; 4]);
    let (g, h) = ([1e140, 1e140, 1.0, -1e130], [1e140, 1e140, 1e-320, 1e-300]);
    let round = PairRound::new(4, 1, &g, PairWeights::OfExamples(&h)).unwrap();
    learner(3, 0.0, 1e-300).train(&contexts, &round, &mut values).unwrap();
    assert!(values.iter().all(|v| v.is_finite()), "{values:?}");
    let (g, h) = ([1e130; 4], [1e-300; 4]);
    let round = PairRound::new(4, 1, &g, PairWeights::OfExamples(&h)).unwrap();
    learner(3, 0.0, 0.0).train(&contexts, &round, &mut values).unwrap();
    assert_eq!(values, [f64::MAX; 4]);
    learner(3, 0.0, 1e140).train(&contexts, &round, &mut values).unwrap();
    assert_eq!(values, [4e130 / 1e140; 4]);
    learner(3, 1e140, 0.0).train(&contexts, &round, &mut values).unwrap();
    assert_eq!(values, [f64::MAX; 4], "no split, and no overflow");
}

#[test]
fn what_is_refused_changes_nothing() {
    let round = Simulated::new(3, 30, 2, 2);
    let contexts = SortedColumns::new(round.matrix()).unwrap();
    let mut learner = learner(4, 0.0, 0.0);
    let (tree, before) = round.train(&mut learner, &contexts);
    let mut values = vec![7.0; 59];
    let refused = learner.train(&contexts, &round.round(), &mut values);
    assert_eq!(refused, Err(LearnerError::LengthMismatch { argument: "values", expected: 60, got: 59 }));
    assert!(values.iter().all(|v| *v == 7.0));
    let fewer = SortedColumns::new(round.chosen(&[1, 2, 3]).matrix()).unwrap();
    let refused = learner.train(&fewer, &round.round(), &mut vec![0.0; 60]);
    assert_eq!(refused, Err(LearnerError::LengthMismatch { argument: "contexts", expected: 30, got: 3 }));
    assert_eq!(round.train(&mut learner, &contexts), (tree.clone(), before));

    let saved = serde_json::to_string(&learner).unwrap();
    assert_eq!(serde_json::from_str::<ExactPairTree>(&saved).unwrap(), learner);
    for (from, to) in
        [("\"max_depth\":4", "\"max_depth\":1001"), ("\"reg_lambda\":0.0", "\"reg_lambda\":-1.0")]
    {
        assert!(saved.contains(from), "{saved}");
        assert!(serde_json::from_str::<ExactPairTree>(&saved.replace(from, to)).is_err(), "{to}");
    }
    let saved = serde_json::to_string(&tree).unwrap();
    assert_eq!(serde_json::from_str::<PairTree>(&saved).unwrap(), tree);
    for (from, to) in [
        ("\"actions\":2", "\"actions\":0"),
        ("\"actions\":2", "\"actions\":16777217"),
        ("\"actions\":2", "\"actions\":9000000000"),
        ("\"actions\":2", "\"actions\":18446744073709551615"),
        ("\"others\":1", "\"others\":0"),
        ("\"inputs\":2", "\"inputs\":0"),
    ] {
        assert!(saved.contains(from), "{saved}");
        assert!(serde_json::from_str::<PairTree>(&saved.replace(from, to)).is_err(), "{to}");
    }
}

/// The contexts of letter, where a sum of two columns says which of six actions is right: every level adds to
/// the objective, and none goes beyond targets that are met.
#[test]
fn on_real_contexts_deeper_trees_do_better() {
    let search = SearchPath::from_environment(None).unwrap();
    let set = load(Name::Letter, &search, StandIn { seed: 7, rows: Some(600) }).unwrap();
    let is_official = matches!(set.provenance, Provenance::Official { .. });
    if !is_official {
        reduced::announce(&format!("letter is a {}, of which no tree is the better one", set.provenance));
    }
    let n = 600;
    let rows: Vec<Vec<f64>> = (0..n).map(|i| set.features.row(i).unwrap().to_dense()).collect();
    let mut round = Simulated { inputs: rows[0].len(), actions: 6, rows, h: vec![1.0; n], g: Vec::new() };
    let is_right = |a: usize, i: usize| (round.rows[i][0] + round.rows[i][2]) % 6.0 == a as f64;
    let target = |a: usize, i: usize| f64::from(u8::from(is_right(a, i))) - 1.0 / 6.0;
    round.g = (0..6).flat_map(|a| (0..n).map(move |i| (a, i))).map(|(a, i)| target(a, i)).collect();
    let objectives: Vec<f64> = [0, 1, 2, 4, 8, 16, 32]
        .map(|depth| round.objective(&grow(&round, learner(depth, 5.0, 0.0)).1))
        .to_vec();
    assert!(objectives.is_sorted(), "{objectives:?}");
    assert!(!is_official || objectives[6] > 4.0 * objectives[2], "{objectives:?}");
    assert!(objectives[6] <= round.objective(&round.g));
}
