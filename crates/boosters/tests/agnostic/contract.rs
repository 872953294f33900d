//! The contract of a predictor: refusals, predictions that say what the round will vote, and saved runs.

use super::streams::{Examples, hedges, rng};
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster, VoteRule};
use boosters::saved::{load, save};
use oco_core::{OcoError, Ogd, OnlineLearner, StepSchedule};
use projections::BoxSet;
use rows::Row;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use weak_learners::Label::{Minus, Plus};
use weak_learners::online::{HedgeStumps, Thresholds};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};

type Agnostic = OnlineAgnosticBooster<HedgeStumps, Ogd<BoxSet>>;
type Realizable = OnlineRealizableBooster<HedgeStumps, Ogd<BoxSet>>;

fn learners(n: u64, seed: u64) -> Vec<HedgeStumps> {
    hedges(&Thresholds::at(vec![vec![-0.5, 0.5], vec![0.0]]).unwrap(), 200, n, seed)
}

fn agnostic() -> Agnostic {
    OnlineAgnosticBooster::with_ogd(learners(7, 1), 0.5, &mut rng(2, 0)).unwrap()
}

fn realizable() -> Realizable {
    OnlineRealizableBooster::with_ogd(learners(7, 1), 0.5, &mut rng(2, 0)).unwrap()
}

/// The t-th example of a stream that no stump labels perfectly.
fn example(t: u32) -> ([f64; 2], Label) {
    let wave = |k: f64| (f64::from(t) * k).sin();
    ([wave(1.0), wave(0.3)], Label::of_score(wave(1.0) + 0.5 * wave(0.3) + 0.3 * wave(7.0)))
}

fn rounds(booster: &mut impl OnlinePredictor<Label>, rounds: std::ops::Range<u32>) -> Vec<Label> {
    let round = |t| {
        let (x, y) = example(t);
        booster.round(Row::dense(&x).unwrap(), y).unwrap()
    };
    rounds.map(round).collect()
}

fn text(booster: &impl Serialize) -> String {
    serde_json::to_string(booster).unwrap()
}

/// Whatever is refused leaves the saved state, coins included, as it was.
fn refuses<B: OnlinePredictor<Label> + Serialize>(mut booster: B) {
    rounds(&mut booster, 0..20);
    let (before, short, good) = (text(&booster), [0.1], [0.1, 0.2]);
    let short = Row::dense(&short).unwrap();
    let wrong_row = LearnerError::InputDimension { expected: 2, got: 1 };
    assert_eq!(booster.accepts(short, &Plus), Err(wrong_row.clone()));
    assert_eq!(booster.update(short, &Plus), Err(wrong_row.clone()));
    assert_eq!(booster.vote(short), Err(wrong_row));
    let no_room = LearnerError::OutputDimension { argument: "prediction", expected: 1, got: 2 };
    assert_eq!(booster.predict(Row::dense(&good).unwrap(), &mut [0.0; 2]), Err(no_room));
    assert_eq!(text(&booster), before);
}

#[test]
fn a_refused_example_is_as_if_it_had_not_been_shown() {
    refuses(agnostic());
    refuses(realizable());
    refuses(agnostic().voting_by(VoteRule::Sign));
}

/// `predict` says what the next round will vote, as often as it is asked; it and `score` learn nothing and leave the trace.
#[test]
fn predictions_are_the_votes_to_come() {
    let (mut a, mut r) = (agnostic(), realizable());
    for t in 0..200 {
        let (values, y) = example(t);
        let x = Row::dense(&values).unwrap();
        let before = (text(&a), text(&r), a.trace().clone(), r.trace().clone());
        let votes = (a.vote(x).unwrap(), r.vote(x).unwrap());
        assert_eq!((a.vote(x).unwrap(), r.vote(x).unwrap()), votes);
        let scores = (a.score(x).unwrap(), r.score(x).unwrap());
        let signs = (Label::of_score(scores.0), Label::of_score(scores.1));
        assert_eq!((a.sign(x).unwrap(), r.sign(x).unwrap()), signs);
        assert_eq!((text(&a), text(&r), a.trace().clone(), r.trace().clone()), before);
        assert_eq!((a.round(x, y).unwrap(), r.round(x, y).unwrap()), votes);
        assert_eq!((a.trace().z(), r.trace().z()), scores);
    }
}

