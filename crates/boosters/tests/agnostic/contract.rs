//! The contract of a predictor: refused examples, predictions equal to the round's vote, and saved runs.

use super::lemmas::Votes;
use super::streams::{Examples, hedges, rng};
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster, VoteRule};
use boosters::saved::{load, save};
use oco_core::learners::Ogd;
use projections::BoxSet;
use rows::Row;
use serde::{Serialize, de::DeserializeOwned};
use weak_learners::Label::{Minus, Plus};
use weak_learners::online::{HedgeStumps, Thresholds};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor};

pub(crate) type Agnostic = OnlineAgnosticBooster<HedgeStumps, Ogd<BoxSet>>;
pub(crate) type Realizable = OnlineRealizableBooster<HedgeStumps, Ogd<BoxSet>>;

pub(crate) fn learners(n: u64, seed: u64) -> Vec<HedgeStumps> {
    hedges(&Thresholds::at(vec![vec![-0.5, 0.5], vec![0.0]]).unwrap(), 200, n, seed)
}

pub(crate) fn agnostic() -> Agnostic {
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

pub(crate) fn text(booster: &impl Serialize) -> String {
    serde_json::to_string(booster).unwrap()
}

/// A refused example leaves the saved state, with its coins, unchanged.
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

/// `predict` returns the next round's vote, any number of times; it and `score` learn nothing and leave the
/// trace.
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

/// With the deterministic rule the vote is the sign, the learners receive the same labels, and its mistakes
/// are at most twice the expected ones of Π.
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

/// Where the learners are split in half, the sign is +1, by `predict` and in the round, whatever the label.
#[test]
fn a_tie_of_the_signs_is_plus() {
    for team in [[Plus, Minus], [Minus, Plus]] {
        let team = team.map(Votes).to_vec();
        let key = || rng(1, 0);
        let mut a =
            OnlineAgnosticBooster::with_ogd(team.clone(), 0.5, &mut key()).unwrap().voting_by(VoteRule::Sign);
        let mut r =
            OnlineRealizableBooster::with_ogd(team, 0.5, &mut key()).unwrap().voting_by(VoteRule::Sign);
        let x = Row::dense(&[0.0]).unwrap();
        for y in [Plus, Minus, Plus, Minus] {
            assert_eq!((a.score(x).unwrap(), r.score(x).unwrap()), (0.0, 0.0));
            assert_eq!((a.vote(x).unwrap(), r.vote(x).unwrap()), (Plus, Plus));
            assert_eq!((a.round(x, y).unwrap(), r.round(x, y).unwrap()), (Plus, Plus));
        }
    }
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
