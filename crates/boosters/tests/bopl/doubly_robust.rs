//! The doubly robust objective: its gradient and constants, and the claims of every round recomputed pair by
//! pair.

use crate::account::{mean, policy_of, scores_of};
use crate::learners::{Arbitrary, Constants, means};
use crate::logs::{Reward, Task, random_log};
use boosters::bopl::{
    Along, Bopl, BoplError, Checkpoint, Classification, PolicyBoosting, PredictedRewards, RewardRegression,
    Settings, Smoothness, Step,
};
use off_policy::estimators::{EstimateError, cross_fit};
use off_policy::{ActionSets, Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use weak_learners::batch::{BinnedColumns, SortedColumns};
use weak_learners::pairs::{
    BinnedContexts, ColumnSampling, ExactPairTree, HistogramPairTree, PairGrowth, PairHypothesis,
    PairLearner, RowSampling, VectorLeafLearner,
};

const STEPS: [Step; 5] = [
    Step::Closed(Smoothness::Paper),
    Step::Closed(Smoothness::Sharp),
    Step::LineSearch,
    Step::SecondOrder { learning_rate: 0.3 },
    Step::SecondOrder { learning_rate: 1.0 },
];

/// A log with predictions, row by row, and M.
struct Doubly<'a> {
    log: &'a Log,
    predictions: &'a [f64],
    clip: Option<f64>,
    translation: f64,
}

