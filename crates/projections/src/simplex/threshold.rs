//! The Euclidean projection onto a simplex, in linear time.

use super::guess::{KnownAbove, guess_threshold};
use super::lanes::{largest, max, positive};
use super::sift::{Bracket, FEW, LONG, sift};
use crate::{ProjectionError, Scratch, check_finite};
use rows::numeric::{BLOCK, CompensatedSum, LANES};
use std::ops::Range;

/// y ← max(y − τ, 0) with Σ = s, for non-empty y. O(n). Refuses NaN and ±∞, leaving y unchanged.
///
/// In a sorted vector only the end that keeps mass is searched. Another long vector is sifted first: one pass
/// keeps the few entries that may lie on either side of τ according to a sample, and checks the rest. If the
/// sample was wrong, and for short vectors, all entries are searched.
pub(crate) fn project_onto_simplex(
    y: &mut [f64],
    s: f64,
    scratch: &mut Scratch,
) -> Result<(), ProjectionError> {
    if s > 0.0 && !ORDINARY.contains(&s) {
        return project_in_other_units(y, s, scratch);
    }
    // Every entry may become a candidate, so memory for all is reserved once.
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
            threshold(y, s, KnownAbove::default(), candidates)
        }
    };
    y.iter_mut().for_each(|v| *v = positive((*v - p) + lift));
    Ok(())
}

/// Masses for which no sum or quotient leaves the range.
const ORDINARY: Range<f64> = 1e-250..1e250;

/// The same for other masses, in units of a power of two in which n·s is finite and s/n is normal.
fn project_in_other_units(y: &mut [f64], s: f64, scratch: &mut Scratch) -> Result<(), ProjectionError> {
    check_finite("y", y)?;
    let (top, large) = (max(y), s > 1.0);
    let unit = if large { 1.0 / POWER } else { POWER * POWER * POWER };
    for v in &mut *y {
        // Entries near the top hold a small mass; an entry beyond the lower end of the range holds none.
        *v = if large { *v * unit } else { ((*v - top) * unit).max(f64::MIN) };
    }
    scratch.make_room_to_sift(y.len());
    let (p, lift) = threshold(y, s * unit, KnownAbove::default(), &mut scratch.values);
    // Rounding alone could lift a coordinate above s, and out of the range.
    y.iter_mut().for_each(|v| *v = (positive((*v - p) + lift) / unit).min(s));
    Ok(())
}

/// 2⁶⁴.
const POWER: f64 = 18_446_744_073_709_551_616.0;

/// The threshold τ = p − lift of a finite vector sorted up or down: the method of \[D08\] without its sort.
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
        // Extra entries do no harm, but rounding must not omit one that keeps mass.
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
    Some(exact_threshold(end, s, KnownAbove::default(), top + (sum - s) / count))
}

/// The threshold τ = p − lift from one pass over y; `None` if y is short, an entry is not finite, or the
/// sample was wrong.
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
    let known = sift(y, low, high, sifted)?;
    let (p, lift) = match sifted.is_empty() {
        true => (high, (s - known.excess) / known.count),
        false => threshold(sifted, s, known, candidates),
    };
    // Inside the bracket the pass missed no entry; near its upper end no small coordinate is a difference of
    // large numbers.
    let between = p - lift >= low && p - lift <= high;
    let near = known.count * (high - p).abs() <= s || known.count == 0.0;
    (between && near && lift.is_finite()).then_some((p, lift))
}

/// The threshold τ = p − lift if every coordinate stays positive; `None` if not, if one is not finite, or if
/// p is far from τ.
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
    // A NaN or an infinity makes the sum NaN or infinite.
    (lowest > -lift && count * lift.abs() <= s).then_some((p, lift))
}

/// The threshold τ = p − lift of finite non-empty y and of entries known to lie above τ.
fn threshold(y: &[f64], s: f64, known: KnownAbove, candidates: &mut Vec<f64>) -> (f64, f64) {
    exact_threshold(y, s, known, guess_threshold(y, max(y), s, known, candidates))
}

