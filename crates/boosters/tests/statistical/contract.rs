//! Refusals, and runs that are stopped, saved, loaded and continued.

use crate::samples::{Task, Tuned};
use boosters::agnostic::{ExpectedVote, MajorityVote, Setting, StatisticalBooster};
use boosters::saved::{load, save};
use oco_core::StepSchedule;
use oco_core::learners::Ogd;
use projections::{BoxSet, L2Ball};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde_json::json;
use weak_learners::batch::{
    ExactStump, Hypothesis, LeafAnswer, Sampled, SortedColumns, Stump, WeakLearner, WeightedTree,
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

/// p ≡ 0 after a round in which every example was right: h_1 is kept, also by a run that was saved in
/// between.
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
        assert!(MajorityVote::<Stump>::new(vec![], gamma).is_err());
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

/// A ball around 0 holds points outside the cube; the round after the first one is refused, and so are all
/// others.
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

/// Two rounds of three examples: what the sums can be, in either setting, and which rows the hypotheses are
/// for.
#[test]
fn a_saved_state_that_contradicts_itself_is_refused() {
    let task = Task::noisy_stump(3, 1);
    for (new, plays) in
        [(Saved::theorem_8 as fn(_, _, _, _) -> _, [-1.0, 1.0]), (Saved::theorem_10, [0.5, 1.5])]
    {
        let fresh = new(sampled(), task.labels.clone(), 0.5, 60).unwrap();
        let mut booster = fresh.clone();
        run(&mut booster, &task, 2);
        let saved = serde_json::to_value(&booster).unwrap();
        let loads = |key: &str, value: serde_json::Value| {
            let mut other = saved.clone();
            *other.pointer_mut(key).unwrap() = value;
            serde_json::from_value::<Saved>(other).is_ok()
        };
        assert!(loads("/agreements/0", json!(-2.0)), "as it may be");
        for labels in [json!([]), json!([1.0, -1.0]), json!([1.0, -1.0, 0.5])] {
            assert!(!loads("/labels", labels));
        }
        for agreement in [0.3, 1.0, 4.0, -3.0] {
            assert!(!loads("/agreements/0", json!(agreement)), "{agreement} of two votes");
        }
        assert!(!loads("/agreements", json!([0.0, 0.0])) && !loads("/plays", json!([1.0, 1.0])));
        let [least, most] = plays;
        assert!(loads("/plays/2", json!(least)) && loads("/plays/2", json!(most)));
        assert!(!loads("/plays/2", json!(least - 1e-9)) && !loads("/plays/2", json!(most + 1e-9)));
        assert!(
            loads("/correlations", json!(-3.0 * most)) && !loads("/correlations", json!(3.0 * most + 1e-9))
        );
        assert!(!loads("/vote/hypotheses", json!([])), "sums of no rounds");
        assert!(
            loads("/vote/hypotheses/1/inputs", json!(3)) && !loads("/vote/hypotheses/1/inputs", json!(7))
        );
        assert!(!loads("/vote/majority", json!(0.0)));
        // Every play is booked, so the sums show the start of A for one round at least.
        let mut once = fresh.clone();
        run(&mut once, &task, 1);
        for booster in [fresh, once] {
            let mut state = serde_json::to_value(booster).unwrap();
            let other = if state["setting"] == "agnostic" { "realizable" } else { "agnostic" };
            state["setting"] = json!(other);
            assert!(serde_json::from_value::<Saved>(state).is_err(), "no {other} run starts so");
        }
    }
}

/// A sample of as many rows, of another dimension, would make a vote that has no rows to vote on.
#[test]
fn all_hypotheses_of_a_vote_are_for_the_same_rows() {
    let task = Task::noisy_stump(3, 1);
    let mut booster = Saved::theorem_8(sampled(), task.labels.clone(), 0.5, 60).unwrap();
    run(&mut booster, &task, 1);
    let before = serde_json::to_string(&booster).unwrap();
    let line = SortedColumns::new(rows::RowMatrix::dense(1, vec![1.0, 2.0, 3.0]).unwrap()).unwrap();
    let other_rows = LearnerError::InputDimension { expected: 3, got: 1 };
    assert_eq!(booster.round(&line).unwrap_err(), other_rows);
    assert_eq!(serde_json::to_string(&booster).unwrap(), before);

    let stumps = [3, 3, 1].map(|inputs| Stump::constant(inputs, Label::Plus).unwrap());
    assert_eq!(MajorityVote::new(stumps.to_vec(), 0.5), Err(other_rows));
    let vote = MajorityVote::new(stumps[..2].to_vec(), 0.5).unwrap();
    let mut saved = serde_json::to_value(&vote).unwrap();
    assert_eq!(serde_json::from_value::<MajorityVote<Stump>>(saved.clone()).unwrap(), vote);
    saved["hypotheses"][1]["inputs"] = json!(1);
    assert!(serde_json::from_value::<MajorityVote<Stump>>(saved).is_err());
}

/// Its correlation on the sample is E cor_S(h̄), cut off where Π is; the vote of none has no rows.
#[test]
fn the_expected_vote_is_a_hypothesis() {
    let task = Task::noisy_stump(40, 1);
    let fresh = Saved::theorem_8(sampled(), task.labels.clone(), 0.2, 60).unwrap();
    let none = ExpectedVote::try_from(fresh.vote().clone());
    assert_eq!(none, Err(LearnerError::Empty { argument: "hypotheses" }));
    let mut booster = fresh;
    run(&mut booster, &task, 60);
    let expected = ExpectedVote::try_from(booster.vote().clone()).unwrap();
    let text = serde_json::to_string(&expected).unwrap();
    assert_eq!(text, serde_json::to_string(booster.vote()).unwrap());
    assert_eq!(serde_json::from_str::<ExpectedVote<Stump>>(&text).unwrap(), expected);
    assert!(
        serde_json::from_value::<ExpectedVote<Stump>>(json!({"hypotheses": [], "majority": 0.2})).is_err()
    );
    assert_eq!(expected.inputs(), 3);
    let votes: Vec<f64> = task.sample.matrix().iter().map(|x| expected.predict(x).unwrap()).collect();
    assert!(votes.iter().any(|h| h.abs() < 1.0) && votes.iter().any(|h| h.abs() == 1.0), "{votes:?}");
    assert!((task.correlation(&votes) - booster.expected_correlation()).abs() < 1e-12);
    let narrow = expected.predict(Row::dense(&[0.0]).unwrap());
    assert_eq!(narrow, Err(LearnerError::InputDimension { expected: 3, got: 1 }));
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
