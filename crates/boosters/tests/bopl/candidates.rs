//! Candidates with features of their own: every round recomputed from the trees on the rows that the pairs
//! stand for, on a real log, and the same policies as with fixed actions where these are the candidates.

use crate::logs::{Reward, Task};
use boosters::bopl::{
    Along, Bopl, BoplError, BoplLs, BoplS, CandidateBoosting, CandidateCheckpoint, CandidateEnsemble,
    CandidateRegression, CandidateRegressionCheckpoint, PolicyBoosting, PolicyObjective, Settings,
    Smoothness, Step,
};
use boosters::saved::{load, save};
use off_policy::candidates::{AmongCandidates, CandidateLog, CandidatePolicy, CandidateScores, OnCandidates};
use off_policy::estimators::{EstimatorSettings, OffPolicyEvaluation};
use off_policy::policies::Softmax;
use off_policy::{ActionSets, Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Candidates, RowMatrix};
use weak_learners::pairs::{
    BinnedCandidates, BinnedContexts, ColumnSampling, HistogramCandidateTree, HistogramPairTree, PairGrowth,
    PairHypothesis, RowSampling,
};

/// A log of letters as one of candidates: the letters on offer in every row are items, with an identity, two
/// features of each letter, and one of the pair.
struct Letters {
    fixed: Log,
    log: CandidateLog,
}

impl Letters {
    fn of(n: usize, seed: u64) -> Self {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let log = Task::letters(n).log(Reward::Partial, seed);
        let (mut offsets, mut items, mut chosen, mut sets) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        for i in 0..log.len() {
            let logged = log.logged_actions()[i];
            let mut set: Vec<u32> = (0..26).filter(|a| *a == logged || rng.random_range(0..5) == 0).collect();
            set.sort_unstable();
            chosen.push(u32::try_from(set.iter().position(|a| *a == logged).unwrap()).unwrap());
            items.extend(&set);
            offsets.push(items.len());
            sets.push(set);
        }
        let (logged, p) = (log.logged_actions().to_vec(), log.propensities().to_vec());
        let rewards = Rewards(log.rewards().to_vec());
        let fixed = Log::new(log.contexts().clone(), 26, logged, p.clone(), rewards.clone()).unwrap();
        let fixed = fixed.with_action_sets(ActionSets::new(26, sets).unwrap()).unwrap();
        let of_letters = (0..26).flat_map(|a| [f64::from(a % 5), f64::from(a / 5)]).collect();
        let of_pairs: Vec<f64> = items.iter().map(|a| f64::from(*a) * rng.random::<f64>()).collect();
        let candidates = Candidates::builder(offsets)
            .contexts(log.contexts().clone())
            .features(RowMatrix::dense(1, of_pairs).unwrap())
            .items(items.clone(), RowMatrix::dense(2, of_letters).unwrap())
            .identities(items, 20)
            .build()
            .unwrap();
        let log = CandidateLog::new(candidates, chosen, p, rewards).unwrap();
        Self { fixed, log }
    }
}

fn growth(depth: u32) -> PairGrowth {
    PairGrowth::builder().max_depth(depth).min_child_weight(0.5).reg_lambda(0.5).build().unwrap()
}

/// π of the pairs of a choice.
fn softmax(scores: &[f64]) -> Vec<f64> {
    let top = scores.iter().fold(f64::MIN, |top: f64, s| top.max(*s));
    let e: Vec<f64> = scores.iter().map(|s| (s - top).exp()).collect();
    let sum: f64 = e.iter().sum();
    e.into_iter().map(|e| e / sum).collect()
}

fn objective<O: PolicyObjective>(o: O, log: &CandidateLog, b: f64, scores: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..log.len() {
        let pairs = log.candidates().pairs_of(i);
        let pi = softmax(&scores[pairs])[log.chosen()[i] as usize];
        sum += o.loss((log.rewards()[i] + b) / log.propensities()[i], pi, pi.ln());
    }
    sum / log.len() as f64
}

