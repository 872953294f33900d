//! What every online predictor of labels can do.

use crate::{Label, LearnerError, OnlinePredictor};
use rows::Row;

/// An online predictor whose feedback is the label and whose one output is its vote: a weak learner of \[BCMH20,
/// Definitions 1 and 11\], and every online booster.
///
/// Both methods are provided, and every `OnlinePredictor<Label>` has them. The vote obeys that trait's contract: it is
/// a function of the row and the state, so asking twice in a round gives the same answer, also of a learner that draws.
pub trait OnlineClassifier: OnlinePredictor<Label> {
    /// The vote at x.
    ///
    /// # Errors
    /// A row of another dimension; [`LearnerError::OutputDimension`] for a predictor with several outputs,
    /// [`LearnerError::BadLabel`] for one that does not answer ±1.
    fn vote(&mut self, x: Row<'_>) -> Result<Label, LearnerError> {
        let mut vote = [0.0];
        self.predict(x, &mut vote)?;
        Label::named("vote", vote[0])
    }

    /// One round: votes at x, then learns y; returns the vote.
    ///
    /// # Errors
    /// As [`vote`](Self::vote) and [`update`](OnlinePredictor::update); the predictor is then as it was.
    fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        let vote = self.vote(x)?;
        self.update(x, &y)?;
        Ok(vote)
    }
}

impl<P: OnlinePredictor<Label> + ?Sized> OnlineClassifier for P {}
