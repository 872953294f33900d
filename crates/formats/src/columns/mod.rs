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
pub(crate) use matrix::{Cells, of_rows};
pub(crate) use numbers::{date, date_or_number, number};

use crate::FormatError;
use crate::agreement::gathered;
use crate::error::Place;
use crate::facts::{FileName, ReadFacts};
use crate::readers::Absent;
use crate::record::{Cell, Record};
use column::{Column, Finished, Summary};
use off_policy::ContextColumn;
use ranks::Ranks;
use std::collections::{BTreeSet, HashMap};

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

    /// Puts the columns in the order of these names, as all ranks have them; those that no row of this rank
    /// has are empty.
    pub(crate) fn arrange(&mut self, names: &[&str]) {
        if self.columns.iter().map(Column::name).eq(names.iter().copied()) {
            return;
        }
        let own = std::mem::take(&mut self.columns).into_iter();
        let mut own: HashMap<String, Column> = own.map(|column| (column.name().to_owned(), column)).collect();
        for name in names {
            match own.remove(*name) {
                Some(column) => self.columns.push(column),
                None => {
                    self.column(name);
                }
            }
        }
    }

    /// The contexts and their columns, by the rows of all ranks.
    pub(crate) fn finish(
        self,
        ranks: &Ranks,
        facts: &mut ReadFacts,
    ) -> Result<(Cells, Vec<ContextColumn>), FormatError> {
        let Self { file, mut columns, rows, absent, .. } = self;
        let filled: u64 = columns.iter().map(|column| rows.saturating_sub(column.len())).sum();
        let mut totals = [rows, self.cells, self.filled.saturating_add(filled)];
        ranks.sum(&mut totals)?;
        let [all_rows, cells, filled] = totals;
        if absent == Absent::Missing {
            let limit = FREE_CELLS.saturating_add(cells.saturating_mul(8));
            if filled > limit {
                let place = Place { file, row: None, line: None };
                return Err(FormatError::TooMany {
                    place,
                    what: "absent cells for those that are there",
                    limit,
                });
            }
        }
        let summaries = summaries(&mut columns, rows, ranks)?;
        let (mut coded, mut left_out) = (Vec::new(), Vec::new());
        for (column, all) in columns.into_iter().zip(&summaries) {
            let name = column.name().to_owned();
            match column.finish(all, all_rows)? {
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
        Ok(matrix::cells(coded, rows, ranks)?)
    }
}

/// What is known of the columns of all ranks. The labels of a column become those of all ranks.
fn summaries(columns: &mut [Column], rows: u64, ranks: &Ranks) -> Result<Vec<Summary>, FormatError> {
    let own = columns.iter_mut().map(|column| column.summary(rows)).collect();
    let mut of_ranks = gathered::<Vec<Summary>>(ranks, own)?.into_iter();
    let mut all = of_ranks.next().unwrap_or_default();
    for of_rank in of_ranks {
        all.iter_mut().zip(of_rank).for_each(|(all, next)| all.append(next));
    }
    let mut of_labels: Vec<(&mut Column, &mut Summary)> = columns
        .iter_mut()
        .zip(&mut all)
        .filter(|(column, all)| column.is_of_labels(all) && !all.has_too_many)
        .collect();
    let labels = |(column, _): &mut (&mut Column, &mut Summary)| {
        let own = column.labels();
        if ranks.are_several() { own.map(|labels| labels.list()) } else { own.map(|_| Vec::new()) }
    };
    let own: Vec<Option<Vec<String>>> = of_labels.iter_mut().map(labels).collect();
    for of_rank in gathered(ranks, own)? {
        for ((column, all), labels) in of_labels.iter_mut().zip(of_rank) {
            match (labels, column.labels()) {
                (Some(labels), Some(own)) => labels.iter().for_each(|label| own.add(label)),
                _ => all.has_too_many = true,
            }
        }
    }
    Ok(all)
}
