//! AdaBoost [FS97].

use crate::account::holds_every_round;
use crate::samples::Task;
use crate::theorems_1_and_2::edges;
use crate::trials::{Claim, Trial, on_real_data};
use boosters::maboost::{AdaBoost, Answer, BoostStop, BoostingRun, Examples, Promise, Reweighting, Round};
use std::ops::ControlFlow;
use weak_learners::Label::{Minus, Plus};
use weak_learners::batch::{ExactStump, SortedColumns, WeakLearner};

/// Π√(1 − γ²).
fn formula(record: &[Round]) -> Promise {
    let error = edges(record).map(|edge| ((1.0 - edge) * (1.0 + edge)).sqrt()).product();
    Promise { error, tight: None, margin: None }
}

struct TheProduct;

impl Claim for TheProduct {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples) {
        let run = holds_every_round(trial, examples, AdaBoost::new(examples).unwrap(), formula);
        for round in run.record() {
            let eta = 0.5 * ((1.0 + round.edge) / (1.0 - round.edge)).ln();
            assert!((round.eta - eta).abs() < 1e-10, "{}: {round:?}", trial.name);
        }
        // w_{t+1} ∝ D∘exp(−margins).
        let (d, margins) = (examples.start(), run.margins());
        let unnormalised: Vec<f64> = d.iter().zip(margins).map(|(d, m)| d * (-m).exp()).collect();
        let total: f64 = unnormalised.iter().sum();
        for (w, u) in run.algorithm().weights().iter().zip(unnormalised) {
            assert!((w - u / total).abs() <= 1e-10 * w, "{}: {w} {}", trial.name, u / total);
        }
    }
}

#[test]
fn the_product_of_the_edges_bounds_the_error() {
    on_real_data(40, &TheProduct);
}

/// Under the new weights a hypothesis that answers ±1 is no better than a coin.
#[test]
fn the_last_hypothesis_has_no_edge_left() {
    let task = Task::majority_of_three(200, 3);
    let examples = Examples::uniform(task.labels.clone()).unwrap();
    let ada = AdaBoost::new(&examples).unwrap();
    let (mut run, sample) = (BoostingRun::new(examples, ExactStump::default(), ada).unwrap(), task.sorted());
    let mut votes = vec![0.0; task.labels.len()];
    for _ in 0..3000 {
        let ControlFlow::Continue(round) = run.round(&sample).unwrap() else { break };
        let h = run.ensemble().hypotheses().last().unwrap();
        ExactStump::default().evaluate(h, &sample, &mut votes).unwrap();
        let w = run.algorithm().weights();
        let edge: f64 = w.iter().zip(&votes).zip(&task.labels).map(|((w, h), a)| w * h * a.sign()).sum();
        assert!(edge.abs() < 1e-9, "{edge} {round:?}");
        let total: f64 = w.iter().sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
    }
    // The bound has passed the range of doubles by now, and nothing has become of it but 0.
    assert_eq!((run.record().len(), run.error()), (3000, 0.0));
    assert!(run.algorithm().promise().error < 1e-50);
}

#[test]
fn edges_next_to_1_and_next_to_0() {
    // h errs on an example of weight 1e−14.
    let light = Examples::weighted(vec![Plus; 2], &[1.0, 1e-14]).unwrap();
    let mut ada = AdaBoost::new(&light).unwrap();
    let eta = ada.reweight(Answer { losses: &[-1.0, 1.0], edge: 1.0 - 2e-14, error_before: 1.0 }).unwrap();
    let odds = light.start()[0] / light.start()[1];
    assert!((eta - 0.5 * odds.ln()).abs() < 1e-12, "{eta}");
    assert!((ada.weights()[1] - 0.5).abs() < 1e-12);
    let bound = 2.0 * (light.start()[0] * light.start()[1]).sqrt();
    assert!((ada.promise().error / bound - 1.0).abs() < 1e-12);

    let mut ada = AdaBoost::new(&Examples::uniform(vec![Plus; 2]).unwrap()).unwrap();
    let answer = Answer { losses: &[-1.0, 1.0 - 2e-9], edge: 1e-9, error_before: 1.0 };
    assert!((ada.reweight(answer).unwrap() / 1e-9 - 1.0).abs() < 1e-15);
    let least = Answer { losses: &[-1.0, 1.0], edge: f64::from_bits(1), error_before: 1.0 };
    assert!(ada.reweight(least).unwrap() > 0.0);
}

/// A weight that underflowed for a thousand rounds is remembered, and comes back.
#[test]
fn a_forgotten_example_comes_back() {
    let mut ada = AdaBoost::new(&Examples::uniform(vec![Plus; 3]).unwrap()).unwrap();
    let rounds = [([-1.0, 0.5, -0.5], 1000), ([1.0, -0.5, 0.5], 1000)];
    for (losses, count) in rounds {
        for _ in 0..count {
            ada.reweight(Answer { losses: &losses, edge: 0.9, error_before: 1.0 }).unwrap();
            let total: f64 = ada.weights().iter().sum();
            assert!((total - 1.0).abs() < 1e-12, "{total}");
        }
        if losses[0] < 0.0 {
            assert_eq!(ada.weights()[0], 0.0);
        }
    }
    assert!(ada.weights()[0] > 0.1, "{:?}", ada.weights());
}

#[test]
fn a_perfect_hypothesis_outvotes_all_others_and_ends_the_run() {
    let examples = Examples::uniform(vec![Minus, Plus, Plus, Minus]).unwrap();
    let mut ada = AdaBoost::new(&examples).unwrap();
    let mut margins = [0.0; 4];
    let mut play = |ada: &mut AdaBoost, losses: [f64; 4], edge: f64| {
        let eta = ada.reweight(Answer { losses: &losses, edge, error_before: 1.0 }).unwrap();
        margins.iter_mut().zip(losses).for_each(|(margin, d)| *margin -= eta * d);
        margins
    };
    for _ in 0..50 {
        play(&mut ada, [1.0, -1.0, -1.0, -1.0], 0.5);
    }
    assert_eq!(ada.finished(0.5), None);
    let before = ada.weights().to_vec();
    let margins = play(&mut ada, [-1.0; 4], 1.0);
    assert!(margins.iter().all(|margin| *margin >= 1.0 - 1e-9), "{margins:?}");
    assert_eq!((ada.promise().error, ada.finished(0.0)), (0.0, Some(BoostStop::Perfect)));
    ada.weights().iter().zip(before).for_each(|(w, b)| assert!((w - b).abs() < 1e-12));
    let saved = serde_json::to_string(&ada).unwrap();
    let loaded: AdaBoost = serde_json::from_str(&saved).unwrap();
    assert_eq!(loaded.promise().error, 0.0);

    let sample = SortedColumns::new(rows::RowMatrix::dense(1, vec![1.0, 2.0]).unwrap()).unwrap();
    let examples = Examples::uniform(vec![Minus, Plus]).unwrap();
    let ada = AdaBoost::new(&examples).unwrap();
    let mut run = BoostingRun::new(examples, ExactStump::default(), ada).unwrap();
    assert!(run.round(&sample).unwrap().is_continue());
    assert_eq!(run.record()[0].eta, 1.0);
    assert_eq!(run.round(&sample).unwrap(), ControlFlow::Break(BoostStop::Perfect));
}