impl Doubly<'_> {
    fn predicted(&self, i: usize) -> &[f64] {
        &self.predictions[i * self.log.actions()..][..self.log.actions()]
    }

    fn delta(&self, i: usize) -> f64 {
        let row = self.log.row(i).unwrap();
        (row.reward - self.predicted(i)[row.action])
            * self.clip.map_or(1.0 / row.propensity, |m| m.min(1.0 / row.propensity))
    }

    fn is_offered(&self, i: usize, a: usize) -> bool {
        self.log.on_offer(i).contains(a)
    }

    /// r̃ of the actions on offer, and −∞ of the others.
    fn rewards(&self, i: usize) -> Vec<f64> {
        let logged = self.log.logged_actions()[i] as usize;
        let of = |(a, q): (usize, &f64)| match self.is_offered(i, a) {
            true => q + self.translation + if a == logged { self.delta(i) } else { 0.0 },
            false => f64::NEG_INFINITY,
        };
        self.predicted(i).iter().enumerate().map(of).collect()
    }

    fn policy(&self, i: usize, scores: &[f64]) -> Vec<f64> {
        let of = |(a, s): (usize, &f64)| if self.is_offered(i, a) { *s } else { f64::NEG_INFINITY };
        let scores: Vec<f64> = scores.iter().enumerate().map(of).collect();
        let top = scores.iter().fold(f64::MIN, |top, s| top.max(*s));
        let e: Vec<f64> = scores.iter().map(|s| (s - top).exp()).collect();
        let sum: f64 = e.iter().sum();
        e.into_iter().map(|e| e / sum).collect()
    }

    /// Σ_a π_a r̃_a.
    fn value(&self, i: usize, scores: &[f64]) -> f64 {
        let terms = self.policy(i, scores).into_iter().zip(self.rewards(i));
        terms.filter(|(p, _)| *p > 0.0).map(|(p, r)| p * r).sum()
    }

    fn objective(&self, scores: &[Vec<f64>]) -> f64 {
        -mean((0..self.log.len()).map(|i| self.value(i, &scores[i])))
    }

    fn gradient(&self, i: usize, scores: &[f64]) -> Vec<f64> {
        let mean = self.value(i, scores);
        let terms = self.policy(i, scores).into_iter().zip(self.rewards(i));
        terms.map(|(p, r)| if p > 0.0 { p * (r - mean) } else { 0.0 }).collect()
    }

    /// The curvature of row i along f.
    fn curvature(&self, i: usize, step: Step, scores: &[f64], f: &[f64]) -> f64 {
        let range = |of: &dyn Fn(usize) -> f64| {
            let offered: Vec<f64> = (0..f.len()).filter(|a| self.is_offered(i, *a)).map(of).collect();
            offered.iter().fold(f64::MIN, |m, x| m.max(*x)) - offered.iter().fold(f64::MAX, |m, x| m.min(*x))
        };
        let squared: f64 = (0..f.len()).filter(|a| self.is_offered(i, *a)).map(|a| f[a] * f[a]).sum();
        let rewards = self.rewards(i);
        let eta = match step {
            Step::Closed(Smoothness::Paper) => return range(&|a| rewards[a]) * squared / 2.0,
            Step::SecondOrder { learning_rate } => learning_rate,
            _ => return range(&|a| rewards[a]) * squared / (3.0 * 3f64.sqrt()),
        };
        let (pi, d) = (self.policy(i, scores), range(&|a| f[a]));
        let m: f64 = pi.iter().zip(f).map(|(p, f)| p * f).sum();
        let variance: f64 = pi.iter().zip(f).map(|(p, f)| p * (f - m) * (f - m)).sum();
        let x = d * eta;
        let growth = if x < 1e-4 { 1.0 + x / 3.0 } else { 2.0 * (x.exp() - x - 1.0) / (x * x) };
        let (most, logged) = (d * d / (6.0 * 3f64.sqrt()), pi[self.log.logged_actions()[i] as usize]);
        range(&|a| self.predicted(i)[a]) * (variance * growth).min(most)
            + self.delta(i).abs() * (d * d * growth * logged.min(1.0 - logged)).min(most)
    }

    /// Plays rounds and checks each of them; returns how many there were.
    fn holds<L: PairLearner>(
        &self,
        what: &str,
        (contexts, learner): (&L::Contexts, L),
        (step, ridge): (Step, f64),
        rounds: usize,
    ) -> usize {
        let Self { log, predictions, clip, translation } = self;
        let mut settings = Settings::builder().step(step).ridge(ridge).translation(*translation);
        if let Some(most) = clip {
            settings = settings.clip(*most);
        }
        let settings = settings.build().unwrap();
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = log.len() as f64;
        let sizes = (0..log.len()).map(|i| self.rewards(i).into_iter().filter(|r| r.is_finite()));
        let size = sizes.flatten().fold(1.0, |most: f64, r| most.max(r.abs()));
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-11 * size;
        let mut run = PolicyBoosting::<Bopl, L>::doubly_robust(log, learner, settings, predictions).unwrap();
        let mut scores = vec![vec![0.0; log.actions()]; log.len()];
        let mut before = self.objective(&scores);
        let most = |i: usize| self.rewards(i).into_iter().fold(f64::MIN, f64::max);
        let optimal = -mean((0..log.len()).map(most));
        assert!(near(run.objective(), before), "{what}: {} at the start, not {before}", run.objective());
        assert!(near(run.optimal_risk(), optimal), "{what}: L̂* is {optimal}");
        let (delta_0, mut decreased) = (before - optimal, 0.0);
        for t in 0..rounds {
            let Some(round) = run.round(contexts).unwrap().continue_value() else { return t };
            let what = format!("{what}, {settings:?}, round {t}: {round:?}");
            let member = run.ensemble().members().last().unwrap();
            let values = |x| {
                let mut f = vec![0.0; log.actions()];
                member.predictor.scores(x, &mut f).unwrap();
                f
            };
            let f: Vec<Vec<f64>> = log.contexts().iter().map(values).collect();
            let dot = |i: usize| -> f64 {
                self.gradient(i, &scores[i]).iter().zip(&f[i]).map(|(u, f)| u * f).sum()
            };
            let gain: f64 = (0..log.len()).map(dot).sum();
            let curvature: f64 = (0..log.len()).map(|i| self.curvature(i, step, &scores[i], &f[i])).sum();
            let minimum = gain / (curvature + 2.0 * n * ridge);
            let alpha = match step {
                Step::SecondOrder { learning_rate } => minimum.clamp(-learning_rate, learning_rate),
                _ => minimum,
            };
            if step != Step::LineSearch {
                assert!((round.alpha - alpha).abs() <= 1e-6 * alpha.abs() + 1e-13, "{what}: α is {alpha}");
            }
            let decrease = alpha * gain / n - alpha * alpha * curvature / (2.0 * n);
            assert!((round.decrease - decrease).abs() <= 1e-6 * decrease + 1e-13, "{what}: {decrease}");
            for (row, f) in scores.iter_mut().zip(&f) {
                row.iter_mut().zip(f).for_each(|(score, f)| *score += round.alpha * f);
            }
            let after = self.objective(&scores);
            assert!(near(round.objective, after), "{what}: the objective is {after}");
            assert!(round.decrease >= 0.0, "{what}");
            assert!(after <= before - round.decrease + 1e-11 * size, "{what}: guaranteed from {before}");
            decreased += round.decrease;
            let bound = optimal + delta_0 * (-decreased / delta_0).exp();
            assert!(near(round.bound, bound), "{what}: the bound is {bound}");
            assert!(after <= bound + 1e-11 * size, "{what}: Theorem 1");
            for (i, row) in scores.iter().enumerate() {
                for (a, u) in self.gradient(i, row).into_iter().enumerate() {
                    let found = run.gradients()[a * log.len() + i];
                    assert!((found - u).abs() <= 1e-11 * size, "{what}: u of ({i}, {a}) is {u}, not {found}");
                }
            }
            before = after;
        }
        rounds
    }
}

