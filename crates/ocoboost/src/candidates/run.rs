//! A run of any recipe, behind one interface.

use super::recipe::{CandidateObjective, CandidateRecipe};
use crate::error::JobError;
use boosters::bopl::{
    Bopl, BoplError, BoplS, BoplStop, CandidateBoosting, CandidateCheckpoint, CandidateEnsemble,
    CandidateRegression, CandidateRegressionCheckpoint, Member, Round,
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
///
/// Where a tree sees a part of the rows and columns, that part may have nothing that tells candidates apart.
/// The run is then not over: another part is drawn, [`DRAWS`] times in a row at most.
#[derive(Debug)]
pub(super) struct Run {
    rounds: Rounds,
    /// The draws since the last tree that showed no preference.
    fruitless: u32,
    /// The most of them.
    most: u32,
}

/// Of one column in a hundred that tells candidates apart, and a tenth of the columns drawn, as many draws in
/// a row lack it once in 30,000 rounds. A draw that lacks it costs a search at the root alone.
const DRAWS: u32 = 100;

#[derive(Debug)]
enum Rounds {
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

/// What became of a round.
enum Found {
    Tree,
    /// Another draw may find one.
    NoTree,
    End,
}

impl From<ControlFlow<BoplStop, Round>> for Found {
    fn from(round: ControlFlow<BoplStop, Round>) -> Self {
        match round {
            ControlFlow::Continue(_) => Self::Tree,
            ControlFlow::Break(BoplStop::Predictions | BoplStop::Alpha) => Self::NoTree,
            ControlFlow::Break(_) => Self::End,
        }
    }
}

impl Run {
    /// A round, or a draw without a tree after which there may be one; `Break` where there is no further one.
    pub(super) fn round(&mut self, sample: &BinnedCandidates) -> Result<ControlFlow<()>, BoplError> {
        let found = match &mut self.rounds {
            Rounds::Regression(run) => match run.round(sample)?.is_continue() {
                true => Found::Tree,
                false => Found::NoTree,
            },
            Rounds::Bopl(run) => run.round(sample)?.into(),
            Rounds::BoplS(run) => run.round(sample)?.into(),
        };
        match found {
            Found::Tree => self.fruitless = 0,
            Found::NoTree if self.fruitless < self.most => self.fruitless += 1,
            Found::NoTree | Found::End => return Ok(ControlFlow::Break(())),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A run from the beginning. `predictions` has q̂ of every pair, for the doubly robust objective alone.
    pub(super) fn new(
        recipe: &CandidateRecipe,
        log: &CandidateLog,
        draws: Draws,
        predictions: Option<&[f64]>,
    ) -> Result<Self, JobError> {
        let trees = trees(recipe, draws)?;
        let rounds = match (recipe.objective, predictions) {
            (CandidateObjective::Regression, _) => {
                Rounds::Regression(CandidateRegression::new(log, trees, recipe.learning_rate)?)
            }
            (CandidateObjective::BoplS, _) => {
                Rounds::BoplS(CandidateBoosting::new(log, trees, recipe.settings(log)?)?)
            }
            (CandidateObjective::DoublyRobust, Some(predictions)) => {
                let settings = recipe.settings(log)?;
                Rounds::Bopl(CandidateBoosting::doubly_robust(log, trees, settings, predictions)?)
            }
            _ => Rounds::Bopl(CandidateBoosting::new(log, trees, recipe.settings(log)?)?),
        };
        Ok(Self { rounds, fruitless: 0, most: most_draws(recipe) })
    }

    /// A run that was saved after so many draws without a tree, or a new one where the predictions are not
    /// those that it was trained on: of a regression that was ended early.
    pub(super) fn resume(
        (saved, fruitless): (SavedRun, u32),
        (recipe, draws): (&CandidateRecipe, Draws),
        log: &CandidateLog,
        predictions: Option<&[f64]>,
    ) -> Result<Self, JobError> {
        let rounds = match (recipe.objective, saved, predictions) {
            (CandidateObjective::Regression, SavedRun::Regression(saved), _) => {
                Rounds::Regression(saved.resume(log)?)
            }
            (CandidateObjective::BoplS, SavedRun::Policy(saved), _) => Rounds::BoplS(saved.resume(log)?),
            (CandidateObjective::DoublyRobust, SavedRun::Policy(saved), Some(predictions)) => {
                match saved.resume_doubly_robust(log, predictions) {
                    Err(BoplError::OtherPredictions) => {
                        return Self::new(recipe, log, draws, Some(predictions));
                    }
                    run => Rounds::Bopl(run?),
                }
            }
            (CandidateObjective::Bopl, SavedRun::Policy(saved), _) => Rounds::Bopl(saved.resume(log)?),
            _ => return Err(BoplError::BrokenSearch { reason: "a run has another objective" }.into()),
        };
        Ok(Self { rounds, fruitless, most: most_draws(recipe) })
    }

    /// The part of the run that has to be saved for it to go on, and the draws without a tree since its last
    /// round.
    pub(super) fn saved(&self) -> (SavedRun, u32) {
        let saved = match &self.rounds {
            Rounds::Regression(run) => SavedRun::Regression(run.checkpoint()),
            Rounds::Bopl(run) => SavedRun::Policy(run.checkpoint()),
            Rounds::BoplS(run) => SavedRun::Policy(run.checkpoint()),
        };
        (saved, self.fruitless)
    }

    /// α_1 f_1, α_2 f_2, …; of a regression behind its F_0.
    pub(super) fn members(&self) -> &[Member<PairTree>] {
        match &self.rounds {
            Rounds::Regression(run) => run.ensemble().members(),
            Rounds::Bopl(run) => run.members(),
            Rounds::BoplS(run) => run.members(),
        }
    }

    /// The members that are of no round.
    pub(super) fn of_start(&self) -> usize {
        usize::from(matches!(self.rounds, Rounds::Regression(_)))
    }

    /// The rounds so far.
    pub(super) fn rounds(&self) -> usize {
        self.members().len() - self.of_start()
    }

    /// Whether anything was drawn so far, with a tree or without.
    pub(super) fn has_begun(&self) -> bool {
        self.rounds() > 0 || self.fruitless > 0
    }

    pub(super) fn ensemble(&self) -> CandidateEnsemble {
        match &self.rounds {
            Rounds::Regression(run) => run.ensemble().clone(),
            Rounds::Bopl(run) => run.ensemble(),
            Rounds::BoplS(run) => run.ensemble(),
        }
    }
}

/// The draws in a row that may show no preference: none where trees see everything.
fn most_draws(recipe: &CandidateRecipe) -> u32 {
    if sees_all(recipe) { 0 } else { DRAWS }
}

fn sees_all(recipe: &CandidateRecipe) -> bool {
    (recipe.columns, recipe.rows) == (1.0, 1.0)
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
    if sees_all(recipe) {
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
