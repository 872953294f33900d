//! A log whose rows are those of several ranks: the model, the record and the estimates of one process, to
//! the byte.

use crate::logs::{Reward, Task};
use boosters::bopl::{
    Bopl, BoplError, BoplS, BoplStop, Checkpoint, Classification, PolicyBoosting, PolicyObjective,
    RewardRegression, Settings, Smoothness, Step, Validation,
};
use off_policy::{ActionSets, Log};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use ranks::on_threads;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::time::Duration;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{
    BinnedContexts, ColumnSampling, ExactPairTree, GradientSampling, HistogramPairTree, PairGrowth,
    PairLearner, PairRound, PairTree, RowSampling,
};
use weak_learners::{LearnerError, RankError, Ranks, Shard};

/// Long enough for a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(300);

/// The work of every rank, inside a pool of so many threads or none.
pub(crate) fn run<T: Send>(
    size: usize,
    threads: Option<NonZero<usize>>,
    limit: Duration,
    work: impl Fn(Ranks) -> T + Sync,
) -> Vec<Option<T>> {
    on_threads(size, limit, |ranks| match threads {
        None => work(ranks),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build().unwrap();
            pool.install(|| work(ranks))
        }
    })
}
pub(crate) const ROUNDS: usize = 3;
/// Seven blocks, so that each of seven ranks has one.
pub(crate) const ROWS: usize = 6 * Shard::BLOCK + 200;

/// The rows of a rank, which begin at a block.
pub(crate) fn of_rank(log: &Log, ranks: &Ranks) -> Log {
    log.select(Shard::rows(log.len(), ranks.rank(), ranks.size())).unwrap()
}

pub(crate) fn contexts(log: &Log, ranks: &Ranks) -> Result<BinnedContexts, LearnerError> {
    BinnedContexts::of_rank(log.contexts().clone(), 64, ranks.clone())
}

pub(crate) fn settings(step: Step) -> Settings {
    Settings::builder().translation(-0.2).ridge(1e-3).step(step).build().unwrap()
}

pub(crate) fn growth(depth: u32) -> PairGrowth {
    PairGrowth::builder().max_depth(depth).min_child_weight(1.0).reg_lambda(0.5).build().unwrap()
}

