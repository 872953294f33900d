//! Many examples: a matrix that owns its rows, dense or compressed sparse.

use crate::row::{check_dimension, check_indices, checked_norm_squared};
use crate::{Entries, Row, RowError};
use serde::{Deserialize, Serialize, Serializer};
use std::hash::{DefaultHasher, Hasher};
use std::sync::{Arc, OnceLock};

/// n rows of the same dimension m, checked once, so that [`row`](Self::row) costs O(1).
///
/// *Shapes:* dense values are n×m in row order; sparse rows are compressed: row i is
/// `indices[offsets[i]..offsets[i+1]]` with the values beside it. n = 0 is allowed, m = 0 is not.
/// *Cost:* a copy shares the values.
///
/// ```
/// use rows::RowMatrix;
/// let x = RowMatrix::dense(2, vec![1.0, 2.0, 3.0, 4.0])?;
/// assert_eq!((x.len(), x.dimension()), (2, 2));
/// assert_eq!(x.row(1).map(|r| r.to_dense()), Some(vec![3.0, 4.0]));
/// assert_eq!(x.row(2), None);
/// # Ok::<(), rows::RowError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Storage")]
pub struct RowMatrix(Arc<Shared>);

/// The data that copies of a matrix share.
#[derive(Debug, PartialEq)]
struct Shared {
    storage: Storage,
    norms_squared: Vec<f64>,
    fingerprint: Fingerprint,
}

/// The cached fingerprint of the rows. It follows from the rows, so comparisons ignore it.
#[derive(Debug, Default)]
struct Fingerprint(OnceLock<u64>);

impl PartialEq for Fingerprint {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Storage {
    Dense { dimension: usize, values: Vec<f64> },
    Sparse { dimension: usize, offsets: Vec<usize>, indices: Vec<u32>, values: Vec<f64> },
}

impl RowMatrix {
    /// A dense matrix of `values.len() / dimension` rows.
    ///
    /// # Errors
    /// [`RowError::Empty`] (dimension 0), [`RowError::TooManyCoordinates`] (more than 2³² − 1),
    /// [`RowError::LengthMismatch`] (values do not fill whole rows), [`RowError::NotFiniteAt`],
    /// [`RowError::TooLargeAt`].
    pub fn dense(dimension: usize, values: Vec<f64>) -> Result<Self, RowError> {
        Storage::Dense { dimension, values }.try_into()
    }

    /// A compressed sparse matrix of `offsets.len() − 1` rows.
    ///
    /// # Errors
    /// [`RowError::Empty`], [`RowError::TooManyCoordinates`] (more than 2³² − 1),
    /// [`RowError::LengthMismatch`], [`RowError::BadOffset`], [`RowError::NotFiniteAt`],
    /// [`RowError::TooLargeAt`];
    /// [`RowError::IndexOutOfRange`], [`RowError::IndicesNotRising`], with positions in the whole list.
    pub fn sparse(
        dimension: usize,
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Self, RowError> {
        Storage::Sparse { dimension, offsets, indices, values }.try_into()
    }

    /// n, the number of rows.
    pub fn len(&self) -> usize {
        self.0.norms_squared.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.norms_squared.is_empty()
    }

    /// m, the number of coordinates of every row.
    pub fn dimension(&self) -> usize {
        match self.0.storage {
            Storage::Dense { dimension, .. } | Storage::Sparse { dimension, .. } => dimension,
        }
    }

    /// The number of stored values in all rows.
    pub fn stored_values(&self) -> usize {
        match &self.0.storage {
            Storage::Dense { values, .. } | Storage::Sparse { values, .. } => values.len(),
        }
    }

    /// Row i; `None` for i ≥ n.
    #[inline]
    pub fn row(&self, i: usize) -> Option<Row<'_>> {
        let norm_squared = *self.0.norms_squared.get(i)?;
        let entries = match &self.0.storage {
            Storage::Dense { dimension, values } => {
                Entries::Dense(values.get(i * dimension..(i + 1) * dimension)?)
            }
            Storage::Sparse { offsets, indices, values, .. } => {
                let range = *offsets.get(i)?..*offsets.get(i + 1)?;
                Entries::Sparse(indices.get(range.clone())?, values.get(range)?)
            }
        };
        Some(Row::trusted(entries, self.dimension(), norm_squared))
    }

