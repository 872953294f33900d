//! Trees of a limited number of leaves: what growing them split by split would have made.

use crate::engine_definition::Nested;
use crate::simulated::Simulated;
use crate::whole_numbers::{Fraction, Whole, whole_rounds, whole_rounds_with_missing};
use proptest::prelude::*;
use std::num::NonZero;
use weak_learners::batch::{BinnedColumns, SortedColumns};
use weak_learners::pairs::{
    BinnedContexts, ExactPairTree, HistogramPairTree, PairGrowth, PairHypothesis, PairLearner, PairNode,
    PairTree, VectorLeafLearner, VectorLeafNode, VectorLeafTree,
};

type Pairs = Vec<(usize, usize)>;

fn at_most(growth: PairGrowth, leaves: usize) -> PairGrowth {
    growth.with_max_leaves(NonZero::new(u32::try_from(leaves).unwrap()).unwrap())
}

/// Below or others first.
fn children(node: &PairNode) -> Option<[usize; 2]> {
    node.children().map(|children| children.map(|child| child as usize))
}

/// The splits of a tree of so many leaves, one after another: a list of the open nodes in the order in which
/// they became nodes, of which the first one that nothing is above is split. Splits are those of the whole
/// tree, for which there are tests.
fn split_by_split<G: Copy>(
    most: usize,
    children: impl Fn(usize) -> Option<[usize; 2]>,
    gain: impl Fn(usize) -> G,
    is_above: impl Fn(G, G) -> bool,
) -> Vec<usize> {
    let (mut open, mut splits) = (vec![0], Vec::new());
    while splits.len() + 1 < most {
        let can_be = open.iter().copied().filter(|node| children(*node).is_some());
        let best = can_be.reduce(|best, node| if is_above(gain(node), gain(best)) { node } else { best });
        let Some(best) = best else { break };
        open.retain(|node| *node != best);
        open.extend(children(best).unwrap());
        splits.push(best);
    }
    splits
}

/// The pairs that pass each node.
fn pairs_of(whole: &Whole, tree: &PairTree) -> Vec<Pairs> {
    let mut pairs = vec![Pairs::new(); tree.nodes().len()];
    for (i, a) in whole.fitted() {
        let mut node = Some(0);
        while let Some(here) = node {
            pairs[here].push((i, a));
            let is_second = match tree.nodes()[here] {
                PairNode::Action { action, .. } => action as usize == a,
                question => question.is_below(|j| whole.rows[i][j as usize]) == Some(false),
            };
            node = children(&tree.nodes()[here]).map(|children| children[usize::from(is_second)]);
        }
    }
    pairs
}

/// That `tree` is the one of these splits of `all`, node by node; where they end, the definition says what a
/// leaf says.
fn check(whole: &Whole, (all, splits, pairs): (&PairTree, &[usize], &[Pairs]), tree: &PairTree) {
    let mut both = vec![(0, 0)];
    while let Some((old, new)) = both.pop() {
        match (all.nodes()[old], tree.nodes()[new]) {
            (_, PairNode::Leaf { value }) => {
                assert!(!splits.contains(&old), "node {old} is to be split");
                let expected = whole.leaf(&pairs[old]);
                assert!((value - expected).abs() <= 1e-15 * expected.abs(), "{value}, not {expected}");
                continue;
            }
            (
                PairNode::Context { feature, threshold, .. },
                PairNode::Context { feature: j, threshold: t, .. },
            ) => {
                assert_eq!((feature, threshold), (j, t));
            }
            (old @ PairNode::ContextOrMissing { .. }, new @ PairNode::ContextOrMissing { .. }) => {
                let question = |node: PairNode| match node {
                    PairNode::ContextOrMissing { feature, threshold, missing_below, .. } => {
                        (feature, threshold, missing_below)
                    }
                    _ => unreachable!("another question"),
                };
                assert_eq!(question(old), question(new));
            }
            (PairNode::Action { action, .. }, PairNode::Action { action: a, .. }) => assert_eq!(action, a),
            nodes => unreachable!("different splits: {nodes:?}"),
        }
        assert!(splits.contains(&old), "node {old} is to be a leaf");
        let [old, new] = [&all.nodes()[old], &tree.nodes()[new]].map(|node| children(node).unwrap());
        both.extend(old.into_iter().zip(new));
    }
}

