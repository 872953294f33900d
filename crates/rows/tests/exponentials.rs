//! The exponential and the logarithm against sums of two doubles, and the bits of every back end.

use pulp::{Simd, WithSimd};
use rows::numeric::{exp, exp_slice, ln, ln_slice, scale};
use std::f64::consts::LN_2;

/// An unevaluated sum of two doubles, with some 104 bits.
#[derive(Clone, Copy)]
struct Pair(f64, f64);

fn two_sum(a: f64, b: f64) -> Pair {
    let sum = a + b;
    let of_b = sum - a;
    Pair(sum, (a - (sum - of_b)) + (b - of_b))
}

impl Pair {
    fn add(self, other: Self) -> Self {
        let Self(high, low) = two_sum(self.0, other.0);
        two_sum(high, low + (self.1 + other.1))
    }

    fn times(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let lost = self.0.mul_add(other.0, -product);
        two_sum(product, lost + (self.0 * other.1 + self.1 * other.0))
    }

    fn over(self, other: Self) -> Self {
        let first = self.0 / other.0;
        let rest = self.add(other.times(Self(-first, 0.0)));
        let second = rest.0 / other.0;
        let rest = rest.add(other.times(Self(-second, 0.0)));
        two_sum(first, second).add(Self(rest.0 / other.0, 0.0))
    }

    fn negative(self) -> Self {
        Self(-self.0, -self.1)
    }
}

/// e^x as p·2^k.
fn exact_exp(x: Pair) -> (Pair, i32) {
    let k = (x.0 / LN_2).round();
    let ln_2 = [LN_2, 2.319_046_813_846_299_6e-17, 5.707_708_438_416_212e-34];
    let multiple = ln_2.map(|part| Pair(k, 0.0).times(Pair(part, 0.0)).negative());
    let r = x.add(multiple[0]).add(multiple[1]).add(multiple[2]);
    // e^(r/256) by its series, squared eight times.
    let small = Pair(r.0 / 256.0, r.1 / 256.0);
    let one = Pair(1.0, 0.0);
    let mut sum = one;
    for term in (1..=14).rev() {
        sum = one.add(sum.times(small).over(Pair(f64::from(term), 0.0)));
    }
    let power = (0..8).fold(sum, |power, _| power.times(power));
    #[allow(clippy::cast_possible_truncation, reason = "at most 1100")]
    let k = k as i32;
    (power, k)
}

fn exact_ln(x: f64) -> Pair {
    if (x - 1.0).abs() < 0.01 {
        // 2 artanh((x − 1)/(x + 1)) by its series: no cancellation.
        let s = Pair(x - 1.0, 0.0).over(two_sum(x, 1.0));
        let square = s.times(s);
        let mut sum = Pair(0.0, 0.0);
        for term in (0..14).rev() {
            let coefficient = Pair(1.0, 0.0).over(Pair(f64::from(2 * term + 1), 0.0));
            sum = coefficient.add(sum.times(square));
        }
        return Pair(2.0, 0.0).times(s).times(sum);
    }
    // A step of Newton's method: y + (x e^(−y) − 1) − ½(…)².
    let y = x.ln();
    let (power, k) = exact_exp(Pair(-y, 0.0));
    // x may be subnormal, and 2^k beyond the range.
    let shift = if x < 1e-300 { 100 } else { 0 };
    let product = power.times(Pair(scale(scale(x, shift), k - shift), 0.0));
    let off = product.add(Pair(-1.0, 0.0));
    Pair(y, 0.0).add(off).add(Pair(-0.5 * off.0 * off.0, 0.0))
}

/// The distance of doubles around |v|, at least that of subnormal numbers.
fn unit(v: f64) -> f64 {
    let v = v.abs();
    f64::from_bits(v.to_bits() + 1) - v
}

/// |got − e^x| in units in the last place of e^x.
fn error_of_exp(x: f64, got: f64) -> f64 {
    let (Pair(high, low), k) = exact_exp(Pair(x, 0.0));
    let expected = scale(high, k);
    // In units of 2^k the error is exact, whatever the range.
    let off = (scale(got, -k) - high) - low;
    off.abs() / scale(unit(if expected > got { expected } else { got }), -k)
}

fn error_of_ln(x: f64, got: f64) -> f64 {
    let Pair(high, low) = exact_ln(x);
    ((got - high) - low).abs() / unit(high)
}

