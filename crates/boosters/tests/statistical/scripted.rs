//! Players and learners that follow a script: which hypothesis is kept, what a refusal leaves, and tiny
//! advantages.

use crate::samples::Task;
use boosters::agnostic::{Setting, StatisticalBooster};
use oco_core::{OcoError, OnlineLearner};
use serde::{Deserialize, Serialize};
use weak_learners::batch::{ExactStump, SortedColumns, Stump, WeakLearner};
use weak_learners::{Label, LearnerError};

/// Plays given points, the last of them for ever, and refuses a given round.
#[derive(Clone, Serialize, Deserialize)]
struct Script {
    plays: Vec<Vec<f64>>,
    round: usize,
    refused: Option<usize>,
}

impl Script {
    fn new(plays: &[&[f64]]) -> Self {
        Self { plays: plays.iter().map(|p| p.to_vec()).collect(), round: 0, refused: None }
    }
}

impl OnlineLearner for Script {
    fn play(&self) -> &[f64] {
        &self.plays[self.round.min(self.plays.len() - 1)]
    }

    fn observe(&mut self, _: &[f64]) -> Result<(), OcoError> {
        if self.refused == Some(self.round) {
            return Err(OcoError::NothingPlayed);
        }
        self.round += 1;
        Ok(())
    }

    fn reset(&mut self) {
        self.round = 0;
    }
}

/// Answers with given stumps in turn, whatever it is asked.
struct Answers {
    stumps: Vec<Stump>,
    asked: usize,
}

impl WeakLearner for Answers {
    type Sample = SortedColumns;
    type Hypothesis = Stump;

    fn train(&mut self, _: &SortedColumns, _: &[f64], _: &[f64]) -> Result<Stump, LearnerError> {
        self.asked += 1;
        Ok(self.stumps[(self.asked - 1) % self.stumps.len()])
    }
}

fn stump(threshold: f64) -> Stump {
    Stump::new(3, 0, threshold, Label::Plus).unwrap()
}

/// Footnote 3: W is asked as long as one p(i) is positive, however small; then the last h is kept, not the
/// first.
#[test]
fn the_last_hypothesis_is_kept_where_p_is_0_and_nowhere_else() {
    let task = Task::noisy_stump(2, 1);
    let player = Script::new(&[&[0.5, 0.5], &[0.0, 0.01], &[0.0, 0.0], &[0.0, 0.0], &[5e-324, 0.0]]);
    let learner = Answers { stumps: vec![stump(0.1), stump(0.2), stump(0.3)], asked: 0 };
    let mut booster =
        StatisticalBooster::new(Setting::Realizable, learner, player, task.labels, 0.5).unwrap();
    for _ in 0..5 {
        booster.round(&task.sample).unwrap();
    }
    let expected = [0.1, 0.2, 0.2, 0.2, 0.3].map(stump);
    assert_eq!(booster.vote().hypotheses(), expected);
}

/// A flips labels where p = 0: in the agnostic setting that is a distribution like any other.
#[test]
fn the_agnostic_learner_is_asked_in_every_round() {
    let task = Task::noisy_stump(2, 1);
    let learner = Answers { stumps: vec![stump(0.1), stump(0.2)], asked: 0 };
    let player = Script::new(&[&[0.0, 0.0]]);
    let mut booster = StatisticalBooster::new(Setting::Agnostic, learner, player, task.labels, 0.5).unwrap();
    for _ in 0..3 {
        booster.round(&task.sample).unwrap();
    }
    assert_eq!(booster.vote().hypotheses(), [0.1, 0.2, 0.1].map(stump));
}

#[test]
fn a_round_that_the_player_refuses_is_not_booked() {
    let task = Task::noisy_stump(20, 1);
    let half = [0.5; 20];
    for refused in 0..3 {
        let player = Script { refused: Some(refused), ..Script::new(&[&half]) };
        let labels = task.labels.clone();
        let mut booster =
            StatisticalBooster::new(Setting::Realizable, ExactStump::default(), player, labels, 0.5).unwrap();
        for _ in 0..refused {
            booster.round(&task.sample).unwrap();
        }
        let before = serde_json::to_string(&booster).unwrap();
        assert_eq!(booster.round(&task.sample).unwrap_err(), OcoError::NothingPlayed.into());
        assert_eq!(serde_json::to_string(&booster).unwrap(), before, "round {refused}");
    }
}

/// γ = 6e−309: Σ p(i)h(x_i)y_i/γ and its sum over rounds overflow, their means do not. A is right in every
/// round, so its regret is ½(1/γ − 1) for the fixed p = 0, or what it starts with.
#[test]
fn means_survive_an_advantage_near_the_least_one() {
    let task = Task::noisy_stump(10, 1);
    let right = Answers { stumps: vec![Stump::constant(3, Label::Plus).unwrap()], asked: 0 };
    let (gamma, ones, halves) = (6e-309, vec![Label::Plus; 10], [0.5; 10]);
    let player = Script::new(&[&halves]);
    let mut booster = StatisticalBooster::new(Setting::Realizable, right, player, ones, gamma).unwrap();
    for t in 1..=5 {
        let round = booster.round(&task.sample).unwrap();
        close(round.mean_loss, 0.5 / gamma - 0.5, t);
        close(booster.mean_regret(), 0.5 / gamma - 0.5, t);
    }

    // On [−1, 1]: p_1 = 0, then 1 for ever, where −1 would have been best, so (2T − 1)/T of 1/γ − 1; and the
    // losses of an A that is best from the second round on, where only the first round of the best p is
    // missing.
    for (play, of_rounds) in [(0.75, 1.75 - 0.75 / 5.0), (-1.0, 0.2)] {
        let (gamma, right) =
            (1e-308, Answers { stumps: vec![Stump::constant(3, Label::Plus).unwrap()], asked: 0 });
        let player = Script::new(&[&[0.0; 10], &[play; 10]]);
        let ones = vec![Label::Plus; 10];
        let mut booster = StatisticalBooster::new(Setting::Agnostic, right, player, ones, gamma).unwrap();
        for _ in 0..5 {
            booster.round(&task.sample).unwrap();
        }
        close(booster.mean_regret(), of_rounds / gamma - of_rounds, 5);
    }
}

#[track_caller]
fn close(value: f64, expected: f64, round: u32) {
    assert!(value.is_finite() && (value / expected - 1.0).abs() < 1e-12, "round {round}: {value} {expected}");
}
