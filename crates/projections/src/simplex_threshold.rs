//! The Euclidean projection onto a simplex by its threshold, in linear time.

use crate::compensated_sum::{BLOCK, CompensatedSum, LANES, block_sum};
use crate::{ProjectionError, Scratch, check_finite};

/// y ← max(y − τ, 0) with Σ = s, for non-empty y. O(n). Refuses a NaN or an infinity and leaves y as it was.
///
/// A long vector is sifted first: one pass leaves the few entries that a sample says may lie on either side of τ, and
/// checks the rest. Where the sample misled, and for short vectors, all entries are searched.
pub(crate) fn project_onto_simplex(
    y: &mut [f64],
    s: f64,
    scratch: &mut Scratch,
) -> Result<(), ProjectionError> {
    // All of y may become a candidate. Room for that is taken once, not when a hard point first needs it.
    scratch.make_room_to_sift(y.len());
    let Scratch { values: candidates, sifted, .. } = scratch;
    let (p, lift) = match sifted_threshold(y, s, candidates, sifted) {
        Some(found) => found,
        None => {
            check_finite("y", y)?;
            threshold(y, s, Crowd::default(), candidates)
        }
    };
    y.iter_mut().for_each(|v| *v = positive((*v - p) + lift));
    Ok(())
}

/// The threshold τ = p − lift from one pass over y, or nothing where y is short, s is extreme, an entry is not finite, or
/// the sample misled.
fn sifted_threshold(
    y: &[f64],
    s: f64,
    candidates: &mut Vec<f64>,
    sifted: &mut Vec<f64>,
) -> Option<(f64, f64)> {
    if y.len() < LONG || !(1e-250..1e250).contains(&s) {
        return None;
    }
    let Bracket { low, high } = Bracket::of(y, s, candidates, sifted);
    let crowd = sift(y, low, high, sifted)?;
    let (p, lift) = match sifted.is_empty() {
        true => (high, (s - crowd.excess) / crowd.count),
        false => threshold(sifted, s, crowd, candidates),
    };
    // Between the ends of the bracket nothing was missed, and near its upper end no small coordinate is a difference
    // of large ones.
    let between = p - lift >= low && p - lift <= high;
    let near = crowd.count * (high - p).abs() <= s || crowd.count == 0.0;
    (between && near && lift.is_finite()).then_some((p, lift))
}

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
fn sift(y: &[f64], low: f64, high: f64, sifted: &mut Vec<f64>) -> Option<Crowd> {
    let mut excesses = CompensatedSum::default();
    let (mut count, mut total) = ([0.0; FEW], [0.0; FEW]);
    let mut listed = [0.0; BLOCK];
    sifted.clear();
    for block in y.chunks(BLOCK) {
        let mut excess = [0.0; FEW];
        let (rows, rest) = block.as_chunks::<FEW>();
        for row in rows {
            for lane in 0..FEW {
                let above = row[lane] - high;
                total[lane] += row[lane];
                excess[lane] += positive(above);
                count[lane] += one_if(row[lane] > high);
            }
        }
        for &v in rest {
            total[0] += v;
            excess[0] += positive(v - high);
            count[0] += one_if(v > high);
        }
        excesses.add(excess.iter().sum());
        let (rows, rest) = block.as_chunks::<LANES>();
        let inside = |v: f64| (v > low) & (v <= high);
        let mut kept = 0;
        for row in rows {
            if any(row.map(inside)) {
                for &v in row {
                    listed[kept] = v;
                    kept += usize::from(inside(v));
                }
            }
        }
        for &v in rest {
            listed[kept] = v;
            kept += usize::from(inside(v));
        }
        if sifted.len() + kept > y.len() / 4 {
            return None;
        }
        sifted.extend_from_slice(&listed[..kept]);
    }
    // A NaN or an infinity never leaves a sum that it has entered.
    let crowd = Crowd { at: high, excess: excesses.value(), count: count.iter().sum() };
    (total.iter().all(|v| v.is_finite()) && crowd.excess.is_finite()).then_some(crowd)
}

