//! Refusals, and runs that are stopped, saved, loaded and continued.

use crate::samples::{Task, Tuned};
use boosters::agnostic::{MajorityVote, Setting, StatisticalBooster};
use boosters::saved::{load, save};
use oco_core::{Ogd, StepSchedule};
use projections::{BoxSet, L2Ball};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde_json::json;
use weak_learners::batch::{
    ExactStump, Hypothesis, LeafAnswer, Sampled, SortedColumns, WeakLearner, WeightedTree,
};
use weak_learners::{Label, LearnerError};

type Saved = Tuned<Sampled<ExactStump>>;

fn sampled() -> Sampled<ExactStump> {
    Sampled::new(ExactStump::default(), 30, ChaCha8Rng::seed_from_u64(2)).unwrap()
}

fn run(booster: &mut Saved, task: &Task, rounds: usize) -> Vec<(Vec<f64>, Vec<f64>, f64, f64)> {
    let round = |_| {
        let round = booster.round(&task.sample).unwrap();
        (round.p.to_vec(), round.agreement.to_vec(), round.mean_loss, round.expected_correlation)
    };
    (0..rounds).map(round).collect()
}

#[test]
fn a_run_that_is_saved_and_loaded_goes_on_bit_for_bit() {
    let (task, folder) = (Task::majority_of_three(40, 1), tempfile::tempdir().unwrap());
    let path = folder.path().join("booster.json");
    for new in [Saved::theorem_8, Saved::theorem_10] {
        for before in [0, 1, 30] {
            let mut booster = new(sampled(), task.labels.clone(), 0.5, 60).unwrap();
            run(&mut booster, &task, before);
            save(&path, "statistical", &booster).unwrap();
            let mut loaded: Saved = load(&path, "statistical").unwrap();
            assert_eq!(run(&mut loaded, &task, 30), run(&mut booster, &task, 30));
            let text = |booster: &Saved| serde_json::to_string(booster).unwrap();
            assert_eq!(text(&loaded), text(&booster));
        }
    }
}

/// p ≡ 0 after a round in which every example was right: h_1 is kept, also by a run that was saved in between.
#[test]
fn a_hypothesis_is_kept_where_nothing_is_left_to_draw() {
    let task = Task::majority_of_three(1, 1);
    let mut booster = Saved::theorem_10(sampled(), task.labels.clone(), 0.5, 1).unwrap();
    for _ in 0..4 {
        booster.round(&task.sample).unwrap();
    }
    assert_eq!(booster.next_play(), [0.0]);
    let text = serde_json::to_string(&booster).unwrap();
    let mut loaded: Saved = serde_json::from_str(&text).unwrap();
    for booster in [&mut booster, &mut loaded] {
        let kept = *booster.vote().hypotheses().last().unwrap();
        let round = booster.round(&task.sample).unwrap();
        assert_eq!((round.mean_loss, round.agreement), (0.0, &[1.0][..]));
        assert_eq!(booster.vote().hypotheses().last(), Some(&kept));
    }
    // Nothing was drawn for them: only the count of hypotheses and the sum of the votes have changed.
    let learner = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["learner"].clone();
    assert_eq!(learner(&text), learner(&serde_json::to_string(&loaded).unwrap()));
}

#[test]
fn the_vote_alone_is_saved_and_draws_with_its_probabilities() {
    let task = Task::noisy_stump(40, 1);
    let mut booster = Saved::theorem_8(sampled(), task.labels.clone(), 0.5, 60).unwrap();
    run(&mut booster, &task, 60);
    let vote = booster.into_vote();
    let loaded: MajorityVote<_> = serde_json::from_str(&serde_json::to_string(&vote).unwrap()).unwrap();
    assert_eq!(loaded, vote);
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for x in task.sample.matrix().iter() {
        let (z, prob_plus) = (vote.score(x).unwrap(), vote.prob_plus(x).unwrap());
        assert_eq!(vote.sign(x).unwrap(), Label::of_score(z));
        let plus = (0..2000).filter(|_| vote.draw(x, &mut rng).unwrap() == Label::Plus).count();
        // Hoeffding: 40 rows, each beyond with probability below 2e^(−10).
        assert!((plus as f64 / 2000.0 - prob_plus).abs() < 0.05, "{plus} of 2000, {prob_plus}");
    }
    let refused = vote.draw(Row::dense(&[0.0]).unwrap(), &mut rng);
    assert_eq!(refused, Err(LearnerError::InputDimension { expected: 3, got: 1 }));
}

