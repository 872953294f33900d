//! The guaranteed decrease and Theorem 1, every round: all objectives, steps, ridges, reductions and base
//! learners.

use crate::account::{LAMBDA, Printed, holds};
use crate::learners::{Arbitrary, Constants, means};
use crate::logs::{Reward, Task, random_log};
use boosters::bopl::{
    Bopl, BoplCs, BoplError, BoplLs, BoplS, Checkpoint, Classification, PolicyBoosting, Settings, Smoothness,
    Step,
};
use off_policy::Log;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::num::NonZero;
use weak_learners::batch::{BinnedColumns, LeafAnswer, SortedColumns};
use weak_learners::pairs::{
    BinnedContexts, ColumnSampling, ExactPairTree, GradientSampling, HistogramPairTree, PairGrowth,
    PairLearner, PairNode, RowSampling, SmartcorePairTree, VectorLeafLearner,
};

const STEPS: [Step; 5] = [
    Step::Closed(Smoothness::Paper),
    Step::Closed(Smoothness::Sharp),
    Step::LineSearch,
    Step::SecondOrder { learning_rate: 0.3 },
    Step::SecondOrder { learning_rate: 1.0 },
];

/// A learner in every setting; each must play at least so many rounds in all.
fn in_all_settings<O: Printed, L: PairLearner + Clone>(
    what: &str,
    log: &Log,
    (contexts, learner): (&L::Contexts, &L),
    rounds: usize,
) {
    for step in STEPS {
        for (ridge, translation) in [(0.0, 0.0), (0.0, -0.3), (0.01, -0.3), (2.0, 0.2)] {
            if O::IS_NONNEGATIVE && translation < 0.0 {
                continue;
            }
            let settings = Settings::builder().translation(translation).ridge(ridge).smoothing(LAMBDA);
            let settings = settings.step(step).build().unwrap();
            let what = format!("{what} {}, {settings:?}", O::NAME);
            let played = holds::<O, L>(&what, log, (contexts, learner.clone()), settings, rounds);
            assert!(played >= 2, "{what}: {played} rounds");
        }
    }
}

fn by_all_learners<O: Printed>(what: &str, log: &Log, rounds: usize) {
    let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
    let columns = BinnedColumns::new(log.contexts().clone()).unwrap();
    let binned = BinnedContexts::new(log.contexts().clone()).unwrap();
    let growth = PairGrowth::builder().max_depth(4).min_child_weight(0.05).reg_lambda(0.5).build().unwrap();
    let deep = PairGrowth::builder().max_depth(12).min_child_weight(0.02).reg_lambda(0.0).build().unwrap();
    in_all_settings::<O, _>(&format!("{what} exact"), log, (&sorted, &ExactPairTree::new(growth)), rounds);
    let signs = Classification::new(ExactPairTree::new(growth.of_signs()));
    in_all_settings::<O, _>(&format!("{what} exact signs"), log, (&sorted, &signs), rounds);
    in_all_settings::<O, _>(&format!("{what} binned"), log, (&binned, &HistogramPairTree::new(deep)), rounds);
    let signs = Classification::new(HistogramPairTree::new(deep.of_signs()));
    in_all_settings::<O, _>(&format!("{what} binned signs"), log, (&binned, &signs), rounds);
    let few = growth.with_max_leaves(NonZero::new(6).unwrap());
    in_all_settings::<O, _>(
        &format!("{what} few leaves"),
        log,
        (&binned, &HistogramPairTree::new(few)),
        rounds,
    );
    let rng = || ChaCha8Rng::seed_from_u64(8);
    let sampling = ColumnSampling::new(HistogramPairTree::new(growth), 0.5, rng()).unwrap();
    let sampling = RowSampling::new(sampling, 0.5, rng()).unwrap();
    in_all_settings::<O, _>(&format!("{what} sampled"), log, (&binned, &sampling), rounds);
    let sampling = GradientSampling::new(HistogramPairTree::new(growth), 0.4, rng()).unwrap();
    let drawn = format!("{what} drawn by gradient");
    in_all_settings::<O, _>(&drawn, log, (&binned, &sampling), rounds);
    let smartcores = SmartcorePairTree::new(3, LeafAnswer::Mean, 9).unwrap();
    in_all_settings::<O, _>(&format!("{what} smartcore"), log, (&sorted, &smartcores), rounds);
    let leaves = VectorLeafLearner::new(growth);
    in_all_settings::<O, _>(&format!("{what} vector leaves"), log, (&columns, &leaves), rounds);
    in_all_settings::<O, _>(&format!("{what} constants"), log, (&sorted, &Constants(means)), rounds);
    for size in [1e-3, 1.0, 50.0] {
        let learner = Arbitrary { rng: ChaCha8Rng::seed_from_u64(7), size };
        in_all_settings::<O, _>(&format!("{what} arbitrary"), log, (&sorted, &learner), rounds);
        in_all_settings::<O, _>(
            &format!("{what} arbitrary signs"),
            log,
            (&sorted, &Classification::new(learner)),
            rounds,
        );
    }
}

