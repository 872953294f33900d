//! The contract of a predictor: votes that change nothing, refusals without a trace, saved runs, boosters of
//! boosters.

use crate::streams::{Booster, Stream, Synthetic, rng, synthetic};
use boosters::mistake_bound::{AdaBoostOl, OnlineBbm, OsBoost};
use boosters::saved::{load, save};
use oco_core::StepSchedule;
use oco_core::learners::{Hedge, Ogd};
use projections::BoxSet;
use rows::Row;
use serde::{Serialize, de::DeserializeOwned};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};

fn osboost() -> OsBoost<Synthetic> {
    OsBoost::new(synthetic(9, 0.5), 0.3, &mut rng(5)).unwrap()
}

fn online_bbm() -> OnlineBbm<Synthetic> {
    OnlineBbm::new(synthetic(9, 0.5), 0.3, &mut rng(5)).unwrap()
}

fn adaboost_ol() -> AdaBoostOl<Synthetic> {
    AdaBoostOl::new(synthetic(9, 0.5), &mut rng(5)).unwrap()
}

fn text<B: Serialize>(booster: &B) -> String {
    serde_json::to_string(booster).unwrap()
}

/// Votes, repeated votes and refused examples between the rounds leave the state as it is; the vote is that
/// of the round; `update` is the round; and the round of the trait, which asks twice, is the same.
fn votes_are_pure<B: Booster + OnlinePredictor<Label> + Clone + Serialize>(mut booster: B) {
    let stream = Stream::synthetic(200, 0.2, 6);
    let mut twin = booster.clone();
    let short = [0.5];
    for (t, (x, y)) in stream.examples().enumerate() {
        let (before, last) = (text(&booster), booster.last().clone());
        let vote = booster.vote(x).unwrap();
        assert_eq!(booster.vote(x).unwrap(), vote);
        let refused = booster.update(Row::dense(&short).unwrap(), &y);
        assert_eq!(refused, Err(LearnerError::InputDimension { expected: 2, got: 1 }));
        assert_eq!(booster.accepts(Row::dense(&short).unwrap(), &y), refused);
        assert!(booster.vote(Row::dense(&short).unwrap()).is_err());
        assert!(matches!(
            booster.predict(x, &mut [0.0; 2]),
            Err(LearnerError::OutputDimension { expected: 1, got: 2, .. })
        ));
        assert_eq!((text(&booster), booster.last()), (before, &last), "round {t}");
        assert_eq!(booster.play(x, y), vote);
        match t % 2 {
            0 => twin.update(x, &y).unwrap(),
            _ => assert_eq!(OnlineClassifier::round(&mut twin, x, y).unwrap(), vote),
        }
        assert_eq!(text(&booster), text(&twin));
    }
}

#[test]
fn votes_and_refusals_change_nothing() {
    votes_are_pure(osboost());
    votes_are_pure(online_bbm());
    votes_are_pure(adaboost_ol());
}

fn resumes<B: Booster + Serialize + DeserializeOwned>(mut booster: B) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("booster.json");
    let stream = Stream::synthetic(300, 0.2, 7);
    let mut examples = stream.examples();
    for (x, y) in examples.by_ref().take(150) {
        booster.play(x, y);
    }
    save(&path, "test", &booster).unwrap();
    let mut loaded: B = load(&path, "test").unwrap();
    for (x, y) in examples {
        assert_eq!(loaded.play(x, y), booster.play(x, y));
        assert_eq!(loaded.last(), booster.last());
    }
    assert_eq!(text(&loaded), text(&booster));
}

#[test]
fn stop_save_load_continue_is_bit_identical_to_not_stopping() {
    resumes(osboost());
    resumes(online_bbm());
    resumes(adaboost_ol());
}

/// One more learner moves the coins of no other.
#[test]
fn learners_have_coins_of_their_own() {
    let stream = Stream::synthetic(200, 0.2, 8);
    let mut few = OsBoost::new(synthetic(5, 0.5), 0.3, &mut rng(5)).unwrap();
    let mut many = OsBoost::new(synthetic(9, 0.5), 0.3, &mut rng(5)).unwrap();
    for (x, y) in stream.examples() {
        few.play(x, y);
        many.play(x, y);
        assert_eq!(few.last().passed(), &many.last().passed()[..5]);
    }
}

