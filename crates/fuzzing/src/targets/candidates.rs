//! Choices among candidates that have features of their own, and logs of them.

use super::{Target, plain};
use crate::Checks;
use crate::play::{MOST, wave};
use crate::verdict::AnyError;
use boosters::bopl::{
    Bopl, BoplError, BoplS, CandidateBoosting, CandidateCheckpoint, CandidateEnsemble, CandidateRegression,
    CandidateRegressionCheckpoint, Settings,
};
use off_policy::Rewards;
use off_policy::candidates::{AmongCandidates, CandidateLog, CandidateSchema, CandidateScores, OnCandidates};
use off_policy::estimators::{EstimatorSettings, OffPolicyEvaluation};
use rows::{CandidateShape, Candidates, RowMatrix};
use weak_learners::batch::Sample;
use weak_learners::pairs::{
    BinnedCandidates, HistogramCandidateTree, PairGrowth, PairLearner, PairRound, PairWeights,
};

/// Two choices, with some or all of the levels.
fn candidates() -> Result<Vec<Candidates>, AnyError> {
    let items = vec![0, 2, 1, 0, 2];
    let of_items = RowMatrix::sparse(2, vec![0, 1, 2, 2], vec![1, 0], wave(2, 3))?;
    let all = Candidates::builder(vec![0, 2, 5])
        .contexts(RowMatrix::dense(2, wave(4, 1))?)
        .features(RowMatrix::dense(1, wave(5, 2))?)
        .items(items.clone(), of_items)
        .identities(items.clone(), 2);
    let few = Candidates::builder(vec![0, 2, 5]).identities(items, 3);
    Ok(vec![all.build()?, few.build()?])
}

fn schema() -> CandidateSchema {
    let names = |of: &[&str]| of.iter().map(|name| (*name).to_owned()).collect();
    CandidateSchema {
        contexts: names(&["u.age", "u.city=Ulm"]),
        features: names(&["f.x"]),
        items: names(&["i.price", "i.taste=mint"]),
        identities: names(&["ice", "tea"]),
        optional: Vec::new(),
    }
}

fn logs() -> Result<Vec<CandidateLog>, AnyError> {
    let mut logs = Vec::new();
    for candidates in candidates()? {
        logs.push(CandidateLog::new(candidates, vec![1, 2], vec![0.5, 0.25], Rewards(vec![1.0, -0.5]))?);
    }
    let named = logs[0].clone().with_schema(schema())?;
    logs.push(named);
    Ok(logs)
}

fn growth() -> Result<PairGrowth, AnyError> {
    Ok(PairGrowth::builder().max_depth(3).min_child_weight(0.0).build()?)
}

/// Trains on a round of arbitrary numbers.
fn train(
    learner: &mut HistogramCandidateTree,
    sample: &BinnedCandidates,
    checks: &mut Checks,
) -> Result<(), AnyError> {
    let n = sample.size();
    let (gradients, weights) = (wave(n, 3), vec![1.0; n]);
    let round = PairRound::new(n, 1, &gradients, PairWeights::OfExamples(&weights))?;
    let mut values = vec![0.0; n];
    learner.train(sample, &round, &mut values)?;
    checks.numbers("a value", &values);
    Ok(())
}

/// An ensemble of two rounds of every log.
pub(super) fn ensembles() -> Result<Vec<CandidateEnsemble>, AnyError> {
    let of = |log: CandidateLog| {
        let learner = HistogramCandidateTree::new(growth()?);
        let mut run = CandidateBoosting::<BoplS, _>::new(&log, learner, Settings::default())?;
        let sample = BinnedCandidates::new(log.candidates().clone())?;
        for _ in 0..2 {
            std::hint::black_box(run.round(&sample)?.is_continue());
        }
        Ok(run.ensemble())
    };
    logs()?.into_iter().map(of).collect()
}

/// A log with rows enough to learn from some and to judge on others.
pub(super) fn long_log() -> Result<CandidateLog, AnyError> {
    let named = logs()?.pop().ok_or("no log")?;
    Ok(named.select((0..60).map(|row| row % named.len()))?)
}

/// What `resume` is asked about.
fn first() -> Result<(CandidateLog, BinnedCandidates, Vec<f64>), AnyError> {
    let log = logs()?.into_iter().next().ok_or("no log")?;
    let (sample, predictions) =
        (BinnedCandidates::new(log.candidates().clone())?, wave(log.candidates().pairs(), 4));
    Ok((log, sample, predictions))
}

/// Runs of either objective and on predicted rewards, before and after two rounds.
fn checkpoints() -> Result<Vec<CandidateCheckpoint<HistogramCandidateTree>>, AnyError> {
    let ((log, sample, predictions), settings) = (first()?, Settings::default());
    let learner = HistogramCandidateTree::new(growth()?);
    let mut plain = CandidateBoosting::<Bopl, _>::new(&log, learner.clone(), settings)?;
    let mut doubly = CandidateBoosting::doubly_robust(&log, learner, settings, &predictions)?;
    let mut found = vec![plain.checkpoint()];
    for _ in 0..2 {
        std::hint::black_box((plain.round(&sample)?.is_break(), doubly.round(&sample)?.is_break()));
    }
    found.extend([plain.checkpoint(), doubly.checkpoint()]);
    Ok(found)
}

