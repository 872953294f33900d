//! The best fixed point over a set with linear minimisation only.

use super::comparator::{Comparator, along};
use crate::OcoError;
use crate::losses::Loss;
use projections::{LinearMinimisation, Scratch, filled};

/// Minimises F over K by pairwise Frank–Wolfe with line search \[LJ15\], until the Frank–Wolfe gap is at most
/// `tolerance` or `steps` are spent.
///
/// The iterate is a mixture of vertices; a step moves mass from the worst of them to the vertex of the lmo.
/// On a polytope it converges linearly for smooth and strongly convex F; the plain method with steps 2/(k+2)
/// does not.
/// *Guarantee* and certificate: those of [`best_in_hindsight`](crate::regret::best_in_hindsight).
/// *Cost:* an lmo a step, an inner product per vertex of the mixture, and a subgradient per trial of the line
/// search.
///
/// ```
/// use oco_core::{losses::SquaredLoss, regret::pairwise_frank_wolfe};
/// use projections::Simplex;
/// let loss = SquaredLoss::new(&[0.6, 0.4, -1.0])?;
/// let best = pairwise_frank_wolfe(&loss, &Simplex::new(1.0)?, 1e-12, 100)?;
/// assert!(best.gap <= 1e-12 && (best.loss - 1.0).abs() <= 1e-12);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
///
/// # Errors
/// A loss and a set of different dimensions, or a gradient that is not finite.
pub fn pairwise_frank_wolfe<L, K>(
    loss: &L,
    set: &K,
    tolerance: f64,
    steps: u32,
) -> Result<Comparator, OcoError>
where
    L: Loss,
    K: LinearMinimisation,
{
    let n = loss.dimension();
    let mut scratch = Scratch::default();
    let (mut g, mut vertex, mut direction) =
        (filled("loss", n, 0.0)?, filled("loss", n, 0.0)?, filled("loss", n, 0.0)?);
    set.lmo_with(&g, &mut vertex, &mut scratch)?;
    let mut x = vertex.clone();
    let mut mixture = vec![(1.0, vertex.clone())];
    let mut best = Comparator { point: x.clone(), loss: loss.value(&x), gap: f64::INFINITY, steps: 0 };
    for k in 0..=steps {
        loss.subgradient(&x, &mut g);
        set.lmo_with(&g, &mut vertex, &mut scratch)?;
        let gap = set.lmo_accuracy(&g) - along(&g, &x, &vertex);
        if gap < best.gap {
            best = Comparator { point: x.clone(), loss: loss.value(&x), gap, steps: k };
        }
        let dearest = mixture
            .iter()
            .map(|(_, atom)| along(&g, &vertex, atom))
            .enumerate()
            .fold((0, f64::NEG_INFINITY), |worst, (i, v)| if v > worst.1 { (i, v) } else { worst });
        if gap <= tolerance || dearest.1 <= 0.0 {
            break;
        }
        let (weight, atom) = &mixture[dearest.0];
        direction.iter_mut().zip(&vertex).zip(atom).for_each(|((d, to), from)| *d = to - from);
        let (weight, step) = (*weight, line_search(loss, &x, &direction, -dearest.1, *weight, &mut g));
        x.iter_mut().zip(&direction).for_each(|(x, d)| *x += step * d);
        match mixture.iter_mut().find(|(_, atom)| *atom == vertex) {
            Some((weight, _)) => *weight += step,
            None => mixture.push((step, vertex.clone())),
        }
        if step < weight {
            mixture[dearest.0].0 = weight - step;
        } else {
            mixture.swap_remove(dearest.0);
        }
    }
    Ok(best)
}

/// The step in (0, longest] along which F no longer falls, by the secant of its slope with the Illinois rule.
fn line_search<L: Loss>(
    loss: &L,
    x: &[f64],
    direction: &[f64],
    slope: f64,
    longest: f64,
    g: &mut [f64],
) -> f64 {
    let mut at = x.to_vec();
    let mut slope_at = |step: f64| {
        at.iter_mut().zip(x).zip(direction).for_each(|((at, x), d)| *at = x + step * d);
        loss.subgradient(&at, g);
        g.iter().zip(direction).map(|(g, d)| g * d).sum::<f64>()
    };
    let (mut low, mut high) = ((0.0, slope), (longest, slope_at(longest)));
    if !(high.1 > 0.0) {
        return longest;
    }
    for _ in 0..50 {
        let step = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1));
        let here = slope_at(step);
        if here.abs() <= 1e-14 * slope.abs() || step <= low.0 || step >= high.0 {
            return step;
        }
        if here < 0.0 {
            low = (step, here);
            high.1 *= 0.5;
        } else {
            high = (step, here);
            low.1 *= 0.5;
        }
    }
    high.0
}