/// Plays rounds, and holds each to Theorem 1 by the definitions.
fn holds<O: PolicyObjective>(step: Step, b: f64, rounds: usize) {
    let Letters { log, .. } = Letters::of(700, 3);
    let (n, o) = (log.len() as f64, O::of(None, log.len()));
    let expanded = log.candidates().expanded().unwrap();
    let sample = BinnedCandidates::new(log.candidates().clone()).unwrap();
    let settings = Settings::builder().translation(b).step(step).build().unwrap();
    let learner = HistogramCandidateTree::new(growth(4));
    let mut run = CandidateBoosting::<O, _>::new(&log, learner, settings).unwrap();
    let mut scores = vec![0.0; expanded.len()];
    let v = |i: usize| (log.rewards()[i] + b) / log.propensities()[i];
    let least = |i: usize| if v(i) > 0.0 { o.loss(v(i), 1.0, 0.0) } else { 0.0 };
    let optimal = (0..log.len()).map(least).sum::<f64>() / n;
    let mut before = objective(o, &log, b, &scores);
    let size = 1.0 + before.abs();
    let near = |x: f64, y: f64| (x - y).abs() <= 1e-9 * size;
    assert!(near(run.objective(), before) && near(run.delta_0(), before - optimal));
    let (delta_0, mut decreased) = (before - optimal, 0.0);
    for t in 0..rounds {
        let round = run.round(&sample).unwrap().continue_value().unwrap();
        let tree = &run.member(t).unwrap().predictor;
        let f: Vec<f64> = expanded.iter().map(|x| tree.score(x, 0).unwrap()).collect();
        let (mut gain, mut curvature) = (0.0, 0.0);
        for i in 0..log.len() {
            let pairs = log.candidates().pairs_of(i);
            let (pi, f) = (softmax(&scores[pairs.clone()]), &f[pairs]);
            let chosen = log.chosen()[i] as usize;
            let mean: f64 = pi.iter().zip(f).map(|(p, f)| p * f).sum();
            gain += o.factor(v(i), pi[chosen]) * (f[chosen] - mean);
            curvature += match step {
                Step::SecondOrder { learning_rate: eta } => {
                    let variance = pi.iter().zip(f).map(|(p, f)| p * (f - mean).powi(2)).sum();
                    let ends = f.iter().fold((f64::MAX, f64::MIN), |(l, h), f| (l.min(*f), h.max(*f)));
                    let rest = pi.iter().enumerate().filter(|(a, _)| *a != chosen).map(|(_, p)| p).sum();
                    let along = Along { pi: pi[chosen], rest, variance, range: ends.1 - ends.0, eta };
                    o.local_curvature(v(i), along)
                }
                Step::Closed(smoothness) => {
                    o.curvature(v(i), smoothness) * f.iter().map(|f| f * f).sum::<f64>()
                }
                Step::LineSearch => {
                    o.curvature(v(i), Smoothness::Sharp) * f.iter().map(|f| f * f).sum::<f64>()
                }
            };
        }
        let minimum = gain / curvature;
        let alpha = match step {
            Step::SecondOrder { learning_rate } => minimum.clamp(-learning_rate, learning_rate),
            _ => minimum,
        };
        let what = format!("{}, {step:?}, round {t}: {round:?}", O::NAME);
        if step == Step::LineSearch {
            assert!(round.alpha.abs() >= (1.0 - 1e-6) * alpha.abs(), "{what}: {alpha}");
        } else {
            assert!((round.alpha - alpha).abs() <= 1e-6 * alpha.abs(), "{what}: α is {alpha}");
        }
        let decrease = (alpha * gain - alpha * alpha * curvature / 2.0) / n;
        assert!((round.decrease - decrease).abs() <= 1e-5 * decrease, "{what}: decrease {decrease}");
        scores.iter_mut().zip(&f).for_each(|(score, f)| *score += round.alpha * f);
        assert!(scores.iter().zip(run.scores()).all(|(a, b)| a.to_bits() == b.to_bits()), "{what}");
        let after = objective(o, &log, b, &scores);
        assert!(near(round.objective, after), "{what}: the objective is {after}");
        assert!(round.decrease > 0.0 && after <= before - round.decrease + 1e-9 * size, "{what}: {before}");
        decreased += round.decrease;
        let bound = optimal + delta_0 * (-decreased / delta_0).exp();
        assert!(near(round.bound, bound) && after <= bound + 1e-9 * size, "{what}: Theorem 1, {bound}");
        before = after;
    }
    let policy = Softmax::new(run.ensemble(), 1.0).unwrap();
    let on_log = OnCandidates::new(&log, &policy);
    let found = OffPolicyEvaluation::of_observations(&on_log, EstimatorSettings::default()).unwrap();
    assert!((found.ips.value - run.ips()).abs() < 1e-9 * (1.0 + run.ips().abs()));
    assert!(run.ips() > log.rewards().iter().sum::<f64>() / n, "it learns");
}

#[test]
fn theorem_1_with_the_paper_s_and_sharp_constants() {
    for smoothness in [Smoothness::Paper, Smoothness::Sharp] {
        holds::<Bopl>(Step::Closed(smoothness), -0.1, 8);
        holds::<BoplS>(Step::Closed(smoothness), -0.1, 8);
    }
}

#[test]
fn theorem_1_with_a_line_search_and_of_the_second_order() {
    for step in [Step::LineSearch, Step::SecondOrder { learning_rate: 0.3 }] {
        holds::<Bopl>(step, -0.1, 8);
        holds::<BoplS>(step, -0.1, 8);
        holds::<BoplLs>(step, 0.0, 8);
    }
}

