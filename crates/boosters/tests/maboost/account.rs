//! The claims of every round of every algorithm, recomputed from the hypotheses and the rows.

use crate::trials::Trial;
use boosters::maboost::{BoostingRun, Examples, Promise, Reweighting, Round};
use std::ops::ControlFlow;
use weak_learners::batch::WeakLearner;

/// Plays the rounds of a trial. After each, the weights are a distribution below the caps, the record is what
/// the hypotheses say, the promise is the theorem's `formula` of the record, and it is kept.
pub(crate) fn holds_every_round<W: WeakLearner + Clone, A: Reweighting>(
    trial: &Trial<W>,
    examples: &Examples,
    algorithm: A,
    formula: impl Fn(&[Round]) -> Promise,
) -> BoostingRun<W, A> {
    holds_in_every_state(trial, examples, algorithm, |run| formula(run.record()))
}

/// The same with a formula that looks at more than the record.
pub(crate) fn holds_in_every_state<W: WeakLearner + Clone, A: Reweighting>(
    trial: &Trial<W>,
    examples: &Examples,
    algorithm: A,
    mut formula: impl FnMut(&BoostingRun<W, A>) -> Promise,
) -> BoostingRun<W, A> {
    let name = format!("{}, {}", trial.name, std::any::type_name::<A>());
    let mut run = BoostingRun::new(examples.clone(), trial.learner.clone(), algorithm).unwrap();
    let mut account = Account::new(examples);
    for t in 1..=trial.rounds {
        let name = format!("{name}, round {t}");
        let w = run.algorithm().weights().to_vec();
        account.weights_are_legal(&name, &run);
        let ControlFlow::Continue(round) = run.round(&trial.sample).unwrap() else { break };
        account.record_is_true(&name, trial, &run, &w, round);
        account.promise_is_kept(&name, round, formula(&run));
    }
    assert!(!run.record().is_empty(), "{name}: no round was played");
    account.weights_are_legal(&name, &run);
    run
}

struct Account {
    labels: Vec<f64>,
    counted: Vec<usize>,
    start: Vec<f64>,
    /// a_i F(x_i).
    margins: Vec<f64>,
    eta_sum: f64,
}

impl Account {
    fn new(examples: &Examples) -> Self {
        let start = examples.start().to_vec();
        Self {
            labels: examples.counted().map(|i| examples.labels()[i].sign()).collect(),
            counted: examples.counted().collect(),
            margins: vec![0.0; start.len()],
            start,
            eta_sum: 0.0,
        }
    }

    /// w ≥ 0, Σw = 1 to 1e−12, w ≤ caps.
    fn weights_are_legal<W: WeakLearner, A: Reweighting>(&self, name: &str, run: &BoostingRun<W, A>) {
        let w = run.algorithm().weights();
        assert_eq!(w.len(), self.start.len(), "{name}");
        assert!(w.iter().all(|w| *w >= 0.0), "{name}: a negative weight");
        let total: f64 = w.iter().sum();
        assert!((total - 1.0).abs() <= 1e-12, "{name}: the weights sum to {total}");
        let caps = run.algorithm().caps().unwrap_or_default();
        assert!(w.iter().zip(caps).all(|(w, cap)| w <= cap), "{name}: a weight above its cap");
    }

    /// γ_t, η_t, the margins, the error, the smallest margin and the counts.
    fn record_is_true<W: WeakLearner + Clone, A: Reweighting>(
        &mut self,
        name: &str,
        trial: &Trial<W>,
        run: &BoostingRun<W, A>,
        w: &[f64],
        round: Round,
    ) {
        let mut votes = vec![0.0; trial.labels.len()];
        let h = run.ensemble().hypotheses().last().unwrap();
        trial.learner.evaluate(h, &trial.sample, &mut votes).unwrap();
        let agreement: Vec<f64> = self.counted.iter().zip(&self.labels).map(|(&i, a)| a * votes[i]).collect();
        let edge: f64 = w.iter().zip(&agreement).map(|(w, ah)| w * ah).sum();
        let sign = if round.flipped { -1.0 } else { 1.0 };
        close(name, "edge", round.edge, sign * edge);
        assert!(round.edge > 0.0 && round.edge <= 1.0 && round.eta > 0.0, "{name}: {round:?}");
        let coefficient = sign * round.eta;
        assert_eq!(run.ensemble().coefficients().last(), Some(&coefficient), "{name}");

        self.eta_sum += round.eta;
        self.margins.iter_mut().zip(&agreement).for_each(|(margin, ah)| *margin += coefficient * ah);
        assert_eq!(run.margins(), self.margins, "{name}");
        let wrong = (0..self.margins.len()).filter(|&i| self.margins[i] <= 0.0);
        close(name, "error", round.error, wrong.map(|i| self.start[i]).sum());
        let least = self.margins.iter().fold(f64::INFINITY, |a, b| b.min(a));
        close(name, "smallest margin", round.min_margin, least / self.eta_sum);

        let next = run.algorithm().weights();
        assert_eq!(round.trained_on, w.iter().filter(|w| **w > 0.0).count(), "{name}");
        assert_eq!(round.zeros, next.iter().filter(|w| **w == 0.0).count(), "{name}");
        let caps = run.algorithm().caps().unwrap_or_default();
        assert_eq!(round.capped, next.iter().zip(caps).filter(|(w, cap)| w == cap).count(), "{name}");
    }

    /// The theorem's formula, recomputed, and the claim itself.
    fn promise_is_kept(&self, name: &str, round: Round, formula: Promise) {
        let promise = round.promise;
        close(name, "bound", promise.error, formula.error);
        assert_eq!(promise.tight.is_some(), formula.tight.is_some(), "{name}");
        assert_eq!(promise.margin.is_some(), formula.margin.is_some(), "{name}");
        assert!(round.error <= promise.error + 1e-12, "{name}: {round:?}");
        if let (Some(tight), Some(expected)) = (promise.tight, formula.tight) {
            close(name, "tight bound", tight, expected);
            assert!(round.error <= tight + 1e-12, "{name}: {round:?}");
        }
        if let (Some(margin), Some(expected)) = (promise.margin, formula.margin) {
            close(name, "margin bound", margin, expected);
            assert!(round.min_margin >= margin - 1e-12, "{name}: {round:?}");
        }
    }
}

/// Up to the rounding of sums over the sample.
#[track_caller]
fn close(name: &str, what: &str, value: f64, expected: f64) {
    let error = (value - expected).abs();
    assert!(error <= 1e-10 * (1.0 + expected.abs()), "{name}: {what} is {value}, not {expected}");
}
