//! Where an answer goes: the standard output, or a file that appears whole or not at all.

use crate::arguments::Form;
use crate::failure::Failure;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Why an answer was not written to its end.
pub(super) enum Unwritten {
    Io(io::Error),
    Failed(Box<Failure>),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Failure> for Unwritten {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}

/// Writes an answer to a file, or to the standard output for `-` and for `None`. A closed pipe is no error:
/// whoever reads has read enough.
pub(super) fn write_to(
    target: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Unwritten>,
) -> Result<(), Failure> {
    match target.filter(|path| path.as_os_str() != "-") {
        Some(path) => atomic_files::write(path, |file| write(file)).map_err(|error| match error {
            Unwritten::Io(source) => Failure::WriteFile { path: path.to_owned(), source },
            Unwritten::Failed(failure) => *failure,
        }),
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            match write(&mut out).and_then(|()| Ok(out.flush()?)) {
                Err(Unwritten::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                Err(Unwritten::Io(error)) => Err(error.into()),
                Err(Unwritten::Failed(failure)) => Err(*failure),
                Ok(()) => Ok(()),
            }
        }
    }
}

/// A cell of a table.
pub(super) enum Cell {
    Text(String),
    Number(f64),
}

/// A table with a header as CSV, or as an object a row.
pub(super) struct Table<'a> {
    out: &'a mut dyn Write,
    /// The names of the columns, where a row is an object.
    names: Option<Vec<String>>,
}

impl<'a> Table<'a> {
    pub(super) fn new(out: &'a mut dyn Write, form: Form, names: Vec<String>) -> io::Result<Self> {
        if form == Form::Jsonl {
            return Ok(Self { out, names: Some(names) });
        }
        cells(out, names.iter().map(String::as_str))?;
        Ok(Self { out, names: None })
    }

    pub(super) fn row(&mut self, row: &[Cell]) -> io::Result<()> {
        if let Some(names) = &self.names {
            let value = |cell: &Cell| match cell {
                Cell::Text(text) => Value::from(text.as_str()),
                Cell::Number(number) => Value::from(*number),
            };
            let object: Map<String, Value> = names.iter().cloned().zip(row.iter().map(value)).collect();
            return writeln!(self.out, "{}", Value::Object(object));
        }
        cells(
            self.out,
            row.iter().map(|cell| match cell {
                Cell::Text(text) => Cow::Borrowed(text.as_str()),
                Cell::Number(number) => Cow::Owned(number.to_string()),
            }),
        )
    }
}

/// A line of cells as RFC 4180 has them.
pub(super) fn cells<T: AsRef<str>>(
    out: &mut dyn Write,
    cells: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    for (place, cell) in cells.into_iter().enumerate() {
        let (cell, comma) = (cell.as_ref(), if place == 0 { "" } else { "," });
        if cell.contains([',', '"', '\n', '\r']) {
            write!(out, "{comma}\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            write!(out, "{comma}{cell}")?;
        }
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;

    #[test]
    fn a_name_with_a_comma_or_a_mark_is_quoted() {
        let mut out = Vec::new();
        cells(&mut out, ["a,b", "c \"d\"", "e", ""]).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "\"a,b\",\"c \"\"d\"\"\",e,\n");
    }
}
