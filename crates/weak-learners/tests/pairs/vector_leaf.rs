//! Trees with a value per action in each leaf.

use crate::simulated::Simulated;
use crate::whole_numbers::{Fraction, Whole, whole_rounds};
use proptest::prelude::*;
use rows::{Row, RowMatrix};
use weak_learners::LearnerError;
use weak_learners::batch::{BinnedColumns, SortedColumns};
use weak_learners::pairs::{
    ExactPairTree, PairGrowth, PairHypothesis, PairLearner, PairRound, PairWeights, VectorLeafLearner,
    VectorLeafNode, VectorLeafTree,
};

type Pairs = Vec<(usize, usize)>;

/// Σ_a of the terms.
fn term(whole: &Whole, pairs: &[(usize, usize)]) -> Fraction {
    let of_action = |action| pairs.iter().copied().filter(|(_, a)| *a == action).collect::<Pairs>();
    (0..whole.actions).map(|a| whole.term(&of_action(a))).fold(Fraction(0, 1), Fraction::plus)
}

fn check(
    whole: &Whole,
    contexts: &BinnedColumns,
    tree: &VectorLeafTree,
    (node, depth): (usize, u32),
    pairs: &[(usize, usize)],
) {
    let Fraction(above, below) = term(whole, pairs);
    let mut candidates = Vec::new();
    for j in 0..whole.inputs {
        for &threshold in contexts.cuts(j) {
            let (low, high): (Pairs, Pairs) = pairs.iter().partition(|(i, _)| whole.rows[*i][j] < threshold);
            if depth < whole.depth && whole.may_be_child(&low) && whole.may_be_child(&high) {
                let gain = term(whole, &low).plus(term(whole, &high)).plus(Fraction(-above, below));
                candidates.push((j, threshold, low, high, gain));
            }
        }
    }
    let best =
        candidates.iter().map(|c| c.4).reduce(|best, gain| if gain.is_above(best) { gain } else { best });
    match tree.nodes()[node] {
        VectorLeafNode::Leaf { .. } => {
            assert!(best.is_none_or(|best| best.0 <= 0), "node {node} should be split: {best:?}");
            let Some((i, _)) = pairs.first() else { return };
            let mut scores = vec![0.0; whole.actions];
            tree.scores(Row::dense(&whole.rows[*i]).unwrap(), &mut scores).unwrap();
            for (action, score) in scores.into_iter().enumerate() {
                let part: Pairs = pairs.iter().copied().filter(|(_, a)| *a == action).collect();
                let expected = if part.is_empty() { 0.0 } else { whole.leaf(&part) };
                assert!((score - expected).abs() <= 1e-14 * expected.abs(), "{score}, not {expected}");
            }
        }
        VectorLeafNode::Split { feature, threshold, below, rest } => {
            let is_it =
                |c: &&(usize, f64, Pairs, Pairs, Fraction)| (c.0, c.1) == (feature as usize, threshold);
            let (_, _, low, high, gain) = candidates.iter().find(is_it).unwrap();
            assert!(gain.0 > 0 && Some(*gain) == best, "node {node}: {gain:?}, the best is {best:?}");
            let first = candidates.iter().find(|c| Some(c.4) == best).unwrap();
            assert!(is_it(&first), "node {node}: {first:?} gains as much");
            check(whole, contexts, tree, (below as usize, depth + 1), low);
            check(whole, contexts, tree, (rest as usize, depth + 1), high);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_node_takes_its_best_split(whole in whole_rounds()) {
        let contexts = BinnedColumns::new(whole.matrix()).unwrap();
        let mut values = vec![f64::NAN; whole.n() * whole.actions];
        let mut learner = VectorLeafLearner::new(whole.growth());
        let tree = whole.with_round(|round| learner.train(&contexts, round, &mut values).unwrap());
        check(&whole, &contexts, &tree, (0, 0), &whole.fitted());
        let mut scores = vec![0.0; whole.actions];
        for (i, row) in whole.rows.iter().enumerate() {
            tree.scores(Row::dense(row).unwrap(), &mut scores).unwrap();
            for (a, score) in scores.iter().enumerate() {
                prop_assert_eq!(score.to_bits(), values[a * whole.n() + i].to_bits());
            }
        }
        let mut signs = vec![f64::NAN; values.len()];
        let mut learner = VectorLeafLearner::new(whole.growth().of_signs());
        whole.with_round(|round| learner.train(&contexts, round, &mut signs).unwrap());
        let expected: Vec<f64> = values.iter().map(|v| if *v < 0.0 { -1.0 } else { 1.0 }).collect();
        prop_assert_eq!(signs, expected);
    }
}

/// With one action it is the exact tree, up to thresholds between the same examples.
#[test]
fn with_one_action_it_is_the_exact_tree() {
    for seed in 0..12 {
        let mut round = Simulated::new(seed, 200, 3, 1);
        round.g.iter_mut().enumerate().for_each(|(k, g)| *g += (k as f64).sin());
        let growth =
            PairGrowth::builder().max_depth(7).min_child_weight(9.0).reg_lambda(0.7).build().unwrap();
        let (tree, values) =
            round.train(&mut VectorLeafLearner::new(growth), &BinnedColumns::new(round.matrix()).unwrap());
        let (exact, expected) =
            round.train(&mut ExactPairTree::new(growth), &SortedColumns::new(round.matrix()).unwrap());
        assert_eq!((tree.leaves(), tree.leaves() > 10), (exact.leaves(), true), "seed {seed}");
        for (value, expected) in values.iter().zip(&expected) {
            assert!((value - expected).abs() < 1e-12, "seed {seed}: {value}, not {expected}");
        }
    }
}

#[test]
fn threads_do_not_show_nor_does_the_order_of_the_rows() {
    let round = Simulated::new(5, 6000, 5, 4);
    let growth = PairGrowth::builder().max_depth(6).min_child_weight(20.0).reg_lambda(0.1).build().unwrap();
    let sample = BinnedColumns::new(round.matrix()).unwrap();
    let train = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| round.train(&mut VectorLeafLearner::new(growth), &sample))
    };
    let alone = train(1);
    assert!(alone.0.leaves() > 30, "{}", alone.0.leaves());
    assert_eq!([2, 4].map(train), [alone.clone(), alone.clone()]);
    let shuffled = round.chosen(&datasets::permutation(6000, 5, 0).unwrap());
    let sample = BinnedColumns::new(shuffled.matrix()).unwrap();
    assert_eq!(shuffled.train(&mut VectorLeafLearner::new(growth), &sample).0, alone.0);
}