fn cube(m: usize, lower: f64) -> BoxSet {
    BoxSet::new(vec![lower; m], vec![1.0; m]).unwrap()
}

#[test]
fn every_parameter_is_checked_by_the_constructor() {
    let stump = ExactStump::default;
    let labels = || vec![Label::Plus, Label::Minus];
    for gamma in [0.0, -0.5, 1.0 + f64::EPSILON, f64::NAN, f64::INFINITY] {
        assert!(Tuned::theorem_8(stump(), labels(), gamma, 10).is_err(), "γ = {gamma}");
        assert!(Tuned::theorem_10(stump(), labels(), gamma, 10).is_err(), "γ = {gamma}");
        assert!(MajorityVote::<weak_learners::batch::Stump>::new(vec![], gamma).is_err());
    }
    let no_rounds = Tuned::theorem_8(stump(), labels(), 0.5, 0).unwrap_err();
    assert_eq!(no_rounds, LearnerError::BadParameter { name: "rounds", value: 0.0, domain: "T ≥ 1" });
    let empty = Tuned::theorem_10(stump(), vec![], 0.5, 10).unwrap_err();
    assert_eq!(empty, LearnerError::Empty { argument: "labels" });
    assert!(Label::new(0.5).is_err(), "a label that is none does not get as far");
    let with =
        |setting, player: Ogd<BoxSet>| StatisticalBooster::new(setting, stump(), player, labels(), 0.5).err();
    let step = StepSchedule::constant(0.1).unwrap();
    let ogd = |lower, start: Vec<f64>| Ogd::starting_at(cube(start.len(), lower), start, step).unwrap();
    assert_eq!(with(Setting::Agnostic, ogd(-1.0, vec![0.0; 2])), None);
    assert_eq!(with(Setting::Realizable, ogd(0.0, vec![0.5; 2])), None);
    for (setting, start) in [(Setting::Agnostic, [0.0, 0.5]), (Setting::Realizable, [0.5, 0.0])] {
        assert!(with(setting, ogd(-1.0, start.to_vec())).is_some(), "{setting:?} from {start:?}");
    }
    let wrong_length = with(Setting::Agnostic, ogd(-1.0, vec![0.0; 3]));
    assert_eq!(wrong_length, Some(LearnerError::LengthMismatch { argument: "play", expected: 2, got: 3 }));
}

/// A ball around 0 holds points outside the cube; the round after the first one is refused, and so are all others.
#[test]
fn a_play_outside_the_cube_is_refused() {
    let task = Task::noisy_stump(2, 1);
    let ball = L2Ball::new(100.0).unwrap();
    let player = Ogd::new(ball, 2, StepSchedule::constant(10.0).unwrap()).unwrap();
    let mut booster =
        StatisticalBooster::new(Setting::Agnostic, ExactStump::default(), player, task.labels, 0.5).unwrap();
    booster.round(&task.sample).unwrap();
    let before = serde_json::to_string(&booster).unwrap();
    let refused = booster.round(&task.sample).unwrap_err();
    assert_eq!(refused, oco_core::OcoError::OutsideSet { argument: "play" }.into());
    assert_eq!(serde_json::to_string(&booster).unwrap(), before);
}

