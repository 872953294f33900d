//! Membership, diameters, interior points, start points, saving, and refusals.

use crate::sample::{coordinate, member, set, size};
use projections::{
    AnySet, BoxSet, CappedSimplex, DecisionSet, Euclidean, L1Ball, L2Ball, LinearMinimisation,
    NegativeEntropy, Projection, ProjectionError, Regulariser, Shrunk, Simplex, UnitBox, project_l1_box,
    start_point,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn distance(x: &[f64], y: &[f64]) -> f64 {
    (2.0 * Euclidean.divergence(x, y).unwrap()).sqrt()
}

proptest! {
    #[test]
    fn members_lie_within_the_diameter(
        (set, g, h) in (1..10_usize).prop_flat_map(|n| (set(n), vec(coordinate(), n), vec(coordinate(), n))),
        lambda in 0.0..=1.0,
    ) {
        let n = g.len();
        let diameter = set.diameter(n).unwrap();
        // The farthest pairs are vertices in opposite directions.
        let opposite: Vec<f64> = g.iter().map(|v| -v).collect();
        let (x, y) = (member(&set, &g, &h, lambda), set.lmo(&opposite).unwrap());
        prop_assert!(distance(&x, &y) <= diameter * (1.0 + 1e-12) + 1e-12 * size(&[&x]));

        let mut inside = vec![f64::NAN; n];
        set.interior_point(&mut inside).unwrap();
        prop_assert!(set.contains(&inside, 1e-14 * size(&[&inside])));
        // Relative interior: a step past the point, away from any member, stays in the set.
        let beyond: Vec<f64> = inside.iter().zip(&x).map(|(a, b)| a + 1e-4 * (a - b)).collect();
        prop_assert!(set.contains(&beyond, 1e-9 * size(&[&inside, &x])) || narrow(&set), "{inside:?}");
        prop_assert!(!set.contains(&vec![1e9; n], 1.0));
    }

    #[test]
    fn a_saved_set_comes_back(set in (1..10_usize).prop_flat_map(set)) {
        let text = serde_json::to_string(&set).unwrap();
        prop_assert_eq!(serde_json::from_str::<AnySet>(&text).unwrap(), set);
    }
}

/// A capped simplex with almost no room above or below its interior point.
fn narrow(set: &AnySet) -> bool {
    match set {
        AnySet::CappedSimplex(set) => set.caps().iter().sum::<f64>() < set.mass() * (1.0 + 1e-3),
        _ => false,
    }
}

#[test]
fn diameters_of_known_sets() {
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-14 * b, "{a} for {b}");
    let capped =
        |caps: &[f64], s: f64| CappedSimplex::new(caps.to_vec(), s).unwrap().diameter(caps.len()).unwrap();
    close(Simplex::new(3.0).unwrap().diameter(4).unwrap(), 18_f64.sqrt());
    close(capped(&[3.0, 9.0, 1e300], 3.0), 18_f64.sqrt());
    close(capped(&[0.25; 8], 1.0), 8_f64.sqrt() * 0.25);
    close(capped(&[0.75, 0.5], 1.0), 0.25 * 2_f64.sqrt());
    close(UnitBox.diameter(9).unwrap(), 3.0);
    close(BoxSet::new(vec![-1e200, 0.0], vec![2e200, 4e200]).unwrap().diameter(2).unwrap(), 5e200);
    close(Shrunk::new(L2Ball::new(2.0).unwrap(), vec![1.0, 0.0], 0.25).unwrap().diameter(2).unwrap(), 3.0);
    assert!(Simplex::new(3.0).unwrap().diameter(1).unwrap() == 0.0 && capped(&[0.5, 0.5], 1.0) == 0.0);
}

#[test]
fn learners_start_at_the_projection_of_zero() {
    let mut x = [7.0; 2];
    start_point(&AnySet::L2Ball(L2Ball::new(1.0).unwrap()), &mut x).unwrap();
    assert!(x == [0.0; 2]);
    start_point(&Simplex::new(1.0).unwrap(), &mut x).unwrap();
    assert!(x == [0.5; 2]);
    let boxed: Box<dyn Projection<Euclidean>> = Box::new(BoxSet::interval(9.0, 11.0).unwrap());
    start_point(&boxed, &mut x[..1]).unwrap();
    assert!(x[0] == 9.0);
}

