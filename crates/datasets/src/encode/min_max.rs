//! Min–max scaling: the range [0, 1] on the rows of the fit.

use super::affine::Affine;
use crate::error::EncodeError;
use rows::RowMatrix;
use serde::{Deserialize, Serialize};

/// `x_j ← (x_j − min_j)/(max_j − min_j)` on the named columns, the others stay as they are.
///
/// Minimum and maximum are those of the fitted rows; other rows may leave [0, 1]. A column that is constant
/// on the fitted rows becomes 0 everywhere. A column whose minimum is 0 stays sparse.
///
/// ```
/// use datasets::MinMax;
/// use rows::RowMatrix;
/// let x = RowMatrix::sparse(2, vec![0, 1, 2, 3], vec![0, 1, 0], vec![4.0, 1.0, 6.0])?;
/// let scaled = MinMax::fit(&x, &[0, 1], &[0])?.apply(&x)?;
/// assert_eq!(scaled.row(0).map(|r| r.to_dense()), Some(vec![1.0, 0.0]));
/// assert_eq!(scaled.row(2).map(|r| r.to_dense()), Some(vec![1.5, 0.0]));
/// assert_eq!(scaled.stored_values(), 3);
/// # Ok::<(), datasets::EncodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MinMax(Affine);

impl MinMax {
    /// Minimum and maximum of the named columns over the named rows.
    ///
    /// # Errors
    /// As [`Standardiser::fit`](crate::Standardiser::fit).
    pub fn fit(matrix: &RowMatrix, rows: &[usize], columns: &[usize]) -> Result<Self, EncodeError> {
        Affine::fit(matrix, rows, columns, minimum_and_width).map(Self)
    }

    /// The scaled copy of a matrix.
    ///
    /// # Errors
    /// [`EncodeError::DimensionMismatch`]; [`EncodeError::Rows`] where a value goes beyond 1e140.
    pub fn apply(&self, matrix: &RowMatrix) -> Result<RowMatrix, EncodeError> {
        self.0.apply(matrix)
    }
}

fn minimum_and_width(values: &[f64]) -> (f64, f64) {
    let minimum = values.iter().copied().fold(f64::INFINITY, f64::min);
    let maximum = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (minimum, maximum - minimum)
}
