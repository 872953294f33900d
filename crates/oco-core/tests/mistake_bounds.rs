//! The mistake bounds of Perceptron and Winnow, every round; the learners they are instances of; features of
//! any magnitude.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::float_cmp, reason = "what is compared exactly is exact")]

use oco_core::learners::{LazyOgd, Perceptron, Winnow};
use oco_core::{OcoError, OnlineLearner};
use projections::{L2Ball, LogProjection, Simplex};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::Row;

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

type Example = (Vec<f64>, f64);

/// Examples that u separates with a margin of at least 0.05, three times over.
fn separable(u: &[f64], points: &[Vec<f64>]) -> Vec<Example> {
    let far = points.iter().filter(|x| inner(u, x).abs() >= 0.05);
    let once: Vec<Example> = far.map(|x| (x.clone(), inner(u, x).signum())).collect();
    [once.clone(), once.clone(), once].concat()
}

fn points(n: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    let entry = prop_oneof![2 => -2.0..2.0_f64, 1 => Just(0.0)];
    prop::collection::vec(prop::collection::vec(entry, n), 1..40)
}

fn row(x: &[f64]) -> Row<'_> {
    Row::dense(x).unwrap()
}

proptest! {
    /// [N62]: at most (R/γ)² mistakes, with R and γ as the examples so far have them.
    #[test]
    fn perceptron(direction in prop::collection::vec(-1.0..1.0_f64, 5), points in points(5)) {
        let norm = inner(&direction, &direction).sqrt();
        prop_assume!(norm > 0.1);
        let u: Vec<f64> = direction.iter().map(|v| v / norm).collect();
        let mut perceptron = Perceptron::new(5).unwrap();
        let (mut margin, mut radius) = (f64::INFINITY, 0.0_f64);
        for (x, y) in separable(&u, &points) {
            perceptron.observe(row(&x), y).unwrap();
            (margin, radius) = (margin.min(y * inner(&u, &x)), radius.max(inner(&x, &x).sqrt()));
            let bound = (radius / margin).powi(2);
            prop_assert!(perceptron.mistakes() as f64 <= bound + 1e-9, "{} > {bound}", perceptron.mistakes());
        }
    }

    /// The doc's bound for any η < 2γ/X², and 2X² ln n/γ² at η = γ/X², where the bound knows γ and X of the
    /// whole stream.
    #[test]
    fn winnow(masses in prop::collection::vec(0.0..1.0_f64, 5), points in points(5), share in 0.1..1.9_f64) {
        let total: f64 = masses.iter().sum();
        prop_assume!(total > 0.1);
        let u: Vec<f64> = masses.iter().map(|v| v / total).collect();
        let examples = separable(&u, &points);
        let (mut margin, mut largest) = (f64::INFINITY, 0.0_f64);
        for (x, y) in &examples {
            margin = margin.min(y * inner(&u, x));
            largest = x.iter().fold(largest, |m, x| m.max(x.abs()));
        }
        prop_assume!(!examples.is_empty());
        let eta = share * margin / largest.powi(2);
        let mut tuned = Winnow::for_margin(5, largest, margin).unwrap();
        let mut other = Winnow::new(5, eta).unwrap();
        for (x, y) in &examples {
            tuned.observe(row(x), *y).unwrap();
            other.observe(row(x), *y).unwrap();
            let bound = 2.0 * largest.powi(2) * 5.0_f64.ln() / margin.powi(2);
            prop_assert!(tuned.mistakes() as f64 <= bound + 1e-9, "{} > {bound}", tuned.mistakes());
            let bound = 5.0_f64.ln() / eta / (margin - 0.5 * eta * largest.powi(2));
            prop_assert!(other.mistakes() as f64 <= bound + 1e-9, "{} > {bound}", other.mistakes());
        }
    }

    /// [W13, §3.1]: the Perceptron is lazy OGD with η = 1 on the hinge at zero, bit for bit, over a ball that
    /// never binds.
    #[test]
    fn the_perceptron_is_lazy_ogd(points in points(4), labels in prop::collection::vec(any::<bool>(), 40)) {
        let mut perceptron = Perceptron::new(4).unwrap();
        let mut lazy = LazyOgd::new(L2Ball::new(1e9).unwrap(), 4, 1.0).unwrap();
        for (x, label) in points.iter().zip(labels) {
            let y = if label { 1.0 } else { -1.0 };
            let mistaken = y * row(x).dot(lazy.play()) <= 0.0;
            prop_assert_eq!(perceptron.observe(row(x), y).unwrap(), mistaken);
            let subgradient: Vec<f64> = x.iter().map(|x| if mistaken { -y * x } else { 0.0 }).collect();
            lazy.observe(&subgradient).unwrap();
            prop_assert_eq!(perceptron.weights(), lazy.play());
        }
    }

    /// [W13, §4]: Winnow's weights are the entropic projection of ηΣyx onto the simplex, and its mistakes are
    /// theirs.
    #[test]
    fn winnow_is_ftrl_with_the_entropy(points in points(4), labels in prop::collection::vec(any::<bool>(), 40), eta in 0.01..5.0_f64) {
        let mut winnow = Winnow::new(4, eta).unwrap();
        let mut theta = [0.0; 4];
        for (x, label) in points.iter().zip(labels) {
            let y = if label { 1.0 } else { -1.0 };
            let mut w: Vec<f64> = theta.iter().map(|theta| eta * theta).collect();
            Simplex::new(1.0).unwrap().project_log(&mut w).unwrap();
            for (got, want) in winnow.weights().iter().zip(&w) {
                prop_assert!((got - want).abs() < 1e-12);
            }
            let score = y * inner(&w, x);
            let mistaken = winnow.observe(row(x), y).unwrap();
            prop_assert!(score.abs() < 1e-9 || mistaken == (score <= 0.0));
            if mistaken {
                theta.iter_mut().zip(x).for_each(|(theta, x)| *theta += y * x);
            }
        }
    }

    /// A sparse row is its dense copy; the features are integers, so that the order of a sum does not count.
    #[test]
    fn sparse_rows(points in prop::collection::vec(prop::collection::vec(-2..3_i32, 6), 1..30)) {
        let mut dense = (Perceptron::new(6).unwrap(), Winnow::new(6, 0.3).unwrap());
        let mut sparse = dense.clone();
        for (t, x) in points.iter().enumerate() {
            let y = if t % 3 == 0 { 1.0 } else { -1.0 };
            let x: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
            let (indices, values): (Vec<u32>, Vec<f64>) =
                (0_u32..).zip(&x).filter(|(_, x)| **x != 0.0).map(|(j, x)| (j, *x)).unzip();
            let stored = Row::sparse(6, &indices, &values).unwrap();
            prop_assert_eq!(dense.0.observe(row(&x), y), sparse.0.observe(stored, y));
            prop_assert_eq!(dense.1.observe(row(&x), y), sparse.1.observe(stored, y));
            prop_assert_eq!(dense.1.predict(row(&x)), sparse.1.predict(stored));
        }
        prop_assert_eq!(dense, sparse);
    }

    /// Features 2^e times as large change no mistake, although every product leaves the range on one side or
    /// the other; Winnow's step is divided by the same.
    #[test]
    fn mistakes_do_not_depend_on_the_unit(points in points(4), labels in prop::collection::vec(any::<bool>(), 40), e in -460..460_i32) {
        let unit = 2.0_f64.powi(e);
        let mut near = (Perceptron::new(4).unwrap(), Winnow::new(4, 0.5).unwrap());
        let mut far = (Perceptron::new(4).unwrap(), Winnow::new(4, 0.5 / unit).unwrap());
        for (x, label) in points.iter().zip(labels) {
            let y = if label { 1.0 } else { -1.0 };
            let times: Vec<f64> = x.iter().map(|x| x * unit).collect();
            prop_assert_eq!(near.0.observe(row(x), y).unwrap(), far.0.observe(row(&times), y).unwrap());
            prop_assert_eq!(near.1.observe(row(x), y).unwrap(), far.1.observe(row(&times), y).unwrap());
            let scaled: Vec<f64> = near.0.weights().iter().map(|w| w * unit).collect();
            prop_assert_eq!(far.0.weights(), scaled);
            for (near, far) in near.1.weights().iter().zip(far.1.weights()) {
                prop_assert!((near - far).abs() < 1e-12);
            }
        }
    }
}