fn check_all<L: PairLearner<Hypothesis = PairTree>>(
    whole: &Whole,
    contexts: &L::Contexts,
    learner: impl Fn(PairGrowth) -> L,
) {
    let train = |growth| {
        let mut values = vec![f64::NAN; whole.n() * whole.actions];
        let tree = whole.with_round(|round| learner(growth).train(contexts, round, &mut values).unwrap());
        (tree, values)
    };
    let all = train(whole.growth());
    let pairs = pairs_of(whole, &all.0);
    let gain = |node: usize| {
        let [low, high] = children(&all.0.nodes()[node]).unwrap();
        let Fraction(above, below) = whole.term(&pairs[node]);
        whole.term(&pairs[low]).plus(whole.term(&pairs[high])).plus(Fraction(-above, below))
    };
    for most in 1..=all.0.leaves() + 1 {
        let pruned = train(at_most(whole.growth(), most));
        let splits = split_by_split(most, |node| children(&all.0.nodes()[node]), gain, Fraction::is_above);
        check(whole, (&all.0, &splits, &pairs), &pruned.0);
        assert_eq!(pruned.0.leaves(), most.min(all.0.leaves()));
        assert!(most < all.0.leaves() || pruned == all, "all leaves are all");
        let mut scores = vec![0.0; whole.actions];
        for (i, row) in whole.rows.iter().enumerate() {
            pruned.0.scores(rows::Row::dense(row).unwrap(), &mut scores).unwrap();
            for (a, score) in scores.iter().enumerate() {
                assert_eq!(pruned.1[a * whole.n() + i].to_bits(), score.to_bits());
            }
        }
        let signs = train(at_most(whole.growth().of_signs(), most));
        let expected: Vec<f64> = pruned.1.iter().map(|v| if *v < 0.0 { -1.0 } else { 1.0 }).collect();
        assert_eq!(signs.1, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Gains are compared as fractions, so that those that are equal are so in different nodes too.
    #[test]
    fn it_is_what_growing_it_split_by_split_makes(
        whole in prop_oneof![whole_rounds(), whole_rounds_with_missing()],
    ) {
        let sorted = SortedColumns::new(whole.matrix()).unwrap();
        check_all(&whole, &sorted.with_indicators(&whole.indicators).unwrap(), ExactPairTree::new);
        let binned = BinnedContexts::new(whole.matrix()).unwrap();
        check_all(&whole, &binned.with_indicators(&whole.indicators).unwrap(), HistogramPairTree::new);
    }
}

/// Whether one tree is the other but for splits of its leaves.
fn is_within(small: &Nested, large: &Nested) -> bool {
    match (small, large) {
        (Nested::Leaf(_), _) => true,
        (Nested::Context(j, cut, _, low, high), Nested::Context(k, other, _, below, rest)) => {
            (j, cut) == (k, other) && is_within(low, below) && is_within(high, rest)
        }
        (Nested::Action(a, low, high), Nested::Action(b, others, this)) => {
            a == b && is_within(low, others) && is_within(high, this)
        }
        _ => false,
    }
}

#[test]
fn every_leaf_adds_to_the_objective_and_trees_lie_in_one_another() {
    fn check<L: PairLearner<Hypothesis = PairTree>>(
        round: &Simulated,
        contexts: &L::Contexts,
        learner: impl Fn(PairGrowth) -> L,
    ) {
        let growth =
            PairGrowth::builder().max_depth(7).min_child_weight(5.0).reg_lambda(0.0).build().unwrap();
        let all = round.train(&mut learner(growth), contexts);
        assert!(all.0.leaves() > 20, "{} leaves", all.0.leaves());
        let trees: Vec<(PairTree, Vec<f64>)> = (1..=all.0.leaves() + 3)
            .map(|most| round.train(&mut learner(at_most(growth, most)), contexts))
            .collect();
        for (most, pair) in (1..).zip(trees.windows(2)) {
            let [(small, values), (large, others)] = pair else { unreachable!() };
            assert_eq!((small.leaves(), most), (most.min(all.0.leaves()), most));
            assert!(is_within(&Nested::of(small), &Nested::of(large)));
            let (less, more) = (round.objective(values), round.objective(others));
            assert!(more > less || most >= all.0.leaves(), "{most}: {less}, then {more}");
        }
        assert_eq!(trees[all.0.leaves()..], [all.clone(), all.clone(), all.clone()]);
        assert!(matches!(trees[0].0.nodes(), [PairNode::Leaf { .. }]));
    }
    for seed in 0..3 {
        let round = Simulated::new(seed, 200, 3, 4);
        check(&round, &SortedColumns::new(round.matrix()).unwrap(), ExactPairTree::new);
        check(&round, &BinnedContexts::new(round.matrix()).unwrap(), HistogramPairTree::new);
    }
}

/// Gains of 2^2000 and 2^−2000 times the others.
#[test]
fn powers_of_two_do_not_show() {
    let round = Simulated::new(7, 150, 3, 3);
    let train = |round: &Simulated, by: f64| {
        let growth = at_most(
            PairGrowth::builder()
                .max_depth(9)
                .min_child_weight(3.0 * by)
                .reg_lambda(0.5 * by)
                .build()
                .unwrap(),
            12,
        );
        let exact =
            round.train(&mut ExactPairTree::new(growth), &SortedColumns::new(round.matrix()).unwrap());
        let binned = BinnedContexts::new(round.matrix()).unwrap();
        (exact, round.train(&mut HistogramPairTree::new(growth), &binned))
    };
    let (exact, binned) = train(&round, 1.0);
    assert_eq!((exact.0.leaves(), binned.0.leaves()), (12, 12));
    for (of_g, of_h) in [(430, 430), (-900, -900), (410, -600), (-500, 440)] {
        let (by_g, by_h) = (2_f64.powi(of_g), 2_f64.powi(of_h));
        let mut scaled = round.clone();
        scaled.g.iter_mut().for_each(|g| *g *= by_g);
        scaled.h.iter_mut().for_each(|h| *h *= by_h);
        let (other, other_binned) = train(&scaled, by_h);
        for ((_, values), (_, others)) in [(&exact, &other), (&binned, &other_binned)] {
            let scale = |v: &f64| {
                (v * 2_f64.powi((of_g - of_h) / 2) * 2_f64.powi((of_g - of_h) / 2)).clamp(f64::MIN, f64::MAX)
            };
            assert_eq!(*others, values.iter().map(scale).collect::<Vec<f64>>(), "2^{of_g}, 2^{of_h}");
        }
    }
}

#[test]
fn neither_threads_nor_earlier_rounds_show() {
    let rounds = [5, 6].map(|seed| Simulated::new(seed, 12000, 3, 4));
    let contexts = rounds.clone().map(|round| BinnedContexts::new(round.matrix()).unwrap());
    let growth = at_most(
        PairGrowth::builder().max_depth(12).min_child_weight(20.0).reg_lambda(0.1).build().unwrap(),
        40,
    );
    // With memory of its own for each round, and then with that of other rounds.
    let alone = [0, 1, 0].map(|k| rounds[k].train(&mut HistogramPairTree::new(growth), &contexts[k]));
    assert!(alone.iter().all(|(tree, _)| tree.leaves() == 40) && alone[0] != alone[1]);
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut learner = HistogramPairTree::new(growth);
        let course = || [0, 1, 0].map(|k| rounds[k].train(&mut learner, &contexts[k]));
        assert_eq!(pool.install(course), alone, "{threads} threads");
    }
}

/// The objective of a vector leaf of these examples, where λ = 0.
fn term(round: &Simulated, examples: &[usize]) -> f64 {
    let h: f64 = examples.iter().map(|i| round.h[*i]).sum();
    let g = |a: usize| examples.iter().map(|i| round.g[a * round.n() + i]).sum::<f64>();
    (0..round.actions).map(|a| g(a).powi(2) / (2.0 * h)).sum()
}

#[test]
fn vector_leaves_are_as_many_too() {
    let children = |tree: &VectorLeafTree, node: usize| match tree.nodes()[node] {
        VectorLeafNode::Leaf { .. } => None,
        VectorLeafNode::Split { below, rest, .. } => Some([below as usize, rest as usize]),
    };
    for seed in 0..5 {
        let round = Simulated::new(seed, 150, 3, 3);
        let contexts = BinnedColumns::new(round.matrix()).unwrap();
        let growth =
            PairGrowth::builder().max_depth(6).min_child_weight(12.0).reg_lambda(0.0).build().unwrap();
        let all = round.train(&mut VectorLeafLearner::new(growth), &contexts);
        assert!(all.0.leaves() > 10, "{} leaves", all.0.leaves());
        let mut examples = vec![Vec::new(); all.0.nodes().len()];
        for (i, x) in round.rows.iter().enumerate() {
            let mut node = 0;
            examples[0].push(i);
            while let VectorLeafNode::Split { feature, threshold, below, rest } = all.0.nodes()[node] {
                node = if x[feature as usize] < threshold { below } else { rest } as usize;
                examples[node].push(i);
            }
        }
        let gain = |node: usize| {
            let sides: f64 =
                children(&all.0, node).unwrap().iter().map(|child| term(&round, &examples[*child])).sum();
            sides - term(&round, &examples[node])
        };
        let mut objective = term(&round, &examples[0]);
        for most in 1..=all.0.leaves() + 1 {
            let mut learner = VectorLeafLearner::new(at_most(growth, most));
            let (tree, values) = round.train(&mut learner, &contexts);
            let splits = split_by_split(most, |node| children(&all.0, node), gain, |a, b| a > b);
            if most > 1 && most <= all.0.leaves() {
                objective += gain(*splits.last().unwrap());
            }
            assert_eq!(tree.leaves(), most.min(all.0.leaves()));
            let found = round.objective(&values);
            assert!((found - objective).abs() < 1e-9 * objective, "{most}: {found}, not {objective}");
            assert!(most < all.0.leaves() || (tree, values) == all);
        }
    }
}

#[test]
fn what_was_saved_without_a_number_of_leaves_is_read() {
    let growth = PairGrowth::builder().max_depth(5).min_child_weight(2.0).reg_lambda(0.25).build().unwrap();
    let saved = r#"{"max_depth":5,"min_child_weight":2.0,"reg_lambda":0.25,"answer":"mean"}"#;
    assert_eq!(serde_json::to_string(&growth).unwrap(), saved);
    assert_eq!(serde_json::from_str::<PairGrowth>(saved).unwrap(), growth);
    let limited = serde_json::to_string(&at_most(growth, 7)).unwrap();
    assert_eq!(serde_json::from_str::<PairGrowth>(&limited).unwrap(), at_most(growth, 7));
    assert!(limited.contains("\"max_leaves\":7"), "{limited}");
    assert!(serde_json::from_str::<PairGrowth>(&limited.replace(":7", ":0")).is_err());
}
