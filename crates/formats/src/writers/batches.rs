//! Parquet and Arrow.

use super::row::{Rows, Value};
use crate::FormatError;
use arrow_array::builder::{Float64Builder, ListBuilder, StringBuilder, TimestampNanosecondBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use off_policy::ContextColumn;
use off_policy::dates::nanoseconds_since_1970;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io::{self, Write};
use std::sync::Arc;

/// Rows of a batch.
const BATCH: usize = 1 << 14;

pub(super) fn write_parquet(rows: &Rows<'_>, writer: &mut (dyn Write + Send)) -> Result<(), FormatError> {
    let failed = |error: ParquetError| FormatError::io(rows.file(), &io::Error::other(error));
    let schema = schema(rows);
    let compression = Compression::ZSTD(ZstdLevel::default());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut writer = ArrowWriter::try_new(writer, schema.clone(), Some(properties)).map_err(failed)?;
    for start in (0..rows.len()).step_by(BATCH) {
        writer.write(&batch(rows, &schema, start)?).map_err(failed)?;
    }
    writer.close().map(drop).map_err(failed)
}

pub(super) fn write_arrow(rows: &Rows<'_>, writer: &mut (dyn Write + Send)) -> Result<(), FormatError> {
    let failed = |error: ArrowError| FormatError::io(rows.file(), &io::Error::other(error));
    let schema = schema(rows);
    let mut writer = FileWriter::try_new(writer, &schema).map_err(failed)?;
    for start in (0..rows.len()).step_by(BATCH) {
        writer.write(&batch(rows, &schema, start)?).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}

fn schema(rows: &Rows<'_>) -> SchemaRef {
    let mut are_times: Vec<bool> = rows.columns().iter().map(ContextColumn::is_date).collect();
    if are_times.contains(&true) {
        // Times of years that 64 bits cannot count in nanoseconds are written as text.
        for row in 0..rows.len() {
            for (column, value) in rows.entries(row) {
                if let (Value::Date(days), Some(own)) = (value, are_times.get_mut(column)) {
                    *own &= nanoseconds_since_1970(days).is_some();
                }
            }
        }
    }
    let kind = |column: &ContextColumn, is_time: bool| match column {
        ContextColumn::Number { .. } | ContextColumn::NumberOrMissing { .. } => DataType::Float64,
        _ if is_time => DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
        _ => DataType::Utf8,
    };
    let columns = rows.columns().iter().zip(are_times);
    let mut fields: Vec<Field> =
        columns.map(|(column, is_time)| Field::new(column.name(), kind(column, is_time), true)).collect();
    fields.push(Field::new(&rows.names.action, DataType::Utf8, false));
    if rows.log.on_offer.is_some() {
        let item = Arc::new(Field::new_list_field(DataType::Utf8, true));
        fields.push(Field::new(&rows.names.available, DataType::List(item), false));
    }
    if rows.log.propensities.is_some() {
        fields.push(Field::new(&rows.names.propensity, DataType::Float64, false));
    }
    fields.push(Field::new(&rows.names.reward, DataType::Float64, false));
    if rows.log.time.is_some() {
        fields.push(Field::new(&rows.names.time, DataType::Float64, false));
    }
    Arc::new(Schema::new(fields))
}

/// A column of the contexts while a batch is built.
enum Building {
    Numbers(Float64Builder),
    Times(TimestampNanosecondBuilder),
    Texts(StringBuilder),
}

impl Building {
    fn of(kind: &DataType) -> Self {
        match kind {
            DataType::Float64 => Self::Numbers(Float64Builder::new()),
            DataType::Timestamp(..) => {
                Self::Times(TimestampNanosecondBuilder::new().with_data_type(kind.clone()))
            }
            _ => Self::Texts(StringBuilder::new()),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Numbers(mut builder) => Arc::new(builder.finish()),
            Self::Times(mut builder) => Arc::new(builder.finish()),
            Self::Texts(mut builder) => Arc::new(builder.finish()),
        }
    }
}

fn batch(rows: &Rows<'_>, schema: &SchemaRef, start: usize) -> Result<RecordBatch, FormatError> {
    let mut building: Vec<Building> = schema
        .fields()
        .iter()
        .take(rows.columns().len())
        .map(|field| Building::of(field.data_type()))
        .collect();
    let (mut actions, mut available) = (StringBuilder::new(), ListBuilder::new(StringBuilder::new()));
    let [mut propensities, mut rewards, mut times] = std::array::from_fn(|_| Float64Builder::new());
    let mut values = Vec::new();
    for row in start..rows.len().min(start + BATCH) {
        rows.fill(row, &mut values);
        for (number, (building, value)) in building.iter_mut().zip(&values).enumerate() {
            match (building, value) {
                (Building::Numbers(builder), Value::Number(number)) => builder.append_value(*number),
                (Building::Times(builder), Value::Date(days)) => {
                    builder.append_option(nanoseconds_since_1970(*days));
                }
                (Building::Texts(builder), Value::Date(days)) => {
                    builder.append_value(rows.date(row, number, *days)?);
                }
                (Building::Texts(builder), Value::Label(label)) => builder.append_value(label),
                (Building::Numbers(builder), _) => builder.append_null(),
                (Building::Times(builder), _) => builder.append_null(),
                (Building::Texts(builder), _) => builder.append_null(),
            }
        }
        actions.append_value(rows.action(row));
        if let Some(names) = rows.available_names(row) {
            names.for_each(|name| available.values().append_value(name));
            available.append(true);
        }
        propensities.append_option(rows.propensity(row));
        rewards.append_value(rows.reward(row));
        times.append_option(rows.time(row));
    }
    let mut columns: Vec<ArrayRef> = building.into_iter().map(Building::finish).collect();
    columns.push(Arc::new(actions.finish()));
    if rows.log.on_offer.is_some() {
        columns.push(Arc::new(available.finish()));
    }
    if rows.log.propensities.is_some() {
        columns.push(Arc::new(propensities.finish()));
    }
    columns.push(Arc::new(rewards.finish()));
    if rows.log.time.is_some() {
        columns.push(Arc::new(times.finish()));
    }
    RecordBatch::try_new(schema.clone(), columns)
        .map_err(|error| FormatError::io(rows.file(), &io::Error::other(error)))
}
