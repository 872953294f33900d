//! The best fixed point of a convex loss by accelerated projected gradients, certified by its gap.

use super::Regret;
use crate::OcoError;
use crate::losses::Loss;
use crate::losses::norm;
use projections::{Euclidean, LinearMinimisation, Projection, Scratch, filled, start_point};

/// An approximate minimiser of a convex function over K with a certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparator {
    /// u ∈ K.
    pub point: Vec<f64>,
    /// F(u).
    pub loss: f64,
    /// The Frank–Wolfe gap max_{s∈K} ⟨∇F(u), u − s⟩ plus the lmo's accuracy: by convexity F(u) − min_K F ≤
    /// gap, up to rounding.
    pub gap: f64,
    /// Steps taken.
    pub steps: u32,
}

impl Comparator {
    /// The regret of a learner with this total loss, certified by the gap.
    pub fn regret(self, learner_loss: f64) -> Regret {
        let Self { point, loss, gap, .. } = self;
        Regret { value: learner_loss - loss, gap, learner_loss, comparator_loss: loss, comparator: point }
    }
}

/// Minimises F over K by accelerated projected gradients \[BT09\] until the Frank–Wolfe gap is at most
/// `tolerance` or `steps` are spent. The loss of a stream is a [`LossSum`](crate::losses::LossSum).
///
/// The step 1/L is found by backtracking; the momentum restarts if it points uphill \[OC15\].
/// *Guarantee* \[J13\]: the loss of the returned point exceeds the minimum by at most the returned gap, for
/// every convex F. The gap falls to rounding for smooth F. At a kink it may not, and over a set of matrices
/// it stays above the [accuracy](LinearMinimisation::lmo_accuracy) of the lmo.
/// *Cost:* two subgradients, a projection and an lmo a step. For sets without a projection see
/// [`pairwise_frank_wolfe`](crate::regret::pairwise_frank_wolfe).
///
/// ```
/// use oco_core::{losses::{LogisticLoss, LossSum}, regret::best_in_hindsight};
/// use projections::L2Ball;
/// let stream = [LogisticLoss::new(&[1.0, 0.5], 1.0)?, LogisticLoss::new(&[0.5, 1.0], -1.0)?];
/// let best = best_in_hindsight(&LossSum::new(&stream)?, &L2Ball::new(2.0)?, 1e-10, 1000)?;
/// assert!(best.gap <= 1e-10);
/// assert!((best.point[0] + best.point[1]).abs() < 1e-4, "by symmetry");
/// # Ok::<(), oco_core::OcoError>(())
/// ```
///
/// # Errors
/// A loss and a set of different dimensions, or a gradient that is not finite.
pub fn best_in_hindsight<L, K>(loss: &L, set: &K, tolerance: f64, steps: u32) -> Result<Comparator, OcoError>
where
    L: Loss,
    K: LinearMinimisation + Projection<Euclidean>,
{
    let n = loss.dimension();
    let mut scratch = Scratch::default();
    let (mut x, mut g, mut vertex) =
        (filled("loss", n, 0.0)?, filled("loss", n, 0.0)?, filled("loss", n, 0.0)?);
    start_point(set, &mut x)?;
    loss.subgradient(&x, &mut g);
    // The first trial step crosses the set.
    let diameter = set.diameter(n)?;
    let mut curvature = norm(&g) / if diameter > 0.0 && diameter.is_finite() { diameter } else { 1.0 };
    let (mut y, mut momentum) = (x.clone(), 1.0_f64);
    let (mut next, mut slope) = (x.clone(), g.clone());
    let mut best = Comparator { point: x.clone(), loss: loss.value(&x), gap: f64::INFINITY, steps: 0 };
    for k in 0..=steps {
        set.lmo_with(&g, &mut vertex, &mut scratch)?;
        let gap = set.lmo_accuracy(&g) - along(&g, &x, &vertex);
        if gap < best.gap {
            best = Comparator { point: x.clone(), loss: loss.value(&x), gap, steps: k };
        }
        if gap <= tolerance || curvature == 0.0 {
            break;
        }
        loss.subgradient(&y, &mut slope);
        loop {
            next.iter_mut().zip(&y).zip(&slope).for_each(|((next, y), slope)| *next = y - slope / curvature);
            set.project_with(&mut next, &mut scratch)?;
            loss.subgradient(&next, &mut g);
            let moved = next.iter().zip(&y).fold(0.0, |norm: f64, (a, b)| norm.hypot(a - b));
            let bend = along(&g, &y, &next) - along(&slope, &y, &next);
            // By convexity F(next) ≤ F(y) + ⟨slope, next − y⟩ + bend; the second term allows for rounding.
            if bend <= 0.5 * curvature * moved * moved + 1e-15 * norm(&g) * moved {
                break;
            }
            curvature *= 2.0;
            if !curvature.is_finite() {
                return Ok(best);
            }
        }
        let uphill: f64 = y.iter().zip(&next).zip(&x).map(|((y, next), x)| (y - next) * (next - x)).sum();
        let before = if uphill > 0.0 { 1.0 } else { momentum };
        momentum = 0.5 * (1.0 + (1.0 + 4.0 * before * before).sqrt());
        let carry = (before - 1.0) / momentum;
        y.iter_mut().zip(&next).zip(&x).for_each(|((y, next), x)| *y = next + carry * (next - x));
        std::mem::swap(&mut x, &mut next);
        curvature *= 0.9;
    }
    Ok(best)
}

/// ⟨g, to − from⟩.
pub(super) fn along(g: &[f64], from: &[f64], to: &[f64]) -> f64 {
    g.iter().zip(from).zip(to).map(|((g, from), to)| g * (to - from)).sum()
}
