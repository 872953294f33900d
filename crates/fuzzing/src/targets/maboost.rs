//! Boosters that reweight examples, and their ensembles.

use super::weak::{binned, labels};
use super::{Target, nothing, plain, used};
use crate::Checks;
use crate::play::{MOST, hypothesis, wave};
use crate::verdict::AnyError;
use boosters::maboost::{
    Active, AdaBoost, Answer, Assessment, BoostStop, BoostingRun, ClassExamples, CombinedBoost, Decoding,
    Ensemble, Examples, Lazy, MadaBoost, MirrorAscent, Multiclass, MulticlassVote, NormalisedVote,
    OutputCode, Promise, Reweighting, Round, Schedule, SmoothBoost, SparseBoost, Sparsity, Stopping,
    Validation,
};
use projections::{CappedSimplex, Euclidean, NegativeEntropy, Simplex};
use rows::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::ControlFlow;
use weak_learners::Label;
use weak_learners::batch::{BinnedStump, Hypothesis, Stump};

const EXAMPLES: usize = 8;

fn examples() -> Result<Examples, AnyError> {
    Ok(Examples::uniform(labels(EXAMPLES))?)
}

fn weighted() -> Result<Examples, AnyError> {
    Ok(Examples::weighted(labels(EXAMPLES), &[1.0, 2.0, 0.0, 1.0, 3.0, 1.0, 1.0, 0.5])?)
}

fn run<A: Reweighting>(examples: Examples, algorithm: A) -> Result<BoostingRun<BinnedStump, A>, AnyError> {
    Ok(BoostingRun::new(examples, BinnedStump::default(), algorithm)?)
}

fn rounds<A: Reweighting + Clone + Serialize>(
    run: &mut BoostingRun<BinnedStump, A>,
    checks: &mut Checks,
) -> Result<(), AnyError> {
    let sample = binned()?;
    for _ in 0..3 {
        checks.attempt(run, |run, checks| -> Result<(), AnyError> {
            if let ControlFlow::Continue(round) = run.round(&sample)? {
                checks.number("an edge", round.edge);
                checks.number("a step", round.eta);
            }
            Ok(())
        });
    }
    checks.numbers("a weight", run.algorithm().weights());
    checks.number("an error", run.error());
    let x = wave(3, 1);
    checks.outcome("a score", run.ensemble().score(Row::dense(&x)?));
    checks.any_number(run.margin_distribution()?.smallest());
    Ok(())
}

/// Runs of an algorithm at its start and after some rounds.
fn runs<A: Reweighting + Clone + Serialize + DeserializeOwned + 'static>(
    new: fn(&Examples) -> Result<A, AnyError>,
) -> Target {
    Target::saved(
        move || {
            let fresh = |examples: Examples| run(examples.clone(), new(&examples)?);
            Ok(vec![fresh(weighted()?)?, used(fresh(examples()?)?, rounds)?])
        },
        rounds::<A>,
    )
}

fn reweight<A: Reweighting + Serialize>(algorithm: &mut A, checks: &mut Checks) -> Result<(), AnyError> {
    for t in 0..3 {
        let losses: Vec<f64> = wave(EXAMPLES, t);
        let edge = -losses.iter().zip(algorithm.weights()).map(|(d, w)| d * w).sum::<f64>();
        let losses: Vec<f64> = if edge < 0.0 { losses.iter().map(|d| -d).collect() } else { losses };
        checks.attempt(algorithm, |algorithm, checks| -> Result<(), AnyError> {
            let answer = Answer { losses: &losses, edge: edge.abs().clamp(1e-9, 1.0), error_before: 0.5 };
            checks.number("a step", algorithm.reweight(answer)?);
            checks.numbers("a weight", algorithm.weights());
            Ok(())
        });
    }
    checks.any_number(algorithm.promise().error);
    Ok(())
}

/// An algorithm alone, at its start and after some answers.
fn algorithm<A: Reweighting + Serialize + DeserializeOwned + 'static>(
    new: fn(&Examples) -> Result<A, AnyError>,
) -> Target {
    Target::saved(move || Ok(vec![new(&weighted()?)?, used(new(&examples()?)?, reweight)?]), reweight::<A>)
}

