//! Weak learners, online and batch, and their hypotheses.

use super::sets::{INDICATORS, matrices, optional_rows};
use super::{Target, plain, rng, used};
use crate::Checks;
use crate::play::{MOST, bandit, classifier, hypothesis, regressor, wave};
use crate::verdict::AnyError;
use oco_core::StepSchedule;
use projections::L2Ball;
use rows::{Row, RowMatrix};
use serde::Serialize;
use serde::de::DeserializeOwned;
use weak_learners::batch::{
    BinnedColumns, BinnedStump, BinnedTree, ExactStump, Hypothesis, LeafAnswer, Sample, Sampled,
    SortedColumns, Stump, Tree, TreeNode, WeakLearner, WeightedTree,
};
use weak_learners::online::{
    GrownStumps, Growth, HedgeStumps, HoeffdingTree, LogisticRegression, NaiveBayes, SyntheticWeakLearner,
    Thresholds,
};
use weak_learners::{FkmLinear, Label, LearnerError, OgdLinear, OnlinePredictor, Shape};

/// Online learners of labels at their start and after some rounds.
pub(super) fn online<P: OnlinePredictor<Label> + Serialize + DeserializeOwned + 'static>(
    make: impl Fn() -> Result<P, AnyError> + Send + Sync + 'static,
) -> Target {
    Target::saved(move || Ok(vec![make()?, used(make()?, classifier)?]), classifier::<P>)
}

/// Eight rows, twice those of the matrices of the sets.
pub(super) fn rows() -> Result<RowMatrix, AnyError> {
    Ok(RowMatrix::dense(3, wave(24, 5))?)
}

pub(super) fn binned() -> Result<BinnedColumns, AnyError> {
    Ok(BinnedColumns::new(rows()?)?)
}

pub(super) fn sorted() -> Result<SortedColumns, AnyError> {
    Ok(SortedColumns::new(rows()?)?)
}

/// Labels for this many rows.
pub(super) fn labels(count: usize) -> Vec<Label> {
    wave(count, 2).into_iter().map(Label::of_score).collect()
}

fn targets() -> Vec<f64> {
    labels(8).into_iter().map(Label::sign).collect()
}

/// Trains on a sample and evaluates the hypothesis.
fn train<W: WeakLearner + Serialize>(
    learner: &mut W,
    sample: &W::Sample,
    checks: &mut Checks,
) -> Result<(), AnyError> {
    let mut uneven = wave(8, 9).iter().map(|w| w.abs()).collect::<Vec<f64>>();
    let sum: f64 = uneven.iter().sum();
    uneven.iter_mut().for_each(|w| *w /= sum);
    for weights in [vec![0.125; 8], uneven] {
        checks.attempt(learner, |learner, checks| {
            let h = learner.train(sample, &targets(), &weights)?;
            let mut votes = [0.0; 8];
            learner.evaluate(&h, sample, &mut votes)?;
            checks.numbers("a vote", &votes);
            Ok::<(), LearnerError>(())
        });
    }
    Ok(())
}

fn a_tree() -> Result<Tree, AnyError> {
    let (sample, weights) = (binned()?, vec![0.125; 8]);
    Ok(BinnedTree::new(2, LeafAnswer::Mean, 0.0)?.train(&sample, &targets(), &weights)?)
}

/// The rows of a loaded sample.
fn look<S: Sample>(sample: &S, checks: &mut Checks) -> Result<(), AnyError> {
    checks.any_number(sample.size() as f64);
    if sample.inputs() <= MOST {
        sample.try_for_each(&mut |_, row| {
            row.for_each(|_, x| checks.number("an entry", x));
            Ok(())
        })?;
    }
    Ok(())
}

pub(super) fn all() -> Vec<Target> {
    let mut list = batch();
    list.extend(online_learners());
    list
}

