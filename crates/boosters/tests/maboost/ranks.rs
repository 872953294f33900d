//! A sample whose rows are those of several ranks: the run of one process, to the byte.

use crate::samples::{Task, uneven_weights};
use boosters::maboost::{
    Active, AdaBoost, BoostError, BoostStop, BoostingRun, Examples, MadaBoost, Reweighting, SmoothBoost,
    SparseBoost, Sparsity, Stopping, Validation, Watch,
};
use datasets::Name;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use ranks::on_threads;
use rows::RowMatrix;
use serde::{Serialize, de::DeserializeOwned};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::time::Duration;
use weak_learners::batch::{BinnedColumns, BinnedTree, LeafAnswer, Sample, Sampled, Tree, WeakLearner};
use weak_learners::{Label, LearnerError, RankError, Ranks, Shard};

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

const ROUNDS: usize = 3;
/// Seven blocks, so that each of seven ranks has one.
const ROWS: usize = 6 * Shard::BLOCK + 200;

/// The work of every rank, inside a pool of so many threads or none.
fn on_ranks<T: Send>(
    size: usize,
    threads: Option<NonZero<usize>>,
    work: impl Fn(Ranks) -> T + Sync,
) -> Vec<Option<T>> {
    on_threads(size, LIMIT, |ranks| match threads {
        None => work(ranks),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build().unwrap();
            pool.install(|| work(ranks))
        }
    })
}

/// The rows of a rank, which begin at a block.
fn of_rank(rows: &RowMatrix, ranks: &Ranks) -> RowMatrix {
    rows.select(Shard::rows(rows.len(), ranks.rank(), ranks.size())).unwrap()
}

fn sample(rows: &RowMatrix, ranks: &Ranks) -> BinnedColumns {
    BinnedColumns::of_rank(of_rank(rows, ranks), 64, ranks.clone()).unwrap()
}

fn dense(task: Task) -> Task {
    let values = task.rows.iter().flat_map(|x| x.to_dense()).collect();
    Task { rows: RowMatrix::dense(task.rows.dimension(), values).unwrap(), ..task }
}

fn trees(answer: LeafAnswer) -> BinnedTree {
    BinnedTree::new(4, answer, 0.001).unwrap()
}

/// All that is saved of a run: the learner, the weights, the ensemble, the margins and the record.
fn saved<W, A>(learner: W, examples: &Examples, algorithm: A, sample: &BinnedColumns) -> Vec<u8>
where
    W: WeakLearner<Sample = BinnedColumns, Hypothesis = Tree> + Clone + Serialize,
    A: Reweighting + Clone + Serialize,
{
    let mut run = BoostingRun::new(examples.clone(), learner, algorithm).unwrap();
    for _ in 0..ROUNDS {
        assert!(run.round(sample).unwrap().is_continue());
    }
    assert!(run.ensemble().hypotheses().iter().all(|tree| tree.leaves() > 8), "trees of a few splits");
    let mut bytes = serde_json::to_vec(&run).unwrap();
    bytes.extend(run.margins().iter().flat_map(|margin| margin.to_bits().to_le_bytes()));
    bytes
}

/// A run of every algorithm.
fn runs(rows: &RowMatrix, examples: &Examples, ranks: &Ranks) -> Vec<(&'static str, Vec<u8>)> {
    let sample = sample(rows, ranks);
    let (signs, means) = (trees(LeafAnswer::Sign), trees(LeafAnswer::Mean));
    let smooth = SmoothBoost::<Active>::smooth(examples, 4.0).unwrap();
    let sparse = SparseBoost::new(examples, Sparsity::Fraction(0.5)).unwrap();
    // Draws have mean labels other than ±1.
    let drawn = Sampled::new(means.clone(), 9000, ChaCha8Rng::seed_from_u64(5)).unwrap();
    vec![
        ("AdaBoost", saved(signs.clone(), examples, AdaBoost::new(examples).unwrap(), &sample)),
        ("AdaBoost of means", saved(means.clone(), examples, AdaBoost::new(examples).unwrap(), &sample)),
        ("SmoothBoost", saved(signs.clone(), examples, smooth, &sample)),
        ("SparseBoost", saved(means, examples, sparse, &sample)),
        ("MadaBoost", saved(signs, examples, MadaBoost::new(examples).unwrap(), &sample)),
        ("AdaBoost of draws", saved(drawn, examples, AdaBoost::new(examples).unwrap(), &sample)),
    ]
}

