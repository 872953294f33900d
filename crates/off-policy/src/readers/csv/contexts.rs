//! The contexts of a table: numbers as they are, labels as one column each.

use crate::ContextColumn;
use crate::readers::ReadError;
use crate::readers::labels::Labels;
use crate::readers::table::Table;
use rows::RowMatrix;
use std::io::Read;

/// The contexts of the rows read so far, while it is not known how many labels there are.
pub(super) struct Contexts {
    columns: Vec<Column>,
    /// Row by row the cells of the columns of numbers.
    numbers: Vec<f64>,
    /// Row by row the numbers of the labels, or [`UNKNOWN`].
    labels: Vec<u32>,
    /// Cells with an unknown label.
    pub(super) unknown: usize,
}

/// A label that has no number: no number is as large.
const UNKNOWN: u32 = u32::MAX;

/// A column of the table.
struct Column {
    name: String,
    place: usize,
    /// `None` for numbers.
    labels: Option<Labels>,
}

impl Contexts {
    pub(super) fn new() -> Self {
        Self { columns: Vec::new(), numbers: Vec::new(), labels: Vec::new(), unknown: 0 }
    }

    /// Another column.
    pub(super) fn column(&mut self, name: &str, place: usize, labels: Option<Labels>) {
        self.columns.push(Column { name: name.to_owned(), place, labels });
    }

    /// Another row.
    pub(super) fn push<R: Read>(&mut self, table: &Table<R>) -> Result<(), ReadError> {
        for Column { place, labels, .. } in &mut self.columns {
            match labels {
                None => self.numbers.push(table.context_number(*place)?),
                Some(labels) => {
                    let label = labels.number(table.text(*place)?);
                    self.unknown += usize::from(label.is_none());
                    self.labels.push(label.unwrap_or(UNKNOWN));
                }
            }
        }
        Ok(())
    }

    /// The rows, dense where all columns hold numbers and sparse where some hold labels, and their columns.
    pub(super) fn finish(self) -> Result<(RowMatrix, Vec<ContextColumn>), ReadError> {
        let matrix = if self.columns.iter().all(|column| column.labels.is_none()) {
            RowMatrix::dense(self.columns.len(), self.numbers)?
        } else {
            sparse(&self.columns, &self.numbers, &self.labels)?
        };
        let of_schema = |Column { name, labels, .. }| match labels {
            None => ContextColumn::Number { name },
            Some(labels) => ContextColumn::Labels { name, labels: labels.into_list() },
        };
        Ok((matrix, self.columns.into_iter().map(of_schema).collect()))
    }
}

/// The numbers that are not 0, and a 1 for every label that is known.
fn sparse(columns: &[Column], numbers: &[f64], labels: &[u32]) -> Result<RowMatrix, ReadError> {
    let of_labels = columns.iter().filter(|column| column.labels.is_some()).count();
    let of_numbers = columns.len() - of_labels;
    let (mut numbers, mut labels_left) = (numbers.iter(), labels.iter());
    let rows = labels.len() / of_labels.max(1);
    let mut offsets = Vec::with_capacity(rows + 1);
    let stored = labels.len() + of_numbers * rows;
    let (mut indices, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
    offsets.push(0);
    let mut dimension = 0;
    for _ in 0..rows {
        dimension = 0;
        for column in columns {
            let (width, entry) = match &column.labels {
                None => (1, numbers.next().filter(|x| **x != 0.0).map(|x| (0, *x))),
                Some(known) => (
                    known.count(),
                    labels_left.next().filter(|label| **label != UNKNOWN).map(|label| (*label, 1.0)),
                ),
            };
            if let Some((offset, value)) = entry {
                // There is no memory for 2³² labels.
                indices.push(u32::try_from(dimension + offset as usize).unwrap_or(u32::MAX));
                values.push(value);
            }
            dimension += width;
        }
        offsets.push(indices.len());
    }
    Ok(RowMatrix::sparse(dimension, offsets, indices, values)?)
}
