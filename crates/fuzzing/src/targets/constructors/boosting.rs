//! Boosters, the examples and codes that they are made of, their ensembles and settings.

use super::learners::{rng, schedule};
use super::policies::log;
use super::rows_and_sets::any_set;
use super::weak::{label, matrix};
use super::{Door, any, built, count, entry, numbers, parameter, used};
use crate::Checks;
use crate::draw::Draw;
use crate::play::{bandit, classifier, full_information, scores, wave};
use crate::verdict::AnyError;
use boosters::Threads;
use boosters::agnostic::{
    MajorityVote, OnlineAgnosticBooster, OnlineRealizableBooster, ProgressiveChoice, RandomisedMajority,
    StatisticalBooster,
};
use boosters::auto_policy::AutoPolicy;
use boosters::bopl::{
    Bopl, CompiledEnsemble, Member, PolicyBoosting, PolicyEnsemble, RewardRegression, Scale, Settings,
    Smoothness, Step, Validation as PolicyValidation,
};
use boosters::feedback::Noise;
use boosters::gradient::{
    BanditGradientBoosting, OgdBaseline, OnlineGradientBoosting, Queries, SpanBoosting,
};
use boosters::maboost::{
    AdaBoost, BoostingRun, ClassExamples, CombinedBoost, Decoding, Ensemble, Examples, LazySparseBoost,
    MadaBoost, MarginDistribution, MirrorAscent, Multiclass, MulticlassVote, OutputCode, Reweighting,
    Schedule, SmoothBoost, SparseBoost, Sparsity, Stopping, Validation,
};
use boosters::mistake_bound::{AdaBoostOl, OnlineBbm, OsBoost};
use projections::{AnySet, CappedSimplex, Euclidean, NegativeEntropy, Simplex};
use rows::Row;
use std::ops::ControlFlow;
use weak_learners::batch::{BinnedColumns, BinnedStump, ExactStump, SortedColumns, Stump};
use weak_learners::online::NaiveBayes;
use weak_learners::pairs::{ExactPairTree, PairGrowth, PairNode, PairTree};
use weak_learners::{Label, OgdLinear, OnlinePredictor, Ranks, Shape};

type Smooth = MirrorAscent<NegativeEntropy, CappedSimplex, boosters::maboost::Active>;

fn bayes(draw: &mut Draw<'_>) -> Result<Vec<NaiveBayes>, AnyError> {
    let n = draw.size(0, 3);
    (0..n).map(|_| Ok(NaiveBayes::new(if draw.byte() < 240 { 3 } else { 2 })?)).collect()
}

fn linear(draw: &mut Draw<'_>) -> Result<Vec<OgdLinear>, AnyError> {
    let n = draw.size(0, 3);
    let schedule = schedule(draw)?;
    let shape = Shape { inputs: draw.size(1, 3), outputs: draw.size(1, 3) };
    (0..n).map(|_| Ok(OgdLinear::new(shape, schedule, parameter(draw))?)).collect()
}

fn sides(learners: &[OgdLinear]) -> Option<(usize, usize)> {
    let Shape { inputs, outputs } = learners.first()?.shape();
    Some((inputs, outputs))
}

fn labels(draw: &mut Draw<'_>) -> Vec<Label> {
    let n = draw.size(0, 8);
    draw.list(n, label)
}

fn examples(draw: &mut Draw<'_>) -> Result<Examples, AnyError> {
    let labels = labels(draw);
    let weights = numbers(draw, labels.len(), |draw| f64::from(draw.byte() % 4));
    Ok(if draw.coin() { Examples::uniform(labels)? } else { Examples::weighted(labels, &weights)? })
}

fn start(examples: &mut Examples, checks: &mut Checks) -> Result<(), AnyError> {
    checks.distribution("D", examples.start());
    checks.any_number(examples.counted().count() as f64);
    Ok(())
}

