//! A log by its digest, and its rows by theirs.

use off_policy::Log;
use sha2::{Digest, Sha256};
use std::hash::{DefaultHasher, Hasher};

/// The SHA-256 of the numbers of a log: actions, propensities, rewards, what was on offer, and a fingerprint
/// of the contexts; as hexadecimal digits.
pub(super) fn of(log: &Log) -> String {
    digest(log, &[log.propensities(), log.rewards()])
}

/// The same but for the propensities: they may be estimates, and other ones in every reading of the log.
pub(super) fn of_decisions(log: &Log) -> String {
    digest(log, &[log.rewards()])
}

fn digest(log: &Log, columns: &[&[f64]]) -> String {
    let mut digest = Sha256::new();
    for count in [log.len(), log.inputs(), log.actions()] {
        digest.update((count as u64).to_le_bytes());
    }
    digest.update(log.contexts().fingerprint().to_le_bytes());
    log.logged_actions().iter().for_each(|action| digest.update(action.to_le_bytes()));
    for numbers in columns {
        numbers.iter().for_each(|number| digest.update(number.to_le_bytes()));
    }
    for set in log.iter().map(|row| row.on_offer).filter(|set| !set.is_all()) {
        digest.update((set.len() as u64).to_le_bytes());
        set.iter().for_each(|action| digest.update((action as u64).to_le_bytes()));
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The greatest number that divides how often each row is in the log: 3 for a log that was put together from
/// three copies. 1 for fewer than 20 different rows, and nearly surely for rows that merely are alike.
pub(super) fn times_of_every_row(log: &Log) -> u64 {
    let mut rows: Vec<u64> = log
        .iter()
        .map(|row| {
            let mut hasher = DefaultHasher::new();
            row.context.for_each(|j, value| {
                hasher.write_usize(j);
                hasher.write_u64(value.to_bits());
            });
            hasher.write_usize(row.action);
            hasher.write_u64(row.propensity.to_bits());
            hasher.write_u64(row.reward.to_bits());
            hasher.finish()
        })
        .collect();
    rows.sort_unstable();
    let (mut times, mut distinct) = (0, 0);
    for same in rows.chunk_by(|a, b| a == b) {
        (times, distinct) = (greatest_common_divisor(times, same.len() as u64), distinct + 1);
        if times == 1 {
            break;
        }
    }
    // The counts of a few rows are even by chance.
    if distinct < 20 { 1 } else { times }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::times_of_every_row;
    use off_policy::{Log, Rewards};
    use rows::RowMatrix;

    #[test]
    fn copies_are_counted() {
        let times = |of: &dyn Fn(u32) -> u32| {
            let x: Vec<f64> = (0..30).flat_map(|i| vec![f64::from(i); of(i) as usize]).collect();
            let (n, contexts) = (x.len(), RowMatrix::dense(1, x).unwrap());
            let log = Log::new(contexts, 2, vec![0; n], vec![0.5; n], Rewards(vec![1.0; n])).unwrap();
            times_of_every_row(&log)
        };
        assert_eq!(times(&|_| 1), 1);
        assert_eq!(times(&|_| 3), 3);
        assert_eq!(times(&|i| 2 + 2 * (i % 2)), 2);
        assert_eq!(times(&|i| 2 + i % 2), 1);
        // A few rows are alike by chance.
        assert_eq!(times(&|i| if i < 5 { 2 } else { 0 }), 1);
    }
}
