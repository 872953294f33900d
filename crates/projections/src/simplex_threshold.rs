//! The Euclidean projection onto a simplex by its threshold, in linear time.

use crate::compensated_sum::{BLOCK, CompensatedSum, LANES, block_sum};

/// y ← max(y − τ, 0) with Σ = s, for finite non-empty y. O(n).
///
/// Every set of k entries with sum Σ gives a lower bound (Σ − s)/k on the threshold τ, and the support {y > τ} gives τ
/// itself. With p a guess at τ and V = Σ(y − p) over the entries above p, the bound is p − lift for lift = (s − V)/k:
/// differences of neighbours and sums of terms of one sign, so that neither an offset common to all entries nor a
/// wide range costs accuracy. The guess was right if the bound separates the same entries. Otherwise the entries above
/// the bound contain the support, and the bound rises from there until it stands.
pub(crate) fn project_onto_simplex(y: &mut [f64], s: f64, candidates: &mut Vec<f64>) {
    // All of y may become a candidate. Room for that is taken once, not when a hard point first needs it.
    candidates.clear();
    candidates.reserve(y.len());
    let top = max(y);
    // All entries together give a bound. Where a sample says that most of them exceed it, a few passes over y finish.
    let all = (block_sum(y) / y.len() as f64 - top - s / y.len() as f64).max(-s);
    let sample = || y.iter().step_by(61).map(|v| v - top > all);
    let mut patience = if 2 * sample().filter(|above| *above).count() > sample().count() { 6 } else { 0 };
    let mut p = if patience > 0 { threshold_near(top, all) } else { guess_threshold(y, top, s, candidates) };
    // Slightly too many entries are as good as the right ones; slightly too few cost another pass.
    let margin = -(1e-12 * s).max(SMALLEST);
    let (mut cut, mut guessed) = (margin, true);
    let lift = loop {
        let above = Above::of(y, p, cut);
        let lift = (s - above.excess) / above.count;
        let stands = above.lowest > -lift && above.next <= -lift;
        if stands && patience > 0 && lift.abs() > 1e-3 * s {
            // From so far away, small coordinates are differences of large ones: look again from nearby.
            (p, cut, guessed, patience) = ((p - lift).clamp(f64::MIN, top), margin, true, 0);
            continue;
        }
        if stands || !(guessed || -lift > cut) {
            break lift;
        }
        (cut, guessed) = (-lift, false);
        patience -= 1;
        if patience == 0 {
            p = guess_threshold(y, top, s, candidates);
            (cut, guessed) = (margin, true);
        }
    };
    y.iter_mut().for_each(|v| *v = positive((*v - p) + lift));
}

/// top + τ for τ ≤ 0 relative to top, kept in range.
fn threshold_near(top: f64, tau: f64) -> f64 {
    (top + tau).clamp(f64::MIN, top)
}

/// The smallest positive number.
const SMALLEST: f64 = f64::from_bits(1);

/// max(v, 0), and +0 for −0.
fn positive(v: f64) -> f64 {
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
        // Four accumulators of this many lanes just fit the registers.
        const LANES: usize = 4;
        let mut sums = CompensatedSum::default();
        let (mut count, mut lowest, mut next) =
            ([0.0; LANES], [f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for block in y.chunks(BLOCK) {
            let mut excess = [0.0; LANES];
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
            let (rows, rest) = block.as_chunks::<LANES>();
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
fn guess_threshold(y: &[f64], top: f64, s: f64, candidates: &mut Vec<f64>) -> f64 {
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
        let mut kept = 0;
        for row in block.chunks(LANES) {
            if row.iter().fold(false, |any, v| any | ((v - top) * unit > tau)) {
                for v in row {
                    let d = (v - top) * unit;
                    survivors[kept] = d;
                    kept += usize::from(d > tau);
                }
            }
        }
        candidates.extend_from_slice(&survivors[..kept]);
        if candidates.len() > limit {
            tau = tau.max((block_sum(candidates) - s) / candidates.len() as f64);
            keep_if(candidates, |d| d > tau);
            limit = 2 * candidates.len() + BLOCK;
        }
    }
    // Candidates found to be above τ leave for these two sums.
    let (mut sum, mut count) = (0.0, 0.0);
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