/// All that is saved of a run: the model, the checkpoint and the estimates.
pub(crate) fn saved<O, L>(run: &PolicyBoosting<O, L>, validation: &Validation<'_>) -> Vec<u8>
where
    O: PolicyObjective,
    L: PairLearner<Contexts = BinnedContexts, Hypothesis = PairTree> + Clone + Serialize,
{
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    run.model(run.ensemble().len()).unwrap().save(&path).unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    bytes.extend(serde_json::to_vec(&run.checkpoint()).unwrap());
    for estimate in validation.estimates().iter().flatten() {
        bytes.extend(estimate.value.to_le_bytes());
        bytes.extend(estimate.standard_error.unwrap_or_default().to_le_bytes());
    }
    bytes
}

/// A run on the rows of a rank.
fn train<O, L>(
    (log, held_out): (&Log, &Log),
    (learner, step): (&L, Step),
    ranks: &Ranks,
) -> Result<Vec<u8>, BoplError>
where
    O: PolicyObjective,
    L: PairLearner<Contexts = BinnedContexts, Hypothesis = PairTree> + Clone + Serialize,
{
    let (log, held_out) = (of_rank(log, ranks), of_rank(held_out, ranks));
    let contexts = contexts(&log, ranks)?;
    let mut run = PolicyBoosting::<O, L>::of_rank(&log, learner.clone(), settings(step), ranks.clone())?;
    let mut validation = Validation::builder(&held_out).patience(100).of_rank(ranks.clone()).build()?;
    let go_on = |_: &PolicyBoosting<O, L>, _: Option<&Validation<'_>>| ControlFlow::Continue(());
    assert_eq!(run.run_rounds(&contexts, ROUNDS, Some(&mut validation), go_on)?, BoplStop::Rounds);
    Ok(saved(&run, &validation))
}

fn assert_same<O, L>(what: &str, logs: (&Log, &Log), how: (&L, Step))
where
    O: PolicyObjective + Send + Sync,
    L: PairLearner<Contexts = BinnedContexts, Hypothesis = PairTree> + Clone + Serialize + Send + Sync,
{
    let expected = train::<O, L>(logs, how, &Ranks::alone()).unwrap();
    for size in [1, 2, 3, 7] {
        for threads in [None, NonZero::new(2)] {
            let found = run(size, threads, LIMIT, |ranks: Ranks| train::<O, L>(logs, how, &ranks));
            for (rank, found) in found.into_iter().enumerate() {
                let is_same = found.unwrap().unwrap() == expected;
                assert!(is_same, "{what}, {}: rank {rank} of {size}, {threads:?} threads", O::NAME);
            }
        }
    }
}

#[test]
fn ranks_and_threads_change_no_byte_of_a_model() {
    let task = Task::letters(ROWS);
    let (log, held_out) = (task.log(Reward::Noisy, 1), task.log(Reward::Right, 2));
    let (logs, trees) = ((&log, &held_out), HistogramPairTree::new(growth(5)));
    assert_same::<Bopl, _>("paper", logs, (&trees, Step::Closed(Smoothness::Paper)));
    assert_same::<BoplS, _>("sharp", logs, (&trees, Step::Closed(Smoothness::Sharp)));
    assert_same::<BoplS, _>("second order", logs, (&trees, Step::SecondOrder { learning_rate: 0.3 }));
}

#[test]
fn ranks_and_threads_change_no_byte_of_a_model_of_samples_and_searches() {
    let task = Task::adults(ROWS);
    let (log, held_out) = (task.log(Reward::Punished, 3), task.log(Reward::Punished, 4));
    let rng = |stream: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        rng.set_stream(stream);
        rng
    };
    let columns = ColumnSampling::new(HistogramPairTree::new(growth(4)), 0.5, rng(1)).unwrap();
    let sampling = RowSampling::new(columns, 0.6, rng(2)).unwrap();
    assert_same::<BoplS, _>("sampling", (&log, &held_out), (&sampling, Step::LineSearch));
    assert_same::<Bopl, _>(
        "search",
        (&log, &held_out),
        (&HistogramPairTree::new(growth(4)), Step::LineSearch),
    );
}

#[test]
fn ranks_and_threads_change_no_byte_of_a_model_of_signs_and_of_large_gradients() {
    let task = Task::letters(ROWS);
    let (log, held_out) = (task.log(Reward::Noisy, 1), task.log(Reward::Right, 2));
    let signs = Classification::new(HistogramPairTree::new(growth(3).of_signs()));
    assert_same::<Bopl, _>("signs", (&log, &held_out), (&signs, Step::LineSearch));
    let trees = HistogramPairTree::new(growth(4));
    let by_size = GradientSampling::new(trees, 0.3, ChaCha8Rng::seed_from_u64(4)).unwrap();
    let step = Step::SecondOrder { learning_rate: 0.3 };
    assert_same::<BoplS, _>("large gradients", (&log, &held_out), (&by_size, step));
}

/// Every row lacks an action, another one than that of the log.
#[test]
fn ranks_and_threads_change_no_byte_of_a_model_of_action_sets() {
    let task = Task::letters(ROWS);
    let with_sets = |log: Log| {
        let on_offer = |a: u32| (0..26).filter(move |b| *b != (a + 3) % 26).collect::<Vec<u32>>();
        let sets: Vec<_> = log.logged_actions().iter().map(|a| on_offer(*a)).collect();
        log.with_action_sets(ActionSets::new(26, sets).unwrap()).unwrap()
    };
    let (log, held_out) = (with_sets(task.log(Reward::Partial, 1)), with_sets(task.log(Reward::Right, 2)));
    let trees = HistogramPairTree::new(growth(4));
    assert_same::<BoplS, _>("action sets", (&log, &held_out), (&trees, Step::Closed(Smoothness::Sharp)));
}

