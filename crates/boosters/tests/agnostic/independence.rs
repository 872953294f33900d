//! Results depend neither on the number of threads nor, for the first learners, on how many follow them.

use super::streams::{Examples, hedges, rng};
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster};
use oco_core::{Ogd, StepSchedule};
use projections::BoxSet;

/// Trials on 1, 2 and 4 threads, of both boosters: votes, traces and the learners at the end are bit for bit the same.
#[test]
fn the_number_of_threads_changes_nothing() {
    let examples = Examples::letter();
    let thresholds = examples.thresholds(4);
    let trial = |seed: u64| {
        let stream = examples.noisy(150, 0.2, seed);
        let learners = || hedges(&thresholds, 150, 8, seed);
        let mut agnostic = OnlineAgnosticBooster::with_ogd(learners(), 0.5, &mut rng(seed, 0)).unwrap();
        let mut realizable = OnlineRealizableBooster::with_ogd(learners(), 0.5, &mut rng(seed, 0)).unwrap();
        let mut text = String::new();
        for (x, y) in stream.examples() {
            let votes = (agnostic.round(x, y).unwrap(), realizable.round(x, y).unwrap());
            text += &format!("{votes:?} {:?} {:?}\n", agnostic.trace(), realizable.trace());
        }
        text + &serde_json::to_string(&(agnostic, realizable)).unwrap()
    };
    let on = |threads: u64| {
        let mut outcomes = vec![String::new(); 8];
        std::thread::scope(|scope| {
            let share =
                |k| scope.spawn(move || (k..8).step_by(threads as usize).map(|s| (s, trial(s))).collect());
            let handles: Vec<_> = (0..threads).map(share).collect();
            for handle in handles {
                let part: Vec<(u64, String)> = handle.join().unwrap();
                part.into_iter().for_each(|(seed, text)| outcomes[seed as usize] = text);
            }
        });
        outcomes
    };
    let alone = on(1);
    assert!(alone.iter().zip(&alone[1..]).all(|(a, b)| a != b), "seeds differ");
    assert_eq!(on(2), alone);
    assert_eq!(on(4), alone);
}

/// With steps that do not depend on N, what learner i is passed depends on the learners before it alone.
#[test]
fn a_prefix_of_the_learners_is_taught_the_same() {
    let examples = Examples::letter();
    let (thresholds, stream) = (examples.thresholds(4), examples.noisy(400, 0.2, 1));
    let steps = StepSchedule::zinkevich(2.0, 3.0).unwrap();
    let oco =
        |lower, start| Ogd::starting_at(BoxSet::interval(lower, 1.0).unwrap(), vec![start], steps).unwrap();
    let agnostic = |n| {
        OnlineAgnosticBooster::new(hedges(&thresholds, 400, n, 4), oco(-1.0, 0.0), 0.5, &mut rng(9, 0))
            .unwrap()
    };
    let realizable = |n| {
        OnlineRealizableBooster::new(hedges(&thresholds, 400, n, 4), oco(0.0, 0.5), 0.5, &mut rng(9, 0))
            .unwrap()
    };
    let (mut few, mut many) = ((agnostic(3), realizable(3)), (agnostic(10), realizable(10)));
    for (x, y) in stream.examples() {
        for booster in [&mut few.0, &mut many.0] {
            booster.round(x, y).unwrap();
        }
        for booster in [&mut few.1, &mut many.1] {
            booster.round(x, y).unwrap();
        }
        for (few, many) in [(few.0.trace(), many.0.trace()), (few.1.trace(), many.1.trace())] {
            assert_eq!((few.votes(), few.p()), (&many.votes()[..3], &many.p()[..3]));
            assert_eq!((few.passed(), few.p_next()), (&many.passed()[..3], many.p()[3]));
        }
    }
}
