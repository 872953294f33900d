//! Which rows are kept apart.

use crate::error::JobError;
use crate::of_ranks::{check_length, doubles, numbers};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use ranks::Ranks;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How the rows to judge on are chosen.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Split {
    /// By lot.
    #[default]
    Random,
    /// The latest ones, by a time a row; rows of one time stay together.
    ByTime(Vec<f64>),
    /// Whole groups by lot, by the number of a group a row: rows of one user, say, stay together.
    ByGroup(Vec<u64>),
    /// These, whatever the share: a column of the log says so.
    Given(Vec<bool>),
}

/// The rows to learn from and the rows to judge on, each in order.
#[derive(Debug, PartialEq)]
pub(crate) struct Parts {
    pub(crate) learning: Vec<usize>,
    pub(crate) judging: Vec<usize>,
}

/// What the columns of splits are called.
const TIMES: &str = "the times";
const GROUPS: &str = "the groups";
const JUDGED: &str = "the rows to judge on";

/// The least rows to learn from, and to judge on.
const LEAST: (usize, usize) = (10, 2);

impl Split {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Random => "at random",
            Self::ByTime(_) => "by time",
            Self::ByGroup(_) => "by groups",
            Self::Given(_) => "by column",
        }
    }

    /// The same way to split these rows alone.
    pub(crate) fn of(&self, rows: &[usize]) -> Self {
        match self {
            Self::Random => Self::Random,
            Self::ByTime(times) => Self::ByTime(chosen(times, rows)),
            Self::ByGroup(groups) => Self::ByGroup(chosen(groups, rows)),
            Self::Given(judges) => Self::Given(chosen(judges, rows)),
        }
    }

    /// The split of the rows of all ranks, of which this one names `rows` rows of one.
    pub(crate) fn gathered(&self, rows: usize, ranks: &Ranks) -> Result<Cow<'_, Self>, JobError> {
        if !ranks.are_several() {
            return Ok(Cow::Borrowed(self));
        }
        ranks.agree(match self {
            Self::Random => Ok(()),
            Self::ByTime(times) => check_length(TIMES, times.len(), rows),
            Self::ByGroup(groups) => check_length(GROUPS, groups.len(), rows),
            Self::Given(judged) => check_length(JUDGED, judged.len(), rows),
        })?;
        Ok(Cow::Owned(match self {
            Self::Random => Self::Random,
            Self::ByTime(times) => Self::ByTime(doubles(ranks, times)?),
            Self::ByGroup(groups) => Self::ByGroup(numbers(ranks, groups)?),
            Self::Given(judged) => {
                let all = ranks.gather(judged.iter().map(|is_judged| u8::from(*is_judged)).collect())?;
                Self::Given(all.into_iter().map(|is_judged| is_judged != 0).collect())
            }
        }))
    }

    /// About the share of n rows for judging.
    pub(crate) fn parts(&self, n: usize, share: f64, seed: u64) -> Result<Parts, JobError> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of n")]
        let wanted = (share * n as f64).round() as usize;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1 << 47);
        let mut judging: Vec<usize> = match self {
            Self::Random => {
                let mut rows: Vec<usize> = (0..n).collect();
                rows.shuffle(&mut rng);
                rows.truncate(wanted);
                rows
            }
            Self::ByTime(times) => {
                check_length(TIMES, times.len(), n)?;
                if let Some((row, value)) = times.iter().enumerate().find(|(_, time)| !time.is_finite()) {
                    return Err(JobError::BadTime { row, value: *value });
                }
                let mut rows: Vec<usize> = (0..n).collect();
                rows.sort_by(|a, b| times[*b].total_cmp(&times[*a]));
                latest(&rows, times, wanted)
            }
            Self::ByGroup(groups) => {
                check_length(GROUPS, groups.len(), n)?;
                let mut rows_of: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
                groups
                    .iter()
                    .enumerate()
                    .for_each(|(row, group)| rows_of.entry(*group).or_default().push(row));
                let mut order: Vec<Vec<usize>> = rows_of.into_values().collect();
                order.shuffle(&mut rng);
                let mut judging = Vec::new();
                for group in order {
                    // A group goes in where that brings the number nearer to what is wanted.
                    if judging.len() + group.len() <= wanted + group.len() / 2 {
                        judging.extend(group);
                    }
                }
                judging
            }
            Self::Given(judged) => {
                check_length(JUDGED, judged.len(), n)?;
                (0..n).filter(|row| judged[*row]).collect()
            }
        };
        judging.sort_unstable();
        let mut is_judging = vec![false; n];
        judging.iter().for_each(|row| is_judging[*row] = true);
        let learning: Vec<usize> = (0..n).filter(|row| !is_judging[*row]).collect();
        if learning.len() < LEAST.0 || judging.len() < LEAST.1 {
            let (learning, judging) = (learning.len(), judging.len());
            return Err(JobError::TooFewRows { rows: n, split: self.name(), learning, judging });
        }
        Ok(Parts { learning, judging })
    }
}

