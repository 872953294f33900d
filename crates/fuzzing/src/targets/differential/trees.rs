//! Trees three ways: by histograms and by the exact search, on dense and sparse rows, of one process and of
//! ranks.
//!
//! Gradients and weights are small whole numbers, which the histograms hold exactly, and every value of a
//! column has a bin. Then both searches know the same gains, and have the same order of ties.

use super::law;
use crate::draw::Draw;
use crate::target::Target;
use crate::verdict::{AnyError, Complaint};
use ranks::{Ranks, on_threads};
use rows::RowMatrix;
use std::num::NonZero;
use std::ops::Range;
use std::time::Duration;
use weak_learners::LearnerError;
use weak_learners::batch::{BinnedColumns, BinnedTree, LeafAnswer, SortedColumns, WeakLearner};
use weak_learners::pairs::{
    BinnedContexts, ExactPairTree, HistogramPairTree, PairGrowth, PairLearner, PairRound, PairTree,
    PairWeights,
};

struct Pairs {
    rows: Vec<Vec<f64>>,
    inputs: usize,
    actions: usize,
    g: Vec<f64>,
    h: Vec<f64>,
    growth: PairGrowth,
}

impl Pairs {
    fn draw(draw: &mut Draw<'_>, most: usize) -> Result<Self, AnyError> {
        let (inputs, actions, n) = (draw.size(1, 4), draw.size(1, 4), draw.size(1, most));
        let depth = draw.byte() % 5;
        let (least, lambda) = (draw.byte() % 4, draw.byte() % 3);
        let leaves = NonZero::new(u32::from(draw.byte() % 6));
        let rows = draw.list(n, |draw| draw.list(inputs, |draw| f64::from(draw.whole() / 3)));
        let h = draw.list(n, |draw| f64::from(draw.byte() % 4));
        let mut g = draw.list(n * actions, |draw| f64::from(draw.whole()));
        g.iter_mut().enumerate().filter(|(k, _)| h[k % n] == 0.0).for_each(|(_, g)| *g = 0.0);
        let growth = PairGrowth::builder()
            .max_depth(depth.into())
            .min_child_weight(least.into())
            .reg_lambda(lambda.into())
            .build()?;
        let growth = leaves.map_or(growth, |most| growth.with_max_leaves(most));
        Ok(Self { rows, inputs, actions, g, h, growth })
    }

    fn n(&self) -> usize {
        self.rows.len()
    }

    fn dense(&self) -> Result<RowMatrix, AnyError> {
        Draw::dense(&self.rows, self.inputs)
    }

    fn sparse(&self) -> Result<RowMatrix, AnyError> {
        Draw::sparse(&self.rows, self.inputs)
    }

    fn train<L: PairLearner<Hypothesis = PairTree>>(
        &self,
        mut learner: L,
        contexts: &L::Contexts,
    ) -> Result<(PairTree, Vec<f64>), LearnerError> {
        let round = PairRound::new(self.n(), self.actions, &self.g, PairWeights::OfExamples(&self.h))?;
        let mut values = vec![0.0; self.g.len()];
        let tree = learner.train(contexts, &round, &mut values)?;
        Ok((tree, values))
    }

    fn shown(&self) -> String {
        let Self { rows, actions, g, h, growth, .. } = self;
        format!("rows {rows:?}, {actions} actions, g {g:?}, h {h:?}, {growth:?}")
    }
}

fn histograms_and_exact(draw: &mut Draw<'_>) -> Result<Result<(), Complaint>, AnyError> {
    let pairs = Pairs::draw(draw, 14)?;
    let binned = BinnedContexts::new(pairs.dense()?)?;
    let (tree, values) = pairs.train(HistogramPairTree::new(pairs.growth), &binned)?;
    let (exact, expected) =
        pairs.train(ExactPairTree::new(pairs.growth), &SortedColumns::new(pairs.dense()?)?)?;
    // A pair without a weight is between the values of the others, where the thresholds may differ.
    let far = (0..values.len())
        .filter(|k| pairs.h[k % pairs.n()] > 0.0)
        .find(|&k| (values[k] - expected[k]).abs() > 1e-12 * expected[k].abs().max(1.0));
    let is_same = far.is_none() && tree.leaves() == exact.leaves();
    Ok(law("a tree by histograms is the exact tree", is_same, || {
        format!("pair {far:?}, {} and {} leaves, {}", tree.leaves(), exact.leaves(), pairs.shown())
    }))
}