/// Has the shape that it is told, and answers what no label is.
#[derive(Debug, Clone, Serialize, serde::Deserialize)]
struct Odd {
    inputs: usize,
    outputs: usize,
    answer: f64,
    is_full: bool,
}

impl OnlinePredictor<Label> for Odd {
    fn shape(&self) -> Shape {
        Shape { inputs: self.inputs, outputs: self.outputs }
    }
    fn predict(&mut self, _: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        y.fill(self.answer);
        Ok(())
    }
    fn accepts(&self, _: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        if self.is_full { Err(FULL) } else { Ok(()) }
    }
    fn update(&mut self, _: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        self.answer = 7.0;
        Ok(())
    }
}

fn odd(inputs: usize, outputs: usize, answer: f64) -> Odd {
    Odd { inputs, outputs, answer, is_full: false }
}

const FULL: LearnerError = LearnerError::BadLabel { argument: "nothing more", value: 0.0 };

#[test]
fn every_parameter_is_checked_by_the_constructor() {
    for gamma in [0.0, -0.3, 1.0, 2.0, f64::NAN, f64::INFINITY] {
        assert!(OsBoost::new(synthetic(3, 0.5), gamma, &mut rng(1)).is_err(), "γ = {gamma}");
        assert!(OnlineBbm::new(synthetic(3, 0.5), gamma, &mut rng(1)).is_err(), "γ = {gamma}");
    }
    let empty = LearnerError::Empty { argument: "learners" };
    assert_eq!(OsBoost::<Odd>::new(vec![], 0.3, &mut rng(1)).unwrap_err(), empty);
    assert_eq!(OnlineBbm::<Odd>::new(vec![], 0.3, &mut rng(1)).unwrap_err(), empty);
    assert_eq!(AdaBoostOl::<Odd>::new(vec![], &mut rng(1)).unwrap_err(), empty);
    for learners in [vec![odd(2, 1, 1.0), odd(3, 1, 1.0)], vec![odd(2, 2, 1.0)]] {
        assert!(OsBoost::new(learners.clone(), 0.3, &mut rng(1)).is_err());
        assert!(OnlineBbm::new(learners.clone(), 0.3, &mut rng(1)).is_err());
        assert!(AdaBoostOl::new(learners, &mut rng(1)).is_err());
    }
}

/// States that no constructor makes are refused when they are read.
#[test]
fn a_state_is_checked_when_it_is_read() {
    fn refuses<B: Serialize + DeserializeOwned>(booster: &B, changes: &[(&str, &str)]) {
        let whole = text(booster);
        assert!(serde_json::from_str::<B>(&whole).is_ok());
        for (found, put) in changes {
            assert!(whole.contains(found), "{found} in {whole}");
            assert!(serde_json::from_str::<B>(&whole.replacen(found, put, 1)).is_err(), "{put}");
        }
    }
    let coins = [("\"coming\":[", "\"coming\":[0.5,"), ("\"coming\":[0.", "\"coming\":[1.")];
    refuses(&osboost(), &[("\"advantage\":0.3", "\"advantage\":1.0"), coins[0], coins[1]]);
    refuses(&online_bbm(), &[("\"advantage\":0.3", "\"advantage\":0.0"), coins[0], coins[1]]);
    refuses(
        &adaboost_ol(),
        &[coins[0], coins[1], ("[-2.0,", "[-3.0,"), ("[2.0,", "[2.5,"), ("\"x\":[0.0,", "\"x\":[")],
    );
}

/// Parts of different boosters do not make one.
#[test]
fn parts_that_do_not_fit_are_refused() {
    let value = |learners| {
        serde_json::to_value(AdaBoostOl::new(synthetic(learners, 0.5), &mut rng(5)).unwrap()).unwrap()
    };
    let (nine, eight) = (value(9), value(8));
    for part in ["steps", "experts", "choice"] {
        let mut mixed = nine.clone();
        mixed[part] = if part == "choice" { nine["pupils"]["coins"].clone() } else { eight[part].clone() };
        assert!(serde_json::from_value::<AdaBoostOl<Synthetic>>(mixed).is_err(), "{part}");
    }
}