#[test]
fn every_round_on_letter() {
    let task = Task::letters(300);
    by_all_learners::<Bopl>("letter", &task.log(Reward::Noisy, 1), 5);
    by_all_learners::<BoplS>("letter", &task.log(Reward::Partial, 2), 5);
    by_all_learners::<BoplLs>("letter", &task.log(Reward::Partial, 3), 5);
}

#[test]
fn every_round_on_adult() {
    let task = Task::adults(400);
    by_all_learners::<Bopl>("adult", &task.log(Reward::Punished, 1), 6);
    by_all_learners::<BoplS>("adult", &task.log(Reward::Punished, 2), 6);
    by_all_learners::<BoplS>("adult", &task.log(Reward::Right, 3), 6);
    by_all_learners::<BoplLs>("adult", &task.log(Reward::Right, 4), 6);
}

/// Letters of which three cells of ten were knocked out, by learners that learn the side of missing values.
#[test]
fn every_round_with_missing_values() {
    let (task, indicators) = Task::letters(300).knocked_out(6);
    let log = task.log(Reward::Partial, 5);
    let sorted = SortedColumns::new(log.contexts().clone()).unwrap().with_indicators(&indicators).unwrap();
    let binned = BinnedContexts::new(log.contexts().clone()).unwrap().with_indicators(&indicators).unwrap();
    let growth = PairGrowth::builder().max_depth(5).min_child_weight(0.05).reg_lambda(0.5).build().unwrap();
    let learner = HistogramPairTree::new(growth);
    in_all_settings::<Bopl, _>("missing, binned", &log, (&binned, &learner), 5);
    in_all_settings::<BoplS, _>("missing, binned", &log, (&binned, &learner), 5);
    in_all_settings::<BoplS, _>("missing, exact", &log, (&sorted, &ExactPairTree::new(growth)), 5);
    let rng = || ChaCha8Rng::seed_from_u64(8);
    let sampling = ColumnSampling::new(HistogramPairTree::new(growth), 0.5, rng()).unwrap();
    let sampling = RowSampling::new(sampling, 0.5, rng()).unwrap();
    in_all_settings::<BoplLs, _>("missing, sampled", &log, (&binned, &sampling), 5);
    // And they do learn it.
    let mut run = PolicyBoosting::<BoplS, _>::new(&log, learner, Settings::default()).unwrap();
    (0..5).for_each(|_| assert!(run.round(&binned).unwrap().is_continue()));
    let nodes = run.ensemble().members().iter().flat_map(|member| member.predictor.nodes());
    let sides = nodes.filter(|node| matches!(node, PairNode::ContextOrMissing { .. })).count();
    assert!(sides > 10, "{sides}");
}

