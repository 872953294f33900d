//! Trees over candidates are those over the rows that the candidates stand for.

use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Candidates, RowMatrix};
use weak_learners::LearnerError;
use weak_learners::batch::{Sample, SortedColumns};
use weak_learners::pairs::{
    BinnedCandidates, BinnedContexts, ColumnRestricted, ExactPairTree, HistogramCandidateTree,
    HistogramPairTree, PairGrowth, PairHypothesis, PairLearner, PairNode, PairRound, PairWeights,
};

/// Small whole numbers.
pub(super) fn whole((count, columns): (usize, usize), most: i32, rng: &mut impl Rng) -> RowMatrix {
    let values = (0..count * columns).map(|_| f64::from(rng.random_range(-1..most))).collect();
    RowMatrix::dense(columns, values).unwrap()
}

/// Two or three of forty columns are 1.
pub(super) fn rare(count: usize, rng: &mut impl Rng) -> RowMatrix {
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for _ in 0..count {
        let mut own: Vec<u32> = (0..3).map(|_| rng.random_range(0..40)).collect();
        own.sort_unstable();
        own.dedup();
        indices.extend(own);
        offsets.push(indices.len());
    }
    let values = vec![1.0; indices.len()];
    RowMatrix::sparse(40, offsets, indices, values).unwrap()
}

/// The same with one column more, the indicator of the first one, which lacks every third value.
fn with_missing(rows: &RowMatrix) -> RowMatrix {
    let values = rows.iter().enumerate().flat_map(|(i, x)| {
        let mut x = x.to_dense();
        let is_missing = i % 3 == 1;
        x[0] = if is_missing { 0.0 } else { x[0] };
        x.push(f64::from(u8::from(is_missing)));
        x
    });
    let values = values.collect();
    RowMatrix::dense(rows.dimension() + 1, values).unwrap()
}

/// The same candidates where values of all levels are missing, with the indicators; without rare columns.
fn lacking(n: usize, items: usize, levels: u8, rng: &mut impl Rng) -> (Candidates, Vec<(usize, usize)>) {
    let all = candidates(n, items, levels & 15, rng);
    let mut builder = Candidates::builder(
        (0..=n)
            .map(|i| all.pairs_of(i.min(n - 1)))
            .enumerate()
            .map(|(i, pairs)| if i == n { pairs.end } else { pairs.start })
            .collect(),
    );
    let (mut indicators, mut first) = (Vec::new(), 0);
    let mut add = |rows: &RowMatrix| {
        let rows = with_missing(rows);
        indicators.push((first, first + rows.dimension() - 1));
        first += rows.dimension();
        rows
    };
    if let Some(rows) = all.contexts() {
        builder = builder.contexts(add(rows));
    }
    if let Some(rows) = all.features() {
        builder = builder.features(add(rows));
    }
    if let Some(rows) = all.item_features() {
        builder = builder.items(all.items().to_vec(), add(rows));
    }
    if !all.items().is_empty() {
        builder = builder.identities(all.items().to_vec(), all.shape().identities);
    }
    (builder.build().unwrap(), indicators)
}

/// Some candidates; `levels` says which levels there are, as bits, the first being that of contexts.
fn candidates(n: usize, items: usize, levels: u8, rng: &mut impl Rng) -> Candidates {
    let mut offsets = vec![0];
    for _ in 0..n {
        offsets.push(offsets[offsets.len() - 1] + rng.random_range(1..6_usize));
    }
    let pairs = offsets[n];
    let mut builder = Candidates::builder(offsets);
    if levels & 1 > 0 {
        builder = builder.contexts(whole((n, 3), 4, rng));
    }
    if levels & 2 > 0 {
        builder = builder.features(whole((pairs, 2), 6, rng));
    }
    if levels & 16 > 0 {
        // Many columns that are rarely other than 0, and not apart: their values are listed row by row.
        builder = builder.contexts(rare(n, rng)).features(rare(pairs, rng));
    }
    // Every item is somewhere a candidate, so that the cuts are those of the rows.
    let of_pairs: Vec<u32> = (0..u32::try_from(pairs).unwrap())
        .map(|p| p * 7 % u32::try_from(items.min(pairs)).unwrap())
        .collect();
    let met = of_pairs.iter().max().map_or(1, |most| *most as usize + 1);
    if levels & 4 > 0 {
        builder = builder.items(of_pairs.clone(), whole((met, 2), 3, rng));
    }
    if levels & 8 > 0 {
        builder = builder.identities(of_pairs, met.div_ceil(2));
    } else if levels == 1 {
        // With contexts alone the items have numbers, and nothing else.
        builder = builder.identities(of_pairs, 0);
    }
    builder.build().unwrap()
}

