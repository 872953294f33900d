//! The best recipe and the best number of its rounds, on rows that had no part in its training; and runs of
//! recipes, from their beginning or from where they were saved.

use super::checkpoint::{Done, Piece, UnderWay};
use super::event::CandidateEvent;
use super::model::TriedRecipe;
use super::recipe::{CandidateObjective, CandidateRecipe, REGRESSION};
use super::run::{Draws, Run, binned};
use crate::error::JobError;
use crate::split::Split;
use boosters::auto_policy::Overrides;
use boosters::bopl::{CandidateEnsemble, Member};
use off_policy::PolicyError;
use off_policy::candidates::{CandidateLog, CandidateScores, OnCandidates};
use off_policy::estimators::{Estimate, EstimatorSettings, OffPolicyEvaluation};
use off_policy::policies::Argmax;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rows::Candidates;
use std::ops::{ControlFlow, Range};
use weak_learners::pairs::{BinnedCandidates, PairTree};

/// η·rounds at which a policy is judged, and where its run ends.
const PATH: [f64; 11] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 20.0, 30.0, 40.0];

/// The rounds of regressions that predict rewards, where the search has found none.
const USUAL_ROUNDS: usize = 60;

/// Sees every round, with what has been done before it and the run that is under way, and may end it.
pub(super) type Watch<'a> =
    &'a mut dyn FnMut(CandidateEvent, &Done, Option<(Piece, &Run)>) -> ControlFlow<()>;

/// What a search and a training have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) recipes: &'a [CandidateRecipe],
    pub(super) overrides: &'a Overrides,
    /// The most rounds of a recipe.
    pub(super) rounds: usize,
    pub(super) seed: u64,
    /// How the rows to learn from are split.
    pub(super) split: &'a Split,
}

