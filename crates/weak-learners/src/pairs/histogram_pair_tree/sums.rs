//! Sums of pairs.

use crate::{RankError, Ranks};
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// G and H of some pairs, in quanta: whole numbers below 2^53, so that sums of doubles are exact in any
/// order.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
pub(in crate::pairs) struct Sums {
    pub(in crate::pairs) g: f64,
    pub(in crate::pairs) h: f64,
}

impl Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { g: self.g + other.g, h: self.h + other.h }
    }
}

impl Sub for Sums {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { g: self.g - other.g, h: self.h - other.h }
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

/// The same in a word: G·2^32 + H modulo 2^64. The sum of words is the word of the sum, whatever the partial
/// sums, and G and H are read back if |G| < 2^31 and 0 ≤ H < 2^32.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(transparent)]
pub(in crate::pairs) struct Word(u64);

impl Word {
    /// The largest Σh of a set of pairs that words hold, with any part of it, if |g| ≤ `ratio`·h for each
    /// pair: then |Σg| ≤ `ratio`·Σh.
    pub(in crate::pairs) fn limit(ratio: f64) -> f64 {
        (f64::from(i32::MAX) / ratio).min(f64::from(u32::MAX))
    }

    pub(in crate::pairs) fn pack(g: i32, h: i32) -> Self {
        Self((u64::from(g.cast_unsigned()) << 32).wrapping_add(i64::from(h).cast_unsigned()))
    }

    #[allow(clippy::cast_possible_truncation, reason = "its halves")]
    pub(in crate::pairs) fn unpack(self) -> (i32, u32) {
        (((self.0 >> 32) as u32).cast_signed(), self.0 as u32)
    }

    pub(in crate::pairs) fn load(from: &AtomicU64) -> Self {
        Self(from.load(Relaxed))
    }

    pub(in crate::pairs) fn store(self, to: &AtomicU64) {
        to.store(self.0, Relaxed);
    }
}

impl Add for Word {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl Sub for Word {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

impl From<Word> for Sums {
    fn from(word: Word) -> Self {
        let (g, h) = word.unpack();
        Self { g: g.into(), h: h.into() }
    }
}

impl From<Sums> for Word {
    #[allow(clippy::cast_possible_truncation, reason = "whole numbers below 2^53")]
    fn from(Sums { g, h }: Sums) -> Self {
        Self(((g as i64) << 32).wrapping_add(h as i64).cast_unsigned())
    }
}

/// The cell of a histogram.
pub(in crate::pairs) trait Cell:
    Copy + Default + PartialEq + Add<Output = Self> + Sub<Output = Self> + From<Word> + From<Sums> + Into<Sums>
{
    /// The type of H in comparisons.
    type Weight: Copy + PartialOrd;

    fn weight(self) -> Self::Weight;

    /// The least whole weight ≥ `least`, and the largest ≤ `most`.
    fn range(least: f64, most: f64) -> (Self::Weight, Self::Weight);

    /// The free lists of such cells.
    fn free(cells: &mut FreeCells) -> &mut Vec<Vec<Self>>;

    /// Appends its whole numbers, modulo 2^64.
    fn write(self, numbers: &mut Vec<u64>);

    /// The cell of the next of such numbers.
    fn read(numbers: &mut impl Iterator<Item = u64>) -> Self;
}

/// Replaces cells by their sums over the ranks: 8 bytes a word, 16 otherwise.
pub(in crate::pairs) fn add_up<C: Cell>(
    cells: &mut [C],
    ranks: &Ranks,
    numbers: &mut Vec<u64>,
) -> Result<(), RankError> {
    if ranks.are_several() {
        numbers.clear();
        cells.iter().for_each(|cell| cell.write(numbers));
        ranks.sum(numbers)?;
        let mut numbers = numbers.iter().copied();
        cells.iter_mut().for_each(|cell| *cell = C::read(&mut numbers));
    }
    Ok(())
}

/// Lists of cells that are free for use.
#[derive(Debug, Default)]
pub(in crate::pairs) struct FreeCells {
    packed: Vec<Vec<Word>>,
    wide: Vec<Vec<Sums>>,
}

impl FreeCells {
    /// A list of so many empty cells.
    pub(in crate::pairs) fn take<C: Cell>(&mut self, len: usize) -> Vec<C> {
        let mut cells = C::free(self).pop().unwrap_or_default();
        cells.clear();
        cells.resize(len, C::default());
        cells
    }

