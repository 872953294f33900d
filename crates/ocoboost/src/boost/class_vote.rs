//! A vote of trees over classes.

use crate::error::JobError;
use boosters::maboost::{BoostError, Decoding, MulticlassVote};
use rows::{Row, RowMatrix};
use weak_learners::LearnerError;
use weak_learners::batch::{Hypothesis, Tree};

/// The answer is the class of the largest score, as with every loss where each class has a column against
/// the rest.
pub(super) const DECODING: Decoding = Decoding::Linear;

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassAnswer {
    /// The class.
    pub class: u32,
    /// Its lead over the next class, ½(v_r − v_s), in \[0, 1\]: of two classes, the share of the vote by
    /// which one outweighs the other.
    pub margin: f64,
}

/// Votes v_r = Σ_l M_rl f_l/ΣΣ|η| of the classes r, in \[−1, 1\].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClassVote {
    vote: MulticlassVote<Tree>,
    inputs: usize,
    /// ΣΣ|η|, or 1 without any tree.
    unit: f64,
}

impl ClassVote {
    /// The vote on rows of this dimension.
    ///
    /// # Errors
    /// Trees for rows of another dimension; coefficients whose sum is not finite.
    pub(super) fn new(vote: MulticlassVote<Tree>, inputs: usize) -> Result<Self, JobError> {
        let ensembles = || vote.ensembles().iter();
        let mut of_trees = ensembles().flat_map(|ensemble| ensemble.hypotheses()).map(Tree::inputs);
        if let Some(got) = of_trees.find(|got| *got != inputs) {
            return Err(LearnerError::InputDimension { expected: inputs, got }.into());
        }
        let total: f64 = ensembles().flat_map(|ensemble| ensemble.coefficients()).map(|eta| eta.abs()).sum();
        if !total.is_finite() {
            return Err(JobError::BadSetting {
                name: "the sum of the steps",
                value: total,
                domain: "finite",
            });
        }
        Ok(Self { vote, inputs, unit: if total > 0.0 { total } else { 1.0 } })
    }

    pub(super) fn inner(&self) -> &MulticlassVote<Tree> {
        &self.vote
    }

    /// Shows every row's answer and votes.
    pub(super) fn for_each(
        &self,
        contexts: &RowMatrix,
        mut see: impl FnMut(ClassAnswer, &[f64]),
    ) -> Result<(), JobError> {
        let code = self.vote.code();
        let (mut scores, mut votes) = (vec![0.0; code.columns()], vec![0.0; code.classes()]);
        for x in contexts.iter() {
            see(self.answer(x, &mut scores, &mut votes)?, &votes);
        }
        Ok(())
    }

    fn answer(&self, x: Row<'_>, scores: &mut [f64], votes: &mut [f64]) -> Result<ClassAnswer, BoostError> {
        let (expected, got) = (self.inputs, x.dimension());
        if got != expected {
            return Err(LearnerError::InputDimension { expected, got }.into());
        }
        self.vote.scores(x, scores)?;
        let class = self.vote.code().decode(scores, DECODING)?;
        for (vote, word) in votes.iter_mut().zip(self.vote.code().rows()) {
            let sum: f64 = word.iter().zip(&*scores).map(|(bit, f)| f64::from(*bit) * (f / self.unit)).sum();
            *vote = sum.clamp(-1.0, 1.0);
        }
        let own = votes.get(class as usize).copied().unwrap_or_default();
        let others = (0..).zip(&*votes).filter(|(other, _)| *other != class).map(|(_, vote)| *vote);
        let next = others.fold(-1.0, f64::max);
        Ok(ClassAnswer { class, margin: (0.5 * (own - next)).clamp(0.0, 1.0) })
    }
}
