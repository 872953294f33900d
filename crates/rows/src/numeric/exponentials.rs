//! The exponential and the logarithm, in the same bits on every machine.

use super::vectorised;

/// 1.5·2^52: a sum of this and a number below 2^51 in size is rounded to a whole number.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// ln 2 as a sum: the first term has 33 bits, so that its product with a whole number below 2^20 is exact.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// The coefficients of (e^r − 1 − r − r²/2)/r³ for |r| ≤ ½ ln 2, from r^0 on: the minimax polynomial, with an
/// error of 2^−63 of e^r.
const OF_EXP: [f64; 10] = [
    0.166_666_666_666_666_8,
    0.041_666_666_666_666_415,
    0.008_333_333_333_318_541,
    0.001_388_888_888_903_313_6,
    0.000_198_412_698_933_095_26,
    2.480_158_702_577_295_4e-5,
    2.755_723_748_619_731_5e-6,
    2.755_752_602_663_261_6e-7,
    2.511_123_537_303_541e-8,
    2.083_851_119_592_150_3e-9,
];

/// The coefficients of (2 artanh s − 2s)/s³ in s² for |s| ≤ (√2 − 1)/(√2 + 1): the minimax polynomial, with
/// an error of 2^−59 of 2 artanh s.
const OF_LN: [f64; 7] = [
    0.666_666_666_666_673_4,
    0.399_999_999_994_146_2,
    0.285_714_287_424_003_34,
    0.222_221_985_718_697_47,
    0.181_835_643_963_119_74,
    0.153_140_486_897_951_23,
    0.147_959_691_061_302_58,
];

/// e^x. The error is below 0.75 units in the last place of the result, and below one unit where the result is
/// subnormal; NaN for NaN, 0 for −∞, +∞ for +∞ and beyond the range.
///
/// Only sums and products of doubles in a fixed order, without branches: the bits are the same on every
/// machine, and a loop over it compiles to vector instructions ([`vectorised`](super::vectorised)).
/// `tests/exponentials.rs` compares it with sums of two doubles.
///
/// With k the whole number nearest to x/ln 2 and r = x − k ln 2, e^x = 2^k(1 + r + r²/2 + r³p(r)). The sum
/// 1 + r is taken without rounding, and so is what r is off by.
///
/// ```
/// use rows::numeric::exp;
/// assert_eq!([0.0, 1.0, f64::NEG_INFINITY].map(exp), [1.0, std::f64::consts::E, 0.0]);
/// assert_eq!([710.0, -745.2].map(exp), [f64::INFINITY, 0.0]);
/// ```
#[must_use]
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    // Beyond these, e^x is +∞ or 0. NaN passes.
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let k = (x * std::f64::consts::LOG2_E + SHIFT) - SHIFT;
    // Without rounding, because both are multiples of one power of two and the difference is small.
    let high = x - k * LN_2[0];
    let low = k * LN_2[1];
    let r = high - low;
    let off = (high - r) - low;
    let square = r * r;
    let [c_0, c_1, c_2, c_3, c_4, c_5, c_6, c_7, c_8, c_9] = OF_EXP;
    let even = c_0 + square * (c_2 + square * (c_4 + square * (c_6 + square * c_8)));
    let odd = c_1 + square * (c_3 + square * (c_5 + square * (c_7 + square * c_9)));
    let higher = square * (0.5 + r * (even + r * odd));
    let sum = 1.0 + r;
    let lost = (1.0 - sum) + r;
    let mantissa = sum + (higher + (lost + off));
    // 2^k in two factors, because it may be beyond the normal numbers.
    let half = (k * 0.5 + SHIFT) - SHIFT;
    mantissa * two_to(half) * two_to(k - half)
}

/// 2^k for a whole k in −1022, …, 1023: the last bits of k + 1023 + [`SHIFT`] are those of the exponent.
#[inline(always)]
fn two_to(k: f64) -> f64 {
    f64::from_bits((k + (SHIFT + 1023.0)).to_bits() << 52)
}

/// ln x. The error is below one unit in the last place of the result; −∞ for ±0, +∞ for +∞, NaN for NaN and
/// below 0.
///
/// Only sums, products and a quotient of doubles, as [`exp`]. With x = 2^k(1 + f), √½ ≤ 1 + f < √2, and s =
/// f/(2 + f), ln(1 + f) = 2 artanh s = f − f²/2 + s(f²/2 + s²p(s²)): the form of FDLIBM, whose first term has
/// no rounding.
///
/// ```
/// use rows::numeric::ln;
/// assert_eq!([0.0, 1.0, 2.0].map(ln), [f64::NEG_INFINITY, 0.0, std::f64::consts::LN_2]);
/// assert!(ln(-1.0).is_nan());
/// ```
#[must_use]
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    const ROOT_OF_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const MANTISSA: u64 = (1 << 52) - 1;
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    let is_small = x < f64::MIN_POSITIVE;
    let (normal, unit) = if is_small { (x * (TWO_52 * 4.0), 54.0) } else { (x, 0.0) };
    let bits = normal.to_bits().wrapping_add(ONE - ROOT_OF_HALF);
    // The exponent as the last bits of 2^52: a conversion that vectorises.
    let k = f64::from_bits((bits >> 52) | TWO_52.to_bits()) - (TWO_52 + 1023.0) - unit;
    let f = f64::from_bits((bits & MANTISSA).wrapping_add(ROOT_OF_HALF)) - 1.0;
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let [c_0, c_1, c_2, c_3, c_4, c_5, c_6] = OF_LN;
    let even = z * (c_0 + w * (c_2 + w * (c_4 + w * c_6)));
    let odd = w * (c_1 + w * (c_3 + w * c_5));
    let rest = s * (half_square + (even + odd)) + k * LN_2[1];
    let value = k * LN_2[0] + (f + (rest - half_square));
    let value = if x == f64::INFINITY { x } else { value };
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    if x >= 0.0 { value } else { f64::NAN }
}

/// v ← e^v for every v, as [`exp`], with the vector instructions of the machine.
///
/// ```
/// let mut values = [0.0, 1.0, f64::NAN];
/// rows::numeric::exp_slice(&mut values);
/// assert_eq!(values[..2], [1.0, std::f64::consts::E]);
/// assert!(values[2].is_nan());
/// ```
pub fn exp_slice(values: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            for v in values.iter_mut() {
                *v = exp(*v);
            }
        },
    );
}

/// v ← ln v for every v, as [`ln`], with the vector instructions of the machine.
///
/// ```
/// let mut values = [1.0, std::f64::consts::E];
/// rows::numeric::ln_slice(&mut values);
/// assert_eq!(values, [0.0, 1.0]);
/// ```
pub fn ln_slice(values: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            for v in values.iter_mut() {
                *v = ln(*v);
            }
        },
    );
}
