//! Projections and linear minimisers against exact arithmetic, over the whole range of doubles.

use super::exact::{is_near, whole};
use super::law;
use crate::draw::Draw;
use crate::target::Target;
use crate::verdict::{AnyError, Complaint};
use num_bigint::BigInt;
use projections::{
    BoxSet, CappedSimplex, Euclidean, L1Ball, L2Ball, LinearMinimisation, NegativeEntropy, Projection,
    ProjectionError, Simplex,
};

/// A point as a fraction: numerators, their denominator, and its 1-norm, which bounds the rounding.
struct Point {
    over: Vec<BigInt>,
    under: BigInt,
    norm: BigInt,
}

fn zero() -> BigInt {
    BigInt::from(0)
}

fn sum(values: &[BigInt]) -> BigInt {
    values.iter().sum()
}

/// max(y_i − τ, 0) with the τ of mass s, by the definition on sorted entries.
fn simplex(y: &[BigInt], s: &BigInt) -> Point {
    let mut sorted = y.to_vec();
    sorted.sort_by(|a, b| b.cmp(a));
    let (mut above, mut best) = (zero(), (zero(), BigInt::from(1)));
    for (k, value) in (1..).zip(&sorted) {
        above += value;
        if value * k > &above - s {
            best = (&above - s, BigInt::from(k));
        }
    }
    let (tau, under) = best;
    let over = y.iter().map(|y| (y * &under - &tau).max(zero())).collect();
    Point { over, under, norm: s.clone() }
}

/// min(max(y_i − τ, 0), c_i) with the τ of mass s: the mass falls with τ, and is linear between the ends y_i
/// and y_i − c_i.
fn capped(y: &[BigInt], caps: &[BigInt], s: &BigInt) -> Point {
    let mass = |tau: &BigInt| -> BigInt {
        y.iter().zip(caps).map(|(y, c)| (y - tau).max(zero()).min(c.clone())).sum()
    };
    let mut ends: Vec<BigInt> = y.iter().cloned().chain(y.iter().zip(caps).map(|(y, c)| y - c)).collect();
    ends.sort();
    // The largest end whose mass is at least s; the threshold is above it or there.
    let low = ends.iter().rev().find(|tau| &mass(tau) >= s);
    let Some(low) = low else {
        let norm = sum(caps);
        return Point { over: caps.to_vec(), under: BigInt::from(1), norm };
    };
    let free: Vec<&BigInt> =
        y.iter().zip(caps).filter(|(y, c)| *y > low && *y - *c <= *low).map(|(y, _)| y).collect();
    let full: BigInt = y.iter().zip(caps).filter(|(y, c)| *y - *c > *low).map(|(_, c)| c).sum();
    let (tau, under) = if free.is_empty() {
        (low.clone(), BigInt::from(1))
    } else {
        (free.iter().copied().sum::<BigInt>() + full - s, BigInt::from(free.len()))
    };
    let over = y.iter().zip(caps).map(|(y, c)| (y * &under - &tau).max(zero()).min(c * &under)).collect();
    Point { over, under, norm: s.clone() }
}

fn agrees(what: &'static str, y: &[f64], got: &[f64], want: &Point) -> Result<(), Complaint> {
    let far = (0..got.len())
        .find(|&i| !got[i].is_finite() || !is_near(got[i], &want.over[i], &want.under, &want.norm));
    law(what, far.is_none(), || format!("coordinate {far:?} of the projection {got:?} of {y:?}"))
}

/// A refused point is one that the set has a reason to refuse.
fn project(
    what: &'static str,
    y: &[f64],
    project: impl FnOnce(&mut [f64]) -> Result<(), ProjectionError>,
    want: impl FnOnce() -> Point,
) -> Result<(), Complaint> {
    let mut x = y.to_vec();
    match project(&mut x) {
        Ok(()) => agrees(what, y, &x, &want()),
        Err(error) => law(what, false, || format!("{error} for {y:?}")),
    }
}

/// g·x is the least of the set, but for 1e−14 of Σ|g_i x_i|, and for 1e−15 of the mass s at the steepest
/// slope:
/// x has rounded coordinates, and their sum is rounded.
fn minimises(
    what: &'static str,
    set: &impl LinearMinimisation,
    (g, s): (&[f64], &BigInt),
    least: &BigInt,
) -> Result<(), Complaint> {
    let x = match set.lmo(g) {
        Ok(x) => x,
        Err(error) => return law(what, false, || format!("{error} for {g:?}")),
    };
    let products: Vec<BigInt> = g.iter().zip(&x).map(|(g, x)| whole(*g) * whole(*x)).collect();
    let size: BigInt = products.iter().map(|p| BigInt::from(p.magnitude().clone())).sum();
    let apart = BigInt::from((sum(&products) - least).magnitude().clone());
    let steepest = g.iter().map(|g| whole(g.abs())).max().unwrap_or_default() * s;
    let is_least = apart * BigInt::from(1_000_000_000_000_000_u64)
        <= (size + BigInt::from(least.magnitude().clone())) * 10 + steepest;
    law(what, is_least && set.contains(&x, f64::MAX), || format!("{x:?} for {g:?}"))
}

/// The least of Σ g_i x_i over the capped simplex: the cheapest coordinates are filled first.
fn filled(g: &[BigInt], caps: &[BigInt], s: &BigInt) -> BigInt {
    let mut order: Vec<usize> = (0..g.len()).collect();
    order.sort_by(|a, b| g[*a].cmp(&g[*b]));
    let (mut left, mut value) = (s.clone(), zero());
    for i in order {
        let part = caps[i].clone().min(left.clone());
        value += &g[i] * &part;
        left -= part;
    }
    value
}