/// A tenth of n rows, but [`JUDGING_ROWS`] rows at least, and a quarter at most.
pub(crate) fn holdout_share(rows: usize) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
    let share = JUDGING_ROWS / rows as f64;
    share.clamp(0.1, 0.25)
}

/// The rows to judge on that a small log is cut for: how wide an interval is depends on their number, and not
/// on their share, while a policy learns from every other row.
const JUDGING_ROWS: f64 = 1_000.0;

/// Of rows from the latest to the earliest those of the latest times, at least as many as wanted where that
/// leaves others, else the fewer.
fn latest(rows: &[usize], times: &[f64], wanted: usize) -> Vec<usize> {
    let is_cut = |end: usize| end == rows.len() || times[rows[end - 1]] != times[rows[end]];
    let up = (wanted.max(1)..rows.len()).find(|end| is_cut(*end));
    let down = (1..wanted.min(rows.len())).rev().find(|end| is_cut(*end));
    rows[..up.or(down).unwrap_or_default()].to_vec()
}

fn chosen<T: Copy>(column: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().filter_map(|row| column.get(*row)).copied().collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;

    #[test]
    fn rows_by_lot_are_another_set_for_another_seed() {
        let [a, b, again] = [1, 2, 1].map(|seed| Split::Random.parts(100, 0.25, seed).unwrap());
        assert_eq!((a.learning.len(), a.judging.len()), (75, 25));
        assert!(a.judging.iter().all(|row| !a.learning.contains(row)));
        assert_eq!(a, again);
        assert_ne!(a.judging, b.judging);
    }

    #[test]
    fn the_latest_rows_are_judged_and_rows_of_one_time_stay_together() {
        let times: Vec<f64> = (0..40).map(|i| f64::from((i * 7) % 40 / 4)).collect();
        let parts = Split::ByTime(times.clone()).parts(40, 0.25, 1).unwrap();
        let first = parts.judging.iter().map(|row| times[*row]).fold(f64::MAX, f64::min);
        let last = parts.learning.iter().map(|row| times[*row]).fold(f64::MIN, f64::max);
        assert!(last < first, "{last}, {first}");
        assert_eq!(parts.judging.len(), 12); // whole times of 4 rows, 10 were asked for
        let one_time = Split::ByTime(vec![3.0; 40]).parts(40, 0.25, 1);
        assert!(matches!(one_time, Err(JobError::TooFewRows { learning: 40, judging: 0, .. })));
        // Three quarters of the rows are of the latest time: all of those are judged.
        let late = Split::ByTime((0..40).map(|i| f64::from(u8::from(i >= 10))).collect());
        assert_eq!(late.parts(40, 0.25, 1).unwrap().learning, (0..10).collect::<Vec<_>>());
        let mut bad = times;
        bad[7] = f64::NAN;
        assert!(matches!(Split::ByTime(bad).parts(40, 0.25, 1), Err(JobError::BadTime { row: 7, .. })));
    }

    #[test]
    fn the_rows_that_are_given_are_judged() {
        let given = Split::Given((0..40).map(|i| i % 5 == 2).collect());
        assert_eq!(given.parts(40, 0.7, 1).unwrap().judging, (0..8).map(|i| 5 * i + 2).collect::<Vec<_>>());
        assert!(matches!(given.parts(41, 0.7, 1), Err(JobError::Length { expected: 41, got: 40, .. })));
        let all = Split::Given(vec![true; 40]).parts(40, 0.7, 1);
        assert!(matches!(
            all,
            Err(JobError::TooFewRows { learning: 0, judging: 40, split: "by column", .. })
        ));
    }

    #[test]
    fn groups_stay_together() {
        let groups: Vec<u64> = (0..200).map(|i| i % 37).collect();
        let parts = Split::ByGroup(groups.clone()).parts(200, 0.25, 5).unwrap();
        let judged: Vec<u64> = parts.judging.iter().map(|row| groups[*row]).collect();
        assert!(parts.learning.iter().all(|row| !judged.contains(&groups[*row])));
        assert!((45..=55).contains(&parts.judging.len()), "{}", parts.judging.len());
        let refused = Split::ByGroup(vec![1; 7]).parts(200, 0.25, 5);
        assert_eq!(refused, Err(JobError::Length { column: "the groups", expected: 200, got: 7 }));
        let one_group = Split::ByGroup(vec![1; 200]).parts(200, 0.25, 5);
        assert!(matches!(one_group, Err(JobError::TooFewRows { .. })));
    }
}
