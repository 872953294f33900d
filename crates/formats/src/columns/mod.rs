//! The columns of the contexts: what they hold is inferred of all rows of a file, or known from a schema.
//!
//! Reading order: [`Inferred`] and its `column`; [`BySchema`]; the matrix that both make.

mod coded;
mod column;
mod dictionary;
mod matrix;
mod numbers;

pub(crate) use coded::{BySchema, HAS_EVERY_VALUE, Target};
pub(crate) use dictionary::Dictionary;
pub(crate) use matrix::of_rows;
pub(crate) use numbers::{date, date_or_number, number};

use crate::FormatError;
use crate::error::Place;
use crate::facts::{FileName, ReadFacts};
use crate::readers::Absent;
use crate::record::{Cell, Record};
use column::{Column, Finished};
use off_policy::ContextColumn;
use rows::RowMatrix;
use std::collections::BTreeSet;

/// The columns read so far.
pub(crate) struct Inferred {
    file: FileName,
    absent: Absent,
    columns: Vec<Column>,
    labels: BTreeSet<String>,
    most_labels: usize,
    rows: u64,
    /// Cells that are there, and such as stand for absent ones.
    cells: u64,
    filled: u64,
    buffer: String,
}

/// Absent cells that no file has to account for.
const FREE_CELLS: u64 = 10_000_000;

impl Inferred {
    pub(crate) fn new(file: FileName, absent: Absent, labels: &[String], most_labels: usize) -> Self {
        let labels = labels.iter().map(|name| name.trim().to_owned()).collect();
        let (columns, buffer) = (Vec::new(), String::new());
        Self { file, absent, columns, labels, most_labels, rows: 0, cells: 0, filled: 0, buffer }
    }

    /// Another column; its number.
    pub(crate) fn column(&mut self, name: &str) -> usize {
        let is_sparse = self.absent == Absent::Zero;
        self.columns.push(Column::new(name, self.labels.contains(name), is_sparse, self.most_labels));
        self.columns.len() - 1
    }

    /// Another row: columns and their cells.
    pub(crate) fn push(
        &mut self,
        record: &Record,
        cells: impl Iterator<Item = (usize, Cell)>,
    ) -> Result<(), FormatError> {
        let limit = u64::from(u32::MAX) - 1;
        if self.rows >= limit {
            return Err(Self::too_many(record, "rows", limit));
        }
        let index = u32::try_from(self.rows).unwrap_or(u32::MAX);
        for (number, cell) in cells {
            let Some(column) = self.columns.get_mut(number) else { continue };
            if self.absent == Absent::Missing {
                self.filled += self.rows.saturating_sub(column.len());
                let limit = FREE_CELLS.saturating_add(self.cells.saturating_mul(8));
                if self.filled > limit {
                    return Err(Self::too_many(record, "absent cells for those that are there", limit));
                }
                column.fill(self.rows);
            }
            column.push(cell, index, record, &mut self.buffer);
            self.cells += 1;
        }
        self.rows += 1;
        Ok(())
    }

    fn too_many(record: &Record, what: &'static str, limit: u64) -> FormatError {
        FormatError::TooMany { place: record.place(), what, limit }
    }

    /// The contexts and their columns.
    pub(crate) fn finish(
        self,
        facts: &mut ReadFacts,
    ) -> Result<(RowMatrix, Vec<ContextColumn>), FormatError> {
        let Self { file, columns, rows, absent, .. } = self;
        if absent == Absent::Missing {
            let filled: u64 = columns.iter().map(|column| rows.saturating_sub(column.len())).sum();
            let limit = FREE_CELLS.saturating_add(self.cells.saturating_mul(8));
            if self.filled.saturating_add(filled) > limit {
                let place = Place { file, row: None, line: None };
                return Err(FormatError::TooMany {
                    place,
                    what: "absent cells for those that are there",
                    limit,
                });
            }
        }
        let (mut coded, mut left_out) = (Vec::new(), Vec::new());
        for column in columns {
            let name = column.name().to_owned();
            match column.finish(rows)? {
                Finished::Coded { columns, missing, note } => {
                    coded.extend(columns);
                    if missing > 0 {
                        facts.missing.insert(name, missing);
                    }
                    facts.notes.extend(note);
                }
                Finished::Left(reason) => left_out.push(reason),
            }
        }
        if coded.is_empty() {
            return Err(FormatError::NoContexts { file, left_out });
        }
        facts.notes.extend(left_out);
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        Ok(matrix::matrix(coded, rows)?)
    }
}
