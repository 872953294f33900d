//! What a watcher of the recipe sees, and how it ends the search or the training.

use super::Tried;
use super::checkpoint::{Journal, Piece, Snapshot};
use super::learner::Training;
use std::ops::ControlFlow;
use weak_learners::{RankError, Ranks};

/// How far a recipe has come.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A model of rewards has so many trees, on so many rows.
    RewardModel {
        /// Its trees.
        trees: usize,
        /// The rows that they were trained on.
        rows: usize,
    },
    /// A model of rewards was asked about the rows that a fold holds out.
    Predicted {
        /// Its trees.
        trees: usize,
        /// The rows.
        rows: usize,
    },
    /// A candidate has been valued after a round of the search; the next round trains on so many rows.
    Search {
        /// Its place among the candidates.
        candidate: usize,
        /// t.
        round: usize,
        /// The rows of a round, those of all folds that it is trained on.
        rows: usize,
        /// The training, if the search ended here.
        plan: Plan,
    },
    /// A candidate was valued, or valued again.
    Tried(&'a Tried),
    /// A round of the training on all rows.
    Training {
        /// The winner's place among the candidates.
        candidate: usize,
        /// The rounds so far, those of all repetitions.
        done: usize,
        /// The rounds planned.
        planned: usize,
        /// n, those of all ranks.
        rows: usize,
    },
}

/// The training on all rows that would follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The winner's place among the candidates.
    pub candidate: usize,
    /// The rounds of all repetitions.
    pub rounds: usize,
    /// n, those of all ranks.
    pub rows: usize,
}

/// A watcher, whether it has ended what it watches, and what there is to be saved.
pub(super) struct Watch<'a> {
    see: &'a mut dyn FnMut(Progress<'_>, &Snapshot<'_>) -> ControlFlow<()>,
    is_over: bool,
    is_training: bool,
    /// Who sees the same, and ends it together.
    ranks: Ranks,
    failed: Option<RankError>,
    pub(super) journal: Journal<'a>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        see: &'a mut dyn FnMut(Progress<'_>, &Snapshot<'_>) -> ControlFlow<()>,
        journal: Journal<'a>,
        ranks: Ranks,
    ) -> Self {
        Self { see, is_over: false, is_training: false, ranks, failed: None, journal }
    }

    /// Shows progress; `Break` where the watcher has said so, now or before.
    pub(super) fn see(&mut self, progress: Progress<'_>) -> ControlFlow<()> {
        self.see_runs(progress, None)
    }

    /// The same between two rounds of the runs of a piece.
    pub(super) fn see_runs(
        &mut self,
        progress: Progress<'_>,
        under_way: Option<(Piece, &[Training])>,
    ) -> ControlFlow<()> {
        let snapshot = Snapshot { journal: &self.journal, under_way };
        let here = (self.see)(progress, &snapshot).is_break();
        // What one rank ends all of them end, at the same moment.
        self.is_over |= self.ranks.any(here).unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            true
        });
        if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether the watcher has said `Break`, here or in the run that is gone on with. What an earlier run has
    /// done of the search is taken up all the same.
    pub(super) fn is_over(&self) -> bool {
        if self.is_training {
            return self.is_over;
        }
        match self.journal.is_training_next() {
            // What this run's watcher says is no word on a search that is done.
            Some(is_training) => is_training && self.journal.was_ended(),
            None => self.is_over || self.journal.was_ended(),
        }
    }

    /// Whether the ranks could agree so far.
    ///
    /// # Errors
    /// That of the ranks.
    pub(super) fn check_ranks(&mut self) -> Result<(), RankError> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// The search is over, and the training begins.
    pub(super) fn start_training(&mut self) {
        if !self.is_training && self.is_over() {
            self.journal.end_search();
        }
        (self.is_over, self.is_training) = (false, true);
    }
}
