//! Mirror maps: gradient, inverse and divergence agree with their definitions.

use crate::sample::{coordinate, dot, weight};
use projections::{Euclidean, NegativeEntropy, PNorm, ProjectionError, Regulariser};
use proptest::collection::vec;
use proptest::prelude::*;

fn assert_mirror_map(map: &impl Regulariser, x: &[f64], y: &[f64], h: f64) -> Result<(), TestCaseError> {
    let (mut theta, mut back) = (vec![0.0; y.len()], vec![0.0; y.len()]);
    map.mirror(y, &mut theta).unwrap();
    map.inverse_mirror(&theta, &mut back).unwrap();
    for (a, b) in back.iter().zip(y) {
        prop_assert!((a - b).abs() <= 1e-10 * b.abs() + 1e-200, "{a} for {b}");
    }
    // R(y + h(x − y)) ≈ R(y) + h⟨∇R(y), x − y⟩ by a central difference.
    let along = |t: f64| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| y + t * (x - y)).collect() };
    let difference: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    let slope = (map.value(&along(h)).unwrap() - map.value(&along(-h)).unwrap()) / (2.0 * h);
    prop_assert!((slope - dot(&theta, &difference)).abs() < 1e-4, "{slope} for {}", dot(&theta, &difference));

    let defined = map.value(x).unwrap() - map.value(y).unwrap() - dot(&theta, &difference);
    let direct = map.divergence(x, y).unwrap();
    prop_assert!((direct - defined).abs() < 1e-12 * (1.0 + direct), "{direct} for {defined}");
    Ok(())
}

proptest! {
    #[test]
    fn maps_are_what_they_say(
        (x, y) in (1..8_usize).prop_flat_map(|n| (vec(0.1..2.0, n), vec(0.1..2.0, n))),
        signs in vec(prop_oneof![Just(-1.0), Just(1.0)], 16),
        p in 1.1..=2.0,
    ) {
        assert_mirror_map(&NegativeEntropy, &x, &y, 1e-6)?;
        let sign = |v: &[f64], signs: &[f64]| v.iter().zip(signs).map(|(v, s)| v * s).collect::<Vec<_>>();
        let (x, y) = (sign(&x, &signs), sign(&y, &signs[8..]));
        assert_mirror_map(&Euclidean, &x, &y, 1e-6)?;
        assert_mirror_map(&PNorm::new(p).unwrap(), &x, &y, 1e-6)?;
    }

    #[test]
    fn the_2_norm_is_euclidean((x, y) in (1..8_usize).prop_flat_map(|n| (vec(coordinate(), n), vec(coordinate(), n)))) {
        let (a, b) = (PNorm::new(2.0).unwrap().divergence(&x, &y).unwrap(), Euclidean.divergence(&x, &y).unwrap());
        prop_assert!((a - b).abs() <= 1e-12 * b, "{a} for {b}");
    }

    /// (p − 1)/2·‖x − y‖_p² ≤ B(x, y): the strong convexity that every regret bound of the map needs.
    #[test]
    fn p_norms_are_strongly_convex(
        (x, y) in (1..8_usize).prop_flat_map(|n| (vec(coordinate(), n), vec(coordinate(), n))), p in 1.05..=2.0
    ) {
        let map = PNorm::new(p).unwrap();
        let gap: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
        let least = (p - 1.0) * map.value(&gap).unwrap();
        prop_assert!(map.divergence(&x, &y).unwrap() >= least * (1.0 - 1e-12));
    }

    /// R is homogeneous of degree 2, so B((1 + t)y, y) = t²R(y): from steps that would cancel to those that
    /// would not, on both sides of 0, and in any dimension.
    #[test]
    fn p_norms_are_homogeneous(
        y in prop_oneof![vec(coordinate(), 1..8), vec(0.5..2.0, 1000)], p in 1.05..=2.0, exponent in -30_i32..3,
        sign in prop_oneof![Just(1.0), Just(-1.0)],
    ) {
        let t = sign * 2_f64.powi(exponent);
        // The sum (1 + t)y is exact if y has few digits.
        let y: Vec<f64> = y.iter().map(|v| (v * 4.0).round() / 4.0).collect();
        let x: Vec<f64> = y.iter().map(|v| v + t * v).collect();
        let map = PNorm::new(p).unwrap();
        let (got, want) = (map.divergence(&x, &y).unwrap(), t * t * map.value(&y).unwrap());
        prop_assert!((got - want).abs() <= 1e-11 * want, "{got} for {want} with t = {t}");
    }

    /// Pinsker on positive vectors: ‖x − y‖₁² ≤ B(x, y)·(⅔Σx + 4/3·Σy).
    #[test]
    fn relative_entropy_obeys_pinsker((x, y) in (1..8_usize).prop_flat_map(|n| (vec(weight(), n), vec(weight(), n)))) {
        let b = NegativeEntropy.divergence(&x, &y).unwrap();
        let gap: f64 = x.iter().zip(&y).map(|(x, y)| (x - y).abs()).sum();
        let mass = x.iter().sum::<f64>() * 2.0 / 3.0 + y.iter().sum::<f64>() * 4.0 / 3.0;
        prop_assert!(gap * gap <= b * mass * (1.0 + 1e-12) || mass == 0.0, "{gap} {b} {mass}");
    }
}

#[test]
fn ends_of_the_range() {
    let b = |x: f64, y: f64| NegativeEntropy.divergence(&[x], &[y]).unwrap();
    assert!(b(5e-324, 5e-324) == 0.0 && b(0.0, 1e308) == 1e308 && b(0.0, 0.0) == 0.0);
    assert!((b(1e-300, 1e300) / 1e300 - 1.0).abs() < 1e-15);
    assert!((b(1e300, 1e-300) / (1e300 * (600.0 * 10_f64.ln() - 1.0)) - 1.0).abs() < 1e-14);
    assert!(b(1e308, 1e-308) == f64::INFINITY);
    let map = PNorm::new(1.0 + 1e-4).unwrap();
    assert!((map.divergence(&[1e150, -1e150], &[0.0, 1e-200]).unwrap() / 2e300 - 1.0).abs() < 1e-3);
    let mut x = [3.0];
    let refused = NegativeEntropy.inverse_mirror(&[710.0], &mut x);
    assert_eq!(
        refused,
        Err(ProjectionError::NotFinite { argument: "exp(theta)", index: 0, value: f64::INFINITY })
    );
    assert!(x == [3.0]);
    NegativeEntropy.inverse_mirror(&[f64::NEG_INFINITY], &mut x).unwrap();
    assert!(x == [0.0]);
}