/// Where τ lies, most likely.
struct Bracket {
    /// Below τ.
    low: f64,
    /// Above τ; +∞ where the sample cannot tell.
    high: f64,
}

impl Bracket {
    /// The thresholds of a sample for its share of s, more and less what chance may have added to or taken from the mass
    /// above it. The sample goes into `sample`.
    fn of(y: &[f64], s: f64, candidates: &mut Vec<f64>, sample: &mut Vec<f64>) -> Self {
        sample.clear();
        sample_runs(y.len()).for_each(|run| sample.extend_from_slice(&y[run]));
        let share = s * (sample.len() as f64 / y.len() as f64);
        let middle = guess_threshold(sample, max(sample), share, Crowd::default(), candidates);
        let squares: f64 = sample.iter().map(|v| positive(v - middle)).map(|u| u * u).sum();
        let chance = 4.0 * squares.sqrt();
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
        Self { low, high }
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

/// The threshold τ = p − lift of finite non-empty y and a crowd above it.
///
/// Every set of k entries with sum Σ gives a lower bound (Σ − s)/k on the threshold τ, and the support {y > τ} gives τ
/// itself. With p a guess at τ and V = Σ(y − p) over the entries above p, the bound is p − lift for lift = (s − V)/k:
/// differences of neighbours and sums of terms of one sign, so that neither an offset common to all entries nor a
/// wide range costs accuracy. The guess was right if the bound separates the same entries. Otherwise the entries above
/// the bound contain the support, and the bound rises from there until it stands.
fn threshold(y: &[f64], s: f64, crowd: Crowd, candidates: &mut Vec<f64>) -> (f64, f64) {
    let p = guess_threshold(y, max(y), s, crowd, candidates);
    // Slightly too many entries are as good as the right ones; slightly too few cost another pass.
    let mut cut = -(1e-12 * s).max(SMALLEST);
    let mut guessed = true;
    loop {
        let above = Above::of(y, p, cut);
        let lift = (s - (above.excess + crowd.excess_over(p))) / (above.count + crowd.count);
        let stands = above.lowest > -lift && above.next <= -lift;
        if stands || !(guessed || -lift > cut) {
            return (p, lift);
        }
        (cut, guessed) = (-lift, false);
    }
}

/// top + τ for τ ≤ 0 relative to top, kept in range.
fn threshold_near(top: f64, tau: f64) -> f64 {
    (top + tau).clamp(f64::MIN, top)
}

/// The smallest positive number.
const SMALLEST: f64 = f64::from_bits(1);

/// 1 or 0, without a branch.
pub(crate) fn one_if(flag: bool) -> f64 {
    f64::from_bits(1_f64.to_bits() & 0_u64.wrapping_sub(u64::from(flag)))
}

/// max(v, 0), and +0 for −0.
pub(crate) fn positive(v: f64) -> f64 {
    if v > 0.0 { v } else { 0.0 }
}

/// The entries with y − p above a cut, relative to p.
struct Above {
    /// Σ(y − p).
    excess: f64,
    /// How many they are.
    count: f64,
    /// The lowest of them.
    lowest: f64,
    /// The highest entry that is not among them.
    next: f64,
}

impl Above {
    fn of(y: &[f64], p: f64, cut: f64) -> Self {
        let mut sums = CompensatedSum::default();
        let (mut count, mut lowest, mut next) = ([0.0; FEW], [f64::INFINITY; FEW], [f64::NEG_INFINITY; FEW]);
        for block in y.chunks(BLOCK) {
            let mut excess = [0.0; FEW];
            let mut visit = |lane: usize, v: f64| {
                let u = v - p;
                let inside = u > cut;
                excess[lane] += if inside { u } else { 0.0 };
                count[lane] += if inside { 1.0 } else { 0.0 };
                let low = if inside { u } else { f64::INFINITY };
                let high = if inside { f64::NEG_INFINITY } else { u };
                lowest[lane] = if low < lowest[lane] { low } else { lowest[lane] };
                next[lane] = if high > next[lane] { high } else { next[lane] };
            };
            let (rows, rest) = block.as_chunks::<FEW>();
            for row in rows {
                for (lane, v) in row.iter().enumerate() {
                    visit(lane, *v);
                }
            }
            rest.iter().for_each(|v| visit(0, *v));
            sums.add(excess.iter().sum());
        }
        Self {
            excess: sums.value(),
            count: count.iter().sum(),
            lowest: lowest.into_iter().fold(f64::INFINITY, f64::min),
            next: next.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// The threshold τ, up to rounding relative to s or to itself; never above max y. O(n) whatever the input.
///
/// Entries stream past the best lower bound so far; the survivors raise it whenever their number has doubled, and at
/// the end decide alone.
fn guess_threshold(y: &[f64], top: f64, s: f64, crowd: Crowd, candidates: &mut Vec<f64>) -> f64 {
    // A unit in which n·s is finite and s/n normal.
    let unit = match s {
        s if s > 1e270 => 1e-30,
        s if s < 1e-270 => 1e30,
        _ => 1.0,
    };
    let s = s * unit;
    let mut tau = -s;
    candidates.clear();
    let mut limit = 2 * BLOCK;
    let mut survivors = [0.0; BLOCK];
    for block in y.chunks(BLOCK) {
        let (rows, rest) = block.as_chunks::<LANES>();
        let mut kept = 0;
        for row in rows {
            let row = row.map(|v| (v - top) * unit);
            if any(row.map(|d| d > tau)) {
                for d in row {
                    survivors[kept] = d;
                    kept += usize::from(d > tau);
                }
            }
        }
        for d in rest.iter().map(|v| (v - top) * unit) {
            survivors[kept] = d;
            kept += usize::from(d > tau);
        }
        candidates.extend_from_slice(&survivors[..kept]);
        if candidates.len() > limit {
            tau = tau.max((block_sum(candidates) - s) / candidates.len() as f64);
            keep_if(candidates, |d| d > tau);
            limit = 2 * candidates.len() + BLOCK;
        }
    }
    // Candidates found to be above τ leave for these two sums.
    let (mut sum, mut count) = (crowd.excess_over(top) * unit, crowd.count);
    let mut by_median = false;
    while !candidates.is_empty() {
        let (before, bound) = (candidates.len(), tau);
        tau = tau.max((sum + block_sum(candidates) - s) / (count + before as f64));
        keep_if(candidates, |d| d > tau);
        if candidates.len() == before {
            break;
        }
        if candidates.len() <= before - before / 8 {
            continue;
        }
        // The bound creeps. A pivot a few steps ahead splits the candidates into those decided and, mostly, very
        // few others; every other time it is their median, which settles half of them whatever they are.
        let mut pivot = tau + 4.0 * (tau - bound);
        if by_median {
            let middle = candidates.len() / 2;
            pivot = *candidates.select_nth_unstable_by(middle, f64::total_cmp).1;
        }
        by_median = !by_median;
        let (sum_above, count_above) = candidates.iter().fold((0.0, 0.0), |(sum, count), d| {
            if *d > pivot { (sum + d, count + 1.0) } else { (sum, count) }
        });
        if sum + sum_above - (count + count_above) * pivot >= s {
            tau = pivot;
            keep_if(candidates, |d| d > pivot);
        } else {
            (sum, count) = (sum + sum_above, count + count_above);
            keep_if(candidates, |d| d <= pivot);
        }
    }
    threshold_near(top, tau / unit)
}

/// Whether one holds, looking at all of them at once.
fn any(flags: [bool; LANES]) -> bool {
    flags.into_iter().fold(false, |any, flag| any | flag)
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