pub(super) fn all() -> Vec<Target> {
    let mut list = algorithms();
    list.extend(ensembles());
    list.extend(multiclass());
    list.extend(vec![
        plain(|| vec![Schedule::Theorem1, Schedule::LineSearch]),
        plain(|| vec![Sparsity::Constant(0.1), Sparsity::Sequence(vec![0.1, 0.0])]),
        plain(|| vec![Promise { error: 0.5, tight: Some(0.25), margin: None }]),
        plain(|| vec![BoostStop::NoEdge, BoostStop::Watcher]),
        plain(|| {
            let promise = Promise { error: 0.5, tight: None, margin: Some(0.1) };
            let (edge, eta, flipped, error) = (0.5, 1.0, false, 0.25);
            let (min_margin, trained_on, zeros, capped) = (-0.5, 8, 1, 0);
            vec![Round { edge, eta, flipped, error, min_margin, promise, trained_on, zeros, capped }]
        }),
        Target::saved(
            || Ok(vec![Stopping::after(3), Stopping::after(2).at_error(0.1)?.at_reachable_error()]),
            |stopping: &mut Stopping, checks| {
                let mut run = run(examples()?, MadaBoost::new(&examples()?)?)?;
                // The rounds of a stopping rule are arbitrary; this run ends when the stumps have no edge or
                // the watch stops it.
                let mut played = 0;
                let mut watch = |_: &BoostingRun<BinnedStump, MadaBoost>, _: Option<&Validation>| {
                    played += 1;
                    if played < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                };
                let watch = boosters::maboost::Watch::default().showing(&mut watch);
                checks.holds("a run stops", true, run.run_watched(&binned()?, stopping, watch)? as u8);
                Ok(())
            },
        ),
        Target::saved(
            || {
                let mut validation = Validation::new(examples()?, 3)?;
                follow(&mut validation)?;
                Ok(vec![Validation::new(weighted()?, 1)?, validation])
            },
            |validation: &mut Validation, checks| {
                follow(validation)?;
                checks.any_number(validation.best_error());
                checks.any_number(validation.best_round() as f64);
                Ok(())
            },
        ),
    ]);
    list
}

fn follow(validation: &mut Validation) -> Result<(), AnyError> {
    let sample = binned()?;
    let mut run = run(examples()?, MadaBoost::new(&examples()?)?)?;
    while run.record().len() < validation.errors().len().min(20) + 2 {
        if run.round(&sample)?.is_break() {
            break;
        }
    }
    Ok(validation.follow(&BinnedStump::default(), run.ensemble(), &sample)?)
}

fn simplex() -> Result<Simplex, AnyError> {
    Ok(Simplex::new(1.0)?)
}

fn secondary() -> Vec<bool> {
    (0..EXAMPLES).map(|i| i % 2 == 0).collect()
}

type Quadratic = MirrorAscent<Euclidean, Simplex, Lazy>;
type Entropic = MirrorAscent<NegativeEntropy, CappedSimplex, Active>;

fn algorithms() -> Vec<Target> {
    vec![
        algorithm::<AdaBoost>(|examples| Ok(AdaBoost::new(examples)?)),
        algorithm::<MadaBoost>(|examples| Ok(MadaBoost::new(examples)?)),
        algorithm::<CombinedBoost>(|examples| Ok(CombinedBoost::new(examples, &secondary(), 3.0)?)),
        algorithm::<SparseBoost>(|examples| Ok(SparseBoost::new(examples, Sparsity::Fraction(0.5))?)),
        algorithm::<Quadratic>(|examples| {
            Ok(MirrorAscent::new(Euclidean, simplex()?, examples, Schedule::Theorem1)?)
        }),
        algorithm::<Entropic>(|examples| Ok(SmoothBoost::smooth(examples, 3.0)?)),
        runs::<AdaBoost>(|examples| Ok(AdaBoost::new(examples)?)),
        runs::<MadaBoost>(|examples| Ok(MadaBoost::new(examples)?)),
        runs::<CombinedBoost>(|examples| Ok(CombinedBoost::new(examples, &secondary(), 3.0)?)),
        runs::<SparseBoost>(|examples| Ok(SparseBoost::new(examples, Sparsity::Constant(0.1))?)),
        runs::<Entropic>(|examples| Ok(SmoothBoost::smooth(examples, 3.0)?)),
        runs::<Quadratic>(|examples| {
            Ok(MirrorAscent::new(Euclidean, simplex()?, examples, Schedule::Theorem2)?)
        }),
    ]
}