/// A run of an algorithm on drawn rows, if its examples and rows are as many.
fn run<A: Reweighting + Clone>(
    algorithm: &mut A,
    examples: Examples,
    rows: &BinnedColumns,
    checks: &mut Checks,
) -> Result<(), AnyError> {
    let mut run = BoostingRun::new(examples, BinnedStump::default(), algorithm.clone())?;
    for _ in 0..3 {
        match run.round(rows)? {
            ControlFlow::Continue(round) => checks.number("a step", round.eta),
            ControlFlow::Break(_) => break,
        }
        checks.numbers("a weight", run.algorithm().weights());
    }
    checks.number("an error", run.error());
    Ok(())
}

/// An algorithm that is made of examples, and runs on rows.
macro_rules! algorithm {
    ($draw:ident, $new:expr) => {{
        let rows = BinnedColumns::new(matrix($draw)?)?;
        let labels = $draw.list(weak_learners::batch::Sample::size(&rows), label);
        let examples = if $draw.byte() < 230 { Examples::uniform(labels)? } else { examples($draw)? };
        let made = $new(&examples, $draw);
        Ok(built(made, move |algorithm, checks| run(algorithm, examples.clone(), &rows, checks)))
    }};
}

fn classes(draw: &mut Draw<'_>) -> Vec<u32> {
    let n = draw.size(0, 8);
    draw.list(n, |draw| if draw.byte() < 250 { draw.index(4) } else { draw.half_word() })
}

fn class_examples(examples: &mut ClassExamples, checks: &mut Checks) -> Result<(), AnyError> {
    let text = serde_json::to_string(&format!("{examples:?}"))?;
    checks.any_number(text.len() as f64);
    Ok(())
}

fn code(code: &mut OutputCode, checks: &mut Checks) -> Result<(), AnyError> {
    checks.number("a distance", code.least_distance());
    let scores = wave(code.columns(), 1);
    for by in [Decoding::Hamming, Decoding::Linear, Decoding::Exponential] {
        checks.any_number(f64::from(code.decode(&scores, by)?));
    }
    Ok(())
}

fn stumps(draw: &mut Draw<'_>) -> Result<Vec<Stump>, AnyError> {
    let n = draw.size(0, 3);
    (0..n).map(|_| Ok(Stump::new(3, draw.size(0, 2), entry(draw), label(draw))?)).collect()
}

fn settings(draw: &mut Draw<'_>) -> Result<Settings, AnyError> {
    let builder = Settings::builder().translation(entry(draw)).ridge(parameter(draw));
    let builder = match draw.byte() % 4 {
        0 => builder.step(Step::LineSearch),
        1 => builder.step(Step::Closed(Smoothness::Sharp)),
        2 => builder.step(Step::SecondOrder { learning_rate: parameter(draw) }),
        _ => builder,
    };
    Ok(if draw.coin() { builder.clip(parameter(draw) * 10.0).build()? } else { builder.build()? })
}

fn growth() -> Result<PairGrowth, AnyError> {
    Ok(PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.5).build()?)
}

type Run = PolicyBoosting<Bopl, ExactPairTree>;

fn policy(run: &mut Run, contexts: &SortedColumns, checks: &mut Checks) -> Result<(), AnyError> {
    for _ in 0..2 {
        match run.round(contexts) {
            Ok(_) => checks.number("an objective", run.objective()),
            Err(error) => checks.refused(&error),
        }
    }
    checks.numbers("a score", run.scores());
    Ok(())
}

fn ensemble(draw: &mut Draw<'_>) -> Result<PolicyEnsemble<PairTree>, AnyError> {
    let (inputs, actions, n) = (draw.size(1, 3), draw.size(1, 3), draw.size(0, 3));
    let member = |draw: &mut Draw<'_>| -> Result<Member<PairTree>, AnyError> {
        let (feature, threshold) = (draw.index(3), entry(draw));
        let nodes = vec![
            PairNode::Context { feature, threshold, below: 1, rest: 2 },
            PairNode::Leaf { value: entry(draw) },
            PairNode::Leaf { value: entry(draw) },
        ];
        Ok(Member { alpha: entry(draw), predictor: PairTree::new(inputs, actions, nodes)? })
    };
    let members = (0..n).map(|_| member(draw)).collect::<Result<_, _>>()?;
    Ok(PolicyEnsemble::of(inputs, actions, members)?)
}

