//! Parquet, Arrow and data frames: batches of typed columns.

mod cells;
mod ipc;
mod memory;
mod pages;
mod parquet_file;

pub(super) use ipc::IpcBatches;
pub(super) use memory::MemoryBatches;
pub(super) use parquet_file::ParquetBatches;
pub(crate) use parquet_file::{MAGIC, rows_of_groups};

use super::{ColumnNames, Records};
use crate::FormatError;
use crate::error::{Place, quoted};
use crate::facts::{FileName, Progress};
use crate::record::Record;
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use cells::{can_be_read, cell};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The batches of a file.
pub(super) trait Batches {
    fn schema(&self) -> SchemaRef;

    /// What messages call the first row.
    fn first_row(&self) -> u64 {
        1
    }

    /// Rows of the file before the first one that is read.
    fn rows_before(&self) -> u64 {
        0
    }

    /// The next one, of the columns that [`can_be_read`].
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, FormatError>;

    fn progress(&self, rows: u64) -> Progress;

    fn fingerprint(&mut self) -> Result<(u64, String), FormatError>;
}

/// The rows of the batches.
pub(super) struct ArrowRecords {
    batches: Box<dyn Batches>,
    names: ColumnNames,
    /// The places of the columns that are read, and their numbers.
    places: Vec<(usize, u32)>,
    batch: Option<RecordBatch>,
    /// The next row of the batch.
    next: usize,
    row: u64,
    first_row: u64,
    notes: Vec<String>,
}

impl ArrowRecords {
    /// `asked` are the columns that must be read.
    pub(super) fn new(
        file: &FileName,
        batches: Box<dyn Batches>,
        asked: &[&str],
        limit: u64,
    ) -> Result<Self, FormatError> {
        let schema = batches.schema();
        let (mut names, mut places, mut notes) = (ColumnNames::default(), Vec::new(), Vec::new());
        let place = || Place { file: file.clone(), row: None, line: None };
        for (at, field) in schema.fields().iter().enumerate() {
            let name = field.name().trim();
            if !can_be_read(field.data_type()) {
                let (column, found) = (name.to_owned(), field.data_type().to_string());
                if asked.iter().any(|asked| asked.trim() == name) {
                    return Err(FormatError::ColumnType {
                        file: file.clone(),
                        column,
                        found,
                        role: "values",
                    });
                }
                notes.push(format!("column {} left out: it holds {found}", quoted(&column)));
                continue;
            }
            if name.is_empty() {
                notes.push("1 column without a name left out".to_owned());
                continue;
            }
            let known = names.len();
            let too_many = || FormatError::TooMany { place: place(), what: "columns", limit };
            let number = names.place(name, limit).ok_or_else(too_many)?;
            if (number as usize) < known {
                return Err(FormatError::DuplicateColumn { place: place(), column: name.to_owned() });
            }
            places.push((at, number));
        }
        let (first_row, row) = (batches.first_row(), batches.rows_before());
        Ok(Self { batches, names, places, batch: None, next: 0, row, first_row, notes })
    }
}

/// The places of the columns that are read.
fn readable(schema: &Schema) -> Vec<usize> {
    let fields = schema.fields().iter().enumerate();
    fields.filter(|(_, field)| can_be_read(field.data_type())).map(|(at, _)| at).collect()
}

impl Records for ArrowRecords {
    fn advance(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        record.clear();
        while self.batch.as_ref().is_none_or(|batch| self.next >= batch.num_rows()) {
            self.batch = self.batches.next_batch()?;
            self.next = 0;
            if self.batch.is_none() {
                return Ok(false);
            }
        }
        let Some(batch) = &self.batch else { return Ok(false) };
        self.row += 1;
        (record.row, record.first, record.line) = (self.row, self.first_row, None);
        // The batch has the readable columns alone, in their order.
        for (column, (_, number)) in batch.columns().iter().zip(&self.places) {
            let cell = cell(column, self.next, record);
            record.cells.push((*number, cell));
        }
        self.next += 1;
        Ok(true)
    }

    fn columns(&self) -> &ColumnNames {
        &self.names
    }

    fn has_header(&self) -> bool {
        true
    }

    fn progress(&self, rows: u64) -> Progress {
        self.batches.progress(rows)
    }

    fn fingerprint(&mut self) -> Result<(u64, String), FormatError> {
        self.batches.fingerprint()
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

thread_local! {
    static IS_DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread runs a decoder of Parquet or Arrow, whose panics are caught and become
/// [`FormatError::Damaged`]: a program's panic hook has nothing to report of them.
///
/// ```
/// let default = std::panic::take_hook();
/// std::panic::set_hook(Box::new(move |panic| {
///     if !formats::is_decoding() {
///         default(panic);
///     }
/// }));
/// assert!(!formats::is_decoding());
/// ```
#[must_use]
pub fn is_decoding() -> bool {
    IS_DECODING.get()
}

/// Runs a decoder on bytes that nobody has checked. The decoders of arrow and parquet return errors for what
/// they foresee, and index or unwrap elsewhere; so their panics are damage of the file, and no bug of a
/// caller. Nothing of the decoder is used behind a panic.
fn guarded<T>(
    format: &'static str,
    place: Place,
    decode: impl FnOnce() -> Result<T, String>,
) -> Result<T, FormatError> {
    let before = IS_DECODING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(decode));
    IS_DECODING.set(before);
    let result = result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(text.unwrap_or("the decoder failed").to_owned())
    });
    result.map_err(|message| {
        let message = message.lines().next().unwrap_or_default().chars().take(200).collect();
        FormatError::Damaged { place, format, message }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]
    use super::*;

    #[test]
    fn a_caught_panic_is_known_while_it_is_caught() {
        let place = || Place { file: "log.parquet".into(), row: Some(3), line: None };
        assert!(!is_decoding());
        assert_eq!(guarded("Parquet", place(), || Ok(is_decoding())), Ok(true));
        let found: Result<(), _> = guarded("Parquet", place(), || panic!("offset {}", 7));
        assert!(!is_decoding());
        let expected = "log.parquet, row 3: the Parquet data are damaged or cut off: offset 7";
        assert_eq!(found.unwrap_err().to_string(), expected);
    }
}