/// Where the items are known by their identities alone, a policy over candidates is one over fixed actions
/// of which some are on offer.
#[test]
fn identities_alone_are_fixed_actions() {
    let Letters { fixed, log } = Letters::of(1500, 4);
    let offsets = log.candidates().offsets().to_vec();
    let items = log.candidates().items().to_vec();
    let candidates = Candidates::builder(offsets).contexts(fixed.contexts().clone());
    let candidates = candidates.identities(items.clone(), 26).build().unwrap();
    let (chosen, p) = (log.chosen().to_vec(), log.propensities().to_vec());
    let log = CandidateLog::new(candidates.clone(), chosen, p, Rewards(log.rewards().to_vec())).unwrap();
    let step = Step::SecondOrder { learning_rate: 0.2 };
    let settings = Settings::builder().translation(-0.1).step(step).build().unwrap();
    let of_pairs = HistogramCandidateTree::new(growth(5));
    let mut run = CandidateBoosting::<BoplS, _>::new(&log, of_pairs, settings).unwrap();
    let of_actions = HistogramPairTree::new(growth(5));
    let mut other = PolicyBoosting::<BoplS, _>::new(&fixed, of_actions, settings).unwrap();
    let sample = BinnedCandidates::new(candidates).unwrap();
    let contexts = BinnedContexts::new(fixed.contexts().clone()).unwrap();
    for t in 0..10 {
        let one = run.round(&sample).unwrap().continue_value().unwrap();
        let two = other.round(&contexts).unwrap().continue_value().unwrap();
        let leaves = run.member(t).unwrap().predictor.leaves();
        assert_eq!(leaves, other.ensemble().members()[t].predictor.leaves());
        assert!(leaves > 10, "{leaves}");
        for (a, b) in [(one.objective, two.objective), (one.alpha, two.alpha), (one.ips, two.ips)] {
            assert!((a - b).abs() <= 1e-4 * b.abs(), "round {t}: {one:?} {two:?}");
        }
    }
    let choices = log.candidates().choices().iter().zip(&items);
    for (score, (i, a)) in run.scores().iter().zip(choices) {
        let of_action = other.scores()[*a as usize * fixed.len() + *i as usize];
        assert!((score - of_action).abs() < 2e-2 * (1.0 + of_action.abs()), "{score} {of_action}");
    }
}

#[test]
fn a_run_does_not_depend_on_the_number_of_threads() {
    let Letters { log, .. } = Letters::of(8000, 5);
    assert!(log.candidates().pairs() > 40_000);
    let sample = BinnedCandidates::new(log.candidates().clone()).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let learner = HistogramCandidateTree::new(growth(6));
            let learner = RowSampling::new(learner, 0.7, ChaCha8Rng::seed_from_u64(1)).unwrap();
            let step = Step::SecondOrder { learning_rate: 0.2 };
            let settings = Settings::builder().translation(-0.2).step(step).build().unwrap();
            let mut run = CandidateBoosting::<BoplS, _>::new(&log, learner, settings).unwrap();
            (0..4).for_each(|_| assert!(run.round(&sample).unwrap().is_continue()));
            let mut scores = vec![0.0; log.candidates().pairs()];
            let all = 0..scores.len();
            run.ensemble().candidate_scores(log.candidates(), all, &mut scores).unwrap();
            assert_eq!(scores, run.scores());
            (run.ensemble(), run.record().to_vec())
        })
    };
    let one = run(1);
    for threads in [2, 4] {
        assert_eq!(run(threads), one);
    }
}

