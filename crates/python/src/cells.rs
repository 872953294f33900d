//! Rows of named cells: dicts one by one, and tables in one call.

use crate::arrays::vector;
use crate::errors::value;
use numpy::PyReadonlyArray1;
use off_policy::Value;
use off_policy::dates::{date_of_days, days_since_1970};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;

/// A cell of a row, with its text in Python's memory.
pub(crate) enum Cell<'py> {
    Number(f64),
    Truth(bool),
    Text(Bound<'py, PyString>),
    Date(Date),
    Missing,
}

/// A date or a time, as a data frame has it.
pub(crate) struct Date {
    /// Since 1970.
    days: f64,
    /// As ISO 8601 writes it.
    written: String,
}

impl<'py> Cell<'py> {
    /// Numbers, Boolean values, texts and dates; `None`, NaN and the missing values of pandas are missing.
    pub(crate) fn of(cell: Bound<'py, PyAny>, column: &dyn Display) -> PyResult<Self> {
        let number = |number: f64| if number.is_nan() { Self::Missing } else { Self::Number(number) };
        if let Ok(float) = cell.cast::<PyFloat>() {
            return Ok(number(float.extract()?));
        }
        if cell.is_none() {
            return Ok(Self::Missing);
        }
        let cell = match cell.cast_into::<PyString>() {
            Ok(text) => return Ok(Self::Text(text)),
            Err(other) => other.into_inner(),
        };
        if let Ok(is_true) = cell.cast::<PyBool>() {
            return Ok(Self::Truth(is_true.is_true()));
        }
        let kind = cell.get_type().name()?.to_string();
        match &*kind {
            "NAType" | "NaTType" => return Ok(Self::Missing),
            // Numpy's, in its versions.
            "bool" | "bool_" => return Ok(Self::Truth(cell.is_truthy()?)),
            _ => {}
        }
        // Those of numpy have a `__float__`, in a unit of their own.
        let is_of_numpy = kind == "datetime64" || kind == "timedelta64";
        if cell.cast::<PyInt>().is_ok() || (!is_of_numpy && cell.hasattr("__float__")?) {
            let found = cell.extract().map_err(|error: PyErr| {
                let is_too_large = error.is_instance_of::<PyOverflowError>(cell.py());
                if is_too_large {
                    value(format!("column {column}: a number is too large for a double"))
                } else {
                    error
                }
            });
            return Ok(number(found?));
        }
        let date = match &*kind {
            "datetime64" => Date::of_numpy(&cell.str()?.to_string()),
            _ if cell.hasattr("isoformat")? => Date::of(&cell.call_method0("isoformat")?.str()?.to_string()),
            _ => None,
        };
        match date {
            Some(date) => Ok(date),
            None => {
                let words = format!("column {column} holds {kind}, neither a number nor a text nor a date");
                Err(PyTypeError::new_err(words))
            }
        }
    }
}

impl Date {
    /// Of a text by ISO 8601; `None` for another one.
    fn of<'py>(text: &str) -> Option<Cell<'py>> {
        let days = days_since_1970(text)?;
        Some(Cell::Date(Self { days, written: date_of_days(days)? }))
    }

    /// Of what numpy writes: a year, a month, a day or a time; nothing for a time that is none.
    fn of_numpy<'py>(text: &str) -> Option<Cell<'py>> {
        match text.len() {
            3 if text == "NaT" => Some(Cell::Missing),
            4 => Self::of(&format!("{text}-01-01")),
            7 => Self::of(&format!("{text}-01")),
            // Hours alone.
            13 => Self::of(&format!("{text}:00")),
            _ => Self::of(text),
        }
    }
}

/// The cells of a dict.
pub(crate) fn cells<'py>(row: &Bound<'py, PyDict>) -> PyResult<Vec<(Bound<'py, PyString>, Cell<'py>)>> {
    // Python code of a key or a cell may change the dict, over which nobody goes then.
    let items: Vec<_> = row.iter().collect();
    let mut cells = Vec::with_capacity(items.len());
    for (name, cell) in items {
        let name = match name.cast_into::<PyString>() {
            Ok(name) => name,
            Err(other) => other.into_inner().str()?,
        };
        let cell = Cell::of(cell, &name)?;
        cells.push((name, cell));
    }
    Ok(cells)
}

/// The cells as a learner of a stream reads them: a truth value is a number, and a date the days since 1970.
pub(crate) fn read<'a>(cells: &'a [(Bound<'_, PyString>, Cell<'_>)]) -> PyResult<Vec<(&'a str, Value<'a>)>> {
    values(cells, |_| false, |date| Value::Number(date.days))
}

/// The cells as a schema reads them: a truth value is a label in the columns that have labels, and a date is
/// one in columns of dates and labels alone, as in a data frame.
pub(crate) fn read_by<'a>(
    cells: &'a [(Bound<'_, PyString>, Cell<'_>)],
    has_labels: impl Fn(&str) -> bool,
) -> PyResult<Vec<(&'a str, Value<'a>)>> {
    values(cells, has_labels, |date| Value::Text(&date.written))
}