fn sparse_and_dense(draw: &mut Draw<'_>) -> Result<Result<(), Complaint>, AnyError> {
    let mut pairs = Pairs::draw(draw, 14)?;
    // Any numbers: the same are seen, so the same is done.
    pairs.rows.iter_mut().flatten().for_each(|x| {
        if draw.byte() > 200 {
            let other = draw.finite();
            *x = if other.abs() <= 1e140 { other } else { 0.0 };
        }
    });
    let (dense, sparse) = (pairs.dense()?, pairs.sparse()?);
    let saved = |found: Result<(PairTree, Vec<f64>), LearnerError>| -> Result<String, AnyError> {
        Ok(serde_json::to_string(&found?)?)
    };
    let by_bins = [&dense, &sparse].map(|matrix| {
        saved(pairs.train(HistogramPairTree::new(pairs.growth), &BinnedContexts::new(matrix.clone())?))
    });
    let exactly = [&dense, &sparse].map(|matrix| {
        saved(pairs.train(ExactPairTree::new(pairs.growth), &SortedColumns::new(matrix.clone())?))
    });
    let targets: Vec<f64> = pairs.g[..pairs.n()].iter().map(|g| g.clamp(-1.0, 1.0)).collect();
    let batch = [&dense, &sparse].map(|matrix| -> Result<String, AnyError> {
        let mut learner = BinnedTree::new(2, LeafAnswer::Mean, 0.0)?;
        let weight: f64 = pairs.h.iter().sum();
        let weights: Vec<f64> = pairs.h.iter().map(|h| h / weight).collect();
        let tree = learner.train(&BinnedColumns::new(matrix.clone())?, &targets, &weights)?;
        Ok(serde_json::to_string(&tree)?)
    });
    for (what, pair) in [("by histograms", by_bins), ("by the exact search", exactly), ("of a sample", batch)]
    {
        let is_same = match &pair {
            [Ok(one), Ok(two)] => one == two,
            [Err(one), Err(two)] => one.to_string() == two.to_string(),
            _ => false,
        };
        if !is_same {
            return Ok(law("a tree of sparse rows is that of dense rows", false, || {
                format!("{what}: {pair:?}, {}", pairs.shown())
            }));
        }
    }
    Ok(Ok(()))
}

/// Rows of a rank, one at least: contexts without rows are refused.
fn dealt(n: usize, cuts: &[usize], rank: usize) -> Range<usize> {
    let at = |k: usize| if k == 0 { 0 } else { cuts.get(k - 1).copied().unwrap_or(n) };
    at(rank)..at(rank + 1)
}

/// Long enough for a busy machine, and shorter than the limit of a case.
const LIMIT: Duration = Duration::from_secs(4);

fn of_ranks(draw: &mut Draw<'_>) -> Result<Result<(), Complaint>, AnyError> {
    let pairs = Pairs::draw(draw, 24)?;
    let (n, size) = (pairs.n(), draw.size(2, 3));
    let mut cuts = draw.list(size - 1, |draw| draw.size(1, n.max(2) - 1));
    cuts.sort_unstable();
    cuts.dedup();
    if cuts.len() + 1 < size || n < size {
        return Err("a rank has no row".into());
    }
    // More rows than bins in half of the cases.
    let bins = if draw.coin() { 256 } else { 3 };
    let matrix = pairs.dense()?;
    let whole = BinnedContexts::with_bins(matrix.clone(), bins)?;
    let (tree, values) = pairs.train(HistogramPairTree::new(pairs.growth), &whole)?;
    let parts = on_threads(size, LIMIT, |ranks: Ranks| -> Result<(PairTree, Vec<f64>), String> {
        let rows = dealt(n, &cuts, ranks.rank());
        let part = matrix.select(rows.clone()).map_err(|error| error.to_string())?;
        let said = |error: LearnerError| error.to_string();
        let contexts = BinnedContexts::of_rank(part, bins, ranks).map_err(said)?;
        let g: Vec<f64> = pairs.g.chunks(n).flat_map(|g| &g[rows.clone()]).copied().collect();
        let h = PairWeights::OfExamples(&pairs.h[rows.clone()]);
        let round = PairRound::of_rank(rows.len(), pairs.actions, &g, h).map_err(said)?;
        let mut values = vec![0.0; g.len()];
        let tree =
            HistogramPairTree::new(pairs.growth).train(&contexts, &round, &mut values).map_err(said)?;
        Ok((tree, values))
    });
    for (rank, part) in parts.into_iter().enumerate() {
        let rows = dealt(n, &cuts, rank);
        let expected: Vec<f64> = values.chunks(n).flat_map(|v| &v[rows.clone()]).copied().collect();
        let is_same = matches!(&part, Some(Ok((found, values))) if *found == tree && *values == expected);
        if !is_same {
            return Ok(law("a tree of ranks is that of one process", false, || {
                format!("rank {rank}, cuts {cuts:?}, {bins} bins: {part:?}, not {tree:?}; {}", pairs.shown())
            }));
        }
    }
    Ok(Ok(()))
}

pub(super) fn all() -> Vec<Target> {
    vec![
        super::target("differential: trees by histograms against the exact tree", histograms_and_exact),
        super::target("differential: trees of sparse against dense rows", sparse_and_dense),
        super::target("differential: trees of ranks against one process", of_ranks),
    ]
}
