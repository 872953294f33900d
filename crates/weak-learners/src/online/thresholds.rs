//! The thresholds of a finite class of stumps.

use crate::LearnerError;
use crate::error::beyond;
use projections::filled;
use rows::Row;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Ascending thresholds for each of m features: the class of all stumps ±sgn(x_j − θ), sgn 0 = 1, with the
/// two constants.
///
/// A feature may have no thresholds, but not every feature. *Errors:* [`LearnerError::Empty`] without any
/// threshold; thresholds that do not ascend strictly or are not finite.
///
/// ```
/// use rows::Row;
/// use weak_learners::online::Thresholds;
/// let (a, b, c) = ([0.0, 1.0], [0.0, 2.0], [1.0, 5.0]);
/// let rows = [Row::dense(&a)?, Row::dense(&b)?, Row::dense(&c)?];
/// let thresholds = Thresholds::quantiles(rows, 8)?;
/// assert_eq!(thresholds, Thresholds::at(vec![vec![0.5], vec![1.5, 3.5]])?);
/// assert_eq!(thresholds.experts(), 2 + 2 * 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<f64>>", into = "Vec<Vec<f64>>")]
pub struct Thresholds {
    /// Feature j has `values[starts[j]..starts[j + 1]]`.
    starts: Vec<usize>,
    values: Vec<f64>,
}

impl Thresholds {
    /// Thresholds θ_{j,0} < θ_{j,1} < … of each feature j.
    ///
    /// # Errors
    /// As stated above.
    pub fn at(of_features: Vec<Vec<f64>>) -> Result<Self, LearnerError> {
        of_features.try_into()
    }

    /// At most `per_feature` thresholds a feature, so that about equally many of these rows lie between
    /// neighbours; each is the midpoint of two consecutive distinct values, so an indicator has the threshold
    /// ½. An absent entry of a sparse row is a 0. *Cost:* O(stored values · log(rows)).
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without a row, or if every feature is constant; rows of different dimensions.
    pub fn quantiles<'a>(
        rows: impl IntoIterator<Item = Row<'a>>,
        per_feature: usize,
    ) -> Result<Self, LearnerError> {
        let (mut columns, mut count): (Vec<Vec<f64>>, usize) = (Vec::new(), 0);
        for x in rows {
            if count == 0 {
                columns = filled("thresholds", x.dimension(), Vec::new())?;
            }
            if x.dimension() != columns.len() {
                return Err(LearnerError::InputDimension { expected: columns.len(), got: x.dimension() });
            }
            x.for_each(|j, v| {
                if v != 0.0 {
                    columns[j].push(v);
                }
            });
            count += 1;
        }
        if count == 0 {
            return Err(LearnerError::Empty { argument: "rows" });
        }
        Self::at(columns.into_iter().map(|column| cuts(column, count, per_feature)).collect())
    }

    /// m.
    pub fn inputs(&self) -> usize {
        self.starts.len() - 1
    }

    /// θ_{j,0} < θ_{j,1} < …; empty for j ≥ m.
    pub fn of(&self, j: usize) -> &[f64] {
        &self.values[self.places(j)]
    }

    /// n, the number of stumps and constants.
    pub fn experts(&self) -> usize {
        2 + 2 * self.values.len()
    }

    /// The number of thresholds of all features.
    pub(crate) fn total(&self) -> usize {
        self.values.len()
    }

    /// The range of the thresholds of feature j in the list of all; empty for j ≥ m.
    pub(crate) fn places(&self, j: usize) -> Range<usize> {
        let at = |j: usize| self.starts.get(j).copied().unwrap_or(self.values.len());
        at(j)..at(j.saturating_add(1))
    }

    /// The feature and the value of a threshold in the list of all.
    pub(crate) fn at_place(&self, place: usize) -> (usize, f64) {
        (self.starts.partition_point(|&start| start <= place) - 1, self.values[place])
    }

    /// The bucket of v: the number of thresholds of feature j that are at most v.
    #[inline]
    pub(crate) fn bucket(&self, j: usize, v: f64) -> usize {
        self.of(j).partition_point(|&threshold| threshold <= v)
    }
}

/// A number θ with a < θ ≤ b, for a < b, as near to their midpoint as possible.
pub(crate) fn between(a: f64, b: f64) -> f64 {
    let middle = a.midpoint(b);
    if middle > a { middle } else { b }
}

