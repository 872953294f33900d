//! A training under mpirun, and what is left of it when ranks are killed: the model of one process, to the
//! byte.

use crate::as_rank::{LIMIT, signal};
use crate::launch::{Launch, RANKS, setting};
use boosters::bopl::{BoplS, Checkpoint, PolicyBoosting, Settings, Smoothness, Step};
use mpi_ranks::MpiRanks;
use off_policy::{Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use ranks::{Communicator, RankError, Ranks};
use rows::RowMatrix;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use weak_learners::Shard;
use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth, RowSampling};

type Trees = RowSampling<HistogramPairTree>;

/// Seven blocks: a rank must have rows.
const ROWS: usize = 6 * Shard::BLOCK + 100;
const ROUNDS: usize = 12;

fn log() -> Log {
    let (mut rng, inputs, actions) = (ChaCha8Rng::seed_from_u64(5), 6, 4);
    let contexts: Vec<f64> = (0..ROWS * inputs).map(|_| rng.random_range(-1.0..1.0)).collect();
    let logged: Vec<u32> = (0..ROWS).map(|_| rng.random_range(0..actions)).collect();
    // An action earns by the sign of its column.
    let earns = |(i, a): (usize, &u32)| f64::from(contexts[i * inputs + *a as usize] > 0.0);
    let rewards = logged.iter().enumerate().map(earns).collect();
    let contexts = RowMatrix::dense(inputs, contexts).unwrap();
    Log::new(contexts, actions as usize, logged, vec![0.25; ROWS], Rewards(rewards)).unwrap()
}

/// Trains on the rows of this rank, from the checkpoint if there is one, which rank 0 writes after every
/// round. Returns the last checkpoint.
fn train(ranks: &Ranks, rounds: usize, file: Option<&Path>) -> Vec<u8> {
    let log = log();
    let log = log.select(Shard::rows(log.len(), ranks.rank(), ranks.size())).unwrap();
    let contexts = BinnedContexts::of_rank(log.contexts().clone(), 32, ranks.clone()).unwrap();
    let growth = PairGrowth::builder().max_depth(3).min_child_weight(1.0).build().unwrap();
    let trees = RowSampling::new(HistogramPairTree::new(growth), 0.7, ChaCha8Rng::seed_from_u64(1)).unwrap();
    let settings =
        Settings::builder().translation(-0.2).step(Step::Closed(Smoothness::Sharp)).build().unwrap();
    let saved: Option<Checkpoint<Trees>> = file
        .filter(|file| file.exists())
        .map(|file| serde_json::from_slice(&fs::read(file).unwrap()).unwrap());
    let mut run: PolicyBoosting<BoplS, Trees> = match saved {
        None => PolicyBoosting::of_rank(&log, trees, settings, ranks.clone()).unwrap(),
        Some(checkpoint) => checkpoint.resume_of_rank(&log, ranks.clone()).unwrap(),
    };
    loop {
        let bytes = serde_json::to_vec(&run.checkpoint()).unwrap();
        if let Some(file) = file.filter(|_| ranks.rank() == 0) {
            let mut beside = tempfile::NamedTempFile::new_in(file.parent().unwrap()).unwrap();
            std::io::Write::write_all(&mut beside, &bytes).unwrap();
            beside.persist(file).unwrap();
        }
        if run.ensemble().len() >= rounds {
            return bytes;
        }
        assert!(run.round(&contexts).unwrap().is_continue());
    }
}

/// A rank that is killed at one of its operations.
#[derive(Debug)]
struct Mortal {
    ranks: MpiRanks,
    left: AtomicUsize,
}

impl Mortal {
    fn living(&self) -> &MpiRanks {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            signal("-KILL");
        }
        &self.ranks
    }
}

impl Communicator for Mortal {
    fn rank(&self) -> usize {
        self.ranks.rank()
    }

    fn size(&self) -> usize {
        self.ranks.size()
    }

    fn sum(&self, numbers: &mut [u64]) -> Result<(), RankError> {
        self.living().sum(numbers)
    }

    fn max(&self, numbers: &mut [u64]) -> Result<(), RankError> {
        self.living().max(numbers)
    }

