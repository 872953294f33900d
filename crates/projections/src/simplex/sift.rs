//! One pass over a long vector that keeps only the entries that may lie on either side of the threshold.

use super::guess::{KnownAbove, guess_threshold};
use super::lanes::{excess_above, largest, max, positive};
use rows::numeric::{BLOCK, CompensatedSum, LANES, sum_of_block};

/// The lanes of a loop with three or four sums, so that they fit the registers.
pub(crate) const FEW: usize = 4;

/// The length from which on sampling pays.
pub(crate) const LONG: usize = 2 * BLOCK;

/// Lists the entries in (low, high] and sums those above `high`. `None` if an entry is not finite, a sum
/// overflows, or more than a quarter of y would be listed.
pub(crate) fn sift(y: &[f64], low: f64, high: f64, sifted: &mut Vec<f64>) -> Option<KnownAbove> {
    let mut known = KnownAbove { at: high, ..KnownAbove::default() };
    let mut excesses = CompensatedSum::default();
    let mut total = 0.0;
    let mut listed = [0.0; BLOCK];
    // No entry of (low, high] is further from the middle, even after rounding.
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
            known.count += count;
        }
        rest.iter().for_each(&mut list);
        total += sum_of_block(block);
        if sifted.len() + kept > y.len() / 4 {
            return None;
        }
        sifted.extend_from_slice(&listed[..kept]);
    }
    known.excess = excesses.value();
    // A NaN or an infinity makes the sum NaN or infinite.
    (total.is_finite() && known.excess.is_finite()).then_some(known)
}

/// An interval that probably contains τ.
pub(crate) struct Bracket {
    /// Below τ.
    pub(crate) low: f64,
    /// Above τ; +∞ if the sample gives no bound.
    pub(crate) high: f64,
    /// Whether all of the sample lies above `low`.
    pub(crate) all: bool,
}

impl Bracket {
    /// The thresholds of a sample for its share of s, plus and minus the sampling error of the mass above.
    /// The sample goes into `sample`.
    pub(crate) fn of(y: &[f64], s: f64, candidates: &mut Vec<f64>, sample: &mut Vec<f64>) -> Self {
        sample.clear();
        sample_runs(y.len()).for_each(|run| sample.extend_from_slice(&y[run]));
        let share = s * (sample.len() as f64 / y.len() as f64);
        let middle = guess_threshold(sample, max(sample), share, KnownAbove::default(), candidates);
        let squares: f64 = sample.iter().map(|v| positive(v - middle)).map(|u| u * u).sum();
        let chance = 3.0 * squares.sqrt();
        // A part of y has a lower threshold than y for the same mass, so this bounds `low`. Few entries above
        // the middle give no better bound.
        let few = sample.iter().filter(|v| **v > middle).count() < 64;
        let more = if few { s } else { (share + chance).min(s) };
        let low = guess_threshold(sample, max(sample), more, KnownAbove::default(), candidates);
        // If few entries lie above `low`, all are listed: the sample may have missed a few large ones.
        let dense = 8 * sample.iter().filter(|v| **v > low).count() > sample.len();
        let high = if dense && share - chance > 0.0 {
            guess_threshold(sample, max(sample), share - chance, KnownAbove::default(), candidates)
        } else {
            f64::INFINITY
        };
        Self { low, high, all: sample.iter().all(|v| *v > low) }
    }
}

/// The number of neighbours sampled together: a cache line.
const RUN: usize = 8;

/// A sample of the indices below n ≥ [`LONG`]: a run at an irregular place of each stratum, so that a
/// periodic vector does not alias with the sample.
pub(crate) fn sample_runs(n: usize) -> impl Iterator<Item = std::ops::Range<usize>> + Clone {
    let runs = (n / (64 * RUN)).clamp(1024 / RUN, 65536 / RUN);
    let stride = n / runs;
    (0..runs).map(move |i| {
        let start = i * stride + i.wrapping_mul(0x9e37_79b9) % (stride - RUN + 1);
        start..start + RUN
    })
}
