//! Vectors long enough for every branch of the searches, in the worst order for each.

use crate::sample::{difference, dot, size};
use projections::{
    CappedSimplex, DecisionSet, Euclidean, L1Ball, LinearMinimisation, NegativeEntropy, Projection,
    ProjectionError, Scratch, Simplex,
};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

const N: usize = 30_000;

/// Values by style: spread, ties, a common offset, creeping steps, few above many, sorted both ways,
/// shuffled.
fn vectors(rng: &mut ChaCha8Rng) -> Vec<(&'static str, Vec<f64>)> {
    let uniform: Vec<f64> = (0..N).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut rising = uniform.clone();
    rising.sort_unstable_by(f64::total_cmp);
    let falling = rising.iter().rev().copied().collect();
    let creeping: Vec<f64> = (0..N).map(|i| -(2_f64.powf(i as f64 / 100.0))).collect();
    let mut shuffled = creeping.clone();
    shuffled.shuffle(rng);
    vec![
        ("uniform", uniform.clone()),
        ("rising", rising),
        ("falling", falling),
        ("creeping", creeping),
        ("creeping, shuffled", shuffled),
        ("ties", uniform.iter().map(|v| (4.0 * v).round()).collect()),
        ("offset", uniform.iter().map(|v| v + 1e9).collect()),
        (
            "one above a dense crowd",
            (0..N).map(|i| if i == N / 2 { 1.0 } else { 1e-9 * uniform[i] }).collect(),
        ),
        ("small", uniform.iter().map(|v| 1e-5 * v).collect()),
    ]
}

fn assert_projects<K>(set: &K, y: &[f64], mass: f64, name: &str, scratch: &mut Scratch)
where
    K: Projection<Euclidean> + LinearMinimisation + std::fmt::Debug,
{
    let mut x = y.to_vec();
    set.project_with(&mut x, scratch).unwrap();
    assert!(set.contains(&x, 1e-14 * mass), "{name}: the sum is off by {:e}", x.iter().sum::<f64>() - mass);
    let residual = difference(y, &x);
    let worst = set.lmo(&difference(&x, y)).unwrap();
    let violation = dot(&residual, &difference(&worst, &x));
    let allowed = 1e-12 * mass * size(&[&residual]);
    assert!(violation <= allowed, "{name}: KKT violated by {violation:e}");
}

#[test]
fn long_vectors_project_exactly() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut scratch = Scratch::default();
    for (name, y) in vectors(&mut rng) {
        for s in [1e-3, 1.0, 1e3, 1e7] {
            assert_projects(&Simplex::new(s).unwrap(), &y, s, name, &mut scratch);
            assert_projects(&L1Ball::new(s).unwrap(), &y, s, name, &mut scratch);
            for tightness in [1.001, 2.0, 100.0] {
                let equal = vec![tightness * s / N as f64; N];
                assert_projects(&CappedSimplex::new(equal, s).unwrap(), &y, s, name, &mut scratch);
                let caps =
                    (0..N).map(|i| tightness * s * 2.0 * ((i % 7) as f64) / (5.9 * N as f64)).collect();
                assert_projects(&CappedSimplex::new(caps, s).unwrap(), &y, s, name, &mut scratch);
            }
        }
    }
}

