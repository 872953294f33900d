//! Many examples: a matrix that holds its rows, dense or compressed sparse.

use crate::row::{check_dimension, check_indices, checked_norm_squared};
use crate::{Entries, Row, RowError};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::hash::{DefaultHasher, Hasher};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock};

/// n rows of the same dimension m, checked once, so that [`row`](Self::row) costs O(1).
///
/// *Shapes:* dense values are n×m in row order; sparse rows are compressed: row i is
/// `indices[offsets[i]..offsets[i+1]]` with the values beside it. n = 0 is allowed, m = 0 is not.
/// *Cost:* a copy shares the values, and so do rows that are [selected](Self::select) in their order.
///
/// ```
/// use rows::RowMatrix;
/// let x = RowMatrix::dense(2, vec![1.0, 2.0, 3.0, 4.0])?;
/// assert_eq!((x.len(), x.dimension()), (2, 2));
/// assert_eq!(x.row(1).map(|r| r.to_dense()), Some(vec![3.0, 4.0]));
/// assert_eq!(x.row(2), None);
/// # Ok::<(), rows::RowError>(())
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Storage")]
pub struct RowMatrix {
    held: Arc<Held>,
    /// Where the rows stand among those that are held, rising; `None` for all of them.
    chosen: Option<Arc<Vec<usize>>>,
    fingerprint: Arc<OnceLock<u64>>,
}

/// The rows that copies and selections of a matrix share.
#[derive(Debug)]
struct Held {
    storage: Storage,
    norms_squared: Vec<f64>,
}

#[derive(Debug, Serialize, Deserialize)]
enum Storage {
    Dense {
        dimension: usize,
        values: Vec<f64>,
    },
    Sparse {
        dimension: usize,
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
    },
    /// It is saved as its dense copy.
    #[serde(skip)]
    Lent {
        dimension: usize,
        values: Lent,
    },
}

/// Values in the memory of somebody else.
struct Lent(Box<dyn AsRef<[f64]> + Send + Sync>);

impl Lent {
    #[inline]
    fn values(&self) -> &[f64] {
        (*self.0).as_ref()
    }
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lent").field(&self.values().len()).finish()
    }
}

/// They are only read.
impl UnwindSafe for Lent {}
impl RefUnwindSafe for Lent {}

/// Whether two matrices have the same rows, both dense or both sparse.
impl PartialEq for RowMatrix {
    fn eq(&self, other: &Self) -> bool {
        let shape = |x: &Self| (x.len(), x.dimension(), x.is_sparse());
        shape(self) == shape(other) && self.iter().zip(other.iter()).all(|(a, b)| a.entries() == b.entries())
    }
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

