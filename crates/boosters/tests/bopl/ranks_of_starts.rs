//! Runs that start at an ensemble or have predicted rewards, on the rows of several ranks.

use crate::logs::{Reward, Task};
use crate::ranks::{LIMIT, ROUNDS, ROWS, contexts, growth, of_rank, run, saved, settings};
use boosters::bopl::{
    Bopl, BoplError, BoplS, Checkpoint, PolicyBoosting, PolicyEnsemble, Smoothness, Step, Validation,
};
use off_policy::{Log, Rewards};
use std::num::NonZero;
use std::ops::ControlFlow;
use weak_learners::pairs::{HistogramPairTree, PairTree};
use weak_learners::{LearnerError, RankError, Ranks, Shard};

type Run<O> = PolicyBoosting<O, HistogramPairTree>;

/// q̂ of every pair, at i·|A| + a.
fn predictions(log: &Log) -> Vec<f64> {
    (0..log.len() * log.actions()).map(|k| 0.5 + 0.4 * (k as f64).sin()).collect()
}

fn of_rows<'a>(table: &'a [f64], log: &Log, ranks: &Ranks) -> &'a [f64] {
    let rows = Shard::rows(log.len(), ranks.rank(), ranks.size());
    &table[rows.start * log.actions()..rows.end * log.actions()]
}

