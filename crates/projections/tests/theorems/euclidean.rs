//! Euclidean projections: membership, KKT, idempotence, Pythagoras, and agreement with a bisection.

use crate::sample::{capped, coordinate, difference, dot, member, set, size};
use projections::{
    AnySet, CappedSimplex, DecisionSet, Euclidean, LinearMinimisation, Projection, Regulariser, Shrunk,
    Simplex,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn case() -> impl Strategy<Value = (AnySet, Vec<f64>, Vec<f64>, Vec<f64>, f64)> {
    (1..12_usize).prop_flat_map(|n| {
        (set(n), vec(coordinate(), n), vec(coordinate(), n), vec(coordinate(), n), 0.0..=1.0)
    })
}

/// ŷ is the projection exactly when ŷ ∈ K and ⟨y − ŷ, x − ŷ⟩ ≤ 0 for all x ∈ K; the lmo finds the worst x.
fn assert_projects<K: Projection<Euclidean> + LinearMinimisation>(
    set: &K,
    y: &[f64],
) -> Result<Vec<f64>, TestCaseError> {
    let mut projected = y.to_vec();
    set.project(&mut projected).unwrap();
    let scale = size(&[y, &projected]);
    prop_assert!(set.contains(&projected, 1e-13 * scale), "{projected:?} outside");
    let residual = difference(y, &projected);
    let worst = set.lmo(&residual.iter().map(|v| -v).collect::<Vec<_>>()).unwrap();
    let violation = dot(&residual, &difference(&worst, &projected));
    prop_assert!(
        violation <= 1e-13 * scale * size(&[&worst]) * y.len() as f64,
        "KKT violated by {violation}"
    );

    let mut again = projected.clone();
    set.project(&mut again).unwrap();
    let moved = size(&[&difference(&again, &projected)]) - 1.0;
    prop_assert!(moved <= 1e-14 * scale, "the projection of a projection moved by {moved}");
    Ok(projected)
}

proptest! {
    #[test]
    fn projections_satisfy_kkt_and_pythagoras((set, y, g, h, lambda) in case()) {
        let projected = assert_projects(&set, &y)?;
        let x = member(&set, &g, &h, lambda);
        let [whole, inside, outside] =
            [(&x, &y), (&x, &projected), (&projected, &y)].map(|(a, b)| Euclidean.divergence(a, b).unwrap());
        prop_assert!(whole >= inside + outside - 1e-12 * size(&[&x, &y]).powi(2));
    }

    #[test]
    fn a_shrunk_set_projects_within_its_set((set, y, g, h, xi) in case()) {
        let centre = member(&set, &g, &h, 0.5);
        prop_assume!(xi < 0.9);
        let shrunk = Shrunk::new(set, centre, xi).unwrap();
        let projected = assert_projects(&shrunk, &y)?;
        prop_assert!(shrunk.inner().contains(&projected, 1e-12 * size(&[&y])));
        if xi == 0.0 {
            let mut plain = y;
            Projection::<Euclidean>::project(shrunk.inner(), &mut plain).unwrap();
            prop_assert_eq!(plain, projected);
        }
    }

    #[test]
    fn bisection_finds_the_same_threshold(
        (set, y) in (1..12_usize).prop_flat_map(|n| (capped(n), vec(coordinate(), n)))
    ) {
        let mut x = y.clone();
        Projection::<Euclidean>::project(&set, &mut x).unwrap();
        let at = |tau: f64| y.iter().zip(set.caps()).map(move |(v, c)| (v - tau).max(0.0).min(*c));
        let reach = 1e3 + 2.0 * size(&[&y, set.caps()]);
        let (mut low, mut high) = (-reach, reach);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if at(middle).sum::<f64>() >= set.mass() { low = middle } else { high = middle }
        }
        for (got, want) in x.iter().zip(at(low)) {
            prop_assert!((got - want).abs() <= 1e-14 * reach, "{got} for {want}");
        }
    }

    #[test]
    fn caps_that_do_not_bind_leave_the_simplex(y in vec(coordinate(), 1..12), s in 0.1..5.0) {
        let (mut plain, mut with_caps) = (y.clone(), y.clone());
        Projection::<Euclidean>::project(&Simplex::new(s).unwrap(), &mut plain).unwrap();
        let set = CappedSimplex::new(vec![1.5 * s; y.len()], s).unwrap();
        Projection::<Euclidean>::project(&set, &mut with_caps).unwrap();
        for (a, b) in plain.iter().zip(&with_caps) {
            prop_assert!((a - b).abs() <= 1e-15 * s, "{a} and {b}");
        }
    }
}
