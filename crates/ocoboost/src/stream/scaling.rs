//! Numbers in units that a linear learner can use.

use super::coding::CodedRow;
use crate::error::JobError;
use serde::{Deserialize, Serialize};

/// The mean and deviation of every coordinate over the rows so far that had an entry of it.
///
/// A row is coded by the rows before it: (x − mean)/deviation, cut off at ±10, and 0 where all were equal. A
/// coordinate that was never anything but 1, as that of a label, stays 1.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<Moments>", into = "Vec<Moments>")]
pub(super) struct Scaling {
    moments: Vec<Moments>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Moments {
    count: u64,
    mean: f64,
    /// The mean of the squares of the distances from the mean.
    variance: f64,
}

/// Where a scaled number is cut off.
const FAR: f64 = 10.0;
/// Numbers are cut off here before they are squared.
const LARGEST: f64 = 1e100;
/// Below 2^53 every count is a double.
const MOST_ROWS: u64 = 1 << 52;

impl Scaling {
    /// The row by the moments so far.
    pub(super) fn scaled(&self, row: &CodedRow, scaled: &mut CodedRow) {
        scaled.indices.clear();
        scaled.values.clear();
        for (index, value) in row.indices.iter().zip(&row.values) {
            let moments = self.moments.get(*index as usize).copied().unwrap_or_default();
            let value = moments.scaled(*value);
            if value != 0.0 {
                scaled.indices.push(*index);
                scaled.values.push(value);
            }
        }
    }

    /// Counts a row.
    pub(super) fn include(&mut self, row: &CodedRow) {
        let most = row.indices.last().map_or(0, |last| *last as usize + 1);
        if self.moments.len() < most {
            self.moments.resize(most, Moments::default());
        }
        for (index, value) in row.indices.iter().zip(&row.values) {
            if let Some(moments) = self.moments.get_mut(*index as usize) {
                moments.include(*value);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.moments.len()
    }
}

impl Moments {
    fn scaled(self, value: f64) -> f64 {
        let Self { count, mean, variance } = self;
        let is_indicator = value == 1.0 && variance == 0.0 && (count == 0 || mean == 1.0);
        if is_indicator {
            return 1.0;
        }
        if variance <= 0.0 {
            return 0.0;
        }
        ((value.clamp(-LARGEST, LARGEST) - mean) / variance.sqrt()).clamp(-FAR, FAR)
    }

    fn include(&mut self, value: f64) {
        if self.count >= MOST_ROWS {
            return;
        }
        self.count += 1;
        #[allow(clippy::cast_precision_loss, reason = "below 2^53")]
        let share = 1.0 / self.count as f64;
        let gap = value.clamp(-LARGEST, LARGEST) - self.mean;
        self.mean += share * gap;
        self.variance = (1.0 - share) * (self.variance + share * gap * gap);
    }
}

impl From<Scaling> for Vec<Moments> {
    fn from(scaling: Scaling) -> Self {
        scaling.moments
    }
}

impl TryFrom<Vec<Moments>> for Scaling {
    type Error = JobError;

    fn try_from(moments: Vec<Moments>) -> Result<Self, JobError> {
        for Moments { count, mean, variance } in &moments {
            if *count > MOST_ROWS || !(mean.abs() <= 2.0 * LARGEST) || !(0.0..=8e200).contains(variance) {
                let (name, domain) = ("moments", "those of at most 2^52 numbers up to 1e100");
                return Err(JobError::BadSetting { name, value: *variance, domain });
            }
        }
        Ok(Self { moments })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;

    fn row(entries: &[(u32, f64)]) -> CodedRow {
        let (indices, values) = entries.iter().copied().unzip();
        CodedRow { indices, values }
    }

    fn scaled(scaling: &Scaling, entries: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let mut out = CodedRow::default();
        scaling.scaled(&row(entries), &mut out);
        out.indices.into_iter().zip(out.values).collect()
    }

    #[test]
    fn numbers_are_in_deviations_from_the_mean_of_the_rows_before() {
        let mut scaling = Scaling::default();
        assert_eq!(scaled(&scaling, &[(0, 7.0), (3, 1.0)]), [(3, 1.0)]);
        for x in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            scaling.include(&row(&[(0, x), (3, 1.0)]));
        }
        // Mean 5 and deviation 2.
        let found = scaled(&scaling, &[(0, 8.0), (1, 0.0), (3, 1.0)]);
        assert!(found.len() == 2 && (found[0].1 - 1.5).abs() < 1e-12 && found[1] == (3, 1.0), "{found:?}");
        assert_eq!(scaled(&scaling, &[(0, 1e140)]), [(0, 10.0)]);
        // 0 is a number as others are.
        assert!((scaled(&scaling, &[(0, 0.0)])[0].1 + 2.5).abs() < 1e-12);
    }

    #[test]
    fn huge_numbers_stay_finite_and_wrong_moments_are_refused() {
        let mut scaling = Scaling::default();
        for x in [1e140, -1e140, 1e140] {
            scaling.include(&row(&[(0, x)]));
        }
        let text = serde_json::to_string(&scaling).unwrap();
        assert_eq!(serde_json::from_str::<Scaling>(&text).unwrap(), scaling);
        for text in [
            "[{\"count\":1,\"mean\":0.0,\"variance\":-1.0}]",
            "[{\"count\":1,\"mean\":1e120,\"variance\":1.0}]",
        ] {
            assert!(serde_json::from_str::<Scaling>(text).is_err());
        }
    }
}