fn batch() -> Vec<Target> {
    vec![
        Target::saved(
            || Ok(matrices()?.into_iter().map(BinnedColumns::new).collect::<Result<_, _>>()?),
            |sample: &mut BinnedColumns, checks| {
                look(sample, checks)?;
                for j in 0..sample.inputs().min(MOST) {
                    checks.numbers("a cut", sample.cuts(j));
                    checks.holds("every row has a bin", sample.bins(j).len() == sample.size(), j);
                }
                let (size, mut learner) = (sample.size(), BinnedStump::default());
                let (targets, weights) = (vec![1.0; size], vec![1.0 / size as f64; size]);
                let h = learner.train(sample, &targets, &weights)?;
                checks.any_number(h.inputs() as f64);
                Ok(())
            },
        ),
        Target::saved(
            || {
                let optional = SortedColumns::new(optional_rows()?)?.with_indicators(&INDICATORS);
                let plain = matrices()?.into_iter().map(SortedColumns::new);
                Ok(plain.chain([optional]).collect::<Result<_, _>>()?)
            },
            |sample: &mut SortedColumns, checks| {
                look(sample, checks)?;
                let (size, mut learner) = (sample.size(), ExactStump::default());
                let (targets, weights) = (vec![1.0; size], vec![1.0 / size as f64; size]);
                let h = learner.train(sample, &targets, &weights)?;
                checks.any_number(h.inputs() as f64);
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![BinnedStump::default()]),
            |learner: &mut BinnedStump, checks| train(learner, &binned()?, checks),
        ),
        Target::saved(
            || Ok(vec![ExactStump::default()]),
            |learner: &mut ExactStump, checks| train(learner, &sorted()?, checks),
        ),
        Target::saved(
            || {
                Ok(vec![
                    BinnedTree::new(2, LeafAnswer::Mean, 0.0)?,
                    BinnedTree::new(3, LeafAnswer::Sign, 0.1)?,
                ])
            },
            |learner: &mut BinnedTree, checks| train(learner, &binned()?, checks),
        ),
        Target::saved(
            || {
                Ok(vec![
                    WeightedTree::new(2, LeafAnswer::Mean, 1)?,
                    WeightedTree::new(1, LeafAnswer::Sign, 2)?,
                ])
            },
            |learner: &mut WeightedTree, checks| train(learner, &sorted()?, checks),
        ),
        Target::saved(
            || Ok(vec![Sampled::new(ExactStump::default(), 6, rng(11))?]),
            |learner: &mut Sampled<ExactStump>, checks| {
                if learner.examples() <= MOST { train(learner, &sorted()?, checks) } else { Ok(()) }
            },
        ),
        plain(|| vec![LeafAnswer::Sign, LeafAnswer::Mean]),
        plain(|| vec![Label::Plus, Label::Minus]),
        Target::saved(|| Ok(vec![a_tree()?]), hypothesis::<Tree>),
        plain(|| {
            let (feature, threshold, at_most, above) = (1, 0.5, 1, 2);
            vec![TreeNode::Leaf { answer: -0.5 }, TreeNode::Split { feature, threshold, at_most, above }]
        }),
        Target::saved(
            || Ok(vec![Stump::new(3, 1, 0.5, Label::Plus)?, Stump::constant(2, Label::Minus)?]),
            hypothesis::<Stump>,
        ),
    ]
}

fn thresholds() -> Result<Thresholds, AnyError> {
    Ok(Thresholds::at(vec![vec![-0.5, 0.0, 0.5], vec![], vec![0.25]])?)
}

fn schedule() -> Result<StepSchedule, AnyError> {
    Ok(StepSchedule::power(0.5, 0.5)?)
}

fn fkm(learner: &mut FkmLinear<L2Ball>, checks: &mut Checks) -> Result<(), AnyError> {
    let shape = learner.model().shape();
    // The cost of a round is its number of queries.
    let queries = serde_json::to_value(&*learner)?["queries"].as_u64();
    if shape.inputs > MOST || shape.outputs > MOST || queries.is_none_or(|queries| queries > 1000) {
        return Ok(());
    }
    bandit(learner, checks, (shape.inputs, shape.outputs))?;
    let (x, mut y) = (wave(shape.inputs, 1), vec![0.0; shape.outputs]);
    learner.predict(Row::dense(&x)?, &mut y)?;
    checks.numbers("a prediction", &y);
    Ok(())
}

fn online_learners() -> Vec<Target> {
    vec![
        Target::saved(
            || {
                let shape = Shape { inputs: 3, outputs: 2 };
                let new = || {
                    FkmLinear::new(shape, L2Ball::new(2.0)?, schedule()?, 1.0, 0.1, 2, rng(12))
                        .map_err(AnyError::from)
                };
                Ok(vec![new()?, used(new()?, fkm)?])
            },
            fkm,
        ),
        Target::saved(
            || {
                let new = |outputs| {
                    OgdLinear::new(Shape { inputs: 3, outputs }, schedule()?, 1.0).map_err(AnyError::from)
                };
                Ok(vec![new(1)?, used(new(2)?, regressor)?])
            },
            regressor::<OgdLinear>,
        ),
        online(|| Ok(GrownStumps::new(3, 8, 0.3, rng(13))?)),
        online(|| Ok(GrownStumps::anytime(3, 8, rng(14))?.drawing_afresh())).also("drawing afresh"),
        online(|| Ok(HedgeStumps::new(thresholds()?, 0.3, rng(15))?)),
        online(|| Ok(HedgeStumps::anytime(thresholds()?, rng(16)).drawing_afresh())).also("drawing afresh"),
        plain(|| vec![Growth::default()]),
        online(|| {
            let growth = Growth { delta: 0.4, tie: 0.5, grace: 2, max_depth: 3, max_leaves: 4 };
            Ok(HoeffdingTree::new(thresholds()?, growth)?)
        }),
        online(|| Ok(LogisticRegression::new(3, schedule()?, 1.0)?)),
        online(|| Ok(NaiveBayes::new(3)?)),
        online(|| Ok(SyntheticWeakLearner::new(Stump::new(3, 1, 0.5, Label::Plus)?, 0.2, rng(17))?)),
        Target::saved(
            || Ok(vec![thresholds()?]),
            |thresholds: &mut Thresholds, checks| {
                (0..thresholds.inputs()).for_each(|j| checks.numbers("a threshold", thresholds.of(j)));
                checks.any_number(thresholds.experts() as f64);
                if thresholds.experts() <= MOST {
                    let mut learner = HedgeStumps::anytime(thresholds.clone(), rng(18));
                    classifier(&mut learner, checks)?;
                }
                Ok(())
            },
        ),
        plain(|| vec![Shape { inputs: 1, outputs: 2 }]),
    ]
}
