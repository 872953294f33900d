//! One, two and four threads: the same bits.

use crate::logs::{Reward, Task};
use boosters::bopl::{
    Bopl, BoplS, Classification, PolicyBoosting, PolicyObjective, Settings, Smoothness, Step, Validation,
};
use off_policy::Log;
use off_policy::estimators::{Estimator, ZeroModel};
use std::ops::ControlFlow;
use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth};

/// Record, scores and estimates as bits.
fn bits<O: PolicyObjective + Send>(
    log: &Log,
    held_out: &Log,
    step: Step,
    threads: Option<usize>,
) -> Vec<u64> {
    let work = || {
        let contexts = BinnedContexts::new(log.contexts().clone()).unwrap();
        let settings = Settings::new(-0.2, 0.0, step).unwrap();
        let growth = PairGrowth::new(6, 1.0, 0.0).unwrap().of_signs();
        let learner = Classification::new(HistogramPairTree::new(growth));
        let mut run = PolicyBoosting::<O, _>::new(log, learner, settings).unwrap();
        let mut validation = Validation::new(held_out, Estimator::Snips, None::<&ZeroModel>, 100).unwrap();
        let go_on = |_: &PolicyBoosting<O, _>, _: Option<&Validation<'_>>| ControlFlow::Continue(());
        run.run_rounds(&contexts, 4, Some(&mut validation), go_on).unwrap();
        let resumed: PolicyBoosting<O, _> = run.checkpoint().resume(log).unwrap();
        assert_eq!(resumed.scores(), run.scores());
        let record =
            run.record().iter().flat_map(|r| [r.alpha, r.decrease, r.objective, r.bound, r.ips, r.snips]);
        let estimates = validation.estimates().iter().flatten().map(|e| e.value);
        record.chain(estimates).chain(run.scores().iter().copied()).map(f64::to_bits).collect()
    };
    match threads {
        None => work(),
        Some(threads) => rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work),
    }
}

#[test]
fn threads_change_nothing() {
    // More pairs than the threshold for threads, in the log and the held-out one.
    let log = Task::letters(2600).log(Reward::Noisy, 1);
    let held_out = Task::letters(1500).log(Reward::Right, 2);
    for step in [Step::Closed(Smoothness::Sharp), Step::LineSearch] {
        let alone = bits::<Bopl>(&log, &held_out, step, None);
        for threads in [1, 2, 4] {
            assert!(bits::<Bopl>(&log, &held_out, step, Some(threads)) == alone, "{threads} threads");
        }
    }
    let step = Step::Closed(Smoothness::Paper);
    let alone = bits::<BoplS>(&log, &held_out, step, None);
    assert!(bits::<BoplS>(&log, &held_out, step, Some(3)) == alone);
}
