//! Training on a part of the columns.

use crate::simulated::Simulated;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;
use weak_learners::batch::{Sample, SortedColumns};
use weak_learners::pairs::{
    BinnedContexts, ColumnRestricted, ColumnSampling, ExactPairTree, HistogramPairTree, PairGrowth,
    PairLearner, PairNode, PairRound, PairTree, PairWeights, RowSampling,
};

/// Writes down what it may look at, and refuses so many trainings.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Watched<L> {
    learner: L,
    drawn: Vec<Vec<bool>>,
    refusals: usize,
}

impl<L> Watched<L> {
    fn new(learner: L, refusals: usize) -> Self {
        Self { learner, drawn: Vec::new(), refusals }
    }
}

impl<L: PairLearner> PairLearner for Watched<L> {
    type Contexts = L::Contexts;
    type Hypothesis = L::Hypothesis;

    fn train(
        &mut self,
        contexts: &L::Contexts,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<L::Hypothesis, LearnerError> {
        self.drawn.push(vec![true; contexts.inputs()]);
        self.learner.train(contexts, round, values)
    }
}

impl<L: ColumnRestricted> ColumnRestricted for Watched<L> {
    fn train_among(
        &mut self,
        contexts: &L::Contexts,
        round: &PairRound<'_>,
        columns: &[bool],
        values: &mut [f64],
    ) -> Result<L::Hypothesis, LearnerError> {
        self.drawn.push(columns.to_vec());
        if self.drawn.len() <= self.refusals {
            return Err(LearnerError::ZeroWeights);
        }
        self.learner.train_among(contexts, round, columns, values)
    }
}

fn sampling<L>(learner: L, share: f64, seed: u64) -> ColumnSampling<Watched<L>> {
    ColumnSampling::new(Watched::new(learner, 0), share, ChaCha8Rng::seed_from_u64(seed)).unwrap()
}

/// What a learner has watched, which it shows by what is saved of it.
fn drawn<L: Serialize>(learner: &L) -> Vec<Vec<bool>> {
    let saved = serde_json::to_value(learner).unwrap();
    let mut place = &saved;
    while place.get("drawn").is_none() {
        place = &place["learner"];
    }
    serde_json::from_value(place["drawn"].clone()).unwrap()
}

fn exact(depth: u32) -> ExactPairTree {
    ExactPairTree::new(
        PairGrowth::builder().max_depth(depth).min_child_weight(2.0).reg_lambda(0.5).build().unwrap(),
    )
}

/// The columns that a tree splits.
fn split(tree: &PairTree) -> Vec<usize> {
    let feature = |node: &PairNode| match *node {
        PairNode::Context { feature, .. } => Some(feature as usize),
        _ => None,
    };
    tree.nodes().iter().filter_map(feature).collect()
}

#[test]
fn with_a_bin_a_value_both_engines_find_the_same_among_some_columns() {
    let (mut fewer, mut contexts_split) = (0, 0);
    for seed in 0..32_usize {
        let mut round = Simulated::new(seed as u64, 120, 5, 3);
        // Columns of all the layouts: few values, mostly 0, indicators that share a byte.
        for (i, x) in round.rows.iter_mut().enumerate() {
            x[1] = x[1].round();
            x[2] = if i % 9 == 0 { x[2] } else { 0.0 };
            (x[3], x[4]) = (f64::from(u8::from(i % 3 == 0)), f64::from(u8::from(i % 3 == 1)));
            // And one that has no cut.
            x.insert(0, 7.0);
        }
        round.inputs = 6;
        let (sorted, binned) =
            (SortedColumns::new(round.matrix()).unwrap(), BinnedContexts::new(round.matrix()).unwrap());
        let growth =
            PairGrowth::builder().max_depth(6).min_child_weight(3.0).reg_lambda(0.5).build().unwrap();
        let (mut by_all, mut by_bins) = (ExactPairTree::new(growth), HistogramPairTree::new(growth));
        let flags: Vec<bool> = (0..6).map(|j| ((2 * seed) >> j) & 1 == 1).collect();
        let (mut values, mut others) = ([f64::NAN; 360], [f64::NAN; 360]);
        let tree = by_all.train_among(&sorted, &round.round(), &flags, &mut values).unwrap();
        let other = by_bins.train_among(&binned, &round.round(), &flags, &mut others).unwrap();
        assert!(tree.leaves() > 3 || seed == 0, "{} leaves", tree.leaves());
        for tree in [&tree, &other] {
            assert!(split(tree).iter().all(|j| flags[*j]), "{flags:?}: {tree:?}");
        }
        contexts_split += split(&tree).len();
        assert_eq!(tree.nodes().len(), other.nodes().len(), "{flags:?}");
        for (value, other) in values.iter().zip(&others) {
            assert!((value - other).abs() < 1e-6 * (1.0 + value.abs()), "{flags:?}: {value}, {other}");
        }
        // A tree over the columns that are left, and nothing else.
        let mut left = round.clone();
        left.rows.iter_mut().for_each(|x| (0..6).filter(|j| !flags[*j]).for_each(|j| x[j] = 0.0));
        let (_, expected) = left.train(&mut by_all, &SortedColumns::new(left.matrix()).unwrap());
        assert_eq!(values.to_vec(), expected, "{flags:?}");
        fewer += usize::from(round.train(&mut by_all, &sorted).1 != values);

        let whole = by_bins.train_among(&binned, &round.round(), &[true; 6], &mut others).unwrap();
        assert_eq!((whole, others.to_vec()), round.train(&mut by_bins, &binned));
        let whole = by_all.train_among(&sorted, &round.round(), &[true; 6], &mut values).unwrap();
        assert_eq!((whole, values.to_vec()), round.train(&mut by_all, &sorted));
    }
    assert!(fewer > 15 && contexts_split > 50, "{fewer}, {contexts_split}");
}

/// Of rare columns, which are listed row by row, too: a tree among some of them is the tree on a sample that
/// has no others, bit for bit. Different parts one after another use the same memory.
#[test]
fn among_rare_columns_the_tree_is_that_of_a_sample_without_the_others() {
    const COLUMNS: usize = 48;
    let growth = PairGrowth::builder().max_depth(8).min_child_weight(1.0).reg_lambda(0.5).build().unwrap();
    let (mut learner, mut listed, mut splits) = (HistogramPairTree::new(growth), 0, 0);
    for seed in 0..12_u64 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut round = Simulated::new(seed, 200, COLUMNS, 3);
        for x in &mut round.rows {
            for (j, x_j) in x.iter_mut().enumerate() {
                let is_there = if j % 8 == 0 { 0.9 } else { 0.2 };
                *x_j = if rng.random_bool(is_there) { f64::from(rng.random_range(1..4_u8)) } else { 0.0 };
            }
        }
        let contexts = BinnedContexts::new(round.matrix()).unwrap();
        listed += contexts.listed_values();
        for share in [0.0, 0.1, 0.3, 0.6, 0.9] {
            let flags: Vec<bool> = (0..COLUMNS).map(|_| rng.random_bool(share)).collect();
            let mut values = [f64::NAN; 600];
            let tree = learner.train_among(&contexts, &round.round(), &flags, &mut values).unwrap();
            splits += split(&tree).len();
            let mut left = round.clone();
            left.rows.iter_mut().for_each(|x| (0..COLUMNS).filter(|j| !flags[*j]).for_each(|j| x[j] = 0.0));
            let mut fresh = HistogramPairTree::new(growth);
            let expected = left.train(&mut fresh, &BinnedContexts::new(left.matrix()).unwrap());
            assert_eq!((tree, values.to_vec()), expected, "{flags:?}");
        }
    }
    assert!(listed > 0 && splits > 300, "{listed} listed values, {splits} splits");
}