fn round_of(pairs: usize, rng: &mut impl Rng) -> (Vec<f64>, Vec<f64>) {
    let weights: Vec<f64> = (0..pairs).map(|_| f64::from(rng.random_range(0..4))).collect();
    let gradient = |w: &f64| if *w > 0.0 { f64::from(rng.random_range(-5..6)) } else { 0.0 };
    let gradients = weights.iter().map(gradient).collect();
    (gradients, weights)
}

fn growth(depth: u32, leaves: Option<u32>) -> PairGrowth {
    let growth =
        PairGrowth::builder().max_depth(depth).min_child_weight(1.0).reg_lambda(0.5).build().unwrap();
    leaves.and_then(std::num::NonZero::new).map_or(growth, |most| growth.with_max_leaves(most))
}

proptest! {
    #[test]
    fn the_tree_is_that_of_the_expanded_rows(
        seed in 0..u64::MAX,
        n in 1..60_usize,
        items in 1..9_usize,
        levels in 1..32_u8,
        depth in 0..6_u32,
        leaves in prop::option::of(1..9_u32),
        is_lacking in any::<bool>(),
    ) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (all, indicators) = match is_lacking && levels & 15 > 0 {
            true => lacking(n, items, levels, rng),
            false => (candidates(n, items, levels, rng), Vec::new()),
        };
        let expanded = all.expanded().unwrap();
        let (g, h) = round_of(all.pairs(), rng);
        prop_assume!(h.iter().any(|h| *h > 0.0));
        let round = PairRound::new(all.pairs(), 1, &g, PairWeights::OfPairs(&h)).unwrap();
        let columns: Vec<bool> = (0..all.dimension()).map(|_| rng.random_range(0..3) > 0).collect();
        let [mut values, mut other, mut exact] = [(); 3].map(|()| vec![f64::NAN; all.pairs()]);

        let binned = BinnedCandidates::with_bins(all.clone(), u16::MAX).unwrap();
        let binned = binned.with_indicators(&indicators).unwrap();
        let rows = BinnedContexts::with_bins(expanded.clone(), u16::MAX).unwrap();
        let rows = rows.with_indicators(&indicators).unwrap();
        let (mut learner, mut of_rows) =
            (HistogramCandidateTree::new(growth(depth, leaves)), HistogramPairTree::new(growth(depth, leaves)));
        let tree = learner.train(&binned, &round, &mut values).unwrap();
        prop_assert_eq!(&tree, &of_rows.train(&rows, &round, &mut other).unwrap());
        prop_assert_eq!(&values, &other);
        for (p, x) in expanded.iter().enumerate() {
            prop_assert_eq!(values[p].to_bits(), tree.score(x, 0).unwrap().to_bits());
        }
        // The exact tree finds the same leaves; its thresholds are midpoints within the node.
        let mut oracle = ExactPairTree::new(growth(depth, leaves));
        let sorted = SortedColumns::new(expanded).unwrap().with_indicators(&indicators).unwrap();
        oracle.train(&sorted, &round, &mut exact).unwrap();
        let fitted = h.iter().zip(&values).zip(&exact).filter(|((h, _), _)| **h > 0.0);
        for ((_, value), exact) in fitted {
            prop_assert!((value - exact).abs() <= 1e-12 * exact.abs().max(1.0), "{} {}", value, exact);
        }

        let some = learner.train_among(&binned, &round, &columns, &mut values).unwrap();
        prop_assert_eq!(&some, &of_rows.train_among(&rows, &round, &columns, &mut other).unwrap());
        prop_assert_eq!(&values, &other);
    }
}

#[test]
fn the_tree_does_not_depend_on_the_number_of_threads() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let all = candidates(30_000, 50, 31, rng);
    let (g, h) = round_of(all.pairs(), rng);
    let round = PairRound::new(all.pairs(), 1, &g, PairWeights::OfPairs(&h)).unwrap();
    let binned = BinnedCandidates::new(all).unwrap();
    let trained = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut values = vec![0.0; g.len()];
        let mut learner = HistogramCandidateTree::new(growth(9, None));
        let tree = pool.install(|| learner.train(&binned, &round, &mut values)).unwrap();
        // The buffers of a training do not change the next one.
        let again = pool.install(|| learner.train(&binned, &round, &mut values)).unwrap();
        assert_eq!(tree, again);
        (tree, values)
    };
    let one = trained(1);
    assert!(one.0.leaves() > 50, "{}", one.0.leaves());
    for threads in [2, 4] {
        assert_eq!(trained(threads), one);
    }
}

