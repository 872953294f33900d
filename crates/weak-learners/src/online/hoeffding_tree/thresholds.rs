//! What a Hoeffding tree may ask.

use crate::LearnerError;
use rows::Row;
use serde::{Deserialize, Serialize};

/// For each feature the thresholds θ of the questions x_j ≤ θ, fixed ahead; none for a feature that is not to be asked.
///
/// ```
/// use rows::Row;
/// use weak_learners::online::TreeThresholds as Thresholds;
/// let sample = [[0.0, 5.0], [1.0, 7.0], [0.0, 6.0], [1.0, 8.0]];
/// let rows = sample.each_ref().map(|x| Row::dense(x)).into_iter().collect::<Result<Vec<_>, _>>()?;
/// let thresholds = Thresholds::quantiles(rows, 2)?;
/// assert_eq!((thresholds.of(0), thresholds.of(1)), (&[0.5][..], &[6.5][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<f64>>", into = "Vec<Vec<f64>>")]
pub struct Thresholds {
    of: Vec<Vec<f64>>,
    /// Where the cells of a feature start: it has one more than thresholds.
    starts: Vec<usize>,
}

impl Thresholds {
    /// Thresholds that rise for each of m features.
    ///
    /// # Errors
    /// No feature, a threshold that is not finite, or one that is not above the one before it.
    pub fn new(thresholds: Vec<Vec<f64>>) -> Result<Self, LearnerError> {
        if thresholds.is_empty() {
            return Err(LearnerError::Empty { argument: "features" });
        }
        for of_feature in &thresholds {
            projections::check_finite("thresholds", of_feature)?;
            if let Some(pair) = of_feature.windows(2).find(|pair| pair[0] >= pair[1]) {
                let (name, domain) = ("threshold", "rising thresholds");
                return Err(LearnerError::BadParameter { name, value: pair[1], domain });
            }
        }
        let mut starts = vec![0];
        for of_feature in &thresholds {
            starts.push(starts.last().unwrap_or(&0) + of_feature.len() + 1);
        }
        Ok(Self { of: thresholds, starts })
    }

    /// At most `bins` − 1 thresholds a feature, which cut a sample into parts of about equal size, halfway between two
    /// values of it: for an indicator, 1/2. O(m·n log n).
    ///
    /// # Errors
    /// No row, rows of different dimensions, or fewer than 2 bins.
    pub fn quantiles<'a>(
        sample: impl IntoIterator<Item = Row<'a>>,
        bins: usize,
    ) -> Result<Self, LearnerError> {
        if bins < 2 {
            #[allow(clippy::cast_precision_loss, reason = "0 or 1")]
            let value = bins as f64;
            return Err(LearnerError::BadParameter { name: "bins", value, domain: "at least 2" });
        }
        let (mut columns, mut n) = (Vec::new(), 0);
        for x in sample {
            if n == 0 {
                columns.resize(x.dimension(), Vec::new());
            }
            if x.dimension() != columns.len() {
                return Err(LearnerError::InputDimension { expected: columns.len(), got: x.dimension() });
            }
            x.for_each(|j, x_j| columns[j].push(x_j));
            n += 1;
        }
        Self::new(
            columns
                .into_iter()
                .map(|mut column| {
                    column.resize(n, 0.0);
                    cuts(&mut column, bins)
                })
                .collect(),
        )
    }

    /// The thresholds of a feature, rising; empty for a feature that there is none of.
    #[must_use]
    pub fn of(&self, feature: usize) -> &[f64] {
        self.of.get(feature).map_or(&[], Vec::as_slice)
    }

    /// m.
    pub(super) fn inputs(&self) -> usize {
        self.of.len()
    }

    /// One more than there are thresholds, summed over the features.
    pub(super) fn cells(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The first cell of a feature.
    pub(super) fn start(&self, feature: usize) -> usize {
        self.starts[feature]
    }

    /// Among the cells of its feature, that of a value: the thresholds below it.
    pub(super) fn bin(&self, feature: usize, value: f64) -> usize {
        self.of[feature].partition_point(|&threshold| threshold < value)
    }
}

/// Between two different neighbours of the sorted values, nearest above each of the quantiles i/bins.
fn cuts(values: &mut [f64], bins: usize) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let mut distinct = values.to_vec();
    distinct.dedup();
    let between = |a: f64, b: f64| {
        // Halfway, and below b also where they are neighbouring doubles.
        let middle = 0.5 * a + 0.5 * b;
        if middle < b { middle } else { a }
    };
    if distinct.len() <= bins {
        return distinct.windows(2).map(|pair| between(pair[0], pair[1])).collect();
    }
    let mut cuts = Vec::new();
    for i in 1..bins {
        let value = values[i * values.len() / bins];
        let above = distinct.partition_point(|&v| v <= value);
        if let Some(&next) = distinct.get(above) {
            cuts.push(between(value, next));
        }
    }
    cuts.dedup();
    cuts
}

impl From<Thresholds> for Vec<Vec<f64>> {
    fn from(thresholds: Thresholds) -> Self {
        thresholds.of
    }
}

impl TryFrom<Vec<Vec<f64>>> for Thresholds {
    type Error = LearnerError;

    fn try_from(thresholds: Vec<Vec<f64>>) -> Result<Self, LearnerError> {
        Self::new(thresholds)
    }
}
