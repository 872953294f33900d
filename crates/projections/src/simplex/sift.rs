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

#[cfg(test)]
mod tests {
    use super::*;

    /// The fractional parts of multiples of the golden ratio, in a mixed order.
    fn mixed(n: u32) -> Vec<f64> {
        (0..n).map(|i| (f64::from(i.wrapping_mul(2_654_435_761) % n) * 0.618_034).fract()).collect()
    }

    #[test]
    fn a_pass_lists_what_lies_between_and_sums_what_lies_above() {
        let mut sifted = Vec::new();
        for n in [3, 8, 77, 1000, 4099] {
            let y = mixed(n);
            for (low, high) in
                [(0.5, 0.6), (0.9, 0.9), (0.85, f64::INFINITY), (-1.0, -0.5), (0.2, 0.3), (1.5, 2.0)]
            {
                let known = sift(&y, low, high, &mut sifted);
                let between: Vec<f64> = y.iter().copied().filter(|v| *v > low && *v <= high).collect();
                let Some(known) = known else {
                    assert!(between.len() > y.len() / 4, "n = {n}, {low} to {high}");
                    continue;
                };
                assert_eq!(sifted, between, "n = {n}, {low} to {high}");
                let above = y.iter().filter(|v| **v > high);
                let excess: f64 = above.clone().map(|v| v - high).sum();
                assert_eq!((known.at, known.count), (high, above.count() as f64));
                assert!((known.excess - excess).abs() <= 1e-12 * excess, "n = {n}, {low} to {high}");
            }
            // The ends belong to it as (low, high] says.
            let (low, high) = (y[0].min(y[2]), y[0].max(y[2]));
            if sift(&y, low, high, &mut sifted).is_some() {
                assert!(sifted.contains(&high) && !sifted.contains(&low));
            }
        }
    }

    #[test]
    fn a_pass_gives_up_beyond_a_quarter_and_where_numbers_are_not_finite() {
        let (mut sifted, y) = (Vec::new(), mixed(4000));
        let quarter = {
            let mut rising = y.clone();
            rising.sort_unstable_by(f64::total_cmp);
            rising[3000 - 1]
        };
        assert!(sift(&y, quarter, f64::INFINITY, &mut sifted).is_some());
        assert_eq!(sifted.len(), 1000);
        assert!(sift(&y, quarter.next_down(), f64::INFINITY, &mut sifted).is_none());
        for place in [0, 1733, 3999] {
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                for high in [0.95, f64::INFINITY] {
                    let mut y = y.clone();
                    y[place] = wrong;
                    assert!(sift(&y, 0.9, high, &mut sifted).is_none(), "{wrong} at {place}");
                }
            }
        }
    }

    /// Of a vector in random order the sample has its share of the mass.
    #[test]
    fn a_bracket_holds_the_threshold_of_a_vector_in_random_order() {
        let (mut candidates, mut sample) = (Vec::new(), Vec::new());
        let y = mixed(40_000);
        for s in [1e-3, 10.0, 300.0, 3000.0, 15_000.0, 1e6] {
            let Bracket { low, high, all } = Bracket::of(&y, s, &mut candidates, &mut sample);
            let tau = guess_threshold(&y, max(&y), s, KnownAbove::default(), &mut candidates);
            assert!(low <= tau && tau <= high, "s = {s}: {tau} in {low} to {high}");
            assert_eq!(all, s > 19_000.0, "s = {s}: {low}");
            if s < 1.0 {
                assert!(high == f64::INFINITY, "s = {s}: the few entries above are all listed");
            } else if (1000.0..1e5).contains(&s) {
                assert!(high - low < 0.2, "s = {s}: {low} to {high}");
            }
        }
    }

    #[test]
    fn a_sample_is_of_whole_runs_that_share_no_place() {
        for n in [LONG, LONG + 1, 9999, 70_000, 1 << 20, 40_000_000] {
            let mut end = 0;
            for run in sample_runs(n) {
                assert!(run.start >= end && run.len() == RUN, "n = {n}: {run:?} after {end}");
                end = run.end;
            }
            assert!(end <= n && end > n - 2 * (n / sample_runs(n).count()) - 1, "n = {n}: {end}");
            let sampled = RUN * sample_runs(n).count();
            assert!((1024..=65_536).contains(&sampled), "n = {n}: {sampled}");
            // A place within a stratum is not the same everywhere.
            let stride = n / sample_runs(n).count();
            let first = sample_runs(n).next().map(|run| run.start % stride);
            assert!(
                stride == RUN
                    || sample_runs(n).enumerate().any(|(i, run)| Some(run.start - i * stride) != first)
            );
        }
    }
}
