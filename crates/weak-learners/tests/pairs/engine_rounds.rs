//! Rounds as boosting asks them: real contexts, Σ_a g = 0, any threads, any layout, any scale.

use crate::streams::Stream;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::LearnerError;
use weak_learners::batch::Sample;
use weak_learners::pairs::{
    BinnedContexts, HistogramPairTree, PairGrowth, PairHypothesis, PairLearner, PairNode, PairRound,
    PairTree, PairWeights,
};

/// A round of BOPL: g = (r/p) π(a_i)(1{a = a_i} − π(a)) and h = |r|/p, where r looks at a coordinate of x.
struct Asked {
    actions: usize,
    g: Vec<f64>,
    h: Vec<f64>,
}

impl Asked {
    fn of(rows: &RowMatrix, actions: usize, seed: u64) -> Self {
        let n = rows.len();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut g, mut h) = (vec![0.0; n * actions], vec![0.0; n]);
        for (i, x) in rows.iter().enumerate() {
            let pi: Vec<f64> = (0..actions).map(|_| 0.1 + rng.random::<f64>()).collect();
            let total: f64 = pi.iter().sum();
            let logged = rng.random_range(0..actions);
            let sign = x.get(logged * 3 % rows.dimension()).unwrap_or_default();
            let r = (if sign > 0.0 { 0.6 } else { -0.4 }) * f64::from(u8::from(i % 50 != 7));
            let p = 0.05 + rng.random::<f64>();
            h[i] = r.abs() / p;
            for a in 0..actions {
                let one = f64::from(u8::from(a == logged));
                g[a * n + i] = r / p * pi[logged] / total * (one - pi[a] / total);
            }
        }
        Self { actions, g, h }
    }

    fn train(&self, learner: &mut HistogramPairTree, contexts: &BinnedContexts) -> (PairTree, Vec<f64>) {
        let weights = PairWeights::OfExamples(&self.h);
        let round = PairRound::new(self.h.len(), self.actions, &self.g, weights).unwrap();
        let mut values = vec![f64::NAN; self.g.len()];
        (learner.train(contexts, &round, &mut values).unwrap(), values)
    }
}

fn learner(depth: u32, least: f64) -> HistogramPairTree {
    HistogramPairTree::new(
        PairGrowth::builder().max_depth(depth).min_child_weight(least).reg_lambda(0.0).build().unwrap(),
    )
}

/// For every pair the leaf that it ends in.
fn leaf_of(tree: &PairTree, x: &[f64], a: usize) -> usize {
    let mut i = 0;
    loop {
        i = match tree.nodes()[i] {
            PairNode::Leaf { .. } => return i,
            question @ (PairNode::Context { below, rest, .. }
            | PairNode::ContextOrMissing { below, rest, .. }) => {
                if question.is_below(|j| x[j as usize]) == Some(true) { below } else { rest }
            }
            PairNode::Action { action, others, this } => {
                if action as usize == a {
                    this
                } else {
                    others
                }
            }
        } as usize;
    }
}

#[test]
fn on_real_contexts_a_leaf_is_the_mean_of_its_pairs_and_threads_do_not_show() {
    let rows = Stream::raw_adult().rows;
    let n = rows.len();
    let contexts = BinnedContexts::new(rows.clone()).unwrap();
    assert!(contexts.bytes_a_row() < 30, "indicators share bytes: {}", contexts.bytes_a_row());
    let asked = Asked::of(&rows, 4, 1);
    let alone = asked.train(&mut learner(12, 30.0), &contexts);
    let (tree, values) = &alone;
    assert!(tree.leaves() > 100, "{} leaves", tree.leaves());
    // A node of all actions has nothing to gain from x.
    assert!(matches!(tree.nodes()[0], PairNode::Action { .. }));
    let mut sums = vec![(0.0, 0.0); tree.nodes().len()];
    let mut scores = vec![0.0; asked.actions];
    for (i, x) in rows.iter().enumerate() {
        tree.scores(x, &mut scores).unwrap();
        let x = x.to_dense();
        for (a, score) in scores.iter().enumerate() {
            assert_eq!(values[a * n + i].to_bits(), score.to_bits());
            let sums = &mut sums[leaf_of(tree, &x, a)];
            *sums = (sums.0 + asked.g[a * n + i], sums.1 + asked.h[i]);
        }
    }
    for (node, (g, h)) in tree.nodes().iter().zip(&sums) {
        if let PairNode::Leaf { value } = node {
            assert!((value - g / h).abs() < 1e-6 && *h >= 30.0 * (1.0 - 1e-6), "{value}, not {g}/{h}");
        }
    }
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut learner = learner(12, 30.0);
        for round in 0..2 {
            assert_eq!(pool.install(|| asked.train(&mut learner, &contexts)), alone, "{threads}, {round}");
        }
    }
    let dense: Vec<f64> = rows.iter().flat_map(|x| x.to_dense()).collect();
    let dense = BinnedContexts::new(RowMatrix::dense(rows.dimension(), dense).unwrap()).unwrap();
    assert_eq!(asked.train(&mut learner(12, 30.0), &dense), alone, "dense rows");
}

