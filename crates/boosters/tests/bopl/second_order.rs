//! The local curvature: a quadratic above the loss along a line, and no larger than it has to be.

use crate::learners::{Constants, means};
use crate::logs::random_log;
use boosters::bopl::{
    Along, Bopl, BoplLs, BoplS, PolicyBoosting, PolicyObjective, Settings, Smoothness, Step,
};
use off_policy::ActionSet;
use off_policy::policies::softmax;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::PairRound;

fn policy(scores: &[f64]) -> Vec<f64> {
    let mut pi = scores.to_vec();
    softmax(&mut pi, 1.0, ActionSet::all(scores.len()).unwrap());
    pi
}

/// A row whose action 0 was logged, and a predictor's values there.
struct Line {
    scores: Vec<f64>,
    f: Vec<f64>,
}

impl Line {
    fn along(&self, eta: f64) -> Along {
        let pi = policy(&self.scores);
        let mean: f64 = pi.iter().zip(&self.f).map(|(p, f)| p * f).sum();
        let variance = pi.iter().zip(&self.f).map(|(p, f)| p * (f - mean) * (f - mean)).sum();
        let (least, most) = self.f.iter().fold((f64::MAX, f64::MIN), |(l, m), f| (l.min(*f), m.max(*f)));
        Along { pi: pi[0], variance, range: most - least, eta }
    }

    /// loss(F + tf) − loss(F) − t·slope, over t²/2.
    fn remainder<O: PolicyObjective>(&self, objective: O, v: f64, t: f64) -> f64 {
        let at =
            |t: f64| policy(&self.scores.iter().zip(&self.f).map(|(s, f)| s + t * f).collect::<Vec<_>>());
        let loss = |pi: f64| objective.loss(v, pi, pi.ln());
        let (before, after) = (at(0.0), at(t));
        let mean: f64 = before.iter().zip(&self.f).map(|(p, f)| p * f).sum();
        let slope = -objective.factor(v, before[0]) * (self.f[0] - mean);
        (loss(after[0]) - loss(before[0]) - t * slope) * 2.0 / (t * t)
    }
}

fn random_line(rng: &mut ChaCha8Rng) -> Line {
    let actions = rng.random_range(2..6);
    let (spread, size) = (10f64.powi(rng.random_range(-1..2)), 10f64.powi(rng.random_range(-1..2)));
    let mut draw = |size: f64| (0..actions).map(|_| rng.random_range(-size..size)).collect();
    Line { scores: draw(spread), f: draw(size) }
}

fn stays_above<O: PolicyObjective>(objective: O, rewards: &[f64]) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut local, mut global) = (0, 0);
    for _ in 0..20_000 {
        let line = random_line(&mut rng);
        let eta = [0.1, 0.3, 1.0][rng.random_range(0..3)];
        let along = line.along(eta);
        for &v in rewards {
            let q = objective.local_curvature(v, along);
            // Rounding of the losses, over t²/2.
            let near =
                |t: f64| 1e-13 * (1.0 + line.scores.iter().fold(0.0, |m: f64, s| m.max(s.abs()))) / (t * t);
            for t in [-1.0, -0.5, -0.05, 0.05, 0.5, 1.0].map(|share| share * eta) {
                let found = line.remainder(objective, v, t);
                assert!(found <= q * (1.0 + 1e-9) + near(t), "{found} above {q}: v {v}, t {t}, {along:?}");
            }
        }
        let bound = along.of_logarithm();
        if bound < 0.25 * along.range * along.range { local += 1 } else { global += 1 }
    }
    assert!(local > 5_000 && global > 1_000, "{local} local bounds, {global} global ones");
}

#[test]
fn the_quadratic_stays_above_the_loss() {
    stays_above(Bopl, &[1.0, 2.5, -1.0, -0.3]);
    stays_above(BoplS, &[1.0, 2.5, -1.0, -0.3]);
    stays_above(smoothed(0.05), &[0.01, 1.0, 2.5, 100.0]);
    stays_above(smoothed(2.0), &[0.01, 1.0, 2.5, 100.0]);
}

fn smoothed(lambda: f64) -> BoplLs {
    BoplLs::of(Some(lambda), 1)
}

/// ½t²s‖f‖² is above the loss less its tangent, and its negative below, wherever t leads.
#[test]
fn the_constant_curvature_is_above_the_hessian() {
    fn holds<O: PolicyObjective>(objective: O, rewards: &[f64]) {
        let (mut rng, mut largest) = (ChaCha8Rng::seed_from_u64(4), 0.0_f64);
        for _ in 0..20_000 {
            let line = random_line(&mut rng);
            let square: f64 = line.f.iter().map(|f| f * f).sum();
            for &v in rewards {
                let s = objective.curvature(v, Smoothness::Sharp);
                assert!(s <= objective.curvature(v, Smoothness::Paper));
                let t = [-1.0, 1.0, 0.1][rng.random_range(0..3)] / square.sqrt();
                let found = line.remainder(objective, v, t).abs() / square;
                let near = 1e-12 * (1.0 + v.abs()) / (t * t * square);
                assert!(found <= s * (1.0 + 1e-9) + near, "{found} above {s}: v {v}");
                largest = largest.max(found / s);
            }
        }
        assert!(largest > 0.3, "{largest}");
    }
    holds(Bopl, &[1.0, 2.5, -1.0, -0.3]);
    holds(BoplS, &[1.0, 2.5, -1.0, -0.3]);
    for lambda in [0.05, 2.0] {
        holds(smoothed(lambda), &[0.01, 1.0, 2.5, 100.0]);
    }
}