#[test]
fn a_refused_round_changes_nothing() {
    let (task, other) = (Task::noisy_stump(30, 1), Task::noisy_stump(31, 2));
    let mut booster = Saved::theorem_8(sampled(), task.labels.clone(), 0.5, 60).unwrap();
    run(&mut booster, &task, 10);
    let before = serde_json::to_string(&booster).unwrap();
    let length = |argument, got| LearnerError::LengthMismatch { argument, expected: 30, got };
    assert_eq!(booster.round(&other.sample).unwrap_err(), length("sample", 31));
    assert_eq!(booster.realised_epsilon(&[0.0; 29]).unwrap_err(), length("votes", 29));
    let bad = booster.realised_epsilon(&[1.5; 30]).unwrap_err();
    assert_eq!(bad, LearnerError::BadLabel { argument: "vote", value: 1.5 });
    assert!(booster.realised_epsilon(&[f64::NAN; 30]).is_err());
    assert_eq!(serde_json::to_string(&booster).unwrap(), before);

    // A hypothesis of another dimension, and one that does not answer ±1.
    let mut tree = WeightedTree::new(1, LeafAnswer::Mean, 1).unwrap();
    let mut means = Tuned::theorem_8(tree.clone(), task.labels.clone(), 0.5, 60).unwrap();
    let mean = tree.train(&task.sample, &task.signs(), &[1.0; 30]).unwrap();
    let before = serde_json::to_string(&means).unwrap();
    assert!(matches!(means.round_with(&task.sample, mean), Err(LearnerError::BadLabel { .. })));
    let line = SortedColumns::new(rows::RowMatrix::dense(1, vec![1.0, 2.0]).unwrap()).unwrap();
    let narrow = tree.train(&line, &[1.0, -1.0], &[1.0; 2]).unwrap();
    assert_eq!(narrow.inputs(), 1);
    let refused = means.round_with(&task.sample, narrow).unwrap_err();
    assert_eq!(refused, LearnerError::InputDimension { expected: 1, got: 3 });
    assert_eq!(serde_json::to_string(&means).unwrap(), before);
}

#[test]
fn a_saved_state_that_no_run_has_is_refused() {
    let task = Task::noisy_stump(3, 1);
    let mut booster = Saved::theorem_8(sampled(), task.labels.clone(), 0.5, 60).unwrap();
    run(&mut booster, &task, 2);
    let saved = serde_json::to_value(&booster).unwrap();
    assert!(serde_json::from_value::<Saved>(saved.clone()).is_ok());
    let refused = |key: &str, value: serde_json::Value| {
        let mut other = saved.clone();
        other[key] = value;
        serde_json::from_value::<Saved>(other).is_err()
    };
    assert!(refused("labels", json!([])) && refused("labels", json!([1.0, -1.0])));
    assert!(refused("labels", json!([1.0, -1.0, 0.5])));
    assert!(refused("agreements", json!([0.0, 0.0])) && refused("agreements", json!([0.0, 0.0, 3.0])));
    assert!(refused("plays", json!([0.0, 0.0, -2.5])) && refused("correlations", json!(6.5)));
    let fresh = Saved::theorem_8(sampled(), task.labels, 0.5, 60).unwrap();
    let mut fresh = serde_json::to_value(fresh).unwrap();
    fresh["setting"] = json!("realizable");
    assert!(serde_json::from_value::<Saved>(fresh).is_err(), "p_1 = 0 is the agnostic start");
    let mut fresh = saved;
    fresh["vote"]["hypotheses"] = json!([]);
    assert!(serde_json::from_value::<Saved>(fresh).is_err(), "sums of no rounds");
}

/// Trees vote too, and learn what a stump cannot.
#[test]
fn trees_are_boosted_like_stumps() {
    let task = Task::majority_of_three(100, 2);
    let tree = WeightedTree::new(3, LeafAnswer::Sign, 5).unwrap();
    let mut booster = Tuned::theorem_10(tree, task.labels.clone(), 0.5, 50).unwrap();
    for _ in 0..50 {
        booster.round(&task.sample).unwrap();
    }
    assert!(booster.expected_correlation() > 0.9, "{}", booster.expected_correlation());
}
