//! Learners of pairs of a context and an action, and their predictors.

use super::sets::{INDICATORS, matrices, optional_rows};
use super::weak::{binned, rows, sorted};
use super::{Target, rng};
use crate::Checks;
use crate::play::{MOST, pair_hypothesis, wave};
use crate::verdict::AnyError;
use serde::Serialize;
use std::num::NonZero;
use weak_learners::LearnerError;
use weak_learners::batch::{LeafAnswer, Sample, SortedColumns};
use weak_learners::pairs::{
    BinnedContexts, ColumnSampling, ExactPairTree, GradientSampling, HistogramPairTree, PairGrowth,
    PairHypothesis, PairLearner, PairNode, PairRound, PairTree, PairWeights, RowSampling, SmartcorePairTree,
    VectorLeafLearner, VectorLeafNode, VectorLeafTree,
};

const EXAMPLES: usize = 8;
const ACTIONS: usize = 3;

pub(super) fn growth() -> Result<PairGrowth, AnyError> {
    Ok(PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.5).build()?)
}

/// Trains twice on eight contexts of three actions.
pub(super) fn train<L: PairLearner + Serialize>(
    learner: &mut L,
    contexts: &L::Contexts,
    checks: &mut Checks,
) -> Result<(), AnyError> {
    let gradients = wave(EXAMPLES * ACTIONS, 3);
    let weights: Vec<f64> = wave(EXAMPLES * ACTIONS, 4).iter().map(|w| w.abs()).collect();
    let all = [PairWeights::OfExamples(&weights[..EXAMPLES]), PairWeights::OfPairs(&weights)];
    for weights in all {
        let round = PairRound::new(EXAMPLES, ACTIONS, &gradients, weights)?;
        checks.attempt(learner, |learner, checks| {
            let mut values = [0.0; EXAMPLES * ACTIONS];
            let tree = learner.train(contexts, &round, &mut values)?;
            checks.numbers("a value", &values);
            checks.any_number(tree.actions() as f64);
            Ok::<(), LearnerError>(())
        });
    }
    Ok(())
}

fn binned_contexts() -> Result<BinnedContexts, AnyError> {
    Ok(BinnedContexts::new(rows()?)?)
}

/// A question with a side for missing values.
fn side() -> PairNode {
    let (feature, threshold, indicator, missing_below, below, rest) = (1, 0.5, 0, false, 1, 2);
    PairNode::ContextOrMissing { feature, threshold, indicator, missing_below, below, rest }
}

fn first<L: PairLearner>(mut learner: L, contexts: &L::Contexts) -> Result<L::Hypothesis, AnyError> {
    let (gradients, weights) = (wave(EXAMPLES * ACTIONS, 3), [1.0; EXAMPLES]);
    let round = PairRound::new(EXAMPLES, ACTIONS, &gradients, PairWeights::OfExamples(&weights))?;
    Ok(learner.train(contexts, &round, &mut [0.0; EXAMPLES * ACTIONS])?)
}

