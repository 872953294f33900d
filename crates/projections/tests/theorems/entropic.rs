//! Entropic projections: membership, KKT, Pythagoras in the relative entropy, and the logarithmic notation.

use crate::sample::{difference, dot, entropic_set, member, size, weight};
use projections::{
    AnySet, CappedSimplex, DecisionSet, LinearMinimisation, LogProjection, NegativeEntropy, Projection,
    ProjectionError, Regulariser, Simplex,
};
use proptest::collection::vec;
use proptest::prelude::*;

type Case = (AnySet, Vec<f64>, Vec<f64>, Vec<f64>, f64);

fn case() -> impl Strategy<Value = Case> {
    (1..12_usize).prop_flat_map(|n| {
        (entropic_set(n), vec(weight(), n), vec(-1.0..1.0, n), vec(-1.0..1.0, n), 0.0..=1.0)
    })
}

/// The projection; `None` if the support of y cannot hold the mass.
fn project(set: &AnySet, y: &[f64]) -> Option<Vec<f64>> {
    let mut x = y.to_vec();
    match Projection::<NegativeEntropy>::project(set, &mut x) {
        Ok(()) => Some(x),
        Err(ProjectionError::NoMass | ProjectionError::InfeasibleCaps { .. }) => {
            assert_eq!(x, y, "a refused point changed");
            None
        }
        Err(other) => panic!("{other}"),
    }
}

proptest! {
    /// ŷ is the projection exactly when ŷ ∈ K, ŷ = 0 where y = 0, and ⟨log(ŷ/y), x − ŷ⟩ ≥ 0 for all x ∈ K
    /// with x = 0 where y = 0. The lmo finds the worst such x if other x have a high cost.
    #[test]
    fn projections_satisfy_kkt_and_pythagoras((set, y, g, h, lambda) in case()) {
        let Some(projected) = project(&set, &y) else { return Ok(()) };
        prop_assert!(set.contains(&projected, 1e-13 * size(&[&projected])));
        let supported: Vec<bool> = y.iter().map(|v| *v > 0.0).collect();
        let slope = |g: &[f64]| -> Vec<f64> {
            g.iter().zip(&supported).map(|(g, s)| if *s { *g } else { 1e9 }).collect()
        };
        prop_assert!(projected.iter().zip(&supported).all(|(v, s)| *s || *v == 0.0));

        // Where a cap is 0, x = 0 for every x ∈ K and the slope does not matter.
        let log_ratio: Vec<f64> = projected.iter().zip(&y)
            .map(|(a, b)| if *a > 0.0 { a.ln() - b.ln() } else { 0.0 }).collect();
        let log_ratio = slope(&log_ratio);
        let worst = set.lmo(&log_ratio).unwrap();
        let gain = dot(&log_ratio, &difference(&worst, &projected));
        prop_assert!(gain >= -1e-11 * size(&[&worst]), "KKT violated by {gain}");

        let x = member(&set, &slope(&g), &slope(&h), lambda);
        let [whole, inside, outside] = [(&x, &y), (&x, &projected), (&projected, &y)]
            .map(|(a, b)| NegativeEntropy.divergence(a, b).unwrap());
        prop_assert!(whole >= (inside + outside) * (1.0 - 1e-12) - 1e-10, "{whole} < {inside} + {outside}");

        let again = project(&set, &projected).unwrap();
        prop_assert!(size(&[&difference(&again, &projected)]) - 1.0 <= 1e-14 * size(&[&projected]));
    }

    #[test]
    fn bisection_finds_the_same_factor((set, y, _, _, _) in case()) {
        let AnySet::CappedSimplex(set) = set else { return Ok(()) };
        let Some(x) = project(&AnySet::CappedSimplex(set.clone()), &y) else { return Ok(()) };
        let at = |log_rho: f64| {
            y.iter().zip(set.caps()).map(move |(v, c)| (log_rho + v.ln()).exp().min(*c))
        };
        let (mut low, mut high) = (-200.0, 200.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if at(middle).sum::<f64>() < set.mass() { low = middle } else { high = middle }
        }
        for (got, want) in x.iter().zip(at(high)) {
            prop_assert!((got - want).abs() <= 1e-11 * set.mass(), "{got} for {want}");
        }
    }

    #[test]
    fn logarithms_give_the_same_point((set, y, _, _, _) in case()) {
        let mut logarithmic: Vec<f64> = y.iter().map(|v| v.ln()).collect();
        let given = logarithmic.clone();
        let outcome = set.project_log(&mut logarithmic);
        match project(&set, &y) {
            None => {
                prop_assert!(outcome.is_err());
                prop_assert_eq!(logarithmic, given);
            }
            Some(x) => {
                for (got, want) in logarithmic.iter().zip(&x) {
                    prop_assert!((got - want).abs() <= 1e-12 * size(&[&x]), "{got} for {want}");
                }
            }
        }
    }

    /// On a simplex, capped or not, a factor common to all weights is immaterial, however large its
    /// logarithm.
    #[test]
    fn a_common_factor_is_immaterial((set, y, _, _, _) in case(), shift in (-20..20).prop_map(|k| 4096.0 * f64::from(k))) {
        if matches!(set, AnySet::UnitBox(_)) { return Ok(()) }
        let mut near: Vec<f64> = y.iter().map(|v| v.ln()).collect();
        let mut far: Vec<f64> = near.iter().map(|l| l + shift).collect();
        prop_assert_eq!(set.project_log(&mut near).is_ok(), set.project_log(&mut far).is_ok());
        for (a, b) in near.iter().zip(&far).filter(|(a, _)| a.is_finite()) {
            prop_assert!((a - b).abs() <= 1e-9 * size(&[&near]) || *b == a + shift, "{a} and {b}");
        }
    }
}

#[test]
fn weights_that_underflow_come_back() {
    let set = CappedSimplex::new(vec![0.5; 3], 1.0).unwrap();
    let mut x = [-1e6, -1e6 - 1.0, 0.0];
    set.project_log(&mut x).unwrap();
    let share = 0.5 / (1.0 + (-1.0_f64).exp());
    assert!(
        (x[0] - share).abs() < 1e-15 && (x[1] - (0.5 - share)).abs() < 1e-15 && (x[2] - 0.5).abs() < 1e-15
    );

    let mut x = [1e300, 1e300, -1e300];
    Simplex::new(1.0).unwrap().project_log(&mut x).unwrap();
    assert_eq!(x.map(f64::to_bits), [0.5, 0.5, 0.0].map(f64::to_bits));
}
