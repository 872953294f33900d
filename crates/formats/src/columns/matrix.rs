//! The rows of the contexts, of columns that were read to the end.

use off_policy::ContextColumn;
use ranks::{RankError, Ranks};
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
        self.entries_from(0)
    }

    /// The entries from a place among the values on.
    fn entries_from(&self, start: usize) -> impl Iterator<Item = (usize, u32, f64)> + '_ {
        let (numbers, codes): (&[f64], &[u32]) = match &self.values {
            Values::Numbers(numbers) => (numbers.get(start..).unwrap_or_default(), &[]),
            Values::Codes(codes) => (&[], codes.get(start..).unwrap_or_default()),
        };
        let is_optional = self.column.may_be_missing();
        let of_numbers = numbers.iter().map(move |number| match number.is_nan() {
            true if is_optional => (1, 1.0),
            true => (0, 0.0),
            false => (0, *number),
        });
        let of_codes = codes.iter().map(|code| (*code, 1.0));
        let rows = self.rows.as_deref();
        let entries = of_numbers.chain(of_codes).zip(start..).map(move |((coordinate, value), k)| {
            let row = rows.map_or(k, |rows| rows.get(k).map_or(usize::MAX, |row| *row as usize));
            (row, coordinate, value)
        });
        entries.filter(|(_, _, value)| *value != 0.0)
    }

    /// The place among the values where those of a row and of all behind it begin.
    fn start_of(&self, row: usize) -> usize {
        self.rows.as_deref().map_or(row, |rows| rows.partition_point(|of_value| (*of_value as usize) < row))
    }

    /// Frees the values from a place on.
    fn truncate(&mut self, start: usize) {
        if let Some(rows) = &mut self.rows {
            rows.truncate(start);
            rows.shrink_to_fit();
        }
        match &mut self.values {
            Values::Numbers(numbers) => {
                numbers.truncate(start);
                numbers.shrink_to_fit();
            }
            Values::Codes(codes) => {
                codes.truncate(start);
                codes.shrink_to_fit();
            }
        }
    }
}

/// The rows of a matrix, before they are checked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cells {
    Dense { dimension: usize, values: Vec<f64> },
    Sparse { dimension: usize, offsets: Vec<usize>, indices: Vec<u32>, values: Vec<f64> },
}

impl Cells {
    pub(crate) fn matrix(self) -> Result<RowMatrix, RowError> {
        match self {
            Self::Dense { dimension, values } => RowMatrix::dense(dimension, values),
            Self::Sparse { dimension, offsets, indices, values } => {
                RowMatrix::sparse(dimension, offsets, indices, values)
            }
        }
    }
}

/// The rows of the columns. Which of two kinds they are depends on the values of all ranks alone, and not on
/// the format they were read from.
pub(super) fn cells(
    columns: Vec<Coded>,
    rows: usize,
    ranks: &Ranks,
) -> Result<(Cells, Vec<ContextColumn>), RankError> {
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
    let mut of_all = [rows as u64, stored as u64];
    ranks.sum(&mut of_all)?;
    if is_dense(has_labels, dimension, of_all)
        && let Some(cells) = dimension.checked_mul(rows)
    {
        return Ok(dense(columns, dimension, cells));
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
    Ok((Cells::Sparse { dimension, offsets, indices, values }, own))
}

/// Parts of the rows that the dense matrix is made in.
const PARTS: usize = 16;

/// The dense matrix. It is made from the last rows to the first, and the values of a part of the rows are
/// freed as soon as they are there. The matrix takes memory where it is written to only, so that all numbers
/// are never held twice.
fn dense(mut columns: Vec<Coded>, dimension: usize, cells: usize) -> (Cells, Vec<ContextColumn>) {
    let mut dense = vec![0.0; cells];
    let rows = cells.checked_div(dimension).unwrap_or_default();
    let part = rows.div_ceil(PARTS).max(1);
    for first in (0..rows).step_by(part).rev() {
        let mut base = 0_usize;
        for coded in &mut columns {
            let start = coded.start_of(first);
            for (row, coordinate, value) in coded.entries_from(start) {
                let place =
                    row.checked_mul(dimension).map(|row| row.saturating_add(base + coordinate as usize));
                if let Some(cell) = place.and_then(|place| dense.get_mut(place)) {
                    *cell = value;
                }
            }
            coded.truncate(start);
            base += coded.column.width();
        }
    }
    let own = columns.into_iter().map(|coded| coded.column).collect();
    (Cells::Dense { dimension, values: dense }, own)
}

/// Whether a column has a coordinate a label.
pub(super) fn has_labels(columns: &[ContextColumn]) -> bool {
    columns.iter().any(is_of_labels)
}

fn is_of_labels(column: &ContextColumn) -> bool {
    matches!(column, ContextColumn::Labels { .. })
}

/// Whether a matrix is dense: no column holds labels, and at least half of the cells are not 0.
fn is_dense(has_labels: bool, dimension: usize, [rows, stored]: [u64; 2]) -> bool {
    let cells = (dimension as u64).checked_mul(rows);
    !has_labels && cells.is_some_and(|cells| stored >= cells.div_ceil(2))
}

/// Compressed rows as they are, or dense.
pub(crate) fn of_rows(
    has_labels: bool,
    dimension: usize,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
) -> Cells {
    let rows = offsets.len().saturating_sub(1);
    let cells = dimension.checked_mul(rows);
    let cells = cells.filter(|_| is_dense(has_labels, dimension, [rows as u64, values.len() as u64]));
    let Some(cells) = cells else { return Cells::Sparse { dimension, offsets, indices, values } };
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
    Cells::Dense { dimension, values: dense }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column of every row, one of few rows, and one whose numbers may be missing, in more rows than parts.
    #[test]
    fn a_dense_matrix_has_every_value_in_its_row() {
        let rows = 3 * PARTS + 5;
        let number = |name: &str| ContextColumn::Number { name: name.to_owned() };
        let all: Vec<f64> = (1..=rows).map(|row| row as f64).collect();
        let some: Vec<u32> = (0_u32..).step_by(3).take_while(|row| (*row as usize) < rows).collect();
        let of_some: Vec<f64> = some.iter().map(|row| -1.0 - f64::from(*row)).collect();
        let columns = vec![
            Coded { column: number("all"), rows: None, values: Values::Numbers(all) },
            Coded { column: number("some"), rows: Some(some), values: Values::Numbers(of_some) },
        ];
        let (cells, own) = cells(columns, rows, &Ranks::alone()).unwrap();
        let matrix = cells.matrix().unwrap();
        assert_eq!((own.len(), matrix.len()), (2, rows));
        for (row, found) in matrix.iter().enumerate() {
            let second = if row % 3 == 0 { -1.0 - row as f64 } else { 0.0 };
            assert_eq!(found.to_dense(), [1.0 + row as f64, second]);
        }
    }
}
