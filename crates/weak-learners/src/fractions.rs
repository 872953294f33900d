//! Sums of fractions, compared without rounding.

use num_bigint::BigInt;
use num_traits::float::FloatCore;
use std::cmp::Ordering;

/// A fraction of whole numbers, the denominator above 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fraction {
    pub(crate) numerator: BigInt,
    pub(crate) denominator: BigInt,
}

impl Fraction {
    /// Σ G²/d over these G.
    pub(crate) fn of_squares(g: impl IntoIterator<Item = i128>, denominator: BigInt) -> Self {
        let square = |g| {
            let g = BigInt::from(g);
            &g * &g
        };
        Self { numerator: g.into_iter().map(square).sum(), denominator }
    }

    fn plus(self, other: &Self) -> Self {
        Self {
            numerator: self.numerator * &other.denominator + &other.numerator * &self.denominator,
            denominator: self.denominator * &other.denominator,
        }
    }
}

/// h·2^exponent + λ as a whole multiple of a power of two that depends on the exponent and λ only.
pub(crate) fn shifted_sum(h: i128, exponent: i32, lambda: f64) -> BigInt {
    if lambda == 0.0 {
        return h.into();
    }
    let (digits, own, _) = lambda.integer_decode();
    let unit = exponent.min(own.into());
    let up = |whole: BigInt, from: i32| whole << (from - unit).unsigned_abs();
    up(h.into(), exponent) + up(digits.into(), own.into())
}

/// Σ `one` against Σ `other`.
///
/// *Cost:* fractions of equal denominators are added first, and common terms cancel; only the rest is brought
/// to a common denominator.
pub(crate) fn compare_sums(one: Vec<Fraction>, other: Vec<Fraction>) -> Ordering {
    let negative = other.into_iter().map(|term| Fraction { numerator: -term.numerator, ..term });
    let mut terms: Vec<Fraction> = one.into_iter().chain(negative).collect();
    terms.sort_unstable_by(|a, b| a.denominator.cmp(&b.denominator));
    terms.dedup_by(|next, kept| {
        let is_alike = next.denominator == kept.denominator;
        if is_alike {
            kept.numerator += &next.numerator;
        }
        is_alike
    });
    terms.retain(|term| term.numerator != BigInt::ZERO);
    // In pairs, so that the factors have similar lengths.
    while terms.len() > 1 {
        let mut of_two = Vec::with_capacity(terms.len().div_ceil(2));
        let mut rest = terms.into_iter();
        while let Some(term) = rest.next() {
            of_two.push(match rest.next() {
                Some(next) => term.plus(&next),
                None => term,
            });
        }
        terms = of_two;
    }
    terms.pop().map_or(Ordering::Equal, |sum| sum.numerator.cmp(&BigInt::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fraction(numerator: i64, denominator: i64) -> Fraction {
        Fraction { numerator: numerator.into(), denominator: denominator.into() }
    }

    #[test]
    fn sums_that_doubles_cannot_tell_apart() {
        let third = || vec![fraction(1, 6), fraction(1, 6)];
        assert_eq!(compare_sums(third(), vec![fraction(1, 3)]), Ordering::Equal);
        let near = vec![fraction(333_333_333_333_333_333, 1_000_000_000_000_000_000)];
        assert_eq!(compare_sums(third(), near.clone()), Ordering::Greater);
        assert_eq!(compare_sums(near, third()), Ordering::Less);
        assert_eq!(compare_sums(third(), third()), Ordering::Equal);
        assert_eq!(compare_sums(vec![], third()), Ordering::Less);
    }

    #[test]
    fn weights_and_a_constant_on_one_scale() {
        // 3·2^−4 + ½ = 11·2^−4, and with λ = 2^−60 the unit is that of λ.
        let half = shifted_sum(3, -4, 0.5);
        assert_eq!(half, shifted_sum(11, -4, 0.5) - (BigInt::from(8) << 49_u32));
        assert_eq!(shifted_sum(3, -4, 0.0), BigInt::from(3));
        let difference = shifted_sum(2, -200, 5e-324) - shifted_sum(1, -200, 5e-324);
        assert_eq!(difference, BigInt::from(1) << 875_u32);
    }

    proptest! {
        #[test]
        fn small_sums_compare_as_one_fraction(
            one in prop::collection::vec((-20_i64..20, 1_i64..9), 0..6),
            other in prop::collection::vec((-20_i64..20, 1_i64..9), 0..6),
        ) {
            // 840 is a multiple of every denominator.
            let whole = |terms: &[(i64, i64)]| terms.iter().map(|(n, d)| n * (840 / d)).sum::<i64>();
            let sum = |terms: &[(i64, i64)]| terms.iter().map(|(n, d)| fraction(*n, *d)).collect();
            prop_assert_eq!(compare_sums(sum(&one), sum(&other)), whole(&one).cmp(&whole(&other)));
        }
    }
}
