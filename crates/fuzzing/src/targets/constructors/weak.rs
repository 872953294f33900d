//! Weak learners, their samples and hypotheses.

use super::learners::{rng, schedule};
use super::rows_and_sets::any_set;
use super::{Door, any, built, count, entry, numbers, parameter, used};
use crate::Checks;
use crate::draw::Draw;
use crate::play::{bandit, classifier, hypothesis, pair_hypothesis, regressor};
use crate::verdict::AnyError;
use rows::RowMatrix;
use serde::Serialize;
use weak_learners::batch::{
    BinnedColumns, BinnedTree, ExactStump, LeafAnswer, Sample, Sampled, SortedColumns, Stump, Tree, TreeNode,
    WeakLearner, WeightedTree,
};
use weak_learners::online::{
    GrownStumps, Growth, HedgeStumps, HoeffdingTree, LogisticRegression, NaiveBayes, SyntheticWeakLearner,
    Thresholds,
};
use weak_learners::pairs::{
    BinnedContexts, ColumnSampling, ExactPairTree, GradientSampling, HistogramPairTree, PairGrowth,
    PairLearner, PairNode, PairRound, PairTree, PairWeights, RowSampling, SmartcorePairTree, VectorLeafNode,
    VectorLeafTree,
};
use weak_learners::{FkmLinear, Label, LearnerError, OgdLinear, OnlinePredictor as _, Ranks, Shape};

/// A few rows with ties and zeros, and at times any double.
pub(super) fn matrix(draw: &mut Draw<'_>) -> Result<RowMatrix, AnyError> {
    let (inputs, n) = (draw.size(1, 4), draw.size(1, 8));
    let rows = draw.list(n, |draw| draw.list(inputs, entry));
    if draw.coin() { Draw::dense(&rows, inputs) } else { Draw::sparse(&rows, inputs) }
}

fn answer(draw: &mut Draw<'_>) -> LeafAnswer {
    if draw.coin() { LeafAnswer::Mean } else { LeafAnswer::Sign }
}

pub(super) fn label(draw: &mut Draw<'_>) -> Label {
    if draw.coin() { Label::Plus } else { Label::Minus }
}

fn look<S: Sample>(sample: &mut S, checks: &mut Checks) -> Result<(), AnyError> {
    checks.any_number(sample.size() as f64);
    sample.try_for_each(&mut |_, row| {
        row.for_each(|_, x| checks.number("an entry", x));
        Ok(())
    })?;
    Ok(())
}

/// Trains on the drawn sample with drawn weights.
fn train<W: WeakLearner + Serialize>(
    draw: &mut Draw<'_>,
    sample: Result<W::Sample, LearnerError>,
) -> Result<impl Fn(&mut W, &mut Checks) -> Result<(), AnyError> + use<W>, AnyError> {
    let sample = sample?;
    let n = sample.size();
    let targets = draw.list(n, |draw| label(draw).sign());
    let mut weights = draw.list(n, |draw| f64::from(draw.byte() % 4));
    let sum: f64 = weights.iter().sum();
    if draw.byte() < 250 {
        weights.iter_mut().for_each(|w| *w /= sum);
    }
    Ok(move |learner: &mut W, checks: &mut Checks| {
        checks.attempt(learner, |learner, checks| {
            let h = learner.train(&sample, &targets, &weights)?;
            let mut votes = vec![0.0; n];
            learner.evaluate(&h, &sample, &mut votes)?;
            checks.numbers("a vote", &votes);
            Ok::<(), LearnerError>(())
        });
        Ok(())
    })
}

fn growth(draw: &mut Draw<'_>) -> Result<PairGrowth, AnyError> {
    let growth = PairGrowth::builder()
        .max_depth(u32::from(draw.byte() % 5))
        .min_child_weight(if draw.byte() < 240 { draw.share() * 2.0 } else { draw.any() })
        .reg_lambda(if draw.byte() < 240 { draw.share() } else { draw.any() })
        .build()?;
    Ok(if draw.coin() { growth.of_signs() } else { growth })
}

/// Trains a learner of pairs on the drawn contexts and drawn pairs.
fn pairs<L: PairLearner + Serialize>(
    draw: &mut Draw<'_>,
    contexts: Result<L::Contexts, LearnerError>,
    n: usize,
) -> Result<impl Fn(&mut L, &mut Checks) -> Result<(), AnyError> + use<L>, AnyError> {
    let (contexts, actions) = (contexts?, draw.size(1, 4));
    let mut g = numbers(draw, n * actions, entry);
    let h = draw.list(n, |draw| if draw.byte() < 40 { 0.0 } else { draw.share() });
    g.iter_mut().enumerate().filter(|(k, _)| h[k % n] == 0.0).for_each(|(_, g)| *g = 0.0);
    Ok(move |learner: &mut L, checks: &mut Checks| {
        let round = PairRound::new(n, actions, &g, PairWeights::OfExamples(&h))?;
        checks.attempt(learner, |learner, checks| {
            let mut values = vec![0.0; g.len()];
            let tree = learner.train(&contexts, &round, &mut values)?;
            checks.numbers("a value", &values);
            checks.any_number(weak_learners::pairs::PairHypothesis::actions(&tree) as f64);
            Ok::<(), LearnerError>(())
        });
        Ok(())
    })
}

