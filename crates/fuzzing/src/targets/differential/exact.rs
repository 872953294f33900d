//! Doubles as whole numbers: every finite double is a whole multiple of 2^−1074.

use num_bigint::BigInt;

/// The doubles times 2^1074.
pub(super) fn whole(x: f64) -> BigInt {
    let bits = x.to_bits();
    let (mantissa, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) & 0x7ff);
    let size = match exponent {
        0 => BigInt::from(mantissa),
        _ => BigInt::from(mantissa | 1 << 52) << (exponent - 1),
    };
    if x.is_sign_negative() { -size } else { size }
}

/// Whether x is the fraction `over`/`under` but for an error of `units`·1e−15, and of the least double. All
/// but `under` are times 2^1074.
pub(super) fn is_near(x: f64, over: &BigInt, under: &BigInt, units: &BigInt) -> bool {
    let difference = whole(x) * under - over;
    let size = BigInt::from(difference.magnitude().clone());
    let thousand_billions = BigInt::from(1_000_000_000_000_000_u64);
    size * thousand_billions <= under * (units + BigInt::from(1_000_000_000_000_000_u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_whole_numbers_and_nearness_is_relative() {
        for x in [0.0, 5e-324, -1.5, f64::MAX, f64::MIN_POSITIVE] {
            assert_eq!(whole(x) + whole(x), whole(x) * 2);
        }
        assert_eq!(whole(1.0) / whole(5e-324), BigInt::from(1) << 1074);
        assert_eq!(whole(3.0), whole(1.0) * 3);
        let (one, three) = (whole(1.0), BigInt::from(3));
        assert!(is_near(1.0 / 3.0, &one, &three, &one));
        assert!(!is_near(1.0 / 3.0 + 2e-15, &one, &three, &one));
    }
}
