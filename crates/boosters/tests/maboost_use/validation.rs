//! Validation, patience, and runs that are stopped, saved, loaded and continued under the same rules.

use crate::tasks::{StumpRun, Task};
use boosters::maboost::{
    AdaBoost, BoostError, BoostStop, BoostingRun, Ensemble, Examples, Stopping, Validation, Watch,
};
use boosters::saved::{load, save};
use rows::RowMatrix;
use serde_json::json;
use std::cell::Cell;
use std::ops::ControlFlow;
use weak_learners::batch::{ExactStump, Hypothesis, SortedColumns, Stump, WeakLearner};
use weak_learners::{Label, LearnerError};

/// The error of a prefix, from its rows.
fn error_of(vote: &Ensemble<Stump>, task: &Task, weights: &[f64]) -> f64 {
    let rows = task.sample.matrix().iter().zip(&task.labels).zip(weights);
    let wrong = rows.filter(|((x, a), _)| vote.score(*x).unwrap() * a.sign() <= 0.0);
    wrong.map(|(_, w)| w).sum::<f64>() / weights.iter().sum::<f64>()
}

#[test]
fn errors_are_those_of_the_prefixes_and_the_best_one_is_found() {
    let (task, other) = (Task::noisy_majority(80, 1), Task::noisy_majority(60, 2));
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 4)).collect();
    let examples = Examples::weighted(other.labels.clone(), &weights).unwrap();
    let (mut run, mut validation) = (task.ada(), Validation::new(examples, 15).unwrap());
    let watch = Watch::default().validating(&mut validation, &other.sample);
    let why = run.run_watched(&task.sample, &Stopping::after(10_000), watch).unwrap();
    assert_eq!(why, BoostStop::Patience);
    assert_eq!(run.record().len(), validation.best_round() + 15);
    assert_eq!(validation.errors().len(), run.record().len());
    let mut least = (0, 1.0);
    for (t, error) in (1..).zip(validation.errors()) {
        let expected = error_of(&run.ensemble().clone().truncated(t), &other, &weights);
        assert!((error - expected).abs() < 1e-12, "round {t}: {error}, {expected}");
        if *error < least.1 {
            least = (t, *error);
        }
    }
    assert_eq!((validation.best_round(), validation.best_error()), least);
    assert!(least.0 > 1, "a case in which the first round is not the best one");
}

/// A vote of 0 is an error on validation rows too, whatever the label.
#[test]
fn no_decision_is_an_error() {
    let (plus, minus) = (Stump::constant(1, Label::Plus).unwrap(), Stump::constant(1, Label::Minus).unwrap());
    let rows = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 3.0, 4.0]).unwrap()).unwrap();
    let labels = vec![Label::Plus, Label::Minus, Label::Plus, Label::Plus];
    let examples = Examples::weighted(labels, &[1.0, 2.0, 4.0, 1.0]).unwrap();
    let right = Stump::new(1, 0, 2.5, Label::Plus).unwrap();
    let vote = Ensemble::new(vec![plus, minus, right], vec![0.5, 0.5, 0.25]).unwrap();
    let mut validation = Validation::new(examples, 9).unwrap();
    validation.follow(&ExactStump::default(), &vote, &rows).unwrap();
    assert_eq!(validation.errors(), [0.25, 1.0, 0.125]);
}

/// A stump learner that counts what it evaluates.
#[derive(Default)]
struct Counting {
    stump: ExactStump,
    evaluations: Cell<usize>,
}

impl WeakLearner for Counting {
    type Sample = SortedColumns;
    type Hypothesis = Stump;

    fn train(&mut self, sample: &SortedColumns, a: &[f64], w: &[f64]) -> Result<Stump, LearnerError> {
        self.stump.train(sample, a, w)
    }

    fn evaluate(&self, h: &Stump, sample: &SortedColumns, votes: &mut [f64]) -> Result<(), LearnerError> {
        self.evaluations.set(self.evaluations.get() + 1);
        self.stump.evaluate(h, sample, votes)
    }
}

#[test]
fn a_round_costs_one_evaluation_more_and_a_late_validation_catches_up() {
    let (task, other) = (Task::noisy_majority(80, 1), Task::noisy_majority(60, 2));
    let ada = AdaBoost::new(&task.examples()).unwrap();
    let mut run = BoostingRun::new(task.examples(), Counting::default(), ada).unwrap();
    let mut validation = Validation::new(other.examples(), usize::MAX).unwrap();
    let mut late = validation.clone();
    let watch = Watch::default().validating(&mut validation, &other.sample);
    assert_eq!(run.run_watched(&task.sample, &Stopping::after(20), watch), Ok(BoostStop::Rounds));
    assert_eq!(run.learner().evaluations.get(), 2 * 20);
    late.follow(run.learner(), run.ensemble(), &other.sample).unwrap();
    assert_eq!(late, validation);
}

