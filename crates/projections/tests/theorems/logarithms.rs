//! Entropic projections that return logarithms, of points whose own logarithms may lie beyond the range.

use crate::sample::{entropic_set, weight};
use projections::{AnySet, CappedSimplex, LogProjection, Scratch, Simplex, Then, UnitBox, scale_down};
use proptest::collection::vec;
use proptest::prelude::*;

/// x = Π(y) and log x, for log y = `log_y`·2^exponent.
fn both(set: &impl LogProjection, log_y: &[f64], exponent: u32) -> Option<(Vec<f64>, Vec<f64>)> {
    let (mut logarithms, mut x) = (log_y.to_vec(), vec![0.0; log_y.len()]);
    set.project_log_scaled_with(&mut logarithms, exponent, &mut x, &mut Scratch::default()).ok()?;
    Some((x, logarithms))
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> Result<(), TestCaseError> {
    for (a, b) in a.iter().zip(b) {
        prop_assert!(a == b || (a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} for {b}");
    }
    Ok(())
}

proptest! {
    /// The same point as without logarithms, whatever the unit, and its own logarithms beside it.
    #[test]
    fn the_point_and_its_logarithms(
        (set, y) in (1..12_usize).prop_flat_map(|n| (entropic_set(n), vec(weight(), n))), exponent in 0..1000_u32,
    ) {
        let log_y: Vec<f64> = y.iter().map(|v| v.ln()).collect();
        let mut want = log_y.clone();
        let outcome = set.project_log(&mut want);
        let small: Vec<f64> = log_y.iter().map(|v| scale_down(*v, exponent)).collect();
        let Some((x, logarithms)) = both(&set, &small, exponent) else {
            prop_assert!(outcome.is_err());
            return Ok(());
        };
        prop_assert!(outcome.is_ok());
        close(&x, &want, 1e-11)?;
        let named: Vec<f64> = logarithms.iter().map(|v| v.exp()).collect();
        if !matches!(&set, AnySet::CappedSimplex(set) if set.caps().contains(&0.0)) {
            close(&named, &x, 1e-11)?;
        }
    }

    /// What is too small to see keeps its distance from what is not: log x − log y is the same for both.
    #[test]
    fn invisible_weights_keep_their_ratio(depth in 800.0..1e6_f64, lead in -2.0..2.0_f64) {
        let log_y = [lead, 0.0, -depth, 1.5 - depth];
        let check = |set: &dyn LogProjection, log_rho: f64| -> Result<(), TestCaseError> {
            let (x, logarithms) = both(&set, &log_y, 0).unwrap();
            prop_assert!(x[2] == 0.0 && x[3] == 0.0);
            close(&logarithms[2..], &[log_rho - depth, log_rho + 1.5 - depth], 1e-12)
        };
        check(&Simplex::new(2.0).unwrap(), (2.0 / (lead.exp() + 1.0)).ln())?;
        // The first coordinate is full; the second carries the rest.
        check(&CappedSimplex::new(vec![0.1, 1.0, 1.0, 1.0], 1.0).unwrap(), 0.9_f64.ln())?;
        check(&UnitBox, 0.0)?;
        check(&Then::new(UnitBox, Simplex::new(2.0).unwrap()), (2.0 / (lead.min(0.0).exp() + 1.0)).ln())?;
    }

    /// In logarithms the double projection is that of the definition.
    #[test]
    fn double_projections((y, s) in (vec(weight(), 1..8), 0.5..2.0_f64)) {
        let double = Then::new(UnitBox, Simplex::new(s).unwrap());
        let (mut plain, mut logarithmic) = (y.clone(), y.iter().map(|v| v.ln()).collect::<Vec<_>>());
        let given = logarithmic.clone();
        let outcome = projections::Projection::<projections::NegativeEntropy>::project(&double, &mut plain);
        prop_assert_eq!(double.project_log(&mut logarithmic).is_ok(), outcome.is_ok());
        close(&logarithmic, if outcome.is_ok() { &plain } else { &given }, 1e-12)?;
    }
}

/// Beyond the range capped weights fill in their order, equal ones alike, and the last needed one takes the rest.
#[test]
fn orders_beyond_the_range() {
    let set = CappedSimplex::new(vec![0.25, 0.25, 0.5, 0.5, 0.5], 1.0).unwrap();
    let (x, _) = both(&set, &[1e300, 9e299, -1e300, -1e300, -1.5e300], 600).unwrap();
    assert_eq!(x, [0.25, 0.25, 0.25, 0.25, 0.0]);
    let (x, _) = both(&set, &[1e300, f64::NEG_INFINITY, -1e300, 1e299, -1.5e300], 600).unwrap();
    assert_eq!(x, [0.25, 0.0, 0.25, 0.5, 0.0]);
    assert!(
        both(&set, &[1e300, f64::NEG_INFINITY, f64::NEG_INFINITY, 1e299, f64::NEG_INFINITY], 600).is_none()
    );
    assert!(both(&Simplex::new(1.0).unwrap(), &[f64::NEG_INFINITY; 2], 600).is_none());
    let (x, logarithms) = both(&UnitBox, &[1e300, -1e300, f64::NEG_INFINITY], 600).unwrap();
    assert_eq!((x, logarithms), (vec![1.0, 0.0, 0.0], vec![0.0, f64::MIN, f64::NEG_INFINITY]));
}