/// Numbers in [0, 1), always the same.
fn uniform(seed: u64) -> impl Iterator<Item = f64> {
    (1_u64..).map(move |i| {
        let mut z = (seed ^ i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / 9_007_199_254_740_992.0
    })
}

/// Arguments of e^x: over the whole range, near 0, tiny, and next to the odd multiples of ½ ln 2, where the
/// remainder is largest.
fn arguments_of_exp() -> Vec<f64> {
    let n = if cfg!(debug_assertions) { 100_000 } else { 2_000_000 };
    let mut all: Vec<f64> = uniform(1).take(n).map(|u| 1454.6 * u - 745.1).collect();
    all.extend(uniform(2).take(n).map(|u| 4.0 * u - 3.0));
    all.extend(uniform(3).take(n / 10).map(|u| scale(2.0 * u - 1.0, -30)));
    all.extend(uniform(4).take(n / 10).map(|u| (f64::from(-1074) - 0.9 * u + 54.0 * u) * LN_2));
    for k in -1074..1024 {
        let middle = (f64::from(k) + 0.5) * LN_2;
        all.extend([middle.next_down(), middle, middle.next_up()]);
    }
    all.retain(|x| (-745.13..709.78).contains(x));
    all
}

fn arguments_of_ln() -> Vec<f64> {
    let n = if cfg!(debug_assertions) { 100_000 } else { 2_000_000 };
    // Every exponent, numbers around 1, and the ends of the interval of the mantissa.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^63")]
    let bits = |u: f64| f64::from_bits((u * 9_218_868_437_227_405_311.0) as u64);
    let mut all: Vec<f64> = uniform(5).take(n).map(bits).collect();
    all.extend(uniform(6).take(n).map(|u| 0.5 + 1.5 * u));
    all.extend(uniform(7).take(n / 10).map(|u| 1.0 + scale(2.0 * u - 1.0, -20)));
    all.extend([f64::MIN_POSITIVE, f64::MIN_POSITIVE.next_down(), f64::from_bits(1), f64::MAX]);
    for start in [1.0, std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::SQRT_2] {
        let around = [start.next_down(), start, start.next_up()];
        all.extend(around.into_iter().flat_map(|x| [x, scale(x, 500), scale(x, -1030)]));
    }
    all.retain(|x| *x > 0.0 && x.is_finite());
    all
}

#[test]
fn the_references_are_right() {
    for (x, high, low) in [
        (1.0, std::f64::consts::E, 1.445_646_891_729_250_2e-16),
        (0.1, 1.105_170_918_075_647_7, -8.149_523_913_327_619e-17),
        (-0.75, 0.472_366_552_741_014_7, 1.798_400_443_437_321_4e-17),
        (37.5, 1.932_159_930_440_283_6e16, 0.208_442_275_920_919_74),
        (1e-9, 1.000_000_001, -8.224_037_093_664_211e-17),
    ] {
        let (Pair(p, q), k) = exact_exp(Pair(x, 0.0));
        let off = (scale(p, k) - high) + (scale(q, k) - low);
        assert!(off.abs() < 1e-27 * high, "e^{x}: {off:e}");
    }
    for (x, high, low) in [
        (3.0, 1.098_612_288_668_109_8, -9.071_297_235_001_53e-17),
        (10.0, std::f64::consts::LN_10, -2.170_756_223_382_249_4e-16),
        (1.5e-310, -713.395_913_720_046, 1.209_256_647_665_366e-14),
        (1.000_000_000_000_000_2, 2.220_446_049_250_312_8e-16, 3.649_214_750_845_877e-48),
        (0.9999, -0.000_100_005_000_333_347_32, 4.110_491_732_511_812e-21),
        (1e140, 322.361_913_019_166_4, -2.677_858_964_731_017_7e-14),
    ] {
        let Pair(p, q) = exact_ln(x);
        let off = (p - high) + (q - low);
        assert!(off.abs() < 1e-27 * high.abs(), "ln {x}: {off:e}");
    }
}

#[test]
fn the_exponential_errs_by_less_than_it_says() {
    let mut most = (0.0, 0.0);
    for x in arguments_of_exp() {
        let got = exp(x);
        let error = error_of_exp(x, got);
        let bound = if got < f64::MIN_POSITIVE { 1.0 } else { 0.75 };
        assert!(error < bound, "e^{x:e} = {got:e} is off by {error} units");
        if got >= f64::MIN_POSITIVE && error > most.0 {
            most = (error, x);
        }
    }
    println!("the largest error is {} units, at {:e}", most.0, most.1);
    assert!(most.0 > 0.5, "the reference is not the function itself");
}

#[test]
fn the_logarithm_errs_by_less_than_it_says() {
    let mut most = (0.0, 0.0);
    for x in arguments_of_ln() {
        let error = error_of_ln(x, ln(x));
        assert!(error < 1.0, "ln {x:e} is off by {error} units");
        if error > most.0 {
            most = (error, x);
        }
    }
    println!("the largest error is {} units, at {:e}", most.0, most.1);
    assert!(most.0 > 0.5, "the reference is not the function itself");
}

#[test]
fn the_ends_of_the_range_are_right() {
    let infinity = f64::INFINITY;
    for (x, expected) in [
        (0.0, 1.0),
        (-0.0, 1.0),
        (f64::from_bits(1), 1.0),
        (-f64::from_bits(1), 1.0),
        (infinity, infinity),
        (-infinity, 0.0),
        (f64::MAX, infinity),
        (f64::MIN, 0.0),
        (709.782_712_893_384, 1.797_693_134_862_273_2e308),
        (709.782_712_893_384_1, infinity),
        (-745.133_219_101_941_1, f64::from_bits(1)),
        (-745.133_219_101_941_2, 0.0),
    ] {
        let got = exp(x);
        assert!(got == expected || (got - expected).abs() <= 2e-15 * expected, "e^{x:e} = {got:e}");
    }
    for (x, expected) in [
        (0.0, -infinity),
        (-0.0, -infinity),
        (1.0, 0.0),
        (infinity, infinity),
        (f64::MAX, 709.782_712_893_384),
        (f64::from_bits(1), -744.440_071_921_381_3),
        (f64::MIN_POSITIVE, -708.396_418_532_264_1),
    ] {
        let got = ln(x);
        assert!(got == expected || (got - expected).abs() <= unit(expected), "ln {x:e} = {got:e}");
    }
    assert!(exp(f64::NAN).is_nan() && exp(-f64::NAN).is_nan());
    for x in [f64::NAN, -f64::NAN, -1.0, -infinity, -f64::from_bits(1), f64::MIN] {
        assert!(ln(x).is_nan(), "ln {x:e}");
    }
    // Neither falls where its argument rises, over the seams of the reductions.
    for k in -40..40 {
        let mut x = (f64::from(k) + 0.5) * LN_2 - 1e-13;
        let mut y = scale(std::f64::consts::FRAC_1_SQRT_2, k) * (1.0 - 1e-14);
        for _ in 0..400 {
            assert!(exp(x.next_up()) >= exp(x) && ln(y.next_up()) >= ln(y), "{x:e} {y:e}");
            (x, y) = (x.next_up(), y.next_up());
        }
    }
}

/// A slice function for [`with_every_back_end`].
struct OnSlice<'a>(fn(f64) -> f64, &'a mut [f64]);

