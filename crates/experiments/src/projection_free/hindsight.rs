//! The best fixed point of a stream's first T losses, with a certificate.

use super::problems::Task;
use crate::runner::ExperimentError;
use oco_core::losses::LossSum;
use oco_core::regret::best_in_hindsight;
use serde::{Deserialize, Serialize};

/// Σ_{t≤T} ℓ_t(u) at a u whose sum exceeds the least by at most `gap`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// T.
    pub rounds: u32,
    /// The sum.
    pub loss: f64,
    /// The Frank–Wolfe gap at u, with the accuracy of the linear minimisation.
    pub gap: f64,
}

/// The most steps of the solver.
const STEPS: u32 = 3000;
/// The requested gap, as a share of GD√T, the order of the regrets.
const SHARE: f64 = 1e-3;

/// The best fixed point of the first T losses.
///
/// # Errors
/// The errors of the set.
pub fn best(task: &Task, rounds: u32) -> Result<Best, ExperimentError> {
    let losses = task.losses.get(..rounds as usize).unwrap_or(&task.losses);
    let tolerance = SHARE * task.gradient_bound * task.diameter * f64::from(rounds).sqrt();
    let found = best_in_hindsight(&LossSum::new(losses)?, &task.set, tolerance, STEPS)?;
    Ok(Best { rounds, loss: found.loss, gap: found.gap.max(0.0) })
}
