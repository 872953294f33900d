//! The constant feature, which gives a linear model its intercept.

use crate::error::EncodeError;
use rows::{Entries, RowMatrix};

/// Appends a column of ones, as the last column.
///
/// ```
/// use datasets::with_constant;
/// use rows::RowMatrix;
/// let x = with_constant(&RowMatrix::sparse(3, vec![0, 1], vec![1], vec![5.0])?)?;
/// assert_eq!(x.row(0).map(|r| r.to_dense()), Some(vec![0.0, 5.0, 0.0, 1.0]));
/// assert_eq!(x.stored_values(), 2);
/// # Ok::<(), datasets::EncodeError>(())
/// ```
///
/// # Errors
/// [`EncodeError::TooWide`] where the new column has no 32-bit index.
pub fn with_constant(matrix: &RowMatrix) -> Result<RowMatrix, EncodeError> {
    let m = matrix.dimension();
    let too_wide = EncodeError::TooWide { dimension: m.saturating_add(1) };
    let Ok(constant) = u32::try_from(m) else { return Err(too_wide) };
    let capacity = matrix.stored_values() + matrix.len();
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::with_capacity(capacity));
    let mut is_dense = false;
    for row in matrix.iter() {
        match row.entries() {
            Entries::Dense(_) => is_dense = true,
            Entries::Sparse(stored, _) => {
                indices.extend_from_slice(stored);
                indices.push(constant);
            }
        }
        values.extend_from_slice(row.values());
        values.push(1.0);
        offsets.push(values.len());
    }
    let widened = if is_dense {
        RowMatrix::dense(m + 1, values)
    } else {
        RowMatrix::sparse(m + 1, offsets, indices, values)
    };
    Ok(widened?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_rows_stay_dense() {
        let x = with_constant(&RowMatrix::dense(1, vec![0.0, 5.0]).unwrap()).unwrap();
        assert_eq!(x, RowMatrix::dense(2, vec![0.0, 1.0, 5.0, 1.0]).unwrap());
    }
}
