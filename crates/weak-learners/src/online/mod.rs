//! Online classifiers: learners that vote ±1 on a row and then see its label.
//!
//! Each is an [`OnlinePredictor<Label>`](crate::OnlinePredictor) with one output, the vote, and hence an
//! [`OnlineClassifier`]. Unless a learner's doc says otherwise, a row costs O(non-zeros), and a round after
//! the first allocates only to grow the model.
//!
//! Reading order: [`OnlineClassifier`], the contract. [`SyntheticWeakLearner`] has a known advantage.
//! [`HedgeStumps`] is Hedge over stumps with fixed [`Thresholds`]; [`GrownStumps`] finds its thresholds in
//! the stream. Linear: [`Perceptron`], [`Winnow`], [`BalancedWinnow`], [`LogisticRegression`]. By counts:
//! [`NaiveBayes`], [`HoeffdingTree`].

mod synthetic;
mod thresholds;
mod dartboard;
mod hedge_stumps;
mod grown_stumps;
mod linear;
mod naive_bayes;
mod hoeffding_tree;

pub use grown_stumps::GrownStumps;
pub use hedge_stumps::HedgeStumps;
pub use hoeffding_tree::{Growth, HoeffdingTree};
pub use linear::LogisticRegression;
pub use naive_bayes::NaiveBayes;
#[doc(no_inline)]
pub use oco_core::learners::{BalancedWinnow, Perceptron, Winnow};
pub use synthetic::SyntheticWeakLearner;
pub use thresholds::Thresholds;

use crate::{Label, LearnerError, OnlinePredictor};
use rows::Row;

/// An online predictor whose feedback is the label and whose one output is its vote: a weak learner of
/// \[BCMH20, Definitions 1 and 11\], and every online booster.
///
/// Both methods are provided, and every `OnlinePredictor<Label>` has them. The vote obeys that trait's
/// contract: it is a function of the row and the state, so that two calls in a round agree, also for a
/// randomised learner.
pub trait OnlineClassifier: OnlinePredictor<Label> {
    /// The vote at x.
    ///
    /// # Errors
    /// A row of another dimension; [`LearnerError::OutputDimension`] for a predictor with several outputs,
    /// [`LearnerError::BadLabel`] for a prediction other than ±1.
    fn vote(&mut self, x: Row<'_>) -> Result<Label, LearnerError> {
        let mut vote = [0.0];
        self.predict(x, &mut vote)?;
        Label::named("vote", vote[0])
    }

    /// One round: votes at x, then learns y; returns the vote.
    ///
    /// # Errors
    /// As [`vote`](Self::vote) and [`update`](OnlinePredictor::update); the predictor is then unchanged.
    fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        let vote = self.vote(x)?;
        self.update(x, &y)?;
        Ok(vote)
    }
}

impl<P: OnlinePredictor<Label> + ?Sized> OnlineClassifier for P {}
