//! The scale of a predictor does not matter, and the paper's form of the decrease is ours.

use crate::learners::{Arbitrary, Constants};
use crate::logs::random_log;
use boosters::bopl::{
    Bopl, BoplError, BoplS, PolicyBoosting, PolicyObjective, Scale, Settings, Smoothness, Step,
};
use off_policy::Log;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use weak_learners::batch::SortedColumns;

const PAPER: Step = Step::Closed(Smoothness::Paper);

/// α times f is the same for every multiple of f, and so is the run.
#[test]
fn a_multiple_of_a_predictor_makes_the_same_round() {
    let log = random_log(80, 2, 3, 5);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    for step in [PAPER, Step::Closed(Smoothness::Sharp), Step::LineSearch] {
        let settings = Settings::builder().translation(-0.1).step(step).build().unwrap();
        let run = |size: f64| {
            let learner = Arbitrary { rng: ChaCha8Rng::seed_from_u64(5), size };
            let mut run = PolicyBoosting::<BoplS, _>::new(&log, learner, settings).unwrap();
            (0..4).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
            run.scores().to_vec()
        };
        let plain = run(1.0);
        for factor in [-1.0, 1e-5, 3.7, 400.0] {
            let other = run(factor);
            let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-9 * (1.0 + y.abs());
            assert!(other.iter().zip(&plain).all(near), "{step:?} {factor}");
        }
    }
}

/// With Z = (1/n)Σw‖f‖², the decrease is Zα²/4 for BOPL and Zα²/2 for BOPL-S [L23, Theorem 1], whatever Z a
/// predictor is brought to.
#[test]
fn the_decrease_in_the_form_of_the_paper() {
    fn check<O: PolicyObjective>(log: &Log, over: f64) {
        let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
        let settings = Settings::builder().translation(0.1).step(PAPER).build().unwrap();
        let mut run = PolicyBoosting::<O, _>::new(log, Constants(crate::learners::means), settings).unwrap();
        assert!(run.round(&contexts).unwrap().is_continue());
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let f: Vec<f64> = run.scores().iter().map(|_| rng.random_range(-1.0..1.0)).collect();
        let weight = |row: off_policy::LoggedRow<'_>| {
            O::of(None, 1).weight((row.reward + 0.1) / row.propensity, Smoothness::Paper)
        };
        let weights: Vec<f64> = log.iter().map(weight).collect();
        for z in [1.0, 0.01, 250.0] {
            let scale = Scale::to(z, &weights, &f).unwrap();
            let f: Vec<f64> = f.iter().map(|f| f * scale.factor).collect();
            let found = run.weigh(&f, PAPER).unwrap();
            let printed = z * found.alpha * found.alpha / over;
            assert!((found.decrease - printed).abs() <= 1e-12 * printed, "{} {printed}", found.decrease);
        }
    }
    for seed in 0..5 {
        let log = random_log(50, 2, 3, seed);
        check::<Bopl>(&log, 4.0);
        check::<BoplS>(&log, 2.0);
    }
}

/// A classifier f ∈ {±1} has ‖f(x)‖² = |A|, so that Z is |A|/n Σw.
#[test]
fn the_scale_of_a_classifier() {
    let (weights, f) = ([1.0, 3.0, 0.0], [1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0]);
    assert_eq!(Scale::to(1.0, &weights, &f).unwrap().before, 4.0 / 3.0 * 4.0);
}

/// Near both ends of the range, and what is beyond.
#[test]
fn the_scale_of_any_numbers() {
    let near =
        |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-14, "{found} {expected}");
    // Z′ = (1e-200)²·½ + 1e-200·½.
    let scale = Scale::to(1e300, &[1.0, 1e-200], &[1e-200, 1.0]).unwrap();
    near(scale.before, 0.5e-200);
    near(scale.factor / 1e250, 2.0_f64.sqrt());
    // A value of weight 0 does not count, however large.
    let scale = Scale::to(1.0, &[0.0, 1.0], &[1e10, 1e-155]).unwrap();
    near(scale.before, 0.5e-310 * 1.0);
    near(scale.factor, 2.0_f64.sqrt() * 1e155);
    for (z, w, f) in [(1.0, 1.0, 1e200), (1e300, 1e-300, 1e-150)] {
        let refused = Scale::to(z, &[w], &[f]);
        assert!(matches!(refused, Err(BoplError::NotFinite { .. })), "{refused:?}");
    }
}