fn values<'a>(
    cells: &'a [(Bound<'_, PyString>, Cell<'_>)],
    has_labels: impl Fn(&str) -> bool,
    of_date: impl Fn(&'a Date) -> Value<'a>,
) -> PyResult<Vec<(&'a str, Value<'a>)>> {
    let of = |(name, cell): &'a (Bound<'_, PyString>, Cell<'_>)| {
        let cell = match cell {
            Cell::Number(number) => Value::Number(*number),
            Cell::Truth(is_true) if has_labels(name.to_str()?) => {
                Value::Text(if *is_true { "true" } else { "false" })
            }
            Cell::Truth(is_true) => Value::Number(f64::from(u8::from(*is_true))),
            Cell::Text(text) => Value::Text(text.to_str()?),
            Cell::Date(date) => of_date(date),
            Cell::Missing => Value::Missing,
        };
        Ok((name.to_str()?, cell))
    };
    cells.iter().map(of).collect()
}

/// A column as Python hands it over: numbers, NaN where one is missing, or cells of any kind.
#[derive(FromPyObject)]
pub(crate) enum Column<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Cells(Bound<'py, PyList>),
}

/// Rows in Rust's memory, so that they are learnt from without Python's lock.
pub(crate) struct Table {
    columns: Vec<(String, Cells)>,
}

enum Cells {
    Numbers(Vec<f64>),
    /// Every text is kept once.
    Mixed(Vec<Kept>, Vec<String>),
}

#[derive(Clone, Copy)]
enum Kept {
    Number(f64),
    Text(usize),
    Missing,
}

impl Table {
    /// So many rows of these columns.
    ///
    /// # Errors
    /// `ValueError` for a column of another length, or a name that is there twice; `TypeError` for a cell
    /// that is neither a number nor a text.
    pub(crate) fn of(columns: Vec<(String, Column<'_>)>, rows: usize) -> PyResult<Self> {
        let mut names = HashSet::new();
        if let Some((twice, _)) = columns.iter().find(|(name, _)| !names.insert(name)) {
            return Err(value(format!("column {twice:?} is there twice")));
        }
        let columns = columns.into_iter().map(|(name, column)| {
            let cells = match column {
                Column::Numbers(numbers) => Cells::Numbers(vector(numbers)?),
                Column::Cells(cells) => Cells::mixed(&name, &cells)?,
            };
            match cells.len() {
                got if got == rows => Ok((name, cells)),
                got => Err(value(format!("column {name:?} has {got} cells, {rows} rows are expected"))),
            }
        });
        Ok(Self { columns: columns.collect::<PyResult<_>>()? })
    }

    /// The cells of a row.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (&str, Value<'_>)> {
        self.columns.iter().map(move |(name, cells)| (name.as_str(), cells.get(row)))
    }
}

impl Cells {
    fn mixed(name: &str, cells: &Bound<'_, PyList>) -> PyResult<Self> {
        let (mut kept, mut texts, mut places) = (Vec::with_capacity(cells.len()), Vec::new(), HashMap::new());
        for cell in cells {
            kept.push(match Cell::of(cell, &name)? {
                Cell::Number(number) => Kept::Number(number),
                Cell::Truth(is_true) => Kept::Number(f64::from(u8::from(is_true))),
                Cell::Date(date) => Kept::Number(date.days),
                Cell::Missing => Kept::Missing,
                Cell::Text(text) => {
                    let text = text.to_str()?;
                    let place = places.get(text).copied().unwrap_or(texts.len());
                    if place == texts.len() {
                        texts.push(text.to_owned());
                        places.insert(text.to_owned(), place);
                    }
                    Kept::Text(place)
                }
            });
        }
        Ok(Self::Mixed(kept, texts))
    }

    fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Mixed(cells, _) => cells.len(),
        }
    }

    fn get(&self, row: usize) -> Value<'_> {
        match self {
            Self::Numbers(numbers) if numbers[row].is_nan() => Value::Missing,
            Self::Numbers(numbers) => Value::Number(numbers[row]),
            Self::Mixed(cells, texts) => match cells[row] {
                Kept::Number(number) => Value::Number(number),
                Kept::Text(place) => Value::Text(&texts[place]),
                Kept::Missing => Value::Missing,
            },
        }
    }
}

/// Rows between two questions whether Ctrl-C was pressed; so few are not worth giving up the lock.
pub(crate) const BLOCK: usize = 1 << 10;

/// Works on rows in turn, without the lock where they are more than a block.
///
/// # Errors
/// `KeyboardInterrupt`; `ValueError` with the row that was refused.
pub(crate) fn in_turn<E: Display + Send>(
    py: Python<'_>,
    rows: usize,
    mut one: impl FnMut(usize) -> Result<(), E> + Send,
) -> PyResult<()> {
    for first in (0..rows).step_by(BLOCK) {
        let mut block = first..rows.min(first + BLOCK);
        let mut work = || block.try_for_each(|row| one(row).map_err(|error| (row, error)));
        let done = if rows > BLOCK { py.detach(work) } else { work() };
        done.map_err(|(row, error)| value(format!("row {row}: {error}")))?;
        py.check_signals()?;
    }
    Ok(())
}
