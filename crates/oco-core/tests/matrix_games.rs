//! The value of matrix games, against known or certified strategies.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::float_cmp, reason = "what is compared exactly is exact")]

use oco_core::OcoError;
use oco_core::games::MatrixGame;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::numeric::LARGEST;

type Rows = Vec<Vec<f64>>;

fn random(rows: usize, columns: usize, seed: u64, entry: impl Fn(f64) -> f64) -> Rows {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..rows).map(|_| (0..columns).map(|_| entry(rng.random_range(-1.0..1.0))).collect()).collect()
}

/// Value and gap, relative to the size of the entries in play; the strategies are distributions.
#[track_caller]
fn solves(rows: &Rows) -> f64 {
    let game = MatrixGame::new(rows).unwrap();
    let found = game.equilibrium();
    // Rounding is relative to the entries that either strategy uses.
    let sizes =
        |sign: f64| -> Rows { rows.iter().map(|row| row.iter().map(|v| sign * v.abs()).collect()).collect() };
    let of_columns = MatrixGame::new(&sizes(1.0)).unwrap().best_column(&found.p).unwrap().1;
    let of_rows = -MatrixGame::new(&sizes(-1.0)).unwrap().best_row(&found.q).unwrap().1;
    let in_play = of_columns.max(of_rows);
    let certificate = game.certificate(&found.p, &found.q).unwrap();
    assert!(certificate.gap <= 1e-12 * in_play.max(found.value.abs()), "{certificate:?}");
    let slack = 1e-12 * in_play;
    assert!(
        certificate.min_p - slack <= found.value && found.value <= certificate.max_q + slack,
        "{found:?}"
    );
    found.value
}

fn value(rows: &Rows) -> f64 {
    MatrixGame::new(rows).unwrap().value()
}

/// −Mᵀ, the game with the players exchanged.
fn exchanged(rows: &Rows) -> Rows {
    (0..rows[0].len()).map(|j| rows.iter().map(|row| -row[j]).collect()).collect()
}

#[test]
fn games_worked_by_hand() {
    let cases: [(&[&[f64]], f64); 12] = [
        (&[&[1.0, -1.0], &[-1.0, 1.0]], 0.0),
        (&[&[0.0, -1.0, 1.0], &[1.0, 0.0, -1.0], &[-1.0, 1.0, 0.0]], 0.0),
        (&[&[3.0, 1.0], &[2.0, 0.0], &[4.0, 5.0]], 2.0),
        (&[&[-0.75]], -0.75),
        (&[&[1.0, 4.0, 2.0]], 4.0),
        (&[&[1.0], &[4.0], &[-2.0]], -2.0),
        (&[&[0.0, 0.0], &[0.0, 0.0]], 0.0),
        (&[&[3.5, 3.5, 3.5], &[3.5, 3.5, 3.5]], 3.5),
        // ad − bc over a + d − b − c.
        (&[&[1e140, 0.0], &[0.0, 1.0]], 1.0),
        (&[&[1e140, -1e-300], &[-1e-300, 1e-300]], 1e-300),
        (&[&[1e140, -1e140], &[-1e140, 1e140]], 0.0),
        (&[&[1e140, 7.0], &[5.0, -1e140]], 5.0),
    ];
    for (rows, value) in cases {
        let rows: Rows = rows.iter().map(|row| row.to_vec()).collect();
        assert_eq!(self::value(&rows), value, "{rows:?}");
        assert_eq!(self::value(&exchanged(&rows)), -value, "{rows:?} exchanged");
    }
}

/// Where a row wins with the same probability wherever the other hides, 1/v = Σ 1/d_i: over 430 orders of
/// magnitude.
#[test]
fn hiding_in_places_of_unlike_worth() {
    for exponents in [
        vec![0, 1, 2],
        vec![0, 4, 8],
        vec![-3, 0, 6, 7],
        vec![-300, 0, 139],
        vec![-300, -299, 7, 7, 130],
        vec![12; 9],
    ] {
        let worth: Vec<f64> = exponents.iter().map(|e| 10_f64.powi(*e)).collect();
        let row = |i: usize| (0..worth.len()).map(|j| if i == j { worth[i] } else { 0.0 }).collect();
        let rows: Rows = (0..worth.len()).map(row).collect();
        let want = 1.0 / worth.iter().map(|d| 1.0 / d).sum::<f64>();
        let got = value(&rows);
        assert!((got - want).abs() <= 4.0 * f64::EPSILON * want, "{got} for {want}");
    }
}

