//! A saved learner whose vectors differ in length is refused, also on a set that fits any dimension.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

use oco_core::learners::{Comid, LazyOgd, MirrorDescent, Ogd, OptimisticMirrorDescent};
use oco_core::projection_free::OnlineFrankWolfe;
use oco_core::{OnlineLearner, StepSchedule};
use projections::{Euclidean, L2Ball};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The places of all arrays of numbers.
fn vectors(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Array(entries) if entries.iter().all(Value::is_number) => found.push(place.to_owned()),
        Value::Array(entries) => {
            entries.iter().enumerate().for_each(|(i, entry)| vectors(entry, &format!("{place}/{i}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| vectors(field, &format!("{place}/{name}"), found));
        }
        _ => {}
    }
}

/// One of the vectors without its last entry: refused, unless it is the only one and the state a smaller one.
fn is_refused<L: OnlineLearner + Serialize + DeserializeOwned>(what: &str, mut learner: L) {
    for _ in 0..3 {
        learner.observe(&[0.5, -1.0, 0.25]).unwrap();
    }
    let saved = serde_json::to_value(&learner).unwrap();
    let mut places = Vec::new();
    vectors(&saved, "", &mut places);
    assert!(!places.is_empty(), "{what}");
    let is_alone = places.len() == 1;
    for place in places {
        let mut shortened = saved.clone();
        shortened.pointer_mut(&place).unwrap().as_array_mut().unwrap().pop();
        match serde_json::from_value::<L>(shortened) {
            Err(_) => {}
            Ok(smaller) => {
                assert!(is_alone && smaller.play().len() == 2, "{what} without an entry of {place}");
            }
        }
    }
}

#[test]
fn vectors_of_other_lengths() {
    let (ball, step) = (|| L2Ball::new(2.0).unwrap(), StepSchedule::power(0.1, 0.5).unwrap());
    is_refused("OGD", Ogd::new(ball(), 3, step).unwrap());
    is_refused("lazy OGD", LazyOgd::new(ball(), 3, 0.1).unwrap());
    is_refused("mirror descent", MirrorDescent::new(Euclidean, ball(), 3, 0.1).unwrap());
    is_refused("optimistic", OptimisticMirrorDescent::new(Euclidean, ball(), 3, 0.1).unwrap());
    is_refused("COMID", Comid::new(3, 0.1, 0.01).unwrap());
    is_refused("online FW", OnlineFrankWolfe::new(ball(), vec![0.0; 3], 0.1).unwrap());
}
