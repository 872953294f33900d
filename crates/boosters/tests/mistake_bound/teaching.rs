//! What the learners are taught is what the booster says was passed to them: (x, y), and to nobody else.

use crate::streams::{Booster, Stream, Synthetic, rng, synthetic};
use boosters::mistake_bound::{AdaBoostOl, OnlineBbm, OsBoost};
use rows::Row;
use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

/// An example as a learner saw it.
type Lesson = (Vec<f64>, Label);

/// A learner that keeps what it was taught.
#[derive(Clone)]
struct Recording {
    learner: Synthetic,
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
    synthetic(9, 0.5).into_iter().map(|learner| Recording { learner, taught: Vec::new() }).collect()
}

fn check<B: Booster>(mut booster: B, learners: impl Fn(&B) -> &[Recording]) {
    let stream = Stream::synthetic(300, 0.2, 10);
    let (mut lessons, mut passed) = (vec![Vec::<Lesson>::new(); 9], 0);
    for (t, (x, y)) in stream.examples().enumerate() {
        booster.play(x, y);
        for (lessons, _) in lessons.iter_mut().zip(booster.last().passed()).filter(|(_, passed)| **passed) {
            lessons.push((x.to_dense(), y));
            passed += 1;
        }
        for (learner, lessons) in learners(&booster).iter().zip(&lessons) {
            assert_eq!(&learner.taught, lessons, "round {t}");
        }
    }
    assert!((500..2500).contains(&passed), "{passed} of 2700");
}

#[test]
fn a_learner_is_taught_what_is_passed_to_it() {
    check(OsBoost::new(recording(), 0.3, &mut rng(5)).unwrap(), |booster| booster.learners());
    check(OnlineBbm::new(recording(), 0.3, &mut rng(5)).unwrap(), |booster| booster.learners());
    check(AdaBoostOl::new(recording(), &mut rng(5)).unwrap(), |booster| booster.learners());
}
