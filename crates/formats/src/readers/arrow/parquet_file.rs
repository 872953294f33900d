//! Parquet.

use super::pages::Pages;
use super::{Batches, guarded, readable};
use crate::FormatError;
use crate::error::Place;
use crate::facts::{FileName, Progress};
use crate::readers::Extent;
use crate::source::Stream;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::ParquetMetaData;
use std::fs::File;
use std::ops::{ControlFlow, Range};

pub(in crate::readers) struct ParquetBatches {
    file: FileName,
    reader: ParquetRecordBatchReader,
    schema: SchemaRef,
    fingerprint: (u64, String),
    /// The rows of the file that are read, and the next one of them.
    extent: Range<u64>,
    next: u64,
    /// The rows that the file states, and its bytes.
    total_rows: u64,
    total_bytes: u64,
}

const FORMAT: &str = "Parquet";
/// What a file begins with.
pub(crate) const MAGIC: [u8; 4] = *b"PAR1";
/// Rows of a batch: enough that a batch costs little, few enough that wide rows do.
const BATCH: usize = 1024;
/// Cells that a file need not account for.
const FREE_CELLS: u64 = 10_000_000;

/// The rows of each row group of a file.
pub(crate) fn rows_of_groups(file: File, name: &FileName, ratio: u64) -> Result<Vec<u64>, FormatError> {
    let place = Place { file: name.clone(), row: None, line: None };
    guarded(FORMAT, place, || {
        let builder = ParquetRecordBatchReaderBuilder::try_new(Pages { file, ratio });
        let builder = builder.map_err(|error| error.to_string())?;
        Ok(of_groups(builder.metadata()))
    })
}

fn of_groups(metadata: &ParquetMetaData) -> Vec<u64> {
    let rows = metadata.row_groups().iter().map(|group| u64::try_from(group.num_rows()));
    rows.map(Result::unwrap_or_default).collect()
}

impl ParquetBatches {
    pub(in crate::readers) fn open(
        mut stream: Stream,
        extent: &Extent,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self, FormatError> {
        let (file, bytes) = match stream.as_file()? {
            Some((file, length)) if !extent.is_hashed() => (file, length),
            _ => {
                let file = stream.seekable(progress)?;
                (file, stream.fingerprint().0)
            }
        };
        let (name, ratio) = (stream.name().clone(), stream.limits().ratio);
        let place = Place { file: name.clone(), row: None, line: None };
        let fingerprint = if extent.is_hashed() { stream.fingerprint() } else { (bytes, String::new()) };
        let (reader, schema, total_rows, extent) = guarded(FORMAT, place, || {
            let builder = ParquetRecordBatchReaderBuilder::try_new(Pages { file, ratio });
            let builder = builder.map_err(|error| error.to_string())?;
            let schema = builder.schema().clone();
            let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(u64::MAX);
            let cells = rows.saturating_mul(schema.fields().len() as u64);
            if cells > FREE_CELLS.saturating_add(bytes.saturating_mul(ratio)) {
                return Err(format!("it states {rows} rows in {bytes} bytes"));
            }
            let columns = builder.metadata().row_groups().iter().flat_map(|group| group.columns());
            let are_within = columns.into_iter().all(|column| {
                let starts = [Some(column.data_page_offset()), column.dictionary_page_offset()];
                let is_within = |start: i64| {
                    start.checked_add(column.compressed_size()).is_some_and(|end| {
                        start >= 0
                            && column.compressed_size() >= 0
                            && u64::try_from(end).is_ok_and(|end| end <= bytes)
                    })
                };
                starts.into_iter().flatten().min().is_some_and(is_within)
            });
            if !are_within {
                return Err("a column is not within the file".to_owned());
            }
            let mask = ProjectionMask::roots(builder.parquet_schema(), readable(&schema));
            let of_groups = of_groups(builder.metadata());
            let mut builder = builder.with_batch_size(BATCH).with_projection(mask);
            let mut own = 0..rows;
            if let Extent::Groups { groups, .. } = extent {
                let parts = (of_groups.get(..groups.start), of_groups.get(groups.clone()));
                let (Some(before), Some(within)) = parts else {
                    return Err(format!("it has {} row groups, and had more", of_groups.len()));
                };
                let sum = |rows: &[u64]| rows.iter().fold(0, |sum: u64, rows| sum.saturating_add(*rows));
                own = sum(before)..sum(before).saturating_add(sum(within));
                builder = builder.with_row_groups(groups.clone().collect());
            }
            let reader = builder.build().map_err(|error| error.to_string())?;
            Ok((reader, schema, rows, own))
        })?;
        let next = extent.start;
        Ok(Self { file: name, reader, schema, fingerprint, extent, next, total_rows, total_bytes: bytes })
    }
}

impl Batches for ParquetBatches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn rows_before(&self) -> u64 {
        self.extent.start
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, FormatError> {
        let row = (self.next > 0).then_some(self.next);
        let place = Place { file: self.file.clone(), row, line: None };
        let reader = &mut self.reader;
        let batch =
            guarded(FORMAT, place.clone(), || reader.next().transpose().map_err(|error| error.to_string()))?;
        self.next += batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
        if self.next > self.extent.end || (batch.is_none() && self.next < self.extent.end) {
            let message = format!("it states {} rows and has another number of them", self.total_rows);
            return Err(FormatError::Damaged { place, format: FORMAT, message });
        }
        Ok(batch)
    }

    fn progress(&self, rows: u64) -> Progress {
        let share = |rows: u64| {
            let share = u128::from(self.total_bytes) * u128::from(rows) / u128::from(self.total_rows.max(1));
            u64::try_from(share).unwrap_or(self.total_bytes)
        };
        let of_extent = self.extent.end - self.extent.start;
        // A file of no rows is read to its end at once.
        let total = if of_extent == self.total_rows { self.total_bytes } else { share(of_extent) };
        Progress { bytes: share(self.next - self.extent.start), total_bytes: Some(total), rows }
    }

    fn fingerprint(&mut self) -> Result<(u64, String), FormatError> {
        Ok(self.fingerprint.clone())
    }
}