/// A run of three ranks that is stopped goes on with any number of them.
#[test]
fn a_run_goes_on_with_another_number_of_ranks() {
    type Trees = RowSampling<HistogramPairTree>;
    fn resumed<T: DeserializeOwned>(text: &str) -> T {
        serde_json::from_str(text).unwrap()
    }
    let log = Task::letters(3 * Shard::BLOCK + 1).log(Reward::Noisy, 1);
    let trees = HistogramPairTree::new(growth(4));
    let learner = RowSampling::new(trees, 0.7, ChaCha8Rng::seed_from_u64(1)).unwrap();
    let step = Step::Closed(Smoothness::Sharp);
    let checkpoint = |ranks: &Ranks, checkpoint: Option<&str>, rounds: usize| {
        let log = of_rank(&log, ranks);
        let contexts = contexts(&log, ranks).unwrap();
        let mut run: PolicyBoosting<BoplS, Trees> = match checkpoint {
            None => PolicyBoosting::of_rank(&log, learner.clone(), settings(step), ranks.clone()).unwrap(),
            Some(text) => resumed::<Checkpoint<Trees>>(text).resume_of_rank(&log, ranks.clone()).unwrap(),
        };
        (0..rounds).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
        serde_json::to_string(&run.checkpoint()).unwrap()
    };
    let whole = checkpoint(&Ranks::alone(), None, 4);
    let stopped = run(3, None, LIMIT, |ranks: Ranks| checkpoint(&ranks, None, 2));
    let stopped = stopped[0].as_deref().unwrap();
    assert_eq!(checkpoint(&Ranks::alone(), Some(stopped), 2), whole);
    for size in [2, 4] {
        let found = run(size, None, LIMIT, |ranks: Ranks| checkpoint(&ranks, Some(stopped), 2));
        assert!(found.iter().all(|found| found.as_deref() == Some(&whole)), "{size} ranks");
    }
}

fn is_gone(found: &Option<Result<usize, BoplError>>, rank: usize) -> bool {
    *found == Some(Err(RankError::Gone { rank }.into()))
}

#[test]
fn a_rank_that_ends_ends_all() {
    let log = Task::adults(3 * Shard::BLOCK).log(Reward::Right, 1);
    let trees = HistogramPairTree::new(growth(3));
    let rounds = |here: &Log, ranks: &Ranks, rounds: usize| -> Result<usize, BoplError> {
        let contexts = contexts(here, ranks)?;
        let mut run =
            PolicyBoosting::<BoplS, _>::of_rank(here, trees.clone(), Settings::default(), ranks.clone())?;
        for _ in 0..rounds {
            assert!(run.round(&contexts)?.is_continue());
        }
        Ok(rounds)
    };
    // One rank has enough after two rounds.
    let found = run(3, None, LIMIT, |ranks: Ranks| {
        rounds(&of_rank(&log, &ranks), &ranks, if ranks.rank() == 1 { 2 } else { 5 })
    });
    assert_eq!(found[1], Some(Ok(2)));
    assert!(is_gone(&found[0], 1) && is_gone(&found[2], 1), "{found:?}");
    // One rank panics before its second round.
    let found = run(3, None, LIMIT, |ranks: Ranks| {
        let here = of_rank(&log, &ranks);
        let (own, last) = (ranks.clone(), if ranks.rank() == 2 { 1 } else { 5 });
        drop(ranks);
        let found = rounds(&here, &own, last);
        assert!(own.rank() != 2, "a rank of a test that is to fail");
        found
    });
    assert!(found[2].is_none() && is_gone(&found[0], 2) && is_gone(&found[1], 2), "{found:?}");
    // Rows that do not begin at a block.
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        let here = log.select(if ranks.rank() == 0 { 0..1000 } else { 1000..2000 }).unwrap();
        rounds(&here, &ranks, 1)
    });
    assert_eq!(found, [(); 2].map(|()| Some(Err(RankError::Unaligned { rank: 1, first: 1000 }.into()))));
}

/// A value beyond the range of numbers on the rows of one rank, or none.
struct Beyond(HistogramPairTree, Option<f64>);

impl PairLearner for Beyond {
    type Contexts = BinnedContexts;
    type Hypothesis = PairTree;

    fn train(
        &mut self,
        contexts: &BinnedContexts,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        let tree = self.0.train(contexts, round, values)?;
        values[7] = self.1.unwrap_or(values[7]);
        Ok(tree)
    }
}

