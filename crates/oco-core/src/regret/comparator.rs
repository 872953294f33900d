//! The best fixed point of a convex loss, found by Frank–Wolfe and certified by its gap.

use crate::{Loss, OcoError};
use projections::{Euclidean, LinearMinimisation, Projection, Scratch, start_point};

/// An approximate minimiser of a convex function over K with a certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparator {
    /// u ∈ K.
    pub point: Vec<f64>,
    /// F(u).
    pub loss: f64,
    /// The Frank–Wolfe gap max_{s∈K} ⟨∇F(u), u − s⟩: by convexity F(u) − min_K F ≤ gap.
    pub gap: f64,
    /// Steps taken.
    pub steps: u32,
}

/// Minimises F over K by Frank–Wolfe with steps 2/(k+2) until the gap is at most `tolerance` or `steps` are spent.
///
/// *Guarantee* \[J13\]: the loss of the returned point exceeds the minimum by at most the returned gap. *Cost:* a
/// value, a subgradient and an lmo a step.
///
/// ```
/// use oco_core::{SquaredLoss, best_in_hindsight};
/// use projections::Simplex;
/// let loss = SquaredLoss::new(&[0.6, 0.4, -1.0])?;
/// let best = best_in_hindsight(&loss, &Simplex::new(1.0)?, 1e-4, 100_000)?;
/// assert!(best.gap <= 1e-4 && best.loss <= 1.0 + best.gap);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
///
/// # Errors
/// A loss and a set of different dimensions.
pub fn best_in_hindsight<L, K>(loss: &L, set: &K, tolerance: f64, steps: u32) -> Result<Comparator, OcoError>
where
    L: Loss,
    K: LinearMinimisation + Projection<Euclidean>,
{
    let n = loss.dimension();
    let (mut u, mut g, mut vertex) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut scratch = Scratch::default();
    start_point(set, &mut u)?;
    let mut best = Comparator { point: u.clone(), loss: loss.value(&u), gap: f64::INFINITY, steps: 0 };
    for k in 0..=steps {
        loss.subgradient(&u, &mut g);
        set.lmo_with(&g, &mut vertex, &mut scratch)?;
        let gap: f64 = g.iter().zip(&u).zip(&vertex).map(|((g, u), s)| g * (u - s)).sum();
        if gap < best.gap {
            best = Comparator { point: u.clone(), loss: loss.value(&u), gap, steps: k };
        }
        if gap <= tolerance {
            break;
        }
        let step = 2.0 / (f64::from(k) + 2.0);
        for (u, s) in u.iter_mut().zip(&vertex) {
            *u += step * (s - *u);
        }
    }
    Ok(best)
}