/// Resumes a run from a checkpoint, and saves it again.
fn resume(
    checkpoint: &mut CandidateCheckpoint<HistogramCandidateTree>,
    checks: &mut Checks,
) -> Result<(), AnyError> {
    let (log, sample, predictions) = first()?;
    let mut run: CandidateBoosting<Bopl, _> = match checkpoint.clone().resume(&log) {
        Err(BoplError::OtherPredictions) => checkpoint.clone().resume_doubly_robust(&log, &predictions)?,
        run => run?,
    };
    for _ in 0..2 {
        let before = run.record().len();
        if let Err(error) = run.round(&sample) {
            checks.refused(&error);
            checks.holds("a refused round is not booked", run.record().len() == before, before);
        }
    }
    checks.numbers("a score", run.scores());
    checks.number("an objective", run.objective());
    *checkpoint = run.checkpoint();
    Ok(())
}

fn regressions() -> Result<Vec<CandidateRegressionCheckpoint<HistogramCandidateTree>>, AnyError> {
    let (log, sample, _) = first()?;
    let mut run = CandidateRegression::new(&log, HistogramCandidateTree::new(growth()?), 0.5)?;
    let start = run.checkpoint();
    std::hint::black_box((run.round(&sample)?.is_break(), run.round(&sample)?.is_break()));
    Ok(vec![start, run.checkpoint()])
}

/// The same of a regression.
fn resume_regression(
    checkpoint: &mut CandidateRegressionCheckpoint<HistogramCandidateTree>,
    checks: &mut Checks,
) -> Result<(), AnyError> {
    let (log, sample, _) = first()?;
    let mut run = checkpoint.clone().resume(&log)?;
    for _ in 0..2 {
        let before = run.ensemble().members().len();
        if let Err(error) = run.round(&sample) {
            checks.refused(&error);
            let after = run.ensemble().members().len();
            checks.holds("a refused round is not booked", after == before, before);
        }
    }
    checks.numbers("a score", run.scores());
    *checkpoint = run.checkpoint();
    Ok(())
}

pub(super) fn all() -> Vec<Target> {
    vec![
        Target::saved(candidates, |candidates: &mut Candidates, checks| {
            let shape = candidates.shape();
            for i in 0..candidates.len().min(MOST) {
                let pairs = candidates.pairs_of(i);
                checks.holds("a choice has candidates", !pairs.is_empty(), i);
                for pair in pairs.take(MOST).filter_map(|p| candidates.pair(p)) {
                    pair.for_each(shape, |j, value| {
                        checks.holds("a coordinate is one of the row", j < shape.dimension(), j);
                        checks.number("a feature", value);
                    });
                }
            }
            let some = candidates.select(&[candidates.len() - 1, 0])?;
            checks.holds("choices are selected as they are", some.shape() == shape && some.len() == 2, "");
            checks.any_number(some.pairs() as f64);
            Ok(())
        }),
        plain(|| vec![CandidateShape { contexts: 2, features: 1, items: 2, identities: 2 }]),
        Target::saved(logs, |log: &mut CandidateLog, checks| {
            for i in 0..log.len().min(MOST) {
                let pair = log.logged_pair(i).and_then(|p| log.candidates().pair(p));
                checks.holds("the chosen candidate is there", pair.is_some(), i);
            }
            let rows = OnCandidates::new(log, &AmongCandidates);
            let found = OffPolicyEvaluation::of_observations(&rows, EstimatorSettings::default())?;
            checks.number("an estimate", found.ips.value);
            Ok(())
        }),
        Target::saved(
            || Ok(vec![schema()]),
            |schema: &mut CandidateSchema, checks| {
                checks.any_number(schema.shape().dimension() as f64);
                Ok(())
            },
        ),
        plain(|| vec![AmongCandidates]),
        Target::saved(
            || Ok(candidates()?.into_iter().map(BinnedCandidates::new).collect::<Result<_, _>>()?),
            |sample: &mut BinnedCandidates, checks| {
                if sample.inputs() > MOST || sample.size() > MOST {
                    return Ok(());
                }
                (0..sample.inputs()).for_each(|j| checks.numbers("a cut", sample.cuts(j)));
                train(&mut HistogramCandidateTree::new(growth()?), sample, checks)?;
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![HistogramCandidateTree::new(growth()?)]),
            |learner: &mut HistogramCandidateTree, checks| {
                for candidates in candidates()? {
                    train(learner, &BinnedCandidates::new(candidates)?, checks)?;
                }
                Ok(())
            },
        ),
        Target::saved(checkpoints, resume),
        Target::saved(regressions, resume_regression),
        Target::saved(ensembles, |ensemble: &mut CandidateEnsemble, checks| {
            let one = ensemble.prefix(1);
            checks.holds("a prefix is a part", one.members().len() <= ensemble.members().len(), "");
            for candidates in candidates()? {
                let mut scores = vec![0.0; candidates.pairs()];
                // Sums may leave the doubles; candidates of other columns are refused.
                if ensemble.candidate_scores(&candidates, 0..candidates.pairs(), &mut scores).is_ok() {
                    scores.iter().for_each(|score| checks.any_number(*score));
                }
            }
            Ok(())
        }),
    ]
}
