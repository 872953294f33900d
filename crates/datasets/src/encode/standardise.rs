//! Standardising: mean 0 and variance 1 on the rows of the fit.

use super::affine::Affine;
use crate::error::EncodeError;
use rows::RowMatrix;
use serde::{Deserialize, Serialize};

/// `x_j ← (x_j − mean_j)/deviation_j` on the named columns, the others stay as they are.
///
/// Mean and deviation (with 1/n) are those of the fitted rows. A column that is constant on them becomes 0
/// everywhere. *Cost:* a pass over the stored values; in a sparse matrix, only named columns gain stored
/// values.
///
/// ```
/// use datasets::Standardiser;
/// use rows::RowMatrix;
/// let x = RowMatrix::dense(2, vec![1.0, 7.0, 3.0, 7.0, 9.0, 8.0])?;
/// let scaled = Standardiser::fit(&x, &[0, 1], &[0])?.apply(&x)?;
/// assert_eq!(scaled.row(0).map(|r| r.to_dense()), Some(vec![-1.0, 7.0]));
/// assert_eq!(scaled.row(2).map(|r| r.to_dense()), Some(vec![7.0, 8.0]));
/// # Ok::<(), datasets::EncodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standardiser(Affine);

impl Standardiser {
    /// Mean and deviation of the named columns over the named rows.
    ///
    /// # Errors
    /// [`EncodeError::NoRows`], [`EncodeError::RowOutOfRange`], [`EncodeError::ColumnOutOfRange`],
    /// [`EncodeError::RepeatedColumn`].
    pub fn fit(matrix: &RowMatrix, rows: &[usize], columns: &[usize]) -> Result<Self, EncodeError> {
        Affine::fit(matrix, rows, columns, mean_and_deviation).map(Self)
    }

    /// The standardised copy of a matrix.
    ///
    /// # Errors
    /// [`EncodeError::DimensionMismatch`]; [`EncodeError::Rows`] where a value goes beyond 1e140.
    pub fn apply(&self, matrix: &RowMatrix) -> Result<RowMatrix, EncodeError> {
        self.0.apply(matrix)
    }
}

/// Two passes: the mean, then the mean square about it. A constant column has deviation 0 exactly, whatever
/// the rounding of its mean.
fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    if values.windows(2).all(|pair| pair[0].to_bits() == pair[1].to_bits()) {
        return (values.first().copied().unwrap_or(0.0), 0.0);
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    (mean, variance.sqrt())
}
