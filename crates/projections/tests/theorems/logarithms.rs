//! Entropic projections that return logarithms, of points whose own logarithms may lie beyond the range.

use crate::sample::{entropic_set, weight};
use projections::{AnySet, CappedSimplex, LogProjection, ProjectionError, Scratch, Simplex, Then, UnitBox};
use proptest::collection::vec;
use proptest::prelude::*;
use rows::numeric::scale_down;

/// x = Π(y) and log x, for log y = `log_y`·2^exponent. The logarithms are the same where x is not asked for.
fn both(set: &impl LogProjection, log_y: &[f64], exponent: u32) -> Option<(Vec<f64>, Vec<f64>)> {
    let (mut logarithms, mut x) = (log_y.to_vec(), vec![0.0; log_y.len()]);
    let outcome = set.project_log_scaled_with(&mut logarithms, exponent, &mut x, &mut Scratch::default());
    let mut alone = log_y.to_vec();
    let of_logarithms = set.project_logarithms_with(&mut alone, exponent, &mut Scratch::default());
    assert_eq!(of_logarithms, outcome);
    outcome.ok()?;
    assert_eq!(alone, logarithms);
    Some((x, logarithms))
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> Result<(), TestCaseError> {
    for (a, b) in a.iter().zip(b) {
        prop_assert!(a == b || (a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} for {b}");
    }
    Ok(())
}

proptest! {
    /// The point equals the one without logarithms, in any unit, and the logarithms are its own.
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

    /// An underflowed coordinate keeps its distance from the others: log x − log y is the same for both.
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

    /// Long vectors of ordinary weights, of which none, few or most are full: x = min(c, ρy), Σx = s, and log
    /// x.
    #[test]
    fn long_vectors_below_caps((log_y, k) in (vec(-30.0..30.0_f64, 100..900), 1.01..50.0_f64), period in 1..4_usize) {
        let cap = |i: usize| k * (1 + i % period) as f64 / log_y.len() as f64;
        let caps: Vec<f64> = (0..log_y.len()).map(cap).collect();
        let set = CappedSimplex::new(caps.clone(), 1.0).unwrap();
        let (x, logarithms) = both(&set, &log_y, 0).unwrap();
        prop_assert!((x.iter().sum::<f64>() - 1.0).abs() <= 1e-12);
        let ratio = |i: usize| logarithms[i] - log_y[i];
        let (open, full): (Vec<usize>, Vec<usize>) = (0..x.len()).partition(|&i| x[i] < caps[i]);
        let log_rho = ratio(open[0]);
        prop_assert!(open.iter().all(|&i| (ratio(i) - log_rho).abs() <= 1e-12));
        prop_assert!(full.iter().all(|&i| x[i] == caps[i] && ratio(i) <= log_rho + 1e-12));
        close(&logarithms, &x.iter().map(|v| v.ln()).collect::<Vec<_>>(), 1e-14)?;
        let mut alone = log_y.clone();
        set.project_log(&mut alone).unwrap();
        close(&alone, &x, 1e-14)?;
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

/// Beyond the range capped weights fill in order, equal ones equally, and the last one takes the rest.
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

/// On the simplex ten thousand active steps end at the weights of their sum, more accurately than a lazy
/// learner.
#[test]
fn active_steps_do_not_accumulate_error() {
    let (n, eta) = (25, 0.1);
    let direction = |t: usize, i: usize| ((t * t % 911 + 7 * i * t) as f64).sin() + 0.02 * i as f64;
    let (mut log_w, mut w, mut scratch) = (vec![0.0; n], vec![0.0; n], Scratch::default());
    // The sum of each coordinate and the rounding error of its additions.
    let mut sums = vec![(0.0_f64, 0.0_f64); n];
    let simplex = Simplex::new(1.0).unwrap();
    for t in 0..10_000 {
        for i in 0..n {
            let step = eta * direction(t, i);
            let (sum, lost) = sums[i];
            let next = sum + step;
            sums[i] = (
                next,
                lost + if sum.abs() >= step.abs() { (sum - next) + step } else { (step - next) + sum },
            );
            log_w[i] += step;
        }
        simplex.project_log_scaled_with(&mut log_w, 0, &mut w, &mut scratch).unwrap();
    }
    // Relative to the last coordinate, the largest.
    let seen = |i: usize| (sums[i].0 - sums[n - 1].0) + (sums[i].1 - sums[n - 1].1);
    for i in 0..n {
        let got = log_w[i] - log_w[n - 1];
        assert!(
            (got - seen(i)).abs() <= 4e-15 * 10_000.0_f64.sqrt() * (1.0 + seen(i).abs()),
            "{got} for {}",
            seen(i)
        );
    }
    assert!((w.iter().sum::<f64>() - 1.0).abs() <= 1e-15 * n as f64);
}

/// NaN and +∞ are found at every position, in a row of lanes and after the last one.
#[test]
fn a_refusal_names_the_index() {
    for (n, value) in [1, 8, 9, 17].into_iter().flat_map(|n| [(n, f64::NAN), (n, f64::INFINITY)]) {
        for index in 0..n {
            let mut log_y = vec![-0.5; n];
            log_y[index] = value;
            let capped = CappedSimplex::new(vec![1.0; n], 1.0).unwrap();
            for set in [AnySet::Simplex(Simplex::new(1.0).unwrap()), AnySet::CappedSimplex(capped)] {
                let refused = set.project_log(&mut log_y.clone()).unwrap_err();
                let is_named = |e: &ProjectionError| {
                    matches!(e, ProjectionError::NotFinite { argument: "log_y", index: i, value: v }
                        if *i == index && v.to_bits() == value.to_bits())
                };
                assert!(is_named(&refused), "{value} at {index} of {n}: {refused:?}");
            }
        }
    }
}