/// Many columns: more than a block of bytes, and lists.
#[test]
fn the_layout_does_not_show() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (n, numbers, rare) = (3000, 70, 150);
    let mut values = Vec::new();
    for _ in 0..n {
        values.extend((0..numbers).map(|_| (rng.random::<f64>() * 9.0).floor()));
        values.extend((0..rare).map(|_| f64::from(u8::from(rng.random::<f64>() < 0.06))));
    }
    let rows = RowMatrix::dense(numbers + rare, values.clone()).unwrap();
    let contexts = BinnedContexts::new(rows.clone()).unwrap();
    assert!(contexts.bytes_a_row() >= numbers && contexts.listed_values() > n);
    let asked = Asked::of(&rows, 3, 2);
    let (tree, scores) = asked.train(&mut learner(9, 8.0), &contexts);
    // The same columns 20 further down, so that nothing rare is the bin of 0: the cuts have moved, and
    // nothing else.
    let shifted = RowMatrix::dense(numbers + rare, values.iter().map(|v| v - 20.0).collect()).unwrap();
    let whole = BinnedContexts::new(shifted).unwrap();
    assert_eq!((whole.bytes_a_row(), whole.listed_values()), (numbers + rare, 0));
    let (shifted, same_scores) = asked.train(&mut learner(9, 8.0), &whole);
    assert_eq!(scores, same_scores);
    for (node, shifted) in tree.nodes().iter().zip(shifted.nodes()) {
        match (*node, *shifted) {
            (
                PairNode::Context { feature, threshold, .. },
                PairNode::Context { feature: j, threshold: t, .. },
            ) => {
                assert_eq!((feature, threshold - 20.0), (j, t));
            }
            (node, shifted) => assert_eq!(node, shifted),
        }
    }
}

#[test]
fn noise_is_not_split() {
    let n = 4000;
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let rows = RowMatrix::dense(3, (0..3 * n).map(|_| rng.random::<f64>()).collect()).unwrap();
    let contexts = BinnedContexts::new(rows).unwrap();
    // g/h is the same everywhere, to rounding: nothing to gain, whatever the quanta say.
    let h: Vec<f64> = (0..n).map(|_| rng.random::<f64>()).collect();
    let g: Vec<f64> = (0..2 * n).map(|k| h[k % n] * 0.3).collect();
    let (tree, values) = Asked { actions: 2, g, h }.train(&mut learner(20, 0.0), &contexts);
    assert_eq!(tree.leaves(), 1);
    assert!(values.iter().all(|v| (v - 0.3).abs() < 1e-7), "{}", values[0]);
}

