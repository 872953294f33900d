//! The side of missing values, which every split learns.

use crate::simulated::Simulated;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::LearnerError;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{
    BinnedContexts, ColumnRestricted, ExactPairTree, HistogramPairTree, PairGrowth, PairHypothesis, PairNode,
    PairTree,
};

/// Where the values of a column are missing.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Missing {
    /// In three rows of ten, drawn.
    AtRandom,
    /// In the rows where they are large.
    WithInformation,
    InAll,
    Nowhere,
}

const KINDS: [Missing; 4] = [Missing::AtRandom, Missing::WithInformation, Missing::InAll, Missing::Nowhere];

/// Rows whose values are missing in four ways, behind them the indicators of all columns; and these. The
/// values are of both signs, but for what `shift` adds.
fn knocked_out(mut round: Simulated, shift: f64, seed: u64) -> (Simulated, Vec<(usize, usize)>) {
    let (mut rng, m) = (ChaCha8Rng::seed_from_u64(seed), round.inputs);
    for x in &mut round.rows {
        for j in 0..m {
            x[j] += shift;
            let is_missing = match KINDS[j % 4] {
                Missing::AtRandom => rng.random_bool(0.3),
                Missing::WithInformation => x[j] - shift > 1.0,
                Missing::InAll => true,
                Missing::Nowhere => false,
            };
            x.push(f64::from(u8::from(is_missing)));
            x[j] = if is_missing { 0.0 } else { x[j] };
        }
    }
    round.inputs = 2 * m;
    (round, (0..m).map(|j| (j, m + j)).collect())
}

fn growth(depth: u32, least: f64) -> PairGrowth {
    PairGrowth::builder().max_depth(depth).min_child_weight(least).reg_lambda(0.5).build().unwrap()
}

fn sorted(round: &Simulated, indicators: &[(usize, usize)]) -> SortedColumns {
    SortedColumns::new(round.matrix()).unwrap().with_indicators(indicators).unwrap()
}

fn binned(round: &Simulated, bins: u16, indicators: &[(usize, usize)]) -> BinnedContexts {
    BinnedContexts::with_bins(round.matrix(), bins).unwrap().with_indicators(indicators).unwrap()
}

/// The number of splits that have a side for missing values.
fn sides(tree: &PairTree) -> usize {
    tree.nodes().iter().filter(|node| matches!(node, PairNode::ContextOrMissing { .. })).count()
}

/// Leaves that hold the same pairs; thresholds may differ between two values that are neighbours in a node.
fn assert_same(found: (&PairTree, &[f64]), expected: (&PairTree, &[f64]), what: &str) {
    assert_eq!(found.0.nodes().len(), expected.0.nodes().len(), "{what}");
    assert_eq!(sides(found.0), sides(expected.0), "{what}");
    let far = found.1.iter().zip(expected.1).find(|(a, b)| (*a - *b).abs() > 1e-5 * (1.0 + b.abs()));
    assert_eq!(far, None, "{what}");
}

#[test]
fn both_engines_learn_the_same_sides() {
    let (mut learnt, mut others) = (0, 0);
    for seed in 0..8 {
        // 0 lies within the values, below them and above them.
        for shift in [0.0, 2.5, -2.5] {
            let (round, indicators) = knocked_out(Simulated::new(seed, 400, 5, 3), shift, seed);
            let what = format!("seed {seed}, shift {shift}");
            let exact = round.train(&mut ExactPairTree::new(growth(7, 2.0)), &sorted(&round, &indicators));
            // Bytes a row; and more bins than a byte holds, which are listed.
            for bins in [256, 400] {
                let binned = binned(&round, bins, &indicators);
                assert_eq!(binned.listed_values() > 0, bins > 256);
                let found = round.train(&mut HistogramPairTree::new(growth(7, 2.0)), &binned);
                if bins == 400 {
                    assert_same((&found.0, &found.1), (&exact.0, &exact.1), &what);
                }
                for (i, x) in binned.matrix().iter().enumerate() {
                    for a in 0..3 {
                        let value = found.1[a * 400 + i];
                        assert_eq!(found.0.score(x, a).unwrap().to_bits(), value.to_bits(), "{what}");
                    }
                }
            }
            learnt += sides(&exact.0);
            let plain = SortedColumns::new(round.matrix()).unwrap();
            let plain = round.train(&mut ExactPairTree::new(growth(7, 2.0)), &plain);
            assert_eq!(sides(&plain.0), 0);
            others += usize::from(plain.1 != exact.1);
        }
    }
    assert!(learnt > 100 && others > 20, "{learnt} sides, {others} other trees");
}