/// 4 of 10 columns in 3000 rounds: each in 1200 ± 26.8 of them, and each two in 400 ± 18.6, within five
/// deviations.
#[test]
fn each_column_is_drawn_with_the_share_and_no_two_stick_together() {
    const ROUNDS: usize = 3000;
    let contexts = SortedColumns::new(RowMatrix::dense(10, vec![0.0; 10]).unwrap()).unwrap();
    let round = PairRound::new(1, 1, &[1.0], PairWeights::OfExamples(&[1.0])).unwrap();
    let mut learner = sampling(exact(0), 0.35, 3);
    for _ in 0..ROUNDS {
        learner.train(&contexts, &round, &mut [0.0]).unwrap();
    }
    let drawn = drawn(&learner);
    assert_eq!(drawn.len(), ROUNDS);
    assert!(drawn.iter().all(|flags| flags.iter().filter(|flag| **flag).count() == 4));
    for j in 0..10 {
        for k in 0..=j {
            let count = drawn.iter().filter(|flags| flags[j] && flags[k]).count() as f64;
            let (mean, margin) = if j == k { (1200.0, 134.0) } else { (400.0, 93.0) };
            assert!((count - mean).abs() < margin, "columns {j} and {k} are drawn {count} times");
        }
    }
}

#[test]
fn the_share_is_rounded_up() {
    let round = PairRound::new(1, 1, &[1.0], PairWeights::OfExamples(&[1.0])).unwrap();
    // 0.07·100 is 7.000000000000001 in doubles.
    for (share, columns, expected) in
        [(1e-300, 3, 1), (0.5, 1, 1), (0.5, 3, 2), (0.5, 4, 2), (0.07, 100, 7), (0.07, 101, 8), (1.0, 6, 6)]
    {
        let contexts = SortedColumns::new(RowMatrix::dense(columns, vec![0.0; columns]).unwrap()).unwrap();
        let mut learner = sampling(exact(1), share, 1);
        learner.train(&contexts, &round, &mut [0.0]).unwrap();
        let count = drawn(&learner)[0].iter().filter(|flag| **flag).count();
        assert_eq!((share, columns, count), (share, columns, expected));
    }
    for share in [0.0, -1.0, 1.1, f64::NAN, f64::INFINITY] {
        let refused = ColumnSampling::new(exact(1), share, ChaCha8Rng::seed_from_u64(1));
        assert!(matches!(refused, Err(LearnerError::BadParameter { name: "share", .. })));
    }
}