#[test]
fn powers_of_two_do_not_show() {
    let round = Simulated::new(8, 300, 3, 3);
    let sample = BinnedColumns::new(round.matrix()).unwrap();
    let train = |round: &Simulated, by: f64| {
        let growth = PairGrowth::builder()
            .max_depth(6)
            .min_child_weight(20.0 * by)
            .reg_lambda(0.5 * by)
            .build()
            .unwrap();
        round.train(&mut VectorLeafLearner::new(growth), &sample)
    };
    let (tree, values) = train(&round, 1.0);
    assert!(tree.leaves() > 8, "{}", tree.leaves());
    for (of_g, of_h) in [(430, 430), (-900, -900), (0, 430), (400, -400)] {
        let mut scaled = round.clone();
        scaled.g.iter_mut().for_each(|g| *g *= 2_f64.powi(of_g));
        scaled.h.iter_mut().for_each(|h| *h *= 2_f64.powi(of_h));
        let (other, others) = train(&scaled, 2_f64.powi(of_h));
        let expected: Vec<f64> = values.iter().map(|v| v * 2_f64.powi(of_g - of_h)).collect();
        assert_eq!((other.leaves(), others), (tree.leaves(), expected), "2^{of_g}, 2^{of_h}");
    }
}

/// It need not part the actions first: at equal depth its objective is above that of the tree over pairs.
#[test]
fn x_alone_tells_it_something() {
    for seed in 0..20 {
        let round = Simulated::new(seed, 300, 3, 5);
        let growth =
            PairGrowth::builder().max_depth(3).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
        let sample = BinnedColumns::new(round.matrix()).unwrap();
        let (_, values) = round.train(&mut VectorLeafLearner::new(growth), &sample);
        let sample = SortedColumns::new(round.matrix()).unwrap();
        let (_, others) = round.train(&mut ExactPairTree::new(growth), &sample);
        let (own, other) = (round.objective(&values), round.objective(&others));
        assert!(own > other && other > 0.0, "seed {seed}: {own}, over pairs {other}");
    }
}

/// Every target is 0.3: the terms cancel but for rounding.
#[test]
fn equal_targets_are_not_parted() {
    for seed in 0..50 {
        let mut round = Simulated::new(seed, 200, 3, 3);
        for k in 0..600 {
            round.g[k] = 0.3 * round.h[k % 200];
        }
        let sample = BinnedColumns::new(round.matrix()).unwrap();
        let (tree, _) = round.train(
            &mut VectorLeafLearner::new(
                PairGrowth::builder().max_depth(5).min_child_weight(0.0).reg_lambda(0.0).build().unwrap(),
            ),
            &sample,
        );
        assert_eq!(tree.leaves(), 1, "seed {seed}");
        let sample = SortedColumns::new(round.matrix()).unwrap();
        let (tree, _) = round.train(
            &mut ExactPairTree::new(
                PairGrowth::builder().max_depth(5).min_child_weight(0.0).reg_lambda(0.0).build().unwrap(),
            ),
            &sample,
        );
        assert_eq!(tree.leaves(), 1, "seed {seed}");
    }
}

