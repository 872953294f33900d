//! The input of the learner behind the reduction to classification.

use crate::learners::Constants;
use crate::logs::random_log;
use boosters::bopl::{Bopl, Classification, PolicyBoosting, Settings};
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::PairRound;

/// [L23, Algorithm 4]: weights |u| and labels sgn(u), so that g = u; here in units in which the mean weight
/// is 1, whatever the gradient of the round is.
#[test]
fn labels_are_signs_and_weights_are_sizes_of_mean_one() {
    let log = random_log(60, 2, 4, 3);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let settings = Settings::builder().translation(-0.3).build().unwrap();
    let mut asked = 0;
    let examine = |round: &PairRound<'_>| {
        let (n, actions) = (round.examples(), round.actions());
        let mut total = 0.0;
        for (i, a) in (0..n).flat_map(|i| (0..actions).map(move |a| (i, a))) {
            assert_eq!(round.weight(i, a), round.gradient(i, a).abs());
            total += round.weight(i, a);
        }
        assert!((total / (n * actions) as f64 - 1.0).abs() < 1e-12, "{total}");
        asked += 1;
        (0..actions).map(|a| if a == asked % actions { 1.0 } else { -1.0 }).collect()
    };
    let learner = Classification::new(Constants(examine));
    let mut run = PolicyBoosting::<Bopl, _>::new(&log, learner, settings).unwrap();
    for _ in 0..8 {
        assert!(run.round(&contexts).unwrap().is_continue());
    }
}
