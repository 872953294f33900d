//! Boosted reward regression: the fall of the squared error.

use crate::account::{mean, scores_of};
use crate::learners::Arbitrary;
use crate::logs::{Reward, Task};
use boosters::bopl::{BoplStop, PolicyEnsemble, PredictedRewards, RewardRegression};
use off_policy::Log;
use off_policy::estimators::RewardModel;
use off_policy::policies::Scores;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{
    BinnedContexts, ExactPairTree, HistogramPairTree, PairGrowth, PairHypothesis, PairLearner,
};

fn squared_error<H: PairHypothesis>(ensemble: &PolicyEnsemble<H>, log: &Log) -> f64 {
    let scores = scores_of(ensemble, log);
    mean((0..log.len()).map(|i| (log.rewards()[i] - scores[i][log.logged_actions()[i] as usize]).powi(2)))
}

/// Plays rounds; the error is that of the ensemble, and falls by what is booked.
fn falls<L: PairLearner>(log: &Log, contexts: &L::Contexts, learner: L, rate: f64) -> Vec<f64> {
    let mut run = RewardRegression::new(log, learner, rate).unwrap();
    let mut before = squared_error(run.ensemble(), log);
    let mut decreases = Vec::new();
    for _ in 0..12 {
        let Some(round) = run.round(contexts).unwrap().continue_value() else { break };
        let after = squared_error(run.ensemble(), log);
        let slack = 1e-12 * (1.0 + before + after);
        assert!((round.squared_error - after).abs() <= slack, "{round:?}: the error is {after}");
        assert!((before - after - round.decrease).abs() <= slack, "{round:?}: from {before} to {after}");
        decreases.push(round.decrease);
        before = after;
    }
    assert_eq!(run.record().len(), decreases.len());
    decreases
}

#[test]
fn least_squares_never_raises_the_error() {
    for log in [Task::letters(400).log(Reward::Partial, 1), Task::adults(400).log(Reward::Punished, 2)] {
        let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
        let binned = BinnedContexts::new(log.contexts().clone()).unwrap();
        for lambda in [0.0, 2.0] {
            let growth =
                PairGrowth::builder().max_depth(5).min_child_weight(1.0).reg_lambda(lambda).build().unwrap();
            for rate in [0.1, 1.0, 1.9] {
                let exact = falls(&log, &sorted, ExactPairTree::new(growth), rate);
                let histogram = falls(&log, &binned, HistogramPairTree::new(growth), rate);
                for decreases in [exact, histogram] {
                    assert!(!decreases.is_empty() && decreases.iter().all(|fall| *fall >= -1e-15));
                    assert!(decreases[0] > 0.0, "η = {rate}, λ = {lambda}");
                }
            }
        }
        // The formula holds for any predictor; without merit, the error may rise.
        let arbitrary = Arbitrary { rng: ChaCha8Rng::seed_from_u64(1), size: 1.0 };
        assert!(falls(&log, &sorted, arbitrary, 0.5).iter().any(|fall| *fall < 0.0));
    }
}

#[test]
fn its_ensemble_is_a_model_of_rewards() {
    let log = Task::letters(200).log(Reward::Right, 1);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let learner = ExactPairTree::new(
        PairGrowth::builder().max_depth(4).min_child_weight(1.0).reg_lambda(0.0).build().unwrap(),
    );
    let mut run = RewardRegression::new(&log, learner, 0.5).unwrap();
    (0..4).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
    let model = PredictedRewards(run.ensemble());
    assert_eq!((model.inputs(), model.actions()), (Some(log.inputs()), 26));
    let (mut q, mut scores) = (vec![1.0; 26], vec![2.0; 26]);
    for x in log.contexts().iter() {
        model.rewards(x, &mut q).unwrap();
        run.ensemble().scores(x, &mut scores).unwrap();
        assert_eq!(q, scores);
    }
    assert!(model.rewards(log.contexts().row(0).unwrap(), &mut q[..3]).is_err());
}

#[test]
fn it_ends_where_nothing_is_left() {
    let zero = Task::adults(50).log(Reward::Right, 1);
    let rewards = off_policy::Rewards(vec![0.0; 50]);
    let (a, p) = (zero.logged_actions().to_vec(), zero.propensities().to_vec());
    let zero = Log::new(zero.contexts().clone(), 2, a, p, rewards).unwrap();
    let contexts = SortedColumns::new(zero.contexts().clone()).unwrap();
    let learner = ExactPairTree::new(
        PairGrowth::builder().max_depth(4).min_child_weight(1.0).reg_lambda(0.0).build().unwrap(),
    );
    let mut run = RewardRegression::new(&zero, learner, 0.5).unwrap();
    assert_eq!(run.round(&contexts).unwrap().break_value(), Some(BoplStop::Gradient));
    assert!(run.ensemble().is_empty());
}
