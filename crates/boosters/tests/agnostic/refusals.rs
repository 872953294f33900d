//! Refusals of the online boosters: invalid plays, votes, labels, parameters and saved states.

use super::contract::{Agnostic, Realizable, agnostic, learners, text};
use super::streams::rng;
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster};
use oco_core::learners::Ogd;
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::BoxSet;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::Label::{Minus, Plus};
use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

/// An OCO learner that leaves the interval after a while, or has two coordinates.
#[derive(Clone, Serialize, Deserialize)]
struct Escaping {
    plays: Vec<Vec<f64>>,
    t: usize,
}

impl OnlineLearner for Escaping {
    fn play(&self) -> &[f64] {
        &self.plays[self.t.min(self.plays.len() - 1)]
    }
    fn observe(&mut self, _: &[f64]) -> Result<(), OcoError> {
        self.t += 1;
        Ok(())
    }
    fn reset(&mut self) {
        self.t = 0;
    }
}

/// The fifth of seven plays, or the one after the last, is no play: refused before any learner or coin moves.
#[test]
fn plays_outside_the_interval_are_refused() {
    let x = [0.1, 0.2];
    let x = Row::dense(&x).unwrap();
    for bad in [vec![1.1], vec![-1.1], vec![f64::NAN], vec![f64::INFINITY], vec![0.0, 0.0], vec![]] {
        for good in [5, 7] {
            let mut plays = vec![vec![0.5]; good];
            plays.push(bad.clone());
            let oco = Escaping { plays, t: 0 };
            let mut a = OnlineAgnosticBooster::new(learners(7, 1), oco.clone(), 0.5, &mut rng(2, 0)).unwrap();
            let mut r = OnlineRealizableBooster::new(learners(7, 1), oco, 0.5, &mut rng(2, 0)).unwrap();
            let before = (text(&a), text(&r), a.trace().clone());
            for refused in [a.round(x, Plus), r.round(x, Plus)] {
                let named = match &refused {
                    Err(LearnerError::BadParameter { name, .. }) => {
                        bad.len() == 1 && name.starts_with("play")
                    }
                    Err(LearnerError::OutputDimension { got, .. }) => *got == bad.len(),
                    _ => false,
                };
                assert!(named, "{bad:?}: {refused:?}");
            }
            assert_eq!((text(&a), text(&r), a.trace().clone()), before);
        }
        let oco = Escaping { plays: vec![bad], t: 0 };
        assert!(OnlineAgnosticBooster::new(learners(7, 1), oco, 0.5, &mut rng(2, 0)).is_err());
    }
    // Half of Algorithm 1's interval is not Algorithm 4's.
    let oco = Escaping { plays: vec![vec![-0.5]], t: 0 };
    assert!(OnlineAgnosticBooster::new(learners(2, 1), oco.clone(), 0.5, &mut rng(2, 0)).is_ok());
    assert!(OnlineRealizableBooster::new(learners(2, 1), oco, 0.5, &mut rng(2, 0)).is_err());
}

/// An A that has learnt before it is handed over, here until its play is none, plays its first play in the
/// first round, and is saved as fresh after each.
#[test]
fn an_oco_learner_that_was_used_is_put_back() {
    let plays = [[0.25]; 8].into_iter().chain([[7.0]]).map(Vec::from);
    let oco = |t| Escaping { plays: plays.clone().collect(), t };
    let key = || rng(2, 0);
    let mut a = OnlineAgnosticBooster::new(learners(7, 1), oco(8), 0.5, &mut key()).unwrap();
    let mut r = OnlineRealizableBooster::new(learners(7, 1), oco(8), 0.5, &mut key()).unwrap();
    let x = [0.1, 0.2];
    for round in 0..3 {
        for text in [text(&a), text(&r)] {
            assert!(text.contains("\"t\":0") && !text.contains("\"t\":8"), "round {round}: {text}");
        }
        a.round(Row::dense(&x).unwrap(), Plus).unwrap();
        r.round(Row::dense(&x).unwrap(), Plus).unwrap();
        assert_eq!((a.trace().p()[0], r.trace().p()[0]), (0.25, 0.25));
    }
}

/// An invalid learner: a vote other than ±1, or a label that it refuses.
#[derive(Clone)]
struct Odd {
    vote: f64,
    refuses: Option<Label>,
    taught: u32,
    shape: Shape,
}

impl Odd {
    fn new(vote: f64, refuses: Option<Label>) -> Self {
        Self { vote, refuses, taught: 0, shape: Shape { inputs: 1, outputs: 1 } }
    }
}

impl OnlinePredictor<Label> for Odd {
    fn shape(&self) -> Shape {
        self.shape
    }
    fn predict(&mut self, _: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        y.fill(self.vote);
        Ok(())
    }
    fn accepts(&self, _: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        if self.refuses == Some(*y) { Err(LearnerError::ZeroWeights) } else { Ok(()) }
    }
    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.accepts(x, y)?;
        self.taught += 1;
        Ok(())
    }
}

