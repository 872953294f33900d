//! How often every row is in a log: rows that judge may have been learnt from where there are copies.

use crate::of_ranks::numbers;
use off_policy::Log;
use off_policy::candidates::CandidateLog;
use ranks::{RankError, Ranks};
use rows::Row;
use std::hash::{DefaultHasher, Hasher};

/// The greatest number that divides how often each row is in the log: 3 for a log that was put together from
/// three copies. 1 for fewer than 20 different rows, and nearly surely for rows that merely are alike.
///
/// The rows are those of all ranks. A rank counts the rows whose hashes lie in its share of all hashes.
pub(crate) fn times_of_every_row(log: &Log, ranks: &Ranks) -> Result<u64, RankError> {
    let hashes = log.iter().map(|row| {
        let mut hasher = DefaultHasher::new();
        add(Some(row.context), &mut hasher);
        hasher.write_usize(row.action);
        add_outcome(row.propensity, row.reward, &mut hasher);
        hasher.finish()
    });
    if !ranks.are_several() {
        return Ok(times(hashes));
    }
    let mut to = vec![Vec::new(); ranks.size()];
    for hash in hashes {
        let rank = (u128::from(hash) * to.len() as u128) >> 64;
        to[usize::try_from(rank).unwrap_or_default()].extend(hash.to_le_bytes());
    }
    let from = ranks.exchange(to)?.concat();
    let own = from.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let (times, distinct) = counted(own);
    let all = numbers(ranks, &[times, distinct])?;
    let (of_ranks, _) = all.as_chunks::<2>();
    let add = |(times, distinct), of_rank: &[u64; 2]| {
        (greatest_common_divisor(times, of_rank[0]), distinct + of_rank[1])
    };
    Ok(answer(of_ranks.iter().fold((0, 0), add)))
}

/// The same of choices with their candidates.
pub(crate) fn times_of_every_choice(log: &CandidateLog) -> u64 {
    let candidates = log.candidates();
    times((0..log.len()).map(|i| {
        let mut hasher = DefaultHasher::new();
        add(candidates.contexts().and_then(|contexts| contexts.row(i)), &mut hasher);
        for pair in candidates.pairs_of(i).filter_map(|p| candidates.pair(p)) {
            add(pair.own, &mut hasher);
            add(pair.item, &mut hasher);
            hasher.write_usize(pair.identity.unwrap_or(usize::MAX));
        }
        hasher.write_u32(log.chosen()[i]);
        add_outcome(log.propensities()[i], log.rewards()[i], &mut hasher);
        hasher.finish()
    }))
}

fn add(row: Option<Row<'_>>, hasher: &mut DefaultHasher) {
    if let Some(row) = row {
        row.for_each(|j, value| {
            hasher.write_usize(j);
            hasher.write_u64(value.to_bits());
        });
    }
    // No coordinate has this number, so the end of a row is unambiguous.
    hasher.write_usize(usize::MAX);
}

fn add_outcome(propensity: f64, reward: f64, hasher: &mut DefaultHasher) {
    hasher.write_u64(propensity.to_bits());
    hasher.write_u64(reward.to_bits());
}

fn times(hashes: impl Iterator<Item = u64>) -> u64 {
    answer(counted(hashes.collect()))
}

/// The greatest number that divides how often each of these hashes is there, 0 of none, and how many
/// different ones there are; fewer where that number is 1.
fn counted(mut rows: Vec<u64>) -> (u64, u64) {
    rows.sort_unstable();
    let (mut times, mut distinct) = (0, 0);
    for same in rows.chunk_by(|a, b| a == b) {
        (times, distinct) = (greatest_common_divisor(times, same.len() as u64), distinct + 1);
        if times == 1 {
            break;
        }
    }
    (times, distinct)
}

/// The counts of a few rows are even by chance.
fn answer((times, distinct): (u64, u64)) -> u64 {
    if distinct < 20 { 1 } else { times }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::{times_of_every_choice, times_of_every_row};
    use off_policy::candidates::CandidateLog;
    use off_policy::{Log, Rewards};
    use ranks::Ranks;
    use rows::{Candidates, RowMatrix};

    #[test]
    fn copies_are_counted() {
        let times = |of: &dyn Fn(u32) -> u32| {
            let x: Vec<f64> = (0..30).flat_map(|i| vec![f64::from(i); of(i) as usize]).collect();
            let (n, contexts) = (x.len(), RowMatrix::dense(1, x).unwrap());
            let log = Log::new(contexts, 2, vec![0; n], vec![0.5; n], Rewards(vec![1.0; n])).unwrap();
            times_of_every_row(&log, &Ranks::alone()).unwrap()
        };
        assert_eq!(times(&|_| 1), 1);
        assert_eq!(times(&|_| 3), 3);
        assert_eq!(times(&|i| 2 + 2 * (i % 2)), 2);
        assert_eq!(times(&|i| 2 + i % 2), 1);
        // A few rows are alike by chance.
        assert_eq!(times(&|i| if i < 5 { 2 } else { 0 }), 1);
    }

    #[test]
    fn copies_of_choices_are_counted() {
        let log = |places: &[u32]| {
            let offsets = (0..=40).map(|i| 2 * i).collect();
            let features = RowMatrix::dense(1, (0..80).map(|p| f64::from(p / 2)).collect()).unwrap();
            let items = (0..80_u32).map(|p| p % 3).collect();
            let candidates = Candidates::builder(offsets).features(features).identities(items, 3);
            let (candidates, rewards) = (candidates.build().unwrap(), Rewards(vec![1.0; 40]));
            CandidateLog::new(candidates, places.to_vec(), vec![0.5; 40], rewards).unwrap()
        };
        let all: Vec<usize> = (0..40).collect();
        let first = log(&[0; 40]);
        let times = |rows: &[usize]| times_of_every_choice(&first.select(rows.iter().copied()).unwrap());
        assert_eq!(times(&all), 1);
        assert_eq!(times(&[&all[..], &all].concat()), 2);
        assert_eq!(times(&[&all[..], &all, &all[..5]].concat()), 1);
        // A few choices are alike by chance.
        assert_eq!(times(&[&all[..5], &all[..5]].concat()), 1);
    }
}
