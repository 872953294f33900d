//! A search that is stopped, saved, loaded and gone on with.

use super::candidate::Overrides;
use super::learner::{SavedTraining, Training};
use super::{AutoPolicy, BAGS, FOLDS, SEARCH_ROWS};
use crate::bopl::{BoplError, Fingerprint, PolicyEnsemble};
use off_policy::Log;
use off_policy::estimators::Estimate;
use off_policy::policies::Scores;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::collections::{HashSet, VecDeque};
use weak_learners::Shard;
use weak_learners::pairs::PairTree;

/// What a recipe has done, between two rounds: the outcomes of its pieces (candidates, folds, trainings) and
/// the runs of the piece that is under way.
///
/// *Guarantee:* [`AutoPolicy::fit_resumable`](super::AutoPolicy::fit_resumable) with it ends as the fit that
/// was not stopped, bit for bit, unless the watcher of either ends the search or the training. *What is done
/// again:* the models of rewards and the binning of the contexts, and the scores of the runs under way, which
/// are replayed from their trees. *Checked:* the settings, the log, the order of the pieces, and what
/// [`Checkpoint`](crate::bopl::Checkpoint) checks of the runs. Values of pieces that are done are taken as
/// saved.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct AutoCheckpoint {
    recipe: Recipe,
    log: Fingerprint,
    done: Vec<Done>,
    under_way: Option<UnderWay>,
    /// A watcher has ended the search.
    is_search_over: bool,
    search_rows: usize,
}

/// What was saved.
#[derive(Deserialize)]
struct Unchecked {
    recipe: Recipe,
    log: Fingerprint,
    done: Vec<Done>,
    under_way: Option<UnderWay>,
    is_search_over: bool,
    /// The most rows of the search; not in what was saved before there was another than the usual one.
    #[serde(default = "usual_search_rows")]
    search_rows: usize,
}

impl TryFrom<Unchecked> for AutoCheckpoint {
    type Error = BoplError;

    /// # Errors
    /// [`BoplError::BadParameter`] for settings that no recipe has, [`BoplError::BrokenSearch`] for pieces
    /// that a recipe with these settings does not have.
    fn try_from(unchecked: Unchecked) -> Result<Self, BoplError> {
        let Unchecked { recipe, log, done, under_way, is_search_over, search_rows } = unchecked;
        let (candidates, rounds, seed, overrides) = recipe;
        let builder = AutoPolicy::builder().candidates(candidates).rounds(rounds).seed(seed);
        builder.overrides(overrides).search_rows(search_rows).build()?;
        let broken = |reason| Err(BoplError::BrokenSearch { reason });
        let pieces = || done.iter().map(|done| done.piece).chain(under_way.iter().map(|runs| runs.piece));
        if !pieces().all(|piece| piece.is_of(candidates, rounds)) {
            return broken("a piece is not one of the settings");
        }
        let mut seen = HashSet::new();
        if !pieces().all(|piece| seen.insert(piece)) {
            return broken("a piece is there twice");
        }
        for Done { piece, values, ensemble } in &done {
            // A training has trees and no values.
            if values.is_empty() != piece.is_of_training() || (values.is_empty() && ensemble.is_none()) {
                return broken("a piece lacks its values");
            }
            let members = ensemble.as_ref().map_or(0, PolicyEnsemble::len);
            // F_0 has a value, too.
            if values.len() > rounds + 1 || members > piece.most_rounds(rounds) {
                return broken("a piece has more rounds than the settings");
            }
        }
        if let Some(UnderWay { piece, runs }) = &under_way
            && runs.iter().any(|run| run.rounds() > piece.most_rounds(rounds))
        {
            return broken("a piece has more rounds than the settings");
        }
        Ok(Self { recipe, log, done, under_way, is_search_over, search_rows })
    }
}

fn usual_search_rows() -> usize {
    SEARCH_ROWS
}