#[test]
fn the_last_representable_numbers_project() {
    let mut y = [-f64::MAX, f64::MAX, f64::MAX];
    Projection::<Euclidean>::project(&Simplex::new(f64::MAX).unwrap(), &mut y).unwrap();
    assert!(y[0] == 0.0 && y[1] == y[2] && y[1] == 0.5 * f64::MAX);
    let mut y = [f64::MAX, -f64::MAX];
    Projection::<Euclidean>::project(&L2Ball::new(f64::MIN_POSITIVE).unwrap(), &mut y).unwrap();
    assert!((y[0] / f64::MIN_POSITIVE - 0.5_f64.sqrt()).abs() < 1e-12 && y[1] == -y[0]);
    let mut y = [f64::MAX, -f64::MAX];
    Projection::<Euclidean>::project(&L1Ball::new(f64::MAX).unwrap(), &mut y).unwrap();
    assert!(y[0] == 0.5 * f64::MAX && y[1] == -y[0]);
    let mut y = [5e-324, 5e-324];
    Projection::<Euclidean>::project(&Simplex::new(4.0 * 5e-324).unwrap(), &mut y).unwrap();
    assert!(y == [1e-323, 1e-323]);
}

#[test]
fn refusals_name_the_fault_and_change_nothing() {
    use ProjectionError as E;
    let nan = f64::NAN;
    let named = |e: E| format!("{e:?}").split([' ', '{']).next().map(str::to_owned);
    let refused = |set: &AnySet, y: &[f64], fault: &str| {
        let mut x = y.to_vec();
        let error = Projection::<Euclidean>::project(set, &mut x).unwrap_err();
        assert_eq!(named(error).as_deref(), Some(fault));
        assert!(x.iter().zip(y).all(|(a, b)| a.to_bits() == b.to_bits()));
    };
    let capped = AnySet::CappedSimplex(CappedSimplex::new(vec![0.5, 1.0], 1.0).unwrap());
    for set in
        [&capped, &AnySet::Simplex(Simplex::new(1.0).unwrap()), &AnySet::L1Ball(L1Ball::new(1.0).unwrap())]
    {
        refused(set, &[], "Empty");
        refused(set, &[2.0, nan, 1.0], "NotFinite");
        refused(set, &[f64::NEG_INFINITY], "NotFinite");
    }
    refused(&capped, &[1.0], "LengthMismatch");
    let mut x = [9.0; 2];
    assert!(capped.lmo_with(&[1.0], &mut x, &mut Default::default()).is_err());
    assert!(capped.lmo_with(&[1.0, nan], &mut x, &mut Default::default()).is_err());
    assert!(x == [9.0; 2]);

    let mut y = [1.0, -1.0];
    let entropic = |set: &AnySet, y: &mut [f64]| Projection::<NegativeEntropy>::project(set, y).unwrap_err();
    assert_eq!(entropic(&capped, &mut y), E::NegativeEntry { argument: "y", index: 1, value: -1.0 });
    assert_eq!(entropic(&capped, &mut [0.0, -0.0]), E::NoMass);
    assert_eq!(entropic(&capped, &mut [2.0, 0.0]), E::InfeasibleCaps { total: 0.5, required: 1.0 });
    let ball = AnySet::L2Ball(L2Ball::new(1.0).unwrap());
    assert_eq!(entropic(&ball, &mut y), E::NoEntropicGeometry { set: "l2_ball" });
    assert!(y == [1.0, -1.0]);

    assert_eq!(named(Simplex::new(nan).unwrap_err()).as_deref(), Some("NotFinite"));
    assert_eq!(Simplex::new(0.0), Err(E::BadRadius { name: "s", value: 0.0 }));
    assert_eq!(L2Ball::new(-1.0), Err(E::BadRadius { name: "r", value: -1.0 }));
    assert_eq!(CappedSimplex::new(vec![], 1.0), Err(E::Empty { argument: "caps" }));
    assert_eq!(CappedSimplex::new(vec![2.0, -1.0], 1.0), Err(E::NegativeCap { index: 1, value: -1.0 }));
    assert_eq!(CappedSimplex::new(vec![0.25; 2], 1.0), Err(E::InfeasibleCaps { total: 0.5, required: 1.0 }));
    assert!(CappedSimplex::new(vec![0.5 - 4e-10; 2], 1.0).is_ok());
    assert_eq!(BoxSet::interval(1.0, 0.0), Err(E::BadBounds { index: 0, lower: 1.0, upper: 0.0 }));
    assert_eq!(Shrunk::new(UnitBox, vec![2.0], 0.5), Err(E::OutsideSet { argument: "centre" }));
    assert!(matches!(Shrunk::new(UnitBox, vec![0.5], 1.0), Err(E::BadParameter { name: "xi", .. })));
    assert_eq!(project_l1_box(&mut y, 0.0, 0.0), Err(E::BadStep { name: "eta", value: 0.0 }));
    assert!(matches!(project_l1_box(&mut y, -1.0, 1.0), Err(E::BadParameter { name: "alpha", .. })));
    assert!(serde_json::from_str::<AnySet>(r#"{"type": "simplex", "s": -1.0}"#).is_err());
    assert!(serde_json::from_str::<Shrunk<UnitBox>>(r#"{"set": null, "centre": [0.5], "xi": 2.0}"#).is_err());
}
