//! A stream of comma-separated values, record by record, with the places of its cells.

use super::ReadError;
use super::lines::{Fault, Lines, Misquoted};
use ::csv::{ByteRecord, Reader, ReaderBuilder};
use rows::numeric::LARGEST;
use std::collections::BTreeMap;
use std::io::{self, Read};

/// The records below a header of distinct names.
pub(super) struct Table<R: Read> {
    reader: Reader<Lines<R>>,
    header: Vec<String>,
    places: BTreeMap<String, usize>,
    record: ByteRecord,
}

impl<R: Read> Table<R> {
    pub(super) fn open(source: R) -> Result<Self, ReadError> {
        let lines = Lines::open(source).map_err(|error| failed(0, &error))?;
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(lines);
        let (header, places) = (Vec::new(), BTreeMap::new());
        let mut table = Self { reader, header, places, record: ByteRecord::new() };
        if !table.read()? {
            return Err(ReadError::NoHeader);
        }
        for (j, cell) in table.record.iter().enumerate() {
            let not_utf8 = |_| ReadError::NotUtf8 { line: table.line(), column: table.name(j) };
            let name = std::str::from_utf8(cell).map_err(not_utf8)?.trim().to_owned();
            // Columns without a name, as of row numbers, may be several: nobody asks for them.
            if table.places.insert(name.clone(), j).is_some() && !name.is_empty() {
                return Err(ReadError::DuplicateColumn { column: name });
            }
            table.header.push(name);
        }
        Ok(table)
    }

    pub(super) fn header(&self) -> &[String] {
        &self.header
    }

    /// The place of a column.
    pub(super) fn column(&self, name: &str) -> Result<usize, ReadError> {
        let place = self.places.get(name.trim()).copied();
        place.ok_or_else(|| ReadError::MissingColumn { column: name.to_owned() })
    }

    /// The next record; false behind the last one.
    pub(super) fn advance(&mut self) -> Result<bool, ReadError> {
        let more = self.read()?;
        let (expected, got) = (self.header.len(), self.record.len());
        if more && got != expected {
            return Err(ReadError::Ragged { line: self.line(), expected, got });
        }
        Ok(more)
    }

    fn read(&mut self) -> Result<bool, ReadError> {
        let read = self.reader.read_byte_record(&mut self.record);
        let lines = self.reader.get_ref();
        let read = read.map_err(|error| match error.into_kind() {
            ::csv::ErrorKind::Io(error) => failed(lines.last(), &error),
            // With flexible byte records, input and output is all that can fail.
            other => failed(lines.last(), &io::Error::other(format!("{other:?}"))),
        })?;
        let Some(Misquoted { cell, fault }) = lines.misquoted() else { return Ok(read) };
        let (line, column) = (lines.of_record(), self.name(cell));
        Err(match fault {
            Fault::Unclosed => ReadError::UnclosedQuote { line, column },
            Fault::Stray => ReadError::StrayQuote { line, column },
            Fault::TextBehind => ReadError::TextBehindQuote { line, column },
        })
    }

    /// The line on which the record begins.
    pub(super) fn line(&self) -> u64 {
        self.reader.get_ref().of_record()
    }

    /// The cell of column j, without the white space around it.
    pub(super) fn text(&self, j: usize) -> Result<&str, ReadError> {
        let cell = self.record.get(j).unwrap_or_default();
        let text = std::str::from_utf8(cell);
        let text = text.map_err(|_| ReadError::NotUtf8 { line: self.line(), column: self.name(j) })?;
        Ok(text.trim())
    }

    /// The number in column j, up to 1e140 in magnitude.
    pub(super) fn number(&self, j: usize) -> Result<f64, ReadError> {
        self.number_or(j, "a finite number")
    }

    /// The same of a context, which may be a column of labels that nobody named.
    pub(super) fn context_number(&self, j: usize) -> Result<f64, ReadError> {
        self.number_or(j, "a finite number (a column of labels has to be named as one)")
    }

    fn number_or(&self, j: usize, expected: &'static str) -> Result<f64, ReadError> {
        let number = self.text(j)?.parse::<f64>().ok().filter(|x| x.is_finite());
        let number = number.ok_or_else(|| self.bad(j, expected))?;
        if number.abs() <= LARGEST {
            Ok(number)
        } else {
            Err(self.bad(j, "a number up to 1e140 in magnitude"))
        }
    }

    /// The probability in column j, which is not 0.
    pub(super) fn propensity(&self, j: usize) -> Result<f64, ReadError> {
        let p = self.number(j)?;
        if p > 0.0 && p <= 1.0 { Ok(p) } else { Err(self.bad(j, "a propensity in (0, 1]")) }
    }

    /// The action in column j: a whole number below `actions`.
    pub(super) fn action(&self, j: usize, actions: usize) -> Result<u32, ReadError> {
        let text = self.text(j)?;
        let action = text.parse::<u32>().ok().filter(|a| (*a as usize) < actions);
        action.ok_or_else(|| self.unknown_action(j, text, actions))
    }

    /// Column j, or a part of its cell, does not name an action.
    pub(super) fn unknown_action(&self, j: usize, written: &str, actions: usize) -> ReadError {
        let (line, column, text) = (self.line(), self.name(j), written.to_owned());
        ReadError::UnknownAction { line, column, text, actions }
    }

    pub(super) fn bad(&self, j: usize, expected: &'static str) -> ReadError {
        ReadError::BadCell { line: self.line(), column: self.name(j), text: self.lossy(j), expected }
    }

    /// What column j is called; by its number where the header does not say.
    fn name(&self, j: usize) -> String {
        self.header.get(j).cloned().unwrap_or_else(|| format!("number {j}"))
    }

    fn lossy(&self, j: usize) -> String {
        String::from_utf8_lossy(self.record.get(j).unwrap_or_default()).trim().to_owned()
    }
}

fn failed(line: u64, error: &io::Error) -> ReadError {
    ReadError::Io { line, kind: error.kind(), message: error.to_string() }
}
