//! Cells as numbers and dates.

use crate::record::{Cell, Record};
use off_policy::dates::days_since_1970;
use rows::numeric::LARGEST;

/// What a column of numbers has where a number is missing, in files that have no better word for it.
const MISSING: [&str; 11] =
    ["na", "n/a", "nan", "-nan", "null", "none", "nil", "?", "\\n", "missing", "#n/a"];

/// Whether a text in a column of numbers or dates says that there is none.
pub(crate) fn is_missing_mark(text: &str) -> bool {
    MISSING.iter().any(|mark| text.eq_ignore_ascii_case(mark))
}

/// The number of a cell, finite and up to 1e140 in magnitude: `Ok(None)` where it is missing.
#[allow(clippy::cast_precision_loss, reason = "a whole number beyond 2^53 is read as the nearest double")]
pub(crate) fn number(record: &Record, cell: Cell) -> Result<Option<f64>, ()> {
    let number = match cell {
        Cell::Missing => return Ok(None),
        Cell::Integer(number) => number as f64,
        Cell::Number(number) => number,
        Cell::Bare(span) | Cell::Text(span) => {
            let text = record.text(span);
            match text.parse::<f64>() {
                Ok(number) => number,
                Err(_) if is_missing_mark(text) => return Ok(None),
                Err(_) => return Err(()),
            }
        }
        Cell::Days(_) | Cell::Bool(_) | Cell::List(_) => return Err(()),
    };
    if number.is_nan() {
        return Ok(None);
    }
    if number.abs() <= LARGEST { Ok(Some(number)) } else { Err(()) }
}

/// The date of a cell, in days since 1970.
pub(crate) fn date(record: &Record, cell: Cell) -> Result<Option<f64>, ()> {
    match cell {
        Cell::Missing => Ok(None),
        Cell::Days(days) => Ok(Some(days)),
        Cell::Bare(span) | Cell::Text(span) => {
            let text = record.text(span);
            match days_since_1970(text) {
                None if is_missing_mark(text) => Ok(None),
                days => days.map(Some).ok_or(()),
            }
        }
        Cell::Integer(_) | Cell::Number(_) | Cell::Bool(_) | Cell::List(_) => Err(()),
    }
}

/// What orders rows: a date or a number.
pub(crate) fn date_or_number(record: &Record, cell: Cell) -> Result<Option<f64>, ()> {
    date(record, cell).or_else(|()| number(record, cell))
}