    /// A hash of the rows: equal for equal values in the same order, dense or sparse, and equal for different
    /// ones with probability about 2^−64. Do not save it: another version of the standard library may hash
    /// differently.
    /// *Cost:* one pass over the stored values at the first call.
    ///
    /// ```
    /// use rows::RowMatrix;
    /// let x = RowMatrix::dense(2, vec![1.0, 0.0, 3.0, 4.0])?;
    /// let sparse = RowMatrix::sparse(2, vec![0, 1, 3], vec![0, 0, 1], vec![1.0, 3.0, 4.0])?;
    /// assert_eq!(x.fingerprint(), sparse.fingerprint());
    /// assert_ne!(x.fingerprint(), x.select([1, 0])?.fingerprint());
    /// # Ok::<(), rows::RowError>(())
    /// ```
    pub fn fingerprint(&self) -> u64 {
        *self.0.fingerprint.0.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            hasher.write_usize(self.dimension());
            for x in self.iter() {
                x.for_each(|j, x_j| {
                    if x_j != 0.0 {
                        hasher.write_usize(j);
                        hasher.write_u64(x_j.to_bits());
                    }
                });
                // No coordinate has this index, so the end of a row is unambiguous.
                hasher.write_usize(usize::MAX);
            }
            hasher.finish()
        })
    }

    /// The named rows, in the order given, dense or sparse as here.
    /// *Cost:* O(stored values of these rows).
    ///
    /// ```
    /// use rows::{RowError, RowMatrix};
    /// let x = RowMatrix::dense(2, vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(x.select([1, 1])?, RowMatrix::dense(2, vec![3.0, 4.0, 3.0, 4.0])?);
    /// assert_eq!(x.select([0, 2]), Err(RowError::NoSuchRow { row: 2, rows: 2 }));
    /// # Ok::<(), RowError>(())
    /// ```
    ///
    /// # Errors
    /// [`RowError::NoSuchRow`].
    pub fn select(&self, rows: impl IntoIterator<Item = usize>) -> Result<Self, RowError> {
        let (mut offsets, mut indices, mut values, mut norms_squared) = (vec![0], vec![], vec![], vec![]);
        for row in rows {
            let chosen = self.row(row).ok_or(RowError::NoSuchRow { row, rows: self.len() })?;
            if let Entries::Sparse(of_row, _) = chosen.entries() {
                indices.extend_from_slice(of_row);
            }
            values.extend_from_slice(chosen.values());
            offsets.push(values.len());
            norms_squared.push(chosen.norm_squared());
        }
        let dimension = self.dimension();
        let storage = match self.0.storage {
            Storage::Dense { .. } => Storage::Dense { dimension, values },
            Storage::Sparse { .. } => Storage::Sparse { dimension, offsets, indices, values },
        };
        Ok(Self(Arc::new(Shared { storage, norms_squared, fingerprint: Fingerprint::default() })))
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        // `row` is `Some` for every index below `len`, so nothing is skipped.
        (0..self.len()).map(|i| self.row(i).unwrap_or_else(|| unreachable!("row {i} of {}", self.len())))
    }
}

impl Serialize for RowMatrix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.storage.serialize(serializer)
    }
}

impl TryFrom<Storage> for RowMatrix {
    type Error = RowError;

    fn try_from(storage: Storage) -> Result<Self, RowError> {
        let norms_squared = match &storage {
            Storage::Dense { dimension, values } => dense_norms(*dimension, values)?,
            Storage::Sparse { dimension, offsets, indices, values } => {
                sparse_norms(*dimension, offsets, indices, values)?
            }
        };
        Ok(Self(Arc::new(Shared { storage, norms_squared, fingerprint: Fingerprint::default() })))
    }
}