proptest! {
    /// Heavy and light weights side by side, near both ends of the range.
    #[test]
    fn any_scale_is_finite(seed in 0_u64..1000, n in 1_usize..60, actions in 1_usize..4, spread in 0.0_f64..300.0, lambda in 0_u8..3) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = || 2.0 * rng.random::<f64>() - 1.0;
        let rows = RowMatrix::dense(2, (0..2 * n).map(|_| uniform()).collect()).unwrap();
        let contexts = BinnedContexts::new(rows).unwrap();
        let h: Vec<f64> = (0..n * actions).map(|_| (spread * uniform()).exp()).collect();
        let g: Vec<f64> = (0..n * actions).map(|_| uniform() * (spread * uniform()).exp()).collect();
        let lambda = [0.0, 1e-300, 1e130][usize::from(lambda)];
        let mut learner = HistogramPairTree::new(PairGrowth::builder().max_depth(6).min_child_weight(0.0).reg_lambda(lambda).build().unwrap());
        let round = PairRound::new(n, actions, &g, PairWeights::OfPairs(&h)).unwrap();
        let mut values = vec![f64::NAN; g.len()];
        let tree = learner.train(&contexts, &round, &mut values).unwrap();
        let mut scores = vec![0.0; actions];
        for (i, x) in contexts.matrix().iter().enumerate() {
            tree.scores(x, &mut scores).unwrap();
            for (a, score) in scores.iter().enumerate() {
                prop_assert_eq!(score.to_bits(), values[a * n + i].to_bits());
                prop_assert!(score.is_finite());
            }
        }
    }
}

/// A tree of one split on a round of one action, two columns. Each row has the value of its leaf.
fn stump(columns: impl Fn(usize) -> [f64; 2], g: &[f64], h: &[f64], lambda: f64) -> PairTree {
    let rows = RowMatrix::dense(2, (0..g.len()).flat_map(columns).collect()).unwrap();
    let contexts = BinnedContexts::new(rows.clone()).unwrap();
    let round = PairRound::new(g.len(), 1, g, PairWeights::OfPairs(h)).unwrap();
    let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(lambda).build().unwrap();
    let mut values = vec![0.0; g.len()];
    let tree = HistogramPairTree::new(growth).train(&contexts, &round, &mut values).unwrap();
    assert!(rows.iter().zip(values).all(|(x, value)| tree.score(x, 0).unwrap() == value));
    tree
}

/// Equal values are rounded alike: 200,000 roundings that all go one way are no gain, and what the numbers
/// say beyond them is.
#[test]
fn roundings_that_go_one_way_are_not_split() {
    let n = 200_000;
    let columns = |i: usize| [f64::from(u8::from(i.is_multiple_of(2))), 0.0];
    let h: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { 0.7 }).collect();
    let of_ratio = |even: f64, odd: f64| -> Vec<f64> {
        h.iter().enumerate().map(|(i, h)| h * if i % 2 == 0 { even } else { odd }).collect()
    };
    // A quantum is 2^−21: the difference is far below it, and far above the rounding of doubles.
    let near = 0.3 * (1.0 + 1e-8);
    for lambda in [0.0, 1e-13] {
        assert_eq!(stump(columns, &of_ratio(0.3, 0.3), &h, lambda).leaves(), 1);
        assert_eq!(stump(columns, &of_ratio(near, 0.3), &h, lambda).leaves(), 2);
    }
}

/// Many rows of less than a quantum, of which g/h is wrong after the rounding, look like the best split.
/// Another one is none of rounding. With a ridge its gain is so small that g and h are asked for this one,
/// too.
#[test]
fn behind_roundings_the_best_split_is_taken() {
    let n = 1 << 18;
    let is_light = |i: usize| i.is_multiple_of(4);
    let is_low = |i: usize| i % 8 < 4;
    let columns = |i: usize| [f64::from(u8::from(is_light(i))), f64::from(u8::from(is_low(i)))];
    let quantum = 2_f64.powi(-20);
    let h: Vec<f64> = (0..n).map(|i| if is_light(i) { 0.6 * quantum } else { 1.0 }).collect();
    let by = |i: usize| {
        if is_light(i) {
            0.0
        } else if is_low(i) {
            -3e-5
        } else {
            3e-5
        }
    };
    let g: Vec<f64> = (0..n).map(|i| h[i] * (1.4 + by(i))).collect();
    // The ridge at which it gains nothing. Beyond it the search itself says no.
    let ridge = (3e-5 / 1.4_f64).powi(2) * 0.75 * n as f64;
    for (lambda, leaves) in [(0.0, 2), (0.9 * ridge, 2), (1.1 * ridge, 1)] {
        let tree = stump(columns, &g, &h, lambda);
        assert_eq!(tree.leaves(), leaves, "λ = {lambda}");
        let asks = matches!(tree.nodes()[0], PairNode::Context { feature: 1, .. });
        assert_eq!(asks, leaves == 2, "λ = {lambda}: {:?}", tree.nodes());
    }
}

