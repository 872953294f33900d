//! The best fixed point of a stream's first T losses, with a certificate.

use super::ProjectionFreeError;
use super::problems::Task;
use super::round_loss::{RoundLoss, dot};
use oco_core::Loss;
use projections::Scratch;
use serde::{Deserialize, Serialize};

/// Σ_{t≤T} ℓ_t(u) at a u whose sum exceeds the least by at most `gap`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// T.
    pub rounds: u32,
    /// The sum.
    pub loss: f64,
    /// The Frank–Wolfe gap at u.
    pub gap: f64,
}

/// Steps of the solver at the most.
const STEPS: u32 = 3000;
/// The gap that is asked for, as a share of GD√T, the order of the regrets.
const SHARE: f64 = 1e-3;

/// Accelerated projected gradient descent, restarted where momentum leads uphill, until the Frank–Wolfe gap at the iterate
/// certifies it.
///
/// # Errors
/// What the set refuses.
pub fn best(task: &Task, rounds: u32) -> Result<Best, ProjectionFreeError> {
    let sum = Sum(task.losses.get(..rounds as usize).unwrap_or(&task.losses));
    let step = 1.0 / sum.0.iter().map(RoundLoss::smoothness).sum::<f64>();
    let tolerance = SHARE * task.gradient_bound * task.diameter * f64::from(rounds).sqrt();
    let n = task.start.len();
    let (mut u, mut ahead) = (task.start.clone(), task.start.clone());
    let (mut g, mut vertex, mut scratch) = (vec![0.0; n], vec![0.0; n], Scratch::default());
    let mut found = Best { rounds, loss: sum.value(&u), gap: f64::INFINITY };
    let mut momentum = 1.0_f64;
    for _ in 0..STEPS {
        sum.subgradient(&u, &mut g);
        task.set.lmo_with(&g, &mut vertex, &mut scratch)?;
        let gap = dot(&g, &u) - dot(&g, &vertex);
        if gap < found.gap {
            found = Best { rounds, loss: sum.value(&u), gap: gap.max(0.0) };
        }
        if gap <= tolerance {
            break;
        }
        sum.subgradient(&ahead, &mut g);
        let mut next: Vec<f64> = ahead.iter().zip(&g).map(|(x, g)| x - step * g).collect();
        task.set.project_with(&mut next, &mut scratch)?;
        let uphill: f64 = ahead.iter().zip(&next).zip(&u).map(|((a, x), u)| (a - x) * (x - u)).sum();
        let faster = if uphill > 0.0 { 1.0 } else { 0.5 + (0.25 + momentum * momentum).sqrt() };
        let share = if uphill > 0.0 { 0.0 } else { (momentum - 1.0) / faster };
        ahead = next.iter().zip(&u).map(|(x, u)| x + share * (x - u)).collect();
        (u, momentum) = (next, faster);
    }
    Ok(found)
}

struct Sum<'a>(&'a [RoundLoss]);

impl Loss for Sum<'_> {
    fn dimension(&self) -> usize {
        self.0.first().map_or(0, Loss::dimension)
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.0.iter().map(|loss| loss.value(x)).sum()
    }

    fn subgradient(&self, x: &[f64], g: &mut [f64]) {
        let mut term = vec![0.0; g.len()];
        g.fill(0.0);
        for loss in self.0 {
            loss.subgradient(x, &mut term);
            g.iter_mut().zip(&term).for_each(|(g, t)| *g += t);
        }
    }
}