type Saved = (StumpRun<AdaBoost>, Validation, Stopping);

/// Saved in every round, the last one included, and continued: the same rounds, the same reason, the same
/// best round.
#[test]
fn a_run_that_is_saved_and_loaded_stops_where_it_would_have_stopped() {
    let (task, other) = (Task::noisy_majority(50, 7), Task::noisy_majority(40, 8));
    let (folder, stopping) = (tempfile::tempdir().unwrap(), Stopping::after(60).at_error(0.0).unwrap());
    let path = folder.path().join("run.json");
    let go_on = |(run, validation, stopping): &mut Saved, rounds: usize| {
        let mut left = rounds;
        let mut stop_early = |_: &StumpRun<AdaBoost>, _: Option<&Validation>| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let watch = Watch::default().validating(validation, &other.sample).showing(&mut stop_early);
        run.run_watched(&task.sample, stopping, watch).unwrap()
    };
    let fresh: Saved = (task.ada(), Validation::new(other.examples(), 10).unwrap(), stopping);
    let mut whole = fresh.clone();
    let why = go_on(&mut whole, usize::MAX);
    let rounds = whole.0.record().len();
    assert!(rounds > 10 && why != BoostStop::Watcher);
    for before in 1..=rounds {
        let mut parts = fresh.clone();
        assert_eq!(go_on(&mut parts, before), BoostStop::Watcher);
        save(&path, "maboost-run", &parts).unwrap();
        let mut loaded: Saved = load(&path, "maboost-run").unwrap();
        assert_eq!(go_on(&mut loaded, usize::MAX), why, "after {before} rounds");
        assert_eq!(loaded.1, whole.1);
        assert_eq!(serde_json::to_string(&loaded).unwrap(), serde_json::to_string(&whole).unwrap());
    }
}

/// A constant that is no vote.
#[derive(Clone)]
struct Loud(f64);

impl Hypothesis for Loud {
    fn inputs(&self) -> usize {
        3
    }
    fn predict(&self, _: rows::Row<'_>) -> Result<f64, LearnerError> {
        Ok(self.0)
    }
}

struct LoudLearner;

impl WeakLearner for LoudLearner {
    type Sample = SortedColumns;
    type Hypothesis = Loud;
    fn train(&mut self, _: &SortedColumns, _: &[f64], _: &[f64]) -> Result<Loud, LearnerError> {
        Ok(Loud(2.0))
    }
}

#[test]
fn a_refused_validation_is_as_it_was_and_a_contradictory_one_is_not_loaded() {
    let (task, other) = (Task::noisy_majority(30, 1), Task::noisy_majority(5, 2));
    let mut validation = Validation::new(other.examples(), 3).unwrap();
    let mut run = task.ada();
    assert_eq!(run.run(&task.sample, &Stopping::after(4)), Ok(BoostStop::Rounds));
    validation.follow(run.learner(), run.ensemble(), &other.sample).unwrap();
    let before = validation.clone();

    let short = run.ensemble().clone().truncated(3);
    let length = |argument, expected, got| LearnerError::LengthMismatch { argument, expected, got };
    let mut refuses = |vote: &Ensemble<Stump>, sample: &SortedColumns, error: LearnerError| {
        let refused = validation.follow(&ExactStump::default(), vote, sample);
        assert_eq!(refused, Err(BoostError::Learner(error)));
        assert_eq!(validation, before);
    };
    refuses(&short, &other.sample, length("ensemble", 4, 3));
    refuses(run.ensemble(), &task.sample, length("validation sample", 5, 30));
    assert_eq!(run.run(&task.sample, &Stopping::after(5)), Ok(BoostStop::Rounds));
    let line = SortedColumns::new(RowMatrix::dense(1, vec![1.0; 5]).unwrap()).unwrap();
    refuses(run.ensemble(), &line, LearnerError::InputDimension { expected: 3, got: 1 });

    let mut fresh = Validation::new(other.examples(), 3).unwrap();
    for value in [2.0, f64::NAN] {
        let loud = Ensemble::new(vec![Loud(value)], vec![1.0]).unwrap();
        let refused = fresh.follow(&LoudLearner, &loud, &other.sample).unwrap_err();
        assert_eq!(value.is_nan(), !matches!(refused, BoostError::BadPrediction { index: 0, value: 2.0 }));
        assert!(fresh.errors().is_empty());
    }

    assert!(Validation::new(Examples::uniform(vec![Label::Plus]).unwrap(), 0).is_err());
    let saved = serde_json::to_value(&validation).unwrap();
    assert_eq!(serde_json::from_value::<Validation>(saved.clone()).unwrap(), validation);
    for (key, value) in [("/patience", json!(0)), ("/margins", json!([1.0])), ("/errors/0", json!(1.5))] {
        let mut other = saved.clone();
        *other.pointer_mut(key).unwrap() = value;
        assert!(serde_json::from_value::<Validation>(other).is_err(), "{key}");
    }
}
