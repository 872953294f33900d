//! Reward regression whose rows are those of several ranks: the ensemble, the record and the end of one
//! process, to the byte.

use crate::logs::{Reward, Task};
use crate::ranks::{LIMIT, ROWS, contexts, growth, of_rank, run};
use boosters::bopl::{BoplError, BoplStop, EarlyStopping, RegressionCheckpoint, RewardRegression};
use off_policy::Log;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::num::NonZero;
use std::ops::ControlFlow;
use weak_learners::pairs::{ColumnSampling, HistogramPairTree, RowSampling};
use weak_learners::{LearnerError, RankError, Ranks, Shard};

type Trees = RowSampling<ColumnSampling<HistogramPairTree>>;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Loss {
    Squared,
    Logistic,
}

fn learner() -> Trees {
    let columns = ColumnSampling::new(HistogramPairTree::new(growth(4)), 0.7, ChaCha8Rng::seed_from_u64(1));
    RowSampling::new(columns.unwrap(), 0.8, ChaCha8Rng::seed_from_u64(2)).unwrap()
}

fn start(loss: Loss, log: &Log, ranks: &Ranks) -> Result<RewardRegression<Trees>, BoplError> {
    match loss {
        Loss::Squared => RewardRegression::of_rank(log, learner(), 0.4, ranks.clone()),
        Loss::Logistic => RewardRegression::logistic_of_rank(log, learner(), 0.4, ranks.clone()),
    }
}

fn saved(run: &RewardRegression<Trees>) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(&run.checkpoint()).unwrap();
    bytes.extend(run.loss().to_le_bytes());
    bytes
}

/// A run that is stopped by its held-out rows, which are not whole blocks.
fn fitted(
    loss: Loss,
    (log, held_out): (&Log, &Log),
    ranks: &Ranks,
) -> Result<(Vec<u8>, BoplStop), BoplError> {
    let log = of_rank(log, ranks);
    let begin = |rank: usize| held_out.len() * rank / ranks.size();
    let held_out = held_out.select(begin(ranks.rank())..begin(ranks.rank() + 1))?;
    let contexts = contexts(&log, ranks)?;
    let mut run = start(loss, &log, ranks)?;
    let stopping = EarlyStopping::builder(&held_out).rounds(30).patience(2).build()?;
    let end = run.fit(&contexts, &stopping)?;
    let mut bytes = saved(&run);
    bytes.extend(end.held_out_loss.to_le_bytes());
    bytes.extend((end.best_round as u64).to_le_bytes());
    Ok((bytes, end.stop))
}

#[test]
fn ranks_and_threads_change_no_byte_of_a_regression() {
    let task = Task::letters(ROWS);
    let log = task.log(Reward::Noisy, 1);
    let held_out = Task::letters(100).log(Reward::Noisy, 2);
    for loss in [Loss::Squared, Loss::Logistic] {
        let expected = fitted(loss, (&log, &held_out), &Ranks::alone()).unwrap();
        assert_eq!(expected.1, BoplStop::Patience, "{loss:?}");
        for size in [1, 2, 3, 7] {
            for threads in [None, NonZero::new(2)] {
                let found = run(size, threads, LIMIT, |ranks: Ranks| fitted(loss, (&log, &held_out), &ranks));
                for (rank, found) in found.into_iter().enumerate() {
                    let is_same = found.unwrap().unwrap() == expected;
                    assert!(is_same, "{loss:?}: rank {rank} of {size}, {threads:?} threads");
                }
            }
        }
    }
}

/// A run of three ranks that is stopped goes on with any number of them.
#[test]
fn a_regression_goes_on_with_another_number_of_ranks() {
    let log = Task::letters(3 * Shard::BLOCK + 1).log(Reward::Noisy, 1);
    for loss in [Loss::Squared, Loss::Logistic] {
        let play = |ranks: &Ranks, stopped: Option<&str>, rounds: usize| {
            let log = of_rank(&log, ranks);
            let contexts = contexts(&log, ranks).unwrap();
            let mut run = match stopped {
                None => start(loss, &log, ranks).unwrap(),
                Some(text) => {
                    let checkpoint: RegressionCheckpoint<Trees> = serde_json::from_str(text).unwrap();
                    checkpoint.resume_of_rank(&log, ranks.clone()).unwrap()
                }
            };
            (0..rounds).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
            (serde_json::to_string(&run.checkpoint()).unwrap(), run.loss())
        };
        let whole = play(&Ranks::alone(), None, 4);
        let stopped = run(3, None, LIMIT, |ranks: Ranks| play(&ranks, None, 2));
        let (stopped, _) = stopped[0].as_ref().unwrap();
        for size in [1, 2, 4] {
            let found = run(size, None, LIMIT, |ranks: Ranks| play(&ranks, Some(stopped), 2));
            assert!(found.iter().all(|found| found.as_ref() == Some(&whole)), "{loss:?}: {size} ranks");
        }
        assert_eq!(play(&Ranks::alone(), Some(stopped), 2), whole);
    }
}

