//! With λ > 0 a split may gain nothing though its sides differ: then there is none, by any engine, however
//! its numbers are rounded on the way.

use rows::RowMatrix;
use weak_learners::batch::{BinnedColumns, SortedColumns};
use weak_learners::pairs::{
    BinnedContexts, ExactPairTree, HistogramPairTree, PairGrowth, PairLearner, PairRound, PairWeights,
    VectorLeafLearner,
};

/// Two examples at x = 0 and x = 1, of one action, and λ.
struct Two {
    g: [f64; 2],
    h: [f64; 2],
    lambda: f64,
}

impl Two {
    /// Leaves by the histogram trees, the exact ones and those with vectors for leaves.
    fn leaves(&self) -> [usize; 3] {
        let x = RowMatrix::dense(1, vec![0.0, 1.0]).unwrap();
        let round = PairRound::new(2, 1, &self.g, PairWeights::OfExamples(&self.h)).unwrap();
        let growth =
            PairGrowth::builder().max_depth(3).min_child_weight(0.0).reg_lambda(self.lambda).build().unwrap();
        let mut values = [0.0; 2];
        let binned = BinnedContexts::new(x.clone()).unwrap();
        let histogram = HistogramPairTree::new(growth).train(&binned, &round, &mut values).unwrap();
        let sorted = SortedColumns::new(x.clone()).unwrap();
        let exact = ExactPairTree::new(growth).train(&sorted, &round, &mut values).unwrap();
        let columns = BinnedColumns::new(x).unwrap();
        let vectors = VectorLeafLearner::new(growth).train(&columns, &round, &mut values).unwrap();
        [histogram.leaves(), exact.leaves(), vectors.leaves()]
    }
}

/// D²(H + λ) − G²λab with D = G_L b − G_R a, a = H_L + λ, b = H_R + λ: a positive multiple of the gain.
fn gain(g: [i64; 2], h: [i64; 2], lambda: i64) -> i64 {
    let [a, b] = h.map(|h| h + lambda);
    let (d, all) = (g[0] * b - g[1] * a, g[0] + g[1]);
    d * d * (a + b - lambda) - all * all * lambda * a * b
}

#[test]
fn a_split_that_gains_nothing_is_none() {
    let mut ties = 0;
    for lambda in [1, 2, 3, 7] {
        for (h0, h1) in (1..40).flat_map(|h0| (1..40).map(move |h1| (h0, h1))) {
            for (g0, g1) in (1..12).flat_map(|g0| (-12..12).map(move |g1| (g0, g1))) {
                if gain([g0, g1], [h0, h1], lambda) != 0 {
                    continue;
                }
                ties += 1;
                let real = |v: [i64; 2], unit: f64| v.map(|v| v as f64 * unit);
                for unit in [1.0, 0.1, 1e-200] {
                    let [g, h] = [real([g0, g1], unit), real([h0, h1], unit)];
                    let leaves = Two { g, h, lambda: lambda as f64 * unit }.leaves();
                    assert_eq!(leaves, [1; 3], "g = {g0}, {g1}; h = {h0}, {h1}; λ = {lambda}; unit {unit:e}");
                }
            }
        }
    }
    assert!(ties > 100, "{ties} ties");
}

/// Beside a tie a gain is seen: the smallest that small numbers have.
#[test]
fn a_split_that_gains_something_is_one() {
    let mut least = (i64::MAX, 0);
    for lambda in [1, 3] {
        for (h0, h1) in (1..30).flat_map(|h0| (1..30).map(move |h1| (h0, h1))) {
            for (g0, g1) in (1..12).flat_map(|g0| (-12..12).map(move |g1| (g0, g1))) {
                let found = gain([g0, g1], [h0, h1], lambda);
                if found <= 0 || found > 100 {
                    continue;
                }
                least = (least.0.min(found), least.1 + 1);
                let [g, h] = [[g0, g1], [h0, h1]].map(|v| v.map(|v| v as f64));
                let leaves = Two { g, h, lambda: lambda as f64 }.leaves();
                assert_eq!(leaves, [2; 3], "g = {g0}, {g1}; h = {h0}, {h1}; λ = {lambda}");
            }
        }
    }
    assert!(least.0 <= 8 && least.1 > 100, "{least:?}");
}
