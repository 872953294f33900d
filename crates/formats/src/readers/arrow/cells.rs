//! Cells of typed columns.

use crate::record::{Cell, Record};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

/// Whether cells are made of a type: numbers, texts, dates and times, Boolean values, and lists of these.
pub(super) fn can_be_read(of: &DataType) -> bool {
    match of {
        DataType::List(field) | DataType::LargeList(field) => is_scalar(field.data_type()),
        of => is_scalar(of),
    }
}

fn is_scalar(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(keys, values) => {
            keys.is_integer() && !matches!(**values, DataType::Dictionary(..)) && is_scalar(values)
        }
        DataType::Null
        | DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..)
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => true,
        of => of.is_integer() || of.is_floating(),
    }
}

/// The cell of a row.
pub(super) fn cell(array: &ArrayRef, row: usize, record: &mut Record) -> Cell {
    if row >= array.len() || array.is_null(row) {
        return Cell::Missing;
    }
    match array.data_type() {
        DataType::Boolean => Cell::Bool(array.as_boolean().value(row)),
        DataType::Utf8 => record.text_cell(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => record.text_cell(array.as_string::<i64>().value(row)),
        DataType::Utf8View => record.text_cell(array.as_string_view().value(row)),
        DataType::Float64 => Cell::Number(value::<Float64Type>(array, row)),
        DataType::Float32 => Cell::Number(value::<Float32Type>(array, row).into()),
        DataType::Float16 => Cell::Number(value::<Float16Type>(array, row).to_f64()),
        DataType::Decimal32(..) => decimal(&array.as_primitive::<Decimal32Type>().value_as_string(row)),
        DataType::Decimal64(..) => decimal(&array.as_primitive::<Decimal64Type>().value_as_string(row)),
        DataType::Decimal128(..) => decimal(&array.as_primitive::<Decimal128Type>().value_as_string(row)),
        DataType::Decimal256(..) => decimal(&array.as_primitive::<Decimal256Type>().value_as_string(row)),
        DataType::Date32 => Cell::Days(value::<Date32Type>(array, row).into()),
        DataType::Date64 => days(value::<Date64Type>(array, row), 1000),
        DataType::Timestamp(TimeUnit::Second, _) => days(value::<TimestampSecondType>(array, row), 1),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            days(value::<TimestampMillisecondType>(array, row), 1000)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            days(value::<TimestampMicrosecondType>(array, row), 1_000_000)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            days(value::<TimestampNanosecondType>(array, row), 1_000_000_000)
        }
        DataType::UInt64 => {
            let number = value::<UInt64Type>(array, row);
            #[allow(clippy::cast_precision_loss, reason = "beyond 2^63 the nearest double stands for it")]
            i64::try_from(number).map_or(Cell::Number(number as f64), Cell::Integer)
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let key = integer(dictionary.keys(), row).and_then(|key| usize::try_from(key).ok());
            key.map_or(Cell::Missing, |key| cell(dictionary.values(), key, record))
        }
        DataType::List(_) => list(&array.as_list::<i32>().value(row), record),
        DataType::LargeList(_) => list(&array.as_list::<i64>().value(row), record),
        _ => integer(array, row).map_or(Cell::Missing, Cell::Integer),
    }
}

fn value<T: ArrowPrimitiveType>(array: &dyn Array, row: usize) -> T::Native {
    array.as_primitive::<T>().value(row)
}

/// A whole number of any width up to 63 bits.
fn integer(array: &dyn Array, row: usize) -> Option<i64> {
    Some(match array.data_type() {
        DataType::Int8 => value::<Int8Type>(array, row).into(),
        DataType::Int16 => value::<Int16Type>(array, row).into(),
        DataType::Int32 => value::<Int32Type>(array, row).into(),
        DataType::Int64 => value::<Int64Type>(array, row),
        DataType::UInt8 => value::<UInt8Type>(array, row).into(),
        DataType::UInt16 => value::<UInt16Type>(array, row).into(),
        DataType::UInt32 => value::<UInt32Type>(array, row).into(),
        DataType::UInt64 => i64::try_from(value::<UInt64Type>(array, row)).ok()?,
        _ => return None,
    })
}

/// The nearest double of a decimal number.
fn decimal(text: &str) -> Cell {
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(number), _) => Cell::Integer(number),
        (_, Ok(number)) => Cell::Number(number),
        _ => Cell::Missing,
    }
}

/// Days since 1970 of a time in units of a second, rounded as a time that is written as text is.
#[allow(
    clippy::cast_precision_loss,
    reason = "the number of a day is small, and the fraction is rounded once"
)]
fn days(time: i64, of_second: i64) -> Cell {
    let of_day = 86_400 * of_second;
    let nanoseconds = time.rem_euclid(of_day) * (1_000_000_000 / of_second);
    Cell::Days(time.div_euclid(of_day) as f64 + nanoseconds as f64 / 86_400e9)
}

fn list(items: &ArrayRef, record: &mut Record) -> Cell {
    let cells: Vec<Cell> = (0..items.len()).map(|row| cell(items, row, record)).collect();
    Cell::List(record.list(cells))
}
