//! A trained policy over candidates, with all that its use needs.

use super::{CandidateObjective, CandidateRecipe};
use crate::error::JobError;
use crate::judge::Judgement;
use crate::model::{Exploration, Explore, Explored, Provenance, Seconds};
use boosters::auto_policy::Overrides;
use boosters::bopl::CandidateEnsemble;
use off_policy::PolicyError;
use off_policy::candidates::{CandidatePolicy, CandidateScores};
use off_policy::policies::{Argmax, EpsilonGreedy, Softmax};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Candidates;
use serde::{Deserialize, Serialize};
use std::ops::{ControlFlow, Range};
use weak_learners::pairs::PairNode;

/// A policy over candidates: its trees and the names of their columns, how it was trained and judged, how it
/// is played.
///
/// It is made by [`CandidateJob::fit`](crate::CandidateJob::fit). As [`CandidateScores`] it, or a reference
/// to it, goes into any policy. Candidates may be items that the log did not have.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateModel {
    pub(crate) ensemble: CandidateEnsemble,
    pub(crate) record: CandidateRecord,
    pub(crate) provenance: Provenance,
    pub(crate) judgement: Judgement,
    pub(crate) exploration: Exploration,
    pub(crate) format: serde_json::Value,
}

/// How a [`CandidateModel`] was trained.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CandidateRecord {
    /// The seed of everything.
    pub seed: u64,
    /// The budget, in seconds.
    pub budget: f64,
    /// How rows were split.
    pub split: String,
    /// The share of the rows that were to be kept apart.
    pub holdout_share: f64,
    /// The settings that every recipe had; none in what was saved before there were any.
    #[serde(default)]
    pub overrides: Overrides,
    /// The recipes that were tried; a value is that of a winner among many, and optimistic.
    pub tried: Vec<TriedRecipe>,
    /// The place of the winner among them.
    pub chosen: usize,
    /// The trees of the model.
    pub trees: usize,
    /// The leaves of all of them.
    pub leaves: usize,
    /// Whether the budget or a watcher cut something off.
    pub is_cut: bool,
    /// Whether the trees are those of the search, because the training ended with fewer.
    #[serde(default)]
    pub is_of_search: bool,
    /// Whether the regression that predicts rewards for the judgement was ended early.
    #[serde(default)]
    pub is_model_cut: bool,
    /// How long it took; 0 in what was loaded, as in a [`TrainingRecord`](crate::TrainingRecord).
    #[serde(skip)]
    pub seconds: Seconds,
}

impl PartialEq for CandidateRecord {
    /// But for the seconds.
    fn eq(&self, other: &Self) -> bool {
        let all = |record: &Self| {
            let Self { seed, budget, holdout_share, overrides, chosen, trees, leaves, .. } = *record;
            let Self { is_cut, is_of_search, is_model_cut, .. } = *record;
            (
                (seed, budget, holdout_share, overrides),
                (chosen, trees, leaves, is_cut, is_of_search, is_model_cut),
            )
        };
        all(self) == all(other) && self.split == other.split && self.tried == other.tried
    }
}

/// A recipe, and what it came to on the rows of the search. The value is that of a doubly robust estimate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TriedRecipe {
    /// Its settings.
    pub recipe: CandidateRecipe,
    /// Its best rounds; without a value, the most that it was given.
    pub rounds: usize,
    /// The estimate of its value then; `None` where no round of it was judged.
    pub value: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
}

impl TriedRecipe {
    /// What recipes are compared by.
    pub(super) fn cautious(&self) -> f64 {
        self.value.map_or(f64::NEG_INFINITY, |value| value - self.standard_error.unwrap_or_default())
    }

    /// The members of an ensemble of its rounds: that of a regression begins with the mean reward.
    pub(super) fn members(&self) -> usize {
        self.rounds.saturating_add(usize::from(self.recipe.objective == CandidateObjective::Regression))
    }
}

impl CandidateModel {
    /// F, by which candidates are ranked.
    #[must_use]
    pub fn ensemble(&self) -> &CandidateEnsemble {
        &self.ensemble
    }

    /// How it was trained.
    #[must_use]
    pub fn record(&self) -> &CandidateRecord {
        &self.record
    }

    /// On what it was trained.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The judgement at its training.
    #[must_use]
    pub fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// How it is played by default.
    #[must_use]
    pub fn exploration(&self) -> Exploration {
        self.exploration
    }

    /// The options by which logs are read for it, whatever the reader put there.
    #[must_use]
    pub fn format(&self) -> &serde_json::Value {
        &self.format
    }

    /// The columns that the trees ask about, by their share of all questions, the most asked first. A column
    /// without a name has its number.
    #[must_use]
    pub fn questions(&self) -> Vec<(String, f64)> {
        let mut counts = std::collections::BTreeMap::<u32, usize>::new();
        for member in self.ensemble.members() {
            for node in member.predictor.nodes() {
                if let PairNode::Context { feature, .. } | PairNode::ContextOrMissing { feature, .. } = node {
                    *counts.entry(*feature).or_default() += 1;
                }
            }
        }
        let names = self.column_names();
        let all = counts.values().sum::<usize>().max(1);
        let share = |(column, count): (u32, usize)| {
            let name =
                names.get(column as usize).map_or_else(|| format!("column {column}"), |n| (*n).to_owned());
            #[allow(clippy::cast_precision_loss, reason = "counts of questions")]
            let share = count as f64 / all as f64;
            (name, share)
        };
        let mut shares: Vec<(String, f64)> = counts.into_iter().map(share).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    }