/// What the numbers of one rank make impossible is said by all.
#[test]
fn numbers_beyond_the_range_on_one_rank_are_told_to_all() {
    let told = |found: Vec<Option<Result<(), BoplError>>>, is_own: &dyn Fn(&BoplError) -> bool| {
        let [Some(Err(other)), Some(Err(own))] = &found[..] else { panic!("{found:?}") };
        assert!(is_own(own), "{own:?}");
        assert_eq!(*other, RankError::Failed { rank: 1, reason: own.to_string() }.into());
    };
    let log = Task::adults(2 * Shard::BLOCK).log(Reward::Right, 1);
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        let here = of_rank(&log, &ranks);
        let contexts = contexts(&here, &ranks)?;
        let learner = Beyond(HistogramPairTree::new(growth(2)), (ranks.rank() == 1).then_some(1e141));
        let mut run = PolicyBoosting::<BoplS, _>::of_rank(&here, learner, Settings::default(), ranks)?;
        run.round(&contexts).map(|_| ())
    });
    told(found, &|own| matches!(own, BoplError::NotFinite { argument: "a prediction", index: 7, .. }));
    // A propensity of a held-out row that no number is the inverse of.
    let mut propensities = log.propensities().to_vec();
    propensities[Shard::BLOCK + 3] = 1e-310;
    let (actions, rewards) = (log.logged_actions().to_vec(), off_policy::Rewards(log.rewards().to_vec()));
    let held_out = Log::new(log.contexts().clone(), log.actions(), actions, propensities, rewards).unwrap();
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        let (here, held_out) = (of_rank(&log, &ranks), of_rank(&held_out, &ranks));
        let learner = HistogramPairTree::new(growth(2));
        let run = PolicyBoosting::<BoplS, _>::of_rank(&here, learner, Settings::default(), ranks.clone())?;
        Validation::builder(&held_out).of_rank(ranks).build()?.follow(run.ensemble())
    });
    told(found, &|own| matches!(own, BoplError::Estimate(_)));
    // Predictions of another number.
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        let here = of_rank(&log, &ranks);
        let predictions = vec![0.5; here.len() * here.actions() - ranks.rank()];
        Validation::builder(&here).predictions(&predictions).of_rank(ranks).build().map(|_| ())
    });
    told(found, &|own| matches!(own, BoplError::Mismatch { argument: "predictions", .. }));
}

/// Beside the tree, a round sends that no rank has refused it, max|f|, max|F|, U and S, and the sums of its
/// evaluation, of every block. A stump on the action needs no histogram.
#[test]
fn messages_and_bytes_of_a_round_are_those_of_its_blocks() {
    let log = Task::letters(3 * Shard::BLOCK + 1).log(Reward::Noisy, 1);
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        let here = of_rank(&log, &ranks);
        let contexts = contexts(&here, &ranks).unwrap();
        let trees = HistogramPairTree::new(growth(1));
        let mut run =
            PolicyBoosting::<Bopl, _>::of_rank(&here, trees, Settings::default(), ranks.clone()).unwrap();
        let before = ranks.traffic();
        assert!(run.round(&contexts).unwrap().is_continue());
        let after = ranks.traffic();
        (after.messages - before.messages, after.bytes - before.bytes)
    });
    let of_tree = 16 + 16 + 16 * 26;
    for (rank, found) in found.into_iter().enumerate() {
        let blocks = Shard::rows(log.len(), rank, 2).len().div_ceil(Shard::BLOCK) as u64;
        assert_eq!(found, Some((3 + 5, of_tree + 9 + 8 + 8 + (16 + 32) * blocks)), "rank {rank}");
    }
}