/// 0.1 + 0.2 − 0.3 is 2^−55 in doubles, and nothing in what they stand for.
#[test]
fn gradients_that_cancel_are_no_gain() {
    let rows = RowMatrix::dense(1, vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0]).unwrap();
    let leaves = |g: &[f64]| {
        let round = PairRound::new(6, 1, g, PairWeights::OfExamples(&[1.0; 6])).unwrap();
        let (contexts, mut values) = (BinnedColumns::new(rows.clone()).unwrap(), [0.0; 6]);
        let mut learner = VectorLeafLearner::new(
            PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build().unwrap(),
        );
        learner.train(&contexts, &round, &mut values).unwrap().leaves()
    };
    assert_eq!(leaves(&[0.1, 0.2, -0.3, 0.0, 0.0, 0.0]), 1);
    assert_eq!(leaves(&[0.1, 0.2, -0.3, 0.1, 0.2, -0.3]), 1);
    assert_eq!(leaves(&[0.1, 0.2, -0.3 - 1e-7, 0.0, 0.0, 0.0]), 2, "what does not cancel is seen");
}

#[test]
fn what_is_no_tree_is_refused() {
    let split = |below, rest| VectorLeafNode::Split { feature: 0, threshold: 0.5, below, rest };
    let leaf = |leaf| VectorLeafNode::Leaf { leaf };
    let tree =
        |nodes: &[VectorLeafNode], values: &[f64]| VectorLeafTree::new(1, 2, nodes.to_vec(), values.to_vec());
    let good = tree(&[split(1, 2), leaf(0), leaf(1)], &[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(good.leaves(), 2);
    for (nodes, why) in [
        (vec![split(1, 3), leaf(0), leaf(1)], "a child that is not there"),
        (vec![split(1, 1), leaf(0), leaf(1)], "one child for both sides"),
        (vec![split(0, 1), leaf(0), leaf(1)], "a child before its parent"),
        (vec![split(1, 2), leaf(0), split(0, 3), leaf(1)], "the root as a child, a walk without end"),
        (vec![leaf(0), leaf(1)], "a node without a parent"),
        (vec![split(1, 2), leaf(0), leaf(0)], "a leaf that is there twice"),
        (vec![split(1, 2), leaf(0), leaf(2)], "a leaf that is not there"),
    ] {
        let refused = tree(&nodes, &[1.0, 2.0, 3.0, 4.0]);
        assert!(
            matches!(refused, Err(LearnerError::BadParameter { name: "node", .. })),
            "{why}: {refused:?}"
        );
    }
    assert!(matches!(
        tree(&[leaf(0)], &[1.0]),
        Err(LearnerError::LengthMismatch { expected: 2, got: 1, .. })
    ));
    assert!(matches!(tree(&[leaf(0)], &[1.0, f64::NAN]), Err(LearnerError::NotFinite { index: 1, .. })));
    assert_eq!(tree(&[], &[]), Err(LearnerError::Empty { argument: "tree" }));

    let saved = serde_json::to_string(&good).unwrap();
    assert_eq!(serde_json::from_str::<VectorLeafTree>(&saved).unwrap(), good);
    for (from, to) in [
        ("\"inputs\":1", "\"inputs\":0"),
        ("\"actions\":2", "\"actions\":3"),
        ("\"actions\":2", "\"actions\":9000000000"),
        ("\"actions\":2", "\"actions\":18446744073709551615"),
        ("\"feature\":0", "\"feature\":1"),
        ("\"threshold\":0.5", "\"threshold\":null"),
        ("\"rest\":2", "\"rest\":7"),
    ] {
        assert!(saved.contains(from), "{from} is in {saved}");
        assert!(serde_json::from_str::<VectorLeafTree>(&saved.replace(from, to)).is_err(), "{to}");
    }
    let mut scores = [0.0; 2];
    assert!(good.scores(Row::dense(&[1.0, 2.0]).unwrap(), &mut scores).is_err());
    assert!(good.scores(Row::dense(&[1.0]).unwrap(), &mut scores[..1]).is_err());
}

#[test]
fn what_is_refused_changes_nothing_and_nothing_overflows() {
    let round = Simulated::new(3, 30, 2, 2);
    let contexts = BinnedColumns::new(round.matrix()).unwrap();
    let mut learner = VectorLeafLearner::new(
        PairGrowth::builder().max_depth(4).min_child_weight(0.0).reg_lambda(0.0).build().unwrap(),
    );
    let found = round.train(&mut learner, &contexts);
    let mut values = vec![7.0; 59];
    let refused = learner.train(&contexts, &round.round(), &mut values);
    assert_eq!(refused, Err(LearnerError::LengthMismatch { argument: "values", expected: 60, got: 59 }));
    assert!(values.iter().all(|v| *v == 7.0));
    assert_eq!(round.train(&mut learner, &contexts), found);

    let mut heavy = round.clone();
    heavy.h.iter_mut().enumerate().for_each(|(i, h)| *h = if i % 2 == 0 { 1e140 } else { 5e-324 });
    heavy.g.iter_mut().for_each(|g| *g = 1e140_f64.copysign(*g));
    let (tree, values) = heavy.train(&mut learner, &contexts);
    assert!(tree.leaves() > 1 && values.iter().all(|v| v.is_finite()));
    let saved = serde_json::to_string(&learner).unwrap();
    assert_eq!(serde_json::from_str::<VectorLeafLearner>(&saved).unwrap(), learner);
    assert!(serde_json::from_str::<VectorLeafLearner>(&saved.replace(":4,", ":1001,")).is_err());
}
