//! Some rows of a data set.

use rows::{Entries, RowError, RowMatrix};

/// The rows of a matrix at these places, in this order, stored alike. A place that is not there is left out.
pub(crate) fn chosen_rows(matrix: &RowMatrix, places: &[usize]) -> Result<RowMatrix, RowError> {
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut sparse = false;
    for row in places.iter().filter_map(|&i| matrix.row(i)) {
        if let Entries::Sparse(places, _) = row.entries() {
            indices.extend_from_slice(places);
            sparse = true;
        }
        values.extend_from_slice(row.values());
        offsets.push(values.len());
    }
    if sparse {
        RowMatrix::sparse(matrix.dimension(), offsets, indices, values)
    } else {
        RowMatrix::dense(matrix.dimension(), values)
    }
}
