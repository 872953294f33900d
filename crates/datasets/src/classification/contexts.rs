//! The contexts of a classification task, as small as the file has them.

use crate::error::DataError;
use rows::{RowError, RowMatrix};

/// n contexts of the same dimension m, stored as rows of numbers or, an eighth of the size, as bytes.
///
/// A learner wants a [`RowMatrix`]: [`select`](Self::select) makes one of the examples asked for, so that the
/// others are never expanded.
///
/// ```
/// use datasets::{ByteMatrix, Contexts};
/// let contexts = Contexts::Bytes(ByteMatrix::new(2, vec![0, 255, 7, 1, 2, 3])?);
/// assert_eq!((contexts.len(), contexts.dimension()), (3, 2));
/// let chosen = contexts.select([2, 0])?;
/// assert_eq!(chosen.row(0).map(|row| row.to_dense()), Some(vec![2.0, 3.0]));
/// assert!(contexts.select([3]).is_err());
/// # Ok::<(), datasets::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Contexts {
    /// Numbers, dense or sparse.
    Rows(RowMatrix),
    /// Numbers from 0 to 255, dense.
    Bytes(ByteMatrix),
}

impl Contexts {
    /// n, the number of contexts.
    pub fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// m, the number of coordinates of every context.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.dimension(),
            Self::Bytes(bytes) => bytes.dimension(),
        }
    }

    /// The contexts of some examples as rows of numbers, in the order asked for: sparse where the contexts
    /// are stored so, dense otherwise. *Cost:* what the rows asked for hold.
    ///
    /// # Errors
    /// [`DataError::NoSuchExample`].
    pub fn select(&self, rows: impl IntoIterator<Item = usize>) -> Result<RowMatrix, DataError> {
        let rows = rows.into_iter();
        let missing = |row| DataError::NoSuchExample { row, rows: self.len() };
        match self {
            Self::Rows(all) => all.select(rows).map_err(|error| match error {
                RowError::NoSuchRow { row, .. } => missing(row),
                other => other.into(),
            }),
            Self::Bytes(bytes) => {
                let mut values = Vec::new();
                values.reserve_exact(rows.size_hint().0.min(self.len()) * self.dimension());
                for row in rows {
                    values.extend(bytes.row(row).ok_or_else(|| missing(row))?.iter().map(|&x| f64::from(x)));
                }
                Ok(RowMatrix::dense(self.dimension(), values)?)
            }
        }
    }
}

/// A dense matrix of bytes, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteMatrix {
    dimension: usize,
    values: Vec<u8>,
}

impl ByteMatrix {
    /// A matrix of `values.len() / dimension` rows.
    ///
    /// # Errors
    /// [`RowError::Empty`] (dimension 0), [`RowError::LengthMismatch`] (values do not fill whole rows).
    pub fn new(dimension: usize, values: Vec<u8>) -> Result<Self, RowError> {
        if dimension == 0 {
            return Err(RowError::Empty);
        }
        let (got, expected) = (values.len(), values.len().next_multiple_of(dimension));
        if got != expected {
            return Err(RowError::LengthMismatch { what: "values of a byte matrix", expected, got });
        }
        Ok(Self { dimension, values })
    }

    /// n, the number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.dimension
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// m, the number of columns.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Row i, or `None` behind the last one.
    pub fn row(&self, i: usize) -> Option<&[u8]> {
        let start = i.checked_mul(self.dimension)?;
        self.values.get(start..start.checked_add(self.dimension)?)
    }
}