/// Candidates, rounds, seed and overrides.
pub(super) type Recipe = (usize, usize, u64, Overrides);

/// A piece of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Piece {
    /// The first rounds of a candidate.
    Start(usize),
    /// All of its rounds.
    Race(usize),
    /// Its rounds on a further fold.
    Follow { candidate: usize, fold: usize },
    /// A training of the winner on all rows, for so many rounds.
    Bag { candidate: usize, rounds: usize, bag: u16 },
}

impl Piece {
    fn is_of_training(self) -> bool {
        matches!(self, Self::Bag { .. })
    }

    /// Whether a recipe with so many candidates and rounds has it.
    fn is_of(self, candidates: usize, rounds: usize) -> bool {
        match self {
            Self::Start(k) | Self::Race(k) => k < candidates,
            Self::Follow { candidate, fold } => candidate < candidates && fold < FOLDS,
            Self::Bag { candidate, rounds: own, bag } => {
                candidate < candidates && own <= rounds && bag < BAGS
            }
        }
    }

    /// The most rounds of a run of it, in a recipe with so many.
    fn most_rounds(self, rounds: usize) -> usize {
        match self {
            Self::Bag { rounds: own, .. } => own,
            _ => rounds,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Done {
    piece: Piece,
    /// After 0, 1, … rounds; none of a training on all rows.
    pub(super) values: Vec<Estimate>,
    /// Of a race on the first fold, as long as it may be needed; of a training.
    pub(super) ensemble: Option<PolicyEnsemble<PairTree>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct UnderWay {
    piece: Piece,
    /// A fold each.
    runs: Vec<SavedTraining>,
}

/// A state between two rounds, from which a [checkpoint](Self::checkpoint) is made.
pub struct Snapshot<'a> {
    pub(super) journal: &'a Journal<'a>,
    pub(super) under_way: Option<(Piece, &'a [Training])>,
}

impl std::fmt::Debug for Snapshot<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Snapshot").field("done", &self.journal.done.len()).finish_non_exhaustive()
    }
}

impl Snapshot<'_> {
    /// What has been done so far. *Cost:* a copy of the trees of the runs under way.
    #[must_use]
    pub fn checkpoint(&self) -> AutoCheckpoint {
        let Journal { recipe, done, replay, under_way, is_search_over, .. } = self.journal;
        let under_way = match self.under_way {
            Some((piece, runs)) => Some(UnderWay { piece, runs: runs.iter().map(Training::saved).collect() }),
            // What has not been taken up yet is not lost.
            None => under_way.clone(),
        };
        let done = done.iter().chain(replay).cloned().collect();
        let (recipe, log, is_search_over) = (*recipe, self.journal.fingerprint().clone(), *is_search_over);
        AutoCheckpoint { recipe, log, done, under_way, is_search_over, search_rows: self.journal.search_rows }
    }
}

/// The pieces that are done, and those of an earlier run that are still to be taken up.
#[derive(Debug)]
pub(super) struct Journal<'a> {
    recipe: Recipe,
    search_rows: usize,
    log: &'a Log,
    /// Of the rows of all ranks, or of the log of one process once it was asked for.
    fingerprint: OnceCell<Fingerprint>,
    done: Vec<Done>,
    replay: VecDeque<Done>,
    under_way: Option<UnderWay>,
    is_search_over: bool,
}