/// With the deterministic rule the vote is the sign, the learners are taught the same, and its mistakes are at most twice
/// the expected ones of Π.
#[test]
fn the_sign_votes_without_a_coin() {
    let (mut drawn, mut signed) = (agnostic(), agnostic().voting_by(VoteRule::Sign));
    let (mut mistakes, mut expected) = (0.0, 0.0);
    let mut differ = 0;
    for t in 0..400 {
        let (values, y) = example(t);
        let x = Row::dense(&values).unwrap();
        let sign = drawn.sign(x).unwrap();
        let vote = drawn.round(x, y).unwrap();
        assert_eq!((signed.vote(x).unwrap(), signed.round(x, y).unwrap()), (sign, sign));
        assert_eq!(signed.trace(), drawn.trace());
        differ += u32::from(vote != sign);
        mistakes += f64::from(u8::from(sign != y));
        let plus = drawn.trace().prob_plus();
        expected += if y == Plus { 1.0 - plus } else { plus };
        assert!(mistakes <= 2.0 * expected + 1e-9, "round {t}");
    }
    assert!(differ > 0, "the coin never mattered");
}

fn resumes<B: OnlinePredictor<Label> + Serialize + DeserializeOwned>(mut booster: B) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("booster.json");
    rounds(&mut booster, 0..60);
    save(&path, "test", &booster).unwrap();
    let mut loaded: B = load(&path, "test").unwrap();
    assert_eq!(text(&loaded), text(&booster));
    assert_eq!(rounds(&mut loaded, 60..160), rounds(&mut booster, 60..160));
    assert_eq!(text(&loaded), text(&booster));
}

#[test]
fn stop_save_load_continue_is_bit_identical_to_not_stopping() {
    resumes(agnostic());
    resumes(realizable());
    resumes(realizable().voting_by(VoteRule::Sign));
    resumes(stacked());
}

/// A booster of boosters.
fn stacked() -> OnlineAgnosticBooster<Realizable, Ogd<BoxSet>> {
    let inner = |seed| OnlineRealizableBooster::with_ogd(learners(5, seed), 0.5, &mut rng(seed, 0)).unwrap();
    OnlineAgnosticBooster::with_ogd((0..4).map(inner).collect(), 0.5, &mut rng(3, 0)).unwrap()
}

#[test]
fn boosters_stack() {
    let examples = Examples::letter();
    let thresholds = examples.thresholds(4);
    let inner = |seed| {
        OnlineAgnosticBooster::with_ogd(hedges(&thresholds, 2000, 5, seed), 1.0, &mut rng(seed, 0)).unwrap()
    };
    let mut stack =
        OnlineAgnosticBooster::with_ogd((0..5).map(inner).collect(), 1.0, &mut rng(9, 0)).unwrap();
    let stream = examples.separable(2000, super::streams::class(&thresholds)[20], 5);
    let votes: Vec<bool> = stream.examples().map(|(x, y)| stack.round(x, y).unwrap() == y).collect();
    let right = |part: &[bool]| part.iter().filter(|right| **right).count();
    assert!(right(&votes[1500..]) > right(&votes[..500]), "it learns");
}

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

/// A learner that is not one: a vote that is none, or a label that it does not take.
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
        // Algorithm 4 turns no label, so a learner that takes every +1 will do.
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
    for gamma in [0.0, -0.5, 1.5, f64::NAN, f64::INFINITY, 1e-310] {
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
    let mut lowest = OnlineAgnosticBooster::with_ogd(vec![odd(); 3], 6e-309, &mut rng(1, 0)).unwrap();
    let x = [0.0];
    lowest.round(Row::dense(&x).unwrap(), Minus).unwrap();
    assert!((lowest.trace().p()[1] - 1.0 / 3.0_f64.sqrt()).abs() < 1e-9 && lowest.trace().z() > 1e308);
    for bad in [f64::NAN, 0.5, -2.0] {
        assert!(Label::new(bad).is_err());
    }
}

/// A state that was written whole but that no constructor would accept.
#[test]
fn a_saved_state_is_checked_as_a_new_one() {
    let good = text(&agnostic());
    assert!(serde_json::from_str::<Agnostic>(&good).is_ok());
    for (from, to) in [
        ("\"majority\":0.5", "\"majority\":1.5"),
        ("\"majority\":0.5", "\"majority\":0.0"),
        ("\"rule\":\"Randomised\"", "\"rule\":\"Louder\""),
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
