//! Algorithm 2 as printed: the weak learner sees m₀ draws.

use crate::account::holds_every_round;
use crate::samples::{Task, Tuned};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use weak_learners::batch::{ExactStump, Sampled, WeakLearner};

fn sampled(examples: usize, seed: u64) -> Sampled<ExactStump> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(1);
    Sampled::new(ExactStump::default(), examples, rng).unwrap()
}

/// The mean, and five standard errors of it.
fn mean_and_margin(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, 5.0 * (variance / n).sqrt())
}

/// At most 2·3·m + 2 stumps differ on the sample, and by Hoeffding's lemma the largest error of their
/// empirical edges has mean at most √(2 ln(2|H|)/m₀); the stump that is best on the draws is so within ε₀ =
/// twice that of the best. The theorem with that ε₀, in expectation over the draws: the mean over 24 seeds
/// may fall short by five standard errors. With the realised ε it holds surely, in every round of every run.
#[test]
fn theorem_8_in_expectation_over_the_draws() {
    let (m, examples, rounds, gamma) = (60, 5000, 100, 1.0);
    let task = Task::noisy_stump(m, 3);
    let best = task.best_stump(&vec![1.0; m]);
    let promised_epsilon = 2.0 * (2.0 * (2.0 * (6.0 * m as f64 + 2.0)).ln() / examples as f64).sqrt();
    let (mut epsilons, mut correlations) = (Vec::new(), Vec::new());
    for seed in 0..24 {
        let mut booster =
            Tuned::theorem_8(sampled(examples, seed), task.labels.clone(), gamma, rounds).unwrap();
        let account = holds_every_round(&task, &mut booster, -1.0, rounds);
        epsilons.push(account.epsilon(&task, &best));
        correlations.push(booster.expected_correlation());
    }
    let (epsilon, margin) = mean_and_margin(&epsilons);
    assert!(epsilon <= promised_epsilon + margin, "{epsilon} ± {margin}, promised {promised_epsilon}");
    let (boosted, margin) = mean_and_margin(&correlations);
    let rate = (1.0 + 1.0 / gamma) / f64::from(rounds).sqrt();
    let bound = task.correlation(&best) - promised_epsilon / gamma - rate;
    assert!(bound > 0.1 && boosted >= bound - margin, "{boosted} ± {margin}, promised {bound}");
}

/// Draws in proportion to p_t on the majority of three: an edge of 1/3 less what the draws cost.
#[test]
fn theorem_10_in_expectation_over_the_draws() {
    let (examples, rounds, gamma) = (300, 100, 0.2);
    let task = Task::majority_of_three(80, 5);
    let (mut epsilons, mut correlations) = (Vec::new(), Vec::new());
    for seed in 0..24 {
        let mut booster =
            Tuned::theorem_10(sampled(examples, seed), task.labels.clone(), gamma, rounds).unwrap();
        let account = holds_every_round(&task, &mut booster, 0.0, rounds);
        epsilons.push(account.epsilon(&task, &task.signs()));
        correlations.push(booster.expected_correlation());
    }
    // The advantage 1/5 that is claimed is met on the mean, so ε₀ = 0 will do.
    let (epsilon, margin) = mean_and_margin(&epsilons);
    assert!(epsilon <= margin, "{epsilon} ± {margin}");
    let (boosted, margin) = mean_and_margin(&correlations);
    let bound = 1.0 - 0.5 * (1.0 + 1.0 / gamma) / f64::from(rounds).sqrt();
    assert!(boosted >= bound - margin, "{boosted} ± {margin}, promised {bound}");
}

/// Training on the distribution is the limit of m₀ → ∞: along one run, what a learner on m₀ draws loses in a
/// round against the exact stump falls like 1/√m₀ (at least: 16 times the draws, less than half the loss),
/// and towards 0.
#[test]
fn expected_draws_are_the_limit_of_many_draws() {
    let task = Task::noisy_stump(150, 6);
    let mut losses = Vec::new();
    for examples in [100, 1600, 25_600] {
        let mut booster = Tuned::theorem_8(ExactStump::default(), task.labels.clone(), 0.5, 40).unwrap();
        let (mut drawn, mut votes, mut lost) = (sampled(examples, 7), vec![0.0; 150], 0.0);
        for _ in 0..40 {
            let round = booster.round(&task.sample).unwrap();
            let targets: Vec<f64> = round.p.iter().zip(&task.labels).map(|(p, y)| p * y.sign()).collect();
            let h = drawn.train(&task.sample, &targets, &[1.0; 150]).unwrap();
            drawn.evaluate(&h, &task.sample, &mut votes).unwrap();
            let correlation: f64 = votes.iter().zip(&targets).map(|(h, a)| h * a).sum::<f64>() / 150.0;
            assert!(correlation <= round.correlation + 1e-12, "nothing beats the exact stump");
            lost += (round.correlation - correlation) / 40.0;
        }
        losses.push(lost);
    }
    assert!(losses[1] < 0.5 * losses[0] && losses[2] < 0.5 * losses[1] && losses[2] < 0.01, "{losses:?}");
}

/// Trials on 1, 2 and 4 threads that share nothing: trainings on draws, and both settings of Algorithm 2 on
/// them, are bit for bit the same, the learners and their random streams at the end included.
#[test]
fn the_number_of_threads_changes_nothing() {
    let trial = |seed: u64| {
        let (task, mut learner) = (Task::majority_of_three(40, seed), sampled(30, seed));
        let mut text = String::new();
        for _ in 0..20 {
            text += &format!("{:?}\n", learner.train(&task.sample, &task.signs(), &[1.0; 40]).unwrap());
        }
        let mut agnostic = Tuned::theorem_8(learner.clone(), task.labels.clone(), 0.5, 30).unwrap();
        let mut realizable = Tuned::theorem_10(learner, task.labels.clone(), 0.5, 30).unwrap();
        for _ in 0..30 {
            for booster in [&mut agnostic, &mut realizable] {
                let round = booster.round(&task.sample).unwrap();
                text += &format!("{:?} {:?} {}\n", round.p, round.agreement, round.expected_correlation);
            }
        }
        text + &serde_json::to_string(&(agnostic, realizable)).unwrap()
    };
    let on = |threads: usize| {
        let trials: Vec<u64> = (0..8).collect();
        std::thread::scope(|scope| {
            let run = |part: Vec<u64>| scope.spawn(move || part.into_iter().map(trial).collect::<Vec<_>>());
            let handles: Vec<_> = trials.chunks(8 / threads).map(|part| run(part.to_vec())).collect();
            handles.into_iter().flat_map(|handle| handle.join().unwrap()).collect::<Vec<_>>()
        })
    };
    let alone = on(1);
    assert!(alone.iter().zip(&alone[1..]).all(|(a, b)| a != b), "seeds differ");
    assert_eq!(on(2), alone);
    assert_eq!(on(4), alone);
}