/// The Perceptron's bound is tight: on the unit vectors, every one of n rounds is a mistake, and (R/γ)² = n.
#[test]
fn the_perceptron_bound_is_attained() {
    let mut perceptron = Perceptron::new(64).unwrap();
    for j in 0..64_u32 {
        assert!(perceptron.observe(Row::sparse(64, &[j], &[1.0]).unwrap(), 1.0).unwrap());
    }
    let margin = 1.0 / 64.0_f64.sqrt();
    assert_eq!(perceptron.mistakes() as f64, (1.0 / margin).powi(2));
}

/// A majority of 3 of 500 signs: (R/γ)² = 1500 for the Perceptron, 2·9·ln 500 = 112 for Winnow. Both stay
/// within their bounds every round, and Winnow makes less than half of the Perceptron's mistakes.
#[test]
fn winnow_beats_the_perceptron_on_a_sparse_target() {
    let (n, mut rng) = (500, ChaCha8Rng::seed_from_u64(3));
    let mut perceptron = Perceptron::new(n).unwrap();
    let mut winnow = Winnow::for_margin(n, 1.0, 1.0 / 3.0).unwrap();
    for _ in 0..3000 {
        let x: Vec<f64> = (0..n).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect();
        let y = (x[7] + x[77] + x[444]).signum();
        perceptron.observe(row(&x), y).unwrap();
        winnow.observe(row(&x), y).unwrap();
        assert!(perceptron.mistakes() <= 1500 && winnow.mistakes() <= 111);
    }
    let (of_perceptron, of_winnow) = (perceptron.mistakes(), winnow.mistakes());
    assert!(2 * of_winnow < of_perceptron, "{of_winnow} against {of_perceptron}");
    let w = winnow.weights();
    assert!(w[7] + w[77] + w[444] > 0.5);
}

