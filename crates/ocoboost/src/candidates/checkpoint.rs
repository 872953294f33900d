//! A training over candidates that is stopped, saved, loaded and gone on with.

use super::model::TriedRecipe;
use super::recipe::{CandidateRecipe, may_win};
use super::run::{Run, SavedRun};
use crate::error::{JobError, check_settings};
use boosters::auto_policy::Overrides;
use boosters::bopl::{BoplError, CandidateEnsemble};
use serde::{Deserialize, Serialize};

/// What a [`CandidateJob`](crate::CandidateJob) has done: the recipes that were tried, the run of the one
/// that is under way, the settings and the time.
///
/// *Guarantee:* [`fit_resumable`](crate::CandidateJob::fit_resumable) with it ends as the fit that was not
/// stopped, bit for bit, unless a budget or a watcher of either ends the search or the training. *What is
/// done again:* the binning, the regressions of a doubly robust recipe that is under way, and the scores,
/// which are replayed from the trees.
///
/// ```
/// use ocoboost::{CandidateEvent, CandidateJob, CandidateTrainCheckpoint};
/// use off_policy::Rewards;
/// use off_policy::candidates::CandidateLog;
/// use rows::{Candidates, RowMatrix};
/// use std::ops::ControlFlow;
/// let prices = (0..1500).map(|p| f64::from(p * 7 % 11)).collect();
/// let candidates = Candidates::builder((0..=300).map(|i| 5 * i).collect())
///     .features(RowMatrix::dense(1, prices)?)
///     .build()?;
/// let chosen: Vec<u32> = (0..300).map(|i| i * i % 5).collect();
/// let sold = (0..300).map(|i| f64::from(u8::from((5 * i + i * i % 5) * 7 % 11 < 3))).collect();
/// let log = CandidateLog::new(candidates, chosen, vec![0.2; 300], Rewards(sold))?;
/// let job = CandidateJob::builder().rounds(20).candidates(3).build()?;
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("run.checkpoint");
/// let whole = job.fit_resumable(&log, None, |event, moment| {
///     if let (CandidateEvent::Search { place: (1, _), round: 7, .. }, Some(moment)) = (event, moment) {
///         assert!(moment.checkpoint().save(&file).is_ok());
///     }
///     ControlFlow::Continue(())
/// })?;
/// let from = CandidateTrainCheckpoint::load(&file)?;
/// let resumed = job.fit_resumable(&log, Some(from), |_, _| ControlFlow::Continue(()))?;
/// assert_eq!((resumed.ensemble(), resumed.judgement()), (whole.ensemble(), whole.judgement()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CandidateTrainCheckpoint {
    settings: Settings,
    /// Seconds of the budget.
    spent: f64,
    done: Done,
}

/// What a search depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    pub(super) seed: u64,
    pub(super) split: String,
    pub(super) holdout_share: f64,
    pub(super) candidates: usize,
    pub(super) rounds: usize,
    pub(super) overrides: Overrides,
    /// Those of the program, which another version may not try.
    pub(super) recipes: Vec<CandidateRecipe>,
    pub(super) log_sha256: String,
    /// Of the numbers of the rows that judge, where they are not drawn: the log does not say them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) split_sha256: Option<String>,
}

/// A piece of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Piece {
    /// The recipe at this place, on a part of the rows.
    Search(usize),
    /// The winner, on all of them.
    Training,
}

/// The pieces that are done, and the run of the one that is under way where it is to be gone on with.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Done {
    /// The recipes in their order, as far as they came to be judged.
    pub(super) tried: Vec<Option<TriedRecipe>>,
    /// The regression that predicts rewards on held-out rows.
    pub(super) predicts: Option<CandidateEnsemble>,
    /// The trees of the best of the recipes that may win, from the search; none in what was saved before they
    /// were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) trees: Option<CandidateEnsemble>,
    /// The budget or a watcher has cut the search short.
    pub(super) is_cut: bool,
    pub(super) under_way: Option<UnderWay>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct UnderWay {
    pub(super) piece: Piece,
    pub(super) run: SavedRun,
    /// Draws without a tree since its last round.
    #[serde(default, skip_serializing_if = "is_none")]
    pub(super) fruitless: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

impl Done {
    /// The best of the recipes that may win.
    pub(super) fn best(&self, overrides: &Overrides) -> Option<TriedRecipe> {
        let eligible = self.tried.iter().flatten().filter(|tried| may_win(&tried.recipe, overrides));
        eligible.copied().reduce(|best, next| if next.cautious() > best.cautious() { next } else { best })
    }

    /// Whether the training of the winner has begun.
    pub(super) fn is_search_over(&self) -> bool {
        self.under_way.as_ref().is_some_and(|under_way| under_way.piece == Piece::Training)
    }

    /// Refuses what no search of these recipes and rounds has left.
    fn check(&self, Settings { recipes, rounds, overrides, .. }: &Settings) -> Result<(), BoplError> {
        let are_in_order = self.tried.len() <= recipes.len()
            && self.tried.iter().zip(recipes).all(|(tried, recipe)| {
                tried.is_none_or(|tried| tried.recipe == *recipe && (1..=*rounds).contains(&tried.rounds))
            });
        let is_next = match self.under_way.as_ref().map(|under_way| under_way.piece) {
            Some(Piece::Search(place)) => place == self.tried.len(),
            Some(Piece::Training) | None => true,
        };
        let predicts = self.predicts.as_ref().is_none_or(|trees| !trees.members().is_empty());
        let are_of_best = self.trees.as_ref().is_none_or(|trees| {
            self.best(overrides).is_some_and(|best| best.members() == trees.members().len())
        });
        for (holds, reason) in [
            (are_in_order, "the recipes are not in their order"),
            (is_next, "the run under way is not of the next recipe"),
            (predicts, "the regression has no trees"),
            (are_of_best, "the trees are not those of the best recipe"),
        ] {
            if !holds {
                return Err(BoplError::BrokenSearch { reason });
            }
        }
        Ok(())
    }
}

/// A moment between two rounds.
#[derive(Debug)]
pub struct CandidateMoment<'a> {
    pub(super) settings: &'a Settings,
    pub(super) spent: f64,
    pub(super) done: &'a Done,
    pub(super) run: Option<(Piece, &'a Run)>,
}

impl CandidateMoment<'_> {
    /// What has been done so far. *Cost:* a copy of the trees of the run under way.
    #[must_use]
    pub fn checkpoint(&self) -> CandidateTrainCheckpoint {
        let mut done = self.done.clone();
        // What has not been taken up yet is not lost.
        if let Some((piece, run)) = self.run {
            let (run, fruitless) = run.saved();
            done.under_way = Some(UnderWay { piece, run, fruitless });
        }
        CandidateTrainCheckpoint { settings: self.settings.clone(), spent: self.spent, done }
    }
}

impl CandidateTrainCheckpoint {
    /// The time that was spent, and what was done, if they are of these settings.
    pub(super) fn checked(self, asked: &Settings) -> Result<(f64, Done), JobError> {
        let Self { settings: saved, spent, done } = self;
        // First, for a default may depend on the log.
        if saved.log_sha256 != asked.log_sha256 {
            return Err(BoplError::AnotherLog.into());
        }
        check_settings(&saved, asked)?;
        done.check(asked)?;
        Ok((if spent.is_finite() { spent.max(0.0) } else { 0.0 }, done))
    }
}
