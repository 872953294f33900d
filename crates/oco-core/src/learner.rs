//! The contracts of learners: feedback by gradients, by loss values, and restarts.

use crate::OcoError;

/// A learner that receives a subgradient of the loss at its play.
///
/// Contract: `play` returns x_t ∈ K and changes nothing; `observe` takes g_t and moves to x_{t+1}; `reset`
/// returns to x_1. A refused gradient leaves the learner unchanged. After the first round, a round allocates
/// nothing. All three methods are required.
pub trait OnlineLearner {
    /// x_t.
    fn play(&self) -> &[f64];

    /// Takes g_t ∈ ∂ℓ_t(x_t) and moves to x_{t+1}.
    ///
    /// # Errors
    /// A gradient of the wrong length or with an entry that is not finite or above 1e140 in magnitude.
    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError>;

    /// Back to x_1.
    fn reset(&mut self);
}

/// A learner with one step size η, which its theorem tunes to a multiple of 1/√T.
///
/// Contract: after `restart(eta)` the learner equals a new one with the step η, except that a randomised
/// learner continues its random stream. A refused step leaves it unchanged. `step` returns η. Both methods
/// are required.
pub trait Restart: OnlineLearner {
    /// Forgets the gradients; the step is η > 0 from now on.
    ///
    /// # Errors
    /// A step that the constructor would refuse.
    fn restart(&mut self, eta: f64) -> Result<(), OcoError>;

    /// η; `None` if it changes from round to round.
    fn step(&self) -> Option<f64>;
}

/// A learner that receives only the loss of its play, a single number.
///
/// Contract: `play` draws the randomness of the round once and returns the same point until `observe` is
/// called. Both methods are required.
pub trait BanditLearner {
    /// x_t, a random point of K.
    fn play(&mut self) -> &[f64];

    /// Takes ℓ_t(x_t) (possibly with noise) and moves on.
    ///
    /// # Errors
    /// A loss that is not finite or above 1e140 in magnitude, or an unplayed round
    /// ([`OcoError::NothingPlayed`]).
    fn observe(&mut self, loss: f64) -> Result<(), OcoError>;
}

/// The tolerance for a start point in K: the rounding of its coordinates.
pub(crate) fn membership_tolerance(point: &[f64]) -> f64 {
    1e-9 * point.iter().fold(1.0_f64, |largest, x| largest.max(x.abs()))
}
