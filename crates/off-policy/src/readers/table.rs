//! A stream of comma-separated values, record by record, with the places of its cells.

use super::ReadError;
use ::csv::{ByteRecord, Reader, ReaderBuilder};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};

/// The records below a header of distinct names.
pub(super) struct Table<R: Read> {
    reader: Reader<Lines<R>>,
    header: Vec<String>,
    places: BTreeMap<String, usize>,
    record: ByteRecord,
}

impl<R: Read> Table<R> {
    pub(super) fn open(source: R) -> Result<Self, ReadError> {
        let lines = Lines { source: BufReader::with_capacity(1 << 16, source), line: 0, last: b'\n' };
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(lines);
        let (header, places) = (Vec::new(), BTreeMap::new());
        let mut table = Self { reader, header, places, record: ByteRecord::new() };
        if !table.read()? {
            return Err(ReadError::NoHeader);
        }
        for (j, cell) in table.record.iter().enumerate() {
            let not_utf8 = |_| ReadError::NotUtf8 { line: table.line(), column: format!("number {j}") };
            let name = std::str::from_utf8(cell).map_err(not_utf8)?.trim().to_owned();
            if table.places.insert(name.clone(), j).is_some() {
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
        read.map_err(|error| {
            let message = error.to_string();
            let kind = match error.into_kind() {
                ::csv::ErrorKind::Io(error) => error.kind(),
                _ => io::ErrorKind::Other,
            };
            ReadError::Io { line: self.line(), kind, message }
        })
    }

    /// The line on which the record ends.
    pub(super) fn line(&self) -> u64 {
        self.reader.get_ref().line
    }

    /// The cell of column j, without the white space around it.
    pub(super) fn text(&self, j: usize) -> Result<&str, ReadError> {
        let cell = self.record.get(j).unwrap_or_default();
        let text = std::str::from_utf8(cell);
        let text = text.map_err(|_| ReadError::NotUtf8 { line: self.line(), column: self.name(j) })?;
        Ok(text.trim())
    }

    /// The finite number in column j.
    pub(super) fn number(&self, j: usize) -> Result<f64, ReadError> {
        let number = self.text(j)?.parse::<f64>().ok().filter(|x| x.is_finite());
        number.ok_or_else(|| self.bad(j, "a finite number"))
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

    /// What is written in column j, or in a part of the cell, is no action.
    pub(super) fn unknown_action(&self, j: usize, written: &str, actions: usize) -> ReadError {
        let (line, column, text) = (self.line(), self.name(j), written.to_owned());
        ReadError::UnknownAction { line, column, text, actions }
    }

    pub(super) fn bad(&self, j: usize, expected: &'static str) -> ReadError {
        ReadError::BadCell { line: self.line(), column: self.name(j), text: self.lossy(j), expected }
    }

    fn name(&self, j: usize) -> String {
        self.header.get(j).cloned().unwrap_or_default()
    }

    fn lossy(&self, j: usize) -> String {
        String::from_utf8_lossy(self.record.get(j).unwrap_or_default()).trim().to_owned()
    }
}

/// Hands out a line at most at a time and counts them, so that the reader behind it is never ahead of the record it
/// returns. (The position that a CSV record carries is where the search for it began: before blank lines.)
///
/// A line ends where a CSV record may: at \n, \r\n, or \r alone.
struct Lines<R> {
    source: BufReader<R>,
    line: u64,
    /// The last byte handed out; before the first, that of an end.
    last: u8,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ahead = self.source.fill_buf()?;
        let line = match ahead.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            Some(end) if ahead.get(end..end + 2) == Some(b"\r\n") => end + 2,
            Some(end) => end + 1,
            None => ahead.len(),
        };
        let n = line.min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..n), ahead.get(..n)) {
            to.copy_from_slice(from);
        }
        if let (Some(first), Some(last)) = (ahead.first(), n.checked_sub(1).and_then(|end| ahead.get(end))) {
            // A \n behind a \r that was handed out before belongs to the same end.
            let is_new = self.last == b'\n' || (self.last == b'\r' && *first != b'\n');
            self.line += u64::from(is_new);
            self.last = *last;
        }
        self.source.consume(n);
        Ok(n)
    }
}
