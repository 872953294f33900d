//! The exact solution at a basis by Dixon's p-adic lifting, and the check that it is optimal.

use super::simplex_method::Tableau;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// y and the dual solution of max Σ y over {y ≥ 0 : By ≤ 1}, in whole multiples of 1/unit, checked to be
/// optimal.
pub(super) struct Basis {
    pub(super) y: Vec<BigInt>,
    pub(super) dual: Vec<BigInt>,
    pub(super) unit: BigInt,
}

/// 2^61 − 1, a prime.
const P: u64 = (1 << 61) - 1;

impl Basis {
    /// The solution at the basis of this tableau of the same B > 0, or `None` if that is not optimal.
    pub(super) fn solve(b: &[BigInt], columns: usize, tableau: &Tableau<f64>) -> Option<Self> {
        let (in_use, tight) = tableau.support();
        let square: Vec<&BigInt> = tight
            .iter()
            .flat_map(|row| in_use.iter().map(move |column| &b[row * columns + column]))
            .collect();
        let k = in_use.len();
        let inverse = inverse(&square, k)?;
        let (y, unit) = lift(&square, &inverse, k)?;
        let (dual, dual_unit) = lift(&transposed(&square, k), &transposed(&inverse, k), k)?;
        if y.iter().chain(&dual).any(Signed::is_negative) {
            return None;
        }
        // Feasible, and no column improves; the two sums agree because the square holds with equality.
        let spread = |values: Vec<BigInt>, at: &[usize], length: usize| {
            let mut all = vec![BigInt::zero(); length];
            at.iter().zip(values).for_each(|(at, value)| all[*at] = value);
            all
        };
        let rows = b.len() / columns;
        let (y, dual) = (spread(y, &in_use, columns), spread(dual, &tight, rows));
        let feasible = b.chunks_exact(columns).enumerate().all(|(row, line)| {
            let sum: BigInt = in_use.iter().map(|j| &line[*j] * &y[*j]).sum();
            if tight.contains(&row) { sum == unit } else { sum <= unit }
        });
        let optimal = (0..columns).all(|j| {
            let sum: BigInt = tight.iter().map(|row| &b[row * columns + j] * &dual[*row]).sum();
            if in_use.contains(&j) { sum == dual_unit } else { sum >= dual_unit }
        });
        (feasible && optimal).then_some(Self { y, dual, unit })
    }
}

/// The solution of Ax = (1, …, 1) as fractions with a common denominator, given A⁻¹ modulo P: x modulo P^i
/// digit by digit, then the fractions. A wrong solution fails the check above.
fn lift(a: &[&BigInt], inverse: &[u64], k: usize) -> Option<(Vec<BigInt>, BigInt)> {
    // Hadamard's bound on minors, numerators and denominators alike.
    let bits = a.iter().map(|v| v.bits()).max()? + (k as u64).ilog2() as u64 / 2 + 1;
    let bound = BigInt::one() << (k as u64 * bits);
    let prime = BigInt::from(P);
    let (mut modulus, mut x) = (BigInt::one(), vec![BigInt::zero(); k]);
    let mut rest = vec![BigInt::one(); k];
    while modulus.bits() <= 2 * k as u64 * bits + 1 {
        let residues = rest.iter().map(residue).collect::<Option<Vec<u64>>>()?;
        let digits: Vec<u64> = inverse
            .chunks_exact(k)
            .map(|line| line.iter().zip(&residues).fold(0, |sum, (c, r)| add(sum, multiply(*c, *r))))
            .collect();
        for (rest, line) in rest.iter_mut().zip(a.chunks_exact(k)) {
            let product: BigInt = line.iter().zip(&digits).map(|(a, digit)| *a * *digit).sum();
            *rest = (&*rest - product) / &prime;
        }
        x.iter_mut().zip(&digits).for_each(|(x, digit)| *x += &modulus * *digit);
        modulus *= P;
    }
    let half = &modulus >> 1;
    let balanced = |v: BigInt| {
        let v = v % &modulus;
        if v > half { v - &modulus } else { v }
    };
    let mut unit = BigInt::one();
    for x in &x {
        let scaled = balanced(&unit * x);
        if scaled.abs() > bound {
            unit *= denominator(&modulus, &(&unit * x % &modulus), &bound);
        }
    }
    let numerators = x.iter().map(|x| balanced(&unit * x)).collect();
    Some((numerators, unit))
}

/// The d > 0 for which d·x is small modulo the modulus, by the extended Euclidean algorithm stopped half way.
fn denominator(modulus: &BigInt, x: &BigInt, bound: &BigInt) -> BigInt {
    let (mut before, mut now) = (modulus.clone(), x.clone());
    let (mut d_before, mut d) = (BigInt::zero(), BigInt::one());
    while now > *bound {
        let quotient = &before / &now;
        (before, now) = (now.clone(), before - &quotient * now);
        (d_before, d) = (d.clone(), d_before - quotient * d);
    }
    d.abs()
}

/// A⁻¹ modulo P by Gauss–Jordan elimination; `None` if A is singular modulo P.
fn inverse(a: &[&BigInt], k: usize) -> Option<Vec<u64>> {
    let mut a = a.iter().map(|v| residue(v)).collect::<Option<Vec<u64>>>()?;
    let mut inverse: Vec<u64> = (0..k * k).map(|at| u64::from(at % (k + 1) == 0)).collect();
    for column in 0..k {
        let pivot = (column..k).find(|row| a[row * k + column] != 0)?;
        let factor = power(a[pivot * k + column], P - 2);
        for matrix in [&mut a, &mut inverse] {
            (0..k).for_each(|j| matrix.swap(pivot * k + j, column * k + j));
            matrix[column * k..][..k].iter_mut().for_each(|v| *v = multiply(*v, factor));
        }
        for row in (0..k).filter(|row| *row != column) {
            let factor = P - a[row * k + column];
            for matrix in [&mut a, &mut inverse] {
                for j in 0..k {
                    matrix[row * k + j] = add(matrix[row * k + j], multiply(factor, matrix[column * k + j]));
                }
            }
        }
    }
    Some(inverse)
}

fn transposed<T: Copy>(square: &[T], k: usize) -> Vec<T> {
    (0..k * k).map(|at| square[at % k * k + at / k]).collect()
}

/// v modulo P.
fn residue(v: &BigInt) -> Option<u64> {
    let rest = v % P;
    if rest.is_negative() { rest + P } else { rest }.to_u64()
}

fn add(a: u64, b: u64) -> u64 {
    (a + b) % P
}

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    // 2^61 is 1.
    #[allow(clippy::cast_possible_truncation, reason = "each half of a product of residues has 61 bits")]
    let (low, high) = ((product & u128::from(P)) as u64, (product >> 61) as u64);
    add(low, high)
}

fn power(base: u64, exponent: u64) -> u64 {
    let (mut result, mut square) = (1, base);
    for bit in 0..u64::BITS - exponent.leading_zeros() {
        if exponent >> bit & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
    }
    result
}