/// Around a learner of a part of the examples, and inside of one.
#[test]
fn no_column_is_split_that_was_not_drawn_and_samplings_compose() {
    let round = Simulated::new(9, 200, 6, 3);
    let binned = BinnedContexts::new(round.matrix()).unwrap();
    let trees = || {
        HistogramPairTree::new(
            PairGrowth::builder().max_depth(6).min_child_weight(2.0).reg_lambda(0.0).build().unwrap(),
        )
    };
    let rng = |seed| ChaCha8Rng::seed_from_u64(seed);
    let mut plain = sampling(trees(), 0.5, 1);
    let part = RowSampling::new(Watched::new(trees(), 0), 0.5, rng(2)).unwrap();
    let mut outside = ColumnSampling::new(part, 0.5, rng(1)).unwrap();
    let mut inside = RowSampling::new(sampling(trees(), 0.5, 1), 0.5, rng(2)).unwrap();
    let mut used = [false; 6];
    for k in 0..20 {
        let (tree, values) = round.train(&mut plain, &binned);
        let flags = drawn(&plain)[k].clone();
        assert_eq!(flags.iter().filter(|flag| **flag).count(), 3);
        assert!(split(&tree).iter().all(|j| flags[*j]), "{flags:?}");
        split(&tree).into_iter().for_each(|j| used[j] = true);
        // The same draws of columns and of examples, in whichever order.
        let part = round.train(&mut outside, &binned);
        assert_eq!(drawn(&outside)[k], flags);
        assert_eq!(part, round.train(&mut inside, &binned));
        assert_ne!(part.1, values);
    }
    assert_eq!(used, [true; 6]);
}

#[test]
fn a_refused_round_draws_nothing_and_a_saved_learner_goes_on() {
    let round = Simulated::new(2, 60, 7, 2);
    let contexts = SortedColumns::new(round.matrix()).unwrap();
    let mut untouched = sampling(exact(4), 0.4, 4);
    let rng = ChaCha8Rng::seed_from_u64(4);
    let mut refused = ColumnSampling::new(Watched::new(exact(4), 1), 0.4, rng).unwrap();
    let expected = Err(LearnerError::LengthMismatch { argument: "values", expected: 120, got: 119 });
    assert_eq!(refused.train(&contexts, &round.round(), &mut [0.0; 119]), expected);
    // And what the learner behind refuses.
    let mut values = [0.0; 120];
    assert_eq!(refused.train(&contexts, &round.round(), &mut values), Err(LearnerError::ZeroWeights));
    for k in 0..3 {
        assert_eq!(round.train(&mut refused, &contexts), round.train(&mut untouched, &contexts));
        assert_eq!(drawn(&refused)[k + 1..], drawn(&untouched)[k..]);
    }
    let text = serde_json::to_string(&refused).unwrap();
    let mut loaded: ColumnSampling<Watched<ExactPairTree>> = serde_json::from_str(&text).unwrap();
    for _ in 0..5 {
        assert_eq!(round.train(&mut loaded, &contexts), round.train(&mut refused, &contexts));
    }
    assert_eq!(drawn(&loaded), drawn(&refused));
    assert!(text.contains("\"share\":0.4"), "{text}");
    let tampered = text.replace("\"share\":0.4", "\"share\":1.4");
    assert!(serde_json::from_str::<ColumnSampling<Watched<ExactPairTree>>>(&tampered).is_err());
}

#[test]
fn columns_of_another_number_are_refused() {
    let round = Simulated::new(2, 60, 3, 2);
    let (sorted, binned) =
        (SortedColumns::new(round.matrix()).unwrap(), BinnedContexts::new(round.matrix()).unwrap());
    let mut values = [7.0; 120];
    for got in [0, 2, 4] {
        let expected = Err(LearnerError::LengthMismatch { argument: "columns", expected: 3, got });
        let flags = vec![true; got];
        let refused = exact(3).train_among(&sorted, &round.round(), &flags, &mut values);
        assert_eq!(refused, expected);
        let mut part = RowSampling::new(exact(3), 0.5, ChaCha8Rng::seed_from_u64(1)).unwrap();
        assert_eq!(part.train_among(&sorted, &round.round(), &flags, &mut values), expected);
        let mut by_bins = HistogramPairTree::new(*exact(3).growth());
        assert_eq!(by_bins.train_among(&binned, &round.round(), &flags, &mut values), expected);
    }
    assert_eq!(values, [7.0; 120]);
}
