//! The examples of a training in whole numbers, in the order of the nodes.

use crate::LearnerError;
use crate::batch::contract::Grain;
use std::ops::{Add, AddAssign, Range, Sub, SubAssign};

/// Σ w_i and Σ w_i a_i over some examples, in grains.
///
/// Both terms of an example are whole [`Grain`]s, rounded towards zero. So sums are exact in any order,
/// differences are exact, and |Σ w_i a_i| ≤ Σ w_i.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) weight: i64,
    pub(super) product: i64,
}

/// The examples of positive weight; the examples of a node are contiguous, in the order of the sample.
#[derive(Debug, Clone, Default)]
pub(super) struct Examples {
    rows: Vec<u32>,
    sums: Vec<Sums>,
    /// Buffers for the examples that a partition moves.
    moved: (Vec<u32>, Vec<Sums>),
}

impl Examples {
    /// Takes the examples that weigh a grain or more, and sums them.
    ///
    /// # Errors
    /// Those of the contract of training.
    pub(super) fn take(&mut self, m: usize, targets: &[f64], weights: &[f64]) -> Result<Sums, LearnerError> {
        let grain = Grain::of(m, targets, weights)?;
        self.rows.resize(m, 0);
        self.sums.resize(m, Sums::default());
        self.moved.0.resize(m, 0);
        self.moved.1.resize(m, Sums::default());
        let (mut kept, mut all) = (0, Sums::default());
        for ((a, w), row) in targets.iter().zip(weights).zip(0..) {
            let w = grain.count(*w);
            let sums = Sums { weight: Grain::whole(w), product: Grain::whole(w * a) };
            // An example of weight 0 is overwritten by the next: no branch to mispredict.
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

    /// The rows of the sample in a range, and their grains.
    pub(super) fn of(&self, range: Range<usize>) -> (&[u32], &[Sums]) {
        (&self.rows[range.clone()], &self.sums[range])
    }

    /// Whether all targets in a range are equal, so that no split gains.
    pub(super) fn are_alike(&self, range: Range<usize>, targets: &[f64]) -> bool {
        let mut targets = self.rows[range].iter().map(|&i| targets[i as usize]);
        let first = targets.next();
        targets.all(|a| Some(a) == first)
    }

    /// Moves the examples up to this bin before the others, in stable order; returns where the others begin.
    pub(super) fn partition(&mut self, range: Range<usize>, bins: &[u8], bin: u8) -> usize {
        let (rows, sums) = (&mut self.rows[range.clone()], &mut self.sums[range.clone()]);
        let (moved_rows, moved_sums) = &mut self.moved;
        let (mut kept, mut moved) = (0, 0);
        // Every example is written to both places, and only one of them advances: no branch to mispredict.
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
    /// The weighted mean of the targets, for a positive weight. Both sums are rounded alike, so that it is in
    /// \[−1, 1\].
    pub(super) fn mean(self) -> f64 {
        self.product as f64 / self.weight as f64
    }

    /// A share of at most 1 of the weight, rounded up to whole grains: ⌈W·share⌉ with no other rounding.
    pub(super) fn share(self, share: f64) -> i64 {
        // The share is mantissa/2^below, where below < 1075.
        let bits = share.abs().to_bits();
        let (exponent, fraction) = ((bits >> 52) as u32, bits & ((1 << 52) - 1));
        let (mantissa, below) = match exponent {
            0 => (fraction, 1074),
            _ => (fraction | (1 << 52), 1075 - exponent),
        };
        // Less than 2^62·2^53.
        let product = u128::from(self.weight.unsigned_abs()) * u128::from(mantissa);
        let grains = 1_u128.checked_shl(below).map_or(u128::from(product > 0), |unit| product.div_ceil(unit));
        i64::try_from(grains).unwrap_or(i64::MAX)
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
