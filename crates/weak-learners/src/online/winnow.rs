//! Winnow and its balanced form, for targets with negative weights, as weak learners.

use crate::predictor::check_shape;
use crate::{Label, LearnerError, OnlinePredictor, Shape};
use oco_core::{BalancedWinnow, Winnow};
use rows::Row;

/// [`Winnow`] \[W13, §4\]: votes sgn⟨w, x⟩ with w on the simplex and learns from its mistakes only, w_j ← w_j e^(ηyx_j).
///
/// Its weights are not negative, so on rows without negative features it always votes +1: use [`BalancedWinnow`] unless
/// features of both signs vote for the label themselves. A score of 0 is voted +1 and is a mistake whatever the label.
/// *Cost:* O(stored values) a round. *Errors:* a row of another dimension.
///
/// ```
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::Winnow};
/// // Three advisers, of whom the last is right.
/// let mut winnow = Winnow::new(3, 0.5)?;
/// for (x, y) in [([1.0, 1.0, -1.0], Label::Minus), ([-1.0, -1.0, 1.0], Label::Plus)] {
///     (0..4).try_for_each(|_| winnow.round(Row::dense(&x)?, y).map(drop).map_err(Box::<dyn std::error::Error>::from))?;
///     assert_eq!(winnow.vote(Row::dense(&x)?)?, y);
/// }
/// assert!(winnow.weights()[2] > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl OnlinePredictor<Label> for Winnow {
    fn shape(&self) -> Shape {
        Shape { inputs: self.dimension(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(OnlinePredictor::shape(self), x, y.len())?;
        y.fill(Label::of_score(Winnow::predict(self, x)?).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.observe(x, y.sign())?;
        Ok(())
    }
}

/// [`BalancedWinnow`]: votes sgn⟨w⁺ − w⁻, x⟩ with the weights of Winnow on (x, −x), and so competes with every linear
/// function; learns from its mistakes only.
///
/// A score of 0 is voted +1 and is a mistake whatever the label, so that its bound 2X² ln(2m)/γ² holds for wrong votes,
/// too: asserted in `tests/linear_classifiers.rs`. *Cost:* O(stored values) a round. *Errors:* a row of another dimension.
///
/// ```
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::BalancedWinnow};
/// let mut winnow = BalancedWinnow::new(2, 0.5)?;
/// let x = Row::dense(&[1.0, 0.0])?;
/// winnow.round(x, Label::Minus)?;
/// assert_eq!(winnow.vote(x)?, Label::Minus, "a weight below 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl OnlinePredictor<Label> for BalancedWinnow {
    fn shape(&self) -> Shape {
        Shape { inputs: self.dimension(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(OnlinePredictor::shape(self), x, y.len())?;
        y.fill(Label::of_score(BalancedWinnow::predict(self, x)?).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.observe(x, y.sign())?;
        Ok(())
    }
}
