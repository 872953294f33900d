//! The variants' answers and states: what is refused changes nothing, and a state that is read goes on bit
//! for bit.

use boosters::maboost::{
    Active, AdaBoost, Answer, CombinedBoost, Examples, Lazy, LazySparseBoost, MadaBoost, MirrorAscent,
    Reweighting, Schedule, SmoothBoost, SparseBoost, Sparsity,
};
use projections::{Euclidean, NegativeEntropy, Simplex};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use weak_learners::Label::Plus;

fn examples() -> Examples {
    Examples::weighted(vec![Plus; 4], &[1.0, 2.0, 3.0, 0.1]).unwrap()
}

fn play(algorithm: &mut impl Reweighting, rounds: std::ops::Range<u32>) {
    for t in rounds {
        let d = [1.0, -0.5, -1.0, -0.25].map(|d| if t % 3 == 0 { -0.9 * d } else { d });
        let edge = 0.1 + 0.05 * f64::from(t % 7);
        algorithm.reweight(Answer { losses: &d, edge, error_before: 0.5 }).unwrap();
    }
}

fn holds_its_state<A: Reweighting + Clone + Serialize + DeserializeOwned>(mut algorithm: A) {
    play(&mut algorithm, 0..20);
    let saved = serde_json::to_string(&algorithm).unwrap();
    let mut loaded: A = serde_json::from_str(&saved).unwrap();
    let mut went_on = algorithm.clone();
    play(&mut went_on, 20..40);
    play(&mut loaded, 20..40);
    assert_eq!(serde_json::to_string(&went_on).unwrap(), serde_json::to_string(&loaded).unwrap());
    assert_eq!(went_on.weights(), loaded.weights());
    assert_eq!(went_on.promise(), loaded.promise());

    assert!(algorithm.reweight(Answer { losses: &[-1.0; 3], edge: 0.5, error_before: 0.5 }).is_err());
    assert_eq!(serde_json::to_string(&algorithm).unwrap(), saved);
}

/// What the run never hands over, but a caller of the trait may.
fn refuses_what_is_no_answer<A: Reweighting + Serialize>(mut algorithm: A) {
    play(&mut algorithm, 0..5);
    let saved = serde_json::to_string(&algorithm).unwrap();
    let good = Answer { losses: &[-1.0, 0.5, 0.25, 1.0], edge: 0.5, error_before: 0.5 };
    for losses in [[f64::NAN, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.5], [0.0, f64::NEG_INFINITY, 0.0, 0.0]] {
        assert!(algorithm.reweight(Answer { losses: &losses, ..good }).is_err());
    }
    for edge in [0.0, -0.5, 1.5, f64::NAN] {
        assert!(algorithm.reweight(Answer { edge, ..good }).is_err());
    }
    for error_before in [-0.1, 1.1, f64::NAN] {
        assert!(algorithm.reweight(Answer { error_before, ..good }).is_err());
    }
    assert_eq!(serde_json::to_string(&algorithm).unwrap(), saved);
    algorithm.reweight(good).unwrap();
}

#[test]
fn what_is_saved_goes_on_and_what_is_refused_changes_nothing() {
    let examples = examples();
    for sparsity in [Sparsity::Constant(0.02), Sparsity::Fraction(0.5), Sparsity::Sequence(vec![0.01; 30])] {
        holds_its_state(SparseBoost::new(&examples, sparsity).unwrap());
    }
    holds_its_state(LazySparseBoost::sparse(&examples).unwrap());
    holds_its_state(MadaBoost::new(&examples).unwrap());
    holds_its_state(AdaBoost::new(&examples).unwrap());
    refuses_what_is_no_answer(SparseBoost::new(&examples, Sparsity::Fraction(0.5)).unwrap());
    refuses_what_is_no_answer(MadaBoost::new(&examples).unwrap());
    refuses_what_is_no_answer(AdaBoost::new(&examples).unwrap());
    refuses_what_is_no_answer(SmoothBoost::<Active>::smooth(&examples, 2.0).unwrap());
    refuses_what_is_no_answer(SmoothBoost::<Lazy>::smooth(&examples, 2.0).unwrap());
    refuses_what_is_no_answer(CombinedBoost::new(&examples, &[true, false, true, false], 2.0).unwrap());
    let simplex = Simplex::new(1.0).unwrap();
    for schedule in [Schedule::Theorem1, Schedule::Theorem2, Schedule::LongSteps, Schedule::LineSearch] {
        refuses_what_is_no_answer(
            MirrorAscent::<_, _, Active>::new(Euclidean, simplex, &examples, schedule).unwrap(),
        );
        refuses_what_is_no_answer(
            MirrorAscent::<_, _, Lazy>::new(Euclidean, simplex, &examples, schedule).unwrap(),
        );
        refuses_what_is_no_answer(
            MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, &examples, schedule).unwrap(),
        );
        refuses_what_is_no_answer(
            MirrorAscent::<_, _, Lazy>::new(NegativeEntropy, simplex, &examples, schedule).unwrap(),
        );
    }
}