/// The cuts of one feature, from its non-zero values among `count`.
fn cuts(mut non_zero: Vec<f64>, count: usize, per_feature: usize) -> Vec<f64> {
    non_zero.sort_unstable_by(f64::total_cmp);
    let zeros = count - non_zero.len();
    let zero_at = non_zero.partition_point(|&v| v < 0.0);
    // The column in ascending order, with its zeros.
    let value = |rank: usize| match rank {
        rank if rank < zero_at => non_zero[rank],
        rank if rank < zero_at + zeros => 0.0,
        rank => non_zero[rank - zeros],
    };
    // Rank r is a possible cut if the value changes from rank r − 1 to r; it does not among the zeros.
    let ranks = (1..=zero_at).chain(zero_at + zeros.max(1)..count);
    let changes: Vec<usize> = ranks.filter(|&r| r < count && value(r - 1) < value(r)).collect();
    let mut ranks: Vec<usize> = if changes.len() <= per_feature {
        changes
    } else {
        let wanted = (1..=per_feature).map(|i| (i * count).div_ceil(per_feature + 1));
        wanted.map(|rank| nearest(&changes, rank)).collect()
    };
    ranks.dedup();
    ranks.into_iter().map(|r| between(value(r - 1), value(r))).collect()
}

/// The entry of an ascending list, not empty, nearest to `rank`; the lower of two.
fn nearest(changes: &[usize], rank: usize) -> usize {
    let above = changes.partition_point(|&change| change < rank).min(changes.len() - 1);
    let below = above.saturating_sub(1);
    if rank.abs_diff(changes[below]) <= rank.abs_diff(changes[above]) {
        changes[below]
    } else {
        changes[above]
    }
}

impl From<Thresholds> for Vec<Vec<f64>> {
    fn from(thresholds: Thresholds) -> Self {
        (0..thresholds.inputs()).map(|j| thresholds.of(j).to_vec()).collect()
    }
}

impl TryFrom<Vec<Vec<f64>>> for Thresholds {
    type Error = LearnerError;

