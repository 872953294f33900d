//! [BCMH20, Theorem 8]: the agnostic setting.

use crate::account::holds_every_round;
use crate::samples::{Task, Tuned};
use datasets::Name;
use weak_learners::batch::{ExactStump, SortedColumns, Stump, WeakLearner};
use weak_learners::{Label, LearnerError};

/// The exact stump is trained on the distribution itself, so ε ≤ 0 against every stump, whatever γ ≤ 1 is
/// claimed; then E cor_S(h̄) ≥ max_h cor_S(h) − (1 + 1/γ)/√T. Returns what is promised, and what the vote
/// gains on the best stump.
fn theorem_8_holds(task: &Task, gamma: f64, rounds: u32) -> (f64, f64) {
    let m = task.labels.len();
    let stump = ExactStump::default();
    let mut booster = Tuned::theorem_8(stump, task.labels.clone(), gamma, rounds).unwrap();
    let account = holds_every_round(task, &mut booster, -1.0, rounds);
    let rate = (1.0 + 1.0 / gamma) / f64::from(rounds).sqrt();
    let regret = account.mean_regret();
    assert!(regret <= rate + 1e-12, "regret {regret}, OGD promises {rate}");
    for h in [account.strictest_stump(task), task.best_stump(&vec![1.0; m])] {
        assert!(account.epsilon(task, &h) <= 1e-12);
    }
    let (best, boosted) = (task.correlation(&task.best_stump(&vec![1.0; m])), booster.expected_correlation());
    assert!(boosted >= best - rate - 1e-12, "{boosted}, the best stump has {best}");
    (best - rate, boosted - best)
}

/// Runs so long that something is promised, for which (1 + 1/γ)/√T must be well below the correlation of a
/// stump.
#[test]
fn on_random_samples_for_every_advantage() {
    for (seed, m) in [(1, 1), (2, 2), (3, 7), (4, 60), (5, 200)] {
        for (gamma, rounds) in [(1.0, 150), (0.5, 400), (0.1, 4000)] {
            let (promised, _) = theorem_8_holds(&Task::noisy_stump(m, seed), gamma, rounds);
            assert!(promised > 0.2, "m = {m}, γ = {gamma}: {promised}");
        }
    }
}

#[test]
fn on_breast_cancer_spambase_and_adult() {
    for (name, m, gamma, rounds) in
        [(Name::BreastCancer, 699, 0.5, 400), (Name::Spambase, 1000, 0.5, 900), (Name::Adult, 1500, 0.5, 400)]
    {
        let (promised, _) = theorem_8_holds(&Task::of(name, m), gamma, rounds);
        assert!(promised > 0.0, "{name}: {promised}");
    }
}

/// Short and long runs: each is held to its own T, and no run ends below the best stump by more than (1 +
/// 1/γ)/√T.
#[test]
fn on_short_and_long_runs() {
    let task = Task::noisy_stump(100, 8);
    let gained: Vec<f64> =
        [4, 64, 1024].into_iter().map(|rounds| theorem_8_holds(&task, 0.5, rounds).1).collect();
    assert!(gained[2] > gained[0], "{gained:?}");
}

/// A learner that finds the best stump and answers the opposite.
struct Contrary(ExactStump);

impl WeakLearner for Contrary {
    type Sample = SortedColumns;
    type Hypothesis = Stump;

    fn train(&mut self, sample: &SortedColumns, a: &[f64], w: &[f64]) -> Result<Stump, LearnerError> {
        self.0.train(sample, a, w).map(|stump| -stump)
    }
}

/// A learner that always says +1.
struct Stubborn;

impl WeakLearner for Stubborn {
    type Sample = SortedColumns;
    type Hypothesis = Stump;

    fn train(&mut self, sample: &SortedColumns, _: &[f64], _: &[f64]) -> Result<Stump, LearnerError> {
        Stump::constant(weak_learners::batch::Sample::inputs(sample), Label::Plus)
    }
}

/// Without an edge the bound holds with the realised ε, which is what is lost; with ε₀ = 0 it fails.
#[test]
fn it_fails_where_the_learner_is_not_weak() {
    let (task, rounds, gamma) = (Task::noisy_stump(100, 9), 400, 0.5);
    let best = task.best_stump(&[1.0; 100]);
    let promised = task.correlation(&best) - 3.0 / 20.0;
    let mut contrary =
        Tuned::theorem_8(Contrary(ExactStump::default()), task.labels.clone(), gamma, rounds).unwrap();
    let account = holds_every_round(&task, &mut contrary, -1.0, rounds);
    assert!(account.epsilon(&task, &best) > 0.1 && contrary.expected_correlation() < promised);
    let mut stubborn = Tuned::theorem_8(Stubborn, task.labels.clone(), gamma, rounds).unwrap();
    let account = holds_every_round(&task, &mut stubborn, -1.0, rounds);
    assert!(account.epsilon(&task, &best) > 0.1 && stubborn.expected_correlation() < promised);
}
