//! The exact tree, node by node, against every split of the rows [x ; one-hot(a)].

use crate::whole_numbers::{Fraction, Whole, whole_rounds, whole_rounds_with_missing};
use proptest::prelude::*;
use rows::Row;
use weak_learners::batch::{LeafAnswer, SortedColumns};
use weak_learners::pairs::{ExactPairTree, PairHypothesis, PairLearner, PairNode, PairTree};

pub(crate) type Pairs = Vec<(usize, usize)>;

/// A split of some pairs: feature and threshold, and both sides; the threshold with the side of missing
/// values, if it is not that of 0.
pub(crate) type Candidate = (usize, (f64, Option<bool>), Pairs, Pairs);

/// All splits of a node in the order of ties: the rows are written out, and nothing of the search is used.
pub(crate) fn candidates(whole: &Whole, pairs: &[(usize, usize)]) -> Vec<Candidate> {
    let mut found = Vec::new();
    let plain = (0..whole.inputs).map(|j| (j, None));
    let moved = whole.indicators.iter().map(|(j, k)| (*j, Some(*k)));
    let of_actions = (whole.inputs..whole.inputs + whole.actions).map(|j| (j, None));
    for (j, moved) in plain.chain(moved).chain(of_actions) {
        let value = |&(i, a): &(usize, usize)| match j.checked_sub(whole.inputs) {
            None => whole.rows[i][j],
            Some(action) => f64::from(u8::from(a == action)),
        };
        let mut values: Vec<f64> = pairs.iter().map(value).collect();
        values.sort_by(|a, b| a.partial_cmp(b).unwrap());
        values.dedup();
        for pair in values.windows(2) {
            let middle = f64::midpoint(pair[0], pair[1]);
            let threshold = if middle > pair[0] { middle } else { pair[1] };
            let is_low = |pair: &(usize, usize)| match moved {
                Some(k) if whole.rows[pair.0][k] == 1.0 => 0.0 >= threshold,
                _ => value(pair) < threshold,
            };
            let (low, high): (Pairs, Pairs) = pairs.iter().partition(|pair| is_low(pair));
            if whole.may_be_child(&low) && whole.may_be_child(&high) {
                found.push((j, (threshold, moved.map(|_| 0.0 >= threshold)), low, high));
            }
        }
    }
    found
}

/// Twice the gain.
pub(crate) fn gain(whole: &Whole, (_, _, low, high): &Candidate, pairs: &[(usize, usize)]) -> Fraction {
    let Fraction(above, below) = whole.term(pairs);
    whole.term(low).plus(whole.term(high)).plus(Fraction(-above, below))
}

fn check(whole: &Whole, tree: &PairTree, node: usize, depth: u32, pairs: &[(usize, usize)]) {
    let all = if depth < whole.depth { candidates(whole, pairs) } else { Vec::new() };
    let gains: Vec<Fraction> = all.iter().map(|candidate| gain(whole, candidate, pairs)).collect();
    let best = gains.iter().copied().reduce(|best, gain| if gain.is_above(best) { gain } else { best });
    let (feature, threshold, children) = match tree.nodes()[node] {
        PairNode::Leaf { value } => {
            let expected = whole.leaf(pairs);
            assert!((value - expected).abs() <= 1e-15 * expected.abs(), "{value}, not {expected}");
            assert!(best.is_none_or(|best| best.0 <= 0), "node {node} should be split: {best:?}");
            return;
        }
        PairNode::Context { feature, threshold, below, rest } => {
            (feature as usize, (threshold, None), [below, rest])
        }
        PairNode::ContextOrMissing { feature, threshold, missing_below, below, rest, .. } => {
            (feature as usize, (threshold, Some(missing_below)), [below, rest])
        }
        PairNode::Action { action, others, this } => {
            (whole.inputs + action as usize, (0.5, None), [others, this])
        }
    };
    let k = all.iter().position(|(j, cut, ..)| (*j, *cut) == (feature, threshold)).unwrap();
    assert!(gains[k].0 > 0 && Some(gains[k]) == best, "node {node}: {:?}, the best is {best:?}", gains[k]);
    let (_, _, low, high) = &all[k];
    let earlier = gains[..k].iter().position(|gain| Some(*gain) == best);
    assert!(earlier.is_none(), "node {node}: candidate {k} is taken, {earlier:?} gains as much");
    for (child, pairs) in children.into_iter().zip([low, high]) {
        check(whole, tree, child as usize, depth + 1, pairs);
    }
}

fn train(whole: &Whole, contexts: &SortedColumns, answer: LeafAnswer) -> (PairTree, Vec<f64>) {
    let growth = if answer == LeafAnswer::Sign { whole.growth().of_signs() } else { whole.growth() };
    let mut values = vec![f64::NAN; whole.n() * whole.actions];
    let mut learner = ExactPairTree::new(growth);
    let tree = whole.with_round(|round| learner.train(contexts, round, &mut values).unwrap());
    (tree, values)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_node_takes_its_best_split(whole in prop_oneof![whole_rounds(), whole_rounds_with_missing()]) {
        let contexts = SortedColumns::new(whole.matrix()).unwrap();
        let contexts = contexts.with_indicators(&whole.indicators).unwrap();
        let (tree, values) = train(&whole, &contexts, LeafAnswer::Mean);
        check(&whole, &tree, 0, 0, &whole.fitted());
        let mut scores = vec![0.0; whole.actions];
        for (i, row) in whole.rows.iter().enumerate() {
            tree.scores(Row::dense(row).unwrap(), &mut scores).unwrap();
            for (a, score) in scores.iter().enumerate() {
                prop_assert_eq!(score.to_bits(), values[a * whole.n() + i].to_bits(), "pair {:?}", (i, a));
            }
        }
    }

    /// Sparse rows, and signs for means: the same splits.
    #[test]
    fn layout_and_answer_do_not_show(whole in prop_oneof![whole_rounds(), whole_rounds_with_missing()]) {
        let contexts = SortedColumns::new(whole.matrix()).unwrap();
        let contexts = contexts.with_indicators(&whole.indicators).unwrap();
        let (tree, values) = train(&whole, &contexts, LeafAnswer::Mean);
        let (mut offsets, mut indices, mut stored) = (vec![0], Vec::new(), Vec::new());
        for row in &whole.rows {
            for (j, value) in (0..).zip(row).filter(|(_, value)| **value != 0.0) {
                indices.push(j);
                stored.push(*value);
            }
            offsets.push(stored.len());
        }
        let sparse = rows::RowMatrix::sparse(whole.inputs, offsets, indices, stored).unwrap();
        let sparse = SortedColumns::new(sparse).unwrap().with_indicators(&whole.indicators).unwrap();
        prop_assert_eq!(train(&whole, &sparse, LeafAnswer::Mean), (tree, values.clone()));
        let (_, signs) = train(&whole, &contexts, LeafAnswer::Sign);
        let expected: Vec<f64> = values.iter().map(|v| if *v < 0.0 { -1.0 } else { 1.0 }).collect();
        prop_assert_eq!(signs, expected);
    }
}
