//! The columns of a code, boosted a round at a time, all with the same number of rounds.

use super::algorithm::Run;
use super::class_vote::DECODING;
use crate::error::JobError;
use boosters::maboost::{Multiclass, MulticlassVote, OutputCode};
use std::ops::ControlFlow;
use weak_learners::batch::{BinnedColumns, Tree, WeakLearner};

/// Columns that play their rounds together.
pub(super) struct Lockstep {
    runs: Multiclass<Run>,
    /// Which columns found a reason to stop.
    are_over: Vec<bool>,
}

/// A vote of so many rounds.
pub(super) struct Trained {
    pub(super) vote: MulticlassVote<Tree>,
    /// The share of wrong answers to the rows that it learnt from.
    pub(super) training_error: f64,
    /// The theorem's bound on that.
    pub(super) bound: f64,
}

impl Lockstep {
    pub(super) fn new(runs: Multiclass<Run>) -> Self {
        let are_over = vec![false; runs.columns().len()];
        Self { runs, are_over }
    }

    /// A round of every column that is not over; false where all are.
    pub(super) fn round(&mut self, sample: &BinnedColumns) -> Result<bool, JobError> {
        for (run, is_over) in self.runs.columns_mut().iter_mut().zip(&mut self.are_over) {
            *is_over = *is_over || matches!(run.round(sample)?, ControlFlow::Break(_));
        }
        Ok(self.are_over.iter().any(|is_over| !is_over))
    }

    /// The vote of the first rounds, with what it does on its own sample.
    pub(super) fn trained(
        self,
        rounds: usize,
        sample: &BinnedColumns,
        classes: &[u32],
    ) -> Result<Trained, JobError> {
        let bound = self.bound(rounds);
        let learner = self.runs.columns().first().map(|run| run.learner().clone());
        let vote = self.runs.into_vote().truncated(rounds);
        let mut errors = classes.len();
        if let Some(learner) = learner {
            let answers = vote.classes(&learner, sample, DECODING)?;
            errors = answers.iter().zip(classes).filter(|(answer, class)| answer != class).count();
        }
        Ok(Trained { vote, training_error: share(errors, classes.len()), bound })
    }

    /// The sum of the bounds of the columns.
    fn bound(&self, rounds: usize) -> f64 {
        let of_column = |run: &Run| match run.record().get(..rounds).unwrap_or(run.record()).last() {
            Some(round) => round.promise.tight.unwrap_or(round.promise.error),
            None => 1.0,
        };
        self.runs.columns().iter().map(of_column).sum::<f64>().min(1.0)
    }
}

/// The answers of a growing vote to rows apart.
pub(super) struct Answers<'a> {
    sample: &'a BinnedColumns,
    classes: &'a [u32],
    /// Of every column the scores of the rows, and the rounds that they are the sum of.
    scores: Vec<(Vec<f64>, usize)>,
    /// Working memory.
    votes: Vec<f64>,
}

impl<'a> Answers<'a> {
    pub(super) fn new(sample: &'a BinnedColumns, classes: &'a [u32], columns: usize) -> Self {
        let n = classes.len();
        Self { sample, classes, scores: vec![(vec![0.0; n], 0); columns], votes: vec![0.0; n] }
    }

    /// Adds the hypotheses that are new, and returns the number of rows that are answered wrongly.
    pub(super) fn follow(&mut self, lockstep: &Lockstep) -> Result<usize, JobError> {
        for (run, (scores, followed)) in lockstep.runs.columns().iter().zip(&mut self.scores) {
            let ensemble = run.ensemble();
            for (tree, eta) in ensemble.hypotheses().iter().zip(ensemble.coefficients()).skip(*followed) {
                run.learner().evaluate(tree, self.sample, &mut self.votes)?;
                scores.iter_mut().zip(&self.votes).for_each(|(score, vote)| *score += eta * vote);
                *followed += 1;
            }
        }
        self.errors(lockstep.runs.code())
    }

    fn errors(&self, code: &OutputCode) -> Result<usize, JobError> {
        let (mut of_row, mut errors) = (vec![0.0; self.scores.len()], 0);
        for (i, class) in self.classes.iter().enumerate() {
            for (score, (scores, _)) in of_row.iter_mut().zip(&self.scores) {
                *score = scores.get(i).copied().unwrap_or_default();
            }
            errors += usize::from(code.decode(&of_row, DECODING)? != *class);
        }
        Ok(errors)
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of rows")]
pub(super) fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
