//! Splits that gain the same: missing values on the side of 0, then the lowest feature, then the lowest
//! threshold, and actions behind the features.

use crate::exact_definition::{Pairs, candidates, gain};
use crate::whole_numbers::{Fraction, Whole};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{
    BinnedContexts, ExactPairTree, HistogramPairTree, PairGrowth, PairLearner, PairNode, PairRound, PairTree,
    PairWeights,
};

/// The splits of a tree as what they do to the pairs of weight above 0: the feature, actions behind those of
/// x, and x_j < θ, or the other actions.
#[derive(Debug, Clone, PartialEq)]
enum Parted {
    Whole,
    Split { feature: usize, low: Pairs, children: Box<[Parted; 2]> },
}

/// By fractions of whole numbers and the rule of ties, and by nothing of the engines.
fn by_definition(whole: &Whole, pairs: &[(usize, usize)], depth: u32) -> Parted {
    let all = if depth < whole.depth { candidates(whole, pairs) } else { Vec::new() };
    let mut best: Option<(Fraction, usize)> = None;
    for (k, candidate) in all.iter().enumerate() {
        let gain = gain(whole, candidate, pairs);
        if best.is_none_or(|(most, _)| gain.is_above(most)) {
            best = Some((gain, k));
        }
    }
    let Some((_, k)) = best.filter(|(gain, _)| gain.0 > 0) else { return Parted::Whole };
    let (feature, _, low, high) = &all[k];
    let children = [low, high].map(|pairs| by_definition(whole, pairs, depth + 1));
    Parted::Split { feature: *feature, low: low.clone(), children: Box::new(children) }
}

fn by_tree(whole: &Whole, tree: &PairTree, node: u32, pairs: &[(usize, usize)]) -> Parted {
    let (feature, children) = match tree.nodes()[node as usize] {
        PairNode::Leaf { .. } => return Parted::Whole,
        PairNode::Context { feature, below, rest, .. }
        | PairNode::ContextOrMissing { feature, below, rest, .. } => (feature as usize, [below, rest]),
        PairNode::Action { action, others, this } => (whole.inputs + action as usize, [others, this]),
    };
    let is_low = |&&(i, a): &&(usize, usize)| match tree.nodes()[node as usize] {
        PairNode::Action { action, .. } => action as usize != a,
        question => question.is_below(|j| whole.rows[i][j as usize]) == Some(true),
    };
    let (low, high): (Pairs, Pairs) = pairs.iter().partition(is_low);
    let [below, rest] = children;
    let children = [by_tree(whole, tree, below, &low), by_tree(whole, tree, rest, &high)];
    Parted::Split { feature, low, children: Box::new(children) }
}

fn train<L: PairLearner<Hypothesis = PairTree>>(
    whole: &Whole,
    contexts: &L::Contexts,
    mut learner: L,
) -> Parted {
    let mut values = vec![f64::NAN; whole.n() * whole.actions];
    let tree = whole.with_round(|round| learner.train(contexts, round, &mut values).unwrap());
    by_tree(whole, &tree, 0, &whole.fitted())
}

/// Actions 2 and 3 both make 67/6 of the root: 1²/2 + 8²/6 and (7/2)²/2 + (11/2)²/6.
#[test]
fn two_actions_that_gain_the_same() {
    let g = [0.5, 1.0, 0.0, 2.0, 1.0, 0.0, 1.5, -0.5, 0.0, 1.75, 1.75, 0.0];
    let rows = RowMatrix::dense(2, vec![1.0, 1.0, 1.0, 0.0, 1.0, 0.0]).unwrap();
    let round = PairRound::new(3, 4, &g, PairWeights::OfExamples(&[1.0, 1.0, 0.0])).unwrap();
    let growth = PairGrowth::builder().max_depth(3).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
    let mut values = [0.0; 12];
    let contexts = SortedColumns::new(rows.clone()).unwrap();
    let exact = ExactPairTree::new(growth).train(&contexts, &round, &mut values).unwrap();
    assert!(matches!(exact.nodes()[0], PairNode::Action { action: 2, .. }), "{:?}", exact.nodes()[0]);
    let contexts = BinnedContexts::new(rows).unwrap();
    let histogram = HistogramPairTree::new(growth).train(&contexts, &round, &mut values).unwrap();
    assert!(matches!(histogram.nodes()[0], PairNode::Action { action: 2, .. }), "{:?}", histogram.nodes()[0]);
}

