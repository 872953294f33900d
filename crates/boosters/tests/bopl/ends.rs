//! Why runs end.

use crate::learners::Constants;
use crate::logs::random_log;
use boosters::bopl::{Bopl, BoplS, BoplStop, PolicyBoosting, PolicyObjective, Settings, Step};
use off_policy::{Log, Rewards};
use std::ops::ControlFlow;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::PairRound;

fn ends<O: PolicyObjective>(
    log: &Log,
    translation: f64,
    answer: impl FnMut(&PairRound<'_>) -> Vec<f64>,
) -> Option<BoplStop> {
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let settings = Settings::builder().translation(translation).build().unwrap();
    let mut run = PolicyBoosting::<O, _>::new(log, Constants(answer), settings).unwrap();
    let (at, norm) = (run.scores().to_vec(), run.gradients().to_vec());
    match run.round(&contexts).unwrap() {
        ControlFlow::Break(stop) => {
            assert_eq!((run.scores(), run.gradients(), run.record().len()), (&*at, &*norm, 0));
            assert_eq!(run.run_rounds(&contexts, 9, None, |_, _| ControlFlow::Continue(())).unwrap(), stop);
            Some(stop)
        }
        ControlFlow::Continue(_) => None,
    }
}

fn with_rewards(log: &Log, reward: f64) -> Log {
    let (a, p) = (log.logged_actions().to_vec(), log.propensities().to_vec());
    Log::new(log.contexts().clone(), log.actions(), a, p, Rewards(vec![reward; log.len()])).unwrap()
}

#[test]
fn a_gradient_that_vanishes() {
    let log = random_log(20, 2, 3, 1);
    let means = crate::learners::means;
    assert_eq!(
        ends::<Bopl>(&random_log(20, 2, 1, 1), 0.0, means),
        Some(BoplStop::NoChoice),
        "a single action"
    );
    assert_eq!(
        ends::<BoplS>(&random_log(20, 2, 1, 1), 0.0, means),
        Some(BoplStop::NoChoice),
        "a single action"
    );
    assert_eq!(ends::<BoplS>(&with_rewards(&log, 0.0), 0.0, means), Some(BoplStop::Gradient), "no rewards");
    assert_eq!(
        ends::<Bopl>(&with_rewards(&log, 0.25), -0.25, means),
        Some(BoplStop::Gradient),
        "translated to 0"
    );
    assert_eq!(ends::<Bopl>(&log, 0.0, means), None);
}

#[test]
fn predictions_that_vanish() {
    let log = random_log(20, 2, 3, 1);
    assert_eq!(ends::<Bopl>(&log, 0.0, |_| vec![0.0; 3]), Some(BoplStop::Predictions));
    assert_eq!(ends::<BoplS>(&log, 0.0, |_| vec![0.9e-10, -0.9e-10, 0.0]), Some(BoplStop::Predictions));
    assert_eq!(ends::<BoplS>(&log, 0.0, |_| vec![1.1e-10, -1.1e-10, 0.0]), None);
}

/// The same for all actions: orthogonal to u.
#[test]
fn a_weight_that_vanishes() {
    let log = random_log(20, 2, 3, 1);
    assert_eq!(ends::<Bopl>(&log, 0.0, |_| vec![1.0; 3]), Some(BoplStop::Alpha));
    assert_eq!(ends::<BoplS>(&log, 0.0, |_| vec![-3.0; 3]), Some(BoplStop::Alpha));
}

#[test]
fn rounds_and_watchers() {
    let log = random_log(30, 2, 3, 2);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let settings = Settings::builder().step(Step::LineSearch).build().unwrap();
    let learner = Constants(|round: &PairRound<'_>| {
        // Half of the best, so that the run goes on.
        let mut means = crate::learners::means(round);
        means[0] *= 0.5;
        means
    });
    let mut run = PolicyBoosting::<BoplS, _>::new(&log, learner, settings).unwrap();
    let mut seen = Vec::new();
    let mut watch = |run: &PolicyBoosting<BoplS, _>, _: Option<&boosters::bopl::Validation<'_>>| {
        seen.push(run.record().len());
        if seen.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert_eq!(run.run_rounds(&contexts, 3, None, &mut watch).unwrap(), BoplStop::Watcher);
    assert_eq!(run.run_rounds(&contexts, 3, None, &mut watch).unwrap(), BoplStop::Rounds);
    assert_eq!(run.run_rounds(&contexts, 3, None, &mut watch).unwrap(), BoplStop::Rounds);
    assert_eq!((run.record().len(), seen), (3, vec![1, 2, 3]));
}
