//! Values made of the bytes of an input: sizes, choices, numbers.
//!
//! Bytes that are used up give zeros, so that every input is a value and a short one is a small one.

use crate::verdict::AnyError;
use arbitrary::Unstructured;
use rows::RowMatrix;

/// The rest of an input.
#[derive(Debug)]
pub(super) struct Draw<'a> {
    bytes: Unstructured<'a>,
}

/// Ends of ranges, of doubles and of what this repository allows (1e140), and what is no number.
const EXTREMES: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.0 - f64::EPSILON / 2.0,
    1.0 + f64::EPSILON,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    1e-300,
    1e-140,
    1e15,
    9_007_199_254_740_993.0,
    1e30,
    1e140,
    -1e140,
    1.000_000_001e140,
    1e300,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

impl<'a> Draw<'a> {
    pub(super) fn new(input: &'a [u8]) -> Self {
        Self { bytes: Unstructured::new(input) }
    }

    pub(super) fn byte(&mut self) -> u8 {
        self.bytes.arbitrary().unwrap_or_default()
    }

    /// A number of things, with both ends.
    pub(super) fn size(&mut self, least: usize, most: usize) -> usize {
        self.bytes.int_in_range(least..=most).unwrap_or(least)
    }

    /// A number below a bound above 0, as an index or a label.
    pub(super) fn index(&mut self, bound: usize) -> u32 {
        u32::try_from(self.size(0, bound.saturating_sub(1))).unwrap_or_default()
    }

    pub(super) fn coin(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    pub(super) fn word(&mut self) -> u64 {
        self.bytes.arbitrary().unwrap_or_default()
    }

    pub(super) fn half_word(&mut self) -> u32 {
        self.bytes.arbitrary().unwrap_or_default()
    }

    /// Any double: mostly small multiples of 1/8, which tie; at times other magnitudes, and no numbers.
    pub(super) fn any(&mut self) -> f64 {
        let kind = self.byte();
        match kind {
            0..=143 => (f64::from(kind) - 72.0) / 8.0,
            144..=191 => self.scaled(),
            192..=223 => f64::from_bits(self.word()),
            _ => EXTREMES[usize::from(kind) % EXTREMES.len()],
        }
    }

    /// A finite double of any magnitude.
    pub(super) fn finite(&mut self) -> f64 {
        let x = self.any();
        if x.is_finite() { x } else { 0.0 }
    }

    /// Sixteen bits times a power of two between 2^−64 and 2^63.
    fn scaled(&mut self) -> f64 {
        let bits: i16 = self.bytes.arbitrary().unwrap_or_default();
        let exponent = i32::from(self.byte() % 128) - 64;
        f64::from(bits) * f64::from(exponent).exp2()
    }

    /// A double of a moderate magnitude, at most 2^15.
    pub(super) fn moderate(&mut self) -> f64 {
        let kind = self.byte();
        if kind < 160 {
            return (f64::from(kind) - 80.0) / 8.0;
        }
        let bits: i16 = self.bytes.arbitrary().unwrap_or_default();
        f64::from(bits) / [1.0, 16.0, 7.0, 1000.0][usize::from(kind) % 4]
    }

    /// A whole number between −9 and 9.
    pub(super) fn whole(&mut self) -> i32 {
        i32::from(self.byte() % 19) - 9
    }

    /// A number in (0, 1].
    pub(super) fn share(&mut self) -> f64 {
        let bits: u16 = self.bytes.arbitrary().unwrap_or_default();
        (f64::from(bits) + 1.0) / 65_536.0
    }

    pub(super) fn list<T>(&mut self, length: usize, one: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..length).map(|_| one(self)).collect()
    }

    /// A matrix of these rows, dense.
    pub(super) fn dense(rows: &[Vec<f64>], inputs: usize) -> Result<RowMatrix, AnyError> {
        Ok(RowMatrix::dense(inputs, rows.concat())?)
    }

    /// The same rows without their zeros.
    pub(super) fn sparse(rows: &[Vec<f64>], inputs: usize) -> Result<RowMatrix, AnyError> {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            for (j, value) in (0..).zip(row).filter(|(_, value)| **value != 0.0) {
                indices.push(j);
                values.push(*value);
            }
            offsets.push(values.len());
        }
        Ok(RowMatrix::sparse(inputs, offsets, indices, values)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_is_a_small_value_and_every_kind_of_number_comes() {
        let mut none = Draw::new(&[]);
        assert_eq!((none.size(2, 9), none.index(5), none.coin(), none.word()), (2, 0, false, 0));
        assert!(none.any().is_finite() && none.share() > 0.0);
        let mut state = 1_u32;
        let mut next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        let input: Vec<u8> = (0..60_000).map(&mut next).collect();
        let mut draw = Draw::new(&input);
        let numbers = draw.list(3000, Draw::any);
        assert!(numbers.iter().any(|x| x.is_nan()) && numbers.contains(&f64::MAX));
        assert!(numbers.iter().filter(|x| x.abs() <= 9.0).count() > 1000);
        let mut draw = Draw::new(&input);
        assert!(draw.list(3000, Draw::share).iter().all(|x| *x > 0.0 && *x <= 1.0));
        assert!(draw.list(3000, Draw::moderate).iter().all(|x| x.abs() <= 32_768.0));
    }
}