#[test]
fn a_saved_ensemble_scores_as_before_and_refuses_other_candidates() {
    let Letters { log, .. } = Letters::of(200, 6);
    let sample = BinnedCandidates::new(log.candidates().clone()).unwrap();
    let learner = HistogramCandidateTree::new(growth(3));
    let mut run = CandidateBoosting::<BoplS, _>::new(&log, learner.clone(), Settings::default()).unwrap();
    (0..3).for_each(|_| assert!(run.round(&sample).unwrap().is_continue()));
    let saved = serde_json::to_string(&run.ensemble()).unwrap();
    let loaded: CandidateEnsemble = serde_json::from_str(&saved).unwrap();
    assert_eq!(loaded, run.ensemble());
    assert_eq!(loaded.prefix(2).members().len(), 2);
    for (good, bad) in [("\"contexts\":16", "\"contexts\":15"), ("\"alpha\":", "\"alpha\":1e999,\"x\":")] {
        assert!(serde_json::from_str::<CandidateEnsemble>(&saved.replacen(good, bad, 1)).is_err(), "{bad}");
    }
    // Other columns, and a sample of another log.
    let other = Candidates::builder(vec![0, 2]).contexts(RowMatrix::dense(1, vec![1.0]).unwrap());
    let other = other.identities(vec![0, 1], 2).build().unwrap();
    assert!(loaded.candidate_scores(&other, 0..2, &mut [0.0; 2]).is_err());
    assert!(loaded.candidate_scores(log.candidates(), 0..3, &mut [0.0; 2]).is_err());
    let beyond = log.candidates().pairs();
    assert!(loaded.candidate_scores(log.candidates(), beyond..beyond + 1, &mut [0.0]).is_err());
    let of_others = BinnedCandidates::new(other).unwrap();
    assert!(matches!(run.round(&of_others), Err(BoplError::Mismatch { .. })));
    let Letters { log: next, .. } = Letters::of(200, 7);
    if next.candidates().pairs() == log.candidates().pairs() {
        let of_next = BinnedCandidates::new(next.candidates().clone()).unwrap();
        assert_eq!(run.round(&of_next), Err(BoplError::OtherContexts));
    }
    let shuffled = log.candidates().select(&(0..200).rev().collect::<Vec<_>>()).unwrap();
    let of_shuffled = BinnedCandidates::new(shuffled).unwrap();
    assert_eq!(run.round(&of_shuffled), Err(BoplError::OtherContexts));
    assert_eq!(run.record().len(), 3);
    let mut pi = vec![0.0; log.candidates().pairs()];
    AmongCandidates.probabilities(log.candidates(), 0..200, &mut pi).unwrap();
    assert!((pi.iter().sum::<f64>() - 200.0).abs() < 1e-9);
    let negative = Settings::builder().translation(-1.0).build().unwrap();
    let refused = CandidateBoosting::<BoplLs, _>::new(&log, learner, negative);
    assert!(matches!(refused, Err(BoplError::NegativeReward { .. })));
}

/// The error of the logged pairs falls every round, and nothing is learnt from the others.
#[test]
fn regression_lowers_the_error_of_the_logged_pairs() {
    let Letters { log, .. } = Letters::of(900, 8);
    let sample = BinnedCandidates::new(log.candidates().clone()).unwrap();
    let mut run = CandidateRegression::new(&log, HistogramCandidateTree::new(growth(5)), 0.3).unwrap();
    let expanded = log.candidates().expanded().unwrap();
    let mut scores = vec![log.rewards().iter().sum::<f64>() / 900.0; expanded.len()];
    let error = |scores: &[f64]| {
        let of = |i: usize| (log.rewards()[i] - scores[log.logged_pair(i).unwrap()]).powi(2);
        (0..900).map(of).sum::<f64>() / 900.0
    };
    for t in 1..=10 {
        let before = run.squared_error();
        assert!(run.round(&sample).unwrap().is_continue());
        let tree = &run.ensemble().members()[t].predictor;
        let value = |x| 0.3 * tree.score(x, 0).unwrap();
        scores.iter_mut().zip(expanded.iter()).for_each(|(score, x)| *score += value(x));
        assert!(run.squared_error() < before, "round {t}");
        assert!((run.squared_error() - error(&scores)).abs() < 1e-9);
    }
    let mut again = vec![0.0; scores.len()];
    run.ensemble().candidate_scores(log.candidates(), 0..scores.len(), &mut again).unwrap();
    assert_eq!(again, run.scores());
    assert!(CandidateRegression::new(&log, HistogramCandidateTree::new(growth(5)), 0.0).is_err());
    let shuffled = log.candidates().select(&(0..900).rev().collect::<Vec<_>>()).unwrap();
    assert_eq!(run.round(&BinnedCandidates::new(shuffled).unwrap()), Err(BoplError::OtherContexts));
}

/// Rewards that a model would predict, and that are wrong by a bit.
fn predictions(log: &CandidateLog) -> Vec<f64> {
    let rng = &mut ChaCha8Rng::seed_from_u64(77);
    (0..log.candidates().pairs()).map(|_| rng.random_range(-0.2..1.1)).collect()
}

/// A log with predictions, and M.
struct Doubly {
    log: CandidateLog,
    predictions: Vec<f64>,
    clip: Option<f64>,
    translation: f64,
}

impl Doubly {
    fn of(n: usize, seed: u64, clip: Option<f64>, translation: f64) -> Self {
        let Letters { log, .. } = Letters::of(n, seed);
        let predictions = predictions(&log);
        Self { log, predictions, clip, translation }
    }

    fn settings(&self, step: Step) -> Settings {
        let settings = Settings::builder().translation(self.translation).step(step);
        self.clip.map_or(settings, |most| settings.clip(most)).build().unwrap()
    }

    fn delta(&self, i: usize) -> f64 {
        let weight = 1.0 / self.log.propensities()[i];
        let weight = self.clip.map_or(weight, |most| weight.min(most));
        weight * (self.log.rewards()[i] - self.predictions[self.log.logged_pair(i).unwrap()])
    }

