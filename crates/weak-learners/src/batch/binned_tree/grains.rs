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
    /// The place of row 0 among the examples of all ranks.
    first: usize,
    /// Buffers for the examples that a partition moves.
    moved: (Vec<u32>, Vec<Sums>),
}

impl Examples {
    /// Takes the examples that weigh a grain or more, of those whose rows are at this place, and sums them
    /// and those of other ranks. Returns the number and the sums of all.
    ///
    /// # Errors
    /// Those of the contract of training.
    pub(super) fn take(
        &mut self,
        (size, place): (usize, Range<usize>),
        targets: &[f64],
        weights: &[f64],
    ) -> Result<(usize, Sums), LearnerError> {
        let grain = Grain::of(size, targets, weights)?;
        let in_grains = |a: f64, w: f64| {
            let w = grain.count(w);
            Sums { weight: Grain::whole(w), product: Grain::whole(w * a) }
        };
        let m = place.len();
        self.rows.resize(m, 0);
        self.sums.resize(m, Sums::default());
        self.moved.0.resize(m, 0);
        self.moved.1.resize(m, Sums::default());
        let (mut kept, mut all) = (0, Sums::default());
        for ((a, w), row) in targets[place.clone()].iter().zip(&weights[place.clone()]).zip(0..) {
            let sums = in_grains(*a, *w);
            // An example of weight 0 is overwritten by the next: no branch to mispredict.
            (self.rows[kept], self.sums[kept]) = (row, sums);
            kept += usize::from(sums.weight > 0);
            all += sums;
        }
        self.rows.truncate(kept);
        self.sums.truncate(kept);
        self.first = place.start;
        for others in [0..place.start, place.end..size] {
            for (a, w) in targets[others.clone()].iter().zip(&weights[others]) {
                let sums = in_grains(*a, *w);
                kept += usize::from(sums.weight > 0);
                all += sums;
            }
        }
        Ok((kept, all))
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
        let targets = &targets[self.first..];
        let mut targets = self.rows[range].iter().map(|&i| targets[i as usize]);
        let first = targets.next();
        targets.all(|a| Some(a) == first)
    }

    /// The lowest and the highest target in a range, as numbers of which ranks find the largest: the
    /// complement of the lowest. 0 for both without an example.
    pub(super) fn extremes(&self, range: Range<usize>, targets: &[f64]) -> [u64; 2] {
        let targets = &targets[self.first..];
        let mut extremes = [0; 2];
        for &i in &self.rows[range] {
            // −0 is 0.
            let bits = (targets[i as usize] + 0.0).to_bits().cast_signed();
            let ordered = if bits < 0 { bits ^ i64::MAX } else { bits };
            let ordered = ordered.cast_unsigned() ^ (1 << 63);
            extremes = [extremes[0].max(!ordered), extremes[1].max(ordered)];
        }
        extremes
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
    /// Whether all targets are equal, if all are ±1: an example then adds its weight or takes it away.
    pub(super) fn are_of_one_label(self) -> bool {
        self.product.abs() == self.weight
    }

    /// For a message, and back. Sums of words modulo 2^64 are those of the numbers.
    pub(super) fn words(self) -> [u64; 2] {
        [self.weight.cast_unsigned(), self.product.cast_unsigned()]
    }

    pub(super) fn of([weight, product]: [u64; 2]) -> Self {
        Self { weight: weight.cast_signed(), product: product.cast_signed() }
    }

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