impl<'a> Journal<'a> {
    /// Of a run from the beginning, or from a checkpoint on.
    pub(super) fn new(
        (recipe, search_rows): (Recipe, usize),
        (log, shard): (&'a Log, &Shard),
        from: Option<AutoCheckpoint>,
    ) -> Result<Self, BoplError> {
        // A rank that saves does not ask the others.
        let fingerprint = match shard.ranks().are_several() {
            true => OnceCell::from(Fingerprint::of_rank(log, shard)?),
            false => OnceCell::new(),
        };
        let mut journal = Self {
            recipe,
            search_rows,
            log,
            fingerprint,
            done: Vec::new(),
            replay: VecDeque::new(),
            under_way: None,
            is_search_over: false,
        };
        if let Some(from) = from {
            if from.recipe != recipe || from.search_rows != search_rows {
                return Err(BoplError::AnotherRecipe);
            }
            if from.log != *journal.fingerprint() {
                return Err(BoplError::AnotherLog);
            }
            for done in &from.done {
                let fits = |ensemble: &PolicyEnsemble<PairTree>| {
                    (ensemble.inputs(), ensemble.actions()) == (log.inputs(), log.actions())
                };
                if !done.ensemble.as_ref().is_none_or(fits) {
                    return Err(BoplError::BrokenSearch {
                        reason: "a piece is of other contexts or actions",
                    });
                }
            }
            journal.replay = from.done.into();
            (journal.under_way, journal.is_search_over) = (from.under_way, from.is_search_over);
        }
        Ok(journal)
    }

    fn fingerprint(&self) -> &Fingerprint {
        self.fingerprint.get_or_init(|| Fingerprint::of(self.log))
    }

    /// The outcome of a piece, where an earlier run has it.
    pub(super) fn take_up(&mut self, piece: Piece) -> Result<Option<Done>, BoplError> {
        match self.replay.front() {
            Some(done) if done.piece == piece => {
                let done = self.replay.pop_front();
                self.done.extend(done.clone());
                Ok(done)
            }
            None => Ok(None),
            // The winner may be another one where a watcher ended models of rewards early.
            Some(_) if matches!(piece, Piece::Bag { .. }) => {
                self.replay.clear();
                Ok(None)
            }
            // The search was ended within this piece, and a training followed.
            Some(_) if self.was_ended() => Ok(None),
            Some(_) => Err(BoplError::BrokenSearch { reason: "the pieces are not in their order" }),
        }
    }

    /// Whether the next piece of an earlier run, done or in the middle of it, is one of the training. `None`
    /// where none is left, or one of the search is in the middle: a watcher may end that.
    pub(super) fn is_training_next(&self) -> Option<bool> {
        let under_way = || self.under_way.as_ref().filter(|runs| runs.piece.is_of_training()).map(|_| true);
        self.replay.front().map(|done| done.piece.is_of_training()).or_else(under_way)
    }

    /// The runs of a piece, as many as there are folds, where an earlier run was in the middle of it.
    pub(super) fn resumed(&self, piece: Piece, folds: usize) -> Option<Vec<SavedTraining>> {
        let UnderWay { piece: own, runs } = self.under_way.as_ref().filter(|_| self.replay.is_empty())?;
        (*own == piece && runs.len() == folds).then(|| runs.clone())
    }

    /// A piece is over.
    pub(super) fn book(
        &mut self,
        piece: Piece,
        values: &[Estimate],
        ensemble: Option<&PolicyEnsemble<PairTree>>,
    ) {
        self.under_way = None;
        self.done.push(Done { piece, values: values.to_vec(), ensemble: ensemble.cloned() });
    }

    /// The search is over before its end.
    pub(super) fn end_search(&mut self) {
        self.is_search_over = true;
    }

    /// Whether an earlier run has ended the search here.
    pub(super) fn was_ended(&self) -> bool {
        self.is_search_over && self.is_training_next() != Some(false)
    }

    /// The trees of races are kept for the last one alone.
    pub(super) fn keep_last_race(&mut self) {
        let is_race = |done: &Done| matches!(done.piece, Piece::Start(_) | Piece::Race(_));
        let mut races = self.done.iter_mut().filter(|done| is_race(done)).rev().skip(1);
        races.by_ref().for_each(|done| done.ensemble = None);
    }

    /// The trees of the last race are not needed.
    pub(super) fn drop_last_race(&mut self) {
        if let Some(done) = self.done.last_mut() {
            done.ensemble = None;
        }
    }
}