    /// r̃ of the candidates of a choice.
    fn rewards(&self, i: usize) -> Vec<f64> {
        let q = &self.predictions[self.log.candidates().pairs_of(i)];
        let mut rewards: Vec<f64> = q.iter().map(|q| q + self.translation).collect();
        rewards[self.log.chosen()[i] as usize] += self.delta(i);
        rewards
    }

    /// −(1/n) Σ_i Σ_a r̃π.
    fn objective(&self, scores: &[f64]) -> f64 {
        let value = |i: usize| {
            let pi = softmax(&scores[self.log.candidates().pairs_of(i)]);
            pi.iter().zip(self.rewards(i)).map(|(p, r)| p * r).sum::<f64>()
        };
        -(0..self.log.len()).map(value).sum::<f64>() / self.log.len() as f64
    }

    /// −n times its gradient.
    fn gradient(&self, scores: &[f64]) -> Vec<f64> {
        let of = |i: usize| {
            let pi = softmax(&scores[self.log.candidates().pairs_of(i)]);
            let rewards = self.rewards(i);
            let mean: f64 = pi.iter().zip(&rewards).map(|(p, r)| p * r).sum();
            pi.into_iter().zip(rewards).map(move |(p, r)| p * (r - mean)).collect::<Vec<_>>()
        };
        (0..self.log.len()).flat_map(of).collect()
    }

    /// The curvature of choice i along f.
    fn curvature(&self, i: usize, step: Step, scores: &[f64], f: &[f64]) -> f64 {
        let span =
            |x: &[f64]| x.iter().fold(f64::MIN, |m, x| m.max(*x)) - x.iter().fold(f64::MAX, |m, x| m.min(*x));
        let pairs = self.log.candidates().pairs_of(i);
        let (pi, f, q) = (softmax(&scores[pairs.clone()]), &f[pairs.clone()], &self.predictions[pairs]);
        let squared: f64 = f.iter().map(|f| f * f).sum();
        let eta = match step {
            Step::Closed(Smoothness::Paper) => return span(&self.rewards(i)) * squared / 2.0,
            Step::SecondOrder { learning_rate } => learning_rate,
            _ => return span(&self.rewards(i)) * squared / (3.0 * 3f64.sqrt()),
        };
        let m: f64 = pi.iter().zip(f).map(|(p, f)| p * f).sum();
        let variance: f64 = pi.iter().zip(f).map(|(p, f)| p * (f - m) * (f - m)).sum();
        let (d, logged) = (span(f), pi[self.log.chosen()[i] as usize]);
        let x = d * eta;
        let growth = if x < 1e-4 { 1.0 + x / 3.0 } else { 2.0 * (x.exp() - x - 1.0) / (x * x) };
        let most = d * d / (6.0 * 3f64.sqrt());
        span(q) * (variance * growth).min(most)
            + self.delta(i).abs() * (d * d * growth * logged.min(1.0 - logged)).min(most)
    }

    /// Plays rounds, and holds each to Theorem 1 by the definitions.
    fn holds(&self, step: Step, rounds: usize) {
        let (log, n) = (&self.log, self.log.len() as f64);
        let expanded = log.candidates().expanded().unwrap();
        let sample = BinnedCandidates::new(log.candidates().clone()).unwrap();
        let (learner, settings) = (HistogramCandidateTree::new(growth(4)), self.settings(step));
        let run = CandidateBoosting::<Bopl, _>::doubly_robust(log, learner, settings, &self.predictions);
        let mut run = run.unwrap();
        let mut scores = vec![0.0; expanded.len()];
        let mut before = self.objective(&scores);
        let size = (0..log.len()).flat_map(|i| self.rewards(i)).fold(1.0, |most: f64, r| most.max(r.abs()));
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-10 * size;
        let most = |i: usize| self.rewards(i).into_iter().fold(f64::MIN, f64::max);
        let optimal = -(0..log.len()).map(most).sum::<f64>() / n;
        assert!(near(run.objective(), before) && near(run.optimal_risk(), optimal));
        let (delta_0, mut decreased) = (before - optimal, 0.0);
        for t in 0..rounds {
            let u = self.gradient(&scores);
            assert!(u.iter().zip(run.gradients()).all(|(a, b)| near(*a, *b)), "u before round {t}");
            let round = run.round(&sample).unwrap().continue_value().unwrap();
            let tree = &run.member(t).unwrap().predictor;
            let f: Vec<f64> = expanded.iter().map(|x| tree.score(x, 0).unwrap()).collect();
            let gain: f64 = u.iter().zip(&f).map(|(u, f)| u * f).sum();
            let curvature: f64 = (0..log.len()).map(|i| self.curvature(i, step, &scores, &f)).sum();
            let alpha = match step {
                Step::SecondOrder { learning_rate } => {
                    (gain / curvature).clamp(-learning_rate, learning_rate)
                }
                _ => gain / curvature,
            };
            let what = format!("{step:?}, {:?}, round {t}: {round:?}", self.clip);
            if step == Step::LineSearch {
                assert!(round.alpha.abs() >= (1.0 - 1e-6) * alpha.abs(), "{what}: {alpha}");
            } else {
                assert!((round.alpha - alpha).abs() <= 1e-6 * alpha.abs(), "{what}: α is {alpha}");
            }
            let decrease = (alpha * gain - alpha * alpha * curvature / 2.0) / n;
            assert!((round.decrease - decrease).abs() <= 1e-5 * decrease, "{what}: decrease {decrease}");
            scores.iter_mut().zip(&f).for_each(|(score, f)| *score += round.alpha * f);
            let after = self.objective(&scores);
            assert!(near(round.objective, after), "{what}: the objective is {after}");
            let is_lower = after <= before - round.decrease + 1e-10 * size;
            assert!(round.decrease > 0.0 && is_lower, "{what}: {before}");
            decreased += round.decrease;
            let bound = optimal + delta_0 * (-decreased / delta_0).exp();
            assert!(near(round.bound, bound) && after <= bound + 1e-10 * size, "{what}: {bound}");
            before = after;
        }
    }
}

