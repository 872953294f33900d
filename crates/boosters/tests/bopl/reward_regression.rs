//! Boosted reward regression: the fall of the squared error.

use crate::account::{mean, scores_of};
use crate::learners::Arbitrary;
use crate::logs::{Reward, Task};
use boosters::bopl::{
    BoplError, BoplStop, EarlyStopping, PolicyEnsemble, PredictedProbabilities, PredictedRewards,
    RewardRegression,
};
use off_policy::estimators::RewardModel;
use off_policy::policies::Scores;
use off_policy::{Log, Rewards};
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
        assert!((round.loss - after).abs() <= slack, "{round:?}: the error is {after}");
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
    let rewards = Rewards(vec![0.0; 50]);
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

/// (1/n) Σ −(r ln q + (1 − r) ln(1 − q)), from the probabilities.
fn cross_entropy<H: PairHypothesis>(ensemble: &PolicyEnsemble<H>, log: &Log) -> f64 {
    let mut q = vec![0.0; log.actions()];
    let rows: Vec<_> = log.iter().collect();
    mean(rows.iter().map(|row| {
        PredictedProbabilities(ensemble).rewards(row.context, &mut q).unwrap();
        let q = q[row.action];
        -(row.reward * q.ln() + (1.0 - row.reward) * (1.0 - q).ln())
    }))
}

/// Plays rounds of the logistic loss, which falls by at least what is booked; the number of rounds in which
/// it fell by less than twice as much.
fn falls_at_least<L: PairLearner>(log: &Log, contexts: &L::Contexts, learner: L, rate: f64) -> usize {
    let mut run = RewardRegression::logistic(log, learner, rate).unwrap();
    let mut before = cross_entropy(run.ensemble(), log);
    assert!((run.loss() - 2.0_f64.ln()).abs() < 1e-12 && (before - run.loss()).abs() < 1e-12);
    let mut tight = 0;
    for _ in 0..12 {
        let Some(round) = run.round(contexts).unwrap().continue_value() else { break };
        let after = cross_entropy(run.ensemble(), log);
        assert!((round.loss - after).abs() < 1e-9, "{round:?}: the loss is {after}");
        assert!(round.decrease > 0.0, "{round:?}");
        assert!(before - after >= round.decrease - 1e-12, "{round:?}: from {before} to {after}");
        tight += usize::from(before - after < 2.0 * round.decrease);
        before = after;
    }
    assert!(run.record().len() > 2, "{:?}", run.record());
    tight
}

#[test]
fn the_logistic_loss_falls_by_the_local_quadratic() {
    for log in [Task::letters(400).log(Reward::Right, 1), Task::adults(400).log(Reward::Right, 2)] {
        let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
        let binned = BinnedContexts::new(log.contexts().clone()).unwrap();
        for lambda in [0.01, 2.0] {
            let growth =
                PairGrowth::builder().max_depth(5).min_child_weight(0.1).reg_lambda(lambda).build().unwrap();
            for rate in [0.1, 1.0, 1.9] {
                let tight = falls_at_least(&log, &sorted, ExactPairTree::new(growth), rate)
                    + falls_at_least(&log, &binned, HistogramPairTree::new(growth), rate);
                assert!(tight > 0, "the guarantee says little: η = {rate}, λ = {lambda}");
            }
        }
        for size in [0.01, 1.0, 30.0] {
            let arbitrary = Arbitrary { rng: ChaCha8Rng::seed_from_u64(1), size };
            falls_at_least(&log, &sorted, arbitrary, 0.5);
        }
    }
}

