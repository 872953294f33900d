//! Weak learners, each of which is passed an example with its own probability.

use crate::draws::Draws;
use crate::requirements::{check_advantage, check_classifiers};
use rand::Rng;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};

/// The record of the last round of a booster, an entry a learner: its vote h_i(x), the probability p_i of
/// passing the example to it, and whether it was passed.
///
/// It is the boosters' working memory; theorem tests read it. Before the first round it holds votes of +1,
/// probabilities of 0 and nothing passed.
#[derive(Debug, Clone, PartialEq)]
pub struct Passing {
    pub(super) votes: Vec<Label>,
    pub(super) probabilities: Vec<f64>,
    passed: Vec<bool>,
}

impl Passing {
    pub(super) fn new(learners: usize) -> Self {
        let (votes, probabilities) = (vec![Label::Plus; learners], vec![0.0; learners]);
        Self { votes, probabilities, passed: vec![false; learners] }
    }

    /// h_1(x), …, h_N(x), before any update.
    pub fn votes(&self) -> &[Label] {
        &self.votes
    }

    /// p_1, …, p_N, in \[0, 1\].
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// Whether each learner learnt the example.
    pub fn passed(&self) -> &[bool] {
        &self.passed
    }
}

/// N weak learners of one shape, with a random number for each.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TaughtLearners<W> {
    learners: Vec<W>,
    coins: Draws,
}

impl<W: OnlinePredictor<Label>> TaughtLearners<W> {
    pub(super) fn new(learners: Vec<W>, rng: &mut (impl Rng + ?Sized)) -> Self {
        let coins = Draws::new(rng, learners.len());
        Self { learners, coins }
    }

    /// Checks the learners of a booster, on deserialisation too.
    pub(super) fn check(&self) -> Result<(), LearnerError> {
        check_classifiers("learners", &self.learners)?;
        self.coins.check("coins", self.learners.len())
    }

    /// Checks that every learner accepts the example.
    pub(super) fn accept(&self, x: Row<'_>, y: Label) -> Result<(), LearnerError> {
        self.learners.iter().try_for_each(|learner| learner.accepts(x, &y))
    }

    /// h_1(x), …, h_N(x), after every learner has accepted the example.
    pub(super) fn vote(&mut self, x: Row<'_>, y: Label, round: &mut Passing) -> Result<(), LearnerError> {
        self.accept(x, y)?;
        for (learner, vote) in self.learners.iter_mut().zip(&mut round.votes) {
            *vote = learner.vote(x)?;
        }
        Ok(())
    }

    /// Passes (x, y) to learner i if its number is below p_i, and draws the numbers of the next round.
    pub(super) fn learn(&mut self, x: Row<'_>, y: Label, round: &mut Passing) -> Result<(), LearnerError> {
        let coins = self.coins.coming().iter().zip(&round.probabilities);
        for ((learner, passed), (u, p)) in self.learners.iter_mut().zip(&mut round.passed).zip(coins) {
            *passed = u < p;
            if *passed {
                learner.update(x, &y)?;
            }
        }
        self.coins.advance();
        Ok(())
    }

    /// W_1, …, W_N.
    pub(super) fn learners(&self) -> &[W] {
        &self.learners
    }

    pub(super) fn learners_mut(&mut self) -> &mut [W] {
        &mut self.learners
    }

    pub(super) fn shape(&self) -> Shape {
        Shape { inputs: self.learners.first().map_or(0, |first| first.shape().inputs), outputs: 1 }
    }
}

/// sgn Σ h_i(x), a tie counting as +1.
pub(super) fn majority<W: OnlinePredictor<Label>>(
    learners: &mut [W],
    x: Row<'_>,
) -> Result<Label, LearnerError> {
    let mut score = 0.0;
    for learner in learners {
        score += learner.vote(x)?.sign();
    }
    Ok(Label::of_score(score))
}

/// 0 < γ < 1.
pub(super) fn check_below_1(advantage: f64) -> Result<(), LearnerError> {
    check_advantage(advantage, "(0, 1)", |gamma| gamma < 1.0)
}