fn growth(depth: u32, least: f64) -> PairGrowth {
    PairGrowth::builder().max_depth(depth).min_child_weight(least).reg_lambda(0.5).build().unwrap()
}

/// q̂ of boosted reward regression, cross-fitted.
fn predictions(log: &Log) -> Vec<f64> {
    cross_fit(log, 3, |others: &Log| {
        let contexts = BinnedContexts::new(others.contexts().clone()).unwrap();
        let mut run = RewardRegression::new(others, HistogramPairTree::new(growth(4, 1.0)), 0.3).unwrap();
        (0..8).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
        Ok::<_, EstimateError>(Model(run.into_ensemble()))
    })
    .unwrap()
}

struct Model(boosters::bopl::PolicyEnsemble<weak_learners::pairs::PairTree>);

impl off_policy::estimators::RewardModel for Model {
    fn inputs(&self) -> Option<usize> {
        PredictedRewards(&self.0).inputs()
    }

    fn actions(&self) -> usize {
        PredictedRewards(&self.0).actions()
    }

    fn rewards(&self, x: rows::Row<'_>, rewards: &mut [f64]) -> Result<(), off_policy::PolicyError> {
        PredictedRewards(&self.0).rewards(x, rewards)
    }
}

fn by_all_learners(what: &str, log: &Log, rounds: usize) {
    let predictions = predictions(log);
    let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
    let columns = BinnedColumns::new(log.contexts().clone()).unwrap();
    let binned = BinnedContexts::new(log.contexts().clone()).unwrap();
    let (trees, deep) = (growth(4, 0.05), growth(12, 0.02));
    let rng = || ChaCha8Rng::seed_from_u64(8);
    let sampling = ColumnSampling::new(HistogramPairTree::new(trees), 0.5, rng()).unwrap();
    let sampling = RowSampling::new(sampling, 0.5, rng()).unwrap();
    for (step, ridge) in STEPS.into_iter().flat_map(|step| [(step, 0.0), (step, 0.02)]) {
        for (clip, translation) in [(None, 0.0), (Some(4.0), -0.3)] {
            let of = Doubly { log, predictions: &predictions, clip, translation };
            let at = (step, ridge);
            let played = [
                of.holds(&format!("{what} exact"), (&sorted, ExactPairTree::new(trees)), at, rounds),
                of.holds(&format!("{what} binned"), (&binned, HistogramPairTree::new(deep)), at, rounds),
                of.holds(
                    &format!("{what} signs"),
                    (&binned, Classification::new(HistogramPairTree::new(deep.of_signs()))),
                    at,
                    rounds,
                ),
                of.holds(&format!("{what} sampled"), (&binned, sampling.clone()), at, rounds),
                of.holds(&format!("{what} leaves"), (&columns, VectorLeafLearner::new(trees)), at, rounds),
                of.holds(&format!("{what} constants"), (&sorted, Constants(means)), at, rounds),
                of.holds(
                    &format!("{what} arbitrary"),
                    (&sorted, Arbitrary { rng: rng(), size: 3.0 }),
                    at,
                    rounds,
                ),
            ];
            assert!(played.iter().all(|played| *played >= 2), "{what}, {at:?}: {played:?} rounds");
        }
    }
}

