//! What a rank does: the cases of the tests, but for those of a training.

use crate::launch::setting;
use mpi_ranks::{MpiRanks, MpiRanksBuilder};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use ranks::{Communicator, RankError, Ranks, on_threads};
use std::process::Command;
use std::time::{Duration, Instant};

pub(crate) const LIMIT: Duration = Duration::from_secs(100);

/// The ranks of this case, which are as many as its test has asked for.
fn start(builder: MpiRanksBuilder) -> Ranks {
    let ranks = Ranks::of(builder.start().unwrap());
    assert_eq!(ranks.size(), setting("RANKS").unwrap_or(1), "mpirun and the MPI library differ");
    ranks
}

/// Ends this process, or stops it, as another process would.
pub(crate) fn signal(name: &str) {
    Command::new("kill").args([name, &std::process::id().to_string()]).status().unwrap();
}

/// Lengths around that of a frame's load, 29 numbers, and beyond the cut of a message.
const LENGTHS: [usize; 9] = [0, 1, 28, 29, 30, 233, 1000, 5000, 20_000];

/// The results of random operations. `common` draws the same on all ranks.
fn transcript(ranks: &Ranks, operations: usize) -> Result<Vec<Vec<u8>>, RankError> {
    let (mut common, mut own) = (ChaCha8Rng::seed_from_u64(1), ChaCha8Rng::seed_from_u64(2));
    own.set_stream(ranks.rank() as u64 + 1);
    let length = |rng: &mut ChaCha8Rng| LENGTHS[rng.random_range(0..LENGTHS.len())];
    let bytes = |rng: &mut ChaCha8Rng, n: usize| (0..n).map(|_| rng.random()).collect::<Vec<u8>>();
    let numbers = |rng: &mut ChaCha8Rng, n: usize| (0..n).map(|_| rng.random()).collect::<Vec<u64>>();
    let written = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let mut results = Vec::new();
    for _ in 0..operations {
        let n = length(&mut common);
        match common.random_range(0..6) {
            0 => {
                let mut numbers = numbers(&mut own, n);
                ranks.sum(&mut numbers)?;
                results.push(written(&numbers));
            }
            1 => {
                let mut numbers = numbers(&mut own, n);
                ranks.max(&mut numbers)?;
                results.push(written(&numbers));
            }
            2 => {
                // Half of them have the same length everywhere.
                let n = if common.random() { n } else { length(&mut own) };
                results.push(ranks.gather(bytes(&mut own, n))?);
            }
            3 => {
                let mut pass = 0;
                let state = ranks.in_order(bytes(&mut own, 3), |state| {
                    pass += 1;
                    let mut state = state;
                    state.extend(bytes(&mut own, n));
                    state
                })?;
                assert_eq!(pass, 1);
                results.push(state);
            }
            4 => {
                let lengths: Vec<usize> =
                    (0..ranks.size()).map(|_| common.random_range(0..=n / ranks.size())).collect();
                let mut numbers = numbers(&mut own, lengths.iter().sum());
                results.push(written(ranks.sum_scatter(&mut numbers, &lengths)?));
            }
            _ => {
                let to = (0..ranks.size()).map(|_| {
                    let n = own.random_range(0..=n);
                    bytes(&mut own, n)
                });
                results.extend(ranks.exchange(to.collect())?);
            }
        }
    }
    Ok(results)
}

/// Every rank of MPI gets what a thread of its number gets.
pub(crate) fn operations() {
    const OPERATIONS: usize = 120;
    let ranks = start(MpiRanks::builder().limit(LIMIT).largest_message(setting("LARGEST").unwrap_or(50)));
    let (rank, size) = (ranks.rank(), ranks.size());
    let found = transcript(&ranks, OPERATIONS).unwrap();
    let mut expected = on_threads(size, LIMIT, |ranks| transcript(&ranks, OPERATIONS).unwrap());
    assert!(found == expected[rank].take().unwrap(), "rank {rank} of {size}");
    // A sum is one modulo 2^64, short and long.
    for n in [1, 100] {
        let mut numbers = vec![u64::MAX; n];
        ranks.sum(&mut numbers).unwrap();
        assert_eq!(numbers, vec![(size as u64).wrapping_neg(); n]);
    }
    // What this rank alone is asked for wrongly is refused, and the others need not know.
    let refused = ranks.sum_scatter(&mut [1; 40], &vec![40; size + 1]).map(|_| ());
    assert_eq!(refused, Err(RankError::Lengths { expected: size + 1, found: size }));
    assert_eq!(ranks.any(rank + 1 == size), Ok(true));
    // A second start is refused.
    assert!(matches!(MpiRanks::builder().start(), Err(RankError::System { .. })));
}

/// The error of an operation, which is that of all later ones too.
fn assert_ends(ranks: &Ranks, found: &Result<(), RankError>, expected: RankError) {
    assert_eq!(*found, Err(expected.clone()), "rank {}", ranks.rank());
    assert_eq!(ranks.any(false), Err(expected.clone()));
    assert_eq!(ranks.gather(vec![]), Err(expected));
}