#[test]
fn no_learner_moves_before_all_have_agreed() {
    let x = [0.0];
    let x = Row::dense(&x).unwrap();
    for (odd, error) in [
        (Odd::new(0.0, None), LearnerError::BadLabel { argument: "vote", value: 0.0 }),
        (Odd::new(f64::NAN, None), LearnerError::NotFinite { argument: "vote", index: 0, value: f64::NAN }),
        (Odd::new(1.0, Some(Plus)), LearnerError::ZeroWeights),
        (Odd::new(1.0, Some(Minus)), LearnerError::ZeroWeights),
    ] {
        let team = vec![Odd::new(1.0, None), Odd::new(-1.0, None), odd.clone()];
        let mut a = OnlineAgnosticBooster::with_ogd(team.clone(), 0.5, &mut rng(1, 0)).unwrap();
        let mut r = OnlineRealizableBooster::with_ogd(team, 0.5, &mut rng(1, 0)).unwrap();
        assert_eq!(a.round(x, Plus).unwrap_err().to_string(), error.to_string());
        // Algorithm 4 flips no label, so a learner that accepts only +1 suffices.
        let turned_only = odd.refuses == Some(Minus);
        assert_eq!(r.round(x, Plus).is_ok(), turned_only);
        let taught = |learners: &[Odd]| learners.iter().map(|learner| learner.taught).sum::<u32>();
        assert_eq!(taught(a.learners()), 0);
        assert!(turned_only || taught(r.learners()) == 0);
    }
}

#[test]
fn every_parameter_is_checked_by_the_constructor() {
    let built =
        |team: Vec<Odd>, gamma: f64| OnlineAgnosticBooster::with_ogd(team, gamma, &mut rng(1, 0)).map(|_| ());
    let odd = || Odd::new(1.0, None);
    assert_eq!(built(vec![], 0.5), Err(LearnerError::Empty { argument: "learners" }));
    assert!(OnlineRealizableBooster::with_ogd(Vec::<Odd>::new(), 0.5, &mut rng(1, 0)).is_err());
    for gamma in [0.0, -0.5, 1.5, f64::NAN, f64::INFINITY, 1e-310, 1e-141] {
        assert!(built(vec![odd()], gamma).is_err(), "γ = {gamma}");
        assert!(
            OnlineRealizableBooster::with_ogd(vec![odd()], gamma, &mut rng(1, 0)).is_err(),
            "γ = {gamma}"
        );
    }
    let shaped = |inputs, outputs| Odd { shape: Shape { inputs, outputs }, ..odd() };
    let wide = built(vec![odd(), shaped(2, 1)], 0.5);
    assert_eq!(wide, Err(LearnerError::InputDimension { expected: 1, got: 2 }));
    let two_votes = built(vec![shaped(1, 2)], 0.5);
    assert_eq!(two_votes, Err(LearnerError::OutputDimension { argument: "learners", expected: 1, got: 2 }));
    // The lowest advantages still make steps.
    let mut lowest = OnlineAgnosticBooster::with_ogd(vec![odd(); 3], 1e-140, &mut rng(1, 0)).unwrap();
    let x = [0.0];
    lowest.round(Row::dense(&x).unwrap(), Minus).unwrap();
    assert!((lowest.trace().p()[1] - 1.0 / 3.0_f64.sqrt()).abs() < 1e-9 && lowest.trace().z() > 1e139);
    for bad in [f64::NAN, 0.5, -2.0] {
        assert!(Label::new(bad).is_err());
    }
}

/// A complete state that no constructor accepts.
#[test]
fn a_saved_state_is_checked_as_a_new_one() {
    let good = text(&agnostic());
    assert!(serde_json::from_str::<Agnostic>(&good).is_ok());
    for (from, to) in [
        ("\"majority\":0.5", "\"majority\":1.5"),
        ("\"majority\":0.5", "\"majority\":0.0"),
        ("\"rule\":\"randomised\"", "\"rule\":\"louder\""),
        ("\"rule\":\"randomised\"", "\"rule\":\"Randomised\""),
        ("\"coming\":[", "\"coming\":[0.5,"),
        ("\"coming\":[", "\"coming\":[1.5,"),
    ] {
        let bad = good.replace(from, to);
        assert!(bad != good && serde_json::from_str::<Agnostic>(&bad).is_err(), "{from} {to}");
    }
    // A booster for [−1, 1] whose OCO learner has gone below 0 is none for [0, 1].
    let steps = StepSchedule::constant(0.1).unwrap();
    let low = Ogd::starting_at(BoxSet::interval(-1.0, 1.0).unwrap(), vec![-0.5], steps).unwrap();
    let low = text(&OnlineAgnosticBooster::new(learners(7, 1), low, 0.5, &mut rng(2, 0)).unwrap());
    assert!(serde_json::from_str::<Agnostic>(&low).is_ok());
    assert!(serde_json::from_str::<Realizable>(&low).is_err());
}