    /// A dense matrix of values that stay where they are, as those of a caller in another language.
    ///
    /// *Contract:* `values` answers with the same slice, of the same numbers, as long as it lives. Rows are
    /// checked once: a lender that breaks the contract makes results meaningless, or a panic.
    ///
    /// ```
    /// use rows::RowMatrix;
    /// let x = RowMatrix::lent(2, [1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(x, RowMatrix::dense(2, vec![1.0, 2.0, 3.0, 4.0])?);
    /// # Ok::<(), rows::RowError>(())
    /// ```
    ///
    /// # Errors
    /// As [`dense`](Self::dense).
    pub fn lent(
        dimension: usize,
        values: impl AsRef<[f64]> + Send + Sync + 'static,
    ) -> Result<Self, RowError> {
        Storage::Lent { dimension, values: Lent(Box::new(values)) }.try_into()
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
        self.chosen.as_ref().map_or(self.held.norms_squared.len(), |chosen| chosen.len())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// m, the number of coordinates of every row.
    pub fn dimension(&self) -> usize {
        match self.held.storage {
            Storage::Dense { dimension, .. }
            | Storage::Lent { dimension, .. }
            | Storage::Sparse { dimension, .. } => dimension,
        }
    }

    fn is_sparse(&self) -> bool {
        matches!(self.held.storage, Storage::Sparse { .. })
    }

    /// The number of stored values in all rows.
    pub fn stored_values(&self) -> usize {
        match &self.held.storage {
            Storage::Dense { dimension, .. } | Storage::Lent { dimension, .. } => self.len() * dimension,
            Storage::Sparse { values, .. } if self.chosen.is_none() => values.len(),
            Storage::Sparse { .. } => self.iter().map(|x| x.values().len()).sum(),
        }
    }

    /// Row i; `None` for i ≥ n.
    #[inline]
    pub fn row(&self, i: usize) -> Option<Row<'_>> {
        let place = match &self.chosen {
            Some(chosen) => *chosen.get(i)?,
            None => i,
        };
        let norm_squared = *self.held.norms_squared.get(place)?;
        let dense = |dimension: usize| place * dimension..(place + 1) * dimension;
        let entries = match &self.held.storage {
            Storage::Dense { dimension, values } => Entries::Dense(values.get(dense(*dimension))?),
            Storage::Lent { dimension, values } => Entries::Dense(values.values().get(dense(*dimension))?),
            Storage::Sparse { offsets, indices, values, .. } => {
                let range = *offsets.get(place)?..*offsets.get(place + 1)?;
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
        *self.fingerprint.get_or_init(|| {
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
    /// *Cost:* rows in rising order, each once, share the values, which live as long as any matrix of them: 8
    /// bytes a row. Others are copied, so that they stand in memory in the order in which they are read.
    ///
    /// ```
    /// use rows::{RowError, RowMatrix};
    /// let x = RowMatrix::dense(2, vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(x.select([1, 1])?, RowMatrix::dense(2, vec![3.0, 4.0, 3.0, 4.0])?);
    /// assert_eq!(x.select([1])?, RowMatrix::dense(2, vec![3.0, 4.0])?);
    /// assert_eq!(x.select([0, 2]), Err(RowError::NoSuchRow { row: 2, rows: 2 }));
    /// # Ok::<(), RowError>(())
    /// ```
    ///
    /// # Errors
    /// [`RowError::NoSuchRow`].
    pub fn select(&self, rows: impl IntoIterator<Item = usize>) -> Result<Self, RowError> {
        let (rows, n): (Vec<usize>, usize) = (rows.into_iter().collect(), self.len());
        if let Some(&row) = rows.iter().find(|row| **row >= n) {
            return Err(RowError::NoSuchRow { row, rows: n });
        }
        if !rows.windows(2).all(|pair| pair[0] < pair[1]) {
            return Ok(self.copied(rows.into_iter()));
        }
        if rows.len() == n {
            return Ok(self.clone());
        }
        let chosen = match &self.chosen {
            Some(chosen) => rows.iter().map(|row| chosen[*row]).collect(),
            None => rows,
        };
        let (chosen, fingerprint) = (Some(Arc::new(chosen)), Arc::default());
        Ok(Self { held: Arc::clone(&self.held), chosen, fingerprint })
    }

    /// Rows below n in memory of their own.
    fn copied(&self, rows: impl Iterator<Item = usize>) -> Self {
        let (mut offsets, mut indices, mut values, mut norms_squared) = (vec![0], vec![], vec![], vec![]);
        for chosen in rows.filter_map(|row| self.row(row)) {
            if let Entries::Sparse(of_row, _) = chosen.entries() {
                indices.extend_from_slice(of_row);
            }
            values.extend_from_slice(chosen.values());
            offsets.push(values.len());
            norms_squared.push(chosen.norm_squared());
        }
        let dimension = self.dimension();
        let storage = match self.is_sparse() {
            false => Storage::Dense { dimension, values },
            true => Storage::Sparse { dimension, offsets, indices, values },
        };
        Held { storage, norms_squared }.into()
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        // `row` is `Some` for every index below `len`, so nothing is skipped.
        (0..self.len()).map(|i| self.row(i).unwrap_or_else(|| unreachable!("row {i} of {}", self.len())))
    }
}

/// As the rows in memory of their own.
impl Serialize for RowMatrix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.chosen.is_none() && !matches!(self.held.storage, Storage::Lent { .. }) {
            return self.held.storage.serialize(serializer);
        }
        self.copied(0..self.len()).held.storage.serialize(serializer)
    }
}

impl From<Held> for RowMatrix {
    fn from(held: Held) -> Self {
        Self { held: Arc::new(held), chosen: None, fingerprint: Arc::default() }
    }
}

impl TryFrom<Storage> for RowMatrix {
    type Error = RowError;

    fn try_from(storage: Storage) -> Result<Self, RowError> {
        let norms_squared = match &storage {
            Storage::Dense { dimension, values } => dense_norms(*dimension, values)?,
            Storage::Lent { dimension, values } => dense_norms(*dimension, values.values())?,
            Storage::Sparse { dimension, offsets, indices, values } => {
                sparse_norms(*dimension, offsets, indices, values)?
            }
        };
        Ok(Held { storage, norms_squared }.into())
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
    fn rising_rows_share_the_values_and_are_those_that_a_copy_has() {
        let values: Vec<f64> = (0..30).map(f64::from).collect();
        let dense = RowMatrix::dense(3, values.clone()).unwrap();
        let lent = RowMatrix::lent(3, values).unwrap();
        let (offsets, indices) = ((0..=10).collect(), (0..10).map(|row| row % 3).collect());
        let sparse = RowMatrix::sparse(3, offsets, indices, (1..11).map(f64::from).collect()).unwrap();
        for all in [dense, lent, sparse] {
            let odd = all.select([1, 3, 5, 7, 9]).unwrap();
            let within = odd.select([0, 2, 4]).unwrap();
            let copy = all.copied([1, 5, 9].into_iter());
            assert!(Arc::ptr_eq(&odd.held, &all.held) && Arc::ptr_eq(&within.held, &all.held));
            assert!(!Arc::ptr_eq(&copy.held, &all.held));
            assert_eq!(within, copy);
            assert_eq!((within.len(), within.stored_values()), (3, copy.stored_values()));
            assert_eq!(within.fingerprint(), copy.fingerprint());
            assert_eq!((within.row(2), within.row(3)), (all.row(9), None));
            assert_eq!(within.select([1, 3]), Err(RowError::NoSuchRow { row: 3, rows: 3 }));
            assert_ne!(within, all.select([1, 5, 8]).unwrap());
            // Out of order, and twice.
            assert_eq!(within.select([2, 0, 0]).unwrap(), all.copied([9, 1, 1].into_iter()));
            let text = serde_json::to_string(&within).unwrap();
            assert_eq!(text, serde_json::to_string(&copy).unwrap());
            assert_eq!(serde_json::from_str::<RowMatrix>(&text).unwrap(), copy);
        }
    }

    #[test]
    fn lent_values_are_checked_as_owned_ones_are() {
        let bad = vec![1.0, 1.0, 1.0, f64::NAN];
        assert_eq!(RowMatrix::lent(0, Vec::<f64>::new()), Err(RowError::Empty));
        assert_eq!(RowMatrix::lent(3, bad.clone()), RowMatrix::dense(3, bad.clone()));
        assert!(matches!(RowMatrix::lent(2, bad), Err(RowError::NotFiniteAt { row: 1, column: 1, .. })));
    }

    #[test]
    fn a_saved_matrix_is_checked_again_when_it_is_loaded() {
        let matrix = RowMatrix::sparse(3, vec![0, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 7.0]).unwrap();
        let text = serde_json::to_string(&matrix).unwrap();
        assert_eq!(serde_json::from_str::<RowMatrix>(&text).unwrap(), matrix);
        assert!(serde_json::from_str::<RowMatrix>(&text.replace("[0,2,1]", "[0,9,1]")).is_err());
    }
}