    fn try_from(of_features: Vec<Vec<f64>>) -> Result<Self, LearnerError> {
        let (mut starts, mut values) = (vec![0], Vec::new());
        for of_feature in of_features {
            for (k, &value) in of_feature.iter().enumerate() {
                if !(value.abs() <= LARGEST) {
                    return Err(beyond("threshold", values.len(), value));
                }
                if k > 0 && value <= of_feature[k - 1] {
                    let domain = "(the threshold before it, ∞)";
                    return Err(LearnerError::BadParameter { name: "threshold", value, domain });
                }
                values.push(value);
            }
            starts.push(values.len());
        }
        if values.is_empty() {
            return Err(LearnerError::Empty { argument: "thresholds" });
        }
        Ok(Self { starts, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rows::RowMatrix;

    proptest! {
        /// Each lies between two consecutive values; with room for all there is one in every gap; otherwise,
        /// where no value repeats, the parts differ by one row at most.
        #[test]
        fn quantiles_part_the_rows(values in prop::collection::vec(-4_i32..4, 2..60), spread in any::<bool>(), k in 1_usize..9) {
            let values: Vec<f64> = (0..).zip(&values).map(|(i, v)| f64::from(*v) + if spread { 0.01 * f64::from(i) } else { 0.0 }).collect();
            let matrix = RowMatrix::dense(1, values.clone()).unwrap();
            let mut distinct = values.clone();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            let found = Thresholds::quantiles(matrix.iter(), k);
            if distinct.len() == 1 {
                prop_assert_eq!(found, Err(LearnerError::Empty { argument: "thresholds" }));
                return Ok(());
            }
            let found = found.unwrap();
            prop_assert!(found.of(0).len() <= k);
            for threshold in found.of(0) {
                prop_assert!(distinct.windows(2).any(|w| between(w[0], w[1]) == *threshold));
            }
            if distinct.len() <= k + 1 {
                prop_assert_eq!(found.of(0).len(), distinct.len() - 1);
            } else if distinct.len() == values.len() {
                prop_assert_eq!(found.of(0).len(), k);
                let size = |b: usize| values.iter().filter(|v| found.bucket(0, **v) == b).count();
                let (small, large) = (values.len() / (k + 1), values.len().div_ceil(k + 1));
                prop_assert!((0..=k).all(|b| (small..=large).contains(&size(b))));
            }
        }
    }

    #[test]
    fn zeros_count_whether_stored_or_not_and_midpoints_survive_the_ends_of_the_doubles() {
        let dense = RowMatrix::dense(2, vec![0.0, 1.0, -2.0, 0.0, 0.0, 0.0]).unwrap();
        let sparse = RowMatrix::sparse(2, vec![0, 1, 2, 2], vec![1, 0], vec![1.0, -2.0]).unwrap();
        let found = Thresholds::quantiles(dense.iter(), 3).unwrap();
        assert_eq!(found, Thresholds::at(vec![vec![-1.0], vec![0.5]]).unwrap());
        assert_eq!(Thresholds::quantiles(sparse.iter(), 3).unwrap(), found);
        assert_eq!(between(-f64::MAX, f64::MAX), 0.0);
        let next = 1.0_f64.next_up();
        assert_eq!(between(1.0, next), next);
        assert_eq!(between(0.0, f64::from_bits(1)), f64::from_bits(1));
    }

    /// One stored value in each of 100,000 rows, in 50,000 columns: were every row looked at for every
    /// column, this would take 5·10⁹ steps, and the test minutes.
    #[test]
    fn zeros_that_are_not_stored_cost_nothing() {
        let (rows, columns) = (100_000, 50_000_u32);
        let indices = (0..rows).map(|i| u32::try_from(i).unwrap() % columns).collect();
        let matrix = RowMatrix::sparse(50_000, (0..=rows).collect(), indices, vec![1.0; rows]).unwrap();
        let found = Thresholds::quantiles(matrix.iter(), 3).unwrap();
        assert!((0..50_000).all(|j| found.of(j) == [0.5]));
    }

    #[test]
    fn columns_of_one_sign_and_features_that_are_not_there() {
        for sign in [1.0, -1.0] {
            let dense = RowMatrix::dense(1, vec![3.0 * sign, sign, 2.0 * sign]).unwrap();
            let mut expected = [1.5 * sign, 2.5 * sign];
            expected.sort_by(f64::total_cmp);
            assert_eq!(Thresholds::quantiles(dense.iter(), 9).unwrap().of(0), expected);
            let dense = RowMatrix::dense(1, vec![0.0, 2.0 * sign, 0.0]).unwrap();
            assert_eq!(Thresholds::quantiles(dense.iter(), 9).unwrap().of(0), [sign]);
        }
        let thresholds = Thresholds::at(vec![vec![0.5]]).unwrap();
        for j in [1, 2, usize::MAX] {
            assert_eq!(thresholds.of(j), [0.0; 0]);
        }
        assert_eq!([2, 3, 4, 9].map(|rank| nearest(&[2, 4], rank)), [2, 2, 4, 4], "the lower of two");
    }

    #[test]
    fn what_is_no_class_of_stumps_is_refused() {
        let empty = Err(LearnerError::Empty { argument: "thresholds" });
        assert_eq!(Thresholds::at(vec![]), empty);
        assert_eq!(Thresholds::at(vec![vec![], vec![]]), empty);
        assert!(matches!(
            Thresholds::at(vec![vec![0.0], vec![2.0, 2.0]]),
            Err(LearnerError::BadParameter { name: "threshold", value: 2.0, .. })
        ));
        assert!(matches!(
            Thresholds::at(vec![vec![0.0, f64::INFINITY]]),
            Err(LearnerError::NotFinite { argument: "threshold", index: 1, .. })
        ));
        let (short, long) = ([1.0], [1.0, 2.0]);
        let uneven = [Row::dense(&short).unwrap(), Row::dense(&long).unwrap()];
        let refused = Thresholds::quantiles(uneven, 3);
        assert_eq!(refused, Err(LearnerError::InputDimension { expected: 1, got: 2 }));
        assert_eq!(Thresholds::quantiles([], 3), Err(LearnerError::Empty { argument: "rows" }));
        assert_eq!(Thresholds::quantiles([uneven[0], uneven[0]], 3), empty);
        let text = serde_json::to_string(&Thresholds::at(vec![vec![1.0, 2.0]]).unwrap()).unwrap();
        assert_eq!(text, "[[1.0,2.0]]");
        assert!(serde_json::from_str::<Thresholds>("[[2.0,1.0]]").is_err());
    }
}