pub(crate) fn other_operations() {
    let ranks = start(MpiRanks::builder().limit(LIMIT));
    let mut numbers = vec![1; 1000];
    let is_last = ranks.rank() + 1 == ranks.size();
    let found = if is_last { ranks.max(&mut numbers) } else { ranks.sum(&mut numbers) };
    let (expected, found_elsewhere) = if is_last { ("max", "sum") } else { ("sum", "max") };
    assert_ends(&ranks, &found, RankError::Operations { expected, found: found_elsewhere });
}

pub(crate) fn other_lengths() {
    let ranks = start(MpiRanks::builder().limit(LIMIT));
    let is_last = ranks.rank() + 1 == ranks.size();
    let (expected, found) = if is_last { (7, 1000) } else { (1000, 7) };
    let sum = ranks.sum(&mut vec![1; expected]);
    assert_ends(&ranks, &sum, RankError::Lengths { expected, found });
}

/// Sums of as many numbers, to be scattered by other runs.
pub(crate) fn other_runs() {
    let ranks = start(MpiRanks::builder().limit(LIMIT));
    let lengths = if ranks.rank() == 0 { [100, 50, 50] } else { [50, 50, 100] };
    let sum = ranks.sum_scatter(&mut [1; 200], &lengths).map(|_| ());
    assert_ends(
        &ranks,
        &sum,
        RankError::Operations { expected: "sum and scatter", found: "sum of other runs" },
    );
}

/// All ranks leave together, with codes of which the largest counts.
pub(crate) fn leave_together() {
    let mpi = MpiRanks::builder().limit(LIMIT).start().unwrap();
    let (rank, size) = (mpi.rank(), mpi.size());
    let ranks = Ranks::of(mpi.clone());
    assert_eq!((ranks.any(rank == 0), mpi.error()), (Ok(true), None));
    let code = [3, 65, 3].get(rank).copied().unwrap_or(0);
    assert_eq!(mpi.leave(code), Ok(if size > 1 { 65 } else { 3 }));
    assert_eq!(ranks.any(true), Err(RankError::Gone { rank }));
    assert_eq!(mpi.leave(0), Err(RankError::Gone { rank }));
}

/// The last rank has enough after two operations.
pub(crate) fn leaves() {
    let ranks = start(MpiRanks::builder().limit(LIMIT));
    let last = ranks.size() - 1;
    for _ in 0..2 {
        assert_eq!(ranks.any(true), Ok(true));
    }
    if ranks.rank() != last {
        let begun = Instant::now();
        assert_ends(&ranks, &ranks.sum(&mut vec![1; 1000]), RankError::Gone { rank: last });
        assert!(begun.elapsed() < LIMIT / 2);
    }
}

pub(crate) fn panics() {
    let work = || {
        let ranks = start(MpiRanks::builder().limit(LIMIT));
        assert!(ranks.rank() != 1, "a rank of a test that is to fail");
        assert_ends(&ranks, &ranks.sum(&mut [1]), RankError::Gone { rank: 1 });
        ranks.rank()
    };
    assert!(std::panic::catch_unwind(work).is_ok_and(|rank| rank != 1) != is_rank(1));
}

/// Whether this process is that rank, when MPI has ended.
fn is_rank(rank: usize) -> bool {
    ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].into_iter().find_map(setting) == Some(rank)
}

pub(crate) fn stands_still() {
    let ranks = start(MpiRanks::builder().limit(Duration::from_secs(2)));
    assert_eq!(ranks.any(true), Ok(true));
    if ranks.rank() == 1 {
        signal("-STOP");
    }
    let begun = Instant::now();
    assert_ends(&ranks, &ranks.sum(&mut vec![1; 1000]), RankError::TimedOut { seconds: 2 });
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_secs(2) && waited < Duration::from_secs(8), "{waited:?}");
    println!("waited in vain");
    // Time for the other ones to say so too, before mpirun ends them all.
    std::thread::sleep(Duration::from_secs(2));
    std::process::exit(9);
}

/// A rank stands still when all have left, and MPI is to end.
pub(crate) fn does_not_end() {
    let mpi = MpiRanks::builder().limit(Duration::from_secs(2)).start().unwrap();
    assert_eq!(mpi.leave(0), Ok(0));
    if mpi.rank() == 1 {
        signal("-STOP");
    }
    let begun = Instant::now();
    drop(mpi);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    println!("ended alone");
    // Time for the other ones to say so too, before mpirun ends them all.
    std::thread::sleep(Duration::from_secs(2));
    std::process::exit(9);
}

pub(crate) fn is_killed() {
    let ranks = start(MpiRanks::builder());
    if ranks.rank() == 1 {
        signal("-KILL");
    }
    let _ = ranks.sum(&mut vec![1; 1000]);
    println!("went on");
}
