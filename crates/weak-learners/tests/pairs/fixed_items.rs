//! Where every choice has the same items, the tree over candidates is the one of other candidates.

use super::candidates::{rare, whole};
use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Candidates, RowMatrix};
use std::num::NonZero;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{
    BinnedCandidates, BinnedContexts, ColumnRestricted, ExactPairTree, HistogramCandidateTree,
    HistogramPairTree, PairGrowth, PairHypothesis, PairLearner, PairNode, PairRound, PairTree, PairWeights,
};

/// n choices among the same items.
struct Fixed {
    n: usize,
    items: Vec<u32>,
    contexts: Option<RowMatrix>,
    features: Option<RowMatrix>,
    identities: usize,
    /// Those of missing values, as coordinates of the row of a pair.
    indicators: Vec<(usize, usize)>,
}

impl Fixed {
    /// `levels` says which levels there are, as bits; `spare` items of the table are never offered, and if
    /// there are some, one of the others is offered twice.
    fn new((n, actions, spare): (usize, usize, usize), levels: u8, rng: &mut impl Rng) -> Self {
        let mut items: Vec<u32> = (0..u32::try_from(actions).unwrap()).collect();
        for k in (1..actions).rev() {
            items.swap(k, rng.random_range(0..=k));
        }
        if spare > 0 && actions > 3 {
            items[1] = items[2];
        }
        let contexts = match levels & 3 {
            0 => None,
            1 => Some(whole((n, 3), 4, rng)),
            2 => Some(rare(n, rng)),
            _ => Some(whole((n, 2), 300, rng)),
        };
        let features = (levels & 4 > 0).then(|| match levels & 8 {
            0 => whole((actions + spare, 2), 4, rng),
            _ => rare(actions + spare, rng),
        });
        let identities = if levels & 16 > 0 { actions.div_ceil(2) } else { 0 };
        Self { n, items, contexts, features, identities, indicators: Vec::new() }
    }

    /// The same where contexts and items lack values: one of these shares of a column.
    fn lacking(self, shares: &[f64], rng: &mut impl Rng) -> Self {
        let mut indicators = Vec::new();
        let mut first = 0;
        let mut knocked_out = |rows: RowMatrix| {
            let (rows, own) = knocked_out(&rows, shares, rng);
            indicators.extend(own.into_iter().map(|(j, k)| (first + j, first + k)));
            first += rows.dimension();
            rows
        };
        let contexts = self.contexts.map(&mut knocked_out);
        let features = self.features.map(&mut knocked_out);
        Self { contexts, features, indicators, ..self }
    }

    /// The candidates, or the same ones with an own feature that is 0 everywhere: then they are a list of
    /// pairs.
    fn candidates(&self, is_list: bool) -> Candidates {
        let pairs = self.n * self.items.len();
        let offsets = (0..=self.n).map(|i| i * self.items.len()).collect();
        let of_pairs = self.items.repeat(self.n);
        let mut builder = Candidates::builder(offsets);
        if let Some(contexts) = &self.contexts {
            builder = builder.contexts(contexts.clone());
        }
        if is_list {
            builder = builder.features(RowMatrix::sparse(1, vec![0; pairs + 1], vec![], vec![]).unwrap());
        }
        if let Some(features) = &self.features {
            builder = builder.items(of_pairs.clone(), features.clone());
        }
        builder.identities(of_pairs, self.identities).build().unwrap()
    }

    /// The same candidates, binned, with the indicators.
    fn binned(&self, is_list: bool, bins: u16) -> BinnedCandidates {
        let place = |j: usize| j + usize::from(is_list && j >= self.own());
        let indicators: Vec<_> = self.indicators.iter().map(|(j, k)| (place(*j), place(*k))).collect();
        let binned = BinnedCandidates::with_bins(self.candidates(is_list), bins).unwrap();
        binned.with_indicators(&indicators).unwrap()
    }

