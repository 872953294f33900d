//! Sums of the g and h of the pairs of a split, before they are rounded to quanta.

use super::quantise::Units;
use crate::pairs::{PairRound, PairWeights};
use crate::{RankError, Ranks};
use num_traits::float::FloatCore;
use rows::numeric::{exponent_above, scale};

/// G, H and Σ|g| of some pairs, in quanta, from g and h before rounding.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unrounded {
    pub(super) g: f64,
    pub(super) h: f64,
    pub(super) size: f64,
}

/// Sums of doubles, which depend on the order of the pairs, and the largest |g| and h.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InOrder {
    pub(super) sums: Unrounded,
    pub(super) largest: [f64; 2],
}

impl InOrder {
    /// Adds the g and h of a pair.
    pub(super) fn add(&mut self, [g, h]: [f64; 2]) {
        let size = g.abs();
        self.sums.g += g;
        self.sums.h += h;
        self.sums.size += size;
        self.largest = [self.largest[0].max(size), self.largest[1].max(h)];
    }
}

/// The g and h of some pairs as whole numbers of their *grains*, at most 2^−67 of the largest, so that their
/// sums are the same in any order, and on any number of ranks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grains<'a> {
    round: &'a PairRound<'a>,
    units: Units,
    /// A grain of g is 2^g quanta, one of h 2^h.
    g: i32,
    h: i32,
}

/// The sums of some pairs in grains.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GrainSums {
    g: i128,
    h: i128,
    size: i128,
}

impl<'a> Grains<'a> {
    /// g and h of a pair in quanta.
    pub(super) fn pair(round: &PairRound<'_>, units: Units, (i, action): (usize, u32)) -> [f64; 2] {
        let pair = action as usize * round.examples() + i;
        let h = match round.weights() {
            PairWeights::OfExamples(h) => h[i],
            PairWeights::OfPairs(h) => h[pair],
        };
        [units.gradient(round.gradients()[pair]), units.weight(h)]
    }

    /// The grains of at most so many pairs, where these are the largest |g| and h in quanta.
    pub(super) fn of(round: &'a PairRound<'a>, units: Units, pairs: f64, [g, h]: [f64; 2]) -> Self {
        // A number is below 2^bits grains, and the sum of all below 2^125.
        let bits = 125 - exponent_above(pairs.max(1.0));
        let [g, h] = [g, h].map(|most| if most > 0.0 { exponent_above(most) - bits } else { 0 });
        Self { round, units, g, h }
    }

    /// Adds a pair.
    pub(super) fn add(self, sums: &mut GrainSums, pair: (usize, u32)) {
        let [g, h] = Self::pair(self.round, self.units, pair);
        let g = in_grains(g, self.g);
        sums.g += g;
        sums.h += in_grains(h, self.h);
        sums.size += g.abs();
    }

    /// The sums of both sides of a split, each in its own grains, over the ranks.
    ///
    /// # Errors
    /// [`RankError`].
    pub(super) fn of_all_ranks(
        sides: [(Self, GrainSums); 2],
        ranks: &Ranks,
    ) -> Result<[Unrounded; 2], RankError> {
        let mut sums = sides.map(|(_, side)| [side.g, side.h, side.size]);
        if ranks.are_several() {
            // Four parts of 32 bits, whose sums need no carry.
            #[allow(clippy::cast_possible_truncation, reason = "its parts")]
            let part = |sum: i128, k: u32| u64::from((sum.cast_unsigned() >> (32 * k)) as u32);
            let parts = sums.iter().flatten().flat_map(|sum| (0..4).map(move |k| part(*sum, k)));
            let mut parts: Vec<u64> = parts.collect();
            ranks.sum(&mut parts)?;
            let (parts, _) = parts.as_chunks::<4>();
            for (sum, parts) in sums.iter_mut().flatten().zip(parts) {
                let shifted = (0..).zip(parts).map(|(k, part)| u128::from(*part) << (32 * k));
                *sum = shifted.fold(0, u128::wrapping_add).cast_signed();
            }
        }
        let of_side = |k: usize| {
            let ([g, h, size], (grains, _)) = (sums[k], sides[k]);
            Unrounded {
                g: scale(g as f64, grains.g),
                h: scale(h as f64, grains.h),
                size: scale(size as f64, grains.g),
            }
        };
        Ok([0, 1].map(of_side))
    }
}

/// v·2^−grain, rounded to the nearest whole number and at a half away from 0, for a grain of at least
/// `exponent_above(v)` − 125.
///
/// By whole numbers, because `round` and the conversion of a double to 128 bits are calls.
#[inline]
fn in_grains(v: f64, grain: i32) -> i128 {
    let (mantissa, exponent, sign) = v.integer_decode();
    let mantissa = i128::from(mantissa);
    let size = match i32::from(exponent) - grain {
        // Below a half.
        ..-53 => 0,
        down @ -53..0 => (mantissa + (1 << (-down - 1))) >> -down,
        // At most 72, unless v is 0.
        up => mantissa << up.min(73),
    };
    if sign < 0 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grains_are_the_nearest_whole_numbers() {
        #[allow(clippy::cast_possible_truncation, reason = "whole, and below 2^125")]
        let expected = |v: f64, grain: i32| scale(v, -grain).round() as i128;
        let tiny = f64::from_bits(1);
        let sizes =
            [0.0, 1.0, 1.5, 2.5, 0.1, 1.0 - f64::EPSILON / 2.0, 1.0 + f64::EPSILON, f64::MIN_POSITIVE, tiny];
        for v in sizes.into_iter().flat_map(|v| [v, -v]) {
            for grain in (-72..=60).chain([-1074, -1100, 1000]) {
                if v == 0.0 || exponent_above(v) - grain <= 125 {
                    assert_eq!(in_grains(v, grain), expected(v, grain), "{v:e} {grain}");
                }
            }
            // The largest numbers.
            let grain = exponent_above(v) - 124;
            assert_eq!(in_grains(v, grain), expected(v, grain), "{v:e} {grain}");
        }
    }

    #[test]
    fn sums_in_grains_are_those_of_any_order_and_exact_where_doubles_are_not() -> Result<(), RankError> {
        // 1, and 100 numbers that vanish beside it one by one.
        let mut g = vec![f64::EPSILON / 8.0; 101];
        g[0] = 1.0;
        let h = vec![1.0; 101];
        let Ok(round) = PairRound::new(101, 1, &g, PairWeights::OfExamples(&h)) else { unreachable!() };
        let units = Units::default();
        let grains = Grains::of(&round, units, 101.0, [1.0, 1.0]);
        let sum = |pairs: &mut dyn Iterator<Item = usize>| {
            let mut sums = GrainSums::default();
            pairs.for_each(|i| grains.add(&mut sums, (i, 0)));
            sums
        };
        let of = |side: GrainSums| {
            Grains::of_all_ranks([side, GrainSums::default()].map(|side| (grains, side)), &Ranks::alone())
        };
        let forwards = of(sum(&mut (0..101)))?;
        let backwards = of(sum(&mut (0..101).rev()))?;
        for [found, nothing] in [forwards, backwards] {
            assert_eq!((found.g, found.h, found.size), (1.0 + 12.5 * f64::EPSILON, 101.0, found.g));
            assert_eq!((nothing.g, nothing.h, nothing.size), (0.0, 0.0, 0.0));
        }
        Ok(())
    }
}
