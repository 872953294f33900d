//! Random sets, points and members of sets.

use projections::{AnySet, BoxSet, CappedSimplex, L1Ball, L2Ball, LinearMinimisation, Simplex, UnitBox};
use proptest::collection::vec;
use proptest::prelude::*;

/// Coordinates with ties, on a coarse grid or not, from 1e-6 to 1e6.
pub(crate) fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -2.0..2.0,
        2 => (-8_i8..8).prop_map(|k| f64::from(k) / 4.0),
        1 => (-6_i32..6, -10.0..10.0).prop_map(|(e, v)| v * 10_f64.powi(e)),
    ]
}

/// A weight ≥ 0, sometimes exactly 0.
pub(crate) fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![
        1 => Just(0.0),
        3 => 0.01..3.0,
        1 => (-30_i32..30, 1.0..10.0).prop_map(|(e, v)| v * 10_f64.powi(e)),
    ]
}

pub(crate) fn capped(n: usize) -> impl Strategy<Value = CappedSimplex> {
    let cap = prop_oneof![3 => 0.0..1.0, 1 => Just(0.5), 1 => Just(0.0), 1 => 1.0..100.0];
    (vec(cap, n), 0..n, 0.1..3.0_f64, 0.05..1.0_f64).prop_map(|(mut caps, i, large, fraction)| {
        caps[i] += large;
        let s = fraction * caps.iter().sum::<f64>();
        CappedSimplex::new(caps, s).unwrap()
    })
}

/// A set in dimension n.
pub(crate) fn set(n: usize) -> impl Strategy<Value = AnySet> {
    let radius = || prop_oneof![3 => 0.1..5.0, 1 => 1e-3..1e3];
    prop_oneof![
        radius().prop_map(|s| AnySet::Simplex(Simplex::new(s).unwrap())),
        capped(n).prop_map(AnySet::CappedSimplex),
        vec((-2.0..2.0, 0.0..3.0), n).prop_map(|sides| {
            let (lower, upper) = sides.into_iter().map(|(l, w): (f64, f64)| (l, l + w)).unzip();
            AnySet::Box(BoxSet::new(lower, upper).unwrap())
        }),
        Just(AnySet::UnitBox(UnitBox)),
        radius().prop_map(|r| AnySet::L2Ball(L2Ball::new(r).unwrap())),
        radius().prop_map(|r| AnySet::L1Ball(L1Ball::new(r).unwrap())),
    ]
}

/// A set with an entropic projection.
pub(crate) fn entropic_set(n: usize) -> impl Strategy<Value = AnySet> {
    prop_oneof![
        (0.1..5.0).prop_map(|s| AnySet::Simplex(Simplex::new(s).unwrap())),
        capped(n).prop_map(AnySet::CappedSimplex),
        Just(AnySet::UnitBox(UnitBox)),
    ]
}

/// A member of `set`: the mean of two vertices in the given directions, weighted by `lambda`.
pub(crate) fn member(set: &impl LinearMinimisation, g: &[f64], h: &[f64], lambda: f64) -> Vec<f64> {
    let (a, b) = (set.lmo(g).unwrap(), set.lmo(h).unwrap());
    a.iter().zip(&b).map(|(a, b)| lambda * a + (1.0 - lambda) * b).collect()
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// The largest absolute value among all entries, and 1.
pub(crate) fn size(vectors: &[&[f64]]) -> f64 {
    vectors.iter().flat_map(|v| v.iter()).fold(1.0, |m, v| m.max(v.abs()))
}
