//! The threshold of the simplex up to rounding, from which the exact search starts.

use super::lanes::{excess_above, largest};
use rows::numeric::LANES;

/// The sum of entries known to lie above τ.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KnownAbove {
    /// A point below the entries, from which they are measured.
    pub(crate) at: f64,
    /// Σ(y − at).
    pub(crate) excess: f64,
    /// Their number.
    pub(crate) count: f64,
}

impl KnownAbove {
    /// Σ(y − p).
    pub(crate) fn excess_over(self, p: f64) -> f64 {
        if self.count > 0.0 { self.excess + self.count * (self.at - p) } else { 0.0 }
    }
}

/// The threshold τ, up to rounding relative to s or to itself; at most max y. O(n) for every input.
///
/// Every set of k entries with sum Σ gives a lower bound (Σ − s)/k on τ. The first two bounds come from all
/// entries and from the largest entry of each row of eight. The entries above the better one give the next
/// \[M86\], and so on. If the bounds rise slowly, a pivot decides at least half of the entries.
pub(crate) fn guess_threshold(
    y: &[f64],
    top: f64,
    s: f64,
    known: KnownAbove,
    candidates: &mut Vec<f64>,
) -> f64 {
    // A unit in which n·s is finite and s/n normal.
    let unit = match s {
        s if s > 1e270 => 1e-30,
        s if s < 1e-270 => 1e30,
        _ => 1.0,
    };
    let s = s * unit;
    // All values are relative to the top. Candidates found above τ move to these two sums.
    let mut decided = Decided { sum: known.excess_over(top) * unit, count: known.count };
    let mut tau = first_bound(y, top, s, unit, decided, candidates);
    let mut by_median = false;
    let (mut patience, mut inside) = (PATIENCE, f64::INFINITY);
    while !candidates.is_empty() {
        let (bound, before) = (tau, inside);
        (tau, inside) = decided.bound_above(candidates, bound, s);
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
        // The bound rises slowly. A pivot a few steps ahead usually leaves very few candidates undecided.
        // Every other time the pivot is the median, which always decides half of them.
        keep_if(candidates, |d| d > tau);
        let mut pivot = tau + 4.0 * (tau - bound);
        if by_median && !candidates.is_empty() {
            let middle = candidates.len() / 2;
            pivot = *candidates.select_nth_unstable_by(middle, f64::total_cmp).1;
        }
        (by_median, patience, inside) = (!by_median, 1, f64::INFINITY);
        let (excess, above) = excess_above(candidates, pivot);
        if excess + (decided.sum - decided.count * pivot) >= s {
            tau = pivot;
            keep_if(candidates, |d| d > pivot);
        } else {
            decided.sum += excess + above * pivot;
            decided.count += above;
            keep_if(candidates, |d| d <= pivot);
        }
    }
    (top + tau / unit).clamp(f64::MIN, top)
}

/// The number of slow bounds before a pivot is tried.
const PATIENCE: usize = 6;

/// The number of entries compared before their survivors are stored.
const SURVIVORS: usize = 64;

/// The entries found above τ, relative to the top.
#[derive(Clone, Copy)]
struct Decided {
    sum: f64,
    count: f64,
}

impl Decided {
    /// The lower bound on τ from these entries and the candidates above `tau`, and the number of those
    /// candidates.
    fn bound_above(self, candidates: &[f64], tau: f64, s: f64) -> (f64, f64) {
        let (excess, inside) = excess_above(candidates, tau);
        (tau + (excess + (self.sum - self.count * tau) - s) / (inside + self.count), inside)
    }
}

