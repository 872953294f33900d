//! The Euclidean projection onto a simplex by its threshold, in linear time.

use crate::compensated_sum::{BLOCK, CompensatedSum, LANES};
use crate::simplex_guess::{guess_threshold, largest, max};
use crate::simplex_sift::{Bracket, Crowd, FEW, LONG, sift};
use crate::{ProjectionError, Scratch, check_finite};
use std::ops::Range;

/// y ← max(y − τ, 0) with Σ = s, for non-empty y. O(n). Refuses a NaN or an infinity and leaves y as it was.
///
/// Of a sorted vector only the end that keeps mass is searched. Another long one is sifted first: one pass leaves the
/// few entries that a sample says may lie on either side of τ, and checks the rest. Where the sample misled, and for
/// short vectors, all entries are searched.
pub(crate) fn project_onto_simplex(
    y: &mut [f64],
    s: f64,
    scratch: &mut Scratch,
) -> Result<(), ProjectionError> {
    if s > 0.0 && !ORDINARY.contains(&s) {
        return project_in_other_units(y, s, scratch);
    }
    // All of y may become a candidate. Room for that is taken once, not when a hard point first needs it.
    scratch.make_room_to_sift(y.len());
    let Scratch { values: candidates, sifted, .. } = scratch;
    let quick = match s > 0.0 {
        true => sorted_threshold(y, s).or_else(|| sifted_threshold(y, s, candidates, sifted)),
        false => None,
    };
    let (p, lift) = match quick {
        Some(found) => found,
        None => {
            check_finite("y", y)?;
            threshold(y, s, Crowd::default(), candidates)
        }
    };
    y.iter_mut().for_each(|v| *v = positive((*v - p) + lift));
    Ok(())
}

/// The masses with which no sum or quotient leaves the range.
const ORDINARY: Range<f64> = 1e-250..1e250;

/// The same for other masses, in a unit, a power of two, in which n·s is finite and s/n is normal: else n entries that are
/// all kept sum to infinity, or leave nothing for one.
fn project_in_other_units(y: &mut [f64], s: f64, scratch: &mut Scratch) -> Result<(), ProjectionError> {
    check_finite("y", y)?;
    let (top, large) = (max(y), s > 1.0);
    let unit = if large { 1.0 / POWER } else { POWER * POWER * POWER };
    for v in &mut *y {
        // A small mass is kept by what is close to the top; what passes the lower end of the range keeps none.
        *v = if large { *v * unit } else { ((*v - top) * unit).max(f64::MIN) };
    }
    scratch.make_room_to_sift(y.len());
    let (p, lift) = threshold(y, s * unit, Crowd::default(), &mut scratch.values);
    // No coordinate is above s, but for rounding, which may not lead out of the range.
    y.iter_mut().for_each(|v| *v = (positive((*v - p) + lift) / unit).min(s));
    Ok(())
}

/// 2⁶⁴.
const POWER: f64 = 18_446_744_073_709_551_616.0;

/// The threshold τ = p − lift of finite y that is sorted either way: the sort-based method \[D08\] without its sort.
fn sorted_threshold(y: &[f64], s: f64) -> Option<(f64, f64)> {
    let (first, last) = (*y.first()?, *y.last()?);
    let rising = first < last;
    let sorted = if rising { y.is_sorted() } else { y.is_sorted_by(|a, b| a >= b) };
    if !(sorted && first.is_finite() && last.is_finite()) {
        return None;
    }
    let top = first.max(last);
    let (mut sum, mut count) = (0.0, 0.0);
    let mut beyond = |v: &f64| {
        let d = v - top;
        // More entries than keep mass do no harm; rounding must not leave out one.
        let beyond = d * count < sum - s * (1.0 + 1e-9);
        if !beyond {
            (sum, count) = (sum + d, count + 1.0);
        }
        beyond
    };
    let end = if rising {
        &y[y.iter().rposition(&mut beyond).unwrap_or(0)..]
    } else {
        &y[..y.iter().position(&mut beyond).map_or(y.len(), |next| next + 1)]
    };
    Some(exact_threshold(end, s, Crowd::default(), top + (sum - s) / count))
}