fn assert_same(what: &str, rows: &RowMatrix, examples: &Examples) {
    let expected = runs(rows, examples, &Ranks::alone());
    for size in [1, 2, 3, 7] {
        for threads in [None, NonZero::new(2)] {
            let found = on_ranks(size, threads, |ranks: Ranks| runs(rows, examples, &ranks));
            for (rank, found) in found.into_iter().enumerate() {
                for ((name, found), (_, expected)) in found.unwrap().iter().zip(&expected) {
                    assert!(found == expected, "{what}, {name}: rank {rank} of {size}, {threads:?} threads");
                }
            }
        }
    }
}

#[test]
fn ranks_and_threads_change_no_byte_of_a_run_on_numbers() {
    let half: Vec<u32> = (0..13).collect();
    let task = dense(Task::of(Name::Letter, ROWS, &half));
    assert_same("letter", &task.rows, &Examples::uniform(task.labels).unwrap());
}

/// Categories that share bytes; every fifth example weighs nothing.
#[test]
fn ranks_and_threads_change_no_byte_of_a_run_on_categories() {
    let task = dense(Task::of(Name::Adult, ROWS, &[1]));
    let mut weights = uneven_weights(ROWS, 1);
    weights.iter_mut().step_by(5).for_each(|w| *w = 0.0);
    assert_same("adult", &task.rows, &Examples::weighted(task.labels, &weights).unwrap());
}

/// The examples lie in order of their labels, so that some ranks have one label alone.
#[test]
fn ranks_and_threads_change_no_byte_of_a_run_on_sparse_rows() {
    let task = Task::of(Name::Adult, ROWS, &[1]);
    let mut order: Vec<usize> = (0..ROWS).collect();
    order.sort_by_key(|&i| task.labels[i] == Label::Plus);
    let rows = task.rows.select(order.iter().copied()).unwrap();
    let examples = Examples::uniform(order.iter().map(|&i| task.labels[i]).collect()).unwrap();
    assert_same("sparse adult", &rows, &examples);
}

type Saved = (BoostingRun<BinnedTree, AdaBoost>, Validation);

/// A run of three ranks that is stopped goes on with any number of them, and ends after the same round for
/// the same reason, as its validation says.
#[test]
fn a_run_goes_on_with_another_number_of_ranks() {
    fn resumed<T: DeserializeOwned>(text: &str) -> T {
        serde_json::from_str(text).unwrap()
    }
    let task = Task::of(Name::Adult, 4 * Shard::BLOCK + 300, &[1]);
    // The validation sample has two blocks, fewer than the ranks.
    let learn = 2 * Shard::BLOCK + 700;
    let (rows, others) =
        (task.rows.select(0..learn).unwrap(), task.rows.select(learn..task.rows.len()).unwrap());
    let examples = |range: std::ops::Range<usize>| Examples::uniform(task.labels[range].to_vec()).unwrap();
    let go_on = |ranks: &Ranks, text: Option<&str>, rounds: usize| -> (BoostStop, String) {
        let sample = sample(&rows, ranks);
        let later = sample.binned_like(of_rank(&others, ranks)).unwrap();
        let (mut run, mut validation): Saved = text.map_or_else(
            || {
                let examples_of_run = examples(0..learn);
                let ada = AdaBoost::new(&examples_of_run).unwrap();
                let run = BoostingRun::new(examples_of_run, trees(LeafAnswer::Mean), ada).unwrap();
                (run, Validation::new(examples(learn..task.rows.len()), 4).unwrap())
            },
            resumed,
        );
        let watch = Watch::default().validating(&mut validation, &later);
        let stop = run.run_watched(&sample, &Stopping::after(rounds), watch).unwrap();
        (stop, serde_json::to_string(&(run, validation)).unwrap())
    };
    let whole = go_on(&Ranks::alone(), None, 200);
    assert_eq!(whole.0, BoostStop::Patience);
    let stopped = on_ranks(3, None, |ranks: Ranks| go_on(&ranks, None, 3));
    let (stop, stopped) = stopped[0].as_ref().unwrap();
    assert_eq!((stop, stopped), (&BoostStop::Rounds, &go_on(&Ranks::alone(), None, 3).1));
    assert_eq!(go_on(&Ranks::alone(), Some(stopped), 200), whole);
    for size in [2, 3] {
        let found = on_ranks(size, None, |ranks: Ranks| go_on(&ranks, Some(stopped), 200));
        assert!(found.iter().all(|found| found.as_ref() == Some(&whole)), "{size} ranks");
    }
}