/// Where nothing is missing, or everything, there is no other side.
#[test]
fn without_missing_values_the_tree_is_the_plain_one() {
    let round = Simulated::new(3, 300, 4, 3);
    let mut none = round.clone();
    none.rows.iter_mut().for_each(|x| x.extend([0.0; 4]));
    let mut all = round.clone();
    all.rows.iter_mut().for_each(|x| *x = vec![0.0, x[1], x[2], x[3], 1.0]);
    for (mut case, indicators) in [(none, vec![(0, 4), (3, 7), (1, 5)]), (all, vec![(0, 4)])] {
        case.inputs = case.rows[0].len();
        let told = case.train(&mut HistogramPairTree::new(growth(8, 1.0)), &binned(&case, 256, &indicators));
        let plain = case.train(&mut HistogramPairTree::new(growth(8, 1.0)), &binned(&case, 256, &[]));
        assert!(told == plain && told.0.leaves() > 20);
        let told = case.train(&mut ExactPairTree::new(growth(8, 1.0)), &sorted(&case, &indicators));
        assert_eq!(told, case.train(&mut ExactPairTree::new(growth(8, 1.0)), &sorted(&case, &[])));
    }
}

/// Nodes so large that threads share them, and nodes that are copied; columns in bytes, in bundles and in
/// lists.
#[test]
fn the_sides_do_not_depend_on_threads_or_layout() {
    let n = 40_000;
    let mut round = Simulated::new(5, n, 8, 2);
    for (i, x) in round.rows.iter_mut().enumerate() {
        x[4] = if i % 11 == 0 { x[4].round() } else { 0.0 };
        x[5] = if i % 13 == 0 { (3.0 * x[5]).round() } else { 0.0 };
    }
    let (round, indicators) = knocked_out(round, 0.0, 5);
    let contexts = binned(&round, 256, &indicators);
    let train = |threads: usize, contexts: &BinnedContexts| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| round.train(&mut HistogramPairTree::new(growth(9, 20.0)), contexts))
    };
    let one = train(1, &contexts);
    assert!(sides(&one.0) > 30, "{} of {}", sides(&one.0), one.0.leaves());
    for threads in [2, 4] {
        assert_eq!(train(threads, &contexts), one, "{threads} threads");
    }
    for (i, x) in contexts.matrix().iter().enumerate() {
        assert_eq!(one.0.score(x, 1).unwrap().to_bits(), one.1[n + i].to_bits());
    }
    // The value that each row gets by itself is the one that it gets beside seven others.
    let mut together = vec![0.0; 2 * n];
    one.0.add_scores_of_rows(contexts.matrix(), 0, 1.0, &mut together).unwrap();
    for (i, scores) in together.chunks_exact(2).enumerate() {
        assert_eq!(scores, [one.1[i], one.1[n + i]]);
    }
    // Among 240 rare columns beside them, whose values are listed, as the indicators are.
    let mut many = round.clone();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    many.rows.truncate(4000);
    many.rows.iter_mut().for_each(|x| {
        let rare = |_| f64::from(u8::from(rng.random_bool(0.03)));
        x.extend((0..240).map(rare));
    });
    many.inputs += 240;
    many.h.truncate(4000);
    many.g = [&round.g[..4000], &round.g[n..n + 4000]].concat();
    let listed = binned(&many, 256, &indicators);
    assert!(listed.listed_values() > 4000);
    let exact = many.train(&mut ExactPairTree::new(growth(8, 3.0)), &sorted(&many, &indicators));
    let found =
        many.train(&mut HistogramPairTree::new(growth(8, 3.0)), &binned(&many, u16::MAX, &indicators));
    assert!(sides(&exact.0) > 5, "{} of {}", sides(&exact.0), exact.0.leaves());
    assert_same((&found.0, &found.1), (&exact.0, &exact.1), "listed");
}

/// The indicator of an allowed column comes with it; nothing else does.
#[test]
fn among_some_columns_their_missing_values_count() {
    let mut learnt = 0;
    for seed in 0..24_usize {
        let (round, indicators) = knocked_out(Simulated::new(seed as u64, 300, 5, 3), 0.0, 4);
        let flags: Vec<bool> = (0..10).map(|j| j < 5 && (seed + 1) >> j & 1 == 1).collect();
        let (mut exact, mut histogram) =
            (ExactPairTree::new(growth(6, 2.0)), HistogramPairTree::new(growth(6, 2.0)));
        let [mut values, mut others] = [(); 2].map(|()| vec![f64::NAN; 900]);
        let sorted = sorted(&round, &indicators);
        let tree = exact.train_among(&sorted, &round.round(), &flags, &mut values).unwrap();
        for bins in [256, 300] {
            let binned = binned(&round, bins, &indicators);
            let found = histogram.train_among(&binned, &round.round(), &flags, &mut others).unwrap();
            let asked = |j: u32| flags[j as usize % 5];
            assert!(found.nodes().iter().all(|node| match *node {
                PairNode::Context { feature, .. } => asked(feature),
                PairNode::ContextOrMissing { feature, indicator, .. } =>
                    flags[feature as usize] && indicator == feature + 5,
                _ => true,
            }));
            if bins == 300 {
                assert_same((&found, &others), (&tree, &values), &format!("{flags:?}"));
            }
        }
        learnt += sides(&tree);
        // The values of the other columns do not matter, and neither do their missing ones.
        let mut left = round.clone();
        for j in (0..5).filter(|j| !flags[*j]) {
            left.rows.iter_mut().for_each(|x| (x[j], x[j + 5]) = (0.0, 0.0));
        }
        let expected = left.train(&mut exact, &self::sorted(&left, &indicators));
        assert_eq!((tree, values), expected, "{flags:?}");
    }
    assert!(learnt > 40, "{learnt}");
}

