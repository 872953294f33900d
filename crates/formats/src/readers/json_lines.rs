//! An object of JSON a line. A name inside an object is written `outer.inner`.

use super::json::Json;
use super::{ColumnNames, Records};
use crate::FormatError;
use crate::error::Place;
use crate::facts::Progress;
use crate::record::{Cell, Record};
use crate::source::{Lines, Stream};

pub(super) struct JsonLines {
    lines: Lines,
    names: ColumnNames,
    raw: Vec<u8>,
    row: u64,
    /// The row of the last cell of each column.
    last: Vec<u64>,
}

impl JsonLines {
    pub(super) fn new(stream: Stream) -> Self {
        let (lines, names) = (Lines::new(stream), ColumnNames::default());
        Self { lines, names, raw: Vec::new(), row: 0, last: Vec::new() }
    }
}

impl Records for JsonLines {
    fn advance(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        record.clear();
        loop {
            self.raw.clear();
            if self.lines.read(&mut self.raw)?.is_none() {
                return Ok(false);
            }
            if !self.raw.iter().all(u8::is_ascii_whitespace) {
                break;
            }
        }
        let line = self.lines.line();
        self.row += 1;
        (record.row, record.line) = (self.row, Some(line));
        let place = self.lines.place(Some(self.row), line);
        let text = std::str::from_utf8(&self.raw)
            .map_err(|_| FormatError::NotUtf8 { place: place.clone(), column: None })?;
        let json = Json::parse(text).map_err(|message| bad_json(place.clone(), message))?;
        let Json::Object(members) = json else {
            return Err(FormatError::BadJson {
                place,
                message: "an object is expected in every line".into(),
            });
        };
        let limit = self.lines.stream().limits().columns;
        let mut flat =
            Flat { names: &mut self.names, last: &mut self.last, limit, place, path: String::new() };
        flat.members(&members, record)?;
        Ok(true)
    }

    fn columns(&self) -> &ColumnNames {
        &self.names
    }

    fn has_header(&self) -> bool {
        false
    }

    fn progress(&self, rows: u64) -> Progress {
        self.lines.stream().progress(rows)
    }

    fn fingerprint(&mut self) -> Result<(u64, String), FormatError> {
        Ok(self.lines.stream().fingerprint())
    }
}

fn bad_json(place: Place, message: String) -> FormatError {
    // Python writes it, and JSON has no such number.
    let hint =
        if message.starts_with("expected value") { "; NaN and Infinity are no JSON: write null" } else { "" };
    FormatError::BadJson { place, message: message + hint }
}

/// The members of an object and of those inside, as cells.
struct Flat<'a> {
    names: &'a mut ColumnNames,
    last: &'a mut Vec<u64>,
    limit: u64,
    place: Place,
    path: String,
}

impl Flat<'_> {
    fn members(
        &mut self,
        members: &[(std::borrow::Cow<'_, str>, Json<'_>)],
        record: &mut Record,
    ) -> Result<(), FormatError> {
        for (name, value) in members {
            let before = self.path.len();
            if before > 0 {
                self.path.push('.');
            }
            self.path.push_str(name.trim());
            match value {
                Json::Object(inside) => self.members(inside, record)?,
                value => {
                    let cell = cell(value, record);
                    self.cell(cell, record)?;
                }
            }
            self.path.truncate(before);
        }
        Ok(())
    }

    fn cell(&mut self, cell: Cell, record: &mut Record) -> Result<(), FormatError> {
        let too_many =
            || FormatError::TooMany { place: self.place.clone(), what: "names", limit: self.limit };
        let column = self.names.place(&self.path, self.limit).ok_or_else(too_many)?;
        if self.last.len() <= column as usize {
            self.last.resize(column as usize + 1, 0);
        }
        if let Some(last) = self.last.get_mut(column as usize)
            && std::mem::replace(last, record.row) == record.row
        {
            return Err(FormatError::DuplicateColumn {
                place: self.place.clone(),
                column: self.path.clone(),
            });
        }
        record.cells.push((column, cell));
        Ok(())
    }
}

fn cell(value: &Json<'_>, record: &mut Record) -> Cell {
    match value {
        // The items of an object in a list have no column of their own.
        Json::Null | Json::Object(_) => Cell::Missing,
        Json::Bool(value) => Cell::Bool(*value),
        Json::Integer(number) => Cell::Integer(*number),
        Json::Number(number) => Cell::Number(*number),
        Json::Text(text) => record.text_cell(text),
        Json::List(list) => {
            let items: Vec<Cell> = list
                .iter()
                .map(|item| if matches!(item, Json::List(_)) { Cell::Missing } else { cell(item, record) })
                .collect();
            Cell::List(record.list(items))
        }
    }
}