/// In quarters: of a node's splits several often gain the same, by other sums.
fn instance(rng: &mut ChaCha8Rng) -> Whole {
    const QUARTERS: [i32; 7] = [0, 1, 2, 4, 6, 7, 8];
    let (inputs, actions, n) =
        (rng.random_range(1..4), rng.random_range(1_usize..7), rng.random_range(1_usize..8));
    let is_of_pairs = rng.random();
    let mut of = |least: usize| *QUARTERS[least..].choose(rng).unwrap();
    let rows = (0..n).map(|_| (0..inputs).map(|_| f64::from(of(0)) / 4.0).collect()).collect();
    let mut g: Vec<i32> = (0..n * actions).map(|_| of(0)).collect();
    // Few weights, of which one is 0: the more splits gain the same.
    let weights = [0, of(1), of(1)];
    let mut h: Vec<i32> = (0..n * actions).map(|_| weights[rng.random_range(0..3)]).collect();
    let mut of = |least: usize| *QUARTERS[least..].choose(rng).unwrap();
    let lambda = if of(0) < 4 { of(0) } else { 0 };
    let min_child_weight = if of(0) < 4 { of(0) } else { 0 };
    h[0] = of(1);
    for k in 0..n * actions {
        h[k] = if is_of_pairs { h[k] } else { h[k % n] };
        g[k] = if h[k] == 0 { 0 } else { g[k] * rng.random_range(-1..=1) };
    }
    let indicators = Vec::new();
    Whole { inputs, actions, rows, indicators, g, h, is_of_pairs, depth: 3, min_child_weight, lambda }
}

/// The same where values of the first column are missing, and its indicator is the last one.
fn with_missing(mut whole: Whole, rng: &mut ChaCha8Rng) -> Whole {
    for row in &mut whole.rows {
        let is_missing = rng.random_range(0..3) == 0;
        row[0] = if is_missing { 0.0 } else { row[0] - 1.0 };
        row.push(f64::from(u8::from(is_missing)));
    }
    whole.indicators = vec![(0, whole.inputs)];
    whole.inputs += 1;
    whole
}

/// Splits of some node other than the one taken that gain as much and part it otherwise.
fn ties(whole: &Whole, parted: &Parted, pairs: &[(usize, usize)]) -> usize {
    let Parted::Split { low, children, .. } = parted else { return 0 };
    let all = candidates(whole, pairs);
    let high: Pairs = pairs.iter().copied().filter(|pair| !low.contains(pair)).collect();
    let taken = gain(whole, &(0, (0.0, None), low.clone(), high.clone()), pairs);
    let is_tie = |candidate: &&crate::exact_definition::Candidate| {
        gain(whole, candidate, pairs) == taken && candidate.2 != *low && candidate.3 != *low
    };
    let here = all.iter().filter(is_tie).count();
    here + ties(whole, &children[0], low) + ties(whole, &children[1], &high)
}

/// The same with every g times one number, and every h and what is compared with it times another: no split
/// gains more than one that it did not.
fn scaled(whole: &Whole, of_g: i32, of_h: i32) -> Whole {
    let times = |v: &[i32], by| v.iter().map(|v| v * by).collect();
    Whole {
        rows: whole.rows.clone(),
        indicators: whole.indicators.clone(),
        g: times(&whole.g, of_g),
        h: times(&whole.h, of_h),
        min_child_weight: whole.min_child_weight * of_h,
        lambda: whole.lambda * of_h,
        ..*whole
    }
}

/// In every other instance the sums are so large that doubles round what is compared.
#[test]
fn engines_and_fractions_agree_where_gains_are_equal() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut tied = 0;
    for k in 0..8000 {
        let small = instance(&mut rng);
        let small = if k % 4 > 1 { with_missing(small, &mut rng) } else { small };
        let expected = by_definition(&small, &small.fitted(), 0);
        tied += usize::from(ties(&small, &expected, &small.fitted()) > 0);
        let whole = if k % 2 == 0 { small } else { scaled(&small, 1_040_563, 1_023_857) };
        let contexts = SortedColumns::new(whole.matrix()).unwrap();
        let contexts = contexts.with_indicators(&whole.indicators).unwrap();
        let exact = train(&whole, &contexts, ExactPairTree::new(whole.growth()));
        assert_eq!(exact, expected, "exact, instance {k}: {whole:?}");
        let contexts = BinnedContexts::new(whole.matrix()).unwrap();
        let contexts = contexts.with_indicators(&whole.indicators).unwrap();
        let histogram = train(&whole, &contexts, HistogramPairTree::new(whole.growth()));
        assert_eq!(histogram, expected, "histogram, instance {k}: {whole:?}");
    }
    assert!(tied > 1000, "{tied} with ties");
}
