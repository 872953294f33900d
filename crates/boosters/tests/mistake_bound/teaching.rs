//! What the learners are taught is what the booster says was passed to them: (x, y), and to nobody else.

use crate::recording::{Lesson, Recording};
use crate::streams::{Booster, Stream, Synthetic, rng, synthetic};
use boosters::mistake_bound::{AdaBoostOl, OnlineBbm, OsBoost};

fn check<B: Booster>(mut booster: B, learners: impl Fn(&B) -> &[Recording<Synthetic>]) {
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
    check(OsBoost::new(Recording::of(synthetic(9, 0.5)), 0.3, &mut rng(5)).unwrap(), |booster| {
        booster.learners()
    });
    check(OnlineBbm::new(Recording::of(synthetic(9, 0.5)), 0.3, &mut rng(5)).unwrap(), |booster| {
        booster.learners()
    });
    check(AdaBoostOl::new(Recording::of(synthetic(9, 0.5)), &mut rng(5)).unwrap(), |booster| {
        booster.learners()
    });
}