/// The scores and margins of an ensemble are those of all rows, on every rank; an ensemble of another sample
/// has thresholds that are no cuts.
#[test]
fn scores_and_margins_are_those_of_all_rows() {
    let task = Task::of(Name::Adult, 3 * Shard::BLOCK + 300, &[1]);
    let (rows, learner) = (&task.rows, trees(LeafAnswer::Mean));
    let examples = Examples::uniform(task.labels.clone()).unwrap();
    let mut run =
        BoostingRun::new(examples.clone(), learner.clone(), AdaBoost::new(&examples).unwrap()).unwrap();
    assert_eq!(run.run(&sample(rows, &Ranks::alone()), &Stopping::after(4)), Ok(BoostStop::Rounds));
    let vote = run.ensemble();
    let numbers = |bins: u16, ranks: &Ranks| {
        let sample = BinnedColumns::of_rank(of_rank(rows, ranks), bins, ranks.clone()).unwrap();
        let scores = vote.scores(&learner, &sample).unwrap();
        (scores, vote.margins(&learner, &sample, &task.labels).unwrap())
    };
    let expected: Vec<f64> = rows.iter().map(|x| vote.score(x).unwrap()).collect();
    for bins in [64, 3] {
        let whole = numbers(bins, &Ranks::alone());
        assert_eq!(whole.0, expected);
        let found = on_ranks(3, None, |ranks: Ranks| numbers(bins, &ranks));
        assert!(found.iter().all(|found| found.as_ref() == Some(&whole)), "{bins} bins");
    }
}

fn is_gone<T: PartialEq>(found: &Option<Result<T, BoostError>>, rank: usize) -> bool {
    *found == Some(Err(LearnerError::from(RankError::Gone { rank }).into()))
}

#[test]
fn a_rank_that_ends_ends_all() {
    let task = Task::of(Name::Adult, 3 * Shard::BLOCK, &[1]);
    let examples = Examples::uniform(task.labels).unwrap();
    let rounds = |ranks: &Ranks, rounds: usize| -> Result<usize, BoostError> {
        let sample = BinnedColumns::of_rank(of_rank(&task.rows, ranks), 64, ranks.clone())?;
        let ada = AdaBoost::new(&examples)?;
        let mut run = BoostingRun::new(examples.clone(), trees(LeafAnswer::Sign), ada)?;
        for _ in 0..rounds {
            assert!(run.round(&sample)?.is_continue());
        }
        Ok(rounds)
    };
    // One rank has enough after two rounds.
    let found = on_ranks(3, None, |ranks: Ranks| rounds(&ranks, if ranks.rank() == 1 { 2 } else { 5 }));
    assert_eq!(found[1], Some(Ok(2)));
    assert!(is_gone(&found[0], 1) && is_gone(&found[2], 1), "{found:?}");
    // One rank panics before its second round.
    let found = on_ranks(3, None, |ranks: Ranks| {
        let found = rounds(&ranks, if ranks.rank() == 2 { 1 } else { 5 });
        assert!(ranks.rank() != 2, "a rank of a test that is to fail");
        found
    });
    assert!(found[2].is_none() && is_gone(&found[0], 2) && is_gone(&found[1], 2), "{found:?}");
}

/// A clock that is up, or a watcher that has enough, on one rank alone ends the run on all, after the same
/// round.
#[test]
fn what_one_rank_sees_ends_all_after_the_same_round() {
    let task = Task::of(Name::Adult, 2 * Shard::BLOCK, &[1]);
    let examples = Examples::uniform(task.labels).unwrap();
    for by_clock in [false, true] {
        let found = on_ranks(2, None, |ranks: Ranks| {
            let sample = sample(&task.rows, &ranks);
            let ada = AdaBoost::new(&examples).unwrap();
            let mut run = BoostingRun::new(examples.clone(), trees(LeafAnswer::Sign), ada).unwrap();
            let is_last = ranks.rank() == 1;
            let mut seconds = 0;
            let mut clock = || {
                seconds += u64::from(by_clock && is_last);
                Duration::from_secs(seconds)
            };
            let mut progress = |run: &BoostingRun<BinnedTree, AdaBoost>, _: Option<&Validation>| {
                let has_enough = !by_clock && is_last && run.record().len() == 2;
                if has_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            // Asked before every round: up for the third time it is asked.
            let watch = Watch::default().within(Duration::from_secs(3), &mut clock).showing(&mut progress);
            let stop = run.run_watched(&sample, &Stopping::after(5), watch).unwrap();
            (stop, run.record().len(), sample.size())
        });
        let stop = if by_clock { BoostStop::TimeBudget } else { BoostStop::Watcher };
        assert_eq!(found, vec![Some((stop, 2, task.rows.len())); 2]);
    }
}