fn play<O: boosters::bopl::PolicyObjective>(mut run: Run<O>, log: &Log, ranks: &Ranks) -> Vec<u8> {
    let contexts = contexts(log, ranks).unwrap();
    for _ in 0..ROUNDS {
        assert!(run.round(&contexts).unwrap().is_continue());
    }
    let validation = Validation::builder(log).of_rank(ranks.clone()).build().unwrap();
    let mut bytes = saved(&run, &validation);
    let numbers = [run.optimal_risk(), run.delta_0(), run.objective(), run.ips()];
    bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

fn assert_same(what: &str, work: impl Fn(&Ranks) -> Vec<u8> + Sync) {
    let expected = work(&Ranks::alone());
    for size in [1, 2, 3, 7] {
        for threads in [None, NonZero::new(2)] {
            for (rank, found) in
                run(size, threads, LIMIT, |ranks: Ranks| work(&ranks)).into_iter().enumerate()
            {
                assert!(found.unwrap() == expected, "{what}: rank {rank} of {size}, {threads:?} threads");
            }
        }
    }
}

fn ensemble(log: &Log) -> PolicyEnsemble<PairTree> {
    let step = settings(Step::Closed(Smoothness::Sharp));
    let mut run = Run::<BoplS>::new(log, HistogramPairTree::new(growth(3)), step).unwrap();
    let contexts = contexts(log, &Ranks::alone()).unwrap();
    (0..2).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
    run.into_ensemble()
}

#[test]
fn ranks_and_threads_change_no_byte_of_a_run_that_starts_at_an_ensemble() {
    let log = Task::letters(ROWS).log(Reward::Noisy, 1);
    let start = ensemble(&log);
    assert_same("warm", |ranks| {
        let here = of_rank(&log, ranks);
        let (trees, settings) = (HistogramPairTree::new(growth(4)), settings(Step::LineSearch));
        let run = Run::<BoplS>::from_ensemble_of_rank(&here, trees, settings, start.clone(), ranks.clone())
            .unwrap();
        assert_eq!(run.ensemble().len(), 2);
        play(run, &here, ranks)
    });
}

#[test]
fn ranks_and_threads_change_no_byte_of_a_doubly_robust_run() {
    let log = Task::letters(ROWS).log(Reward::Noisy, 1);
    let (table, start) = (predictions(&log), ensemble(&log));
    for step in [Step::Closed(Smoothness::Sharp), Step::SecondOrder { learning_rate: 0.3 }, Step::LineSearch]
    {
        assert_same(&format!("{step:?}"), |ranks| {
            let (here, q) = (of_rank(&log, ranks), of_rows(&table, &log, ranks));
            let (trees, settings) = (HistogramPairTree::new(growth(4)), settings(step));
            let run = if step == Step::LineSearch {
                let start = (start.clone(), ranks.clone());
                Run::<Bopl>::doubly_robust_from_ensemble_of_rank(&here, trees, settings, q, start)
            } else {
                Run::<Bopl>::doubly_robust_of_rank(&here, trees, settings, q, ranks.clone())
            };
            play(run.unwrap(), &here, ranks)
        });
    }
}

/// A doubly robust run of three ranks goes on with any number of them, and with the same predictions only.
#[test]
fn a_doubly_robust_run_goes_on_with_another_number_of_ranks() {
    let log = Task::letters(3 * Shard::BLOCK + 1).log(Reward::Noisy, 1);
    let table = predictions(&log);
    let play = |ranks: &Ranks, stopped: Option<&str>, rounds: usize| {
        let (here, q) = (of_rank(&log, ranks), of_rows(&table, &log, ranks));
        let contexts = contexts(&here, ranks).unwrap();
        let mut run: Run<Bopl> = match stopped {
            None => {
                let (trees, settings) = (HistogramPairTree::new(growth(4)), settings(Step::LineSearch));
                PolicyBoosting::doubly_robust_of_rank(&here, trees, settings, q, ranks.clone()).unwrap()
            }
            Some(text) => {
                let saved: Checkpoint<HistogramPairTree> = serde_json::from_str(text).unwrap();
                let changed: Vec<f64> =
                    q.iter().map(|q| if ranks.rank() == 0 { q + 1.0 } else { *q }).collect();
                let other = saved.clone().resume_doubly_robust_of_rank(&here, &changed, ranks.clone());
                assert_eq!(other.map(|_| ()), Err(BoplError::OtherPredictions));
                saved.resume_doubly_robust_of_rank(&here, q, ranks.clone()).unwrap()
            }
        };
        (0..rounds).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
        serde_json::to_string(&run.checkpoint()).unwrap()
    };
    let whole = play(&Ranks::alone(), None, 4);
    let stopped = run(3, None, LIMIT, |ranks: Ranks| play(&ranks, None, 2));
    let stopped = stopped[0].as_deref().unwrap();
    for size in [1, 2, 4] {
        let found = run(size, None, LIMIT, |ranks: Ranks| play(&ranks, Some(stopped), 2));
        assert!(found.iter().all(|found| found.as_deref() == Some(&whole)), "{size} ranks");
    }
    assert_eq!(play(&Ranks::alone(), Some(stopped), 2), whole);
}

#[test]
fn the_watcher_of_one_rank_ends_the_rounds_of_all() {
    let log = Task::letters(2 * Shard::BLOCK).log(Reward::Noisy, 1);
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        let here = of_rank(&log, &ranks);
        let contexts = contexts(&here, &ranks).unwrap();
        let (trees, settings) = (HistogramPairTree::new(growth(3)), settings(Step::LineSearch));
        let mut run = Run::<BoplS>::of_rank(&here, trees, settings, ranks.clone()).unwrap();
        let stop =
            run.run_rounds(&contexts, 9, None, |run, _| match ranks.rank() == 1 && run.record().len() == 2 {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            });
        (stop, run.record().len())
    });
    assert_eq!(found, vec![Some((Ok(boosters::bopl::BoplStop::Watcher), 2)); 2]);
}

/// A log of one rank that a run refuses is refused by all, at once.
#[test]
fn the_refusal_of_a_rank_is_told_to_all() {
    let log = Task::letters(2 * Shard::BLOCK).log(Reward::Noisy, 1);
    let mut rewards = log.rewards().to_vec();
    rewards[5] = 1e140;
    let actions = log.logged_actions().to_vec();
    let (contexts, p) = (log.contexts().clone(), log.propensities().to_vec());
    let log = Log::new(contexts, log.actions(), actions, p, Rewards(rewards)).unwrap();
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        let (trees, settings) = (HistogramPairTree::new(growth(3)), settings(Step::LineSearch));
        Run::<Bopl>::of_rank(&of_rank(&log, &ranks), trees, settings, ranks.clone()).map(|_| ()).err()
    });
    let [Some(Some(own)), Some(Some(other))] = &found[..] else { panic!("{found:?}") };
    assert!(matches!(own, BoplError::Importance { row: 5, .. }), "{own:?}");
    let failed = RankError::Failed { rank: 0, reason: own.to_string() };
    assert_eq!(*other, BoplError::Learner(LearnerError::Ranks(failed)));
}