/// The same from a guess p at τ.
///
/// Every set of k entries with sum Σ gives a lower bound (Σ − s)/k on the threshold τ, and the support {y >
/// τ} gives τ itself. With V = Σ(y − p) over the entries above p, the bound is p − lift for lift = (s − V)/k.
/// These are differences of neighbours and sums of terms of one sign, so neither a common offset nor a wide
/// range costs accuracy. The guess was right if the bound separates the same entries. Otherwise the entries
/// above the bound contain the support, and the bound rises until it separates them.
fn exact_threshold(y: &[f64], s: f64, known: KnownAbove, p: f64) -> (f64, f64) {
    // A few extra entries do no harm; a few missing ones cost another pass.
    let mut cut = -(1e-12 * s).max(SMALLEST);
    let mut guessed = true;
    loop {
        let above = Above::of(y, p, cut);
        let lift = (s - (above.excess + known.excess_over(p))) / (above.count + known.count);
        let stands = above.lowest > -lift && above.next <= -lift;
        if stands || !(guessed || -lift > cut) {
            return (p, lift);
        }
        (cut, guessed) = (-lift, false);
    }
}

/// The smallest positive number.
const SMALLEST: f64 = f64::from_bits(1);

/// The entries with y − p above a cut, relative to p.
struct Above {
    /// Σ(y − p).
    excess: f64,
    /// Their number.
    count: f64,
    /// The lowest.
    lowest: f64,
    /// The highest of the other entries.
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
                // If no entry of a row is above the cut, only its largest matters.
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
                    // Halving a subnormal number rounds, once per coordinate.
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

    /// The threshold comes out of every start: of guesses at τ, below it, above it, and at the top, on
    /// vectors with ties, of any length, with and without entries that are known to lie above.
    #[test]
    fn the_threshold_does_not_depend_on_the_guess() {
        for n in [1_u32, 2, 5, 8, 9, 40, 1000] {
            for scale in [1.0, 1e-3, 1e6] {
                let mixed = (0..n).map(|i| scale * (f64::from(i) * 0.7391).sin());
                let y: Vec<f64> = if n % 2 == 0 { mixed.map(f64::round).collect() } else { mixed.collect() };
                let mut falling = y.clone();
                falling.sort_unstable_by(|a, b| b.total_cmp(a));
                for s in [1e-6, 0.1, 1.0, 50.0] {
                    let (mut sum, mut tau) = (0.0, f64::NEG_INFINITY);
                    for (k, v) in falling.iter().enumerate() {
                        sum += v;
                        tau = tau.max((sum - s) / (k as f64 + 1.0));
                    }
                    for far in [0.0, -1e-9, 1e-9, -0.1, 0.1, -3.0, 3.0] {
                        let guess = (tau + far * s).min(falling[0]);
                        let (p, lift) = exact_threshold(&y, s, KnownAbove::default(), guess);
                        let allowed = 1e-12 * (s + scale * f64::from(n));
                        assert!(
                            (p - lift - tau).abs() <= allowed,
                            "n = {n}, s = {s}: {} for {tau}",
                            p - lift
                        );
                        let above: Vec<f64> = y.iter().copied().filter(|v| *v > tau + 0.5 * s).collect();
                        let rest: Vec<f64> = y.iter().copied().filter(|v| *v <= tau + 0.5 * s).collect();
                        let at = tau + 0.25 * s;
                        let excess = above.iter().map(|v| v - at).sum();
                        let known = KnownAbove { at, excess, count: above.len() as f64 };
                        let (p, lift) = exact_threshold(&rest, s, known, guess);
                        assert!(
                            (p - lift - tau).abs() <= allowed,
                            "n = {n}, s = {s}: {} for {tau}",
                            p - lift
                        );
                    }
                }
            }
        }
    }

    /// What is above a cut and what is not, at every length of the last row.
    #[test]
    fn entries_above_a_cut_are_summed_and_the_next_is_known() {
        for n in 1..40_u32 {
            let y: Vec<f64> = (0..n).map(|i| (3.0 * (f64::from(i) * 0.7391).sin()).round()).collect();
            for (p, cut) in [(0.0, -1.5), (0.5, 0.5), (-1.0, 0.0), (2.0, 2.0), (-4.0, 0.0)] {
                let above = Above::of(&y, p, cut);
                let inside = y.iter().map(|v| v - p).filter(|u| *u > cut);
                assert_eq!(above.excess, inside.clone().sum::<f64>() + 0.0, "n = {n}, p = {p}");
                assert_eq!(above.count, inside.clone().count() as f64);
                assert_eq!(above.lowest, inside.fold(f64::INFINITY, f64::min));
                let others = y.iter().map(|v| v - p).filter(|u| *u <= cut);
                assert_eq!(above.next, others.fold(f64::NEG_INFINITY, f64::max));
            }
        }
    }
}