/// Equality is a mistake, also after cancellation and for a zero row.
#[test]
fn ties_are_mistakes() {
    let mut perceptron = Perceptron::new(2).unwrap();
    for (x, y, mistaken) in [
        ([0.0, 0.0], 1.0, true),
        ([1.0, 1.0], 1.0, true),
        ([3.0, -3.0], -1.0, true),
        ([2.0, 1.0], 1.0, true),
        ([-1.0, 6.0], 1.0, false),
    ] {
        assert_eq!(perceptron.observe(row(&x), y).unwrap(), mistaken, "{x:?}");
    }
    let mut winnow = Winnow::new(3, 1.0).unwrap();
    for (x, y) in [([0.0, 0.0, 0.0], 1.0), ([3.0, -1.0, -2.0], 1.0), ([0.0, 0.0, 0.0], -1.0)] {
        assert_eq!(winnow.predict(row(&x)).unwrap(), 0.0);
        assert!(winnow.observe(row(&x), y).unwrap());
    }
    for unit in [2.0_f64.powi(460), 2.0_f64.powi(-460)] {
        let mut perceptron = Perceptron::new(2).unwrap();
        assert!(perceptron.observe(row(&[unit, unit]), 1.0).unwrap());
        assert_eq!(perceptron.predict(row(&[unit, -unit])).unwrap(), 0.0);
        assert_eq!(perceptron.predict(row(&[unit, -0.75 * unit])).unwrap(), 1.0);
        assert_eq!(perceptron.predict(row(&[-unit, 0.75 * unit])).unwrap(), -1.0);
        let winnow = Winnow::new(2, 1.0).unwrap();
        assert_eq!(winnow.predict(row(&[unit, -unit])).unwrap(), 0.0);
    }
}

/// The largest terms cancel; the rest has a sign.
#[test]
fn what_is_left_where_the_largest_terms_cancel() {
    let mut perceptron = Perceptron::new(3).unwrap();
    perceptron.observe(row(&[1.0; 3]), 1.0).unwrap();
    let winnow = Winnow::new(3, 1.0).unwrap();
    for (x, sign) in
        [([1e140, -1e140, -1e-140], -1.0), ([-1e140, 1e140, 1e-140], 1.0), ([1e140, -1e140, 0.0], 0.0)]
    {
        assert_eq!(perceptron.predict(row(&x)).unwrap(), sign, "{x:?}");
        assert_eq!(winnow.predict(row(&x)).unwrap(), sign, "{x:?}");
    }
}

/// Weights that underflow count as 0, and grow again.
#[test]
fn weights_that_underflow() {
    let mut winnow = Winnow::new(3, 1.0).unwrap();
    assert!(winnow.observe(row(&[-400.0, 400.0, 0.0]), 1.0).unwrap());
    assert!(winnow.observe(row(&[-400.0, 0.0, 0.0]), 1.0).unwrap());
    // ln w = −800, 400, 0 up to a constant: e^−1200 = 10^−521.15.
    assert_eq!(winnow.weights()[0], 0.0);
    for (x, sign) in [
        ([-1e140, 1e-140, 0.0], 1.0),
        ([-1e140, 0.0, 1e-140], 1.0),
        ([-1e140, 0.0, 0.0], -1.0),
        ([0.0, 1e-140, -1e33], 1.0),
        ([0.0, 1e-140, -1e34], -1.0),
    ] {
        assert_eq!(winnow.predict(row(&x)).unwrap(), sign, "{x:?}");
    }
    assert!(winnow.observe(row(&[650.0, -700.0, 0.0]), 1.0).unwrap());
    assert!(winnow.observe(row(&[650.0, 0.0, -1.0]), 1.0).unwrap());
    assert!(winnow.weights()[0] > 0.9, "{:?}", winnow.weights());
}