fn thresholds(draw: &mut Draw<'_>) -> Result<Thresholds, AnyError> {
    let inputs = draw.size(0, 4);
    let lists = draw.list(inputs, |draw| {
        let length = draw.size(0, 4);
        let mut list = draw.list(length, entry);
        if draw.byte() < 230 {
            list.sort_by(f64::total_cmp);
            list.dedup();
        }
        list
    });
    Ok(Thresholds::at(lists)?)
}

fn shape(draw: &mut Draw<'_>) -> Shape {
    Shape { inputs: count(draw), outputs: count(draw) }
}

fn contexts(contexts: &mut BinnedContexts, checks: &mut Checks) -> Result<(), AnyError> {
    (0..contexts.inputs()).for_each(|j| checks.numbers("a cut", contexts.cuts(j)));
    Ok(())
}

fn indicators(draw: &mut Draw<'_>) -> Vec<(usize, usize)> {
    let length = draw.size(0, 3);
    draw.list(length, |draw| (draw.size(0, 4), draw.size(0, 4)))
}

/// Indices that are mostly in range.
fn place(draw: &mut Draw<'_>) -> u32 {
    if draw.byte() < 245 { draw.index(7) } else { draw.half_word() }
}

pub(super) const DOORS: &[Door] = &[
    ("weak_learners::BinnedColumns::new", |draw| {
        let matrix = matrix(draw)?;
        Ok(built(BinnedColumns::new(matrix), look))
    }),
    ("weak_learners::BinnedColumns::with_bins", |draw| {
        let (matrix, bins) = (matrix(draw)?, draw.byte());
        Ok(built(BinnedColumns::with_bins(matrix, bins.into()), look))
    }),
    ("weak_learners::BinnedColumns::of_rank", |draw| {
        let (matrix, bins) = (matrix(draw)?, draw.byte());
        Ok(used(BinnedColumns::of_rank(matrix, bins.into(), Ranks::alone()), look))
    }),
    ("weak_learners::BinnedColumns::binned_like", |draw| {
        let first = BinnedColumns::new(matrix(draw)?)?;
        let other = matrix(draw)?;
        Ok(built(first.binned_like(other), look))
    }),
    ("weak_learners::BinnedTree::new", |draw| {
        let made = BinnedTree::new(u16::from(draw.byte() % 6), answer(draw), parameter(draw));
        let sample = BinnedColumns::new(matrix(draw)?);
        Ok(built(made, train(draw, sample)?))
    }),
    ("weak_learners::WeightedTree::new", |draw| {
        let made = WeightedTree::new(u16::from(draw.byte() % 4), answer(draw), draw.word());
        let sample = SortedColumns::new(matrix(draw)?);
        Ok(built(made, train(draw, sample)?))
    }),
    ("weak_learners::Sampled::new", |draw| {
        let made = Sampled::new(ExactStump::default(), count(draw).min(64), rng(draw));
        let sample = SortedColumns::new(matrix(draw)?);
        Ok(built(made, train(draw, sample)?))
    }),
    ("weak_learners::SortedColumns::new", |draw| {
        let matrix = matrix(draw)?;
        Ok(built(SortedColumns::new(matrix), look))
    }),
    ("weak_learners::SortedColumns::with_indicators", |draw| {
        let sample = SortedColumns::new(matrix(draw)?)?;
        Ok(built(sample.with_indicators(&indicators(draw)), look))
    }),
    ("weak_learners::Stump::new", |draw| {
        Ok(built(Stump::new(count(draw), count(draw), draw.any(), label(draw)), hypothesis))
    }),
    ("weak_learners::Stump::constant", |draw| {
        Ok(built(Stump::constant(count(draw), label(draw)), hypothesis))
    }),
    ("weak_learners::Tree::new", |draw| {
        let (inputs, length) = (count(draw), draw.size(0, 7));
        let nodes = draw.list(length, |draw| match draw.coin() {
            true => TreeNode::Leaf { answer: entry(draw) },
            false => TreeNode::Split {
                feature: place(draw) as _,
                threshold: entry(draw),
                at_most: place(draw) as _,
                above: place(draw) as _,
            },
        });
        Ok(built(Tree::new(inputs, nodes), hypothesis))
    }),
    ("weak_learners::FkmLinear::new", |draw| {
        let (shape, set, schedule) = (shape(draw), any_set(draw)?, schedule(draw)?);
        let (radius, delta, queries) = (parameter(draw), parameter(draw), u32::from(draw.byte() % 5));
        let made = FkmLinear::new(shape, set, schedule, radius, delta, queries, rng(draw));
        Ok(built(made, |learner, checks| {
            let shape = learner.model().shape();
            if shape.inputs.max(shape.outputs) > 64 {
                return Ok(());
            }
            bandit(learner, checks, (shape.inputs, shape.outputs))
        }))
    }),
    ("weak_learners::Label::new", |draw| {
        Ok(built(Label::new(draw.any()), |label, checks| {
            checks.number("a sign", label.sign());
            Ok(())
        }))
    }),
    ("weak_learners::Label::named", |draw| Ok(built(Label::named("y", draw.any()), |_, _| Ok(())))),
    ("weak_learners::OgdLinear::new", |draw| {
        let (shape, schedule) = (shape(draw), schedule(draw)?);
        Ok(built(OgdLinear::new(shape, schedule, parameter(draw)), regressor))
    }),
    ("weak_learners::GrownStumps::new", |draw| {
        let made = GrownStumps::new(count(draw), count(draw), parameter(draw), rng(draw));
        Ok(built(made, classifier))
    }),
    ("weak_learners::GrownStumps::anytime", |draw| {
        Ok(built(GrownStumps::anytime(count(draw), count(draw), rng(draw)), classifier))
    }),
    ("weak_learners::HedgeStumps::new", |draw| {
        let thresholds = thresholds(draw)?;
        Ok(built(HedgeStumps::new(thresholds, parameter(draw), rng(draw)), classifier))
    }),
    ("weak_learners::HedgeStumps::tuned", |draw| {
        let thresholds = thresholds(draw)?;
        Ok(built(HedgeStumps::tuned(thresholds, draw.half_word(), rng(draw)), classifier))
    }),
    ("weak_learners::HoeffdingTree::new", |draw| {
        let (delta, tie, grace) = (parameter(draw), parameter(draw), u64::from(draw.byte() % 5));
        let (max_depth, max_leaves) = (u32::from(draw.byte() % 5), u32::from(draw.byte() % 6));
        let growth =
            Growth { delta, tie, grace: grace as _, max_depth: max_depth as _, max_leaves: max_leaves as _ };
        let thresholds = thresholds(draw)?;
        Ok(built(HoeffdingTree::new(thresholds, growth), classifier))
    }),
    ("weak_learners::LogisticRegression::new", |draw| {
        let (inputs, schedule) = (count(draw), schedule(draw)?);
        Ok(built(LogisticRegression::new(inputs, schedule, parameter(draw)), classifier))
    }),
    ("weak_learners::NaiveBayes::new", |draw| Ok(built(NaiveBayes::new(count(draw)), classifier))),
    ("weak_learners::SyntheticWeakLearner::new", |draw| {
        let expert = Stump::new(3, 1, 0.5, Label::Plus)?;
        Ok(built(SyntheticWeakLearner::new(expert, parameter(draw), rng(draw)), classifier))
    }),
    ("weak_learners::SyntheticWeakLearner::not_weak", |draw| {
        let expert = Stump::new(3, 1, 0.5, Label::Plus)?;
        Ok(built(SyntheticWeakLearner::not_weak(expert, parameter(draw), rng(draw)), classifier))
    }),
    ("weak_learners::Thresholds::at", |draw| {
        Ok(built(thresholds(draw), |thresholds, checks| {
            (0..thresholds.inputs()).for_each(|j| checks.numbers("a threshold", thresholds.of(j)));
            Ok(())
        }))
    }),
    ("weak_learners::Thresholds::quantiles", |draw| {
        let matrix = matrix(draw)?;
        Ok(built(Thresholds::quantiles(matrix.iter(), count(draw)), |thresholds, checks| {
            (0..thresholds.inputs()).for_each(|j| checks.numbers("a threshold", thresholds.of(j)));
            Ok(())
        }))
    }),
    ("weak_learners::BinnedContexts::new", |draw| {
        let matrix = matrix(draw)?;
        Ok(built(BinnedContexts::new(matrix), contexts))
    }),
    ("weak_learners::BinnedContexts::with_bins", |draw| {
        let (matrix, bins) = (matrix(draw)?, draw.byte());
        Ok(built(BinnedContexts::with_bins(matrix, bins.into()), contexts))
    }),
    ("weak_learners::BinnedContexts::of_rank", |draw| {
        let (matrix, bins) = (matrix(draw)?, draw.byte());
        Ok(used(BinnedContexts::of_rank(matrix, bins.into(), Ranks::alone()), contexts))
    }),
    ("weak_learners::BinnedContexts::with_indicators", |draw| {
        let sample = BinnedContexts::new(matrix(draw)?)?;
        Ok(built(sample.with_indicators(&indicators(draw)), contexts))
    }),
    ("weak_learners::PairGrowthBuilder::build", |draw| {
        let growth = PairGrowth::builder()
            .max_depth(draw.half_word())
            .min_child_weight(draw.any())
            .reg_lambda(draw.any());
        Ok(built(growth.build(), |_, _| Ok(())))
    }),
    ("weak_learners::PairRound::new", |draw| {
        let (n, actions) = (draw.size(0, 4), draw.size(0, 4));
        let (g, h) = (numbers(draw, n * actions, any), numbers(draw, n, entry));
        let more = if draw.coin() { count(draw) } else { n };
        Ok(used(PairRound::new(more, actions, &g, PairWeights::OfExamples(&h)), |_, _| Ok(())))
    }),
    ("weak_learners::PairRound::of_rank", |draw| {
        let (n, actions) = (draw.size(0, 4), draw.size(0, 4));
        let (g, h) = (numbers(draw, n * actions, any), numbers(draw, n * actions, entry));
        Ok(used(PairRound::of_rank(n, actions, &g, PairWeights::OfPairs(&h)), |_, _| Ok(())))
    }),
    ("weak_learners::HistogramPairTree::new", |draw| {
        let (growth, matrix) = (growth(draw)?, matrix(draw)?);
        let n = matrix.len();
        let play = pairs(draw, BinnedContexts::with_bins(matrix, 4), n)?;
        Ok(built(Ok::<_, LearnerError>(HistogramPairTree::new(growth)), play))
    }),
    ("weak_learners::ExactPairTree::new", |draw| {
        let (growth, matrix) = (growth(draw)?, matrix(draw)?);
        let n = matrix.len();
        let play = pairs(draw, SortedColumns::new(matrix), n)?;
        Ok(built(Ok::<_, LearnerError>(ExactPairTree::new(growth)), play))
    }),
    ("weak_learners::GradientSampling::new", |draw| {
        let (growth, matrix) = (growth(draw)?, matrix(draw)?);
        let made = GradientSampling::new(HistogramPairTree::new(growth), parameter(draw), rng(draw));
        let n = matrix.len();
        Ok(built(made, pairs(draw, BinnedContexts::new(matrix), n)?))
    }),
    ("weak_learners::RowSampling::new", |draw| {
        let (growth, matrix) = (growth(draw)?, matrix(draw)?);
        let made = RowSampling::new(HistogramPairTree::new(growth), parameter(draw), rng(draw));
        let n = matrix.len();
        Ok(built(made, pairs(draw, BinnedContexts::new(matrix), n)?))
    }),
    ("weak_learners::ColumnSampling::new", |draw| {
        let (growth, matrix) = (growth(draw)?, matrix(draw)?);
        let made = ColumnSampling::new(ExactPairTree::new(growth), parameter(draw), rng(draw));
        let n = matrix.len();
        Ok(built(made, pairs(draw, SortedColumns::new(matrix), n)?))
    }),
    ("weak_learners::SmartcorePairTree::new", |draw| {
        let made = SmartcorePairTree::new(u16::from(draw.byte() % 4), answer(draw), draw.word());
        let matrix = matrix(draw)?;
        let n = matrix.len();
        Ok(built(made, pairs(draw, SortedColumns::new(matrix), n)?))
    }),
    ("weak_learners::PairTree::new", |draw| {
        let (inputs, actions, length) = (count(draw), count(draw), draw.size(0, 7));
        let nodes = draw.list(length, |draw| match draw.byte() % 4 {
            0 | 1 => PairNode::Leaf { value: entry(draw) },
            2 => {
                let (feature, threshold) = (place(draw), entry(draw));
                PairNode::Context { feature, threshold, below: place(draw), rest: place(draw) }
            }
            _ => PairNode::Action { action: place(draw), this: place(draw), others: place(draw) },
        });
        Ok(built(PairTree::new(inputs, actions, nodes), pair_hypothesis))
    }),
    ("weak_learners::VectorLeafTree::new", |draw| {
        let (inputs, actions, length) = (count(draw), count(draw), draw.size(0, 7));
        let nodes = draw.list(length, |draw| match draw.coin() {
            true => VectorLeafNode::Leaf { leaf: place(draw) },
            false => {
                let (feature, threshold) = (place(draw), entry(draw));
                VectorLeafNode::Split { feature, threshold, below: place(draw), rest: place(draw) }
            }
        });
        let values = draw.size(0, 12);
        let values = numbers(draw, values, entry);
        Ok(built(VectorLeafTree::new(inputs, actions, nodes, values), pair_hypothesis))
    }),
];
