//! What a model remembers of its training.

use crate::importance::Importance;
use crate::propensities::PropensitySource;
use boosters::auto_policy::{Overrides, Tried};
use serde::{Deserialize, Serialize};

/// How a model was trained.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TrainingRecord {
    /// The seed of everything.
    pub seed: u64,
    /// The budget, in seconds.
    pub budget: f64,
    /// How rows were split: `at random`, `by time`, `by groups` or `by column`.
    pub split: String,
    /// The share of the rows that were to be kept apart.
    pub holdout_share: f64,
    /// Settings that every candidate had.
    pub overrides: Overrides,
    /// The candidates that were tried; a value is that of a winner among many, and optimistic.
    pub tried: Vec<Tried>,
    /// The place of the winner among them.
    pub chosen: usize,
    /// The trees of the model.
    pub trees: usize,
    /// The leaves of all of them.
    pub leaves: usize,
    /// What the budget or a watcher cut off.
    pub cuts: Cuts,
    /// How long it took. A file has no times, so that one training writes the same bytes as another: 0 in
    /// what was loaded.
    #[serde(skip)]
    pub seconds: Seconds,
    /// What its scores depend on.
    pub importance: Importance,
}

impl PartialEq for TrainingRecord {
    /// But for the seconds.
    fn eq(&self, other: &Self) -> bool {
        let all = |record: &Self| {
            let Self { seed, budget, holdout_share, overrides, chosen, trees, leaves, cuts, .. } = *record;
            (seed, budget, holdout_share, overrides, chosen, trees, leaves, cuts)
        };
        let texts = |record: &Self| (record.split.clone(), record.tried.clone(), record.importance.clone());
        all(self) == all(other) && texts(self) == texts(other)
    }
}

/// What was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cuts {
    /// The search was ended before its own end.
    pub search: bool,
    /// The training on all rows was ended before its own end.
    pub training: bool,
    /// It was ended so early that the model is that of the search, trained on four fifths of the rows.
    pub is_of_search: bool,
    /// The model of rewards behind DM, DR and SWITCH-DR was left out or ended early.
    pub reward_model: bool,
    /// The rounds of the training that were planned.
    pub rounds_planned: usize,
    /// The rounds that the model has.
    pub rounds_trained: usize,
}

impl Cuts {
    /// Whether anything was cut off.
    #[must_use]
    pub fn any(&self) -> bool {
        self.search || self.training || self.is_of_search || self.reward_model
    }
}

/// Wall-clock seconds. They differ from run to run, so the comparison of two records leaves them out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seconds {
    /// Of the search.
    pub search: f64,
    /// Of the training on all rows.
    pub training: f64,
    /// Of the judgement, its model of rewards and the importance.
    pub judging: f64,
}

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// n of the log.
    pub rows: usize,
    /// The rows that the policy was chosen and trained on.
    pub learning_rows: usize,
    /// The rows that were kept apart to judge it.
    pub judging_rows: usize,
    /// The files of the log, as far as they were named.
    pub sources: Vec<Source>,
    /// The SHA-256 of the numbers of the log but for the propensities, as hexadecimal digits.
    pub log_sha256: String,
    /// A digest of its rows but for the propensities, the same in every order; `None` in files of before it
    /// was kept, and for fewer than 20 different rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_digest: Option<String>,
    /// The program and its version.
    pub program: String,
    /// Where the propensities come from.
    pub propensities: PropensitySource,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// The SHA-256 of its bytes, as hexadecimal digits.
    pub sha256: String,
}

/// How a model is to be played by default.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    /// ε of [`Explore::EpsilonGreedy`](crate::Explore::EpsilonGreedy).
    pub epsilon: f64,
}

impl Default for Exploration {
    /// ε = 0.1.
    fn default() -> Self {
        Self { epsilon: 0.1 }
    }
}
