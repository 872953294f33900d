//! The labels of the learners are those of the trace.

use super::contract::learners;
use super::recording::{Lesson, Recording};
use super::streams::rng;
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster, Trace};
use rows::Row;
use weak_learners::Label;
use weak_learners::online::HedgeStumps;

/// Plays 300 rounds with `round`, which returns the trace and the learners after it; returns the numbers of
/// true labels, flipped labels, and rounds without a label.
fn played(mut round: impl FnMut(Row<'_>, Label) -> (Trace, Vec<Vec<Lesson>>)) -> [usize; 3] {
    let (mut lessons, mut counts) = (vec![Vec::<Lesson>::new(); 7], [0; 3]);
    for t in 0..300_u32 {
        let wave = |k: f64| (f64::from(t) * k).sin();
        let values = [wave(1.0), wave(0.3)];
        let y = Label::of_score(wave(1.0) + 0.5 * wave(0.3) + 0.3 * wave(7.0));
        let (trace, taught) = round(Row::dense(&values).unwrap(), y);
        for (lessons, passed) in lessons.iter_mut().zip(trace.passed()) {
            lessons.extend(passed.map(|label| (values.to_vec(), label)));
            counts[passed.map_or(2, |label| usize::from(label != y))] += 1;
        }
        assert_eq!(taught, lessons, "round {t}");
    }
    counts
}

fn lessons(learners: &[Recording<HedgeStumps>]) -> Vec<Vec<Lesson>> {
    learners.iter().map(|learner| learner.taught.clone()).collect()
}

/// Every learner of Algorithm 1 is taught its own label y^i once a round.
#[test]
fn a_learner_of_algorithm_1_is_taught_its_own_label() {
    for trusting in [false, true] {
        let tuned = [OnlineAgnosticBooster::with_ogd, OnlineAgnosticBooster::with_trusting_ogd]
            [usize::from(trusting)];
        let mut booster = tuned(Recording::of(learners(7, 1)), 0.5, &mut rng(2, 0)).unwrap();
        let [told, turned, none] = played(|x, y| {
            booster.round(x, y).unwrap();
            (booster.trace().clone(), lessons(booster.learners()))
        });
        assert!(told > 100 && turned > 100 && none == 0, "{told}, {turned}, {none}");
    }
}

/// A learner of Algorithm 4 is taught the true label where the example is passed to it, and nothing
/// otherwise.
#[test]
fn a_learner_of_algorithm_4_is_taught_what_is_passed() {
    let mut booster =
        OnlineRealizableBooster::with_ogd(Recording::of(learners(7, 1)), 0.5, &mut rng(2, 0)).unwrap();
    let [told, turned, none] = played(|x, y| {
        booster.round(x, y).unwrap();
        (booster.trace().clone(), lessons(booster.learners()))
    });
    assert!(told > 100 && turned == 0 && none > 100, "{told}, {turned}, {none}");
}
