//! Regret against the best fixed point: exact accounts if there is a closed form, else a certified solver.

mod milestones;
mod linear_regret;
mod quadratic_regret;
mod comparator;
mod pairwise_frank_wolfe;
mod regret_record;

pub use comparator::{Comparator, best_in_hindsight};
pub use linear_regret::LinearRegret;
pub use milestones::is_milestone;
pub use pairwise_frank_wolfe::pairwise_frank_wolfe;
pub use quadratic_regret::QuadraticRegret;
pub use regret_record::{RegretPoint, RegretRecord, Rounds};

/// A regret and the comparator that attains it, up to a certified gap.
///
/// The regret against the best fixed point lies between `value` and `value + gap`: any comparator gives a
/// lower bound, and no point of K loses less than `comparator_loss − gap`.
#[derive(Debug, Clone, PartialEq)]
pub struct Regret {
    /// Learner loss minus comparator loss.
    pub value: f64,
    /// A bound on how much the best fixed point improves on `comparator`, up to rounding: 0 for a closed
    /// form.
    pub gap: f64,
    /// Σ ℓ_t(x_t).
    pub learner_loss: f64,
    /// Σ ℓ_t(u).
    pub comparator_loss: f64,
    /// u ∈ K.
    pub comparator: Vec<f64>,
}
