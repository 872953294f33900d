//! What a fit of multinomial logistic regression came to.

use super::MultinomialLogistic;
use serde::{Deserialize, Serialize};

/// A model, and how it was reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainedLogistic {
    /// The scores.
    pub model: MultinomialLogistic,
    /// Their history.
    pub record: LogisticRecord,
}

/// The history of a fit, entry t after t epochs; entry 0 is the start, where every action is as probable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogisticRecord {
    /// J(θ_t).
    pub objective: Vec<f64>,
    /// ‖∇J(θ_t)‖.
    pub gradient_norm: Vec<f64>,
    /// The mean cross-entropy of the rows held out, without the ridge; empty without held-out rows.
    pub held_out: Vec<f64>,
    /// The t of the model.
    pub epoch: usize,
    /// L, a Lipschitz constant of ∇J.
    pub smoothness: f64,
    /// Why it ended.
    pub stop: LogisticStop,
}

/// Why a fit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogisticStop {
    /// The norm of the gradient is within the tolerance.
    Gradient,
    /// All epochs were used.
    Epochs,
    /// The rows held out have not improved for as many epochs as the patience.
    HeldOut,
    /// No step along the gradient lowers the objective in doubles any more.
    Rounding,
}
