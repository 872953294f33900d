//! u is −n times the gradient of the objective in the scores.

use crate::account::{LAMBDA, Printed, objective, scores_of};
use crate::learners::{Arbitrary, Constants, Lines};
use crate::logs::random_log;
use boosters::bopl::{
    Bopl, BoplLs, BoplS, Member, PolicyBoosting, PolicyEnsemble, Settings, Smoothness, Step,
};
use off_policy::Log;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use weak_learners::batch::SortedColumns;

/// A run at random scores.
fn start<O: Printed>(log: &Log, translation: f64, size: f64, seed: u32) -> PolicyBoosting<O, Arbitrary> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
    let member = |_| {
        let mut draw = || size * rng.random_range(-1.0..1.0);
        let lines = (0..log.actions()).map(|_| (draw(), draw())).collect();
        Member { alpha: 1.0, predictor: Lines { inputs: log.inputs(), feature: 0, lines } }
    };
    let members = (0..2).map(member).collect();
    let ensemble = PolicyEnsemble::of(log.inputs(), log.actions(), members).unwrap();
    let settings = Settings::builder().translation(translation).smoothing(LAMBDA).build().unwrap();
    let learner = Arbitrary { rng: ChaCha8Rng::seed_from_u64(seed.into()), size: 1.0 };
    PolicyBoosting::from_ensemble(log, learner, settings, ensemble).unwrap()
}

#[allow(clippy::cast_precision_loss, reason = "a count of rows")]
fn is_the_gradient<O: Printed>() {
    for seed in 0..8 {
        let log = random_log(13, 2, 1 + seed as usize % 5, seed);
        let (n, translation) = (log.len(), [-0.3, 0.0, 0.4][seed as usize % 3]);
        let translation = if O::IS_NONNEGATIVE { translation + 1.5 } else { translation };
        let run = start::<O>(&log, translation, [0.3, 2.0][seed as usize % 2], seed);
        let scores = scores_of(run.ensemble(), &log);
        for i in 0..n {
            let of_row = (0..log.actions()).map(|a| run.gradients()[a * n + i]);
            assert!(of_row.clone().sum::<f64>().abs() <= 1e-13 * of_row.map(f64::abs).fold(1.0, f64::max));
            for a in 0..log.actions() {
                let h = 1e-5;
                let at = |h: f64| {
                    let mut scores = scores.clone();
                    scores[i][a] += h;
                    objective::<O>(&log, translation, &scores)
                };
                let difference = -(n as f64) * (at(h) - at(-h)) / (2.0 * h);
                let u = run.gradients()[a * n + i];
                assert!((u - difference).abs() < 1e-6 * (1.0 + u.abs()), "{}: {u} {difference}", O::NAME);
                assert!((run.scores()[a * n + i] - scores[i][a]).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn u_by_finite_differences() {
    is_the_gradient::<Bopl>();
    is_the_gradient::<BoplS>();
    is_the_gradient::<BoplLs>();
}

/// The derivative of the objective along f is −U/n, so that what a tiny step gains is what U says.
#[allow(clippy::cast_precision_loss, reason = "a count of rows")]
fn gains_what_u_says<O: Printed>() {
    for seed in 0..20 {
        let log = random_log(40, 2, 3, seed);
        let run = start::<O>(&log, 0.0, 1.0, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let f: Vec<f64> = (0..120).map(|_| rng.random_range(-1.0..1.0)).collect();
        let gain: f64 = run.gradients().iter().zip(&f).map(|(u, f)| u * f).sum();
        let at = |h: f64| {
            let row = |i: usize| (0..3).map(|a| run.scores()[a * 40 + i] + h * f[a * 40 + i]).collect();
            objective::<O>(&log, 0.0, &(0..40).map(row).collect::<Vec<_>>())
        };
        let derivative = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!((derivative + gain / 40.0).abs() < 1e-7, "{derivative} {gain}");
        // With a step of either constants, and by a search, the objective falls by what is promised of f.
        for step in [Step::Closed(Smoothness::Paper), Step::Closed(Smoothness::Sharp), Step::LineSearch] {
            let weight = run.weigh(&f, step).unwrap();
            assert!(at(weight.alpha) <= at(0.0) - weight.decrease + 1e-12);
            assert!((weight.alpha > 0.0) == (gain > 0.0), "α has the sign of U");
        }
        // And the search finds no worse a point than the step that it starts from.
        let closed = run.weigh(&f, Step::Closed(Smoothness::Sharp)).unwrap();
        let searched = run.weigh(&f, Step::LineSearch).unwrap();
        assert!(at(searched.alpha) <= at(closed.alpha) + 1e-13);
        // It is where the slope is 0, or where it had to stop.
        let reached = searched.alpha.abs() * f.iter().fold(0.0, |largest: f64, f| largest.max(f.abs()));
        assert!(reached <= 4.0 * (1.0 + 1e-12) || searched.alpha == closed.alpha, "{reached}");
        if reached < 3.999 {
            let around = (0..=40).map(|k| at(searched.alpha * (0.98 + 1e-3 * f64::from(k))));
            let least = around.fold(f64::MAX, f64::min);
            assert!(least >= at(searched.alpha) - 1e-3 * closed.decrease, "{searched:?} {closed:?}");
        }
    }
}

#[test]
fn the_slope_along_a_predictor() {
    gains_what_u_says::<Bopl>();
    gains_what_u_says::<BoplS>();
}

/// The gradient of the score difference is largest at first for the direct objective: at the uniform policy.
#[test]
fn a_round_books_the_norm_before_it() {
    let log = random_log(30, 1, 3, 5);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let settings = Settings::builder().build().unwrap();
    let learner = Constants(crate::learners::means);
    let mut run = PolicyBoosting::<Bopl, _>::new(&log, learner, settings).unwrap();
    for _ in 0..5 {
        let norm = run.gradients().iter().map(|u| u * u).sum::<f64>().sqrt();
        let round = run.round(&contexts).unwrap().continue_value().unwrap();
        assert!((round.gradient_norm - norm).abs() <= 1e-13 * norm);
    }
}