#[test]
fn theorem_1_on_doubly_robust_rewards() {
    let steps = [
        Step::Closed(Smoothness::Paper),
        Step::Closed(Smoothness::Sharp),
        Step::LineSearch,
        Step::SecondOrder { learning_rate: 0.3 },
        Step::SecondOrder { learning_rate: 1.0 },
    ];
    for step in steps {
        Doubly::of(700, 13, None, 0.0).holds(step, 8);
        Doubly::of(500, 14, Some(4.0), -0.3).holds(step, 5);
    }
}

/// u is −n times the gradient of the objective in the scores, by finite differences.
#[test]
fn the_doubly_robust_gradient_by_finite_differences() {
    let doubly = Doubly::of(40, 15, None, -0.1);
    let sample = BinnedCandidates::new(doubly.log.candidates().clone()).unwrap();
    let growth = PairGrowth::builder().max_depth(3).min_child_weight(0.0).build().unwrap();
    let (learner, settings) = (HistogramCandidateTree::new(growth), doubly.settings(Step::LineSearch));
    let run = CandidateBoosting::doubly_robust(&doubly.log, learner, settings, &doubly.predictions);
    let mut run = run.unwrap();
    for _ in 0..3 {
        let scores = run.scores().to_vec();
        for p in 0..scores.len() {
            let at = |h: f64| {
                let mut moved = scores.clone();
                moved[p] += h;
                doubly.objective(&moved)
            };
            let difference = -40.0 * (at(1e-5) - at(-1e-5)) / 2e-5;
            let u = run.gradients()[p];
            assert!((u - difference).abs() < 1e-6 * (1.0 + u.abs()), "pair {p}: {u} {difference}");
        }
        assert!(run.round(&sample).unwrap().is_continue());
    }
}

/// Without a prediction the doubly robust rewards are those of the log; and with identities alone the rounds
/// are those of fixed actions of which some are on offer.
#[test]
fn doubly_robust_rounds_are_those_of_bopl_and_of_fixed_actions() {
    let Letters { fixed, log } = Letters::of(1500, 16);
    let step = Step::SecondOrder { learning_rate: 0.2 };
    let settings = Settings::builder().step(step).build().unwrap();
    let learner = || HistogramCandidateTree::new(growth(5));
    let nothing = vec![0.0; log.candidates().pairs()];
    let run = CandidateBoosting::<Bopl, _>::doubly_robust(&log, learner(), settings, &nothing).unwrap();
    let other = CandidateBoosting::<Bopl, _>::new(&log, learner(), settings).unwrap();
    assert!((run.objective() - other.objective()).abs() < 1e-12);
    assert!((run.optimal_risk() - other.optimal_risk()).abs() < 1e-12);
    assert!(run.gradients().iter().zip(other.gradients()).all(|(a, b)| (a - b).abs() < 1e-12));

    let (offsets, items) = (log.candidates().offsets().to_vec(), log.candidates().items().to_vec());
    let candidates = Candidates::builder(offsets).contexts(fixed.contexts().clone());
    let candidates = candidates.identities(items.clone(), 26).build().unwrap();
    let (chosen, p) = (log.chosen().to_vec(), log.propensities().to_vec());
    let log = CandidateLog::new(candidates.clone(), chosen, p, Rewards(log.rewards().to_vec())).unwrap();
    let of_pairs = predictions(&log);
    let mut of_actions = vec![0.0; fixed.len() * 26];
    for ((i, a), q) in candidates.choices().iter().zip(&items).zip(&of_pairs) {
        of_actions[*i as usize * 26 + *a as usize] = *q;
    }
    let mut run = CandidateBoosting::<Bopl, _>::doubly_robust(&log, learner(), settings, &of_pairs).unwrap();
    let trees = HistogramPairTree::new(growth(5));
    let mut other = PolicyBoosting::<Bopl, _>::doubly_robust(&fixed, trees, settings, &of_actions).unwrap();
    assert!((run.objective() - other.objective()).abs() < 1e-12 && run.objective() != 0.0);
    let sample = BinnedCandidates::new(candidates).unwrap();
    let contexts = BinnedContexts::new(fixed.contexts().clone()).unwrap();
    for t in 0..10 {
        let one = run.round(&sample).unwrap().continue_value().unwrap();
        let two = other.round(&contexts).unwrap().continue_value().unwrap();
        let leaves = run.member(t).unwrap().predictor.leaves();
        assert_eq!(leaves, other.ensemble().members()[t].predictor.leaves());
        assert!(leaves > 10, "{leaves}");
        for (a, b) in [(one.objective, two.objective), (one.alpha, two.alpha), (one.ips, two.ips)] {
            assert!((a - b).abs() <= 1e-4 * b.abs(), "round {t}: {one:?} {two:?}");
        }
    }
}