/// M − Mᵀ, a game of value 0.
fn skew_symmetric(side: usize, seed: u64, entry: impl Fn(f64) -> f64) -> Rows {
    let rows = random(side, side, seed, entry);
    (0..side).map(|i| (0..side).map(|j| rows[i][j] - rows[j][i]).collect()).collect()
}

/// No relative error of doubles certifies a value of 0: the basis is solved in whole numbers.
#[test]
fn fair_games_up_to_150_by_150() {
    for (side, seed) in [(25, 1), (60, 2), (150, 3)] {
        let rows = skew_symmetric(side, seed, |v| v);
        let started = std::time::Instant::now();
        assert_eq!(solves(&rows), 0.0);
        eprintln!("{side} x {side}: {:?}", started.elapsed());
    }
    for seed in 0..4 {
        assert_eq!(solves(&skew_symmetric(25, seed, |v| v)), 0.0, "a symmetric game is fair");
        assert_eq!(solves(&skew_symmetric(24, seed, |v| (2.0 * v).round())), 0.0, "degenerate");
    }
}

/// Rock, paper, scissors with ε = 1e−300 for a draw of rocks: equilibria being full, v = 1/(1ᵀM⁻¹1) = ε/9 to
/// first order.
#[test]
fn values_far_below_the_entries() {
    let rows = vec![vec![1e-300, -1.0, 1.0], vec![1.0, 0.0, -1.0], vec![-1.0, 1.0, 0.0]];
    let want = 1e-300 / 9.0;
    assert!((value(&rows) - want).abs() <= 1e-15 * want, "{}", value(&rows));
}

#[test]
fn entries_at_the_lower_end_of_the_range() {
    let least = 5e-324;
    for (rows, want) in [
        (vec![vec![least]], least),
        (vec![vec![-least]], -least),
        (vec![vec![3.0 * least, 2.0 * least]], 3.0 * least),
        (vec![vec![3.0 * least], vec![2.0 * least]], 2.0 * least),
        (vec![vec![4.0 * least, 0.0], vec![0.0, 4.0 * least]], 2.0 * least),
        (vec![vec![1e140], vec![least]], least),
        // Three quarters of the least double; every product with a probability of ¼ is 0 in doubles.
        ((0..4).map(|i| (0..4).map(|j| if i == j { 0.0 } else { least }).collect()).collect(), least),
    ] {
        let found = MatrixGame::new(&rows).unwrap().equilibrium();
        assert_eq!(found.value, want, "{rows:?}");
        assert_eq!(value(&exchanged(&rows)), -want, "{rows:?} exchanged");
    }
}

/// Too wide for doubles to find the basis, too large for whole numbers throughout: the gap is stated.
#[test]
fn what_is_not_exact_says_so() {
    let rows = random(30, 30, 5, |v| v.signum() * 10_f64.powf(140.0 * v));
    let game = MatrixGame::new(&rows).unwrap();
    let started = std::time::Instant::now();
    let found = game.equilibrium();
    eprintln!(
        "30 x 30 over 280 orders: {:?}, gap {:e}, value {:e}",
        started.elapsed(),
        found.gap,
        found.value
    );
    let certificate = game.certificate(&found.p, &found.q).unwrap();
    assert_eq!(certificate.gap, found.gap);
    assert!(certificate.min_p <= found.value && found.value <= certificate.max_q);
}