/// The interval, the steps and the start of α and the η of v are the algorithm's, so what was saved with
/// others is refused.
#[test]
fn a_loaded_adaboost_ol_keeps_the_rules() {
    let mut booster = adaboost_ol();
    for (x, y) in Stream::synthetic(50, 0.2, 11).examples() {
        booster.play(x, y);
    }
    let whole = serde_json::to_value(&booster).unwrap();
    assert!(serde_json::from_value::<AdaBoostOl<Synthetic>>(whole.clone()).is_ok());
    let cube = |bound: f64| BoxSet::new(vec![-bound; 9], vec![bound; 9]).unwrap();
    let steps = |set, start: f64, schedule| Ogd::starting_at(set, vec![start; 9], schedule).unwrap();
    let (zinkevich, other) =
        (StepSchedule::zinkevich(4.0, 1.0).unwrap(), StepSchedule::zinkevich(2.0, 1.0).unwrap());
    let loads = |part: &str, learner: serde_json::Value| {
        let mut mixed = whole.clone();
        mixed[part] = learner;
        serde_json::from_value::<AdaBoostOl<Synthetic>>(mixed).is_ok()
    };
    let value = |steps| serde_json::to_value::<Ogd<BoxSet>>(steps).unwrap();
    assert!(loads("steps", value(steps(cube(2.0), 0.0, zinkevich))));
    assert!(!loads("steps", value(steps(cube(2.0), 0.0, other))), "steps of half the size");
    assert!(!loads("steps", value(steps(cube(2.0), 0.5, zinkevich))), "a start at ½");
    assert!(!loads("steps", value(steps(cube(1.5), 0.0, zinkevich))), "α in [−1.5, 1.5]");
    assert!(loads("experts", serde_json::to_value(Hedge::new(9, 1.0).unwrap()).unwrap()));
    assert!(!loads("experts", serde_json::to_value(Hedge::new(9, 0.01).unwrap()).unwrap()), "η = 0.01");
}

/// A learner that answers no label is caught before anybody has learnt.
#[test]
fn a_learner_that_does_not_vote_is_refused_before_anything_moves() {
    let learners = || vec![odd(1, 1, 1.0), odd(1, 1, 0.5), odd(1, 1, 1.0)];
    let x = Row::dense(&[1.0]).unwrap();
    let refused = Err(LearnerError::BadLabel { argument: "vote", value: 0.5 });
    macro_rules! check {
        ($booster:expr) => {{
            let mut booster = $booster;
            let before = text(&booster);
            assert_eq!(booster.round(x, Label::Plus), refused);
            assert_eq!(text(&booster), before);
        }};
    }
    check!(OsBoost::new(learners(), 0.3, &mut rng(1)).unwrap());
    check!(OnlineBbm::new(learners(), 0.3, &mut rng(1)).unwrap());
    check!(AdaBoostOl::new(learners(), &mut rng(1)).unwrap());
}

/// An example that one learner cannot take moves none of them.
#[test]
fn an_example_that_one_learner_refuses_moves_none() {
    let learners = || vec![odd(1, 1, 1.0), Odd { is_full: true, ..odd(1, 1, 1.0) }];
    let x = Row::dense(&[1.0]).unwrap();
    macro_rules! check {
        ($booster:expr) => {{
            let mut booster = $booster;
            let before = text(&booster);
            let refused = booster.update(x, &Label::Plus);
            assert_eq!((refused, booster.accepts(x, &Label::Plus)), (Err(FULL), Err(FULL)));
            assert_eq!(text(&booster), before);
        }};
    }
    check!(OsBoost::new(learners(), 0.3, &mut rng(1)).unwrap());
    check!(OnlineBbm::new(learners(), 0.3, &mut rng(1)).unwrap());
    check!(AdaBoostOl::new(learners(), &mut rng(1)).unwrap());
}

/// A booster is a weak learner.
#[test]
fn boosters_stack() {
    let inner = |seed| OsBoost::new(synthetic(5, 0.5), 0.3, &mut rng(seed)).unwrap();
    let mut stacked = AdaBoostOl::new((0..7).map(inner).collect(), &mut rng(9)).unwrap();
    let stream = Stream::synthetic(1000, 0.0, 9);
    let mut wrong = |x, y| usize::from(stacked.play(x, y) != y);
    let mistakes: usize = stream.examples().map(|(x, y)| wrong(x, y)).sum();
    assert!(mistakes < 200, "{mistakes}");
}