fn dense_norms(dimension: usize, values: &[f64]) -> Result<Vec<f64>, RowError> {
    check_dimension(dimension)?;
    if !values.len().is_multiple_of(dimension) {
        let expected = values.len().next_multiple_of(dimension);
        return Err(RowError::LengthMismatch {
            what: "values of a dense matrix",
            expected,
            got: values.len(),
        });
    }
    let rows = values.chunks_exact(dimension).enumerate();
    rows.map(|(i, row)| checked_norm_squared(row).map_err(|e| placed(e, i, |column| column))).collect()
}

fn sparse_norms(
    dimension: usize,
    offsets: &[usize],
    indices: &[u32],
    values: &[f64],
) -> Result<Vec<f64>, RowError> {
    check_dimension(dimension)?;
    if offsets.is_empty() {
        return Err(RowError::Empty);
    }
    if indices.len() != values.len() {
        let (expected, got) = (indices.len(), values.len());
        return Err(RowError::LengthMismatch { what: "values of a sparse matrix", expected, got });
    }
    let last = offsets.len() - 1;
    for (position, &value) in offsets.iter().enumerate() {
        let falls = position > 0 && value < offsets[position - 1];
        if falls || (position == 0 && value != 0) || (position == last && value != values.len()) {
            return Err(RowError::BadOffset { position, value });
        }
    }
    let rows = offsets.windows(2).map(|w| (w[0], w[0]..w[1])).enumerate();
    rows.map(|(row, (start, range))| {
        let of_row = &indices[range.clone()];
        check_indices(dimension, of_row).map_err(|e| shifted(e, start))?;
        let column = |position: usize| of_row[position] as usize;
        checked_norm_squared(&values[range]).map_err(|e| placed(e, row, column))
    })
    .collect()
}

/// Turns a position within a row into row and column.
fn placed(error: RowError, row: usize, column: impl Fn(usize) -> usize) -> RowError {
    match error {
        RowError::NotFinite { position, value } => {
            RowError::NotFiniteAt { row, column: column(position), value }
        }
        RowError::TooLarge { position, value } => {
            RowError::TooLargeAt { row, column: column(position), value }
        }
        other => other,
    }
}