impl WithSimd for OnSlice<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Closures around the functions, so that they are inlined and vectorised.
        if std::ptr::fn_addr_eq(self.0, exp as fn(f64) -> f64) {
            self.1.iter_mut().for_each(|v| *v = exp(*v));
        } else {
            self.1.iter_mut().for_each(|v| *v = ln(*v));
        }
    }
}

/// The values of a function by every back end of this machine, with their names.
fn with_every_back_end(function: fn(f64) -> f64, x: &[f64]) -> Vec<(&'static str, Vec<f64>)> {
    let mut all = Vec::new();
    let mut values = x.to_vec();
    Simd::vectorize(pulp::Scalar::new(), OnSlice(function, &mut values));
    all.push(("scalar", values));
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(simd) = pulp::x86::V3::try_new() {
            let mut values = x.to_vec();
            Simd::vectorize(simd, OnSlice(function, &mut values));
            all.push(("AVX2", values));
        }
        if let Some(simd) = pulp::x86::V4::try_new() {
            let mut values = x.to_vec();
            Simd::vectorize(simd, OnSlice(function, &mut values));
            all.push(("AVX-512", values));
        }
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(simd) = pulp::aarch64::Neon::try_new() {
        let mut values = x.to_vec();
        Simd::vectorize(simd, OnSlice(function, &mut values));
        all.push(("NEON", values));
    }
    all
}

#[test]
fn every_back_end_gives_the_same_bits() {
    let special = [
        0.0,
        -0.0,
        1.0,
        f64::from_bits(1),
        -f64::from_bits(1),
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -745.2,
        -740.0,
        709.79,
        1e-300,
    ];
    // All NaN are alike.
    let bits = |v: &f64| if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() };
    let mut x = arguments_of_exp();
    x.extend(arguments_of_ln());
    // Specials at every place of a vector.
    for shift in 0..9 {
        x.extend(vec![0.5; shift]);
        x.extend(special);
    }
    for (function, slice) in [(exp as fn(f64) -> f64, exp_slice as fn(&mut [f64])), (ln, ln_slice)] {
        let one_by_one: Vec<f64> = x.iter().map(|x| function(std::hint::black_box(*x))).collect();
        let mut by_slice = x.clone();
        slice(&mut by_slice);
        let mut all = with_every_back_end(function, &x);
        all.push(("exp_slice or ln_slice", by_slice));
        println!("{:?}", all.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        for (name, values) in all {
            for ((x, expected), got) in x.iter().zip(&one_by_one).zip(&values) {
                assert_eq!(bits(expected), bits(got), "{name}: {x:e} gives {got:e}, not {expected:e}");
            }
        }
    }
}