pub(super) fn all() -> Vec<Target> {
    vec![
        Target::saved(
            || {
                let plain = matrices()?.into_iter().map(BinnedContexts::new);
                let optional = BinnedContexts::new(optional_rows()?)?.with_indicators(&INDICATORS);
                Ok(plain.chain([optional]).collect::<Result<_, _>>()?)
            },
            |contexts: &mut BinnedContexts, checks| {
                let n = contexts.size();
                if contexts.inputs() > MOST || n > MOST {
                    return Ok(());
                }
                (0..contexts.inputs()).for_each(|j| checks.numbers("a cut", contexts.cuts(j)));
                for (column, indicator) in contexts.indicators() {
                    let is_one = (*column).max(*indicator) < contexts.inputs() && column != indicator;
                    checks.holds("an indicator is another column", is_one, column);
                }
                checks.any_number(contexts.bytes_a_row() as f64);
                let (gradients, weights) = (wave(2 * n, 3), vec![1.0; n]);
                let round = PairRound::new(n, 2, &gradients, PairWeights::OfExamples(&weights))?;
                let mut values = vec![0.0; 2 * n];
                HistogramPairTree::new(growth()?).train(contexts, &round, &mut values)?;
                checks.numbers("a value", &values);
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![ColumnSampling::new(ExactPairTree::new(growth()?), 0.5, rng(21))?]),
            |learner: &mut ColumnSampling<ExactPairTree>, checks| train(learner, &sorted()?, checks),
        ),
        Target::saved(
            || Ok(vec![RowSampling::new(HistogramPairTree::new(growth()?), 0.5, rng(22))?]),
            |learner: &mut RowSampling<HistogramPairTree>, checks| {
                train(learner, &binned_contexts()?, checks)
            },
        ),
        Target::saved(
            || Ok(vec![GradientSampling::new(HistogramPairTree::new(growth()?), 0.5, rng(23))?]),
            |learner: &mut GradientSampling<HistogramPairTree>, checks| {
                train(learner, &binned_contexts()?, checks)
            },
        ),
        Target::saved(
            || Ok(vec![ExactPairTree::new(growth()?), ExactPairTree::new(growth()?.of_signs())]),
            |learner: &mut ExactPairTree, checks| train(learner, &sorted()?, checks),
        ),
        Target::saved(
            || {
                let most = NonZero::new(3).ok_or("three is not zero")?;
                let best_first = PairGrowth::builder()
                    .max_depth(4)
                    .min_child_weight(0.1)
                    .reg_lambda(0.0)
                    .build()?
                    .with_max_leaves(most);
                Ok(vec![HistogramPairTree::new(growth()?), HistogramPairTree::new(best_first)])
            },
            |learner: &mut HistogramPairTree, checks| train(learner, &binned_contexts()?, checks),
        ),
        Target::saved(
            || Ok(vec![VectorLeafLearner::new(growth()?)]),
            |learner: &mut VectorLeafLearner, checks| train(learner, &binned()?, checks),
        ),
        Target::saved(
            || Ok(vec![SmartcorePairTree::new(2, LeafAnswer::Mean, 1)?]),
            |learner: &mut SmartcorePairTree, checks| train(learner, &sorted()?, checks),
        ),
        Target::saved(
            || {
                Ok(vec![
                    growth()?,
                    PairGrowth::builder()
                        .max_depth(4)
                        .min_child_weight(1.0)
                        .reg_lambda(0.0)
                        .build()?
                        .of_signs(),
                ])
            },
            |growth: &mut PairGrowth, checks| train(&mut ExactPairTree::new(*growth), &sorted()?, checks),
        ),
        Target::saved(
            || {
                Ok(vec![
                    first(ExactPairTree::new(growth()?), &sorted()?)?,
                    PairTree::new(2, 2, vec![PairNode::Leaf { value: 0.5 }])?,
                    PairTree::new(
                        2,
                        2,
                        vec![side(), PairNode::Leaf { value: 0.5 }, PairNode::Leaf { value: -0.5 }],
                    )?,
                    first(
                        ExactPairTree::new(growth()?),
                        &SortedColumns::new(optional_rows()?)?.with_indicators(&INDICATORS)?,
                    )?,
                ])
            },
            pair_hypothesis::<PairTree>,
        ),
        super::plain(|| {
            let (feature, threshold, below, rest) = (1, 0.5, 1, 2);
            let (action, this, others) = (1, 1, 2);
            vec![
                PairNode::Leaf { value: 0.5 },
                PairNode::Context { feature, threshold, below, rest },
                side(),
                PairNode::Action { action, this, others },
            ]
        }),
        Target::saved(
            || Ok(vec![first(VectorLeafLearner::new(growth()?), &binned()?)?]),
            pair_hypothesis::<VectorLeafTree>,
        ),
        super::plain(|| {
            let (feature, threshold, below, rest) = (1, 0.5, 1, 2);
            vec![VectorLeafNode::Leaf { leaf: 0 }, VectorLeafNode::Split { feature, threshold, below, rest }]
        }),
    ]
}