#[test]
fn predictions_that_are_not_of_the_log_are_refused() {
    let Letters { log, .. } = Letters::of(60, 17);
    let start = |predictions: &[f64]| {
        let learner = HistogramCandidateTree::new(growth(2));
        CandidateBoosting::<Bopl, _>::doubly_robust(&log, learner, Settings::default(), predictions)
    };
    let mut predicted = predictions(&log);
    assert!(start(&predicted).is_ok());
    assert!(matches!(start(&predicted[1..]), Err(BoplError::Mismatch { argument: "predictions", .. })));
    for bad in [f64::NAN, 1e200] {
        predicted[3] = bad;
        assert!(matches!(start(&predicted), Err(BoplError::NotFinite { index: 3, .. })));
    }
}

type Sampled = RowSampling<ColumnSampling<HistogramCandidateTree>>;

fn sampled(depth: u32) -> Sampled {
    let rng = || ChaCha8Rng::seed_from_u64(6);
    let columns = ColumnSampling::new(HistogramCandidateTree::new(growth(depth)), 0.5, rng()).unwrap();
    RowSampling::new(columns, 0.6, rng()).unwrap()
}

type Run<O> = CandidateBoosting<O, Sampled>;

/// Killed and resumed after every k, the run is the one that was not.
fn goes_on<O: PolicyObjective>(
    log: &CandidateLog,
    start: impl Fn() -> Run<O>,
    resume: impl Fn(CandidateCheckpoint<Sampled>) -> Result<Run<O>, BoplError>,
) {
    const ROUNDS: usize = 5;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let sample = BinnedCandidates::new(log.candidates().clone()).unwrap();
    let mut whole = start();
    (0..ROUNDS).for_each(|_| assert!(whole.round(&sample).unwrap().is_continue()));
    for k in 0..ROUNDS {
        let mut run = start();
        (0..k).for_each(|_| assert!(run.round(&sample).unwrap().is_continue()));
        save(&path, "run", &run.checkpoint()).unwrap();
        let mut resumed = resume(load(&path, "run").unwrap()).unwrap();
        assert_eq!((resumed.scores(), resumed.gradients()), (run.scores(), run.gradients()), "after {k}");
        (k..ROUNDS).for_each(|_| assert!(resumed.round(&sample).unwrap().is_continue()));
        assert_eq!(resumed.record(), whole.record(), "after {k}");
        assert_eq!((resumed.ensemble(), resumed.scores()), (whole.ensemble(), whole.scores()), "after {k}");
        let text = |run: &Run<O>| serde_json::to_string(&run.checkpoint()).unwrap();
        assert_eq!(text(&resumed), text(&whole), "after {k}");
    }
}

