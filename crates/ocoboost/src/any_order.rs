//! Whether two logs have the same rows, in whatever order they are.

use off_policy::Log;
use off_policy::candidates::CandidateLog;
use ranks::{RankError, Ranks};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// A digest of the rows of a log but for their propensities, which may be estimates: the same in every order.
/// `None` for fewer than 20 different rows: two logs of so few are alike by chance.
///
/// It is in saved files. The first 128 bits of the SHA-256 of every row are added up modulo 2^128.
pub(crate) fn of_rows(log: &Log) -> Option<String> {
    Sum::of_rows(log).digits()
}

/// The same of the rows of all ranks.
pub(crate) fn of_rows_of_ranks(log: &Log, ranks: &Ranks) -> Result<Option<String>, RankError> {
    let Sum { sum, different } = Sum::of_rows(log);
    let numbers = std::iter::once(sum).chain(different);
    let of_rank: Vec<u8> = numbers.flat_map(u128::to_le_bytes).collect();
    // The sum of a rank, and as many of its different rows as count.
    let mut padded = of_rank.len().to_le_bytes().to_vec();
    padded.extend(of_rank);
    let all = ranks.gather(padded)?;
    let (mut found, mut rest) = (Sum::default(), &all[..]);
    while let Some((length, behind)) = rest.split_first_chunk::<8>() {
        let length = usize::from_le_bytes(*length);
        let (of_rank, behind) = behind.split_at_checked(length).unwrap_or((behind, &[]));
        let (numbers, _) = of_rank.as_chunks::<16>();
        let mut numbers = numbers.iter().map(|bytes| u128::from_le_bytes(*bytes));
        found.sum = found.sum.wrapping_add(numbers.next().unwrap_or_default());
        found.different.extend(numbers);
        rest = behind;
    }
    Ok(found.digits())
}

impl Sum {
    fn of_rows(log: &Log) -> Self {
        let mut bytes = Vec::new();
        Self::of(log.iter().map(|row| {
            bytes.clear();
            row.context.for_each(|j, value| add(j, value, &mut bytes));
            bytes.extend(END);
            add_outcome(row.action, row.reward, &mut bytes);
            if !row.on_offer.is_all() {
                row.on_offer.iter().for_each(|action| bytes.extend((action as u64).to_le_bytes()));
            }
            digest(&bytes)
        }))
    }

    fn of(rows: impl Iterator<Item = u128>) -> Self {
        let mut found = Self::default();
        for row in rows {
            found.sum = found.sum.wrapping_add(row);
            if found.different.len() < LEAST_ROWS {
                found.different.insert(row);
            }
        }
        found
    }

    fn digits(&self) -> Option<String> {
        (self.different.len() >= LEAST_ROWS).then(|| format!("{:032x}", self.sum))
    }
}

/// The same of choices with their candidates.
pub(crate) fn of_choices(log: &CandidateLog) -> Option<String> {
    let (candidates, mut bytes) = (log.candidates(), Vec::new());
    let shape = candidates.shape();
    let sum = Sum::of((0..log.len()).map(|i| {
        bytes.clear();
        for pair in candidates.pairs_of(i).filter_map(|p| candidates.pair(p)) {
            pair.for_each(shape, |j, value| add(j, value, &mut bytes));
            bytes.extend(END);
        }
        add_outcome(log.chosen()[i] as usize, log.rewards()[i], &mut bytes);
        digest(&bytes)
    }));
    sum.digits()
}

/// The digests of rows, added up, and some different ones of them.
#[derive(Default)]
struct Sum {
    sum: u128,
    different: BTreeSet<u128>,
}

/// The different rows below which nothing is said.
const LEAST_ROWS: usize = 20;

/// No coordinate has this number, so the end of a row is unambiguous.
const END: [u8; 8] = u64::MAX.to_le_bytes();

/// A coordinate, unless it is 0: a dense row is that of its entries.
fn add(j: usize, value: f64, bytes: &mut Vec<u8>) {
    if value != 0.0 {
        bytes.extend((j as u64).to_le_bytes());
        bytes.extend(value.to_le_bytes());
    }
}

fn add_outcome(action: usize, reward: f64, bytes: &mut Vec<u8>) {
    bytes.extend((action as u64).to_le_bytes());
    // −0 is 0.
    bytes.extend((reward + 0.0).to_le_bytes());
}

fn digest(bytes: &[u8]) -> u128 {
    let mut half = [0; 16];
    half.copy_from_slice(&Sha256::digest(bytes)[..16]);
    u128::from_le_bytes(half)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::{of_choices, of_rows};
    use off_policy::candidates::CandidateLog;
    use off_policy::{ActionSets, Log, Rewards};
    use rows::{Candidates, RowMatrix};

    fn log(rows: u32) -> Log {
        let contexts = RowMatrix::dense(2, (0..2 * rows).map(|i| f64::from(i / 3)).collect()).unwrap();
        let (actions, rewards) = ((0..rows).map(|i| i % 2).collect(), (0..rows).map(f64::from).collect());
        Log::new(contexts, 2, actions, vec![0.5; rows as usize], Rewards(rewards)).unwrap()
    }

    #[test]
    fn rows_are_the_same_in_every_order() {
        let own = log(40);
        let found = of_rows(&own).unwrap();
        let turned = (0..40).map(|i| (7 * i + 3) % 40);
        assert_eq!(of_rows(&own.select(turned.clone()).unwrap()).as_deref(), Some(&*found));
        // One row less, one twice, and one that earned another reward.
        assert_ne!(of_rows(&own.select(1..40).unwrap()), Some(found.clone()));
        assert_ne!(of_rows(&own.select(turned.chain([5])).unwrap()), Some(found.clone()));
        let mut rewards = own.rewards().to_vec();
        rewards.swap(3, 4);
        let (contexts, actions) = (own.contexts().clone(), own.logged_actions().to_vec());
        let other = Log::new(contexts, 2, actions, vec![0.25; 40], Rewards(rewards)).unwrap();
        assert_ne!(of_rows(&other), Some(found.clone()));
        // Propensities do not count, and what was on offer does.
        let (contexts, actions) = (own.contexts().clone(), own.logged_actions().to_vec());
        let other = Log::new(contexts, 2, actions, vec![0.25; 40], Rewards(own.rewards().to_vec())).unwrap();
        assert_eq!(of_rows(&other), Some(found.clone()));
        let sets = (0..40).map(|i| if i == 6 { vec![0] } else { vec![0, 1] });
        let fewer = other.with_action_sets(ActionSets::new(2, sets).unwrap()).unwrap();
        assert_ne!(of_rows(&fewer), Some(found));
        // Few rows are alike by chance.
        assert_eq!((of_rows(&log(19)), of_rows(&log(20)).is_some()), (None, true));
    }

    #[test]
    fn choices_are_the_same_in_every_order() {
        let features = RowMatrix::dense(1, (0..80).map(|p| f64::from(p / 2)).collect()).unwrap();
        let candidates = Candidates::builder((0..=40).map(|i| 2 * i).collect()).features(features);
        let chosen = (0..40).map(|i| i % 2).collect();
        let rewards = Rewards((0..40).map(f64::from).collect());
        let own = CandidateLog::new(candidates.build().unwrap(), chosen, vec![0.5; 40], rewards).unwrap();
        let turned = own.select((0..40).map(|i| (7 * i + 3) % 40)).unwrap();
        assert_eq!(of_choices(&turned), of_choices(&own));
        assert!(of_choices(&own).is_some());
        assert_ne!(of_choices(&own.select(1..40).unwrap()), of_choices(&own));
    }
}
