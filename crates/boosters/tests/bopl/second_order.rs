//! The local curvature: a quadratic above the loss along a line, and no larger than it has to be.

use crate::learners::{Constants, Lines, means};
use crate::logs::random_log;
use boosters::bopl::{
    Along, Bopl, BoplLs, BoplS, Member, PolicyBoosting, PolicyEnsemble, PolicyObjective, Settings,
    Smoothness, Step, Weight,
};
use off_policy::policies::softmax;
use off_policy::{ActionSet, Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
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
        Along { pi: pi[0], rest: pi[1..].iter().sum(), variance, range: most - least, eta }
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

/// The rows of a [`Certain`], and its actions.
const FEW: usize = 8;
const THREE: usize = 3;

/// The answer of a base learner to a round.
type Answer = fn(&PairRound<'_>) -> Vec<f64>;

/// Rows where F is nearly certain of an action, or of none, and a predictor that may turn them round.
struct Certain {
    log: Log,
    ensemble: PolicyEnsemble<Lines>,
    /// q̂(x_i, a) at i·|A| + a.
    predictions: Vec<f64>,
    /// F(x_i, a) and f(x_i, a), row by row.
    scores: Vec<[f64; THREE]>,
    f: Vec<[f64; THREE]>,
}

impl Certain {
    fn draw(rng: &mut ChaCha8Rng, rewards: &[f64]) -> Self {
        let pick = |rng: &mut ChaCha8Rng, of: &[f64]| of[rng.random_range(0..of.len())];
        let slopes = [0.0, -1.0, pick(rng, &[-0.5, -1.0, -2.0])];
        let (mut x, mut p, mut r, mut a) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut scores, mut f) = (Vec::new(), Vec::new());
        for _ in 0..FEW {
            x.push(pick(rng, &[0.0, 0.0, 1.0, 20.0, 38.0, 45.0, 120.0, 370.0, 480.0, -38.0, -300.0]));
            p.push(pick(rng, &[1.0, 0.3, 0.01]));
            r.push(pick(rng, rewards));
            a.push(rng.random_range(0..3));
            let size = pick(rng, &[0.0, 0.1, 3.0, 50.0, 90.0, 700.0, 1000.0]);
            scores.push(slopes.map(|slope| slope * x[x.len() - 1]));
            f.push(
                [(); THREE].map(|()| size * [1.0, -1.0, rng.random_range(-1.0..1.0)][rng.random_range(0..3)]),
            );
        }
        let log = Log::new(RowMatrix::dense(1, x).unwrap(), THREE, a, p, Rewards(r)).unwrap();
        let lines = slopes.map(|slope| (0.0, slope)).to_vec();
        let predictor = Lines { inputs: 1, feature: 0, lines };
        let ensemble = PolicyEnsemble::of(1, THREE, vec![Member { alpha: 1.0, predictor }]).unwrap();
        let predictions = (0..FEW * THREE).map(|_| pick(rng, &[0.0, 0.5, 1.0, 1e-280])).collect();
        Self { log, ensemble, predictions, scores, f }
    }

    /// The mean loss at F + tf, by the logarithms of the probabilities.
    fn objective(&self, t: f64, loss: &dyn Fn(usize, &[f64; THREE]) -> f64) -> f64 {
        let rows = self.scores.iter().zip(&self.f).enumerate().map(|(i, (scores, f))| {
            let moved = [0, 1, 2].map(|a| scores[a] + t * f[a]);
            let top = moved.iter().fold(f64::MIN, |top, s| top.max(*s));
            let total = moved.iter().map(|s| (s - top).exp()).sum::<f64>().ln();
            loss(i, &moved.map(|s| s - top - total))
        });
        rows.sum::<f64>() / 8.0
    }

    fn v(&self, i: usize) -> f64 {
        self.log.rewards()[i] / self.log.propensities()[i]
    }

    fn logged(&self, i: usize) -> usize {
        self.log.logged_actions()[i] as usize
    }

    /// r̃(x_i, a).
    fn doubly_robust(&self, i: usize, a: usize) -> f64 {
        let q = |a: usize| self.predictions[i * THREE + a];
        let correction = (self.log.rewards()[i] - q(a)) / self.log.propensities()[i];
        q(a) + if a == self.logged(i) { correction } else { 0.0 }
    }

    /// The largest |v_i|.
    fn size(&self) -> f64 {
        (0..FEW).fold(0.0, |most: f64, i| most.max(self.v(i).abs()))
    }

    /// Whether the weight of f keeps its promise; returns whether it turned a nearly certain row round.
    fn keeps<O: PolicyObjective>(
        &self,
        run: &PolicyBoosting<O, Constants<Answer>>,
        eta: f64,
        loss: &dyn Fn(usize, &[f64; THREE]) -> f64,
    ) -> bool {
        let values: Vec<f64> = (0..THREE).flat_map(|a| self.f.iter().map(move |f| f[a])).collect();
        let Weight { alpha, decrease } =
            run.weigh(&values, Step::SecondOrder { learning_rate: eta }).unwrap();
        let (before, after) = (self.objective(0.0, loss), self.objective(alpha, loss));
        let said = run.objective();
        assert!((said - before).abs() <= 1e-11 * (self.size() + before.abs()), "{said}, {before}");
        let near = 1e-11 * (self.size() + before.abs() + after.abs());
        assert!(decrease >= 0.0 && alpha.abs() <= eta, "{alpha}, {decrease}");
        let what = format!("{}: {before} to {after} at {alpha}, promised {decrease}", O::NAME);
        assert!(
            after <= before - decrease + near,
            "{what}: {:?}, F {:?}, f {:?}",
            self.log,
            self.scores,
            self.f
        );
        let first = |at: &[f64; THREE]| (0..THREE).fold(0, |best, a| if at[a] > at[best] { a } else { best });
        self.scores.iter().zip(&self.f).any(|(scores, f)| {
            let moved = [0, 1, 2].map(|a| scores[a] + alpha * f[a]);
            scores[first(scores)] - scores[first(&moved)] > 36.0
        })
    }
}

fn long_steps_keep_their_promise<O: PolicyObjective>(rewards: &[f64], loss: impl Fn(f64, f64) -> f64) -> u32 {
    with_smoothing::<O>(2.0, rewards, loss)
}

/// The number of lines that turned a nearly certain row round, of lines that keep their promise.
fn with_smoothing<O: PolicyObjective>(lambda: f64, rewards: &[f64], loss: impl Fn(f64, f64) -> f64) -> u32 {
    let (mut rng, mut turned) = (ChaCha8Rng::seed_from_u64(8), 0);
    for _ in 0..20_000 {
        let case = Certain::draw(&mut rng, rewards);
        let eta = [0.1, 0.5, 1.0][rng.random_range(0..3)];
        let (settings, ensemble) =
            (Settings::builder().smoothing(lambda).build().unwrap(), case.ensemble.clone());
        let learner = Constants(means as Answer);
        let run = PolicyBoosting::<O, _>::from_ensemble(&case.log, learner, settings, ensemble).unwrap();
        let loss = |i: usize, ln_pi: &[f64; THREE]| loss(case.v(i), ln_pi[case.logged(i)]);
        turned += u32::from(case.keeps(&run, eta, &loss));
    }
    turned
}

/// Where the policy is nearly certain, 1 − π and Var_π(f) are below a rounding of π and of the mean, and a
/// long step makes them large.
#[test]
fn long_steps_from_a_nearly_certain_policy_keep_their_promise() {
    let signed = [1.0, 0.2, -1.0, 0.0, -1e-280];
    let turned = long_steps_keep_their_promise::<Bopl>(&signed, |v, ln_pi| -v * ln_pi.exp());
    assert!(turned > 100, "{turned}");
    let surrogate = |v: f64, ln_pi: f64| if v < 0.0 { -v * ln_pi.exp() } else { -v * (ln_pi + 1.0) };
    let turned = long_steps_keep_their_promise::<BoplS>(&signed, surrogate);
    assert!(turned > 100, "{turned}");
    for lambda in [2.0, 1e-140] {
        let smoothed = |v: f64, ln_pi: f64| match lambda * v * ln_pi.exp() {
            product if product < 1e-18 => -v * ln_pi.exp(),
            product => -product.ln_1p() / lambda,
        };
        for rewards in [[1.0, 0.2, 0.0, 1e-280], [1e-280, 2e-281, 0.0, 5e-282]] {
            let turned = with_smoothing::<BoplLs>(lambda, &rewards, smoothed);
            assert!(turned > 100, "{turned}");
        }
    }
    // Products of a probability and such a reward underflow, and a long step makes them large.
    let tiny = [1e-280, 2e-281, -1e-280, 0.0];
    let turned = long_steps_keep_their_promise::<Bopl>(&tiny, |v, ln_pi| -v * ln_pi.exp());
    assert!(turned > 100, "{turned}");
    let turned = long_steps_keep_their_promise::<BoplS>(&tiny, surrogate);
    assert!(turned > 100, "{turned}");
}

/// π and 1 − π count alike, however small: what is below the range of numbers has the largest curvature where
/// a step may take it to 1.
#[test]
fn the_curvature_of_a_vanishing_probability_is_that_of_its_complement() {
    for (least, range) in [(1e-20, 1.0), (1e-20, 60.0), (1e-160, 400.0), (0.0, 1.0), (0.0, 1500.0)] {
        let along = |pi: f64, rest: f64| Along { pi, rest, variance: 0.0, range, eta: 1.0 };
        let bounds = |along: Along| [along.of_probability(), along.of_squared_slope()];
        assert_eq!(bounds(along(least, 1.0)), bounds(along(1.0, least)));
        let found = along(1.0, least);
        let square = range * range;
        if range > 1.0 {
            let share = found.of_probability() / square;
            assert!((share - 1.0 / (6.0 * 3f64.sqrt())).abs() < 1e-15, "{least}: {share}");
            assert_eq!(found.of_squared_slope(), square / 16.0, "{least}");
        } else {
            assert!(found.of_probability() <= 2.0 * least.max(1e-290), "{least}");
        }
        if least == 0.0 && range > 1.0 {
            assert_eq!(found.of_logarithm(), square / 4.0);
            assert!((found.of_expectation() / square - 1.0 / (6.0 * 3f64.sqrt())).abs() < 1e-15);
        }
    }
}

#[test]
fn long_doubly_robust_steps_from_a_nearly_certain_policy_keep_their_promise() {
    let (mut rng, mut turned) = (ChaCha8Rng::seed_from_u64(9), 0);
    for _ in 0..60_000 {
        let case = Certain::draw(&mut rng, &[1.0, 0.2, -1.0, 0.0, 1e-280]);
        let eta = [0.1, 0.5, 1.0][rng.random_range(0..3)];
        // With closed steps, too, a run weighs by the second order.
        let step = match rng.random_range(0..2) {
            0 => Step::SecondOrder { learning_rate: 0.3 },
            _ => Step::Closed(Smoothness::Sharp),
        };
        let (settings, ensemble) = (Settings::builder().step(step).build().unwrap(), case.ensemble.clone());
        let learner = Constants(means as Answer);
        let (log, q) = (&case.log, &case.predictions);
        let run = PolicyBoosting::<Bopl, _>::doubly_robust_from_ensemble(log, learner, settings, q, ensemble);
        let loss = |i: usize, ln_pi: &[f64; THREE]| -> f64 {
            -(0..THREE).map(|a| ln_pi[a].exp() * case.doubly_robust(i, a)).sum::<f64>()
        };
        turned += u32::from(case.keeps(&run.unwrap(), eta, &loss));
    }
    assert!(turned > 20, "{turned}");
}

/// f without a preference has no slope, whatever its size, so it gets no weight.
#[test]
fn a_predictor_without_a_preference_gets_no_weight() {
    let log = random_log(40, 2, 3, 5);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let step = Step::SecondOrder { learning_rate: 0.3 };
    let learner = Constants(|round: &PairRound<'_>| means(round));
    let settings = Settings::builder().step(step).build().unwrap();
    let mut run = PolicyBoosting::<BoplS, _>::new(&log, learner, settings).unwrap();
    (0..3).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
    for size in [1e-3, 0.1, 1.0 / 3.0, 7.0, 1e30] {
        let f: Vec<f64> = (0..120).map(|k| size * (1.0 + f64::from(k % 40))).collect();
        assert_eq!(run.weigh(&f, step).unwrap(), Weight { alpha: 0.0, decrease: 0.0 }, "{size}");
    }
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
