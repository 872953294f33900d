//! A sample whose columns are sorted once.

use super::Sample;
use super::contract::{check_size, too_many_columns};
use super::indicators::checked_indicators;
use crate::LearnerError;
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize};

/// m ≥ 1 examples, each column sorted by value once, so that a search over all thresholds is one pass.
///
/// A column keeps its non-zero values, whether rows are dense or sparse. *Cost:* O(stored values · log m)
/// once, and O(stored values) of memory beside the rows. A sorted sample is saved as its rows and
/// the indicators of missing values.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::batch::{Sample, SortedColumns};
/// let sample = SortedColumns::new(RowMatrix::dense(2, vec![3.0, 0.0, -1.0, 5.0, 0.0, 5.0])?)?;
/// assert_eq!((sample.size(), sample.inputs()), (3, 2));
/// assert_eq!(sample.column(0), (&[-1.0, 3.0][..], &[1, 0][..]));
/// assert_eq!(sample.column(1), (&[5.0, 5.0][..], &[1, 2][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct SortedColumns {
    parts: Parts,
    offsets: Vec<usize>,
    values: Vec<f64>,
    rows: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Parts {
    #[serde(flatten)]
    matrix: RowMatrix,
    /// Absent without any, and in files of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    indicators: Vec<(usize, usize)>,
}

impl SortedColumns {
    /// Sorts the columns of a matrix.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without a row, [`LearnerError::BadParameter`] with more than 2^32 rows or 2^26
    /// columns, or with more columns than memory holds.
    pub fn new(matrix: RowMatrix) -> Result<Self, LearnerError> {
        Parts { matrix, indicators: Vec::new() }.try_into()
    }

    /// The same with the indicators of missing values, as pairs of a column and its indicator:
    /// [`ExactPairTree`](crate::pairs::ExactPairTree) then learns the side of missing values, as
    /// [`BinnedContexts::with_indicators`](crate::pairs::BinnedContexts::with_indicators) says. Other
    /// learners leave them unread.
    ///
    /// # Errors
    /// [`LearnerError::BadIndicator`].
    pub fn with_indicators(mut self, indicators: &[(usize, usize)]) -> Result<Self, LearnerError> {
        self.parts.indicators = checked_indicators(&self.parts.matrix, indicators)?;
        Ok(self)
    }

    /// The columns whose values may be missing with their indicators, by column.
    #[must_use]
    pub fn indicators(&self) -> &[(usize, usize)] {
        &self.parts.indicators
    }

    /// The non-zero values of column j in ascending order with their rows; equal values in the order of the
    /// rows. Both are empty for a column outside the sample.
    pub fn column(&self, j: usize) -> (&[f64], &[u32]) {
        match self.offsets.get(j..) {
            Some(&[from, to, ..]) => (&self.values[from..to], &self.rows[from..to]),
            _ => (&[], &[]),
        }
    }

    /// The rows.
    pub fn matrix(&self) -> &RowMatrix {
        &self.parts.matrix
    }
}

impl Sample for SortedColumns {
    fn size(&self) -> usize {
        self.matrix().len()
    }

    fn inputs(&self) -> usize {
        self.matrix().dimension()
    }

    fn try_for_each(
        &self,
        visit: &mut dyn FnMut(usize, Row<'_>) -> Result<(), LearnerError>,
    ) -> Result<(), LearnerError> {
        self.matrix().iter().enumerate().try_for_each(|(i, x)| visit(i, x))
    }

    fn fingerprint(&self) -> u64 {
        self.matrix().fingerprint()
    }
}

impl From<SortedColumns> for Parts {
    fn from(sample: SortedColumns) -> Self {
        sample.parts
    }
}

impl TryFrom<Parts> for SortedColumns {
    type Error = LearnerError;

    fn try_from(parts: Parts) -> Result<Self, LearnerError> {
        let Parts { matrix, indicators } = parts;
        check_size(&matrix)?;
        let indicators = checked_indicators(&matrix, &indicators)?;
        // The width of sparse rows is unbounded, so the allocation may fail.
        let (m, mut columns, mut offsets) = (matrix.dimension(), Vec::new(), Vec::new());
        if columns.try_reserve_exact(m).is_err() || offsets.try_reserve_exact(m + 1).is_err() {
            return Err(too_many_columns(m));
        }
        columns.resize(m, Vec::new());
        for (i, x) in (0_u32..).zip(matrix.iter()) {
            x.for_each(|j, x_j| {
                if x_j != 0.0 {
                    columns[j].push((x_j, i));
                }
            });
        }
        let (mut values, mut rows) = (Vec::new(), Vec::new());
        offsets.push(0);
        for column in &mut columns {
            // Without NaN and 0 this is the order of the numbers; rows ascend, and the sort is stable.
            column.sort_by(|a: &(f64, u32), b| a.0.total_cmp(&b.0));
            values.extend(column.iter().map(|(value, _)| *value));
            rows.extend(column.iter().map(|(_, row)| *row));
            offsets.push(values.len());
        }
        Ok(Self { parts: Parts { matrix, indicators }, offsets, values, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_rows_are_one_sample_and_zeros_are_not_stored() {
        let dense = RowMatrix::dense(3, vec![2.0, -0.0, 1.0, 2.0, 0.0, -4.0, -1.0, 0.0, 1.0]).unwrap();
        let sparse = RowMatrix::sparse(
            3,
            vec![0, 2, 4, 7],
            vec![0, 2, 0, 2, 0, 1, 2],
            vec![2.0, 1.0, 2.0, -4.0, -1.0, 0.0, 1.0],
        );
        let (dense, sparse) =
            (SortedColumns::new(dense).unwrap(), SortedColumns::new(sparse.unwrap()).unwrap());
        for j in [0, 1, 2, 3, 4, usize::MAX] {
            assert_eq!(dense.column(j), sparse.column(j));
            assert!(j < 3 || dense.column(j).0.is_empty(), "there is no column {j}");
        }
        assert_eq!(dense.column(0), (&[-1.0, 2.0, 2.0][..], &[2, 0, 1][..]));
        assert_eq!(dense.column(1), (&[][..], &[][..]));
    }

    #[test]
    fn a_sample_is_saved_as_its_rows_and_needs_one() {
        let sample = SortedColumns::new(RowMatrix::dense(1, vec![3.0, 0.0, -1.0]).unwrap()).unwrap();
        let text = serde_json::to_string(&sample).unwrap();
        assert_eq!(text, serde_json::to_string(sample.matrix()).unwrap());
        assert_eq!(serde_json::from_str::<SortedColumns>(&text).unwrap(), sample);
        let nothing = RowMatrix::dense(1, vec![]).unwrap();
        assert_eq!(SortedColumns::new(nothing), Err(LearnerError::Empty { argument: "sample" }));
    }
}