    fn gather(&self, bytes: &[u8], all: &mut Vec<u8>) -> Result<(), RankError> {
        self.living().gather(bytes, all)
    }

    fn copy_from(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), RankError> {
        self.living().copy_from(root, bytes)
    }

    fn sum_scatter(&self, numbers: &mut [u64], lengths: &[usize]) -> Result<(), RankError> {
        self.living().sum_scatter(numbers, lengths)
    }

    fn exchange(&self, runs: &mut Vec<Vec<u8>>) -> Result<(), RankError> {
        self.living().exchange(runs)
    }
}

/// The training of this rank. VICTIM is the rank to be killed, at its operation OPERATION or after
/// MILLISECONDS.
pub(crate) fn of_rank() {
    let ranks = MpiRanks::builder().limit(LIMIT).start().unwrap();
    let is_victim = setting("VICTIM") == Some(ranks.rank());
    if let Some(milliseconds) = setting("MILLISECONDS").filter(|_| is_victim) {
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(milliseconds));
            signal("-KILL");
        });
    }
    let left = setting("OPERATION").filter(|_| is_victim).unwrap_or(usize::MAX);
    let ranks = Ranks::of(Mortal { ranks, left: left.into() });
    let file: Option<PathBuf> = setting("CHECKPOINT");
    let bytes = train(&ranks, setting("ROUNDS").unwrap_or(ROUNDS), file.as_deref());
    if let Some(folder) = setting::<PathBuf>("FOLDER") {
        fs::write(folder.join(ranks.rank().to_string()), bytes).unwrap();
    }
}

#[test]
fn ranks_change_no_byte_of_a_training() {
    let expected = train(&Ranks::alone(), ROUNDS, None);
    for size in RANKS {
        let folder = tempfile::tempdir().unwrap();
        Launch::of("training", size).with("FOLDER", folder.path().display()).succeed();
        for rank in 0..size {
            let found = fs::read(folder.path().join(rank.to_string())).unwrap();
            assert!(found == expected, "rank {rank} of {size}");
        }
    }
}

/// FAULTS times, default 4, a rank is killed, and the training goes on with another number of ranks.
#[test]
fn a_training_with_killed_ranks_comes_to_the_same_end() {
    let faults: usize = setting("FAULTS").unwrap_or(4);
    let seed = setting("SEED").unwrap_or(1);
    // Some four rounds are done between two faults.
    let rounds = ROUNDS + 6 * faults;
    let expected = train(&Ranks::alone(), rounds, None);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("checkpoint");
    let rounds_done = || {
        let bytes = fs::read(&file).ok()?;
        Some(serde_json::from_slice::<Checkpoint<Trees>>(&bytes).unwrap().ensemble().len())
    };
    let launch = |size| {
        let launch = Launch::of("training", size).with("ROUNDS", rounds);
        launch.with("CHECKPOINT", file.display()).with("FOLDER", folder.path().display())
    };
    let (mut rng, mut size, mut killed) = (ChaCha8Rng::seed_from_u64(seed), 3, 0);
    for fault in 0..faults {
        let victim = rng.random_range(0..size);
        let (how, when) = if fault % 2 == 0 {
            // A start has some 20 operations, and a round some 15.
            ("OPERATION", rng.random_range(0..60))
        } else {
            ("MILLISECONDS", rng.random_range(0..300))
        };
        let before = rounds_done();
        let end = launch(size).with("VICTIM", victim).with(how, when).run();
        killed += usize::from(!end.is_success);
        assert!(rounds_done() >= before, "the checkpoint of {before:?} rounds is lost");
        println!(
            "fault {fault}: rank {victim} of {size} at {how} {when}, rounds {before:?} to {:?}, {} after {:?}",
            rounds_done(),
            if end.is_success { "done" } else { "killed" },
            end.took
        );
        size = [1, 2, 3, 5].into_iter().filter(|other| *other != size).nth(rng.random_range(0..3)).unwrap();
    }
    // A fault after the end is none.
    assert!(2 * killed >= faults, "{killed} of {faults} were killed before the end");
    launch(size).succeed();
    assert!(fs::read(folder.path().join("0")).unwrap() == expected, "seed {seed}");
}