/// NaN and ±∞ are refused by every first pass: over sorted, positive or sifted vectors.
#[test]
fn long_vectors_that_are_not_finite_are_refused() {
    let mut scratch = Scratch::default();
    for (name, y) in vectors(&mut ChaCha8Rng::seed_from_u64(8)) {
        for (s, value, index) in [1.0, 1e7]
            .into_iter()
            .flat_map(|s| [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(|value| (s, value)))
            .flat_map(|(s, value)| [0, N / 3, N - 1].map(|index| (s, value, index)))
        {
            let mut x = y.clone();
            x[index] = value;
            let before: Vec<u64> = x.iter().map(|v| v.to_bits()).collect();
            let outcome =
                Projection::<Euclidean>::project_with(&Simplex::new(s).unwrap(), &mut x, &mut scratch);
            let named = matches!(outcome, Err(ProjectionError::NotFinite { index: i, .. }) if i == index);
            assert!(named, "{name}, {value} at {index}: {outcome:?}");
            assert!(x.iter().map(|v| v.to_bits()).eq(before), "{name}");
        }
    }
}

/// min(c, ρy) with one ρ: every coordinate below its cap has the same x/y, every full one a smaller c/y.
#[test]
fn long_entropic_projections_share_one_factor() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut scratch = Scratch::default();
    for (name, v) in vectors(&mut rng) {
        let y: Vec<f64> = v.iter().map(|v| if name == "offset" { *v } else { (0.5 * v).exp() }).collect();
        let supported = y.iter().filter(|v| **v > 0.0).count() as f64;
        for tightness in [1.0 + 1e-6, 2.0, 100.0] {
            let caps: Vec<f64> = (0..N).map(|i| tightness * (1.0 + (i % 3) as f64) / supported).collect();
            let set = CappedSimplex::new(caps.clone(), 1.0).unwrap();
            let mut x = y.clone();
            Projection::<NegativeEntropy>::project_with(&set, &mut x, &mut scratch).unwrap();
            assert!(set.contains(&x, 1e-13), "{name}: sum {:e}", x.iter().sum::<f64>() - 1.0);
            let ratios = |full: bool| {
                let of_interest = (0..N).filter(|&i| x[i].is_normal() && (x[i] >= caps[i]) == full);
                of_interest.map(|i| x[i].ln() - y[i].ln()).collect::<Vec<_>>()
            };
            let (lowest, highest) = ratios(false)
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), r| (l.min(*r), h.max(*r)));
            let tolerance = 1e-12 * (1.0 + lowest.abs());
            assert!(
                highest <= lowest + tolerance || lowest == f64::NEG_INFINITY,
                "{name}: {lowest} to {highest}"
            );
            assert!(ratios(true).iter().all(|r| *r <= highest + tolerance), "{name}");
        }
    }
}

/// Caps for which even sharing fills few coordinates per round. From equal weights both geometries share
/// evenly, so the answer is min(c, ρ) with ρ found by filling the caps in rising order.
#[test]
fn creeping_caps_fill_as_in_rising_order() {
    for spare in [1e-6, 1e-3, 0.5] {
        // Each round finds only the next 8 % of the remaining coordinates below the mean.
        let (mut caps, mut groups) = (Vec::with_capacity(N), Vec::new());
        for group in 0..11 {
            let (size, cap) = ((N - caps.len()) * 8 / 100, 1.0 - 0.9 * 16_f64.powi(-group));
            caps.resize(caps.len() + size, cap);
            groups.push((size, cap));
        }
        groups.push((N - caps.len(), 1.0));
        caps.resize(N, 1.0);
        let s = groups.iter().map(|(size, cap)| *size as f64 * cap).sum::<f64>() - spare;
        let (mut rest, mut left, mut rho) = (s, N, 0.0);
        for (size, cap) in groups {
            rho = rest / left as f64;
            if cap > rho {
                break;
            }
            rest -= size as f64 * cap;
            left -= size;
        }
        let mut entropic = vec![1.0; N];
        let set = CappedSimplex::new(caps.clone(), s).unwrap();
        Projection::<NegativeEntropy>::project(&set, &mut entropic).unwrap();

        // For the Euclidean geometry every other coordinate, and its cap, is a quarter higher.
        let start: Vec<f64> = (0..N).map(|i| 0.25 * (i % 2) as f64).collect();
        let raised = caps.iter().zip(&start).map(|(c, v)| c + v).collect();
        let set = CappedSimplex::new(raised, s + 0.125 * N as f64).unwrap();
        let mut euclidean = start.clone();
        Projection::<Euclidean>::project(&set, &mut euclidean).unwrap();
        for i in 0..N {
            let (want, a, b) = (caps[i].min(rho), euclidean[i] - start[i], entropic[i]);
            assert!((a - want).abs() < 1e-14 && (b - want).abs() < 1e-14, "{i}: {a} and {b} for {want}");
        }
    }
}