#[test]
fn samples_with_indicators_are_saved_and_old_ones_are_read() {
    let (round, indicators) = knocked_out(Simulated::new(1, 30, 4, 2), 0.0, 1);
    let (sorted, binned) = (sorted(&round, &indicators), binned(&round, 16, &indicators));
    assert_eq!((sorted.indicators(), binned.indicators()), (&indicators[..], &indicators[..]));
    let saved = serde_json::to_string(&sorted).unwrap();
    assert_eq!(serde_json::from_str::<SortedColumns>(&saved).unwrap(), sorted);
    let saved = serde_json::to_string(&binned).unwrap();
    assert_eq!(serde_json::from_str::<BinnedContexts>(&saved).unwrap(), binned);
    // What older versions saved: the rows alone.
    let matrix = serde_json::to_string(&round.matrix()).unwrap();
    let plain = SortedColumns::new(round.matrix()).unwrap();
    assert_eq!(serde_json::from_str::<SortedColumns>(&matrix).unwrap(), plain);
    assert_eq!(serde_json::to_string(&plain).unwrap(), matrix);
    let plain = BinnedContexts::with_bins(round.matrix(), 16).unwrap();
    let old = format!("{{\"matrix\":{matrix},\"bins\":16}}");
    assert_eq!(serde_json::from_str::<BinnedContexts>(&old).unwrap(), plain);
    assert_eq!(serde_json::to_string(&plain).unwrap(), old);
    // What no constructor takes is not read.
    let broken = saved.replace("[[0,4],[1,5]", "[[0,4],[4,5]");
    assert!(broken != saved && serde_json::from_str::<BinnedContexts>(&broken).is_err());
}

#[test]
fn columns_that_are_no_indicators_are_refused() {
    let rows = vec![1.0, 0.0, 5.0, 0.0, 0.0, 1.0, 5.0, 0.0, 3.0, 0.0, 5.0, 2.0];
    let matrix = RowMatrix::dense(4, rows).unwrap();
    let refused = |indicators: &[(usize, usize)]| {
        let sorted = SortedColumns::new(matrix.clone()).unwrap().with_indicators(indicators);
        let binned = BinnedContexts::new(matrix.clone()).unwrap().with_indicators(indicators);
        let (sorted, binned) = (sorted.map(|_| ()), binned.map(|_| ()));
        assert_eq!(sorted, binned);
        match binned {
            Err(LearnerError::BadIndicator { column, indicator, reason }) => {
                Some((column, indicator, reason))
            }
            other => other.map(|()| None).unwrap(),
        }
    };
    assert_eq!(refused(&[]), None);
    assert_eq!(refused(&[(0, 1)]), None);
    assert_eq!(refused(&[(0, 4)]), Some((0, 4, "it is out of range")));
    assert_eq!(refused(&[(usize::MAX, 1)]), Some((usize::MAX, 1, "it is out of range")));
    assert_eq!(refused(&[(0, 0)]), Some((0, 0, "a column is in two places")));
    assert_eq!(refused(&[(0, 1), (2, 1)]), Some((2, 1, "a column is in two places")));
    assert_eq!(refused(&[(0, 1), (1, 3)]), Some((1, 3, "a column is in two places")));
    assert_eq!(refused(&[(0, 3)]), Some((0, 3, "it is neither 0 nor 1")));
    assert_eq!(refused(&[(2, 1)]), Some((2, 1, "a missing value is not 0")));
    let node = |feature, indicator| PairNode::ContextOrMissing {
        feature,
        threshold: 1.0,
        indicator,
        missing_below: true,
        below: 1,
        rest: 2,
    };
    let leaf = PairNode::Leaf { value: 1.0 };
    let tree = |feature, indicator| PairTree::new(2, 1, vec![node(feature, indicator), leaf, leaf]);
    assert!(tree(0, 1).is_ok());
    for (feature, indicator) in [(2, 1), (0, 2), (0, 0)] {
        assert!(tree(feature, indicator).is_err());
    }
}