#[test]
fn the_watcher_of_one_rank_ends_the_run_of_all() {
    let log = Task::letters(3 * Shard::BLOCK).log(Reward::Noisy, 1);
    let held_out = Task::letters(300).log(Reward::Noisy, 2);
    let found = run(3, None, LIMIT, |ranks: Ranks| {
        let (here, held_out) = (of_rank(&log, &ranks), held_out.select(0..100).unwrap());
        let contexts = contexts(&here, &ranks).unwrap();
        let mut run = start(Loss::Squared, &here, &ranks).unwrap();
        let stopping = EarlyStopping::builder(&held_out).rounds(9).patience(100).build().unwrap();
        let ends = |round: usize| match ranks.rank() == 1 && round == 3 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let end = run.fit_watched(&contexts, &stopping, ends).unwrap();
        (end.stop, run.record().len())
    });
    assert_eq!(found, vec![Some((BoplStop::Watcher, 3)); 3]);
}

/// The residuals of all ranks but one are 0, and so are the predictions on the rows of all ranks but one.
#[test]
fn a_run_ends_where_no_rank_has_a_residual() {
    let log = Task::letters(2 * Shard::BLOCK).log(Reward::Right, 1);
    let ends = |first: f64| {
        let rewards = (0..log.len()).map(|i| if i == 0 { first } else { 0.0 }).collect();
        let log = Log::new(
            log.contexts().clone(),
            log.actions(),
            log.logged_actions().to_vec(),
            log.propensities().to_vec(),
            off_policy::Rewards(rewards),
        );
        let log = log.unwrap();
        let found = run(2, None, LIMIT, |ranks: Ranks| {
            let here = of_rank(&log, &ranks);
            let contexts = contexts(&here, &ranks).unwrap();
            let trees = HistogramPairTree::new(growth(2));
            let mut run = RewardRegression::of_rank(&here, trees, 0.5, ranks.clone()).unwrap();
            run.round(&contexts).unwrap().break_value()
        });
        let [first, second] = found.try_into().unwrap();
        assert_eq!(first, second);
        first.unwrap()
    };
    assert_eq!(ends(0.0), Some(BoplStop::Gradient));
    assert_eq!(ends(1.0), None);
}

/// An error of one rank is an error of all, at once.
#[test]
fn the_errors_of_a_rank_are_told_to_all() {
    let log = Task::letters(2 * Shard::BLOCK).log(Reward::Noisy, 1);
    let with_reward = |row: usize, reward: f64, log: &Log| {
        let rewards = (0..log.len()).map(|i| if i == row { reward } else { log.rewards()[i] }).collect();
        let (contexts, propensities) = (log.contexts().clone(), log.propensities().to_vec());
        let actions = log.logged_actions().to_vec();
        Log::new(contexts, log.actions(), actions, propensities, off_policy::Rewards(rewards)).unwrap()
    };
    let bad = with_reward(2 * Shard::BLOCK - 1, 2.0, &log);
    let own = BoplError::BadParameter { name: "a reward", value: 2.0, domain: "[0, 1]" };
    let failed = RankError::Failed { rank: 1, reason: own.to_string() };
    let expected = [BoplError::Learner(LearnerError::Ranks(failed)), own].map(|error| Some(Some(error)));
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        start(Loss::Logistic, &of_rank(&bad, &ranks), &ranks).map(|_| ()).err()
    });
    assert_eq!(found, expected);
    // Held-out rows.
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        let here = of_rank(&log, &ranks);
        let contexts = contexts(&here, &ranks).unwrap();
        let mut run = start(Loss::Logistic, &here, &ranks).unwrap();
        let held_out = of_rank(&bad, &ranks);
        run.fit(&contexts, &EarlyStopping::builder(&held_out).build().unwrap()).map(|_| ()).err()
    });
    assert_eq!(found, expected);
}