    /// The splits of a tree that send missing values to the other side than 0, of contexts and of items.
    fn sides(&self, tree: &PairTree) -> [usize; 2] {
        let mut sides = [0; 2];
        for node in tree.nodes() {
            if let PairNode::ContextOrMissing { feature, indicator, .. } = node {
                let pair = (*feature as usize, *indicator as usize);
                assert!(self.indicators.contains(&pair), "{pair:?}");
                sides[usize::from(pair.0 >= self.own())] += 1;
            }
        }
        sides
    }

    /// For every pair the number of values that are above the half of this, or missing, by their level.
    fn large(&self, [of_contexts, of_items]: [f64; 2]) -> Vec<f64> {
        let count = |first: usize, rows: &Option<RowMatrix>, most: f64| -> Vec<f64> {
            let rows = rows.as_ref().unwrap();
            let own = |(j, k): &&(usize, usize)| *j >= first && *k - first < rows.dimension();
            let indicators: Vec<_> = self.indicators.iter().filter(own).collect();
            let is_large =
                |x: &[f64], (j, k): &(usize, usize)| x[j - first] > most / 2.0 || x[k - first] == 1.0;
            let large = |x: &[f64]| indicators.iter().filter(|pair| is_large(x, pair)).count();
            rows.iter().map(|x| f64::from(u8::try_from(large(&x.to_dense())).unwrap())).collect()
        };
        let contexts = count(0, &self.contexts, of_contexts);
        let items = count(self.own(), &self.features, of_items);
        let of_choice =
            |x: &f64| self.items.iter().map(|item| *x + items[*item as usize]).collect::<Vec<_>>();
        contexts.iter().flat_map(of_choice).collect()
    }

    /// The place of the own feature.
    fn own(&self) -> usize {
        self.contexts.as_ref().map_or(0, RowMatrix::dimension)
    }
}

/// Some values of a column are missing, none, or all.
const SHARES: [f64; 6] = [0.2, 0.5, 0.5, 0.8, 0.0, 1.0];

/// The same rows where values of up to three columns are missing, and their indicators behind them: the
/// indicators stand in reverse order.
fn knocked_out(rows: &RowMatrix, shares: &[f64], rng: &mut impl Rng) -> (RowMatrix, Vec<(usize, usize)>) {
    let (width, count) = (rows.dimension(), rows.dimension().min(rng.random_range(1..4)));
    let first = rng.random_range(0..=width - count);
    let share: Vec<f64> = (0..count).map(|_| shares[rng.random_range(0..shares.len())]).collect();
    let mut values = Vec::new();
    for x in rows.iter() {
        let mut x = x.to_dense();
        for k in (0..count).rev() {
            let is_missing = rng.random_bool(share[k]);
            x[first + k] = if is_missing { 0.0 } else { x[first + k] };
            x.push(f64::from(u8::from(is_missing)));
        }
        values.extend(x);
    }
    let indicators = (0..count).map(|k| (first + k, width + count - 1 - k)).collect();
    (RowMatrix::dense(width + count, values).unwrap(), indicators)
}

