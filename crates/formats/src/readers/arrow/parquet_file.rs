//! Parquet.

use super::pages::Pages;
use super::{Batches, guarded, readable};
use crate::FormatError;
use crate::error::Place;
use crate::facts::{FileName, Progress};
use crate::source::Stream;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::ops::ControlFlow;

pub(in crate::readers) struct ParquetBatches {
    file: FileName,
    reader: ParquetRecordBatchReader,
    schema: SchemaRef,
    fingerprint: (u64, String),
    rows: u64,
    total_rows: u64,
    total_bytes: u64,
}

const FORMAT: &str = "Parquet";
/// Rows of a batch: enough that a batch costs little, few enough that wide rows do.
const BATCH: usize = 1024;
/// Cells that a file need not account for.
const FREE_CELLS: u64 = 10_000_000;

impl ParquetBatches {
    pub(in crate::readers) fn open(
        mut stream: Stream,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self, FormatError> {
        let file = stream.seekable(progress)?;
        let (name, ratio) = (stream.name().clone(), stream.limits().ratio);
        let place = Place { file: name.clone(), row: None, line: None };
        let fingerprint = stream.fingerprint();
        let bytes = fingerprint.0;
        let (reader, schema, total_rows) = guarded(FORMAT, place, || {
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
            let reader = builder.with_batch_size(BATCH).with_projection(mask).build();
            Ok((reader.map_err(|error| error.to_string())?, schema, rows))
        })?;
        Ok(Self { file: name, reader, schema, fingerprint, rows: 0, total_rows, total_bytes: bytes })
    }
}

impl Batches for ParquetBatches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, FormatError> {
        let row = (self.rows > 0).then_some(self.rows);
        let place = Place { file: self.file.clone(), row, line: None };
        let reader = &mut self.reader;
        let batch =
            guarded(FORMAT, place.clone(), || reader.next().transpose().map_err(|error| error.to_string()))?;
        self.rows += batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
        if self.rows > self.total_rows || (batch.is_none() && self.rows < self.total_rows) {
            let message = format!("it states {} rows and has another number of them", self.total_rows);
            return Err(FormatError::Damaged { place, format: FORMAT, message });
        }
        Ok(batch)
    }

    fn progress(&self, rows: u64) -> Progress {
        let total = self.total_bytes;
        let share = u128::from(total) * u128::from(self.rows) / u128::from(self.total_rows.max(1));
        Progress { bytes: u64::try_from(share).unwrap_or(total), total_bytes: Some(total), rows }
    }

    fn fingerprint(&mut self) -> Result<(u64, String), FormatError> {
        Ok(self.fingerprint.clone())
    }
}
