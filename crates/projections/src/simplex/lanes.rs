//! Passes over a vector in lanes, without branches.

use rows::numeric::{BLOCK, LANES};

/// 1 or 0, without a branch.
pub(crate) fn one_if(flag: bool) -> f64 {
    f64::from_bits(1_f64.to_bits() & 0_u64.wrapping_sub(u64::from(flag)))
}

/// max(v, 0), and +0 for −0.
pub(crate) fn positive(v: f64) -> f64 {
    if v > 0.0 { v } else { 0.0 }
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

/// Σ(v − tau) over the values above tau, and their number.
pub(crate) fn excess_above(values: &[f64], tau: f64) -> (f64, f64) {
    let (mut excess, mut count) = (0.0, 0);
    for block in values.chunks(BLOCK) {
        // An integer count takes half the instructions of a floating-point one.
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

/// Moves the wanted indices to the front and counts them.
pub(crate) fn partition(indices: &mut [usize], wanted: impl Fn(usize) -> bool) -> usize {
    let mut front = 0;
    for k in 0..indices.len() {
        if wanted(indices[k]) {
            indices.swap(front, k);
            front += 1;
        }
    }
    front
}