/// A lower bound on τ from all entries and from row maxima; lists the entries above it.
fn first_bound(y: &[f64], top: f64, s: f64, unit: f64, decided: Decided, candidates: &mut Vec<f64>) -> f64 {
    let seen = |v: &f64| (v - top) * unit;
    let (rows, rest) = y.as_chunks::<LANES>();
    let mut total = [0.0; LANES];
    candidates.clear();
    candidates.extend(rows.iter().map(|row| {
        total.iter_mut().zip(row).for_each(|(sum, v)| *sum += seen(v));
        seen(&largest(row))
    }));
    let total = total.iter().sum::<f64>() + rest.iter().map(seen).sum::<f64>();
    let mean = (total + decided.sum - s) / (y.len() as f64 + decided.count);
    let mut tau = if mean > -s { mean } else { -s };
    for _ in 0..PATIENCE {
        let (next, inside) = decided.bound_above(candidates, tau, s);
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

/// `Vec::retain` without branches.
fn keep_if(candidates: &mut Vec<f64>, wanted: impl Fn(f64) -> bool) {
    let mut kept = 0;
    for i in 0..candidates.len() {
        let d = candidates[i];
        candidates[kept] = d;
        kept += usize::from(wanted(d));
    }
    candidates.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplex::lanes::max;

    /// Vectors for every way through the search: spread, ties, steps so slow that pivots decide, one above
    /// all, and short ones.
    fn vectors() -> Vec<Vec<f64>> {
        let spread = |n: u32| (0..n).map(|i| (f64::from(i) * 0.7391).sin()).collect::<Vec<f64>>();
        let creeping = |n: u32| (0..n).map(|i| -(2_f64.powf(f64::from(i) / 100.0))).collect::<Vec<f64>>();
        let mut alone = spread(500);
        alone[77] = 40.0;
        vec![
            spread(1),
            spread(7),
            spread(64),
            spread(2000),
            spread(2000).iter().map(|v| (4.0 * v).round()).collect(),
            creeping(300),
            creeping(3000),
            alone,
            vec![2.5; 100],
        ]
    }

    /// τ from the sorted entries: the highest of the bounds (Σ − s)/k of the k largest.
    fn sorted(y: &[f64], s: f64) -> f64 {
        let mut falling = y.to_vec();
        falling.sort_unstable_by(|a, b| b.total_cmp(a));
        let (mut sum, mut tau) = (0.0, f64::NEG_INFINITY);
        for (k, v) in falling.iter().enumerate() {
            sum += v - falling[0];
            tau = tau.max((sum - s) / (k as f64 + 1.0));
        }
        falling[0] + tau
    }

    #[test]
    fn a_guess_is_the_threshold_up_to_rounding() {
        let mut candidates = Vec::new();
        for (v, y) in vectors().iter().enumerate() {
            for s in [1e-280, 1e-6, 0.3, 1.0, 17.0, 1e4, 1e280] {
                let (tau, top) = (sorted(y, s), max(y));
                let allowed = 1e-12 * (s + tau.abs() + top.abs());
                let guess = guess_threshold(y, top, s, KnownAbove::default(), &mut candidates);
                assert!((guess - tau).abs() <= allowed && guess <= top, "{v}, s = {s:e}: {guess} for {tau}");
                // The same if some entries are known to lie above, and only the others are searched.
                let (above, rest): (Vec<f64>, Vec<f64>) =
                    y.iter().partition(|v| **v > tau + 0.25 * (top - tau));
                if above.is_empty() || rest.is_empty() {
                    continue;
                }
                let at = tau + 0.125 * (top - tau);
                let excess = above.iter().map(|v| v - at).sum();
                let known = KnownAbove { at, excess, count: above.len() as f64 };
                let guess = guess_threshold(&rest, max(&rest), s, known, &mut candidates);
                let want = tau.min(max(&rest));
                assert!(
                    (guess - want).abs() <= allowed,
                    "{v}, s = {s:e}: {guess} for {want} with known entries"
                );
            }
        }
    }

    #[test]
    fn what_is_kept_is_what_is_wanted_in_its_order() {
        let mut kept = vec![3.0, -1.0, 2.0, 0.0, -0.5, 2.0];
        keep_if(&mut kept, |d| d > 0.0);
        assert_eq!(kept, [3.0, 2.0, 2.0]);
    }
}
