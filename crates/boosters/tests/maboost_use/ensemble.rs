//! Scores on rows and samples, prefixes, ensembles of ensembles, ensembles on disc.

use crate::tasks::Task;
use boosters::maboost::{Active, BoostStop, BoostingRun, Ensemble, NormalisedVote, SmoothBoost, Stopping};
use boosters::saved::{SavedError, load, save};
use rows::Row;
use serde_json::json;
use std::ops::ControlFlow;
use weak_learners::batch::{ExactStump, Hypothesis, SortedColumns, Stump, WeakLearner};
use weak_learners::{Label, LearnerError};

fn trained(task: &Task, rounds: usize) -> Ensemble<Stump> {
    let mut run = task.ada();
    assert_eq!(run.run(&task.sample, &Stopping::after(rounds)), Ok(BoostStop::Rounds));
    run.into_ensemble()
}

/// Row by row, hypothesis by hypothesis, stage by stage and prefix by prefix: the same sums in the same
/// order.
#[test]
fn every_way_to_a_score_gives_the_same_bits() {
    let (task, other) = (Task::noisy_majority(60, 1), Task::noisy_majority(40, 2));
    let (vote, learner) = (trained(&task, 30), ExactStump::default());
    let scores = vote.scores(&learner, &other.sample).unwrap();
    let mut stages = Vec::new();
    vote.staged_scores(&learner, &other.sample, |t, scores| {
        stages.push(scores.to_vec());
        assert_eq!(stages.len(), t);
        ControlFlow::Continue(())
    })
    .unwrap();
    for (i, x) in other.sample.matrix().iter().enumerate() {
        assert_eq!(vote.score(x), Ok(scores[i]));
        assert_eq!(vote.sign(x), Ok(Label::of_score(scores[i])));
        let of_row: Vec<f64> = vote.staged(x).map(Result::unwrap).collect();
        assert_eq!(of_row, stages.iter().map(|stage| stage[i]).collect::<Vec<_>>());
    }
    for (t, stage) in (1..).zip(&stages) {
        assert_eq!(&vote.clone().truncated(t).scores(&learner, &other.sample).unwrap(), stage);
    }
    assert_eq!((stages.len(), &vote.clone().truncated(99)), (30, &vote));
    assert!(vote.clone().truncated(0).scores(&learner, &other.sample).unwrap().iter().all(|f| *f == 0.0));

    let mut calls = 0;
    let third = |t, _: &[f64]| {
        calls += 1;
        if t == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    vote.staged_scores(&learner, &other.sample, third).unwrap();
    assert_eq!(calls, 3);
}

#[test]
fn rows_and_samples_of_another_dimension_are_refused() {
    let task = Task::noisy_majority(20, 1);
    let (vote, learner) = (trained(&task, 5), ExactStump::default());
    let line = SortedColumns::new(rows::RowMatrix::dense(1, vec![1.0; 20]).unwrap()).unwrap();
    let narrow = LearnerError::InputDimension { expected: 3, got: 1 };
    let x = [1.0];
    let x = Row::dense(&x).unwrap();
    assert_eq!(vote.staged(x).next(), Some(Err(narrow.clone())));
    assert_eq!(vote.scores(&learner, &line), Err(narrow.clone()));
    assert_eq!(vote.margins(&learner, &line, &task.labels), Err(narrow.clone()));
    let normalised = NormalisedVote::try_from(vote.clone()).unwrap();
    assert_eq!((normalised.inputs(), normalised.predict(x)), (3, Err(narrow)));
    let length = LearnerError::LengthMismatch { argument: "labels", expected: 20, got: 19 };
    assert_eq!(vote.margins(&learner, &task.sample, &task.labels[1..]), Err(length));
    let none = NormalisedVote::try_from(vote.truncated(0));
    assert_eq!(none, Err(LearnerError::Empty { argument: "hypotheses" }));
}

/// F(x)/Σ|η| does not depend on the unit of η. Where Σ|η| is no f64, some F(x) might be none, and the
/// coefficients are refused.
#[test]
fn the_normalised_vote_has_no_unit() {
    let task = Task::noisy_majority(40, 1);
    let (vote, learner) = (trained(&task, 20), ExactStump::default());
    let total: f64 = vote.coefficients().iter().map(|eta| eta.abs()).sum();
    let margins = vote.margins(&learner, &task.sample, &task.labels).unwrap();
    let scores = vote.scores(&learner, &task.sample).unwrap();
    let largest = vote.coefficients().iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    for unit in [1.0, -1.0, 1e306, 1e-300] {
        let coefficients = vote.coefficients().iter().map(|eta| eta / largest * unit).collect();
        let scaled = Ensemble::new(vote.hypotheses().to_vec(), coefficients).unwrap();
        let of_scaled = scaled.margins(&learner, &task.sample, &task.labels).unwrap();
        let normalised = NormalisedVote::try_from(scaled).unwrap();
        for (i, x) in task.sample.matrix().iter().enumerate() {
            let expected = unit.signum() * task.labels[i].sign() * scores[i] / total;
            assert!((of_scaled[i] - expected).abs() < 1e-12, "unit {unit}: {} {expected}", of_scaled[i]);
            assert!((task.labels[i].sign() * normalised.predict(x).unwrap() - of_scaled[i]).abs() < 1e-12);
        }
    }
    let coefficients = vote.coefficients().iter().map(|eta| eta / largest * 1.5e308).collect();
    let refused = Ensemble::new(vote.hypotheses().to_vec(), coefficients);
    assert!(
        matches!(refused, Err(LearnerError::NotFinite { index: 1.., value: f64::INFINITY, .. })),
        "{refused:?}"
    );
    assert!(margins.iter().all(|margin| margin.abs() <= 1.0) && margins.iter().any(|m| m.abs() < 0.9));
    let nothing = Ensemble::new(vote.hypotheses()[..2].to_vec(), vec![0.0; 2]).unwrap();
    assert!(nothing.margins(&learner, &task.sample, &task.labels).unwrap().iter().all(|m| *m == 0.0));
}

/// Three rounds of smooth boosting as a weak learner.
struct Stacked;

impl WeakLearner for Stacked {
    type Sample = SortedColumns;
    type Hypothesis = NormalisedVote<Stump>;

    fn train(
        &mut self,
        sample: &SortedColumns,
        targets: &[f64],
        weights: &[f64],
    ) -> Result<NormalisedVote<Stump>, LearnerError> {
        let labels = targets.iter().map(|a| Label::of_score(*a)).collect();
        let examples = boosters::maboost::Examples::weighted(labels, weights).unwrap();
        let smooth = SmoothBoost::<Active>::smooth(&examples, 1e6).unwrap();
        let mut run = BoostingRun::new(examples, ExactStump::default(), smooth).unwrap();
        let _few_or_no_error_left = run.run(sample, &Stopping::after(3)).unwrap();
        run.into_ensemble().try_into()
    }
}

/// Real votes in [−1, 1], and the bound on the error of their ensemble in every round.
#[test]
fn ensembles_vote_in_ensembles() {
    let task = Task::clean_majority(100, 1);
    let smooth = SmoothBoost::<Active>::smooth(&task.examples(), 100.0).unwrap();
    let mut run = BoostingRun::new(task.examples(), Stacked, smooth).unwrap();
    assert_eq!(run.run(&task.sample, &Stopping::after(60)), Ok(BoostStop::Rounds));
    for (t, round) in (1..).zip(run.record()) {
        assert!(round.error <= round.promise.error + 1e-12, "round {t}: {round:?}");
    }
    assert!(run.error() < 0.05, "{}", run.error());
    let first = &run.ensemble().hypotheses()[0];
    let votes = task.sample.matrix().iter().map(|x| first.predict(x).unwrap());
    assert!(votes.into_iter().any(|vote| vote.abs() > 0.01 && vote.abs() < 0.99));
}

#[test]
fn an_ensemble_on_disc_comes_back_or_is_refused() {
    let task = Task::noisy_majority(40, 1);
    let (vote, folder) = (trained(&task, 10), tempfile::tempdir().unwrap());
    let path = folder.path().join("vote.json");
    save(&path, "maboost-ensemble", &vote).unwrap();
    assert_eq!(load::<Ensemble<Stump>>(&path, "maboost-ensemble").unwrap(), vote);
    let normalised: NormalisedVote<Stump> = load(&path, "maboost-ensemble").unwrap();
    assert_eq!(Ensemble::from(normalised), vote);
    let wrong = load::<Ensemble<Stump>>(&path, "maboost-run").unwrap_err();
    assert!(matches!(wrong, SavedError::WrongKind { .. }), "{wrong}");

    // One digit of one coefficient.
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, digits) = text.split_once("\"coefficients\":[").unwrap();
    let (first, rest) = digits.split_once('.').unwrap();
    std::fs::write(&path, format!("{head}\"coefficients\":[9{first}.{rest}")).unwrap();
    let damaged = load::<Ensemble<Stump>>(&path, "maboost-ensemble").unwrap_err();
    assert!(matches!(damaged, SavedError::Damaged { .. }), "{damaged}");

    // States with the right checksum that no constructor would make.
    let state = serde_json::to_value(&vote).unwrap();
    let tampered = [("/coefficients", json!([1.0])), ("/hypotheses/3/inputs", json!(9))];
    for (key, value) in tampered.into_iter().chain([("/coefficients/0", json!(null))]) {
        let mut other = state.clone();
        *other.pointer_mut(key).unwrap() = value;
        save(&path, "maboost-ensemble", &other).unwrap();
        let refused = load::<Ensemble<Stump>>(&path, "maboost-ensemble").unwrap_err();
        assert!(matches!(refused, SavedError::State { .. }), "{key}: {refused}");
    }
}
