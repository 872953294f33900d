//! The contracts of online prediction, with feedback and with bandit feedback.

use crate::LearnerError;
use oco_core::losses::Loss;
use rows::Row;

/// m inputs, d outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shape {
    /// m, the dimension of a row.
    pub inputs: usize,
    /// d, the dimension of a prediction.
    pub outputs: usize,
}

/// An online predictor x ↦ A(x) ∈ R^d with feedback F: a weak learner, or a booster used as one.
///
/// For gradient boosting F is `[f64]`, the slope g of a linear loss y ↦ ⟨g, y⟩ \[BH20, Definition 6\]; for
/// classification it is [`Label`](crate::Label), and the one output is the vote ±1.
///
/// Contract: all four methods are required. `predict` is a function of the row and the state, and changes
/// only working memory. A randomised predictor draws when it is made and in `update`, for the next round, so
/// that predicting twice, or not at all, changes nothing. `accepts` promises that an immediate `update` with
/// the same arguments succeeds: a booster asks all its learners before it updates any. `update` refuses
/// exactly what `accepts` refuses, and leaves the predictor unchanged then.
pub trait OnlinePredictor<F: ?Sized> {
    /// m and d.
    fn shape(&self) -> Shape;

    /// Writes A(x) to `y`, which has d entries.
    ///
    /// # Errors
    /// A row or an output of another dimension.
    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError>;

    /// Whether `update` would take this feedback.
    ///
    /// # Errors
    /// The error that `update` would return.
    fn accepts(&self, x: Row<'_>, feedback: &F) -> Result<(), LearnerError>;

    /// Learns from the feedback on x.
    ///
    /// # Errors
    /// A row or a feedback of another dimension, or one that is not finite.
    fn update(&mut self, x: Row<'_>, feedback: &F) -> Result<(), LearnerError>;
}

/// An online predictor that receives the whole loss of the round after its prediction. The one method is
/// required.
pub trait FullInformationPredictor {
    /// One round: predicts at x, learns from the loss, and returns the prediction that was played.
    ///
    /// # Errors
    /// A row or a loss of another dimension, or a gradient that is not finite; the predictor is then
    /// unchanged.
    fn round(&mut self, x: Row<'_>, loss: &dyn Loss) -> Result<&[f64], LearnerError>;
}

/// An online predictor that may query the round's loss at points of its choice. It sees neither a label nor a
/// gradient. The one method is required.
pub trait BanditPredictor {
    /// One round: predicts at x, learns from the answers of `query`, and returns the prediction that was
    /// played. `query(y)` answers ℓ_t(y), possibly with zero-mean noise.
    ///
    /// # Errors
    /// A row of another dimension or an answer that is not finite; the predictor and its random stream are
    /// then unchanged.
    fn round(&mut self, x: Row<'_>, query: &mut dyn FnMut(&[f64]) -> f64) -> Result<&[f64], LearnerError>;
}

/// Checks a row and an output against a shape.
pub(crate) fn check_shape(shape: Shape, x: Row<'_>, outputs: usize) -> Result<(), LearnerError> {
    if x.dimension() != shape.inputs {
        return Err(LearnerError::InputDimension { expected: shape.inputs, got: x.dimension() });
    }
    if outputs != shape.outputs {
        let argument = "prediction";
        return Err(LearnerError::OutputDimension { argument, expected: shape.outputs, got: outputs });
    }
    Ok(())
}
