//! The examples of a training in whole numbers, in the order of the nodes.

use crate::batch::contract::in_units;
use projections::{exponent_above, scale_up};
use std::ops::{Add, AddAssign, Range, Sub, SubAssign};

/// Σ w_i and Σ w_i a_i over some examples, in grains.
///
/// A grain is a power of two between 2^−61 and 2^−60 of the weight of all examples, and both terms of an example are
/// whole grains, rounded towards zero. So sums are exact and in no order, differences are exact, and |Σ w_i a_i| ≤ Σ w_i.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Sums {
    pub(super) weight: i64,
    pub(super) product: i64,
}

/// The examples that weigh something; those of a node stand together, in the order of the sample.
#[derive(Debug, Clone, Default)]
pub(super) struct Examples {
    rows: Vec<u32>,
    sums: Vec<Sums>,
    /// Room for those that a partition moves.
    moved: (Vec<u32>, Vec<Sums>),
}

impl Examples {
    /// Takes the examples that weigh a grain or more, and sums them; `largest` is the largest weight.
    pub(super) fn take(&mut self, targets: &[f64], weights: &[f64], largest: f64) -> Sums {
        let unit = exponent_above(largest);
        let total: f64 = weights.iter().map(|w| in_units(*w, unit)).sum();
        // Rounding of the total is far below a factor of two, so that the sum of all grains stays below 2^62.
        let grain = 61 - exponent_above(total);
        let in_grains = |v: f64| {
            #[allow(clippy::cast_possible_truncation, reason = "below 2^62; the fraction is to go")]
            let grains = scale_up(v, grain.unsigned_abs()) as i64;
            grains
        };
        self.rows.clear();
        self.sums.clear();
        for ((a, w), i) in targets.iter().zip(weights).zip(0..=u32::MAX).filter(|((_, w), _)| **w > 0.0) {
            let w = in_units(*w, unit);
            let sums = Sums { weight: in_grains(w), product: in_grains(w * a) };
            if sums.weight > 0 {
                self.rows.push(i);
                self.sums.push(sums);
            }
        }
        self.sums.iter().fold(Sums::default(), |all, sums| all + *sums)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The rows of the sample that stand in a range, and their grains.
    pub(super) fn of(&self, range: Range<usize>) -> (&[u32], &[Sums]) {
        (&self.rows[range.clone()], &self.sums[range])
    }

    /// Whether all targets in a range are equal, so that no split tells them apart.
    pub(super) fn are_alike(&self, range: Range<usize>, targets: &[f64]) -> bool {
        let mut targets = self.rows[range].iter().map(|&i| targets[i as usize]);
        let first = targets.next();
        targets.all(|a| Some(a) == first)
    }

    /// Puts those at most in this bin before those above it, each in their order; answers where the latter begin.
    pub(super) fn partition(&mut self, range: Range<usize>, bins: &[u8], bin: u8) -> usize {
        let (rows, sums) = (&mut self.rows[range.clone()], &mut self.sums[range.clone()]);
        let (moved_rows, moved_sums) = &mut self.moved;
        moved_rows.resize(rows.len().max(moved_rows.len()), 0);
        moved_sums.resize(rows.len().max(moved_sums.len()), Sums::default());
        let (mut kept, mut moved) = (0, 0);
        // Every example is written to both places, and only one of them moves on: no branch that could be mispredicted.
        for k in 0..rows.len() {
            let (row, sum) = (rows[k], sums[k]);
            (rows[kept], sums[kept]) = (row, sum);
            (moved_rows[moved], moved_sums[moved]) = (row, sum);
            let is_above = usize::from(bins[row as usize] > bin);
            kept += 1 - is_above;
            moved += is_above;
        }
        rows[kept..].copy_from_slice(&moved_rows[..moved]);
        sums[kept..].copy_from_slice(&moved_sums[..moved]);
        range.start + kept
    }
}

impl Sums {
    /// The weighted mean of the targets, for a positive weight. Both sums are rounded alike, so that it is in \[−1, 1\].
    pub(super) fn mean(self) -> f64 {
        self.product as f64 / self.weight as f64
    }

    /// A share of the weight, in whole grains.
    pub(super) fn share(self, share: f64) -> i64 {
        #[allow(clippy::cast_possible_truncation, reason = "a share of at most 1 of less than 2^62")]
        let grains = (self.weight as f64 * share).ceil() as i64;
        grains
    }
}

impl Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { weight: self.weight + other.weight, product: self.product + other.product }
    }
}

impl Sub for Sums {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { weight: self.weight - other.weight, product: self.product - other.product }
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Sums {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