    /// The names of the columns of a candidate's row, \[context ; own features ; item ; identities\]; none
    /// where the log had none.
    #[must_use]
    pub fn column_names(&self) -> Vec<&str> {
        self.ensemble.schema().map_or_else(Vec::new, |schema| {
            let levels = [&schema.contexts, &schema.features, &schema.items, &schema.identities];
            levels.into_iter().flatten().map(String::as_str).collect()
        })
    }

    /// The place of the best candidate of every choice, the first of equals.
    ///
    /// # Errors
    /// [`JobError::Policy`] for candidates of other columns.
    pub fn predict(&self, candidates: &Candidates) -> Result<Vec<u32>, JobError> {
        let mut scores = vec![0.0; candidates.pairs()];
        self.candidate_scores(candidates, 0..candidates.pairs(), &mut scores)?;
        let best = |i: usize| {
            let own = &scores[candidates.pairs_of(i)];
            let better = |best: u32, place: u32| {
                if own[place as usize] > own[best as usize] { place } else { best }
            };
            (0..).take(own.len()).reduce(better).unwrap_or_default()
        };
        Ok((0..candidates.len()).map(best).collect())
    }

    /// Draws a candidate for every choice, and shows its place, its propensity and π of the choice's pairs:
    /// 1 − ε on the best candidate, and ε evenly. One seed draws the same; `Break` ends it.
    ///
    /// # Errors
    /// As [`probabilities`](Self::probabilities).
    pub fn decide(
        &self,
        candidates: &Candidates,
        (epsilon, seed): (f64, u64),
        see: impl FnMut(usize, f64, &[f64]) -> ControlFlow<()>,
    ) -> Result<(), JobError> {
        draw(&EpsilonGreedy::new(Argmax::new(self), epsilon)?, candidates, seed, see)
    }

    /// A candidate that is drawn for every choice: its place, and its propensity. One seed draws the same,
    /// and what [`decide`](Self::decide) does.
    ///
    /// # Errors
    /// [`JobError::Policy`] for an ε outside \[0, 1\], a β that is negative or not finite, and for candidates
    /// of other columns.
    pub fn explore(
        &self,
        candidates: &Candidates,
        explore: Explore,
        seed: u64,
    ) -> Result<Explored, JobError> {
        let (actions, propensities) =
            (Vec::with_capacity(candidates.len()), Vec::with_capacity(candidates.len()));
        let mut drawn = Explored { actions, propensities };
        let see = |place: usize, p: f64, _: &[f64]| {
            drawn.actions.push(u32::try_from(place).unwrap_or(u32::MAX));
            drawn.propensities.push(p);
            ControlFlow::Continue(())
        };
        match explore {
            Explore::EpsilonGreedy(epsilon) => self.decide(candidates, (epsilon, seed), see)?,
            Explore::Softmax(beta) => draw(&Softmax::new(self, beta)?, candidates, seed, see)?,
        }
        Ok(drawn)
    }

    /// π of every pair: 1 − ε on the best candidate, and ε evenly.
    ///
    /// # Errors
    /// [`JobError::Policy`] for an ε outside \[0, 1\] and for candidates of other columns.
    pub fn probabilities(&self, candidates: &Candidates, epsilon: f64) -> Result<Vec<f64>, JobError> {
        self.explored(candidates, Explore::EpsilonGreedy(epsilon))
    }

    /// π of every pair, by which [`explore`](Self::explore) draws.
    ///
    /// # Errors
    /// As [`explore`](Self::explore).
    pub fn explored(&self, candidates: &Candidates, explore: Explore) -> Result<Vec<f64>, JobError> {
        let (all, mut pi) = (0..candidates.len(), vec![0.0; candidates.pairs()]);
        match explore {
            Explore::EpsilonGreedy(epsilon) => {
                EpsilonGreedy::new(Argmax::new(self), epsilon)?.probabilities(candidates, all, &mut pi)?;
            }
            Explore::Softmax(beta) => Softmax::new(self, beta)?.probabilities(candidates, all, &mut pi)?,
        }
        Ok(pi)
    }
}

/// Draws a candidate for every choice.
fn draw(
    policy: &impl CandidatePolicy,
    candidates: &Candidates,
    seed: u64,
    mut see: impl FnMut(usize, f64, &[f64]) -> ControlFlow<()>,
) -> Result<(), JobError> {
    let (mut rng, mut pi) = (ChaCha8Rng::seed_from_u64(seed), Vec::new());
    for i in 0..candidates.len() {
        let (place, p) = policy.sample(candidates, i, &mut pi, &mut rng)?;
        if see(place, p, &pi).is_break() {
            break;
        }
    }
    Ok(())
}

impl CandidateScores for CandidateModel {
    fn candidate_scores(
        &self,
        candidates: &Candidates,
        pairs: Range<usize>,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.ensemble.candidate_scores(candidates, pairs, scores)
    }
}