/// Each of the four bounds is reached, up to 2%, by some row.
#[test]
fn no_smaller_quadratic_would_do() {
    let two = |pi: f64, d: f64| Line { scores: vec![(pi / (1.0 - pi)).ln(), 0.0], f: vec![d, 0.0] };
    fn reached<O: PolicyObjective>(objective: O, line: &Line, v: f64, eta: f64) -> f64 {
        let of = |t: f64| line.remainder(objective, v, t);
        let most = (20..=200).map(|k| of(eta * f64::from(k) / 200.0).max(of(-eta * f64::from(k) / 200.0)));
        most.fold(f64::MIN, f64::max) / objective.local_curvature(v, line.along(eta))
    }
    // Var_π(f), as η vanishes.
    assert!(reached(BoplS, &two(0.1, 1.0), 1.0, 1e-2) > 0.98);
    // D²/4, at equal probabilities.
    assert!(reached(BoplS, &two(0.5, 1.0), 1.0, 1e-2) > 0.98);
    // D²/(6√3), at π = ½ − 1/(2√3) for a loss of π, and at ½ + 1/(2√3) for a loss of −π.
    let third = 1.0 / 12f64.sqrt();
    assert!(reached(Bopl, &two(0.5 - third, 0.1), -1.0, 1e-2) > 0.98);
    assert!(reached(Bopl, &two(0.5 + third, 0.1), 1.0, 1e-2) > 0.98);
    // D²·min(π, 1 − π), as both vanish.
    assert!(reached(BoplS, &two(1e-2, 0.1), -1.0, 1e-2) > 0.96);
    // κ: a rare action that the line makes likely.
    let rare = two(1e-6, 5.0);
    assert!(reached(BoplS, &rare, 1.0, 1.0) > 0.9, "{}", reached(BoplS, &rare, 1.0, 1.0));
}

const ROWS: usize = 60;
const ACTIONS: usize = 3;

/// The weights of four rounds, and π before each of them, row by row.
fn weights_and_policies<O: PolicyObjective>(predictions: Option<&[f64]>) -> Vec<(Vec<f64>, Vec<Vec<f64>>)> {
    let log = random_log(ROWS, 2, ACTIONS, 6);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let step = Step::SecondOrder { learning_rate: 1.0 };
    let settings = Settings::builder().translation(-0.2).step(step).build().unwrap();
    let seen = RefCell::new(Vec::new());
    let learner = Constants(|round: &PairRound<'_>| {
        let row = |i: usize| (0..ACTIONS).map(move |a| round.weight(i, a));
        *seen.borrow_mut() = (0..ROWS).flat_map(row).collect();
        means(round)
    });
    let play = |scores: &[f64]| (0..ROWS).map(|i| policy(&[0, 1, 2].map(|a| scores[a * ROWS + i]))).collect();
    let mut found = Vec::new();
    match predictions {
        None => {
            let mut run = PolicyBoosting::<O, _>::new(&log, learner, settings).unwrap();
            for _ in 0..4 {
                let before = play(run.scores());
                assert!(run.round(&contexts).unwrap().is_continue());
                found.push((seen.borrow().clone(), before));
            }
        }
        Some(q) => {
            let mut run = PolicyBoosting::<Bopl, _>::doubly_robust(&log, learner, settings, q).unwrap();
            for _ in 0..4 {
                let before = play(run.scores());
                assert!(run.round(&contexts).unwrap().is_continue());
                found.push((seen.borrow().clone(), before));
            }
        }
    }
    found
}

/// |c_i|π_a(1 − π_a); with predicted rewards, r̄_i − min r̃ stands for |c_i|.
#[test]
fn trees_weigh_pairs_by_the_curvature_at_the_policy() {
    let log = random_log(ROWS, 2, ACTIONS, 6);
    let check = |found: Vec<(Vec<f64>, Vec<Vec<f64>>)>, size: &dyn Fn(usize, &[f64]) -> f64| {
        for (round, (weights, policies)) in found.into_iter().enumerate() {
            for (i, (weights, pi)) in weights.chunks_exact(ACTIONS).zip(&policies).enumerate() {
                let size = size(i, pi);
                let apart = weights.iter().zip(pi).map(|(w, p)| (w - size * p * (1.0 - p)).abs());
                let apart = apart.fold(0.0, f64::max);
                assert!(apart < 1e-9 * (1.0 + size), "round {round}, row {i}: {weights:?}, {size}, {pi:?}");
            }
        }
    };
    let v = |i: usize| (log.rewards()[i] - 0.2) / log.propensities()[i];
    let logged = |i: usize| log.logged_actions()[i] as usize;
    let of_bopl = |i: usize, pi: &[f64]| Bopl.factor(v(i), pi[logged(i)]).abs();
    check(weights_and_policies::<Bopl>(None), &of_bopl);
    let of_surrogate = |i: usize, pi: &[f64]| BoplS.factor(v(i), pi[logged(i)]).abs();
    check(weights_and_policies::<BoplS>(None), &of_surrogate);
    let q: Vec<f64> = (0..ROWS * ACTIONS).map(|k| (k * k % 13) as f64 / 12.0).collect();
    let of_both = |i: usize, pi: &[f64]| {
        let mut rewards = q[i * ACTIONS..(i + 1) * ACTIONS].to_vec();
        rewards[logged(i)] += (log.rewards()[i] - rewards[logged(i)]) / log.propensities()[i];
        let mean: f64 = rewards.iter().zip(pi).map(|(r, p)| r * p).sum();
        mean - rewards.iter().copied().fold(f64::INFINITY, f64::min)
    };
    check(weights_and_policies::<Bopl>(Some(&q)), &of_both);
}
