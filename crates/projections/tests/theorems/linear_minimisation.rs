//! Linear minimisation: optimal against random members, a vertex, and the lowest index in a tie.

use crate::sample::{coordinate, dot, member, set, size};
use projections::{
    AnySet, CappedSimplex, DecisionSet, Euclidean, L1Ball, L2Ball, LinearMinimisation, Projection, Simplex,
};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn no_member_is_better(
        (set, g, y, h) in (1..10_usize).prop_flat_map(|n| (set(n), vec(coordinate(), n), vec(coordinate(), n), vec(coordinate(), n))),
        lambda in 0.0..=1.0,
    ) {
        let x = set.lmo(&g).unwrap();
        let mut projected = y.clone();
        Projection::<Euclidean>::project(&set, &mut projected).unwrap();
        let scale = size(&[&g]) * size(&[&x]) * g.len() as f64;
        prop_assert!(set.contains(&x, 1e-14 * scale));
        for other in [projected, member(&set, &h, &y, lambda)] {
            prop_assert!(dot(&g, &x) <= dot(&g, &other) + 1e-14 * scale);
        }
        if let AnySet::CappedSimplex(capped) = &set {
            let between = x.iter().zip(capped.caps()).filter(|(x, c)| **x > 1e-14 * scale && *x < *c);
            prop_assert!(between.count() <= 1, "{x:?} is no vertex");
        }
    }
}

#[test]
fn ties_go_to_the_lowest_index() {
    assert_eq!(Simplex::new(2.0).unwrap().lmo(&[0.0, -0.0, 1.0]).unwrap(), [2.0, 0.0, 0.0]);
    assert_eq!(Simplex::new(2.0).unwrap().lmo(&[3.0, 1.0, 1.0]).unwrap(), [0.0, 2.0, 0.0]);
    let capped = CappedSimplex::new(vec![0.5, 0.75, 0.5], 1.0).unwrap();
    assert_eq!(capped.lmo(&[0.0, 0.0, -0.0]).unwrap(), [0.5, 0.5, 0.0]);
    assert_eq!(L1Ball::new(2.0).unwrap().lmo(&[1.0, -1.0]).unwrap(), [-2.0, 0.0]);
    assert_eq!(L1Ball::new(2.0).unwrap().lmo(&[0.0, 0.0]).unwrap(), [-2.0, 0.0]);
    assert_eq!(L2Ball::new(2.0).unwrap().lmo(&[0.0, 0.0]).unwrap(), [0.0, 0.0]);
}

#[test]
fn gradients_of_any_size_count() {
    let ball = L2Ball::new(1e-200).unwrap();
    for size in [1e-310, 1e-200, 1.0, 1e200, 1e308] {
        let x = ball.lmo(&[3.0 * (size / 5.0), -4.0 * (size / 5.0)]).unwrap();
        assert!((x[0] / 1e-200 + 0.6).abs() < 1e-12 && (x[1] / 1e-200 - 0.8).abs() < 1e-12, "{x:?}");
    }
}