/// The threshold τ = p − lift from one pass over y, or nothing where y is short, an entry is not finite, or the sample
/// misled.
fn sifted_threshold(
    y: &[f64],
    s: f64,
    candidates: &mut Vec<f64>,
    sifted: &mut Vec<f64>,
) -> Option<(f64, f64)> {
    if y.len() < LONG {
        return None;
    }
    let Bracket { low, high, all } = Bracket::of(y, s, candidates, sifted);
    if all && let Some(found) = threshold_of_all(y, s, low) {
        return Some(found);
    }
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

/// The threshold τ = p − lift where every coordinate stays positive; nothing where one does not, or is not finite, or
/// where p is far from τ.
fn threshold_of_all(y: &[f64], s: f64, p: f64) -> Option<(f64, f64)> {
    let mut excesses = CompensatedSum::default();
    let mut lowest = [f64::INFINITY; LANES];
    for block in y.chunks(BLOCK) {
        let mut excess = [0.0; LANES];
        let (rows, rest) = block.as_chunks::<LANES>();
        let mut visit = |lane: usize, v: f64| {
            excess[lane] += v - p;
            lowest[lane] = if v - p < lowest[lane] { v - p } else { lowest[lane] };
        };
        for row in rows {
            for (lane, v) in row.iter().enumerate() {
                visit(lane, *v);
            }
        }
        rest.iter().for_each(|v| visit(0, *v));
        excesses.add(excess.iter().sum());
    }
    let count = y.len() as f64;
    let lift = (s - excesses.value()) / count;
    let lowest = lowest.into_iter().fold(f64::INFINITY, f64::min);
    // A NaN or an infinity never leaves the sum that it has entered.
    (lowest > -lift && count * lift.abs() <= s).then_some((p, lift))
}

/// The threshold τ = p − lift of finite non-empty y and a crowd above it.
fn threshold(y: &[f64], s: f64, crowd: Crowd, candidates: &mut Vec<f64>) -> (f64, f64) {
    exact_threshold(y, s, crowd, guess_threshold(y, max(y), s, crowd, candidates))
}

/// The same from a guess p at τ.
///
/// Every set of k entries with sum Σ gives a lower bound (Σ − s)/k on the threshold τ, and the support {y > τ} gives τ
/// itself. With V = Σ(y − p) over the entries above p, the bound is p − lift for lift = (s − V)/k: differences of
/// neighbours and sums of terms of one sign, so that neither an offset common to all entries nor a wide range costs
/// accuracy. The guess was right if the bound separates the same entries. Otherwise the entries above the bound
/// contain the support, and the bound rises from there until it stands.
fn exact_threshold(y: &[f64], s: f64, crowd: Crowd, p: f64) -> (f64, f64) {
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
        let mut count = 0.0;
        let (mut lowest, mut next) = ([f64::INFINITY; FEW], [f64::NEG_INFINITY; FEW]);
        for block in y.chunks(BLOCK) {
            let (mut excess, mut counts) = ([0.0; FEW], [0_u64; FEW]);
            let mut visit = |lane: usize, v: f64| {
                let u = v - p;
                let inside = u > cut;
                excess[lane] += if inside { u } else { 0.0 };
                counts[lane] += u64::from(inside);
                let low = if inside { u } else { f64::INFINITY };
                let high = if inside { f64::NEG_INFINITY } else { u };
                lowest[lane] = if low < lowest[lane] { low } else { lowest[lane] };
                next[lane] = if high > next[lane] { high } else { next[lane] };
            };
            let (rows, rest) = block.as_chunks::<LANES>();
            for row in rows {
                // Of a row with nothing above the cut only the largest matters.
                let top = largest(row);
                if top - p > cut {
                    row.iter().enumerate().for_each(|(k, v)| visit(k % FEW, *v));
                } else {
                    visit(0, top);
                }
            }
            rest.iter().for_each(|v| visit(0, *v));
            sums.add(excess.iter().sum());
            count += counts.iter().sum::<u64>() as f64;
        }
        Self {
            excess: sums.value(),
            count,
            lowest: lowest.into_iter().fold(f64::INFINITY, f64::min),
            next: next.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masses_at_the_ends_of_the_range_are_kept() {
        for s in [f64::from_bits(1), 1e-320, 1e-308, 1e-260, 1e260, 1e308, f64::MAX] {
            for n in [1_u8, 2, 3, 4, 5, 6, 9, 12, 200] {
                for scale in [0.0, 1e-310, s / 8.0, 1.0, 1e300] {
                    let mut x: Vec<f64> = (0..n).map(|j| (1.7 * f64::from(j) + 0.3).sin() * scale).collect();
                    project_onto_simplex(&mut x, s, &mut Scratch::default()).unwrap();
                    assert!(
                        x.iter().all(|v| (0.0..=s).contains(v)),
                        "s = {s:e}, n = {n}, scale = {scale:e}: {x:?}"
                    );
                    // Halves of the smallest numbers are rounded, one a coordinate.
                    let (sum, rounding) =
                        (x.iter().map(|v| v / s).sum::<f64>(), f64::from(n) * f64::from_bits(1) / s);
                    assert!(
                        (sum - 1.0).abs() <= 1e-12 + rounding,
                        "s = {s:e}, n = {n}, scale = {scale:e}: {x:?}"
                    );
                }
            }
        }
    }
}
