//! COMID, AdaGrad and OGD on strongly convex losses: their theorems at every prefix.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::float_cmp, reason = "what is compared exactly is exact")]

use oco_core::learners::{AdaGrad, Comid, Ogd};
use oco_core::regret::{LinearRegret, QuadraticRegret};
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::{AnySet, BoxSet, L1Ball, L2Ball, ProjectionError, Simplex, UnitBox};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const N: usize = 4;

fn sides() -> BoxSet {
    BoxSet::new(vec![-1.0, 0.0, 0.5, -2.0], vec![1.0, 0.5, 2.0, -1.0]).unwrap()
}

fn gradients() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let entry = prop_oneof![3 => -2.0..2.0_f64, 1 => Just(0.0)];
    prop::collection::vec(prop::collection::vec(entry, N), 1..40)
}

fn norm_squared(g: &[f64]) -> f64 {
    g.iter().map(|g| g * g).sum()
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x.abs()).sum()
}

fn distance_squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The u with the largest composite regret − ‖u − x_1‖²/(2η), by coordinate: it minimises s·u + λT|u| + (u −
/// x_1)²/(2η).
fn hardest(
    sum: &[f64],
    rounds: f64,
    start: &[f64],
    eta: f64,
    lambda: f64,
    bounds: Option<&BoxSet>,
) -> Vec<f64> {
    let coordinate = |j: usize| {
        let v = start[j] - eta * sum[j];
        let u = v.signum() * (v.abs() - eta * lambda * rounds).max(0.0);
        bounds.map_or(u, |bounds| u.max(bounds.lower()[j]).min(bounds.upper()[j]))
    };
    (0..N).map(coordinate).collect()
}

proptest! {
    /// [DSST10]: composite regret ≤ ‖u − x_1‖²/(2η) + (η/2)Σ‖g‖² + λ‖x_1‖₁ for the hardest u, on R^n and on a
    /// box, even with λ‖x_{T+1}‖₁ subtracted on the right.
    #[test]
    fn comid(gradients in gradients(), eta in 0.01..2.0_f64, lambda in prop_oneof![Just(0.0), 0.0..2.0_f64]) {
        for bounds in [None, Some(sides())] {
            let start = vec![0.3, 0.4, 0.6, -1.2];
            let mut comid = Comid::starting_at(bounds.clone(), start.clone(), eta, lambda).unwrap();
            let mut account = LinearRegret::new(N).unwrap();
            let (mut squares, mut sizes, mut rounds, mut sum) = (0.0, 0.0, 0.0, vec![0.0; N]);
            for g in &gradients {
                account.record(g, comid.play()).unwrap();
                sizes += lambda * size(comid.play());
                comid.observe(g).unwrap();
                rounds += 1.0;
                squares += norm_squared(g);
                sum.iter_mut().zip(g).for_each(|(sum, g)| *sum += g);
                let u = hardest(&sum, rounds, &start, eta, lambda, bounds.as_ref());
                let regret = account.against(&u).unwrap() + sizes - rounds * lambda * size(&u);
                let bound = distance_squared(&u, &start) / (2.0 * eta) + 0.5 * eta * squares
                    + lambda * (size(&start) - size(comid.play()));
                prop_assert!(regret <= bound + 1e-9, "{bounds:?}: {regret} > {bound}");
            }
        }
    }

    /// [DHS11] on a box: regret ≤ Σ_j (w_j²/(2D) + D)√Σg_j², against the best point in hindsight.
    #[test]
    fn adagrad(gradients in gradients(), scale in 0.05..3.0_f64, magnitudes in prop::collection::vec(-8..8_i32, N)) {
        let set = sides();
        let mut adagrad = AdaGrad::new(set.clone(), scale).unwrap();
        let (mut account, mut squares) = (LinearRegret::new(N).unwrap(), vec![0.0; N]);
        for g in &gradients {
            let g: Vec<f64> = g.iter().zip(&magnitudes).map(|(g, m)| g * 10.0_f64.powi(*m)).collect();
            account.record(&g, adagrad.play()).unwrap();
            adagrad.observe(&g).unwrap();
            squares.iter_mut().zip(&g).for_each(|(sum, g)| *sum += g * g);
            for (got, want) in adagrad.sums_of_squares().zip(&squares) {
                prop_assert!((got - want).abs() <= 1e-12 * want);
            }
            let width = |j: usize| set.upper()[j] - set.lower()[j];
            let bound: f64 =
                (0..N).map(|j| (width(j).powi(2) / (2.0 * scale) + scale) * squares[j].sqrt()).sum();
            let regret = account.regret(&set).unwrap().value;
            prop_assert!(regret <= bound * (1.0 + 1e-12), "{regret} > {bound}");
        }
    }

    /// [HAK07] on f_t = (α/2)‖x − c_t‖²: the regret of the losses themselves is at most G²(1 + ln T)/(2α) at
    /// every T, G being the largest gradient seen.
    #[test]
    fn ogd_on_strongly_convex_losses(centres in gradients(), alpha in 0.05..5.0_f64) {
        let sets = [
            AnySet::Simplex(Simplex::new(1.5).unwrap()), AnySet::Box(sides()), AnySet::UnitBox(UnitBox),
            AnySet::L2Ball(L2Ball::new(0.7).unwrap()), AnySet::L1Ball(L1Ball::new(1.2).unwrap()),
        ];
        for set in sets {
            let mut ogd = Ogd::new(set.clone(), N, StepSchedule::strongly_convex(alpha).unwrap()).unwrap();
            let (mut account, mut lipschitz) = (QuadraticRegret::new(N).unwrap(), 0.0_f64);
            for (t, c) in (1_u32..).zip(&centres) {
                account.record(c, ogd.play()).unwrap();
                let g: Vec<f64> = ogd.play().iter().zip(c).map(|(x, c)| alpha * (x - c)).collect();
                lipschitz = lipschitz.max(norm_squared(&g).sqrt());
                ogd.observe(&g).unwrap();
                let regret = 0.5 * alpha * account.regret(&set).unwrap().value;
                let bound = lipschitz.powi(2) * (1.0 + f64::from(t).ln()) / (2.0 * alpha);
                prop_assert!(regret <= bound + 1e-9, "{set:?}, T = {t}: {regret} > {bound}");
            }
        }
    }

    /// Where the set does not bind, the steps 1/(αt) make OGD play the mean of the centres so far.
    #[test]
    fn strongly_convex_steps_average(centres in gradients(), alpha in 0.05..5.0_f64) {
        let ball = L2Ball::new(100.0).unwrap();
        let mut ogd = Ogd::new(ball, N, StepSchedule::strongly_convex(alpha).unwrap()).unwrap();
        let (mut sum, mut rounds) = (vec![0.0; N], 0.0);
        for c in &centres {
            let g: Vec<f64> = ogd.play().iter().zip(c).map(|(x, c)| alpha * (x - c)).collect();
            ogd.observe(&g).unwrap();
            rounds += 1.0;
            sum.iter_mut().zip(c).for_each(|(sum, c)| *sum += c);
            for (x, sum) in ogd.play().iter().zip(&sum) {
                prop_assert!((x - sum / rounds).abs() < 1e-12);
            }
        }
    }

    /// With λ = 0 COMID is OGD, and on one coordinate AdaGrad is OGD with the step D/√Σg².
    #[test]
    fn what_they_have_in_common_with_ogd(gradients in gradients(), eta in 0.01..2.0_f64) {
        let mut ogd = Ogd::new(sides(), N, StepSchedule::constant(eta).unwrap()).unwrap();
        let mut comid = Comid::on_box(sides(), eta, 0.0).unwrap();
        let line = BoxSet::interval(-1.0, 2.0).unwrap();
        let mut adagrad = AdaGrad::new(line.clone(), eta).unwrap();
        let mut twin = Ogd::new(line, 1, StepSchedule::constant(1.0).unwrap()).unwrap();
        let mut squares = 0.0;
        for g in &gradients {
            ogd.observe(g).unwrap();
            comid.observe(g).unwrap();
            prop_assert_eq!(ogd.play(), comid.play());
            squares += g[0] * g[0];
            adagrad.observe(&g[..1]).unwrap();
            if squares > 0.0 {
                twin.observe_with_step(&g[..1], eta / squares.sqrt()).unwrap();
            }
            prop_assert!((adagrad.play()[0] - twin.play()[0]).abs() < 1e-12);
        }
    }

    /// The unit of a coordinate does not change AdaGrad.
    #[test]
    fn adagrad_is_free_of_scale(gradients in gradients(), exponents in prop::collection::vec(-460..460_i32, N)) {
        let (mut plain, mut scaled) = (AdaGrad::new(sides(), 0.7).unwrap(), AdaGrad::new(sides(), 0.7).unwrap());
        for g in &gradients {
            let times = |(g, e): (&f64, &i32)| g * 2.0_f64.powi(*e);
            let far: Vec<f64> = g.iter().zip(&exponents).map(times).collect();
            plain.observe(g).unwrap();
            scaled.observe(&far).unwrap();
            for (got, want) in scaled.play().iter().zip(plain.play()) {
                prop_assert!((got - want).abs() < 1e-12, "{got} for {want}");
            }
        }
    }
}

/// The ℓ1 term sets coordinates to exactly 0; steps along its subgradient do not.
#[test]
fn comid_is_sparse() {
    let mut comid = Comid::new(50, 0.1, 0.5).unwrap();
    let mut ogd = Ogd::new(L2Ball::new(100.0).unwrap(), 50, StepSchedule::constant(0.1).unwrap()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..300 {
        // Only the first two coordinates have a gradient in the mean, and it is larger than λ.
        let mut g: Vec<f64> = (0..50).map(|_| rng.random_range(-1.0..1.0)).collect();
        g[0] -= 1.0;
        g[1] += 1.0;
        comid.observe(&g).unwrap();
        let subgradient: Vec<f64> = g
            .iter()
            .zip(ogd.play())
            .map(|(g, x)| g + if *x == 0.0 { 0.0 } else { 0.5 * x.signum() })
            .collect();
        ogd.observe(&subgradient).unwrap();
    }
    let zeros = |x: &[f64]| x.iter().filter(|x| **x == 0.0).count();
    assert!(zeros(comid.play()) > 25 && zeros(ogd.play()) == 0, "{}", zeros(comid.play()));
    assert!(comid.play()[0] > 5.0 && comid.play()[1] < -5.0);
}

/// Sparse gradients: coordinate j of 64 occurs with probability ~ 1/j² and has the same sign six times of
/// ten. AdaGrad's bound is below OGD's, and its regret, 218 against 486, below half of it.
#[test]
fn adagrad_beats_ogd_on_sparse_gradients() {
    let (n, rounds) = (64_u32, 4000_u32);
    let set = BoxSet::new(vec![-1.0; n as usize], vec![1.0; n as usize]).unwrap();
    let scale = 2.0_f64.sqrt();
    let mut adagrad = AdaGrad::new(set.clone(), scale).unwrap();
    let diameter = 2.0 * f64::from(n).sqrt();
    let mut ogd = Ogd::new(set.clone(), n as usize, StepSchedule::zinkevich(diameter, 1.0).unwrap()).unwrap();
    let accounts = || LinearRegret::new(n as usize).unwrap();
    let (mut of_adagrad, mut of_ogd) = (accounts(), accounts());
    let total: f64 = (1..=n).map(|j| f64::from(j).powi(-2)).sum();
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for _ in 0..rounds {
        let (mut left, mut g) = (total * rng.random::<f64>(), vec![0.0; n as usize]);
        let seen = (1..n).find(|j| {
            left -= f64::from(*j).powi(-2);
            left < 0.0
        });
        let j = seen.unwrap_or(n) as usize - 1;
        let right = rng.random::<f64>() < 0.6;
        g[j] = if right == j.is_multiple_of(2) { 1.0 } else { -1.0 };
        of_adagrad.record(&g, adagrad.play()).unwrap();
        of_ogd.record(&g, ogd.play()).unwrap();
        adagrad.observe(&g).unwrap();
        ogd.observe(&g).unwrap();
    }
    let bound: f64 = adagrad.sums_of_squares().map(|sum| (2.0 / scale + scale) * sum.sqrt()).sum();
    let bound_of_ogd = 1.5 * diameter * f64::from(rounds).sqrt();
    let regret = |account: &LinearRegret| account.regret(&set).unwrap().value;
    let (sparse, dense) = (regret(&of_adagrad), regret(&of_ogd));
    assert!(sparse <= bound && dense <= bound_of_ogd);
    assert!(bound < bound_of_ogd, "{bound} against {bound_of_ogd}");
    assert!(2.0 * sparse < dense, "{sparse} against {dense}");
}

/// Steps and thresholds far beyond the play, at the ends of the range.
#[test]
fn comid_at_the_ends_of_the_range() {
    let play = |eta: f64, lambda: f64, x: f64, g: f64, bounds: Option<BoxSet>| {
        let mut comid = Comid::starting_at(bounds, vec![x], eta, lambda)?;
        comid.observe(&[g]).map(|()| comid.play()[0])
    };
    let interval = || Some(BoxSet::interval(-2.0, 3.0).unwrap());
    assert_eq!(play(1e140, 0.5, 0.0, -1e140, interval()), Ok(3.0));
    assert_eq!(play(1e140, 1e140, 0.0, 1e140, interval()), Ok(0.0), "the threshold is as large as the step");
    assert_eq!(play(1e140, 1e140, 1.0, -1e139, None), Ok(0.0));
    assert_eq!(play(1e140, 0.9e140, 1.0, 1e140, interval()), Ok(-2.0));
    assert_eq!(play(2.0, 1e140, 1.0, 1.0, None), Ok(0.0));
    for (eta, lambda, g, step) in [(1e-140, 1.0, -3.0, 2e-140), (1e140, 0.0, -1e140, 1e280)] {
        let got = play(eta, lambda, 0.0, g, None).unwrap();
        assert!((got / step - 1.0).abs() < 1e-12, "{got} for {step}");
    }
}

#[test]
fn faults_are_refused_by_name() {
    let square = || BoxSet::new(vec![-1.0; 2], vec![1.0; 2]).unwrap();
    let names = |error: OcoError| match error {
        OcoError::Projection(
            ProjectionError::BadStep { name, .. } | ProjectionError::BadParameter { name, .. },
        ) => name,
        OcoError::Projection(
            ProjectionError::NotFinite { argument, .. } | ProjectionError::Empty { argument },
        ) => argument,
        OcoError::OutsideSet { argument } => argument,
        _ => "",
    };
    let comid = |start: Vec<f64>, eta, lambda| {
        names(Comid::starting_at(Some(square()), start, eta, lambda).unwrap_err())
    };
    assert_eq!(comid(vec![0.0; 2], 0.0, 1.0), "eta");
    assert_eq!(comid(vec![0.0; 2], 1.0, -1.0), "lambda");
    assert_eq!(comid(vec![0.0; 2], 1.0, f64::NAN), "lambda");
    assert_eq!(comid(vec![0.0, 2.0], 1.0, 1.0), "start");
    assert_eq!(names(Comid::new(0, 1.0, 1.0).unwrap_err()), "start");
    let adagrad = |start: Vec<f64>, scale| names(AdaGrad::starting_at(square(), start, scale).unwrap_err());
    assert_eq!(adagrad(vec![0.0; 2], 0.0), "D");
    assert_eq!(adagrad(vec![0.0; 2], f64::INFINITY), "D");
    assert_eq!(adagrad(vec![2.0, 0.0], 1.0), "start");
}

/// Refused gradients change nothing, a reset learner starts again, a saved one goes on bit for bit and is
/// checked.
#[test]
fn refusals_resets_and_saved_runs() {
    fn check<L>(mut learner: L, faults: &[(&str, &str)])
    where
        L: OnlineLearner + Clone + serde::Serialize + serde::de::DeserializeOwned,
    {
        let (mut twin, start) = (learner.clone(), learner.play().to_vec());
        for t in 0..50 {
            let g = [f64::from(t).sin(), (0.7 * f64::from(t)).cos()];
            assert!(learner.observe(&[1.0]).is_err() && learner.observe(&[1.0, f64::INFINITY]).is_err());
            learner.observe(&g).unwrap();
            twin.observe(&g).unwrap();
            twin = serde_json::from_str(&serde_json::to_string(&twin).unwrap()).unwrap();
            assert_eq!(learner.play(), twin.play());
        }
        let text = serde_json::to_string(&learner).unwrap();
        for (good, bad) in faults {
            assert!(text.contains(good), "{text}");
            assert!(serde_json::from_str::<L>(&text.replacen(good, bad, 1)).is_err(), "{bad}");
        }
        learner.reset();
        assert_eq!(learner.play(), start);
        assert_ne!(twin.play(), start);
        learner.observe(&[1.0, 0.0]).unwrap();
        let first = learner.play().to_vec();
        learner.reset();
        learner.observe(&[1.0, 0.0]).unwrap();
        assert_eq!(learner.play(), first, "a reset forgets the gradients too");
    }
    let square = BoxSet::new(vec![-1.0; 2], vec![1.0; 2]).unwrap();
    check(Comid::new(2, 0.3, 0.1).unwrap(), &[("\"eta\":0.3", "\"eta\":0.0"), ("\"x\":[", "\"x\":[0.0,")]);
    let boxed = Comid::on_box(square.clone(), 0.3, 0.1).unwrap();
    check(boxed, &[("\"x\":[", "\"x\":[7.0],\"y\":["), ("\"lambda\":0.1", "\"lambda\":-0.1")]);
    let faults = [
        ("\"scale\":0.5", "\"scale\":0.0"),
        ("\"squares\":[", "\"squares\":[-"),
        ("\"squares\":[", "\"squares\":[1.0,"),
    ];
    check(AdaGrad::new(square, 0.5).unwrap(), &faults);
}