#[test]
fn a_sample_of_candidates_is_that_of_its_rows() {
    let rng = &mut ChaCha8Rng::seed_from_u64(9);
    let all = candidates(40, 6, 15, rng);
    let expanded = all.expanded().unwrap();
    let binned = BinnedCandidates::new(all.clone()).unwrap();
    let mut seen = 0;
    binned
        .try_for_each(&mut |p, x| {
            assert_eq!(Some(x), expanded.row(p));
            seen += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!((seen, binned.inputs()), (all.pairs(), expanded.dimension()));
    let saved = serde_json::to_string(&binned).unwrap();
    assert_eq!(serde_json::from_str::<BinnedCandidates>(&saved).unwrap(), binned);
    assert!(serde_json::from_str::<BinnedCandidates>(&saved.replace("\"bins\":256", "\"bins\":1")).is_err());
}

/// Of every level, saved and read, and refused across levels.
#[test]
fn indicators_are_of_the_level_of_their_column() {
    let (all, indicators) = lacking(40, 6, 15, &mut ChaCha8Rng::seed_from_u64(9));
    assert_eq!(indicators, [(0, 3), (4, 6), (7, 9)]);
    let plain = BinnedCandidates::new(all).unwrap();
    let binned = plain.clone().with_indicators(&indicators).unwrap();
    assert_eq!((binned.indicators(), plain.indicators().len()), (&indicators[..], 0));
    let saved = serde_json::to_string(&binned).unwrap();
    assert_eq!(serde_json::from_str::<BinnedCandidates>(&saved).unwrap(), binned);
    let broken = saved.replace("[[0,3],[4,6]", "[[0,3],[4,9]");
    assert!(broken != saved && serde_json::from_str::<BinnedCandidates>(&broken).is_err());
    for (column, indicator) in [(0, 6), (4, 9), (7, 99), (7, 3), (5, 6), (4, 4)] {
        let refused = plain.clone().with_indicators(&[(column, indicator)]).map(|_| ());
        let is_named = matches!(
            refused,
            Err(LearnerError::BadIndicator { column: j, indicator: k, .. }) if (j, k) == (column, indicator)
        );
        assert!(is_named, "{refused:?}");
    }
    let mut learnt = 0;
    for seed in 0..20 {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (all, indicators) = lacking(60, 9, 7, rng);
        let binned = BinnedCandidates::new(all).unwrap().with_indicators(&indicators).unwrap();
        let (g, h) = round_of(binned.size(), rng);
        let round = PairRound::new(binned.size(), 1, &g, PairWeights::OfPairs(&h)).unwrap();
        let mut learner = HistogramCandidateTree::new(growth(5, None));
        let tree = learner.train(&binned, &round, &mut vec![0.0; g.len()]).unwrap();
        learnt +=
            tree.nodes().iter().filter(|node| matches!(node, PairNode::ContextOrMissing { .. })).count();
    }
    assert!(learnt > 20, "{learnt}");
}

#[test]
fn rounds_and_columns_of_something_else_are_refused() {
    let all = candidates(4, 3, 15, &mut ChaCha8Rng::seed_from_u64(2));
    let (pairs, dimension) = (all.pairs(), all.dimension());
    let binned = BinnedCandidates::new(all).unwrap();
    let mut learner = HistogramCandidateTree::new(growth(2, None));
    let (g, h) = (vec![1.0; 2 * pairs], vec![1.0; 2 * pairs]);
    let two = PairRound::new(pairs, 2, &g, PairWeights::OfPairs(&h)).unwrap();
    let refused = learner.train(&binned, &two, &mut vec![0.0; 2 * pairs]);
    assert!(matches!(refused, Err(LearnerError::LengthMismatch { expected: 1, got: 2, .. })));
    let one = PairRound::new(pairs, 1, &g[..pairs], PairWeights::OfPairs(&h[..pairs])).unwrap();
    assert!(learner.train(&binned, &one, &mut vec![0.0; pairs + 1]).is_err());
    let columns = vec![true; dimension + 1];
    assert!(learner.train_among(&binned, &one, &columns, &mut vec![0.0; pairs]).is_err());
    assert!(learner.train(&binned, &one, &mut vec![0.0; pairs]).is_ok());
}

/// Items without features and identity are alike, and their numbers are no sizes.
#[test]
fn numbers_of_items_are_no_sizes() {
    let trained = |items: [u32; 6]| {
        let contexts = RowMatrix::dense(1, vec![1.0, 2.0, 3.0]).unwrap();
        let builder = Candidates::builder(vec![0, 2, 4, 6]).contexts(contexts).identities(items.to_vec(), 2);
        let sample = BinnedCandidates::new(builder.build().unwrap()).unwrap();
        let g = [1.0, -1.0, -0.5, 0.5, 0.25, -2.0];
        let round = PairRound::new(6, 1, &g, PairWeights::OfExamples(&[1.0; 6])).unwrap();
        let growth = PairGrowth::builder().max_depth(3).min_child_weight(0.0).reg_lambda(0.0);
        let mut values = [0.0; 6];
        let mut learner = HistogramCandidateTree::new(growth.build().unwrap());
        let tree = learner.train(&sample, &round, &mut values).unwrap();
        (tree, values)
    };
    let expected = trained([0, 2, 1, 0, 1, 2]);
    assert!(expected.0.leaves() > 2);
    assert_eq!(trained([0, u32::MAX, 1, 0, 1, 1 << 31]), expected);
}