fn statistical(
    booster: &mut StatisticalBooster<ExactStump, oco_core::learners::Ogd<projections::BoxSet>>,
    checks: &mut Checks,
) -> Result<(), AnyError> {
    checks.numbers("a play", booster.next_play());
    Ok(())
}

pub(super) const DOORS: &[Door] = &[
    ("boosters::MajorityVote::new", |draw| {
        let stumps = stumps(draw)?;
        Ok(built(MajorityVote::new(stumps, draw.any()), |vote, checks| {
            checks.outcome("a score", vote.score(Row::dense(&wave(3, 0))?));
            checks.outcome("a probability", vote.prob_plus(Row::dense(&wave(3, 0))?));
            Ok(())
        }))
    }),
    ("boosters::OnlineAgnosticBooster::with_ogd", |draw| {
        let learners = bayes(draw)?;
        Ok(built(OnlineAgnosticBooster::with_ogd(learners, parameter(draw), &mut rng(draw)), classifier))
    }),
    ("boosters::OnlineAgnosticBooster::with_trusting_ogd", |draw| {
        let learners = bayes(draw)?;
        let made = OnlineAgnosticBooster::with_trusting_ogd(learners, parameter(draw), &mut rng(draw));
        Ok(built(made, classifier))
    }),
    ("boosters::OnlineRealizableBooster::with_ogd", |draw| {
        let learners = bayes(draw)?;
        Ok(built(OnlineRealizableBooster::with_ogd(learners, parameter(draw), &mut rng(draw)), classifier))
    }),
    ("boosters::ProgressiveChoice::new", |draw| Ok(built(ProgressiveChoice::new(bayes(draw)?), classifier))),
    ("boosters::ProgressiveChoice::over_advantages", |draw| {
        let n = draw.size(0, 3);
        let grid = draw.list(n, parameter);
        let learners = bayes(draw)?;
        let made = ProgressiveChoice::over_advantages(&grid, |advantage| {
            OsBoost::new(learners.clone(), advantage, &mut rng(&mut Draw::new(&[1])))
        });
        Ok(built(made, classifier))
    }),
    ("boosters::RandomisedMajority::new", |draw| {
        Ok(built(RandomisedMajority::new(draw.any()), |majority, checks| {
            checks.outcome("a score", majority.score(&[Label::Plus, Label::Plus, Label::Minus]));
            checks.number("a slope", majority.slope(Label::Plus, Label::Minus));
            Ok(())
        }))
    }),
    ("boosters::StatisticalBooster::theorem_8", |draw| {
        let (labels, advantage, rounds) = (labels(draw), parameter(draw), draw.half_word());
        let made = StatisticalBooster::theorem_8(ExactStump::default(), labels, advantage, rounds);
        Ok(built(made, statistical))
    }),
    ("boosters::StatisticalBooster::theorem_10", |draw| {
        let (labels, advantage, rounds) = (labels(draw), parameter(draw), draw.half_word());
        let made = StatisticalBooster::theorem_10(ExactStump::default(), labels, advantage, rounds);
        Ok(built(made, statistical))
    }),
    ("boosters::AutoPolicyBuilder::build", |draw| {
        let builder = AutoPolicy::builder().candidates(count(draw)).rounds(count(draw));
        Ok(used(builder.search_rows(count(draw)).build(), |_, _| Ok(())))
    }),
    ("boosters::CompiledEnsemble::new", |draw| {
        let ensemble = ensemble(draw)?;
        Ok(used(CompiledEnsemble::new(&ensemble), |_, _| Ok(())))
    }),
    ("boosters::PolicyEnsemble::new", |draw| {
        Ok(built(PolicyEnsemble::<PairTree>::new(count(draw), count(draw)), scores))
    }),
    ("boosters::PolicyEnsemble::of", |draw| Ok(built(ensemble(draw), scores))),
    ("boosters::RewardRegression::new", |draw| {
        let (log, rate) = (log(draw)?, parameter(draw));
        let contexts = SortedColumns::new(log.contexts().clone())?;
        let made = RewardRegression::new(&log, ExactPairTree::new(growth()?), rate);
        Ok(used(made, |run, checks| {
            let _ = run.round(&contexts)?;
            checks.number("a loss", run.loss());
            Ok(())
        }))
    }),
    ("boosters::RewardRegression::of_rank", |draw| {
        let (log, rate) = (log(draw)?, parameter(draw));
        let made = RewardRegression::of_rank(&log, ExactPairTree::new(growth()?), rate, Ranks::alone());
        Ok(used(made, |_, _| Ok(())))
    }),
    ("boosters::RewardRegression::logistic", |draw| {
        let (log, rate) = (log(draw)?, parameter(draw));
        let contexts = SortedColumns::new(log.contexts().clone())?;
        let made = RewardRegression::logistic(&log, ExactPairTree::new(growth()?), rate);
        Ok(used(made, |run, checks| {
            let _ = run.round(&contexts)?;
            checks.number("a loss", run.loss());
            Ok(())
        }))
    }),
    ("boosters::PolicyBoosting::new", |draw| {
        let (log, settings) = (log(draw)?, settings(draw)?);
        let contexts = SortedColumns::new(log.contexts().clone())?;
        let made = Run::new(&log, ExactPairTree::new(growth()?), settings);
        Ok(used(made, |run, checks| policy(run, &contexts, checks)))
    }),
    ("boosters::PolicyBoosting::from_ensemble", |draw| {
        let (log, settings, ensemble) = (log(draw)?, settings(draw)?, ensemble(draw)?);
        let contexts = SortedColumns::new(log.contexts().clone())?;
        let made = Run::from_ensemble(&log, ExactPairTree::new(growth()?), settings, ensemble);
        Ok(used(made, |run, checks| policy(run, &contexts, checks)))
    }),
    ("boosters::PolicyBoosting::doubly_robust", |draw| {
        let (log, settings) = (log(draw)?, settings(draw)?);
        let contexts = SortedColumns::new(log.contexts().clone())?;
        let predictions = numbers(draw, log.len() * log.actions(), entry);
        let made = Run::doubly_robust(&log, ExactPairTree::new(growth()?), settings, &predictions);
        Ok(used(made, |run, checks| policy(run, &contexts, checks)))
    }),
    ("boosters::SettingsBuilder::build", |draw| {
        let builder = Settings::builder().translation(draw.any()).ridge(draw.any());
        let builder = if draw.coin() { builder.clip(draw.any()) } else { builder.switch(draw.any()) };
        let builder = if draw.coin() { builder.smoothing(draw.any()) } else { builder };
        let step = Step::SecondOrder { learning_rate: draw.any() };
        Ok(built((if draw.coin() { builder.step(step) } else { builder }).build(), |_, _| Ok(())))
    }),
    ("boosters::ValidationBuilder::build", |draw| {
        let (log, patience, least) = (log(draw)?, count(draw), count(draw));
        let predictions = numbers(draw, log.len() * log.actions(), entry);
        let builder = PolicyValidation::builder(&log).patience(patience).not_before(least);
        let builder = if draw.coin() { builder.predictions(&predictions) } else { builder };
        Ok(used(builder.build(), |_, _| Ok(())))
    }),
    ("boosters::Scale::to", |draw| {
        let n = draw.size(0, 5);
        let (weights, values) = (numbers(draw, n, entry), numbers(draw, n, entry));
        Ok(used(Scale::to(draw.any(), &weights, &values), |_, _| Ok(())))
    }),
    ("boosters::Noise::uniform", |draw| {
        Ok(built(Noise::uniform(draw.any()), |noise, checks| {
            checks.number("a bound", noise.bound());
            Ok(())
        }))
    }),
    ("boosters::Noise::two_point", |draw| {
        Ok(built(Noise::two_point(draw.any()), |noise, checks| {
            checks.number("a bound", noise.bound());
            Ok(())
        }))
    }),
    ("boosters::BanditGradientBoosting::new", |draw| {
        let (learners, set) = (linear(draw)?, any_set(draw)?);
        let queries = Queries { delta: parameter(draw), rng: rng(draw) };
        let made = BanditGradientBoosting::new(learners, set, parameter(draw), queries);
        Ok(built(made, |booster: &mut BanditGradientBoosting<OgdLinear, AnySet>, checks| {
            let Some(sides) = sides(booster.learners()) else { return Ok(()) };
            bandit(booster, checks, sides)
        }))
    }),
    ("boosters::BanditGradientBoosting::querying_inside", |draw| {
        let (learners, set) = (linear(draw)?, any_set(draw)?);
        let queries = Queries { delta: parameter(draw), rng: rng(draw) };
        let made = BanditGradientBoosting::new(learners, set, parameter(draw), queries)?;
        Ok(built(made.querying_inside(parameter(draw)), |booster, checks| {
            let Some(sides) = sides(booster.learners()) else { return Ok(()) };
            bandit(booster, checks, sides)
        }))
    }),
    ("boosters::OgdBaseline::new", |draw| {
        let shape = Shape { inputs: count(draw), outputs: count(draw) };
        let (set, schedule) = (any_set(draw)?, schedule(draw)?);
        let made = OgdBaseline::new(shape, set, schedule, parameter(draw));
        Ok(built(made, |baseline: &mut OgdBaseline<AnySet>, checks| {
            let Shape { inputs, outputs } = baseline.model().shape();
            if inputs.max(outputs) <= 64 {
                full_information(baseline, checks, (inputs, outputs))
            } else {
                Ok(())
            }
        }))
    }),
    ("boosters::OnlineGradientBoosting::new", |draw| {
        let (learners, set) = (linear(draw)?, any_set(draw)?);
        let made = OnlineGradientBoosting::new(learners, set, parameter(draw));
        Ok(built(made, |booster: &mut OnlineGradientBoosting<OgdLinear, AnySet>, checks| {
            let Some(sides) = sides(booster.learners()) else { return Ok(()) };
            full_information(booster, checks, sides)
        }))
    }),
    ("boosters::SpanBoosting::new", |draw| {
        let (learners, set, eta) = (linear(draw)?, any_set(draw)?, parameter(draw));
        let made = SpanBoosting::new(learners, set, eta, schedule(draw)?);
        Ok(built(made, |booster: &mut SpanBoosting<OgdLinear, AnySet>, checks| {
            let Some(sides) = sides(booster.learners()) else { return Ok(()) };
            full_information(booster, checks, sides)
        }))
    }),
    ("boosters::AdaBoost::new", |draw| {
        algorithm!(draw, |examples: &Examples, _: &mut Draw<'_>| AdaBoost::new(examples))
    }),
    ("boosters::MadaBoost::new", |draw| {
        algorithm!(draw, |examples: &Examples, _: &mut Draw<'_>| MadaBoost::new(examples))
    }),
    ("boosters::CombinedBoost::new", |draw| {
        algorithm!(draw, |examples: &Examples, draw: &mut Draw<'_>| {
            let secondary = draw.list(examples.start().len(), Draw::coin);
            CombinedBoost::new(examples, &secondary, 1.0 + draw.share() * 4.0)
        })
    }),
    ("boosters::LazySparseBoost::sparse", |draw| {
        algorithm!(draw, |examples: &Examples, _: &mut Draw<'_>| LazySparseBoost::sparse(examples))
    }),
    ("boosters::SmoothBoost::smooth", |draw| {
        algorithm!(draw, |examples: &Examples, draw: &mut Draw<'_>| -> Result<Smooth, _> {
            SmoothBoost::smooth(
                examples,
                if draw.byte() < 230 { 1.0 + draw.share() * 4.0 } else { draw.any() },
            )
        })
    }),
    ("boosters::SparseBoost::new", |draw| {
        algorithm!(draw, |examples: &Examples, draw: &mut Draw<'_>| {
            let sparsity = match draw.coin() {
                true => Sparsity::Constant(parameter(draw)),
                false => Sparsity::Fraction(parameter(draw)),
            };
            SparseBoost::new(examples, sparsity)
        })
    }),
    ("boosters::MirrorAscent::new", |draw| {
        let simplex = Simplex::new(if draw.byte() < 230 { 1.0 } else { parameter(draw) })?;
        let schedule = if draw.coin() { Schedule::Theorem1 } else { Schedule::LineSearch };
        algorithm!(draw, |examples: &Examples, _: &mut Draw<'_>| {
            MirrorAscent::<Euclidean, Simplex, boosters::maboost::Lazy>::new(
                Euclidean, simplex, examples, schedule,
            )
        })
    }),
    ("boosters::Ensemble::new", |draw| {
        let stumps = stumps(draw)?;
        let coefficients = numbers(draw, stumps.len(), any);
        Ok(built(Ensemble::new(stumps, coefficients), |ensemble, checks| {
            checks.outcome("a score", ensemble.score(Row::dense(&wave(3, 0))?));
            Ok(())
        }))
    }),
    ("boosters::Examples::uniform", |draw| Ok(built(Examples::uniform(labels(draw)), start))),
    ("boosters::Examples::weighted", |draw| {
        let labels = labels(draw);
        let weights = numbers(draw, labels.len(), |draw| draw.any().abs());
        Ok(built(Examples::weighted(labels, &weights), start))
    }),
    ("boosters::Examples::class_weighted", |draw| {
        Ok(built(Examples::class_weighted(labels(draw), [draw.any(), draw.any()]), start))
    }),
    ("boosters::Examples::balanced", |draw| Ok(built(Examples::balanced(labels(draw)), start))),
    ("boosters::MarginDistribution::new", |draw| {
        let examples = examples(draw)?;
        let margins = numbers(draw, examples.start().len(), any);
        Ok(used(MarginDistribution::new(&margins, &examples), |margins, checks| {
            checks.any_number(margins.smallest());
            Ok(())
        }))
    }),
    ("boosters::ClassExamples::uniform", |draw| {
        Ok(used(ClassExamples::uniform(classes(draw)), class_examples))
    }),
    ("boosters::ClassExamples::weighted", |draw| {
        let classes = classes(draw);
        let weights = numbers(draw, classes.len(), |draw| draw.any().abs());
        Ok(used(ClassExamples::weighted(classes, &weights), class_examples))
    }),
    ("boosters::ClassExamples::class_weighted", |draw| {
        let (classes, n) = (classes(draw), draw.size(0, 5));
        let weights = numbers(draw, n, |draw| draw.any().abs());
        Ok(used(ClassExamples::class_weighted(classes, &weights), class_examples))
    }),
    ("boosters::ClassExamples::balanced", |draw| {
        Ok(used(ClassExamples::balanced(classes(draw)), class_examples))
    }),
    ("boosters::Multiclass::new", |draw| {
        let rows = BinnedColumns::new(matrix(draw)?)?;
        let examples = ClassExamples::uniform(
            draw.list(weak_learners::batch::Sample::size(&rows), |draw| draw.index(3)),
        )?;
        let code = OutputCode::one_vs_rest(3)?;
        let made = Multiclass::new(code, &examples, |_, examples: Examples| {
            let algorithm = AdaBoost::new(&examples)?;
            BoostingRun::new(examples, BinnedStump::default(), algorithm)
        });
        Ok(used(made, |columns, checks| {
            columns.run(&rows, &Stopping::after(2))?;
            columns.columns().iter().for_each(|run| checks.number("an error", run.error()));
            Ok(())
        }))
    }),
    ("boosters::OutputCode::new", |draw| {
        let (n, columns) = (draw.size(0, 4), draw.size(0, 4));
        let rows = draw.list(n, |draw| draw.list(columns, |draw| (draw.byte() % 4) as i8 - 1));
        Ok(built(OutputCode::new(rows), code))
    }),
    ("boosters::OutputCode::one_vs_rest", |draw| Ok(built(OutputCode::one_vs_rest(count(draw)), code))),
    ("boosters::OutputCode::one_vs_one", |draw| Ok(built(OutputCode::one_vs_one(count(draw)), code))),
    ("boosters::OutputCode::exhaustive", |draw| Ok(built(OutputCode::exhaustive(count(draw)), code))),
    ("boosters::OutputCode::random_dense", |draw| {
        let (classes, columns, distance) = (count(draw), count(draw), draw.any());
        Ok(built(OutputCode::random_dense(classes, columns, distance, &mut rng(draw)), code))
    }),
    ("boosters::OutputCode::random_sparse", |draw| {
        let (classes, columns, distance) = (count(draw), count(draw), draw.any());
        Ok(built(OutputCode::random_sparse(classes, columns, distance, &mut rng(draw)), code))
    }),
    ("boosters::MulticlassVote::new", |draw| {
        let code = OutputCode::one_vs_rest(draw.size(2, 4))?;
        let ensembles = (0..draw.size(0, 4))
            .map(|_| -> Result<_, AnyError> {
                let stumps = stumps(draw)?;
                let coefficients = numbers(draw, stumps.len(), entry);
                Ok(Ensemble::new(stumps, coefficients)?)
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(built(MulticlassVote::new(code, ensembles), |vote, checks| {
            let (x, mut scores) = (wave(3, 1), vec![0.0; vote.code().columns()]);
            vote.scores(Row::dense(&x)?, &mut scores)?;
            checks.numbers("a score", &scores);
            Ok(())
        }))
    }),
    ("boosters::BoostingRun::new", |draw| {
        let (first, second) = (examples(draw)?, examples(draw)?);
        let algorithm = AdaBoost::new(&first)?;
        let other = if draw.coin() { first } else { second };
        Ok(built(BoostingRun::new(other, BinnedStump::default(), algorithm), |run, checks| {
            checks.number("an error", run.error());
            Ok(())
        }))
    }),
    ("boosters::Stopping::at_error", |draw| {
        Ok(built(Stopping::after(count(draw)).at_error(draw.any()), |_, _| Ok(())))
    }),
    ("boosters::Stopping::at_any_error", |draw| {
        Ok(built(Stopping::after(count(draw)).at_any_error(draw.any()), |_, _| Ok(())))
    }),
    ("boosters::Validation::new", |draw| {
        let examples = examples(draw)?;
        Ok(built(Validation::new(examples, count(draw)), |validation, checks| {
            checks.any_number(validation.best_error());
            Ok(())
        }))
    }),
    ("boosters::AdaBoostOl::new", |draw| {
        Ok(built(AdaBoostOl::new(bayes(draw)?, &mut rng(draw)), classifier))
    }),
    ("boosters::OnlineBbm::new", |draw| {
        let learners = bayes(draw)?;
        Ok(built(OnlineBbm::new(learners, parameter(draw), &mut rng(draw)), classifier))
    }),
    ("boosters::OsBoost::new", |draw| {
        let learners = bayes(draw)?;
        Ok(built(OsBoost::new(learners, parameter(draw), &mut rng(draw)), classifier))
    }),
    ("boosters::Threads::exactly", |draw| {
        Ok(used(Threads::exactly(count(draw)), |threads, checks| {
            checks.any_number(threads.count()? as f64);
            Ok(())
        }))
    }),
];
