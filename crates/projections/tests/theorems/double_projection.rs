//! [NP14, Lemma 4] inside and outside its hypotheses.

use crate::sample::{capped, coordinate, member, size, weight};
use projections::{
    BoxSet, CappedSimplex, DecisionSet, Euclidean, NegativeEntropy, Projection, Regulariser, Simplex, Then,
    UnitBox, project_l1_box,
};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn lemma_4_euclidean(y in vec(coordinate(), 2..10), g in vec(-1.0..1.0, 10), h in vec(-1.0..1.0, 10), lambda in 0.0..=1.0) {
        let n = y.len();
        let double = Then::new(UnitBox, Simplex::new(1.0).unwrap());
        let x = member(&double, &g[..n], &h[..n], lambda);
        let mut projected = y.clone();
        Projection::<Euclidean>::project(&double, &mut projected).unwrap();
        prop_assert!(double.contains(&projected, 1e-14));
        let (before, after) = (Euclidean.divergence(&x, &y).unwrap(), Euclidean.divergence(&x, &projected).unwrap());
        prop_assert!(before >= after - 1e-13 * size(&[&y]).powi(2), "{before} < {after}");
    }

    #[test]
    fn lemma_4_entropic(
        (set, y, g, h) in (2..10_usize).prop_flat_map(|n| (capped(n), vec(weight(), n), vec(-1.0..1.0, n), vec(-1.0..1.0, n))),
        lambda in 0.0..=1.0,
    ) {
        // Both hypotheses: y has mass everywhere, and the caps, scaled to at most 1, keep S inside the unit
        // box.
        let y: Vec<f64> = y.iter().map(|v| v.max(1e-3)).collect();
        let top = size(&[set.caps()]);
        let caps = set.caps().iter().map(|c| c / top).collect();
        let double = Then::new(UnitBox, CappedSimplex::new(caps, set.mass() / top).unwrap());
        let x = member(&double, &g, &h, lambda);
        let mut projected = y.clone();
        Projection::<NegativeEntropy>::project(&double, &mut projected).unwrap();
        let [before, after] = [&y, &projected].map(|z| NegativeEntropy.divergence(&x, z).unwrap());
        prop_assert!(before >= after - 1e-12 * (1.0 + before), "{before} < {after}");
    }

    /// [NP14, Algorithm 2]: no y ∈ [0, 1]ⁿ has a smaller ‖y − z‖² + αη‖y‖₁.
    #[test]
    fn the_l1_box_step_minimises(z in vec(coordinate(), 1..8), other in vec(0.0..=1.0, 8), alpha in 0.0..2.0, eta in 0.1..2.0) {
        let objective = |y: &[f64]| 2.0 * Euclidean.divergence(y, &z).unwrap() + alpha * eta * y.iter().sum::<f64>();
        let mut y = z.clone();
        project_l1_box(&mut y, alpha, eta).unwrap();
        prop_assert!(UnitBox.contains(&y, 0.0));
        prop_assert!(objective(&y) <= objective(&other[..z.len()]) * (1.0 + 1e-14));
    }
}

/// The double projection violates the Pythagorean inequality, so no learner may assume it.
#[test]
fn the_double_projection_is_not_exact() {
    let (y, x) = ([0.2, -0.5, 0.2], [0.5, 0.0, 0.5]);
    let mut projected = y;
    let double = Then::new(UnitBox, Simplex::new(1.0).unwrap());
    Projection::<Euclidean>::project(&double, &mut projected).unwrap();
    let [whole, inside, outside] =
        [(&x, &y), (&x, &projected), (&projected, &y)].map(|(a, b)| Euclidean.divergence(a, b).unwrap());
    assert!(whole < inside + outside - 0.09, "{whole} against {inside} + {outside}");
}

/// Lemma 4 needs S ⊆ K: through the wrong K the distance to x ∈ S can grow.
#[test]
fn lemma_4_fails_where_s_is_not_in_k() {
    let double = Then::new(BoxSet::interval(5.0, 6.0).unwrap(), BoxSet::interval(0.0, 4.0).unwrap());
    let (x, mut y) = ([0.0], [0.0]);
    Projection::<Euclidean>::project(&double, &mut y).unwrap();
    assert!(Euclidean.divergence(&x, &y).unwrap() > 7.9);
}

#[test]
fn a_refused_point_is_unchanged() {
    // min(1, y) succeeds, and only then has the capped simplex too little support.
    let double = Then::new(UnitBox, CappedSimplex::new(vec![0.5, 0.5], 1.0).unwrap());
    let mut y = [3.0, 0.0];
    assert!(Projection::<NegativeEntropy>::project(&double, &mut y).is_err());
    assert_eq!(y.map(f64::to_bits), [3.0, 0.0].map(f64::to_bits));
}