/// A tree without the own feature, which it does not ask for.
fn without(own: usize, tree: &PairTree) -> PairTree {
    let node = |node: &PairNode| {
        let mut node = *node;
        let place = |j: &mut u32| {
            assert_ne!(*j as usize, own);
            *j -= u32::from(*j as usize > own);
        };
        match &mut node {
            PairNode::Context { feature, .. } => place(feature),
            PairNode::ContextOrMissing { feature, indicator, .. } => {
                place(feature);
                place(indicator);
            }
            PairNode::Leaf { .. } | PairNode::Action { .. } => {}
        }
        node
    };
    PairTree::new(tree.inputs() - 1, 1, tree.nodes().iter().map(node).collect()).unwrap()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// A few, or more: with a few choices and items, many splits gain the same.
fn few_or_many(most: usize) -> impl Strategy<Value = usize> {
    prop_oneof![1..7_usize, 1..most]
}

/// Whole numbers, or any.
fn round_of(pairs: usize, is_whole: bool, rng: &mut impl Rng) -> (Vec<f64>, Vec<f64>) {
    let weights: Vec<f64> = (0..pairs)
        .map(|_| {
            let h = f64::from(rng.random_range(0..4));
            if is_whole { h } else { h * rng.random_range(0.1..1.0) }
        })
        .collect();
    let mut gradient = |h: &f64| match (*h > 0.0, is_whole) {
        (false, _) => 0.0,
        (true, true) => f64::from(rng.random_range(-5..6)),
        (true, false) => rng.random_range(-1.0..1.5),
    };
    let gradients = weights.iter().map(&mut gradient).collect();
    (gradients, weights)
}

fn growth(depth: u32, leaves: Option<u32>) -> PairGrowth {
    let growth =
        PairGrowth::builder().max_depth(depth).min_child_weight(1.0).reg_lambda(0.5).build().unwrap();
    leaves.and_then(NonZero::new).map_or(growth, |most| growth.with_max_leaves(most))
}

proptest! {
    #[test]
    fn the_tree_is_that_of_a_list_of_pairs(
        seed in 0..u64::MAX,
        n in few_or_many(150),
        actions in few_or_many(20),
        spare in 0..4_usize,
        levels in 1..32_u8,
        depth in 0..7_u32,
        leaves in prop::option::of(1..12_u32),
        is_whole: bool,
        is_lacking: bool,
        bins in prop::sample::select(vec![5, 256, u16::MAX]),
    ) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let fixed = Fixed::new((n, actions, spare), levels, rng);
        let fixed = if is_lacking { fixed.lacking(&SHARES, rng) } else { fixed };
        prop_assume!(fixed.contexts.is_some() || fixed.features.is_some() || fixed.identities > 0);
        let all = fixed.candidates(false);
        let (g, h) = round_of(all.pairs(), is_whole, rng);
        prop_assume!(h.iter().any(|h| *h > 0.0));
        let round = PairRound::new(all.pairs(), 1, &g, PairWeights::OfPairs(&h)).unwrap();
        let mut columns: Vec<bool> = (0..all.dimension()).map(|_| rng.random_range(0..3) > 0).collect();
        let [mut values, mut of_list] = [(); 2].map(|()| vec![f64::NAN; all.pairs()]);

        let [binned, list] = [false, true].map(|is_list| fixed.binned(is_list, bins));
        prop_assert_eq!((binned.actions(), list.actions()), (Some(actions), None));
        let [mut learner, mut of_pairs] =
            [(); 2].map(|()| HistogramCandidateTree::new(growth(depth, leaves)));
        let tree = learner.train(&binned, &round, &mut values).unwrap();
        let expected = of_pairs.train(&list, &round, &mut of_list).unwrap();
        prop_assert_eq!(&tree, &without(fixed.own(), &expected));
        prop_assert_eq!(bits(&values), bits(&of_list));

        // Twice, because the buffers of a training stay: many columns, then few.
        for share in [1, 6] {
            columns.iter_mut().for_each(|allowed| *allowed &= rng.random_range(0..share) == 0);
            let mut beside = columns.clone();
            beside.insert(fixed.own(), true);
            let some = learner.train_among(&binned, &round, &columns, &mut values).unwrap();
            let expected = of_pairs.train_among(&list, &round, &beside, &mut of_list).unwrap();
            prop_assert_eq!(&some, &without(fixed.own(), &expected));
            prop_assert_eq!(bits(&values), bits(&of_list));
            let allowed = |j: u32| {
                let of = fixed.indicators.iter().find(|(_, k)| *k == j as usize);
                columns[j as usize] || of.is_some_and(|(j, _)| columns[*j])
            };
            let is_allowed = |node: &PairNode| match *node {
                PairNode::Context { feature, .. } => allowed(feature),
                PairNode::ContextOrMissing { feature, .. } => columns[feature as usize],
                _ => true,
            };
            fixed.sides(&some);
            prop_assert!(some.nodes().iter().all(is_allowed));
        }
        prop_assert_eq!(&learner.train(&binned, &round, &mut values).unwrap(), &tree);
    }

    /// With every cut, and no item that is not offered, the cuts are those of the rows; with missing values
    /// or without.
    #[test]
    fn with_every_cut_the_tree_is_that_of_the_expanded_rows(
        seed in 0..u64::MAX,
        n in few_or_many(80),
        actions in few_or_many(16),
        levels in 1..32_u8,
        depth in 0..6_u32,
        leaves in prop::option::of(1..12_u32),
        is_lacking: bool,
    ) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let fixed = Fixed::new((n, actions, 0), levels, rng);
        let fixed = if is_lacking { fixed.lacking(&SHARES, rng) } else { fixed };
        prop_assume!(fixed.contexts.is_some() || fixed.features.is_some() || fixed.identities > 0);
        let all = fixed.candidates(false);
        let expanded = all.expanded().unwrap();
        let (g, h) = round_of(all.pairs(), true, rng);
        prop_assume!(h.iter().any(|h| *h > 0.0));
        let round = PairRound::new(all.pairs(), 1, &g, PairWeights::OfPairs(&h)).unwrap();
        let [mut values, mut of_rows, mut exact] = [(); 3].map(|()| vec![f64::NAN; all.pairs()]);
        let [binned, list] = [false, true].map(|is_list| fixed.binned(is_list, u16::MAX));
        prop_assert_eq!((binned.actions(), list.actions()), (Some(actions), None));
        let tree =
            HistogramCandidateTree::new(growth(depth, leaves)).train(&binned, &round, &mut values).unwrap();
        let rows = BinnedContexts::with_bins(expanded.clone(), u16::MAX).unwrap();
        let rows = rows.with_indicators(&fixed.indicators).unwrap();
        let expected =
            HistogramPairTree::new(growth(depth, leaves)).train(&rows, &round, &mut of_rows).unwrap();
        prop_assert_eq!((&tree, bits(&values)), (&expected, bits(&of_rows)));
        let expected =
            HistogramCandidateTree::new(growth(depth, leaves)).train(&list, &round, &mut of_rows).unwrap();
        prop_assert_eq!((&tree, bits(&values)), (&without(fixed.own(), &expected), bits(&of_rows)));
        for (p, x) in expanded.iter().enumerate() {
            prop_assert_eq!(values[p].to_bits(), tree.score(x, 0).unwrap().to_bits());
        }
        // The exact tree finds the same leaves; its thresholds are midpoints within the node.
        let sorted = SortedColumns::new(expanded).unwrap().with_indicators(&fixed.indicators).unwrap();
        let oracle =
            ExactPairTree::new(growth(depth, leaves)).train(&sorted, &round, &mut exact).unwrap();
        prop_assert_eq!(fixed.sides(&tree), fixed.sides(&oracle));
        for (p, exact) in exact.iter().enumerate().filter(|(p, _)| h[*p] > 0.0) {
            prop_assert!((values[p] - exact).abs() <= 1e-12 * exact.abs().max(1.0), "{} {}", values[p], exact);
        }
    }
}