impl Plan<'_> {
    /// Tries the recipes that are still to be tried.
    pub(super) fn search(
        &self,
        learning: &CandidateLog,
        done: &mut Done,
        watch: Watch<'_>,
    ) -> Result<(), JobError> {
        let parts = |split: &Split| split.parts(learning.len(), 0.2, self.seed.wrapping_add(1));
        // Few groups, or few times, may be enough to judge on but not to search by as well.
        let parts = parts(self.split).or_else(|_| parts(&Split::Random))?;
        let training = learning.select(parts.learning)?;
        let held_out = learning.select(parts.judging)?;
        let sample = binned(&training)?;
        let mut predicted = done.predicts.as_ref().map(|trees| scores_of(trees, &held_out)).transpose()?;
        for (place, recipe) in self.recipes.iter().enumerate().skip(done.tried.len()) {
            let event = |round: usize| {
                let place = (place, self.recipes.len());
                CandidateEvent::Search { recipe: *recipe, place, round }
            };
            let piece = Piece::Search(place);
            let mut run = self.begin((piece, recipe), &training, done, event(0), watch)?;
            let mut path = Path::new(&held_out, predicted.as_deref(), recipe);
            while path.follow(&run)?.is_continue() {
                if run.has_begun() && watch(event(run.rounds()), done, Some((piece, &run))).is_break() {
                    done.is_cut = true;
                    break;
                }
                if run.rounds() >= self.rounds || run.round(&sample)?.is_break() {
                    break;
                }
            }
            path.end()?;
            let Path { best, scores, .. } = path;
            let tried = best.as_ref().map(|best| {
                let Valued { value, standard_error } = best.value;
                let (value, standard_error) = (Some(value), Some(standard_error));
                TriedRecipe { recipe: *recipe, rounds: best.rounds, value, standard_error }
            });
            if predicted.is_none() && recipe.objective == CandidateObjective::Regression {
                // Without a round it predicts the mean reward.
                let (rounds, scores) = best.map_or((0, scores), |best| (best.rounds, best.scores));
                predicted = Some(scores);
                done.predicts = Some(trees_of(&run, rounds)?);
            }
            done.tried.push(tried);
            if tried.is_some() && done.best(self.overrides) == tried {
                // Where the training is cut short, these are the best so far.
                done.trees = tried.map(|own| trees_of(&run, own.rounds)).transpose()?;
            }
            if done.is_cut && done.best(self.overrides).is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Trains a recipe for so many rounds, on all rows to learn from. Also returns whether the watcher has
    /// cut it short.
    pub(super) fn train(
        &self,
        (recipe, rounds): (&CandidateRecipe, usize),
        (log, sample): (&CandidateLog, &BinnedCandidates),
        done: &mut Done,
        watch: Watch<'_>,
    ) -> Result<(CandidateEnsemble, bool), JobError> {
        let event = |round: usize| CandidateEvent::Training { recipe: *recipe, round: (round, rounds) };
        let mut run = self.begin((Piece::Training, recipe), log, done, event(0), watch)?;
        let mut is_cut = false;
        while run.rounds() < rounds {
            if run.round(sample)?.is_break() {
                break;
            }
            if watch(event(run.rounds()), done, Some((Piece::Training, &run))).is_break() {
                is_cut = run.rounds() < rounds;
                break;
            }
        }
        Ok((run.ensemble(), is_cut))
    }

    /// The run of a piece: the one that an earlier search was in the middle of, or a new one.
    fn begin(
        &self,
        (piece, recipe): (Piece, &CandidateRecipe),
        log: &CandidateLog,
        done: &mut Done,
        event: CandidateEvent,
        watch: Watch<'_>,
    ) -> Result<Run, JobError> {
        let mut predictions = None;
        if recipe.objective == CandidateObjective::DoublyRobust {
            predictions = Some(self.cross_fitted(log, done, || watch(event, done, None))?);
        }
        let stream = match piece {
            Piece::Search(place) => 1 + place as u64,
            Piece::Training => 0,
        };
        let draws = Draws { seed: self.seed, stream: 2 * stream };
        Ok(match done.under_way.take_if(|under_way| under_way.piece == piece) {
            Some(UnderWay { run, fruitless, .. }) => {
                Run::resume((run, fruitless), (recipe, draws), log, predictions.as_deref())?
            }
            None => Run::new(recipe, log, draws, predictions.as_deref())?,
        })
    }

    /// q̂ of every pair: of each half of the choices by a regression on the other, for as many rounds as were
    /// best in the search. The watcher may end both.
    fn cross_fitted(
        &self,
        log: &CandidateLog,
        done: &Done,
        mut go_on: impl FnMut() -> ControlFlow<()>,
    ) -> Result<Vec<f64>, JobError> {
        let rounds = done.predicts.as_ref().map_or(USUAL_ROUNDS, |trees| trees.members().len() - 1);
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::MAX);
        let mut order: Vec<usize> = (0..log.len()).collect();
        order.shuffle(&mut rng);
        let (first, second) = order.split_at(log.len() / 2);
        let mut predicted = vec![0.0; log.candidates().pairs()];
        for (own, others) in [(first, second), (second, first)] {
            let others = log.select(others.iter().copied())?;
            let sample = binned(&others)?;
            let draws = Draws { seed: self.seed, stream: 0 };
            let mut run = Run::new(&REGRESSION, &others, draws, None)?;
            while run.rounds() < rounds && run.round(&sample)?.is_continue() && go_on().is_continue() {}
            let own_log = log.select(own.iter().copied())?;
            let scores = scores_of(&run.ensemble(), &own_log)?;
            for (k, i) in own.iter().enumerate() {
                let (from, to) = (own_log.candidates().pairs_of(k), log.candidates().pairs_of(*i));
                predicted[to].copy_from_slice(&scores[from]);
            }
        }
        Ok(predicted)
    }
}

/// A run on the held-out rows.
struct Path<'a> {
    held_out: &'a CandidateLog,
    predicted: Option<&'a [f64]>,
    recipe: &'a CandidateRecipe,
    /// Of the held-out pairs, and the members that they are the sums of.
    scores: Vec<f64>,
    members: usize,
    rounds: usize,
    /// The marks behind it, and the rounds that were valued last.
    marks: usize,
    valued: usize,
    best: Option<Found>,
}

/// The best rounds of a recipe on rows that had no part in its training.
struct Found {
    value: Valued,
    rounds: usize,
    /// The scores of the held-out pairs then.
    scores: Vec<f64>,
}

impl<'a> Path<'a> {
    fn new(held_out: &'a CandidateLog, predicted: Option<&'a [f64]>, recipe: &'a CandidateRecipe) -> Self {
        let scores = vec![0.0; held_out.candidates().pairs()];
        let [members, rounds, marks, valued] = [0; 4];
        Self { held_out, predicted, recipe, scores, members, rounds, marks, valued, best: None }
    }

