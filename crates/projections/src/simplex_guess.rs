//! A threshold of the simplex that is right up to rounding, from which the exact search starts.

use crate::compensated_sum::{BLOCK, LANES};
use crate::simplex_sift::Crowd;
use crate::simplex_threshold::positive;

/// The threshold τ, up to rounding relative to s or to itself; never above max y. O(n) whatever the input.
///
/// Every set of k entries with sum Σ gives a lower bound (Σ − s)/k on τ. The set of all and that of the largest entry of
/// each row of eight give two to begin with; the entries above the better one give the next \[M86\], and so on. Where such
/// bounds creep, a pivot decides at least half of the entries.
pub(crate) fn guess_threshold(y: &[f64], top: f64, s: f64, crowd: Crowd, candidates: &mut Vec<f64>) -> f64 {
    // A unit in which n·s is finite and s/n normal.
    let unit = match s {
        s if s > 1e270 => 1e-30,
        s if s < 1e-270 => 1e30,
        _ => 1.0,
    };
    let s = s * unit;
    // Everything is seen from the top. Candidates found to be above τ leave for these two sums.
    let mut sure = Sure { sum: crowd.excess_over(top) * unit, count: crowd.count };
    let mut tau = first_bound(y, top, s, unit, sure, candidates);
    let mut by_median = false;
    let (mut patience, mut inside) = (PATIENCE, f64::INFINITY);
    while !candidates.is_empty() {
        let (bound, before) = (tau, inside);
        (tau, inside) = sure.bound_above(candidates, bound, s);
        if !(tau > bound) || inside == before {
            break;
        }
        if inside < candidates.len() as f64 / 2.0 {
            keep_if(candidates, |d| d > tau);
        }
        patience -= usize::from(inside > before - before / 8.0);
        if patience > 0 {
            continue;
        }
        // The bound creeps. A pivot a few steps ahead splits the candidates into those decided and, mostly, very
        // few others; every other time it is their median, which settles half of them whatever they are.
        keep_if(candidates, |d| d > tau);
        let mut pivot = tau + 4.0 * (tau - bound);
        if by_median && !candidates.is_empty() {
            let middle = candidates.len() / 2;
            pivot = *candidates.select_nth_unstable_by(middle, f64::total_cmp).1;
        }
        (by_median, patience, inside) = (!by_median, 1, f64::INFINITY);
        let (excess, above) = excess_above(candidates, pivot);
        if excess + (sure.sum - sure.count * pivot) >= s {
            tau = pivot;
            keep_if(candidates, |d| d > pivot);
        } else {
            sure.sum += excess + above * pivot;
            sure.count += above;
            keep_if(candidates, |d| d <= pivot);
        }
    }
    (top + tau / unit).clamp(f64::MIN, top)
}

/// How many bounds may creep before a pivot is tried.
const PATIENCE: usize = 6;

/// Entries that are compared before the survivors among them are put away.
const SURVIVORS: usize = 64;

/// Entries known to lie above τ.
#[derive(Clone, Copy)]
struct Sure {
    sum: f64,
    count: f64,
}

impl Sure {
    /// The lower bound on τ from these and the candidates above `tau`, and how many those are.
    fn bound_above(self, candidates: &[f64], tau: f64, s: f64) -> (f64, f64) {
        let (excess, inside) = excess_above(candidates, tau);
        (tau + (excess + (self.sum - self.count * tau) - s) / (inside + self.count), inside)
    }
}

/// A lower bound on τ from easily found sets; lists the entries above it.
fn first_bound(y: &[f64], top: f64, s: f64, unit: f64, sure: Sure, candidates: &mut Vec<f64>) -> f64 {
    let seen = |v: &f64| (v - top) * unit;
    let (rows, rest) = y.as_chunks::<LANES>();
    let mut total = [0.0; LANES];
    candidates.clear();
    candidates.extend(rows.iter().map(|row| {
        total.iter_mut().zip(row).for_each(|(sum, v)| *sum += seen(v));
        seen(&largest(row))
    }));
    let total = total.iter().sum::<f64>() + rest.iter().map(seen).sum::<f64>();
    let mean = (total + sure.sum - s) / (y.len() as f64 + sure.count);
    let mut tau = if mean > -s { mean } else { -s };
    for _ in 0..PATIENCE {
        let (next, inside) = sure.bound_above(candidates, tau, s);
        if !(next > tau) || inside < 8.0 {
            break;
        }
        tau = next;
    }
    candidates.clear();
    let mut survivors = [0.0; SURVIVORS];
    for block in y.chunks(SURVIVORS) {
        let (rows, rest) = block.as_chunks::<LANES>();
        let mut kept = 0;
        let mut keep = |v: &f64| {
            survivors[kept] = seen(v);
            kept += usize::from(seen(v) > tau);
        };
        rows.iter().filter(|row| seen(&largest(row)) > tau).flatten().for_each(&mut keep);
        rest.iter().for_each(&mut keep);
        candidates.extend_from_slice(&survivors[..kept]);
    }
    tau
}

/// Σ(v − tau) over the values above tau, and how many they are.
pub(crate) fn excess_above(values: &[f64], tau: f64) -> (f64, f64) {
    let (mut excess, mut count) = (0.0, 0);
    for block in values.chunks(BLOCK) {
        // A count in whole numbers takes half the instructions of one in floating point.
        let (mut excesses, mut counts) = ([0.0; LANES], [0_u64; LANES]);
        let (rows, rest) = block.as_chunks::<LANES>();
        for row in rows {
            for lane in 0..LANES {
                excesses[lane] += positive(row[lane] - tau);
                counts[lane] += u64::from(row[lane] > tau);
            }
        }
        excess += excesses.iter().sum::<f64>() + rest.iter().map(|v| positive(v - tau)).sum::<f64>();
        count += counts.iter().sum::<u64>() + rest.iter().map(|v| u64::from(*v > tau)).sum::<u64>();
    }
    (excess, count as f64)
}

/// `Vec::retain` without a branch to mispredict.
fn keep_if(candidates: &mut Vec<f64>, wanted: impl Fn(f64) -> bool) {
    let mut kept = 0;
    for i in 0..candidates.len() {
        let d = candidates[i];
        candidates[kept] = d;
        kept += usize::from(wanted(d));
    }
    candidates.truncate(kept);
}

/// The largest of a row, without a branch.
pub(crate) fn largest(row: &[f64; LANES]) -> f64 {
    let higher = |a: f64, b: f64| if a > b { a } else { b };
    let halves = [0, 1, 2, 3].map(|k| higher(row[k], row[k + 4]));
    higher(higher(halves[0], halves[2]), higher(halves[1], halves[3]))
}

/// The largest entry.
pub(crate) fn max(y: &[f64]) -> f64 {
    let mut tops = [f64::NEG_INFINITY; LANES];
    let (rows, rest) = y.as_chunks::<LANES>();
    for row in rows {
        for (top, v) in tops.iter_mut().zip(row) {
            *top = if *v > *top { *v } else { *top };
        }
    }
    tops.iter().chain(rest).copied().fold(f64::NEG_INFINITY, f64::max)
}