    pub(in crate::pairs) fn put<C: Cell>(&mut self, cells: Vec<C>) {
        C::free(self).push(cells);
    }
}

impl Cell for Sums {
    type Weight = f64;

    fn weight(self) -> f64 {
        self.h
    }

    fn range(least: f64, most: f64) -> (f64, f64) {
        (least, most)
    }

    fn free(cells: &mut FreeCells) -> &mut Vec<Vec<Self>> {
        &mut cells.wide
    }

    #[allow(clippy::cast_possible_truncation, reason = "whole numbers below 2^53")]
    fn write(self, numbers: &mut Vec<u64>) {
        numbers.extend([self.g, self.h].map(|sum| (sum as i64).cast_unsigned()));
    }

    fn read(numbers: &mut impl Iterator<Item = u64>) -> Self {
        let mut next = || numbers.next().unwrap_or_default().cast_signed() as f64;
        Self { g: next(), h: next() }
    }
}

impl Cell for Word {
    type Weight = u32;

    fn weight(self) -> u32 {
        self.unpack().1
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within 0 and H of a node that words hold"
    )]
    fn range(least: f64, most: f64) -> (u32, u32) {
        // Conversions cut off what is behind the point. `floor` and `ceil` are calls, and every column of
        // every node asks, up to three times.
        let cut_off = least as u32;
        (cut_off.saturating_add(u32::from(f64::from(cut_off) < least)), most as u32)
    }

    fn free(cells: &mut FreeCells) -> &mut Vec<Vec<Self>> {
        &mut cells.packed
    }

    fn write(self, numbers: &mut Vec<u64>) {
        numbers.push(self.0);
    }

    fn read(numbers: &mut impl Iterator<Item = u64>) -> Self {
        Self(numbers.next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_a_word_has_the_whole_weights_between_two_numbers() {
        let cases = [
            ((2.0, 5.0), (2, 5)),
            ((2.25, 4.75), (3, 4)),
            ((1e-9, 0.9), (1, 0)),
            ((0.0, -0.5), (0, 0)),
            ((-1.5, -0.0), (0, 0)),
            ((f64::NEG_INFINITY, f64::INFINITY), (0, u32::MAX)),
            ((f64::NAN, f64::NAN), (0, 0)),
            ((4_294_967_294.5, 4_294_967_295.5), (u32::MAX, u32::MAX)),
            ((1e12, 1e12), (u32::MAX, u32::MAX)),
        ];
        for ((least, most), expected) in cases {
            assert_eq!(Word::range(least, most), expected, "{least} {most}");
        }
    }

    #[test]
    fn words_up_to_their_limit_hold_sums_and_parts_of_them() {
        for ratio in [0.2_f64, 1.0, 7.0] {
            let (mut all, mut wide) = (Word::default(), Sums::default());
            let (mut part, mut wide_part) = (all, wide);
            for k in 0_i32.. {
                let h = 1 + (k % 1000) * 300;
                // |g| = ratio·h, of one sign for long: as far as the limit lets it come.
                #[allow(clippy::cast_possible_truncation, reason = "below 2^22")]
                let g = (ratio * f64::from(h)).floor() as i32 * if ratio < 7.0 { 1 } else { -1 };
                if wide.h + f64::from(h) > Word::limit(ratio) {
                    break;
                }
                all = all + Word::pack(g, h);
                wide += Sums::from(Word::pack(g, h));
                if k % 3 == 0 {
                    part = part + Word::pack(-g, h);
                    wide_part += Sums { g: f64::from(-g), h: f64::from(h) };
                }
            }
            // Near the end of what G or H may be.
            assert!(wide.g.abs() > 2_147_483_647.0 * 0.99 || wide.h > 4_294_967_295.0 * 0.99, "{wide:?}");
            assert_eq!((Sums::from(all), Sums::from(part)), (wide, wide_part));
            assert_eq!((Word::from(wide), Word::from(wide_part)), (all, part));
            // Over zero and back.
            assert_eq!(Sums::from(part - all + all), wide_part);
        }
    }
}