fn stumps() -> Result<Vec<Stump>, AnyError> {
    Ok(vec![Stump::new(3, 1, 0.5, Label::Plus)?, Stump::new(3, 0, 0.0, Label::Minus)?])
}

fn ensemble() -> Result<Ensemble<Stump>, AnyError> {
    Ok(Ensemble::new(stumps()?, vec![1.0, 0.25])?)
}

fn ensembles() -> Vec<Target> {
    vec![
        Target::saved(
            || Ok(vec![ensemble()?, Ensemble::new(vec![], vec![])?]),
            |ensemble: &mut Ensemble<Stump>, checks| {
                let inputs = ensemble.hypotheses().first().map_or(3, Hypothesis::inputs);
                if inputs <= MOST {
                    let x = wave(inputs, 0);
                    checks.outcome("a score", ensemble.score(Row::dense(&x)?));
                    ensemble
                        .staged(Row::dense(&x)?)
                        .for_each(|score| checks.outcome("a staged score", score));
                }
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![NormalisedVote::try_from(ensemble()?)?]),
            hypothesis::<NormalisedVote<Stump>>,
        ),
        Target::saved(
            || Ok(vec![examples()?, weighted()?]),
            |examples: &mut Examples, checks| {
                checks.distribution("D", examples.start());
                checks.any_number(examples.counted().count() as f64);
                AdaBoost::new(examples)?;
                Ok(())
            },
        ),
    ]
}

fn code() -> Result<OutputCode, AnyError> {
    Ok(OutputCode::one_vs_rest(3)?)
}

fn class_examples() -> Result<ClassExamples, AnyError> {
    Ok(ClassExamples::uniform(vec![0, 1, 2, 0, 1, 2, 0, 1])?)
}

type Columns = Multiclass<BoostingRun<BinnedStump, AdaBoost>>;

fn columns() -> Result<Columns, AnyError> {
    let run = |_, examples: Examples| {
        let algorithm = AdaBoost::new(&examples)?;
        BoostingRun::new(examples, BinnedStump::default(), algorithm)
    };
    Ok(Multiclass::new(code()?, &class_examples()?, run)?)
}

fn trained() -> Result<Columns, AnyError> {
    let mut columns = columns()?;
    columns.run(&binned()?, &Stopping::after(2))?;
    Ok(columns)
}

fn multiclass() -> Vec<Target> {
    vec![
        plain(|| vec![Decoding::Hamming, Decoding::Exponential]),
        Target::saved(
            || Ok(vec![code()?, OutputCode::one_vs_one(4)?]),
            |code: &mut OutputCode, checks| {
                checks.number("a distance", code.least_distance());
                let scores = wave(code.columns(), 1);
                for by in [Decoding::Hamming, Decoding::Linear, Decoding::Exponential] {
                    checks.any_number(f64::from(code.decode(&scores, by)?));
                }
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![columns()?, trained()?]),
            |columns: &mut Columns, checks| {
                let sample = binned()?;
                checks.attempt(columns, |columns, _| -> Result<(), AnyError> {
                    columns.columns_mut().iter_mut().try_for_each(|run| run.round(&sample).map(|_| ()))?;
                    Ok(())
                });
                let x = wave(3, 1);
                for run in columns.columns() {
                    checks.outcome("a score", run.ensemble().score(Row::dense(&x)?));
                }
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![trained()?.into_vote()]),
            |vote: &mut MulticlassVote<Stump>, checks| {
                let inputs =
                    vote.ensembles().iter().flat_map(|e| e.hypotheses()).next().map_or(3, Hypothesis::inputs);
                if inputs <= MOST {
                    let x = wave(inputs, 1);
                    let mut scores = vec![0.0; vote.code().columns()];
                    vote.scores(Row::dense(&x)?, &mut scores)?;
                    checks.numbers("a score", &scores);
                    checks.any_number(f64::from(vote.class(Row::dense(&x)?, Decoding::Linear)?));
                }
                Ok(())
            },
        ),
        Target::saved(
            || {
                Ok(vec![trained()?.into_vote().assess(
                    &BinnedStump::default(),
                    &binned()?,
                    &class_examples()?,
                    Decoding::Hamming,
                )?])
            },
            nothing::<Assessment>,
        ),
    ]
}