#[test]
fn every_round_of_many_random_logs() {
    for seed in 0..30 {
        let log = random_log(1 + 3 * seed as usize, 2, 2 + seed as usize % 4, seed);
        let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
        for size in [1.0, 30.0] {
            let learner = Arbitrary { rng: ChaCha8Rng::seed_from_u64(seed.into()), size };
            for step in STEPS {
                let settings = Settings::builder().translation(0.1).step(step).build().unwrap();
                holds::<Bopl, _>("random", &log, (&sorted, learner.clone()), settings, 30);
                holds::<BoplS, _>("random", &log, (&sorted, learner.clone()), settings, 30);
                let settings = Settings::builder().translation(1.0).smoothing(LAMBDA).step(step);
                let settings = settings.build().unwrap();
                holds::<BoplLs, _>("random", &log, (&sorted, learner.clone()), settings, 30);
            }
        }
    }
}

/// BOPL-CS is BOPL-S where no reward is negative, and convex in the scores there.
#[test]
fn bopl_cs() {
    let log = Task::letters(300).log(Reward::Partial, 4);
    let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
    let learner = ExactPairTree::new(
        PairGrowth::builder().max_depth(3).min_child_weight(1.0).reg_lambda(0.0).build().unwrap(),
    );
    let step = Step::Closed(Smoothness::Sharp);
    let mut convex = BoplCs::start(&log, learner.clone(), 0.0, step).unwrap();
    let settings = Settings::builder().step(step).build().unwrap();
    let mut same = PolicyBoosting::<BoplS, _>::new(&log, learner.clone(), settings).unwrap();
    for _ in 0..10 {
        assert_eq!(convex.round(&sorted).unwrap(), same.round(&sorted).unwrap());
    }
    let negative = Task::letters(50).log(Reward::Punished, 4);
    let refused = BoplCs::start(&negative, learner, 0.0, step);
    assert!(matches!(refused, Err(BoplError::NegativeReward { reward: -0.5, .. })));
}

/// Logarithmic smoothing needs rewards that are nonnegative after the translation; its λ is 1/√n unless it is
/// set, and it is L̂ as λ vanishes.
#[test]
fn bopl_ls() {
    let log = Task::letters(400).log(Reward::Punished, 4);
    let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
    let growth = PairGrowth::builder().max_depth(3).min_child_weight(1.0).reg_lambda(0.0).build().unwrap();
    let start = |translation: f64, smoothing: Option<f64>| {
        let settings = Settings::builder().translation(translation);
        let settings = smoothing.map_or(settings, |lambda| settings.smoothing(lambda)).build().unwrap();
        PolicyBoosting::<BoplLs, _>::new(&log, ExactPairTree::new(growth), settings)
    };
    let refused = start(0.25, None);
    assert!(matches!(refused, Err(BoplError::NegativeReward { reward: -0.25, .. })));
    let (mut usual, mut same) = (start(0.5, None).unwrap(), start(0.5, Some(0.05)).unwrap());
    for _ in 0..5 {
        assert_eq!(usual.round(&sorted).unwrap(), same.round(&sorted).unwrap());
    }
    let saved = serde_json::to_string(&same.checkpoint()).unwrap();
    let load = || serde_json::from_str::<Checkpoint<ExactPairTree>>(&saved).unwrap();
    let mut resumed = load().resume::<BoplLs>(&log).unwrap();
    assert_eq!(resumed.round(&sorted).unwrap(), same.round(&sorted).unwrap());
    assert!(matches!(load().resume::<Bopl>(&log), Err(BoplError::AnotherObjective { .. })));
    let settings = Settings::builder().translation(0.5).build().unwrap();
    let plain = PolicyBoosting::<Bopl, _>::new(&log, ExactPairTree::new(growth), settings).unwrap();
    let faint = start(0.5, Some(1e-9)).unwrap();
    assert!((plain.objective() - faint.objective()).abs() < 1e-6);
    assert!(usual.delta_0() < plain.delta_0());
    for lambda in [0.0, -1.0, f64::NAN, 1e141] {
        assert!(Settings::builder().smoothing(lambda).build().is_err());
    }
}