#[test]
fn neither_threads_nor_copies_show_on_many_choices() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let cases = [(40_000, 8, 3 + 4 + 16), (40_000, 8, 1 + 4), (40_000, 8, 2 + 16), (16_000, 20, 1 + 4 + 16)];
    for (n, actions, levels) in cases {
        let is_lacking = actions == 20;
        let fixed = Fixed::new((n, actions, 2), levels, rng);
        let fixed = Fixed { contexts: Some(whole((n, 12), 300, rng)), ..fixed };
        let fixed = if is_lacking { fixed.lacking(&[0.3], rng) } else { fixed };
        let (mut g, h) = round_of(320_000, false, rng);
        if is_lacking {
            // What is missing is as large values are.
            for ((g, h), large) in g.iter_mut().zip(&h).zip(fixed.large([300.0, 3.0])) {
                *g += h * large;
            }
        }
        let round = PairRound::new(320_000, 1, &g, PairWeights::OfPairs(&h)).unwrap();
        let [binned, list] = [false, true].map(|is_list| fixed.binned(is_list, 256));
        for leaves in [None, Some(40)] {
            let trained = |threads: usize, sample: &BinnedCandidates| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut values = vec![0.0; g.len()];
                let mut learner = HistogramCandidateTree::new(growth(9, leaves));
                let tree = pool.install(|| learner.train(sample, &round, &mut values)).unwrap();
                let again = pool.install(|| learner.train(sample, &round, &mut values)).unwrap();
                assert_eq!(tree, again);
                (tree, bits(&values))
            };
            let (expected, values) = trained(1, &list);
            let expected = (without(fixed.own(), &expected), values);
            assert!(expected.0.leaves() >= 40, "{}", expected.0.leaves());
            let sides = fixed.sides(&expected.0);
            assert_eq!(sides.map(|count| count > 0), [is_lacking; 2], "{sides:?}");
            for threads in [1, 2, 4] {
                assert_eq!(trained(threads, &binned), expected, "{threads}");
            }
        }
    }
}