/// Four rows, in which action 0 always pays and action 1 never.
fn four_rows(rewards: [f64; 4]) -> Log {
    let contexts = rows::RowMatrix::dense(1, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
    Log::new(contexts, 2, vec![0, 1, 0, 1], vec![0.5; 4], Rewards(rewards.to_vec())).unwrap()
}

#[test]
fn logistic_trees_take_newton_steps() {
    let log = four_rows([1.0, 0.0, 1.0, 0.0]);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
    let mut run = RewardRegression::logistic(&log, ExactPairTree::new(growth), 0.5).unwrap();
    let round = run.round(&contexts).unwrap().continue_value().unwrap();
    // Residuals of ±½ and weights of ¼ make leaves of ±2. There the quadratic has slope 4 and curvature 4,
    // whose minimum is beyond η.
    assert!((round.decrease - (0.5 * 4.0 - 0.125 * 4.0) / 4.0).abs() < 1e-15, "{round:?}");
    let mut scores = [0.0; 2];
    run.ensemble().scores(log.contexts().row(0).unwrap(), &mut scores).unwrap();
    assert_eq!(scores, [1.0, -1.0]);
    let mut q = [0.0; 2];
    PredictedProbabilities(run.ensemble()).rewards(log.contexts().row(3).unwrap(), &mut q).unwrap();
    let e = std::f64::consts::E;
    assert!((q[0] - e / (1.0 + e)).abs() < 1e-15 && (q[0] + q[1] - 1.0).abs() < 1e-15, "{q:?}");
    // The second tree has the residuals 1 − q and the weights q(1 − q): leaves of ±1/q.
    assert!(run.round(&contexts).unwrap().is_continue());
    let found = run.ensemble().members()[1].predictor.score(log.contexts().row(0).unwrap(), 0).unwrap();
    assert!((found - 1.0 / q[0]).abs() < 1e-12, "{found}");
}

#[test]
fn probabilities_come_from_rewards_in_the_unit_interval() {
    let growth = PairGrowth::builder().build().unwrap();
    let learner = || ExactPairTree::new(growth);
    for reward in [-0.1, 1.1, 5.0] {
        let log = four_rows([1.0, 0.0, reward, 0.0]);
        let refused = |error| matches!(error, BoplError::BadParameter { name: "a reward", value, .. } if value == reward);
        assert!(refused(RewardRegression::logistic(&log, learner(), 0.5).unwrap_err()));
        let fine = four_rows([1.0, 0.0, 0.5, 0.0]);
        let contexts = SortedColumns::new(fine.contexts().clone()).unwrap();
        let mut run = RewardRegression::logistic(&fine, learner(), 0.5).unwrap();
        let stopping = EarlyStopping::builder(&log).build().unwrap();
        assert!(refused(run.fit(&contexts, &stopping).unwrap_err()));
        assert!(run.ensemble().is_empty());
        let mut squared = RewardRegression::new(&fine, learner(), 0.5).unwrap();
        assert!(squared.fit(&contexts, &stopping).is_ok(), "squares of any rewards");
    }
}

#[test]
fn a_fit_stops_early_at_the_smallest_held_out_loss() {
    let task = Task::letters(600);
    let (log, held_out) = (task.log(Reward::Right, 1), Task::letters(300).log(Reward::Right, 2));
    let contexts = BinnedContexts::new(log.contexts().clone()).unwrap();
    let growth = PairGrowth::builder().max_depth(6).min_child_weight(0.1).reg_lambda(0.1).build().unwrap();
    for is_logistic in [false, true] {
        let start = || {
            let learner = HistogramPairTree::new(growth);
            if is_logistic {
                RewardRegression::logistic(&log, learner, 0.5).unwrap()
            } else {
                RewardRegression::new(&log, learner, 0.5).unwrap()
            }
        };
        let loss_of = |ensemble: &PolicyEnsemble<_>| {
            if is_logistic { cross_entropy(ensemble, &held_out) } else { squared_error(ensemble, &held_out) }
        };
        let mut run = start();
        let stopping = EarlyStopping::builder(&held_out).rounds(60).patience(4).build().unwrap();
        let end = run.fit(&contexts, &stopping).unwrap();
        let losses: Vec<f64> =
            (0..=run.ensemble().len()).map(|t| loss_of(&run.ensemble().prefix(t))).collect();
        let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((losses[end.best_round] - best).abs() < 1e-12, "{end:?}: {losses:?}");
        assert!((end.held_out_loss - best).abs() < 1e-9, "{end:?}");
        assert_eq!((end.stop, run.ensemble().len()), (BoplStop::Patience, end.best_round + 4));
        assert!(end.best_round > 0);
        // Rounds that were played before count, and fewer rounds end where they say.
        let mut resumed = start();
        (0..3).for_each(|_| assert!(resumed.round(&contexts).unwrap().is_continue()));
        assert_eq!(resumed.fit(&contexts, &stopping).unwrap(), end);
        assert_eq!(resumed.ensemble(), run.ensemble());
        let mut short = start();
        let few = EarlyStopping::builder(&held_out).rounds(1).build().unwrap();
        assert_eq!(short.fit(&contexts, &few).unwrap().stop, BoplStop::Rounds);
        assert_eq!(short.ensemble().len(), 1);
        // A held-out log of other actions is refused before a round.
        let other = four_rows([0.0; 4]);
        let refused = start().fit(&contexts, &EarlyStopping::builder(&other).build().unwrap());
        assert!(matches!(refused, Err(BoplError::Mismatch { .. })), "{refused:?}");
    }
    let none = EarlyStopping::builder(&held_out).patience(0).build();
    assert!(matches!(none, Err(BoplError::BadParameter { name: "patience", .. })));
}
