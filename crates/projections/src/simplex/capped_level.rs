//! The entropic projection onto the capped simplex by Newton's method, for inputs of moderate range.

use rows::numeric::{CompensatedSum, LANES};

/// The number of steps after which the search by ranks is faster.
const PATIENCE: usize = 12;

/// The least part of the mass that the caps may leave: it is a difference, with the error of the whole.
const REST: f64 = 1e-4;

/// The error accepted in the mass of a result, relative to s.
const SLACK: f64 = 2e-13;

/// e ← min(c, ρe) with Σ = s; returns ρ. The weights have maximum 1 and sum `total`. `None`, with e spoilt,
/// if underflowed weights may matter, if hardly any mass is left to share, or if the search is long;
/// `project_weights` in `sets/capped_entropic.rs` then finds the projection.
///
/// f(ρ) = Σmin(c, ρe) is concave; its slope is the sum of the weights below their caps. Newton's method from
/// s/Σe, where f ≤ s, therefore rises to the ρ with f(ρ) = s, and has reached it when a step fills no
/// coordinate. A point of this form with mass s is the projection, so only the mass needs checking.
pub(crate) fn level(e: &mut [f64], total: f64, caps: &[f64], s: f64) -> Option<f64> {
    let (mut rho, mut filled) = (s / total, 0);
    for _ in 0..PATIENCE {
        let split = Split::at(rho, e, caps);
        if split.filled == filled {
            break;
        }
        let rest = s - split.full;
        if !(rest > REST * s) {
            return None;
        }
        (rho, filled) = (rest / split.open, split.filled);
    }
    // A factor above 1 could raise weights that underflowed relative to the largest.
    if !rho.is_normal() || (rho > 1.0 && e.iter().any(|e| *e < f64::MIN_POSITIVE)) {
        return None;
    }
    let mut mass = CompensatedSum::default();
    for (e, c) in e.chunks_mut(BLOCK).zip(caps.chunks(BLOCK)) {
        let mut sums = [0.0; LANES];
        let mut fill = |lane: usize, e: &mut f64, c: f64| {
            *e = lesser(rho * *e, c);
            sums[lane] += *e;
        };
        let ((rows, rest), (cap_rows, cap_rest)) = (e.as_chunks_mut::<LANES>(), c.as_chunks::<LANES>());
        for (e, c) in rows.iter_mut().zip(cap_rows) {
            (0..LANES).for_each(|lane| fill(lane, &mut e[lane], c[lane]));
        }
        rest.iter_mut().zip(cap_rest).for_each(|(e, c)| fill(0, e, *c));
        mass.add(sums.iter().sum());
    }
    ((mass.value() - s).abs() <= SLACK * s).then_some(rho)
}

/// The length of a block of a sum: 16 terms per lane, with an error of a few roundings.
const BLOCK: usize = 16 * LANES;

/// The coordinates below their caps and the others, at a factor ρ.
struct Split {
    /// Σe over ρe ≤ c.
    open: f64,
    /// Σc over the others.
    full: f64,
    /// The number of the others.
    filled: u64,
}

impl Split {
    fn at(rho: f64, e: &[f64], caps: &[f64]) -> Self {
        let (mut open, mut full) = (CompensatedSum::default(), CompensatedSum::default());
        let mut filled = [0; LANES];
        for (e, c) in e.chunks(BLOCK).zip(caps.chunks(BLOCK)) {
            let (mut opens, mut fulls) = ([0.0; LANES], [0.0; LANES]);
            let mut visit = |lane: usize, e: f64, c: f64| {
                let is_full = rho * e > c;
                opens[lane] += if is_full { 0.0 } else { e };
                fulls[lane] += if is_full { c } else { 0.0 };
                filled[lane] += u64::from(is_full);
            };
            let ((rows, rest), (cap_rows, cap_rest)) = (e.as_chunks::<LANES>(), c.as_chunks::<LANES>());
            for (e, c) in rows.iter().zip(cap_rows) {
                (0..LANES).for_each(|lane| visit(lane, e[lane], c[lane]));
            }
            rest.iter().zip(cap_rest).for_each(|(e, c)| visit(0, *e, *c));
            open.add(opens.iter().sum());
            full.add(fulls.iter().sum());
        }
        Self { open: open.value(), full: full.value(), filled: filled.iter().sum() }
    }
}

/// min(a, b) without NaNs, in one instruction.
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}
