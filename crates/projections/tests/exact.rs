//! Projections and divergences against exact arithmetic, rounded once (`tests/exact/generate.py`): ties,
//! common offsets, entries from 1e-300 to 1e300 side by side, masses from 1e-308 to 1.5e308.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use projections::{AnySet, Euclidean, NegativeEntropy, PNorm, Projection, Regulariser};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    kernel: String,
    set: AnySet,
    y: Vec<f64>,
    x: Vec<f64>,
}

#[derive(Deserialize)]
struct Divergence {
    /// The exponent of the p-norm; 0 means the negative entropy.
    p: f64,
    x: Vec<f64>,
    y: Vec<f64>,
    divergence: f64,
}

fn read<T: for<'de> Deserialize<'de>>(file: &str) -> Vec<T> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exact");
    serde_json::from_str(&std::fs::read_to_string(folder.join(file)).unwrap()).unwrap()
}

/// Divergences of near points are tiny next to R: only a formula without cancellation gets their digits
/// right.
#[test]
fn divergences_agree_with_sixty_digits() {
    let cases: Vec<Divergence> = read("divergences.json");
    assert!(cases.len() >= 40);
    let mut worst: f64 = 0.0;
    for (number, case) in cases.iter().enumerate() {
        let got = if case.p == 0.0 {
            NegativeEntropy.divergence(&case.x, &case.y).unwrap()
        } else {
            PNorm::new(case.p).unwrap().divergence(&case.x, &case.y).unwrap()
        };
        let error = (got / case.divergence - 1.0).abs();
        worst = worst.max(error);
        assert!(
            error < 1e-12,
            "case {number}: {got:e} for {:e}, p = {}, {:?} {:?}",
            case.divergence,
            case.p,
            case.x,
            case.y
        );
    }
    eprintln!("{} divergences, largest relative error {worst:e}", cases.len());
}

#[test]
fn agrees_with_exact_arithmetic() {
    let cases: Vec<Case> = read("projections.json");
    assert!(cases.len() >= 90);
    let mut worst: f64 = 0.0;
    for (number, case) in cases.iter().enumerate() {
        let mut x = case.y.clone();
        match case.kernel.as_str() {
            "euclidean" => Projection::<Euclidean>::project(&case.set, &mut x).unwrap(),
            "entropic" => Projection::<NegativeEntropy>::project(&case.set, &mut x).unwrap(),
            other => panic!("case {number}: unknown kernel {other}"),
        }
        // The error of each coordinate in units of ‖x‖₁, formed without overflow.
        let largest = case.x.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let norm = case.x.iter().map(|v| (v / largest).abs()).sum::<f64>().max(1.0);
        for (got, want) in x.iter().zip(&case.x) {
            let error = (got / largest - want / largest).abs() / norm;
            worst = worst.max(error);
            assert!(
                error < 1e-15,
                "case {number}: {got} for {want}, off by {error}\n{:?} {:?}",
                case.set,
                case.y
            );
        }
    }
    eprintln!("{} cases, largest error {worst:e} of the 1-norm", cases.len());
}
