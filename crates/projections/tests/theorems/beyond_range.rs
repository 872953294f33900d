//! Projections of points beyond the range of `f64`, against sets and points small enough to be scaled back.

use crate::sample::{coordinate, set, size};
use projections::{
    AnySet, BoxSet, CappedSimplex, Euclidean, L1Ball, L2Ball, NegativeEntropy, Projection, ProjectionError,
    Scratch, Shrunk, Simplex, UnitBox,
};
use proptest::collection::vec;
use proptest::prelude::*;
use rows::numeric::{scale_down, scale_up};

fn far<K: Projection<Euclidean>>(set: &K, y: &[f64], exponent: u32) -> Vec<f64> {
    let mut x = y.to_vec();
    set.project_scaled_with(&mut x, exponent, &mut Scratch::default()).unwrap();
    x
}

/// `set` in units of 2^−exponent.
fn grown(set: &AnySet, exponent: u32) -> AnySet {
    let up = |v: f64| scale_up(v, exponent);
    let all = |v: &[f64]| v.iter().copied().map(up).collect::<Vec<_>>();
    match set {
        AnySet::Simplex(set) => AnySet::Simplex(Simplex::new(up(set.mass())).unwrap()),
        AnySet::CappedSimplex(set) => {
            AnySet::CappedSimplex(CappedSimplex::new(all(set.caps()), up(set.mass())).unwrap())
        }
        AnySet::Box(set) => AnySet::Box(BoxSet::new(all(set.lower()), all(set.upper())).unwrap()),
        AnySet::UnitBox(_) => unreachable!("the unit box has one size"),
        AnySet::L2Ball(ball) => AnySet::L2Ball(L2Ball::new(up(ball.radius())).unwrap()),
        AnySet::L1Ball(ball) => AnySet::L1Ball(L1Ball::new(up(ball.radius())).unwrap()),
        _ => unreachable!("no other set is sampled"),
    }
}

proptest! {
    /// Π of 2^e·K at 2^e·y is 2^e·Π(y). With K grown to the top of the range, half the points lie beyond it.
    #[test]
    fn projection_is_homogeneous_beyond_the_range(
        (set, y) in (1..12_usize).prop_flat_map(|n| (set(n), vec(coordinate(), n))), larger in 0..40_i32,
    ) {
        prop_assume!(!matches!(set, AnySet::UnitBox(_)));
        let y: Vec<f64> = y.iter().map(|v| v * 2_f64.powi(larger)).collect();
        let mut want = y.clone();
        Projection::<Euclidean>::project(&set, &mut want).unwrap();
        let got = far(&grown(&set, 1000), &y, 1000);
        for (got, expected) in got.iter().zip(&want) {
            let error = (scale_down(*got, 1000) - expected).abs();
            prop_assert!(error <= 1e-14 * size(&[&want]), "{got} for {expected}: {set:?} {y:?}");
        }
    }

    /// In range the scaled projection is the plain one; for a fixed set only the direction of a far point
    /// matters.
    #[test]
    fn scaled_projection_agrees_where_both_exist(
        (set, y) in (1..12_usize).prop_flat_map(|n| (set(n), vec(coordinate(), n))), exponent in 0..30_u32,
    ) {
        let scaled: Vec<f64> = y.iter().map(|v| scale_up(*v, exponent)).collect();
        let mut want = scaled.clone();
        Projection::<Euclidean>::project(&set, &mut want).unwrap();
        for (got, expected) in far(&set, &y, exponent).iter().zip(&want) {
            prop_assert!((got - expected).abs() <= 1e-14 * size(&[&want]), "{got} for {expected}");
        }
    }
}

/// By hand: coordinates beyond the range are projected alone, the others share the rest.
#[test]
fn coordinates_beyond_the_range_next_to_ordinary_ones() {
    // In units of 2^100 the point (−2^1100, 0.5, 0.75), then (2^1100, 0.5, 0.75).
    let unit = |v: f64| scale_down(v, 100);
    let low = [-scale_up(1.0, 1000), unit(0.5), unit(0.75)];
    let high = [scale_up(1.0, 1000), unit(0.5), unit(0.75)];
    let simplex = Simplex::new(1.0).unwrap();
    assert_eq!(far(&simplex, &low, 100), [0.0, 0.375, 0.625]);
    assert_eq!(far(&simplex, &high, 100), [1.0, 0.0, 0.0]);
    let capped = CappedSimplex::new(vec![0.25, 0.5, 0.5], 1.0).unwrap();
    assert_eq!(far(&capped, &low, 100), [0.0, 0.5, 0.5]);
    assert_eq!(far(&capped, &high, 100), [0.25, 0.25, 0.5]);
    assert_eq!(far(&UnitBox, &low, 100), [0.0, 0.5, 0.75]);
    let ends = BoxSet::new(vec![f64::MIN; 3], vec![f64::MAX; 3]).unwrap();
    assert_eq!(far(&ends, &high, 100), [f64::MAX, 0.5, 0.75]);
    assert_eq!(far(&L1Ball::new(2.0).unwrap(), &low, 100), [-2.0, 0.0, 0.0]);
    assert_eq!(far(&L2Ball::new(2.0).unwrap(), &low, 100), [-2.0, 0.0, 0.0]);
    assert_eq!(far(&L2Ball::new(5.0).unwrap(), &[3.0, -4.0], 2000), [3.0, -4.0]);
    let shrunk = Shrunk::new(UnitBox, vec![0.5; 3], 0.5).unwrap();
    assert_eq!(far(&shrunk, &low, 100), [0.25, 0.5, 0.75]);
    let mut last = [f64::MAX, 0.5, 0.75];
    shrunk.project(&mut last).unwrap();
    assert_eq!(last, [0.75, 0.5, 0.75], "stretching alone leaves the range");
}

/// A map without a scaled projection refuses the point and leaves it unchanged.
#[test]
fn other_maps_refuse_points_beyond_the_range() {
    let (simplex, mut y) = (Simplex::new(1.0).unwrap(), [3.0, 1.0]);
    let refused =
        Projection::<NegativeEntropy>::project_scaled_with(&simplex, &mut y, 1023, &mut Scratch::default());
    assert_eq!(refused, Err(ProjectionError::NotFinite { argument: "y", index: 0, value: f64::INFINITY }));
    assert_eq!(y, [3.0, 1.0]);
    Projection::<NegativeEntropy>::project_scaled_with(&simplex, &mut y, 1000, &mut Scratch::default())
        .unwrap();
    assert_eq!(y, [0.75, 0.25]);
}

/// Found by fuzzing against exact arithmetic: the bracket of the threshold was one number, the lower
/// entry, and
/// both entries came out as s.
#[test]
fn a_capped_simplex_that_is_small_next_to_its_point_gets_its_mass_once() {
    let s = 6.057_901_017_941_76e-94;
    let capped = CappedSimplex::new(vec![2.25, 4.125], s).unwrap();
    let mut x = [-2.145_554_823_854_822_3e110, -2.145_554_823_854_871e110];
    Projection::<Euclidean>::project(&capped, &mut x).unwrap();
    assert_eq!(x, [s, 0.0]);
}
