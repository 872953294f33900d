//! The two contracts of a round: with a gradient, and with a number only.

use crate::OcoError;

/// A learner that is told a subgradient of the loss at its play.
///
/// Contract: `play` is a pure look at x_t ∈ K; `observe` takes g_t and moves to x_{t+1}; `reset` returns to x_1.
/// A refused gradient leaves the learner as it was. After the first round, a round allocates nothing.
/// All three methods are required.
pub trait OnlineLearner {
    /// x_t.
    fn play(&self) -> &[f64];

    /// Takes g_t ∈ ∂ℓ_t(x_t) and moves to x_{t+1}.
    ///
    /// # Errors
    /// A gradient of the wrong length or with an entry that is not finite.
    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError>;

    /// Back to x_1.
    fn reset(&mut self);
}

/// A learner that is told only the loss of its play: the full loss stays hidden behind that one number.
///
/// Contract: `play` draws the randomness of the round once and returns the same point until `observe` is called.
/// Both methods are required.
pub trait BanditLearner {
    /// x_t, a random point of K.
    fn play(&mut self) -> &[f64];

    /// Takes ℓ_t(x_t) (possibly with noise) and moves on.
    ///
    /// # Errors
    /// A loss that is not finite, or one for a round that was not played ([`OcoError::NothingPlayed`]).
    fn observe(&mut self, loss: f64) -> Result<(), OcoError>;
}

/// How far outside K a start point may lie before it is refused: rounding of its own coordinates, no more.
pub(crate) fn membership_tolerance(point: &[f64]) -> f64 {
    1e-9 * point.iter().fold(1.0_f64, |largest, x| largest.max(x.abs()))
}
