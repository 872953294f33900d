//! The examples of a training in whole numbers, in the order of the nodes.

use crate::LearnerError;
use crate::batch::contract::{exponent_of_total, in_units};
use std::ops::{Add, AddAssign, Range, Sub, SubAssign};

/// Σ w_i and Σ w_i a_i over some examples, in grains.
///
/// A grain is a power of two, about 2^−61 to 2^−60 of the weight of all examples, and both terms of an example are
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
    /// Takes the examples that weigh a grain or more, and sums them.
    ///
    /// # Errors
    /// Those of the contract of training.
    pub(super) fn take(&mut self, m: usize, targets: &[f64], weights: &[f64]) -> Result<Sums, LearnerError> {
        // Sums stay below 2^62. A grain may lie beyond the range of powers of two, the halves of its exponent do not.
        let shift = 61 - exponent_of_total(m, targets, weights)?;
        let halves = (in_units(1.0, -(shift / 2)), in_units(1.0, shift / 2 - shift));
        #[allow(clippy::cast_possible_truncation, reason = "below 2^62; the fraction is to go")]
        let in_grains = |v: f64| v as i64;
        self.rows.resize(m, 0);
        self.sums.resize(m, Sums::default());
        self.moved.0.resize(m, 0);
        self.moved.1.resize(m, Sums::default());
        let (mut kept, mut all) = (0, Sums::default());
        for ((a, w), row) in targets.iter().zip(weights).zip(0..) {
            let w = w * halves.0 * halves.1;
            let sums = Sums { weight: in_grains(w), product: in_grains(w * a) };
            // One that weighs nothing is overwritten by the next: no branch that could be mispredicted.
            (self.rows[kept], self.sums[kept]) = (row, sums);
            kept += usize::from(sums.weight > 0);
            all += sums;
        }
        self.rows.truncate(kept);
        self.sums.truncate(kept);
        Ok(all)
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