#[test]
fn every_run_over_candidates_goes_on_bit_for_bit() {
    let Letters { log, .. } = Letters::of(400, 18);
    let predicted = predictions(&log);
    for step in [Step::Closed(Smoothness::Sharp), Step::LineSearch, Step::SecondOrder { learning_rate: 0.5 }]
    {
        let settings = Settings::builder().translation(-0.2).ridge(1e-3).step(step).build().unwrap();
        goes_on::<Bopl>(&log, || Run::new(&log, sampled(4), settings).unwrap(), |saved| saved.resume(&log));
        goes_on::<BoplS>(&log, || Run::new(&log, sampled(4), settings).unwrap(), |saved| saved.resume(&log));
        goes_on(
            &log,
            || Run::doubly_robust(&log, sampled(4), settings, &predicted).unwrap(),
            |saved| saved.resume_doubly_robust(&log, &predicted),
        );
    }
    // A regression.
    let sample = BinnedCandidates::new(log.candidates().clone()).unwrap();
    let start = || CandidateRegression::new(&log, sampled(5), 0.3).unwrap();
    let mut whole = start();
    (0..5).for_each(|_| assert!(whole.round(&sample).unwrap().is_continue()));
    for k in 0..5 {
        let mut run = start();
        (0..k).for_each(|_| assert!(run.round(&sample).unwrap().is_continue()));
        let text = serde_json::to_string(&run.checkpoint()).unwrap();
        let saved: CandidateRegressionCheckpoint<Sampled> = serde_json::from_str(&text).unwrap();
        let mut resumed = saved.resume(&log).unwrap();
        assert_eq!(resumed.scores(), run.scores(), "after {k}");
        (k..5).for_each(|_| assert!(resumed.round(&sample).unwrap().is_continue()));
        assert_eq!((resumed.ensemble(), resumed.scores()), (whole.ensemble(), whole.scores()), "after {k}");
    }
}

#[test]
fn a_checkpoint_of_another_log_or_run_is_refused() {
    let Letters { log, .. } = Letters::of(300, 19);
    let (predicted, settings) = (predictions(&log), Settings::builder().translation(-0.2).build().unwrap());
    let sample = BinnedCandidates::new(log.candidates().clone()).unwrap();
    let mut run = CandidateBoosting::<Bopl, _>::new(&log, sampled(3), settings).unwrap();
    (0..3).for_each(|_| assert!(run.round(&sample).unwrap().is_continue()));
    let saved = run.checkpoint();
    let error = |log: &CandidateLog| saved.clone().resume::<Bopl>(log).unwrap_err();
    let Letters { log: other, .. } = Letters::of(300, 20);
    assert_eq!(error(&other), BoplError::AnotherLog);
    // One reward, one propensity, one column.
    let parts = || (log.chosen().to_vec(), log.propensities().to_vec(), log.rewards().to_vec());
    let of = |candidates: &Candidates, (chosen, p, rewards): (Vec<u32>, Vec<f64>, Vec<f64>)| {
        CandidateLog::new(candidates.clone(), chosen, p, Rewards(rewards)).unwrap()
    };
    let mut rewarded = parts();
    rewarded.2[299] += 1.0;
    let mut likely = parts();
    likely.1[7] /= 2.0;
    for changed in [rewarded, likely] {
        assert_eq!(error(&of(log.candidates(), changed)), BoplError::AnotherLog);
    }
    let fewer = Candidates::builder(log.candidates().offsets().to_vec());
    let fewer = fewer.identities(log.candidates().items().to_vec(), 20).build().unwrap();
    assert_eq!(error(&of(&fewer, parts())), BoplError::AnotherLog);
    let found = saved.clone().resume::<BoplS>(&log).unwrap_err();
    assert!(matches!(found, BoplError::AnotherObjective { expected: "bopl_s", .. }));
    let found = saved.clone().resume_doubly_robust(&log, &predicted).unwrap_err();
    assert_eq!(found, BoplError::OtherPredictions);
    // Numbers that contradict each other.
    let json = serde_json::to_value(&saved).unwrap();
    for place in ["alpha", "bound", "objective", "ips", "snips"] {
        let mut changed = json.clone();
        let number = &mut changed["record"][2][place];
        *number = (number.as_f64().unwrap() * 1.25 + 0.1).into();
        let changed: CandidateCheckpoint<Sampled> = serde_json::from_value(changed).unwrap();
        let found = changed.resume::<Bopl>(&log).unwrap_err();
        assert!(matches!(found, BoplError::NotReproduced { quantity, .. } if quantity == place), "{found}");
    }
    let mut shorter = json;
    assert!(shorter["record"].as_array_mut().unwrap().pop().is_some());
    let shorter: CandidateCheckpoint<Sampled> = serde_json::from_value(shorter).unwrap();
    assert!(matches!(shorter.resume::<Bopl>(&log), Err(BoplError::Mismatch { argument: "the record", .. })));

    let mut run = CandidateRegression::new(&log, sampled(3), 0.5).unwrap();
    assert!(run.round(&sample).unwrap().is_continue());
    let saved = run.checkpoint();
    assert_eq!(saved.clone().resume(&other).unwrap_err(), BoplError::AnotherLog);
    let json = serde_json::to_value(&saved).unwrap();
    for member in [0, 1] {
        let mut changed = json.clone();
        changed["ensemble"]["members"][member]["alpha"] = 0.75.into();
        let changed: CandidateRegressionCheckpoint<Sampled> = serde_json::from_value(changed).unwrap();
        assert!(matches!(changed.resume(&log), Err(BoplError::NotReproduced { .. })), "{member}");
    }
}