fn judge(draw: &mut Draw<'_>) -> Result<Result<(), Complaint>, AnyError> {
    let kind = draw.byte() % 10;
    let n = draw.size(1, 12);
    let y = draw.list(n, Draw::finite);
    let exact: Vec<BigInt> = y.iter().map(|y| whole(*y)).collect();
    let s = draw.finite().abs();
    let of_s = || whole(s);
    Ok(match kind {
        0 => {
            let set = Simplex::new(s)?;
            let to = |x: &mut [f64]| Projection::<Euclidean>::project(&set, x);
            project("a simplex is projected onto exactly", &y, to, || simplex(&exact, &of_s()))
        }
        1 => {
            let set = L1Ball::new(s)?;
            let sizes: Vec<BigInt> = y.iter().map(|y| whole(y.abs())).collect();
            let want = || {
                let is_inside = sum(&sizes) <= of_s();
                let of_sizes = || simplex(&sizes, &of_s());
                let inside = || Point { over: sizes.clone(), under: BigInt::from(1), norm: of_s() };
                let mut point = if is_inside { inside() } else { of_sizes() };
                let signed = point.over.iter_mut().zip(&y).filter(|(_, y)| **y < 0.0);
                signed.for_each(|(x, _)| *x = -x.clone());
                point
            };
            project(
                "an l1 ball is projected onto exactly",
                &y,
                |x| Projection::<Euclidean>::project(&set, x),
                want,
            )
        }
        2 => {
            let caps = draw.list(n, |draw| draw.finite().abs());
            let set = CappedSimplex::new(caps.clone(), s)?;
            let caps: Vec<BigInt> = caps.iter().map(|c| whole(*c).min(of_s())).collect();
            project(
                "a capped simplex is projected onto exactly",
                &y,
                |x| Projection::<Euclidean>::project(&set, x),
                || capped(&exact, &caps, &of_s()),
            )
        }
        3 => {
            let set = L2Ball::new(s)?;
            let want = || {
                let norm: BigInt = exact.iter().map(|y| y * y).sum();
                if norm <= of_s() * of_s() {
                    return Point { over: exact.clone(), under: BigInt::from(1), norm: of_s() };
                }
                // 64 more digits than a double has, of a root that may be short.
                let root = (norm << 4096_u32).sqrt();
                let over = exact.iter().map(|y| (y * of_s()) << 2048_u32).collect();
                Point { over, under: root, norm: of_s() * BigInt::from(n) }
            };
            project(
                "an l2 ball is projected onto exactly",
                &y,
                |x| Projection::<Euclidean>::project(&set, x),
                want,
            )
        }
        4 => {
            let ends = draw.list(n, |draw| [draw.finite(), draw.finite()]);
            let (lower, upper): (Vec<f64>, Vec<f64>) =
                ends.iter().map(|[a, b]| (a.min(*b), a.max(*b))).unzip();
            let set = BoxSet::new(lower.clone(), upper.clone())?;
            let inside = |i: usize| exact[i].clone().max(whole(lower[i])).min(whole(upper[i]));
            let want = || Point { over: (0..n).map(inside).collect(), under: BigInt::from(1), norm: zero() };
            project(
                "a box is projected onto exactly",
                &y,
                |x| Projection::<Euclidean>::project(&set, x),
                want,
            )
        }
        5 => {
            let set = Simplex::new(s)?;
            let y: Vec<f64> = y.iter().map(|y| y.abs()).collect();
            let sizes: Vec<BigInt> = y.iter().map(|y| whole(*y)).collect();
            let to = |x: &mut [f64]| Projection::<NegativeEntropy>::project(&set, x);
            if y.iter().all(|y| *y == 0.0) {
                law("no mass is refused", to(&mut y.clone()) == Err(ProjectionError::NoMass), || {
                    format!("{y:?}")
                })
            } else {
                let over = || sizes.iter().map(|y| y * of_s()).collect();
                project("a simplex is projected onto by entropy exactly", &y, to, || Point {
                    over: over(),
                    under: sum(&sizes),
                    // A quotient by a rounded sum.
                    norm: of_s() * 2,
                })
            }
        }
        6 => {
            let least = exact.iter().min().cloned().unwrap_or_default();
            minimises("a simplex is minimised over", &Simplex::new(s)?, (&y, &of_s()), &(least * of_s()))
        }
        7 => {
            let largest = y.iter().map(|y| whole(y.abs())).max().unwrap_or_default();
            minimises("an l1 ball is minimised over", &L1Ball::new(s)?, (&y, &of_s()), &(-largest * of_s()))
        }
        8 => {
            let caps = draw.list(n, |draw| draw.finite().abs());
            let set = CappedSimplex::new(caps.clone(), s)?;
            let caps: Vec<BigInt> = caps.iter().map(|c| whole(*c).min(of_s())).collect();
            if sum(&caps) < of_s() {
                // Within the slack of the set: it is a point.
                return Ok(Ok(()));
            }
            minimises(
                "a capped simplex is minimised over",
                &set,
                (&y, &of_s()),
                &filled(&exact, &caps, &of_s()),
            )
        }
        _ => {
            let ends = draw.list(n, |draw| [draw.finite(), draw.finite()]);
            let (lower, upper): (Vec<f64>, Vec<f64>) =
                ends.iter().map(|[a, b]| (a.min(*b), a.max(*b))).unzip();
            let least = (0..n).map(|i| (&exact[i] * whole(lower[i])).min(&exact[i] * whole(upper[i]))).sum();
            minimises("a box is minimised over", &BoxSet::new(lower, upper)?, (&y, &zero()), &least)
        }
    })
}

pub(super) fn target() -> Target {
    super::target("differential: projections against exact numbers", judge)
}
