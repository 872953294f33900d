//! A run of any recipe, behind one interface.

use super::recipe::{CandidateObjective, CandidateRecipe};
use crate::error::JobError;
use boosters::bopl::{
    Bopl, BoplError, BoplS, CandidateBoosting, CandidateCheckpoint, CandidateEnsemble, CandidateRegression,
    CandidateRegressionCheckpoint, Member,
};
use off_policy::candidates::{CandidateLog, CandidateSchema};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::LearnerError;
use weak_learners::pairs::{
    BinnedCandidates, ColumnSampling, HistogramCandidateTree, PairGrowth, PairLearner, PairRound, PairTree,
    RowSampling,
};

/// A run of a recipe.
#[derive(Debug)]
pub(super) enum Run {
    Regression(CandidateRegression<Trees>),
    Bopl(CandidateBoosting<Bopl, Trees>),
    BoplS(CandidateBoosting<BoplS, Trees>),
}

/// A run of a recipe, saved between two rounds.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SavedRun {
    Policy(CandidateCheckpoint<Trees>),
    Regression(CandidateRegressionCheckpoint<Trees>),
}

impl Run {
    /// A round; `Break` where there is no further one.
    pub(super) fn round(&mut self, sample: &BinnedCandidates) -> Result<ControlFlow<()>, BoplError> {
        let is_over = match self {
            Self::Regression(run) => run.round(sample)?.is_break(),
            Self::Bopl(run) => run.round(sample)?.is_break(),
            Self::BoplS(run) => run.round(sample)?.is_break(),
        };
        Ok(if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// A run from the beginning. `predictions` has q̂ of every pair, for the doubly robust objective alone.
    pub(super) fn new(
        recipe: &CandidateRecipe,
        log: &CandidateLog,
        draws: Draws,
        predictions: Option<&[f64]>,
    ) -> Result<Self, JobError> {
        let trees = trees(recipe, draws)?;
        Ok(match (recipe.objective, predictions) {
            (CandidateObjective::Regression, _) => {
                Self::Regression(CandidateRegression::new(log, trees, recipe.learning_rate)?)
            }
            (CandidateObjective::BoplS, _) => {
                Self::BoplS(CandidateBoosting::new(log, trees, recipe.settings(log)?)?)
            }
            (CandidateObjective::DoublyRobust, Some(predictions)) => {
                let settings = recipe.settings(log)?;
                Self::Bopl(CandidateBoosting::doubly_robust(log, trees, settings, predictions)?)
            }
            _ => Self::Bopl(CandidateBoosting::new(log, trees, recipe.settings(log)?)?),
        })
    }

    /// A run that was saved, or a new one where the predictions are not those that it was trained on: of a
    /// regression that was ended early.
    pub(super) fn resume(
        saved: SavedRun,
        (recipe, draws): (&CandidateRecipe, Draws),
        log: &CandidateLog,
        predictions: Option<&[f64]>,
    ) -> Result<Self, JobError> {
        Ok(match (recipe.objective, saved, predictions) {
            (CandidateObjective::Regression, SavedRun::Regression(saved), _) => {
                Self::Regression(saved.resume(log)?)
            }
            (CandidateObjective::BoplS, SavedRun::Policy(saved), _) => Self::BoplS(saved.resume(log)?),
            (CandidateObjective::DoublyRobust, SavedRun::Policy(saved), Some(predictions)) => {
                match saved.resume_doubly_robust(log, predictions) {
                    Err(BoplError::OtherPredictions) => {
                        return Self::new(recipe, log, draws, Some(predictions));
                    }
                    run => Self::Bopl(run?),
                }
            }
            (CandidateObjective::Bopl, SavedRun::Policy(saved), _) => Self::Bopl(saved.resume(log)?),
            _ => return Err(BoplError::BrokenSearch { reason: "a run has another objective" }.into()),
        })
    }

    /// The part of the run that has to be saved for it to go on.
    pub(super) fn saved(&self) -> SavedRun {
        match self {
            Self::Regression(run) => SavedRun::Regression(run.checkpoint()),
            Self::Bopl(run) => SavedRun::Policy(run.checkpoint()),
            Self::BoplS(run) => SavedRun::Policy(run.checkpoint()),
        }
    }

    /// α_1 f_1, α_2 f_2, …; of a regression behind its F_0.
    pub(super) fn members(&self) -> &[Member<PairTree>] {
        match self {
            Self::Regression(run) => run.ensemble().members(),
            Self::Bopl(run) => run.members(),
            Self::BoplS(run) => run.members(),
        }
    }

    /// The members that are of no round.
    pub(super) fn of_start(&self) -> usize {
        usize::from(matches!(self, Self::Regression(_)))
    }

    /// The rounds so far.
    pub(super) fn rounds(&self) -> usize {
        self.members().len() - self.of_start()
    }

    pub(super) fn ensemble(&self) -> CandidateEnsemble {
        match self {
            Self::Regression(run) => run.ensemble().clone(),
            Self::Bopl(run) => run.ensemble(),
            Self::BoplS(run) => run.ensemble(),
        }
    }
}

/// Trees on all pairs and columns, or on a part of them that is drawn anew every round.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Trees {
    OfAll(Box<HistogramCandidateTree>),
    OfSome(Box<RowSampling<ColumnSampling<HistogramCandidateTree>>>),
}

/// Where random numbers come from: a seed, and the first of two streams.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draws {
    pub(super) seed: u64,
    pub(super) stream: u64,
}

/// The trees of a recipe.
pub(super) fn trees(recipe: &CandidateRecipe, Draws { seed, stream }: Draws) -> Result<Trees, JobError> {
    let growth = PairGrowth::builder().max_depth(recipe.max_depth).reg_lambda(recipe.reg_lambda);
    let trees = HistogramCandidateTree::new(growth.min_child_weight(recipe.min_child_weight).build()?);
    if (recipe.columns, recipe.rows) == (1.0, 1.0) {
        return Ok(Trees::OfAll(Box::new(trees)));
    }
    let rng = |k: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream.wrapping_add(k));
        rng
    };
    let trees = ColumnSampling::new(trees, recipe.columns, rng(0))?;
    Ok(Trees::OfSome(Box::new(RowSampling::new(trees, recipe.rows, rng(1))?)))
}

/// The pairs of a log in bins. Trees learn the side of the values that its schema says may be missing.
pub(super) fn binned(log: &CandidateLog) -> Result<BinnedCandidates, LearnerError> {
    let sample = BinnedCandidates::new(log.candidates().clone())?;
    match log.schema().map(CandidateSchema::indicators).filter(|indicators| !indicators.is_empty()) {
        Some(indicators) => sample.with_indicators(&indicators),
        None => Ok(sample),
    }
}

/// Refuses settings that no run can have, and trees of a single leaf, which prefer no candidate.
pub(super) fn check(recipe: &CandidateRecipe) -> Result<(), JobError> {
    if recipe.max_depth == 0 {
        return Err(JobError::BadSetting { name: "max_depth", value: 0.0, domain: "1, 2, …" });
    }
    trees(recipe, Draws { seed: 0, stream: 0 })?;
    recipe.settings_at(recipe.unit_translation.unwrap_or_default()).map(|_| ())
}

impl PairLearner for Trees {
    type Contexts = BinnedCandidates;
    type Hypothesis = PairTree;

    fn train(
        &mut self,
        contexts: &BinnedCandidates,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        match self {
            Self::OfAll(trees) => trees.train(contexts, round, values),
            Self::OfSome(trees) => trees.train(contexts, round, values),
        }
    }
}
