//! What was lost against the best fixed point: exact accounts where there is a closed form, else a certified solver.

mod linear_regret;
mod quadratic_regret;
mod comparator;

pub use comparator::{Comparator, best_in_hindsight};
pub use linear_regret::LinearRegret;
pub use quadratic_regret::QuadraticRegret;

/// A regret together with the comparator that attains it.
#[derive(Debug, Clone, PartialEq)]
pub struct Regret {
    /// Learner loss minus comparator loss.
    pub value: f64,
    /// Σ ℓ_t(x_t).
    pub learner_loss: f64,
    /// Σ ℓ_t(u).
    pub comparator_loss: f64,
    /// u, the best fixed point of K.
    pub comparator: Vec<f64>,
}