/// Turns a position within the indices of a row into one within the whole list.
fn shifted(error: RowError, start: usize) -> RowError {
    match error {
        RowError::IndexOutOfRange { position, index, dimension } => {
            RowError::IndexOutOfRange { position: position + start, index, dimension }
        }
        RowError::IndicesNotRising { position, index } => {
            RowError::IndicesNotRising { position: position + start, index }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stated dimension allocates nothing here, but a learner of the rows allocates for it.
    #[test]
    fn dimensions_that_no_index_names_are_refused() {
        let limit = u32::MAX as usize;
        for dimension in [limit + 1, 1 << 40, (1 << 53) + 1, usize::MAX] {
            let refused = RowError::TooManyCoordinates { dimension, limit };
            assert_eq!(RowMatrix::dense(dimension, vec![]), Err(refused.clone()));
            assert_eq!(RowMatrix::sparse(dimension, vec![0, 1], vec![0], vec![1.0]), Err(refused.clone()));
            assert_eq!(Row::sparse(dimension, &[0], &[1.0]), Err(refused));
            for saved in [
                format!(r#"{{"Dense":{{"dimension":{dimension},"values":[]}}}}"#),
                format!(r#"{{"Sparse":{{"dimension":{dimension},"offsets":[0],"indices":[],"values":[]}}}}"#),
            ] {
                assert!(serde_json::from_str::<RowMatrix>(&saved).is_err(), "{saved}");
            }
        }
        assert_eq!(Row::sparse(limit, &[u32::MAX - 1], &[1.0]).map(|x| x.dimension()), Ok(limit));
    }

    #[test]
    fn malformed_matrices_are_refused_with_the_position_in_the_whole_list() {
        assert!(matches!(RowMatrix::dense(0, vec![]), Err(RowError::Empty)));
        assert!(matches!(
            RowMatrix::dense(2, vec![1.0; 3]),
            Err(RowError::LengthMismatch { expected: 4, got: 3, .. })
        ));
        assert!(matches!(
            RowMatrix::dense(2, vec![1.0, 1.0, 1.0, f64::NAN, 1.0, 1.0]),
            Err(RowError::NotFiniteAt { row: 1, column: 1, .. })
        ));
        let infinite = RowMatrix::sparse(9, vec![0, 1, 1, 3], vec![0, 2, 7], vec![1.0, 1.0, f64::INFINITY]);
        assert_eq!(infinite, Err(RowError::NotFiniteAt { row: 2, column: 7, value: f64::INFINITY }));
        let large = RowMatrix::dense(2, vec![1.0, 2.0, 3.0, 1e200]);
        assert_eq!(large, Err(RowError::TooLargeAt { row: 1, column: 1, value: 1e200 }));
        let sparse = |offsets, indices| RowMatrix::sparse(2, offsets, indices, vec![1.0; 3]);
        assert!(sparse(vec![0, 1, 3], vec![0, 0, 1]).is_ok());
        assert!(matches!(
            sparse(vec![0, 1, 3], vec![0, 1, 1]),
            Err(RowError::IndicesNotRising { position: 2, .. })
        ));
        assert!(matches!(
            sparse(vec![0, 1, 3], vec![0, 0, 2]),
            Err(RowError::IndexOutOfRange { position: 2, .. })
        ));
        assert!(matches!(sparse(vec![0, 2, 1], vec![0, 0, 1]), Err(RowError::BadOffset { position: 2, .. })));
        assert!(matches!(sparse(vec![0, 9, 3], vec![0, 0, 1]), Err(RowError::BadOffset { position: 2, .. })));
        assert!(matches!(sparse(vec![0, 2], vec![0, 0, 1]), Err(RowError::BadOffset { position: 1, .. })));
    }

    #[test]
    fn fingerprints_tell_rows_by_value_order_and_shape() {
        let of =
            |dimension, values: &[f64]| RowMatrix::dense(dimension, values.to_vec()).unwrap().fingerprint();
        let all = [
            of(2, &[1.0, 2.0, 3.0, 4.0]),
            of(2, &[3.0, 4.0, 1.0, 2.0]),           // other order of rows
            of(2, &[2.0, 1.0, 3.0, 4.0]),           // other order of columns
            of(4, &[1.0, 2.0, 3.0, 4.0]),           // other shape
            of(2, &[1.0, 2.0, 3.0, 4.0, 0.0, 0.0]), // a row of zeros behind
            of(2, &[0.0, 0.0, 1.0, 2.0, 3.0, 4.0]), // a row of zeros before
            of(2, &[1.0, 2.0, 3.0, 4.0 + f64::EPSILON * 4.0]), // the last bit of one value
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(!all[..i].contains(a), "fingerprint {i} is that of other rows");
        }
        assert_eq!(of(1, &[0.0]), of(1, &[-0.0]));
        // A copy has the fingerprint of its own rows, even if the source's was computed before.
        let x = RowMatrix::dense(1, vec![5.0, 6.0]).unwrap();
        assert_eq!(x.fingerprint(), x.clone().fingerprint());
        assert_eq!(x, RowMatrix::dense(1, vec![5.0, 6.0]).unwrap());
    }

    #[test]
    fn chosen_rows_are_stored_as_they_were() {
        let sparse = RowMatrix::sparse(3, vec![0, 2, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 7.0]).unwrap();
        let chosen = sparse.select([2, 0, 1, 2]).unwrap();
        let want = RowMatrix::sparse(3, vec![0, 1, 3, 3, 4], vec![1, 0, 2, 1], vec![7.0, 1.0, 2.0, 7.0]);
        assert_eq!(chosen, want.unwrap());
        assert_eq!(sparse.select([]).unwrap(), RowMatrix::sparse(3, vec![0], vec![], vec![]).unwrap());
        assert_eq!(sparse.select([3]), Err(RowError::NoSuchRow { row: 3, rows: 3 }));
    }

    #[test]
    fn a_saved_matrix_is_checked_again_when_it_is_loaded() {
        let matrix = RowMatrix::sparse(3, vec![0, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 7.0]).unwrap();
        let text = serde_json::to_string(&matrix).unwrap();
        assert_eq!(serde_json::from_str::<RowMatrix>(&text).unwrap(), matrix);
        assert!(serde_json::from_str::<RowMatrix>(&text.replace("[0,2,1]", "[0,9,1]")).is_err());
    }
}