/// Features at the end of the range: their sums are the Perceptron's weights, and the logarithms of Winnow's.
#[test]
fn features_at_the_end_of_the_range() {
    let mut perceptron = Perceptron::new(2).unwrap();
    let huge = [2_f64.powi(465), 2_f64.powi(464)];
    assert!(perceptron.observe(row(&huge), 1.0).unwrap());
    assert!(!perceptron.observe(row(&huge), 1.0).unwrap());
    assert!(perceptron.observe(row(&[-huge[0], huge[0]]), 1.0).unwrap());
    assert_eq!(perceptron.weights(), [0.0, 3.0 * huge[1]]);

    let mut winnow = Winnow::new(2, 1e-140).unwrap();
    for (x, log_ratio) in [
        ([-1e140, 1e140], -2.0_f64),
        ([-1e140, 0.0], -3.0),
        ([-1e140, 0.0], -4.0),
        ([1e140, -0.5e140], -2.5),
        ([1e140, -0.5e140], -1.0),
    ] {
        assert!(winnow.observe(row(&x), 1.0).unwrap());
        winnow = serde_json::from_str(&serde_json::to_string(&winnow).unwrap()).unwrap();
        let w = winnow.weights();
        assert!(((w[0] / w[1]).ln() - log_ratio).abs() < 1e-12, "{w:?}");
    }
}

/// A refused example changes nothing, a saved learner goes on bit for bit, and loading checks.
#[test]
fn refusals_and_saved_runs() {
    let (mut perceptron, mut winnow) = (Perceptron::new(2).unwrap(), Winnow::new(2, 0.5).unwrap());
    let mut twins = (perceptron.clone(), winnow.clone());
    let long = [1.0; 3];
    for t in 0..50 {
        let (x, y) = ([f64::from(t).sin(), (0.7 * f64::from(t)).cos()], if t % 3 == 0 { 1.0 } else { -1.0 });
        for label in [0.0, 2.0, -1.0 - f64::EPSILON] {
            assert_eq!(perceptron.observe(row(&x), label), Err(OcoError::BadLabel { value: label }));
            assert_eq!(winnow.observe(row(&x), label), Err(OcoError::BadLabel { value: label }));
        }
        assert!(
            perceptron.observe(row(&x), f64::NAN).is_err() && winnow.observe(row(&x), f64::INFINITY).is_err()
        );
        assert!(perceptron.observe(row(&long), y).is_err() && winnow.observe(row(&long), y).is_err());
        assert!(perceptron.predict(row(&long)).is_err() && winnow.predict(row(&long)).is_err());
        perceptron.observe(row(&x), y).unwrap();
        winnow.observe(row(&x), y).unwrap();
        twins.0.observe(row(&x), y).unwrap();
        twins.1.observe(row(&x), y).unwrap();
        twins = serde_json::from_str(&serde_json::to_string(&twins).unwrap()).unwrap();
        assert_eq!((&perceptron, &winnow), (&twins.0, &twins.1));
    }
    let text = serde_json::to_string(&winnow).unwrap();
    assert!(serde_json::from_str::<Winnow>(&text.replace("\"eta\":0.5", "\"eta\":0.0")).is_err());
    assert!(serde_json::from_str::<Perceptron>("{\"w\":[],\"mistakes\":0}").is_err());
    assert_eq!(Winnow::for_margin(2, 4.0, 0.5), Winnow::new(2, 1.0 / 32.0), "γ/X²");
    assert!(Perceptron::new(0).is_err() && Winnow::new(0, 1.0).is_err());
    assert!(Winnow::new(2, 0.0).is_err() && Winnow::for_margin(2, -1.0, 0.1).is_err());
    assert!(Winnow::for_margin(2, 1.0, 0.0).is_err() && Winnow::for_margin(2, 1e200, 1e-200).is_err());
}

/// A count at the end of its type stays there.
#[test]
fn counts_of_mistakes_end() {
    let x = Row::dense(&[1.0]).unwrap();
    let mut perceptron: Perceptron =
        serde_json::from_str(&format!("{{\"w\":[0.0],\"mistakes\":{}}}", u64::MAX)).unwrap();
    assert!(perceptron.observe(x, 1.0).unwrap());
    assert_eq!((perceptron.mistakes(), perceptron.weights()), (u64::MAX, &[1.0][..]));
    let text = serde_json::to_string(&Winnow::new(1, 1.0).unwrap()).unwrap();
    let (good, bad) = ("\"mistakes\":0", format!("\"mistakes\":{}", u64::MAX));
    assert!(text.contains(good), "{text}");
    let mut winnow: Winnow = serde_json::from_str(&text.replace(good, &bad)).unwrap();
    assert!(winnow.observe(x, -1.0).unwrap());
    assert_eq!(winnow.mistakes(), u64::MAX);
}