#[test]
fn every_round_on_letter() {
    by_all_learners("letter", &Task::letters(250).log(Reward::Noisy, 1), 4);
}

#[test]
fn every_round_on_adult() {
    by_all_learners("adult", &Task::adults(300).log(Reward::Punished, 1), 5);
}

/// Random predictions, and rows of which some offer few actions.
#[test]
fn every_round_of_random_logs() {
    for seed in 0..20 {
        let (n, actions) = (1 + 3 * seed as usize, 2 + seed as usize % 4);
        let mut log = random_log(n, 2, actions, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        if seed % 2 == 1 {
            let count = u32::try_from(actions).unwrap();
            let offered = log
                .logged_actions()
                .iter()
                .map(|logged| (0..count).filter(|a| a == logged || rng.random_bool(0.6)).collect::<Vec<_>>());
            let sets = ActionSets::new(actions, offered.collect::<Vec<_>>()).unwrap();
            log = log.with_action_sets(sets).unwrap();
        }
        let predictions: Vec<f64> = (0..n * actions).map(|_| rng.random_range(-2.0..2.0)).collect();
        let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
        for step in STEPS {
            let of = Doubly { log: &log, predictions: &predictions, clip: None, translation: 0.1 };
            for size in [1.0, 20.0] {
                let learner = Arbitrary { rng: ChaCha8Rng::seed_from_u64(3), size };
                of.holds("random", (&sorted, learner), (step, 0.0), 20);
            }
            of.holds("random trees", (&sorted, ExactPairTree::new(growth(3, 0.0))), (step, 0.0), 6);
        }
    }
}

#[test]
fn without_a_model_it_is_the_plain_objective() {
    let log = random_log(200, 2, 4, 5);
    let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
    for step in STEPS {
        let settings = Settings::builder().step(step).clip(5.0).build().unwrap();
        let learner = || Arbitrary { rng: ChaCha8Rng::seed_from_u64(3), size: 2.0 };
        let mut plain = PolicyBoosting::<Bopl, _>::new(&log, learner(), settings).unwrap();
        let nothing = vec![0.0; 800];
        let mut doubly =
            PolicyBoosting::<Bopl, _>::doubly_robust(&log, learner(), settings, &nothing).unwrap();
        for _ in 0..10 {
            let [a, b] =
                [&mut plain, &mut doubly].map(|run| run.round(&sorted).unwrap().continue_value().unwrap());
            let found =
                [(a.alpha, b.alpha), (a.objective, b.objective), (a.bound, b.bound), (a.snips, b.snips)];
            assert!(found.iter().all(|(a, b)| (a - b).abs() <= 1e-11 * (1.0 + a.abs())), "{a:?}, {b:?}");
        }
    }
}

/// The gradient of a row by differences of its objective, from scores near and far.
#[test]
fn the_gradient_is_that_of_the_objective() {
    let log = random_log(40, 1, 4, 9);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let predictions: Vec<f64> = (0..160).map(|_| rng.random_range(-1.0..1.0)).collect();
    let of = Doubly { log: &log, predictions: &predictions, clip: None, translation: 0.0 };
    for i in 0..40 {
        let scores: Vec<f64> = (0..4).map(|_| rng.random_range(-3.0..3.0)).collect();
        for (a, u) in of.gradient(i, &scores).into_iter().enumerate() {
            let at = |h: f64| {
                let mut moved = scores.clone();
                moved[a] += h;
                of.value(i, &moved)
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((slope - u).abs() <= 1e-7, "({i}, {a}): {u}, and by differences {slope}");
        }
    }
}

/// E_π[(r − r̄)(f − μ)²] ≤ (max r − min r)·min(‖f‖²/(3√3), D²/(6√3), Var_π(f)), each of which is attained;
/// and the quadratic of a second-order step stays above the line.
#[test]
fn the_curvatures_of_an_expectation_hold_and_are_attained() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let (mut by_norm, mut by_range, mut by_variance) = (0.0_f64, 0.0_f64, 0.0_f64);
    let span =
        |x: &[f64]| x.iter().fold(f64::MIN, |m, x| m.max(*x)) - x.iter().fold(f64::MAX, |m, x| m.min(*x));
    for case in 0..60_000 {
        let actions = 2 + case % 5;
        let spread = [0.3, 1.0, 3.0, 12.0][case % 4];
        let mut draw = |size: f64| (0..actions).map(|_| rng.random_range(-size..size)).collect::<Vec<f64>>();
        let (scores, f, mut rewards) = (draw(spread), draw([0.1, 1.0, 4.0][case % 3]), draw(1.0));
        if case % 2 == 0 {
            rewards.iter_mut().for_each(|r| *r = f64::from(u8::from(*r > 0.0)));
        }
        let expected = |weights: &[f64], x: &dyn Fn(usize) -> f64| -> f64 {
            (0..actions).map(|a| weights[a] * x(a)).sum()
        };
        let pi = policy_of(&scores);
        let (m, r) = (expected(&pi, &|a| f[a]), expected(&pi, &|a| rewards[a]));
        let second = expected(&pi, &|a| (rewards[a] - r) * (f[a] - m).powi(2)).abs();
        let variance = expected(&pi, &|a| (f[a] - m).powi(2));
        let (range, d) = (span(&rewards), span(&f));
        let squared: f64 = f.iter().map(|f| f * f).sum();
        let root = 3f64.sqrt();
        let bounds = [squared / (3.0 * root), d * d / (6.0 * root), variance].map(|bound| range * bound);
        assert!(bounds.iter().all(|bound| second <= bound * (1.0 + 1e-9) + 1e-13), "{second}, {bounds:?}");
        if range > 0.0 {
            by_norm = by_norm.max(second / bounds[0]);
            by_range = by_range.max(second / bounds[1]);
            by_variance = by_variance.max(if variance > 1e-9 { second / bounds[2] } else { 0.0 });
        }
        for eta in [0.1, 1.0] {
            let along = Along { pi: pi[0], rest: pi[1..].iter().sum(), variance, range: d, eta };
            let slope = expected(&pi, &|a| rewards[a] * (f[a] - m));
            for t in [-eta, -0.5 * eta, 0.5 * eta, eta] {
                let moved: Vec<f64> = scores.iter().zip(&f).map(|(s, f)| s + t * f).collect();
                let remainder = expected(&policy_of(&moved), &|a| rewards[a]) - r - t * slope;
                let bound = range * along.of_expectation() * t * t / 2.0;
                assert!(remainder.abs() <= bound * (1.0 + 1e-9) + 1e-13, "{remainder}, {bound}");
            }
        }
    }
    assert!(by_norm > 0.99 && by_range > 0.99 && by_variance > 0.99, "{by_norm} {by_range} {by_variance}");
}

#[test]
fn a_run_goes_on_bit_for_bit_with_the_same_predictions_alone() {
    let log = Task::letters(200).log(Reward::Partial, 3);
    let contexts = BinnedContexts::new(log.contexts().clone()).unwrap();
    let predictions = predictions(&log);
    for step in STEPS {
        let settings = Settings::builder().step(step).clip(10.0).build().unwrap();
        let learner = HistogramPairTree::new(growth(5, 0.05));
        let mut run =
            PolicyBoosting::<Bopl, _>::doubly_robust(&log, learner, settings, &predictions).unwrap();
        (0..3).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
        let text = serde_json::to_string(&run.checkpoint()).unwrap();
        let load = || serde_json::from_str::<Checkpoint<HistogramPairTree>>(&text).unwrap();
        let mut resumed = load().resume_doubly_robust(&log, &predictions).unwrap();
        assert_eq!((resumed.scores(), resumed.gradients()), (run.scores(), run.gradients()));
        for _ in 0..3 {
            assert_eq!(resumed.round(&contexts).unwrap(), run.round(&contexts).unwrap());
        }
        assert_eq!(resumed.scores(), run.scores());
        let mut others = predictions.clone();
        others[7] += 1e-9;
        assert_eq!(load().resume_doubly_robust(&log, &others).unwrap_err(), BoplError::OtherPredictions);
        assert_eq!(load().resume::<Bopl>(&log).unwrap_err(), BoplError::OtherPredictions);
    }
    let plain = PolicyBoosting::<Bopl, _>::new(
        &log,
        HistogramPairTree::new(growth(5, 0.05)),
        Settings::builder().build().unwrap(),
    );
    let plain = plain.unwrap().checkpoint();
    assert_eq!(plain.resume_doubly_robust(&log, &predictions).unwrap_err(), BoplError::OtherPredictions);
}

#[test]
fn threads_change_nothing() {
    let log = Task::letters(2600).log(Reward::Noisy, 1);
    let contexts = BinnedContexts::new(log.contexts().clone()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let predictions: Vec<f64> = (0..log.len() * log.actions()).map(|_| rng.random_range(0.0..1.0)).collect();
    for step in [Step::Closed(Smoothness::Sharp), Step::SecondOrder { learning_rate: 0.3 }] {
        let play = || {
            let settings = Settings::builder().step(step).build().unwrap();
            let learner = HistogramPairTree::new(growth(6, 1.0));
            let mut run =
                PolicyBoosting::<Bopl, _>::doubly_robust(&log, learner, settings, &predictions).unwrap();
            (0..3).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
            let bits: Vec<u64> = run.scores().iter().chain(run.gradients()).map(|x| x.to_bits()).collect();
            (bits, run.record().to_vec())
        };
        let alone = play();
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(play) == alone, "{threads} threads, {step:?}");
        }
    }
}