#[test]
fn large_and_degenerate_games() {
    for seed in 0..4 {
        solves(&random(30, 40, seed, |v| v));
        solves(&random(40, 30, seed, |v| (3.0 * v).round()));
        solves(&random(12, 9, seed, |v| v.signum() * 10_f64.powf(12.0 * v)));
        solves(&random(8, 8, seed, |v| v.signum() * 10_f64.powf(140.0 * v)));
        let mut doubled = random(6, 5, seed, |v| (2.0 * v).round());
        doubled.extend(doubled.clone());
        let value = solves(&doubled);
        doubled.truncate(6);
        assert_eq!(solves(&doubled), value, "a row more of the same kind");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The value is monotone, moves with a constant, scales by powers of two, and changes its sign with the
    /// players.
    #[test]
    fn the_value_behaves_as_a_value(
        rows in (1..7_usize, 1..7_usize).prop_flat_map(|(r, c)| prop::collection::vec(prop::collection::vec(-4..5_i32, c), r)),
        raised in 0..7_usize,
    ) {
        let rows: Rows = rows.iter().map(|row| row.iter().map(|v| f64::from(*v)).collect()).collect();
        let value = solves(&rows);
        let each = |f: &dyn Fn(f64) -> f64| -> Rows { rows.iter().map(|row| row.iter().map(|v| f(*v)).collect()).collect() };
        prop_assert!((solves(&each(&|v| v + 3.0)) - value - 3.0).abs() < 1e-12);
        prop_assert_eq!(solves(&each(&|v| v * 2_f64.powi(460))), value * 2_f64.powi(460));
        prop_assert_eq!(solves(&each(&|v| v * 2_f64.powi(-460))), value * 2_f64.powi(-460));
        prop_assert!((solves(&exchanged(&rows)) + value).abs() < 1e-12);
        let mut higher = rows.clone();
        let row = raised % rows.len();
        higher[row].iter_mut().for_each(|v| *v += 1.0);
        prop_assert!(solves(&higher) >= value - 1e-12);
    }

    /// Entries of any exponent below 460: exchanging the players only changes the sign of the value, even if
    /// optimal probabilities underflow.
    #[test]
    fn any_doubles(rows in any_entries(3)) {
        let of_rows = value(&rows);
        prop_assert!((value(&exchanged(&rows)) + of_rows).abs() <= 1e-12 * of_rows.abs());
        let (mut a, mut d) = (rows[0][0].abs(), rows[0][1].abs());
        if a < d {
            (a, d) = (d, a);
        }
        // 1/v = 1/a + 1/d.
        let (got, want) = (value(&vec![vec![a, 0.0], vec![0.0, d]]), d / (1.0 + d / a));
        prop_assert!(a == 0.0 || (got - want).abs() <= 1e-12 * want + 5e-324, "{} for {}", got, want);
    }
}

fn any_entries(columns: usize) -> impl Strategy<Value = Rows> {
    use prop::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    let entry = (POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO)
        .prop_map(|v: f64| if v.abs() > LARGEST { v * 2_f64.powi(-564) } else { v });
    prop::collection::vec(prop::collection::vec(entry, columns), 1..5)
}

#[test]
fn faults_are_refused_and_ties_go_to_the_first() {
    let none: &[[f64; 2]] = &[];
    assert!(MatrixGame::new(none).is_err() && MatrixGame::new(&[[]]).is_err());
    assert!(
        MatrixGame::new(&[vec![1.0, 2.0], vec![1.0]]).is_err() && MatrixGame::new(&[[f64::NAN]]).is_err()
    );
    let game = MatrixGame::new(&[[1.0, 1.0, 0.0], [1.0, 1.0, 2.0]]).unwrap();
    assert_eq!(game.best_column(&[0.5, 0.5]).unwrap(), (0, 1.0));
    assert_eq!(game.best_row(&[0.5, 0.5, 0.0]).unwrap(), (0, 1.0));
    for p in [[0.5, 0.4], [1.5, -0.5], [0.5, 0.5 + 2e-9]] {
        assert!(
            matches!(game.best_column(&p), Err(OcoError::NotADistribution { argument: "p", .. })),
            "{p:?}"
        );
    }
    assert!(game.best_column(&[0.5, 0.5 + 5e-10]).is_ok());
    assert!(game.certificate(&[1.0, 0.0], &[1.0, 0.0]).is_err());
    let text = serde_json::to_string(&game).unwrap();
    assert_eq!(text, "[[1.0,1.0,0.0],[1.0,1.0,2.0]]");
    assert_eq!(serde_json::from_str::<MatrixGame>(&text).unwrap(), game);
    assert!(serde_json::from_str::<MatrixGame>("[[1.0],[1.0,2.0]]").is_err());
}
