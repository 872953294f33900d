//! The variant of MadaBoost [NP14, Theorem 5].

use crate::account::holds_every_round;
use crate::samples::Task;
use crate::trials::{Claim, Trial, on_real_data};
use boosters::maboost::{Answer, BoostStop, BoostingRun, Examples, MadaBoost, Promise, Reweighting, Round};
use rows::RowMatrix;
use std::ops::ControlFlow;
use weak_learners::Label::{Minus, Plus};
use weak_learners::batch::{ExactStump, SortedColumns, WeakLearner};

/// 1 − ½Σε_{s−1}²γ_s².
fn formula(record: &[Round]) -> Promise {
    let before = std::iter::once(1.0).chain(record.iter().map(|round| round.error));
    let sum: f64 = record.iter().zip(before).map(|(round, error)| (error * round.edge).powi(2)).sum();
    Promise { error: 1.0 - 0.5 * sum, tight: None, margin: None }
}

struct Theorem5;

impl Claim for Theorem5 {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples) {
        let mada = MadaBoost::new(examples).unwrap();
        holds_every_round(trial, examples, mada.clone(), formula);
        // The proof, step by step: ε_t ≤ Σy_iD_i ≤ Φ ≤ the bound, and w ≤ D/ε_t.
        let mut run = BoostingRun::new(examples.clone(), trial.learner.clone(), mada).unwrap();
        while run.record().len() < trial.rounds {
            let ControlFlow::Continue(round) = run.round(&trial.sample).unwrap() else { break };
            let sum = |of: fn(f64) -> f64| -> f64 {
                examples.start().iter().zip(run.margins()).map(|(d, margin)| d * of(-margin)).sum()
            };
            let mass = sum(|log_z| log_z.min(0.0).exp());
            let potential = sum(|log_z| if log_z > 0.0 { 1.0 + log_z } else { log_z.exp() });
            let chain = [round.error, mass, potential, round.promise.error];
            assert!(chain.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12), "{}: {chain:?}", trial.name);
            let eta = run.record().iter().rev().nth(1).map_or(1.0, |before| before.error) * round.edge;
            assert!((round.eta - eta).abs() < 1e-14, "{}: {round:?}", trial.name);
            for ((w, d), margin) in run.algorithm().weights().iter().zip(examples.start()).zip(run.margins())
            {
                assert!(w * round.error <= d * (1.0 + 1e-12), "{}: {w} {d} {round:?}", trial.name);
                let expected = d * (-margin).min(0.0).exp() / mass;
                assert!((w - expected).abs() <= 1e-12 * expected, "{}: {w} {expected}", trial.name);
            }
        }
    }
}

#[test]
fn theorem_5() {
    on_real_data(40, &Theorem5);
}

/// With edges of γ some error of the first 2/(ε²γ²) rounds is below ε.
#[test]
fn the_rate_of_theorem_5() {
    let task = Task::majority_of_three(300, 5);
    let examples = Examples::uniform(task.labels.clone()).unwrap();
    let mada = MadaBoost::new(&examples).unwrap();
    let (mut run, sample) = (BoostingRun::new(examples, ExactStump::default(), mada).unwrap(), task.sorted());
    while run.record().len() < 2000 && run.round(&sample).unwrap().is_continue() {}
    let record = run.record();
    let gamma = record.iter().map(|round| round.edge).fold(1.0, f64::min);
    assert!(gamma >= 1.0 / 3.0 - 1e-9, "{gamma}");
    for epsilon in [0.3, 0.1, 0.05, 0.02] {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
        let rounds = (2.0 / (epsilon * gamma * epsilon * gamma)).ceil() as usize;
        let reached = record.iter().take(rounds).any(|round| round.error < epsilon);
        assert!(reached, "{epsilon} within {rounds} rounds");
    }
}

/// Hence the claim is about some error of those rounds, not about the last.
#[test]
fn the_errors_need_not_fall_one_after_the_other() {
    let task = Task::of(datasets::Name::Ionosphere, 351, &[1]);
    let examples = Examples::uniform(task.labels.clone()).unwrap();
    let mada = MadaBoost::new(&examples).unwrap();
    let (mut run, sample) = (BoostingRun::new(examples, ExactStump::default(), mada).unwrap(), task.sorted());
    while run.record().len() < 100 && run.round(&sample).unwrap().is_continue() {}
    assert!(run.record().windows(2).any(|pair| pair[1].error > pair[0].error));
}

#[test]
fn it_ends_without_errors() {
    let examples = Examples::uniform(vec![Minus, Plus, Plus]).unwrap();
    let sample = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 3.0]).unwrap()).unwrap();
    let mada = MadaBoost::new(&examples).unwrap();
    let mut run = BoostingRun::new(examples, ExactStump::default(), mada).unwrap();
    assert!(run.round(&sample).unwrap().is_continue());
    assert_eq!(run.round(&sample).unwrap(), ControlFlow::Break(BoostStop::NoError));
    assert_eq!(run.record().len(), 1);
}

/// Weights all of which would underflow, and weights next to which others vanish.
#[test]
fn no_weight_is_lost_to_the_range_of_numbers() {
    let examples = Examples::weighted(vec![Plus; 3], &[1.0, 1e-300, 0.5]).unwrap();
    let mut mada = MadaBoost::new(&examples).unwrap();
    for _ in 0..4000 {
        let answer = Answer { losses: &[-1.0, -0.8, -1.0], edge: 1.0, error_before: 1.0 };
        assert_eq!(mada.reweight(answer).unwrap(), 1.0);
        let total: f64 = mada.weights().iter().sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
    }
    // The second example's y is e^800 times that of the others, which makes up for a D of 1e−300.
    assert_eq!(mada.weights()[1], 1.0);
    let least = Answer { losses: &[-1.0, -1.0, -1.0], edge: 1e-300, error_before: 1e-300 };
    assert!(mada.reweight(least).unwrap() > 0.0);
}
