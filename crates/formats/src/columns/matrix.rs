//! The rows of the contexts, of columns that were read to the end.

use off_policy::ContextColumn;
use rows::{RowError, RowMatrix};

/// A column of the contexts with its values.
pub(super) struct Coded {
    pub(super) column: ContextColumn,
    /// The rows of the values, rising; `None` where every row has one.
    pub(super) rows: Option<Vec<u32>>,
    pub(super) values: Values,
}

pub(super) enum Values {
    /// NaN where a number is missing.
    Numbers(Vec<f64>),
    /// The places of the labels.
    Codes(Vec<u32>),
}

impl Coded {
    /// Row, coordinate within the column and value of all that is not 0.
    fn entries(&self) -> impl Iterator<Item = (usize, u32, f64)> + '_ {
        let (numbers, codes): (&[f64], &[u32]) = match &self.values {
            Values::Numbers(numbers) => (numbers, &[]),
            Values::Codes(codes) => (&[], codes),
        };
        let is_optional = self.column.may_be_missing();
        let of_numbers = numbers.iter().map(move |number| match number.is_nan() {
            true if is_optional => (1, 1.0),
            true => (0, 0.0),
            false => (0, *number),
        });
        let of_codes = codes.iter().map(|code| (*code, 1.0));
        let rows = self.rows.as_deref();
        let entries = of_numbers.chain(of_codes).enumerate().map(move |(k, (coordinate, value))| {
            let row = rows.map_or(k, |rows| rows.get(k).map_or(usize::MAX, |row| *row as usize));
            (row, coordinate, value)
        });
        entries.filter(|(_, _, value)| *value != 0.0)
    }
}

/// The matrix of the columns. Which of two kinds it is depends on the values alone, and not on the format
/// they were read from.
pub(super) fn matrix(columns: Vec<Coded>, rows: usize) -> Result<(RowMatrix, Vec<ContextColumn>), RowError> {
    let dimension = columns.iter().map(|coded| coded.column.width()).sum::<usize>();
    // Entry i + 1 counts what row i stores, then becomes the place of its next entry.
    let mut offsets = vec![0_usize; rows + 1];
    for coded in &columns {
        for (row, _, _) in coded.entries() {
            if let Some(count) = offsets.get_mut(row + 1) {
                *count += 1;
            }
        }
    }
    let mut stored = 0_usize;
    for offset in &mut offsets {
        stored += *offset;
        *offset = stored;
    }
    let has_labels = columns.iter().any(|coded| is_of_labels(&coded.column));
    if let Some(cells) = dense_cells(has_labels, dimension, rows, stored) {
        return dense(columns, dimension, cells);
    }
    let mut next = offsets.clone();
    let (mut indices, mut values) = (vec![0_u32; stored], vec![0.0; stored]);
    let mut base = 0_usize;
    let mut own = Vec::with_capacity(columns.len());
    for coded in columns {
        for (row, coordinate, value) in coded.entries() {
            if let Some(next) = next.get_mut(row)
                && let (Some(index), Some(cell)) = (indices.get_mut(*next), values.get_mut(*next))
            {
                *index = u32::try_from(base).unwrap_or(u32::MAX).saturating_add(coordinate);
                *cell = value;
                *next += 1;
            }
        }
        base += coded.column.width();
        own.push(coded.column);
    }
    Ok((RowMatrix::sparse(dimension, offsets, indices, values)?, own))
}

/// The dense matrix. A column is freed as soon as its values are there, and nothing else is held.
fn dense(
    columns: Vec<Coded>,
    dimension: usize,
    cells: usize,
) -> Result<(RowMatrix, Vec<ContextColumn>), RowError> {
    let (mut dense, mut base) = (vec![0.0; cells], 0_usize);
    let mut own = Vec::with_capacity(columns.len());
    for coded in columns {
        for (row, coordinate, value) in coded.entries() {
            let place = row.checked_mul(dimension).map(|row| row.saturating_add(base + coordinate as usize));
            if let Some(cell) = place.and_then(|place| dense.get_mut(place)) {
                *cell = value;
            }
        }
        base += coded.column.width();
        own.push(coded.column);
    }
    Ok((RowMatrix::dense(dimension, dense)?, own))
}

/// Whether a column has a coordinate a label.
pub(super) fn has_labels(columns: &[ContextColumn]) -> bool {
    columns.iter().any(is_of_labels)
}

fn is_of_labels(column: &ContextColumn) -> bool {
    matches!(column, ContextColumn::Labels { .. })
}

/// The cells of a matrix that is dense: no column holds labels, and at least half of the cells are not 0.
fn dense_cells(has_labels: bool, dimension: usize, rows: usize, stored: usize) -> Option<usize> {
    let cells = dimension.checked_mul(rows)?;
    (!has_labels && stored >= cells.div_ceil(2)).then_some(cells)
}

/// Compressed rows as they are, or dense.
pub(crate) fn of_rows(
    has_labels: bool,
    dimension: usize,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
) -> Result<RowMatrix, RowError> {
    let rows = offsets.len().saturating_sub(1);
    let Some(cells) = dense_cells(has_labels, dimension, rows, values.len()) else {
        return RowMatrix::sparse(dimension, offsets, indices, values);
    };
    let mut dense = vec![0.0; cells];
    for (row, ends) in offsets.windows(2).enumerate() {
        let entries = ends[0]..ends[1];
        let own = indices.get(entries.clone()).unwrap_or_default();
        for (index, value) in own.iter().zip(values.get(entries).unwrap_or_default()) {
            if let Some(cell) = dense.get_mut(row * dimension + *index as usize) {
                *cell = *value;
            }
        }
    }
    RowMatrix::dense(dimension, dense)
}