/// Steps of 1e120 for answers of 1e−200, whose squares no double holds.
#[test]
fn the_state_of_huge_steps_can_be_read_again() {
    fn goes_on<A: Reweighting + Serialize + DeserializeOwned>(mut algorithm: A) {
        for t in 0..4 {
            // The last answer has no edge left, so that every round has another.
            let mut d = [-1e-200, 1e-200, -1e-200, -0.5e-200];
            d.rotate_left(t);
            let edge = -rows::dot(algorithm.weights(), &d);
            if edge <= 1e-202 {
                continue;
            }
            assert!(algorithm.reweight(Answer { losses: &d, edge, error_before: 1.0 }).unwrap() > 1e115);
            let saved = serde_json::to_string(&algorithm).unwrap();
            algorithm = serde_json::from_str(&saved).unwrap();
            assert_eq!(serde_json::to_string(&algorithm).unwrap(), saved);
            assert!(algorithm.promise().margin.is_some_and(f64::is_finite));
        }
        assert!(algorithm.rounds() > 0);
    }
    let (examples, simplex) = (Examples::uniform(vec![Plus; 4]).unwrap(), Simplex::new(1.0).unwrap());
    let schedule = Schedule::LineSearch;
    goes_on(MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, &examples, schedule).unwrap());
    goes_on(MirrorAscent::<_, _, Lazy>::new(NegativeEntropy, simplex, &examples, schedule).unwrap());
    goes_on(MirrorAscent::<_, _, Active>::new(Euclidean, simplex, &examples, schedule).unwrap());
    goes_on(MirrorAscent::<_, _, Lazy>::new(Euclidean, simplex, &examples, schedule).unwrap());
}

/// A count at the end of its range stays there.
#[test]
fn a_count_of_rounds_does_not_overflow() {
    let sparse = SparseBoost::new(&examples(), Sparsity::Sequence(vec![0.01])).unwrap();
    let mut state = serde_json::to_value(&sparse).unwrap();
    state["rounds"] = json!(usize::MAX);
    let mut sparse: SparseBoost = serde_json::from_value(state).unwrap();
    play(&mut sparse, 0..2);
    assert_eq!(sparse.rounds(), usize::MAX);
}

fn refuses<A: Serialize + DeserializeOwned>(algorithm: &A, changes: &[(&str, Value)]) {
    for (name, value) in changes {
        let mut state = serde_json::to_value(algorithm).unwrap();
        serde_json::from_value::<A>(state.clone()).map_err(|error| error.to_string()).unwrap();
        assert!(!state[*name].is_null(), "there is no {name}");
        state[*name] = value.clone();
        assert!(serde_json::from_value::<A>(state).is_err(), "{name} = {value}");
    }
}

#[test]
fn states_out_of_reach_are_refused() {
    let examples = examples();
    let not_distributions = [json!([]), json!([0.5, 0.6]), json!([1.5, -0.5])];
    let with_weights = |name, mut changes: Vec<(&'static str, Value)>| {
        changes.extend(not_distributions.iter().map(|w| (name, w.clone())));
        changes
    };
    let progress = [json!([-1.0, 0.0]), json!([0.0, -1e-3])].map(|value| ("progress", value));
    let others = [
        ("start", json!([0.5, 0.5])),
        ("start", json!([0.0, 0.0, 0.0, 1.0])),
        ("sparsity", json!({"fraction": 1.5})),
    ];
    let sparse = SparseBoost::new(&examples, Sparsity::Fraction(0.5)).unwrap();
    refuses(&sparse, &with_weights("w", progress.into_iter().chain(others).collect()));

    let mada = MadaBoost::new(&examples).unwrap();
    let others = vec![
        ("log_z", json!([0.0])),
        ("w", json!([1.0])),
        ("progress", json!(-0.1)),
        ("start", json!([0.5, 0.5])),
        ("start", json!([0.0, 0.5, 0.25, 0.25])),
        ("log_z", json!([0.0, 0.0, 0.0, -1.0])),
    ];
    refuses(&mada, &with_weights("w", others.clone()));
    refuses(&mada, &with_weights("start", others));

    let ada = AdaBoost::new(&examples).unwrap();
    refuses(&ada, &[("eta_sum", json!(-1.0)), ("log_bound", json!(0.5)), ("ascent", json!({}))]);
}