#[test]
fn bad_predictions_are_refused() {
    let log = random_log(3, 1, 2, 1);
    let run = |predictions: &[f64]| {
        let learner = Arbitrary { rng: ChaCha8Rng::seed_from_u64(3), size: 1.0 };
        let settings = Settings::builder().build().unwrap();
        PolicyBoosting::<Bopl, _>::doubly_robust(&log, learner, settings, predictions).map(|_| ())
    };
    assert_eq!(run(&[0.5; 6]), Ok(()));
    let (argument, unit, expected) = ("predictions", "pairs", 6);
    assert_eq!(run(&[0.5; 5]), Err(BoplError::Mismatch { argument, unit, expected, got: 5 }));
    for bad in [f64::NAN, f64::INFINITY, 1.1e140] {
        let found = run(&[0.0, 0.0, 0.0, bad, 0.0, 0.0]);
        assert!(matches!(found, Err(BoplError::NotFinite { index: 3, .. })), "{found:?}");
    }
    let beyond = run(&[1e140; 6]);
    assert!(matches!(beyond, Err(BoplError::Importance { row: 0, .. })), "{beyond:?}");
}

/// Clipped weights are those of a log whose small propensities are 1/M.
#[test]
fn clipping_is_a_bound_on_the_weights() {
    let log = random_log(300, 2, 3, 6);
    let (contexts, rewards) = (log.contexts().clone(), Rewards(log.rewards().to_vec()));
    let floored = log.propensities().iter().map(|p| p.max(0.25)).collect();
    let raised = Log::new(contexts, 3, log.logged_actions().to_vec(), floored, rewards).unwrap();
    let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
    for step in STEPS {
        let settings = Settings::builder().translation(-0.2).step(step);
        let play = |log: &Log, settings: Settings| {
            let learner = ExactPairTree::new(growth(4, 0.1));
            let mut run = PolicyBoosting::<boosters::bopl::BoplS, _>::new(log, learner, settings).unwrap();
            (0..5).for_each(|_| assert!(run.round(&sorted).unwrap().is_continue()));
            let rounds = run.record().iter().map(|r| (r.alpha, r.decrease, r.objective, r.bound));
            (run.scores().to_vec(), rounds.collect::<Vec<_>>())
        };
        let clipped = play(&log, settings.clip(4.0).build().unwrap());
        assert_eq!(clipped, play(&raised, settings.build().unwrap()));
        assert_ne!(clipped, play(&log, settings.build().unwrap()));
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1.1e140] {
        let found = Settings::builder().clip(bad).build();
        assert!(matches!(found, Err(BoplError::BadParameter { name: "clip", .. })), "{bad}");
    }
    let saved = serde_json::to_string(&Settings::builder().clip(3.0).build().unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<Settings>(&saved).unwrap().clip(), Some(3.0));
    let older = saved.replace("\"clip\":3.0,", "");
    assert_eq!(serde_json::from_str::<Settings>(&older).unwrap().clip(), None);
    assert!(serde_json::from_str::<Settings>(&saved.replace("3.0", "-3.0")).is_err());
}

