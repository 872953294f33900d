//! Whole numbers of any size: doubles on a common scale, and the quotients that lead back.

use num_bigint::{BigInt, Sign};
use num_traits::{ToPrimitive, Zero};
use projections::{scale_down, scale_up};

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
            // A zero has no exponent of its own.
            BigInt::from(digits) << (own - exponent).max(0)
        });
        Self { numbers: numbers.collect(), exponent }
    }
}

/// v = digits·2^exponent with odd digits, or 0.
fn parts(v: f64) -> (i64, i64) {
    let bits = v.to_bits() & (u64::MAX >> 1);
    let (biased, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let digits = if biased == 0 { fraction } else { fraction | 1 << 52 };
    let zeros = if digits == 0 { 0 } else { digits.trailing_zeros() };
    let digits = (digits >> zeros).cast_signed();
    let exponent = biased.max(1).cast_signed() - 1075 + i64::from(zeros);
    (if v < 0.0 { -digits } else { digits }, exponent)
}

/// (numerator/denominator)·2^exponent as a double, for a positive denominator.
pub(super) fn quotient(numerator: &BigInt, denominator: &BigInt, exponent: i64) -> f64 {
    if numerator.is_zero() {
        return 0.0;
    }
    // A quotient of 66 bits or 67 is rounded once more, to 53, which it hardly notices.
    let bits = |v: &BigInt| i64::try_from(v.bits()).unwrap_or(i64::MAX);
    let shift = 66 - (bits(numerator) - bits(denominator));
    let magnitude = numerator.magnitude();
    let digits = match u64::try_from(shift) {
        Ok(up) => (magnitude << up) / denominator.magnitude(),
        Err(_) => magnitude / (denominator.magnitude() << shift.unsigned_abs()),
    };
    let digits = digits.to_f64().unwrap_or(f64::INFINITY);
    let exponent = exponent - shift;
    let power = u32::try_from(exponent.unsigned_abs()).unwrap_or(u32::MAX);
    let size = if exponent < 0 { scale_down(digits, power) } else { scale_up(digits, power) };
    if numerator.sign() == Sign::Minus { -size } else { size }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "what is compared exactly is exact")]
mod tests {
    use super::*;
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

    proptest! {
        #[test]
        fn quotients_are_those_of_doubles(a in any::<i32>(), b in 1..i32::MAX, e in -30..30_i64) {
            let want = f64::from(a) / f64::from(b) * 2_f64.powi(i32::try_from(e).unwrap());
            prop_assert_eq!(quotient(&BigInt::from(a), &BigInt::from(b), e), want);
        }
    }
}
