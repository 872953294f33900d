//! What a watcher of the recipe sees, and how it ends the search or the training.

use super::Tried;
use std::ops::ControlFlow;

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
        /// n.
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
    /// n.
    pub rows: usize,
}

/// A watcher, and whether it has ended what it watches.
pub(super) struct Watch<'a> {
    see: &'a mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    is_over: bool,
}

impl<'a> Watch<'a> {
    pub(super) fn new(see: &'a mut dyn FnMut(Progress<'_>) -> ControlFlow<()>) -> Self {
        Self { see, is_over: false }
    }

    pub(super) fn see(&mut self, progress: Progress<'_>) {
        self.is_over |= (self.see)(progress).is_break();
    }

    pub(super) fn tried(&mut self, tried: &Tried) {
        self.see(Progress::Tried(tried));
    }

    /// Whether the watcher has said `Break`.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The search is over, and the training begins.
    pub(super) fn start_again(&mut self) {
        self.is_over = false;
    }
}