/// Gradients of about two quanta that x tells apart, beside two of the largest: if all roundings went to one
/// side, they could make as much.
#[test]
fn what_many_rows_say_is_heard_beside_one_large_gradient() {
    let n = 1 << 16;
    let small = 2_f64.powi(-20);
    let mut g: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { small } else { -small }).collect();
    (g[0], g[1]) = (1.0, -1.0);
    let h = vec![1.0; n];
    let rows = RowMatrix::dense(1, (0..n).map(|i| (i % 2) as f64).collect()).unwrap();
    let contexts = BinnedContexts::new(rows).unwrap();
    let round = PairRound::new(n, 1, &g, PairWeights::OfExamples(&h)).unwrap();
    let mut values = vec![0.0; n];
    let tree = learner(1, 1.0).train(&contexts, &round, &mut values).unwrap();
    assert_eq!(tree.leaves(), 2);
    g[1] = 1.0;
    let round = PairRound::new(n, 1, &g, PairWeights::OfExamples(&h)).unwrap();
    let tree = learner(1, 1.0).train(&contexts, &round, &mut values).unwrap();
    assert_eq!(tree.leaves(), 2);
    assert!(values[2] > values[3], "{} {}", values[2], values[3]);
}

#[test]
fn a_refused_round_changes_nothing() {
    let rows = RowMatrix::dense(1, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
    let contexts = BinnedContexts::new(rows.clone()).unwrap();
    let asked = Asked::of(&rows, 2, 5);
    let mut learner = learner(3, 0.0);
    let before = asked.train(&mut learner, &contexts);
    let round = PairRound::new(4, 2, &asked.g, PairWeights::OfExamples(&asked.h)).unwrap();
    let mut few = vec![7.0; 7];
    let refused = learner.train(&contexts, &round, &mut few);
    assert!(matches!(refused, Err(LearnerError::LengthMismatch { argument: "values", expected: 8, got: 7 })));
    let other = BinnedContexts::new(RowMatrix::dense(1, vec![0.0; 3]).unwrap()).unwrap();
    let mut values = vec![7.0; 8];
    let refused = learner.train(&other, &round, &mut values);
    assert!(matches!(refused, Err(LearnerError::LengthMismatch { argument: "contexts", .. })));
    assert!(few.iter().chain(&values).all(|v| *v == 7.0));
    assert_eq!(asked.train(&mut learner, &contexts), before);

    for bins in [0, 1] {
        let refused = BinnedContexts::with_bins(rows.clone(), bins);
        assert!(matches!(refused, Err(LearnerError::BadParameter { name: "bins", .. })));
    }
    let none = RowMatrix::dense(1, Vec::new()).unwrap();
    assert!(matches!(BinnedContexts::new(none), Err(LearnerError::Empty { argument: "sample" })));
}

#[test]
fn saved_contexts_and_learners_are_the_same() {
    let rows = Stream::letter().rows;
    let rows = RowMatrix::dense(rows.dimension(), rows.iter().take(500).flat_map(|x| x.to_dense()).collect())
        .unwrap();
    let contexts = BinnedContexts::with_bins(rows.clone(), 7).unwrap();
    let text = serde_json::to_string(&contexts).unwrap();
    let again: BinnedContexts = serde_json::from_str(&text).unwrap();
    assert_eq!(again, contexts);
    assert_eq!((again.size(), again.inputs()), (500, rows.dimension()));
    let mut learner = learner(4, 2.0);
    let text = serde_json::to_string(&learner).unwrap();
    let mut other: HistogramPairTree = serde_json::from_str(&text).unwrap();
    let asked = Asked::of(&rows, 3, 6);
    assert_eq!(asked.train(&mut other, &again), asked.train(&mut learner, &contexts));
    assert!(serde_json::from_str::<HistogramPairTree>(&text.replace("2.0", "-2.0")).is_err());
}
