//! Columns that are in memory already.

use super::{Batches, guarded, readable};
use crate::FormatError;
use crate::error::Place;
use crate::facts::{FileName, Progress};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::SchemaRef;

pub(in crate::readers) struct MemoryBatches {
    file: FileName,
    reader: Box<dyn RecordBatchReader + Send>,
    schema: SchemaRef,
    /// The columns that are read.
    places: Vec<usize>,
    rows: u64,
}

impl MemoryBatches {
    pub(in crate::readers) fn new(file: FileName, reader: Box<dyn RecordBatchReader + Send>) -> Self {
        let schema = reader.schema();
        let places = readable(&schema);
        Self { file, reader, schema, places, rows: 0 }
    }
}

impl Batches for MemoryBatches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// As indices of the rows are.
    fn first_row(&self) -> u64 {
        0
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, FormatError> {
        let row = (self.rows > 0).then_some(self.rows);
        let place = Place { file: self.file.clone(), row, line: None };
        let (reader, places, schema) = (&mut self.reader, &self.places, &self.schema);
        let batch = guarded("Arrow", place, || {
            let Some(batch) = reader.next().transpose().map_err(|error| error.to_string())? else {
                return Ok(None);
            };
            // Whoever makes the batches may break the promise of their schema.
            if batch.schema().fields() != schema.fields() {
                return Err("a batch has other columns than the schema".to_owned());
            }
            batch.project(places).map(Some).map_err(|error| error.to_string())
        })?;
        self.rows += batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
        Ok(batch)
    }

    fn progress(&self, rows: u64) -> Progress {
        Progress { bytes: 0, total_bytes: None, rows }
    }

    /// No bytes were read, so there is no checksum of them.
    fn fingerprint(&mut self) -> Result<(u64, String), FormatError> {
        Ok((0, String::new()))
    }
}
