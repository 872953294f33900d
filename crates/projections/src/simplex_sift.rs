//! The pass over a long vector that leaves the few entries which may lie on either side of a threshold.

use crate::compensated_sum::{BLOCK, CompensatedSum, LANES, sum_of_block};
use crate::simplex_guess::{excess_above, guess_threshold, largest, max};
use crate::simplex_threshold::positive;

/// Lanes of a loop with three or four sums, which then just fit the registers.
pub(crate) const FEW: usize = 4;

/// From which length on a sample pays.
pub(crate) const LONG: usize = 2 * BLOCK;

/// Entries that are all known to lie above τ.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Crowd {
    /// The point below them that they are measured from.
    pub(crate) at: f64,
    /// Σ(y − at).
    pub(crate) excess: f64,
    /// How many they are.
    pub(crate) count: f64,
}

impl Crowd {
    /// Σ(y − p).
    pub(crate) fn excess_over(self, p: f64) -> f64 {
        if self.count > 0.0 { self.excess + self.count * (self.at - p) } else { 0.0 }
    }
}

/// Lists the entries in (low, high] and adds up those above `high`; nothing where an entry is not finite, where a sum
/// overflows, or where more than a quarter of y would be listed.
pub(crate) fn sift(y: &[f64], low: f64, high: f64, sifted: &mut Vec<f64>) -> Option<Crowd> {
    let mut crowd = Crowd { at: high, ..Crowd::default() };
    let mut excesses = CompensatedSum::default();
    let mut total = 0.0;
    let mut listed = [0.0; BLOCK];
    // No entry of (low, high] is further from its middle, however this rounds.
    let middle = 0.5 * low + 0.5 * high;
    let reach = (high - middle).max(middle - low);
    sifted.clear();
    for block in y.chunks(BLOCK) {
        let mut kept = 0;
        let mut list = |v: &f64| {
            listed[kept] = *v;
            kept += usize::from((*v > low) & (*v <= high));
        };
        let (rows, rest) = block.as_chunks::<LANES>();
        if high == f64::INFINITY {
            rows.iter().filter(|row| largest(row) > low).flatten().for_each(&mut list);
        } else {
            let nearest = |row: &[f64; LANES]| -largest(&row.map(|v| -(v - middle).abs()));
            rows.iter().filter(|row| nearest(row) <= reach).flatten().for_each(&mut list);
            let (excess, count) = excess_above(block, high);
            excesses.add(excess);
            crowd.count += count;
        }
        rest.iter().for_each(&mut list);
        total += sum_of_block(block);
        if sifted.len() + kept > y.len() / 4 {
            return None;
        }
        sifted.extend_from_slice(&listed[..kept]);
    }
    crowd.excess = excesses.value();
    // A NaN or an infinity never leaves a sum that it has entered.
    (total.is_finite() && crowd.excess.is_finite()).then_some(crowd)
}

/// Where τ lies, most likely.
pub(crate) struct Bracket {
    /// Below τ.
    pub(crate) low: f64,
    /// Above τ; +∞ where the sample cannot tell.
    pub(crate) high: f64,
    /// Whether all of the sample lies above `low`.
    pub(crate) all: bool,
}

impl Bracket {
    /// The thresholds of a sample for its share of s, more and less what chance may have added to or taken from the mass
    /// above it. The sample goes into `sample`.
    pub(crate) fn of(y: &[f64], s: f64, candidates: &mut Vec<f64>, sample: &mut Vec<f64>) -> Self {
        sample.clear();
        sample_runs(y.len()).for_each(|run| sample.extend_from_slice(&y[run]));
        let share = s * (sample.len() as f64 / y.len() as f64);
        let middle = guess_threshold(sample, max(sample), share, Crowd::default(), candidates);
        let squares: f64 = sample.iter().map(|v| positive(v - middle)).map(|u| u * u).sum();
        let chance = 3.0 * squares.sqrt();
        // A part of y has a lower threshold than y for the same mass. Below that there is no need to go, and few entries
        // above the middle say nothing better.
        let few = sample.iter().filter(|v| **v > middle).count() < 64;
        let more = if few { s } else { (share + chance).min(s) };
        let low = guess_threshold(sample, max(sample), more, Crowd::default(), candidates);
        // Where few entries lie above it, all of them are listed: a few large ones may have escaped the sample.
        let dense = 8 * sample.iter().filter(|v| **v > low).count() > sample.len();
        let high = if dense && share - chance > 0.0 {
            guess_threshold(sample, max(sample), share - chance, Crowd::default(), candidates)
        } else {
            f64::INFINITY
        };
        Self { low, high, all: sample.iter().all(|v| *v > low) }
    }
}

/// How many neighbours are sampled together: a line of the cache.
const RUN: usize = 8;

/// A sample of the indices below n ≥ [`LONG`]: a run at an irregular place of each of many strata, lest a period of the
/// vector meets one of the sample.
pub(crate) fn sample_runs(n: usize) -> impl Iterator<Item = std::ops::Range<usize>> + Clone {
    let runs = (n / (64 * RUN)).clamp(1024 / RUN, 65536 / RUN);
    let stride = n / runs;
    (0..runs).map(move |i| {
        let start = i * stride + i.wrapping_mul(0x9e37_79b9) % (stride - RUN + 1);
        start..start + RUN
    })
}
