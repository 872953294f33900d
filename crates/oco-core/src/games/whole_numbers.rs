//! Doubles as whole numbers of any size on a common scale, and quotients rounded to doubles.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::float::FloatCore;
use num_traits::{ToPrimitive, Zero};
use rows::numeric::{scale_down, scale_up};

/// Doubles as whole multiples of 2^exponent, without any rounding.
pub(super) struct WholeNumbers {
    pub(super) numbers: Vec<BigInt>,
    pub(super) exponent: i64,
}

impl WholeNumbers {
    /// Finite doubles.
    pub(super) fn of(values: &[f64]) -> Self {
        let exponent = values.iter().filter(|v| **v != 0.0).map(|v| parts(*v).1).min().unwrap_or(0);
        let numbers = values.iter().map(|v| {
            let (digits, own) = parts(*v);
            // Zero has no exponent.
            BigInt::from(digits) << (own - exponent).max(0)
        });
        Self { numbers: numbers.collect(), exponent }
    }
}

/// v = digits·2^exponent with odd digits, or 0.
fn parts(v: f64) -> (i64, i64) {
    let (digits, exponent, sign) = v.integer_decode();
    let zeros = if digits == 0 { 0 } else { digits.trailing_zeros() };
    ((digits >> zeros).cast_signed() * i64::from(sign), i64::from(exponent) + i64::from(zeros))
}

/// (numerator/denominator)·2^exponent, rounded once to the nearest double, for a positive denominator.
pub(super) fn quotient(numerator: &BigInt, denominator: &BigInt, exponent: i64) -> f64 {
    if numerator.is_zero() {
        return 0.0;
    }
    let (magnitude, divisor) = (numerator.magnitude(), denominator.magnitude());
    let bits = |v: &BigUint| i64::try_from(v.bits()).unwrap_or(i64::MAX);
    // The leading bit of the quotient stands for 2^top, and no bit of a double is below 2^−1074.
    let longer = bits(magnitude) - bits(divisor);
    let (left, right) = ((-longer).max(0), longer.max(0));
    let reaches = magnitude << left >= divisor << right;
    let top = longer + exponent - i64::from(!reaches);
    let last = (top - 52).max(LOWEST_BIT);
    let digits = nearest(magnitude, divisor, exponent - last);
    // At most 2^53, hence exact; so is the power of two, up to the end of the range.
    let digits = digits.to_f64().unwrap_or(f64::INFINITY);
    let power = u32::try_from(last.unsigned_abs()).unwrap_or(u32::MAX);
    let size = if last < 0 { scale_down(digits, power) } else { scale_up(digits, power) };
    if numerator.sign() == Sign::Minus { -size } else { size }
}

/// The place of the last bit of the smallest doubles.
const LOWEST_BIT: i64 = -1074;

/// The whole number nearest to (numerator/denominator)·2^power, of two the even one.
fn nearest(numerator: &BigUint, denominator: &BigUint, power: i64) -> BigUint {
    let shift = power.unsigned_abs();
    let (up, down) = if power < 0 { (0, shift) } else { (shift, 0) };
    let divisor = denominator << down;
    let numerator = numerator << up;
    let mut digits = &numerator / &divisor;
    let rest = numerator % &divisor;
    let above_half = (rest << 1_u32).cmp(&divisor);
    if above_half == Ordering::Greater || (above_half == Ordering::Equal && digits.bit(0)) {
        digits += 1_u32;
    }
    digits
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "what is compared exactly is exact")]
mod tests {
    use super::*;
    use num_traits::Signed;
    use proptest::prelude::*;

    #[test]
    fn the_ends_of_the_range_come_back() {
        for v in
            [0.0, -0.0, 1.0, -1.5, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, -3.0 * 5e-324, 1.0 / 3.0]
        {
            let WholeNumbers { numbers, exponent } = WholeNumbers::of(&[v, 0.0]);
            assert_eq!(quotient(&numbers[0], &BigInt::from(1), exponent), v, "{v}");
        }
        let both = WholeNumbers::of(&[f64::MAX, 5e-324]);
        assert_eq!(quotient(&both.numbers[0], &BigInt::from(1), both.exponent), f64::MAX);
        assert_eq!(quotient(&both.numbers[0], &both.numbers[1], 0), f64::INFINITY);
        assert_eq!(quotient(&both.numbers[1], &both.numbers[0], 0), 0.0);
    }

    #[test]
    fn quotients_close_to_a_half_of_the_last_bit_are_rounded_once() {
        let quotient = |a: i64, b: i64| quotient(&BigInt::from(a), &BigInt::from(b), 0);
        // Its first 66 bits are those of a number half-way between two doubles.
        assert_eq!(quotient(-296_395_205, 428_673_953), -296_395_205.0 / 428_673_953.0);
        // Half-way numbers go to the even neighbour, below and above.
        let two = 1_i64 << 53;
        assert_eq!(quotient(two + 1, 1), 2_f64.powi(53));
        assert_eq!(quotient(two + 3, 1), 2_f64.powi(53) + 4.0);
        assert_eq!(quotient(2 * two - 1, 2), 2_f64.powi(53));
        // Just below a power of two, where doubles lie twice as close as above it.
        assert_eq!(quotient(two, two + 1), 1.0_f64.next_down());
    }

    proptest! {
        #[test]
        fn quotients_are_those_of_doubles(a in any::<i32>(), b in 1..i32::MAX, e in -30..30_i64) {
            let want = f64::from(a) / f64::from(b) * 2_f64.powi(i32::try_from(e).unwrap());
            prop_assert_eq!(quotient(&BigInt::from(a), &BigInt::from(b), e), want);
        }

        /// Also below the normal range, where the last bit of a double stands for 2^−1074.
        #[test]
        fn no_double_is_nearer(a in any::<i128>(), b in 1..i64::MAX, e in -1160..900_i64) {
            assert_nearest(&BigInt::from(a), &BigInt::from(b), e)?;
        }

        /// Near powers of two, where the spacing of doubles changes.
        #[test]
        fn no_double_is_nearer_to_a_number_close_to_a_power_of_two(
            b in 1..i64::MAX, less in -5000..5000_i64, up in 0..64_u32, e in -1160..900_i64,
        ) {
            assert_nearest(&((BigInt::from(b) << up) - less), &BigInt::from(b), e)?;
        }
    }

    fn assert_nearest(a: &BigInt, b: &BigInt, e: i64) -> Result<(), TestCaseError> {
        let got = quotient(a, b, e);
        let WholeNumbers { numbers, exponent } = WholeNumbers::of(&[got, got.next_up(), got.next_down()]);
        let (left, right) = ((e - exponent).max(0), (exponent - e).max(0));
        let [own, up, down] = [0, 1, 2].map(|i| ((a << left) - ((&numbers[i] * b) << right)).abs());
        prop_assert!(own <= up && own <= down, "{got:e}");
        Ok(())
    }
}
