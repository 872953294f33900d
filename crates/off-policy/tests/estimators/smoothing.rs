//! Logarithmic smoothing against its definition, and its bound against many logs.

use off_policy::estimators::{EstimateError, LogarithmicSmoothing};
use off_policy::policies::Softmax;
use off_policy::policies::Tabular;
use off_policy::{Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;

/// X = w·r with a weight of 50 in one row of 50, and a reward of 1 in half of the rows: E X = ½.
fn terms(n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let term = |_| if rng.random_bool(0.02) && rng.random_bool(0.5) { 50.0 } else { 0.0 };
    (0..n).map(term).collect()
}

#[test]
fn the_bound_is_by_its_definition() {
    let terms = [0.0, 0.5, 3.0, 40.0];
    let found = LogarithmicSmoothing::new(&terms, 0.25, 0.1).unwrap();
    let mean = (1.125_f64.ln() + 1.75_f64.ln() + 11_f64.ln()) / 4.0;
    assert!((found.value - mean / 0.25).abs() < 1e-14);
    let lower = ((mean - 10_f64.ln() / 4.0).exp() - 1.0) / 0.25;
    assert!((found.lower - lower).abs() < 1e-13, "{found:?}, {lower}");
    // IPS, as λ vanishes.
    let faint = LogarithmicSmoothing::new(&terms, 1e-9, 0.1).unwrap();
    assert!((faint.value - 10.875).abs() < 1e-5);
    assert_eq!(LogarithmicSmoothing::new(&[0.0; 3], 1.0, 0.1).unwrap().lower, 0.0);
}

/// The bound is above E X in no more than a share δ of 2,000 logs, and is of use: half of E X is not beyond
/// it. IPS itself is above E X in four logs of ten.
#[test]
fn the_bound_holds_on_all_but_few_logs() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (logs, delta) = (2_000, 0.1);
    let (mut beyond, mut beyond_ips, mut lowers) = (0, 0, 0.0);
    for _ in 0..logs {
        let terms = terms(1_000, &mut rng);
        let ips = terms.iter().sum::<f64>() / 1_000.0;
        let LogarithmicSmoothing { value, lower } =
            LogarithmicSmoothing::new(&terms, 1.0 / 1_000_f64.sqrt(), delta).unwrap();
        assert!(lower <= value && value <= ips);
        beyond += u32::from(lower > 0.5);
        beyond_ips += u32::from(ips > 0.5);
        lowers += lower / f64::from(logs);
    }
    // Four standard deviations of a share of 0.1 are 0.027.
    assert!(f64::from(beyond) <= 0.127 * f64::from(logs), "{beyond}");
    assert!(f64::from(beyond_ips) > 0.35 * f64::from(logs), "{beyond_ips}");
    assert!((0.15..0.5).contains(&lowers), "{lowers}");
}

#[test]
fn of_a_log_it_has_the_weighted_rewards() {
    let contexts = RowMatrix::dense(1, vec![0.0; 3]).unwrap();
    let log = |rewards| {
        Log::new(contexts.clone(), 2, vec![0, 1, 1], vec![0.5, 0.25, 0.5], Rewards(rewards)).unwrap()
    };
    let policy = Softmax::new(Tabular::new(1, vec![3_f64.ln(), 0.0]).unwrap(), 1.0).unwrap();
    let found = LogarithmicSmoothing::of(&log(vec![1.0, 2.0, 0.0]), &policy, 0.5, 0.05).unwrap();
    let by_terms = LogarithmicSmoothing::new(&[1.5, 2.0, 0.0], 0.5, 0.05).unwrap();
    assert!((found.value - by_terms.value).abs() < 1e-14 && (found.lower - by_terms.lower).abs() < 1e-14);
    let refused = LogarithmicSmoothing::of(&log(vec![1.0, -2.0, 0.0]), &policy, 0.5, 0.05);
    assert!(matches!(refused, Err(EstimateError::BadParameter { name: "a term", .. })));
}

#[test]
fn what_is_refused() {
    let of = |terms: &[f64], lambda, delta| LogarithmicSmoothing::new(terms, lambda, delta);
    for (lambda, delta, parameter) in
        [(0.0, 0.1, "lambda"), (-1.0, 0.1, "lambda"), (f64::NAN, 0.1, "lambda"), (1.0, 1.0, "delta")]
    {
        let refused = of(&[1.0], lambda, delta);
        assert!(matches!(refused, Err(EstimateError::BadParameter { name, .. }) if name == parameter));
    }
    assert!(matches!(of(&[], 1.0, 0.1), Err(EstimateError::BadParameter { name: "n", .. })));
    assert!(matches!(of(&[1e141], 1.0, 0.1), Err(EstimateError::TooLarge { index: 0, .. })));
    assert!(matches!(of(&[1.0, f64::NAN], 1.0, 0.1), Err(EstimateError::NotFinite { index: 1, .. })));
    // The ends of the ranges stay in range.
    for lambda in [1e-140, 1e140] {
        let found = of(&[1e140, 0.0], lambda, 0.1).unwrap();
        assert!(found.value.is_finite() && found.lower.is_finite(), "{found:?}");
    }
}