/// Rows above τ are as if their translated reward were 0, or as predicted where rewards are predicted.
#[test]
fn switching_leaves_rare_rows_to_the_model() {
    let log = random_log(300, 2, 3, 6);
    let q = predictions(&log);
    let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
    let is_rare = |i: usize| log.propensities()[i] < 0.25;
    assert!((0..300).any(is_rare) && !(0..300).all(is_rare));
    let with_rewards = |reward: &dyn Fn(usize) -> f64| {
        let rewards = (0..300).map(|i| if is_rare(i) { reward(i) } else { log.rewards()[i] }).collect();
        let (actions, propensities) = (log.logged_actions().to_vec(), log.propensities().to_vec());
        Log::new(log.contexts().clone(), 3, actions, propensities, Rewards(rewards)).unwrap()
    };
    let of_model = with_rewards(&|i| q[3 * i + log.logged_actions()[i] as usize]);
    let of_none = with_rewards(&|_| 0.2);
    for step in STEPS {
        let settings = Settings::builder().translation(-0.2).step(step);
        let play = |log: &Log, settings: Settings, is_doubly_robust: bool| {
            let learner = ExactPairTree::new(growth(4, 0.1));
            let mut run = if is_doubly_robust {
                PolicyBoosting::<Bopl, _>::doubly_robust(log, learner, settings, &q)
            } else {
                PolicyBoosting::<Bopl, _>::new(log, learner, settings)
            }
            .unwrap();
            (0..5).for_each(|_| assert!(run.round(&sorted).unwrap().is_continue()));
            let rounds = run.record().iter().map(|r| (r.alpha, r.decrease, r.objective, r.bound));
            (run.scores().to_vec(), rounds.collect::<Vec<_>>(), run.optimal_risk())
        };
        let (plain, switched) = (settings.build().unwrap(), settings.switch(4.0).build().unwrap());
        assert_eq!(play(&log, switched, true), play(&of_model, plain, true));
        assert_eq!(play(&log, switched, false), play(&of_none, plain, false));
        assert_ne!(play(&log, switched, true), play(&log, plain, true));
        assert_ne!(play(&log, switched, false), play(&log, plain, false));
    }
    // A weight of τ itself counts.
    let even = Log::new(
        log.contexts().clone(),
        3,
        log.logged_actions().to_vec(),
        vec![0.25; 300],
        Rewards(log.rewards().to_vec()),
    )
    .unwrap();
    let scores = |settings: Settings| {
        let learner = ExactPairTree::new(growth(4, 0.1));
        let mut run = PolicyBoosting::<Bopl, _>::doubly_robust(&even, learner, settings, &q).unwrap();
        assert!(run.round(&sorted).unwrap().is_continue());
        run.scores().to_vec()
    };
    assert_eq!(scores(Settings::builder().switch(4.0).build().unwrap()), scores(Settings::default()));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1.1e140] {
        let found = Settings::builder().switch(bad).build();
        assert!(matches!(found, Err(BoplError::BadParameter { name: "switch", .. })), "{bad}");
    }
    let saved = serde_json::to_string(&Settings::builder().switch(3.0).build().unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<Settings>(&saved).unwrap().switch(), Some(3.0));
    assert!(serde_json::from_str::<Settings>(&saved.replace("3.0", "-3.0")).is_err());
}

#[test]
fn scores_of_the_ensemble_are_those_of_the_run() {
    let log = Task::letters(150).log(Reward::Noisy, 4);
    let contexts = BinnedContexts::new(log.contexts().clone()).unwrap();
    let settings = Settings::builder().step(Step::SecondOrder { learning_rate: 0.2 }).build().unwrap();
    let learner = HistogramPairTree::new(growth(5, 0.05));
    let q = predictions(&log);
    let mut run = PolicyBoosting::<Bopl, _>::doubly_robust(&log, learner, settings, &q).unwrap();
    (0..4).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
    for (i, row) in scores_of(run.ensemble(), &log).iter().enumerate() {
        for (a, score) in row.iter().enumerate() {
            assert!((score - run.scores()[a * log.len() + i]).abs() < 1e-12);
        }
    }
}