    /// Follows the rounds that are new; `Break` at the last mark.
    fn follow(&mut self, run: &Run) -> Result<ControlFlow<()>, JobError> {
        for member in run.members().iter().skip(self.members) {
            add(member, self.held_out, &mut self.scores)?;
            self.members += 1;
            self.rounds = self.members - run.of_start();
            #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
            let path = self.rounds as f64 * self.recipe.learning_rate;
            if PATH.get(self.marks).is_some_and(|mark| path >= mark - 1e-9) {
                self.marks += 1;
                self.judge()?;
            }
        }
        Ok(if self.marks == PATH.len() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Judges the last round too, which may have come before any mark.
    fn end(&mut self) -> Result<(), JobError> {
        if self.rounds > self.valued { self.judge() } else { Ok(()) }
    }

    fn judge(&mut self) -> Result<(), JobError> {
        self.valued = self.rounds;
        // The first regression predicts its own rewards: without predictions, a policy that no held-out
        // choice speaks for would have no error.
        let is_regression = self.recipe.objective == CandidateObjective::Regression;
        let predicted = self.predicted.or(is_regression.then_some(&*self.scores));
        let value = value(self.held_out, &self.scores, predicted)?;
        if self.best.as_ref().is_none_or(|best| value.cautious() > best.value.cautious()) {
            self.best = Some(Found { value, rounds: self.rounds, scores: self.scores.clone() });
        }
        Ok(())
    }
}

/// Adds the scores of a tree.
fn add(member: &Member<PairTree>, log: &CandidateLog, scores: &mut [f64]) -> Result<(), JobError> {
    let one = CandidateEnsemble::of(log.candidates().shape(), None, vec![member.clone()])?;
    Ok(one.add_scores(0, log.candidates(), 0..scores.len(), scores)?)
}

/// The scores of all pairs of a log.
fn scores_of(trees: &CandidateEnsemble, log: &CandidateLog) -> Result<Vec<f64>, JobError> {
    let mut scores = vec![0.0; log.candidates().pairs()];
    trees.candidate_scores(log.candidates(), 0..scores.len(), &mut scores)?;
    Ok(scores)
}

/// The trees of a run after so many rounds, without the names of their columns.
fn trees_of(run: &Run, rounds: usize) -> Result<CandidateEnsemble, JobError> {
    let members = run.members().iter().take(rounds + run.of_start()).cloned().collect();
    Ok(CandidateEnsemble::of(run.ensemble().shape(), None, members)?)
}

/// The DR estimate of a policy's value, or SNIPS without predicted rewards, and its standard error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Valued {
    pub(super) value: f64,
    pub(super) standard_error: f64,
}

impl Valued {
    /// What policies are compared by: where rewards are rare, the largest estimate is that of a policy which
    /// a single row speaks for.
    pub(super) fn cautious(self) -> f64 {
        self.value - self.standard_error
    }
}

/// The value of the argmax of some scores.
fn value(log: &CandidateLog, scores: &[f64], predicted: Option<&[f64]>) -> Result<Valued, JobError> {
    let policy = Argmax::new(Scored(scores));
    let model = predicted.map(Scored);
    let mut rows = OnCandidates::new(log, &policy);
    if let Some(model) = &model {
        rows = rows.with_model(model as &dyn CandidateScores);
    }
    let found = OffPolicyEvaluation::of_observations(&rows, EstimatorSettings::default())?;
    let Estimate { value, standard_error } = found.dr.or(found.snips).unwrap_or(found.ips);
    Ok(Valued { value, standard_error: standard_error.unwrap_or_default() })
}

/// Scores of all pairs of one log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored<'a>(pub(super) &'a [f64]);

impl CandidateScores for Scored<'_> {
    fn candidate_scores(
        &self,
        _: &Candidates,
        pairs: Range<usize>,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        let (expected, got) = (self.0.len(), pairs.end);
        match self.0.get(pairs).filter(|own| own.len() == scores.len()) {
            Some(own) => {
                scores.copy_from_slice(own);
                Ok(())
            }
            None => Err(PolicyError::ActionCount { argument: "the list of pairs", expected, got }),
        }
    }
}
