//! The Perceptron as a weak learner.

use crate::predictor::check_shape;
use crate::{Label, LearnerError, OnlinePredictor, Shape};
use oco_core::Perceptron;
use rows::Row;

/// [`Perceptron`] \[W13, §3.1\]: votes sgn⟨w, x⟩ and learns from its mistakes only, w ← w + yx where y⟨w, x⟩ ≤ 0.
///
/// A score of 0 is voted +1 and is a mistake whatever the label: w = 0 would never move else. So [`Perceptron::mistakes`]
/// is at least the number of wrong votes, and so is its bound (R/γ)² \[N62\], asserted for this implementation in
/// `tests/linear_classifiers.rs`. *Cost:* O(stored values) a round. *Errors:* a row of another dimension, and an example
/// that would take a weight beyond the range of doubles.
///
/// ```
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::Perceptron};
/// let mut perceptron = Perceptron::new(2)?;
/// assert_eq!(perceptron.round(Row::dense(&[1.0, 2.0])?, Label::Plus)?, Label::Plus, "w = 0 votes +1");
/// assert_eq!(perceptron.mistakes(), 1, "and learns all the same");
/// assert_eq!(perceptron.vote(Row::dense(&[1.0, -1.0])?)?, Label::Minus);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl OnlinePredictor<Label> for Perceptron {
    fn shape(&self) -> Shape {
        Shape { inputs: self.weights().len(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(OnlinePredictor::shape(self), x, y.len())?;
        y.fill(Label::of_score(Perceptron::predict(self, x)?).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.examine(x, y.sign())?;
        Ok(())
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.observe(x, y.sign())?;
        Ok(())
    }
}
