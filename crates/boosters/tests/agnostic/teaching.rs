//! What the learners are taught is what the trace says was passed to them, label by label.

use super::contract::learners;
use super::streams::rng;
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster, Trace};
use rows::Row;
use weak_learners::online::HedgeStumps;
use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

/// An example as a learner saw it.
type Lesson = (Vec<f64>, Label);

/// A learner that keeps what it was taught.
#[derive(Clone)]
struct Recording {
    learner: HedgeStumps,
    taught: Vec<Lesson>,
}

impl OnlinePredictor<Label> for Recording {
    fn shape(&self) -> Shape {
        self.learner.shape()
    }
    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        self.learner.predict(x, y)
    }
    fn accepts(&self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.learner.accepts(x, y)
    }
    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.learner.update(x, y)?;
        self.taught.push((x.to_dense(), *y));
        Ok(())
    }
}

fn recording() -> Vec<Recording> {
    learners(7, 1).into_iter().map(|learner| Recording { learner, taught: Vec::new() }).collect()
}

/// Plays 300 rounds with `round`, which returns the trace and the learners after it; returns how many lessons were
/// true labels, turned ones, and none.
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

fn lessons(learners: &[Recording]) -> Vec<Vec<Lesson>> {
    learners.iter().map(|learner| learner.taught.clone()).collect()
}

/// Every learner of Algorithm 1 is taught its own label y^i once a round.
#[test]
fn a_learner_of_algorithm_1_is_taught_its_own_label() {
    for trusting in [false, true] {
        let tuned = [OnlineAgnosticBooster::with_ogd, OnlineAgnosticBooster::with_trusting_ogd]
            [usize::from(trusting)];
        let mut booster = tuned(recording(), 0.5, &mut rng(2, 0)).unwrap();
        let [told, turned, none] = played(|x, y| {
            booster.round(x, y).unwrap();
            (booster.trace().clone(), lessons(booster.learners()))
        });
        assert!(told > 100 && turned > 100 && none == 0, "{told}, {turned}, {none}");
    }
}

/// A learner of Algorithm 4 is taught the true label where the example is passed to it, and nothing otherwise.
#[test]
fn a_learner_of_algorithm_4_is_taught_what_is_passed() {
    let mut booster = OnlineRealizableBooster::with_ogd(recording(), 0.5, &mut rng(2, 0)).unwrap();
    let [told, turned, none] = played(|x, y| {
        booster.round(x, y).unwrap();
        (booster.trace().clone(), lessons(booster.learners()))
    });
    assert!(told > 100 && turned == 0 && none > 100, "{told}, {turned}, {none}");
}
