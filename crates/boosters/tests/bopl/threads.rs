//! One, two and four threads: the same bits.

use crate::logs::{Reward, Task};
use boosters::bopl::{
    Bopl, BoplS, BoplStop, Classification, PolicyBoosting, PolicyObjective, Settings, Smoothness, Step,
    Validation,
};
use off_policy::Log;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::num::NonZero;
use std::ops::ControlFlow;
use weak_learners::pairs::{
    BinnedContexts, GradientSampling, HistogramPairTree, PairGrowth, PairLearner, PairTree,
};

/// Record, scores and estimates as bits.
fn bits<O, L>(log: &Log, held_out: &Log, (learner, step): (&L, Step), threads: Option<usize>) -> Vec<u64>
where
    O: PolicyObjective + Send,
    L: PairLearner<Contexts = BinnedContexts, Hypothesis = PairTree> + Clone + Send + Sync,
{
    let work = || {
        let contexts = BinnedContexts::new(log.contexts().clone()).unwrap();
        let settings = Settings::builder().translation(-0.2).step(step).build().unwrap();
        let mut run = PolicyBoosting::<O, _>::new(log, learner.clone(), settings).unwrap();
        let mut validation = Validation::builder(held_out).patience(100).build().unwrap();
        let go_on = |_: &PolicyBoosting<O, _>, _: Option<&Validation<'_>>| ControlFlow::Continue(());
        assert_eq!(run.run_rounds(&contexts, 4, Some(&mut validation), go_on), Ok(BoplStop::Rounds));
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

/// The same with one, two and four threads as with none.
fn same<O: PolicyObjective + Send>(logs: (&Log, &Log), step: Step) {
    fn check<O, L>((log, held_out): (&Log, &Log), learner: &L, step: Step)
    where
        O: PolicyObjective + Send,
        L: PairLearner<Contexts = BinnedContexts, Hypothesis = PairTree> + Clone + Send + Sync,
    {
        let alone = bits::<O, L>(log, held_out, (learner, step), None);
        for threads in [1, 2, 4] {
            let found = bits::<O, L>(log, held_out, (learner, step), Some(threads));
            assert!(found == alone, "{threads} threads, {}, {step:?}", O::NAME);
        }
    }
    let growth = PairGrowth::builder().max_depth(6).min_child_weight(1.0).reg_lambda(0.0).build().unwrap();
    check::<O, _>(logs, &HistogramPairTree::new(growth), step);
    let few = HistogramPairTree::new(growth.with_max_leaves(NonZero::new(30).unwrap()));
    check::<O, _>(logs, &few, step);
    let rng = ChaCha8Rng::seed_from_u64(3);
    let sampling = GradientSampling::new(HistogramPairTree::new(growth), 0.5, rng).unwrap();
    check::<O, _>(logs, &sampling, step);
    check::<O, _>(logs, &Classification::new(HistogramPairTree::new(growth.of_signs())), step);
}

#[test]
fn threads_change_nothing() {
    // More pairs than the threshold for threads, in the log and the held-out one.
    let log = Task::letters(2600).log(Reward::Noisy, 1);
    let held_out = Task::letters(1500).log(Reward::Right, 2);
    let second_order = Step::SecondOrder { learning_rate: 0.3 };
    for step in
        [Step::Closed(Smoothness::Paper), Step::Closed(Smoothness::Sharp), Step::LineSearch, second_order]
    {
        same::<Bopl>((&log, &held_out), step);
        same::<BoplS>((&log, &held_out), step);
    }
}