/// The sums of a choice are beyond a word: the candidates are a list of pairs then.
#[test]
fn many_heavy_actions_are_no_other_tree() {
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    let fixed = Fixed::new((20, 5000, 0), 1 + 4, rng);
    let pairs = 20 * 5000;
    let g: Vec<f64> = (0..pairs).map(|_| rng.random_range(-1.0..1.5)).collect();
    let h = vec![1.0; pairs];
    let round = PairRound::new(pairs, 1, &g, PairWeights::OfPairs(&h)).unwrap();
    let [(tree, values), (expected, of_list)] = [false, true].map(|own| {
        let sample = BinnedCandidates::new(fixed.candidates(own)).unwrap();
        let mut values = vec![0.0; pairs];
        let tree = HistogramCandidateTree::new(growth(6, None)).train(&sample, &round, &mut values).unwrap();
        (tree, values)
    });
    assert!(tree.leaves() > 20);
    assert_eq!((tree, bits(&values)), (without(fixed.own(), &expected), bits(&of_list)));
}

#[test]
fn other_candidates_are_not_fixed() {
    let contexts = || RowMatrix::dense(1, vec![0.0, 1.0, 2.0]).unwrap();
    let items = || RowMatrix::dense(1, vec![0.0, 1.0, 2.0]).unwrap();
    let actions = |offsets: Vec<usize>, of_pairs: Vec<u32>| {
        let candidates =
            Candidates::builder(offsets).contexts(contexts()).items(of_pairs, items()).build().unwrap();
        BinnedCandidates::new(candidates).unwrap().actions()
    };
    assert_eq!(actions(vec![0, 2, 4, 6], vec![2, 0, 2, 0, 2, 0]), Some(2));
    // Another order, another item, another number of them, the same pairs in other choices.
    assert_eq!(actions(vec![0, 2, 4, 6], vec![2, 0, 2, 0, 0, 2]), None);
    assert_eq!(actions(vec![0, 2, 4, 6], vec![2, 0, 1, 0, 2, 0]), None);
    assert_eq!(actions(vec![0, 2, 4, 5], vec![2, 0, 2, 0, 2]), None);
    assert_eq!(actions(vec![0, 1, 3, 5], vec![2, 2, 0, 2, 0]), None);
    assert_eq!(actions(vec![0, 1, 4, 6], vec![2, 2, 2, 2, 2, 2]), None);
    // Items without features and identities are alike.
    let alike =
        Candidates::builder(vec![0, 2, 4, 6]).contexts(contexts()).identities(vec![0; 6], 0).build().unwrap();
    assert_eq!(BinnedCandidates::new(alike).unwrap().actions(), Some(2));
}