/// The exact engines have contexts of one process only.
#[test]
fn what_does_not_know_of_ranks_refuses_them() {
    let log = Task::adults(2 * Shard::BLOCK).log(Reward::Right, 1);
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        let here = of_rank(&log, &ranks);
        let contexts = contexts(&here, &ranks).unwrap();
        let trees = HistogramPairTree::new(growth(3));
        // Runs of the rows of one rank alone.
        let mut regression = RewardRegression::new(&here, trees.clone(), 0.5).unwrap();
        assert_eq!(regression.round(&contexts).map(|_| ()), Err(BoplError::OtherContexts));
        let mut alone = PolicyBoosting::<Bopl, _>::new(&here, trees.clone(), Settings::default()).unwrap();
        assert_eq!(alone.round(&contexts).map(|_| ()), Err(BoplError::OtherContexts));
        // Contexts of one process alone.
        let is_refused = |error: Option<BoplError>| {
            matches!(error, Some(BoplError::Learner(LearnerError::Ranks(RankError::OneRankOnly { .. }))))
        };
        let (exact, settings) = (ExactPairTree::new(growth(3)), Settings::default());
        let sorted = SortedColumns::new(here.contexts().clone()).unwrap();
        let mut run =
            PolicyBoosting::<Bopl, _>::of_rank(&here, exact.clone(), settings, ranks.clone()).unwrap();
        assert!(is_refused(run.round(&sorted).err()));
        let mut run = RewardRegression::of_rank(&here, exact, 0.5, ranks.clone()).unwrap();
        assert!(is_refused(run.round(&sorted).err()));
        let mut run = PolicyBoosting::<Bopl, _>::of_rank(&here, trees, settings, ranks).unwrap();
        let whole = BinnedContexts::new(here.contexts().clone()).unwrap();
        assert!(is_refused(run.round(&whole).err()));
    });
    assert!(found.iter().all(Option::is_some));
}

/// What a predictor would get on the rows of all ranks, by every step on a doubly robust run of closed steps;
/// a wrong value on one rank is refused on all.
#[test]
fn ranks_weigh_a_predictor_together() {
    let task = Task::letters(ROWS);
    let log = task.log(Reward::Partial, 5);
    let (n, actions) = (log.len(), log.actions());
    let q: Vec<f64> = (0..n * actions).map(|k| (k * k % 13) as f64 / 12.0).collect();
    let f: Vec<f64> = (0..n * actions).map(|k| (k * 37 % 101) as f64 / 50.0 - 1.0).collect();
    let steps = [Step::Closed(Smoothness::Sharp), Step::LineSearch, Step::SecondOrder { learning_rate: 0.3 }];
    let weigh = |ranks: &Ranks, wrong: &dyn Fn(&mut Vec<f64>)| {
        let rows = Shard::rows(n, ranks.rank(), ranks.size());
        let own = log.select(rows.clone()).unwrap();
        let learner = HistogramPairTree::new(growth(2));
        let settings = settings(Step::Closed(Smoothness::Sharp));
        let of_rank = &q[rows.start * actions..rows.end * actions];
        let run = PolicyBoosting::doubly_robust_of_rank(&own, learner, settings, of_rank, ranks.clone());
        let run = run.unwrap();
        let mut f: Vec<f64> = (0..actions).flat_map(|a| f[a * n..][rows.clone()].iter().copied()).collect();
        wrong(&mut f);
        steps.map(|step| run.weigh(&f, step))
    };
    let expected = weigh(&Ranks::alone(), &|_| ()).map(Result::unwrap);
    for found in run(3, None, LIMIT, |ranks: Ranks| weigh(&ranks, &|_| ())) {
        assert_eq!(found.unwrap().map(Result::unwrap), expected);
    }
    // The second order finds the probabilities anew, as a run of such steps keeps them.
    let step = Step::SecondOrder { learning_rate: 0.3 };
    let learner = HistogramPairTree::new(growth(2));
    let of_steps = PolicyBoosting::doubly_robust(&log, learner, settings(step), &q).unwrap();
    assert_eq!(of_steps.weigh(&f, step).unwrap(), expected[2]);
    let faults: [fn(&mut Vec<f64>); 2] = [|f| f[7] = f64::NAN, |f| f.truncate(5)];
    for fault in faults {
        let found = run(3, None, LIMIT, |ranks: Ranks| match ranks.rank() {
            1 => weigh(&ranks, &fault),
            _ => weigh(&ranks, &|_| ()),
        });
        assert!(found.into_iter().flatten().flatten().all(|weight| weight.is_err()));
    }
}
