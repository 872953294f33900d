//! Data frames through Arrow's C stream.

use crate::arrays::vector;
use crate::errors::value;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchReader, StringArray};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use formats::Source;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// A column that stands beside a frame: numbers, NaN where one is missing, or texts.
#[derive(FromPyObject)]
pub(crate) enum Column<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<Option<String>>),
}

impl Column<'_> {
    fn array(self) -> PyResult<ArrayRef> {
        Ok(match self {
            Self::Numbers(numbers) => Arc::new(Float64Array::from_iter(
                vector(numbers)?.into_iter().map(|x| (!x.is_nan()).then_some(x)),
            )),
            Self::Texts(texts) => Arc::new(StringArray::from_iter(texts)),
        })
    }
}

/// A frame with further columns; or those alone.
///
/// # Errors
/// `TypeError` for an object without `__arrow_c_stream__`, `ValueError` for a stream that breaks off, and for
/// columns of two lengths.
pub(crate) fn source(
    frame: Option<&Bound<'_, PyAny>>,
    beside: Vec<(String, Column<'_>)>,
) -> PyResult<Source> {
    let beside: Vec<(Field, ArrayRef)> = beside
        .into_iter()
        .map(|(name, column)| {
            let array = column.array()?;
            Ok((Field::new(name, array.data_type().clone(), true), array))
        })
        .collect::<PyResult<_>>()?;
    if let Some((first, (field, array))) = beside
        .first()
        .and_then(|first| Some((first, beside.iter().find(|(_, array)| array.len() != first.1.len())?)))
    {
        let (name, rows, first, expected) = (field.name(), array.len(), first.0.name(), first.1.len());
        return Err(value(format!("{name} has {rows} entries, {first} has {expected}")));
    }
    let frame: Box<dyn RecordBatchReader + Send> = match frame {
        Some(frame) => Box::new(stream(frame)?),
        None => {
            let rows = beside.first().map_or(0, |(_, array)| array.len());
            Box::new(Blank { rows: Some(rows), schema: Arc::new(Schema::empty()) })
        }
    };
    let mut fields: Vec<Field> = frame.schema().fields().iter().map(|field| (**field).clone()).collect();
    fields.extend(beside.iter().map(|(field, _)| field.clone()));
    let name = beside.first().map_or_else(String::new, |(field, _)| field.name().clone());
    let arrays = beside.into_iter().map(|(_, array)| array).collect();
    let schema = Arc::new(Schema::new(fields));
    Ok(Source::batches("the data frame", Beside { frame, name, arrays, schema, row: 0 }))
}

/// The batches of an object's `__arrow_c_stream__`.
fn stream(frame: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let made = frame.call_method0("__arrow_c_stream__")?;
    let capsule = made
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("__arrow_c_stream__ has to return a capsule"))?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    RecordBatchStreamReader::try_new(take(pointer.cast())).map_err(value)
}

/// Moves a stream out of its capsule.
#[allow(
    unsafe_code,
    reason = "the C interface of Arrow is a pointer; nothing else reaches a data frame without a copy"
)]
fn take(stream: std::ptr::NonNull<FFI_ArrowArrayStream>) -> FFI_ArrowArrayStream {
    // SAFETY: a capsule of the name "arrow_array_stream" holds a valid `ArrowArrayStream` by Arrow's
    // PyCapsule interface. The capsule is alive as long as the caller's borrow of it, and Python's lock is
    // held, so that nobody else moves the stream out. `from_raw` leaves a released stream behind, which the
    // destructor of the capsule recognises.
    unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) }
}

/// Rows without columns, in one batch.
struct Blank {
    rows: Option<usize>,
    schema: SchemaRef,
}

impl Iterator for Blank {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(self.rows.take()?));
        Some(RecordBatch::try_new_with_options(self.schema.clone(), Vec::new(), &options))
    }
}

impl RecordBatchReader for Blank {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Batches with further columns.
struct Beside {
    frame: Box<dyn RecordBatchReader + Send>,
    /// The name of the first of the further columns.
    name: String,
    /// All of one length.
    arrays: Vec<ArrayRef>,
    schema: SchemaRef,
    /// The first row of the next batch.
    row: usize,
}

impl Iterator for Beside {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let whole = self.arrays.first().map(|array| array.len());
        let other = |rows: usize| {
            let (name, beside) = (&self.name, whole.unwrap_or_default());
            ArrowError::InvalidArgumentError(format!("context has {rows} rows, {name} has {beside}"))
        };
        let batch = match self.frame.next() {
            None if whole.is_some_and(|rows| rows != self.row) => {
                let rows = std::mem::replace(&mut self.row, whole.unwrap_or_default());
                return Some(Err(other(rows)));
            }
            None => return None,
            Some(Err(error)) => return Some(Err(error)),
            Some(Ok(batch)) => batch,
        };
        let rows = batch.num_rows();
        if whole.is_some_and(|whole| whole - self.row.min(whole) < rows) {
            return Some(Err(other(self.row + rows)));
        }
        let mut columns = batch.columns().to_vec();
        columns.extend(self.arrays.iter().map(|array| array.slice(self.row, rows)));
        self.row += rows;
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
        Some(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options))
    }
}

impl RecordBatchReader for Beside {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