/// A quantum is 2^−21 here. Items differ by a fraction of one, which is seen in the sums of many choices. It
/// is a split where g differs, and none where only the roundings differ.
#[test]
fn below_a_quantum_a_gain_is_told_from_rounding() {
    let (n, actions, quantum) = (2000, 50_u32, 2_f64.powi(-21));
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    let fixed = Fixed {
        n,
        items: (0..actions).collect(),
        contexts: None,
        features: Some(RowMatrix::dense(1, (0..actions).map(|a| f64::from(a % 2)).collect()).unwrap()),
        identities: 0,
        indicators: Vec::new(),
    };
    // Items 2j and 2j + 1 have the same g up to an effect.
    let mut effect = Vec::new();
    let mut rounding = Vec::new();
    for i in 0..n {
        for j in 0..actions / 2 {
            let u = rng.random_range(-1.0..1.0);
            effect.extend([u - 0.15 * quantum, u + 0.15 * quantum]);
            let large = if i == 0 && j == 0 { 0.9 } else { 0.0 };
            // 0.4 + 0.4 becomes 0 + 0, and 0.6 + 0.2 becomes 1 + 0.
            let of_odd = if (i + j as usize).is_multiple_of(2) { 0.6 } else { 0.2 };
            rounding.extend([large + 0.4 * quantum, large + of_odd * quantum]);
        }
    }
    let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
    for (g, leaves) in [(effect, 2), (rounding, 1)] {
        let h = vec![1.0; g.len()];
        let round = PairRound::new(g.len(), 1, &g, PairWeights::OfPairs(&h)).unwrap();
        for is_list in [false, true] {
            let sample = BinnedCandidates::new(fixed.candidates(is_list)).unwrap();
            let mut values = vec![0.0; g.len()];
            let tree = HistogramCandidateTree::new(growth).train(&sample, &round, &mut values).unwrap();
            assert_eq!(tree.leaves(), leaves, "{is_list}");
        }
    }
}

/// Contexts and items part the same gradients: in all columns the side of 0 comes first, and then the
/// contexts.
#[test]
fn of_equal_gains_the_cuts_that_move_missing_values_come_last() {
    // A value and its indicator: what is missing is as 3 is. And where nothing is missing.
    let lacking = RowMatrix::dense(2, vec![1.0, 0.0, 3.0, 0.0, 0.0, 1.0]).unwrap();
    let whole = RowMatrix::dense(2, vec![1.0, 0.0, 3.0, 0.0, 3.0, 0.0]).unwrap();
    let of_three = [-1.0, 1.0, 1.0];
    let g: Vec<f64> = of_three.iter().flat_map(|x| of_three.map(|a| x + a)).collect();
    let round = PairRound::new(9, 1, &g, PairWeights::OfExamples(&[1.0; 9])).unwrap();
    let cases = [(&whole, &lacking, 0, false), (&lacking, &whole, 2, false), (&lacking, &lacking, 0, true)];
    for (contexts, items, expected, moves) in cases {
        let fixed = Fixed {
            n: 3,
            items: vec![0, 1, 2],
            contexts: Some(contexts.clone()),
            features: Some(items.clone()),
            identities: 0,
            indicators: vec![(0, 1), (2, 3)],
        };
        let is_expected = |tree: &PairTree| match tree.nodes()[0] {
            PairNode::Context { feature, .. } => (feature, false) == (expected, moves),
            PairNode::ContextOrMissing { feature, .. } => (feature, true) == (expected, moves),
            _ => false,
        };
        let mut values = [0.0; 9];
        let [tree, list] = [false, true].map(|is_list| {
            let sample = fixed.binned(is_list, 256);
            HistogramCandidateTree::new(growth(4, None)).train(&sample, &round, &mut values).unwrap()
        });
        assert!(is_expected(&tree), "{tree:?}");
        assert_eq!(tree, without(fixed.own(), &list));
        let rows = fixed.candidates(false).expanded().unwrap();
        let sorted = SortedColumns::new(rows).unwrap().with_indicators(&fixed.indicators).unwrap();
        let exact = ExactPairTree::new(growth(4, None)).train(&sorted, &round, &mut values).unwrap();
        assert!(is_expected(&exact), "{exact:?}");
    }
}
