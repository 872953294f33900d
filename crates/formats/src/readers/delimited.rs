//! Comma- and tab-separated values, quoted as RFC 4180 says.
//!
//! The csv crate accepts any quotation mark and takes a cell that is not closed for one that ends with the
//! file. A log that lost a mark would then lose rows without a word. So the marks are followed here, and a
//! record of a damaged file has a bounded length.

use super::{ColumnNames, Records};
use crate::FormatError;
use crate::error::Place;
use crate::facts::Progress;
use crate::record::Record;
use crate::source::{End, Lines, Stream};

/// The records below a header of distinct names.
pub(super) struct Delimited {
    lines: Lines,
    delimiter: u8,
    names: ColumnNames,
    raw: Vec<u8>,
    row: u64,
    unnamed: usize,
}

/// What is wrong with the quotation marks of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Unclosed,
    Inside,
    Behind,
}

impl Delimited {
    pub(super) fn open(stream: Stream, delimiter: u8) -> Result<Self, FormatError> {
        let lines = Lines::new(stream);
        let names = ColumnNames::default();
        let mut own = Self { lines, delimiter, names, raw: Vec::new(), row: 0, unnamed: 0 };
        let Some(line) = own.read_record()? else {
            return Err(FormatError::Empty { file: own.lines.stream().name().clone() });
        };
        let place = own.lines.place(None, line);
        let limit = own.lines.stream().limits().columns;
        let mut cells: Vec<String> = Vec::new();
        let text = utf8(&own.raw, own.delimiter, &own.names, &place)?;
        let split = split(text, own.delimiter, |cell| cells.push(cell.trim().to_owned()));
        split.map_err(|fault| misquoted(fault, cells.len(), &own.names, &place))?;
        for (place_of_name, name) in cells.iter().enumerate() {
            if name.is_empty() {
                // Columns of row numbers have no name, and there may be several. A key of its own keeps the
                // places of the others; no cell has this character.
                own.unnamed += 1;
                let key = format!("\0{place_of_name}");
                own.names.place(&key, limit).ok_or_else(|| too_many(place.clone(), limit))?;
                continue;
            }
            let found = own.names.place(name, limit).ok_or_else(|| too_many(place.clone(), limit))?;
            if (found as usize) < place_of_name {
                return Err(FormatError::DuplicateColumn { place, column: name.clone() });
            }
        }
        Ok(own)
    }

    /// The next record that is not blank, in `raw`; the line on which it begins.
    fn read_record(&mut self) -> Result<Option<u64>, FormatError> {
        self.raw.clear();
        let mut begins = None;
        let mut marks = 0_usize;
        loop {
            let before = self.raw.len();
            let end = self.lines.read(&mut self.raw);
            let begun = *begins.get_or_insert(self.lines.line());
            marks += self.raw.get(before..).unwrap_or_default().iter().filter(|byte| **byte == b'"').count();
            let limit = self.lines.stream().limits().line_bytes;
            let is_too_long = self.raw.len() as u64 > limit;
            let ended = match end {
                Ok(ended) if !is_too_long => ended,
                refused => {
                    // A record is too long as a rule because a mark is missing; say so if it is.
                    let place = self.lines.place(Some(self.row + 1), begun);
                    self.check_marks(&place)?;
                    if let Err(error) = refused
                        && !matches!(error, FormatError::LineTooLong { .. })
                    {
                        return Err(error);
                    }
                    return Err(FormatError::LineTooLong { place, limit });
                }
            };
            match ended {
                None | Some(End::Stream) if self.raw.is_empty() => return Ok(None),
                None | Some(End::Stream) => return Ok(Some(begun)),
                Some(End::Line(_)) if marks.is_multiple_of(2) => {
                    if self.raw.is_empty() {
                        begins = None;
                        continue;
                    }
                    return Ok(Some(begun));
                }
                Some(End::Line(end)) => self.raw.extend_from_slice(end.as_bytes()),
            }
        }
    }

    /// Refuses a stray mark in what was read of a record.
    fn check_marks(&self, place: &Place) -> Result<(), FormatError> {
        let text = String::from_utf8_lossy(&self.raw);
        let mut cells = 0;
        match split(&text, self.delimiter, |_| cells += 1) {
            Err(fault @ (Fault::Inside | Fault::Behind)) => Err(misquoted(fault, cells, &self.names, place)),
            _ => Ok(()),
        }
    }
}

impl Records for Delimited {
    fn advance(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        record.clear();
        let Some(line) = self.read_record()? else { return Ok(false) };
        self.row += 1;
        (record.row, record.line) = (self.row, Some(line));
        let place = || self.lines.place(Some(self.row), line);
        let text = utf8(&self.raw, self.delimiter, &self.names, &place())?;
        let mut count = 0_u32;
        let found = split(text, self.delimiter, |cell| {
            let cell = record.bare_cell(cell);
            record.cells.push((count, cell));
            count = count.saturating_add(1);
        });
        found.map_err(|fault| misquoted(fault, count as usize, &self.names, &place()))?;
        let (expected, got) = (self.names.len(), count as usize);
        if got != expected {
            return Err(FormatError::Ragged { place: place(), expected, got });
        }
        Ok(true)
    }

    fn columns(&self) -> &ColumnNames {
        &self.names
    }

    fn has_header(&self) -> bool {
        true
    }

    fn progress(&self, rows: u64) -> Progress {
        self.lines.stream().progress(rows)
    }

    fn fingerprint(&mut self) -> Result<(u64, String), FormatError> {
        Ok(self.lines.stream().fingerprint())
    }

    fn notes(&self) -> Vec<String> {
        let unnamed = (self.unnamed > 0).then(|| {
            let columns = if self.unnamed == 1 { "1 column" } else { &format!("{} columns", self.unnamed) };
            format!("{columns} without a name left out")
        });
        unnamed.into_iter().collect()
    }
}

fn too_many(place: Place, limit: u64) -> FormatError {
    FormatError::TooMany { place, what: "columns", limit }
}

fn utf8<'a>(
    raw: &'a [u8],
    delimiter: u8,
    names: &ColumnNames,
    place: &Place,
) -> Result<&'a str, FormatError> {
    std::str::from_utf8(raw).map_err(|error| {
        let before = raw.get(..error.valid_up_to()).unwrap_or_default();
        let cell = before.iter().filter(|byte| **byte == delimiter).count();
        FormatError::NotUtf8 { place: place.clone(), column: Some(name(names, cell)) }
    })
}

fn misquoted(fault: Fault, cell: usize, names: &ColumnNames, place: &Place) -> FormatError {
    let column = name(names, cell);
    let stray = |fault| FormatError::StrayQuote { place: place.clone(), column: column.clone(), fault };
    match fault {
        Fault::Unclosed => FormatError::UnclosedQuote { place: place.clone(), column: column.clone() },
        Fault::Inside => stray("a quotation mark inside a cell"),
        Fault::Behind => stray("text behind the closing quotation mark"),
    }
}

/// What a column is called; by its number where the header does not say.
fn name(names: &ColumnNames, cell: usize) -> String {
    let name = u32::try_from(cell).map(|cell| names.name(cell)).unwrap_or_default();
    if name.is_empty() || name.starts_with('\0') { format!("number {}", cell + 1) } else { name.to_owned() }
}

/// Hands out the cells of a record.
fn split(text: &str, delimiter: u8, mut each: impl FnMut(&str)) -> Result<(), Fault> {
    let delimiter = char::from(delimiter);
    if !text.contains('"') {
        text.split(delimiter).for_each(each);
        return Ok(());
    }
    let (mut rest, mut unquoted) = (text, String::new());
    loop {
        // Blanks before a mark are white space around the cell, unless they are what separates cells.
        let cell = rest.trim_start_matches(|letter: char| letter != delimiter && letter.is_whitespace());
        if let Some(mut quoted) = cell.strip_prefix('"') {
            unquoted.clear();
            loop {
                let (part, behind) = quoted.split_once('"').ok_or(Fault::Unclosed)?;
                unquoted.push_str(part);
                match behind.strip_prefix('"') {
                    Some(more) => {
                        unquoted.push('"');
                        quoted = more;
                    }
                    None => {
                        rest = behind;
                        break;
                    }
                }
            }
            let (behind, more) = rest.split_once(delimiter).unzip();
            if !behind.unwrap_or(rest).trim().is_empty() {
                return Err(Fault::Behind);
            }
            each(&unquoted);
            match more {
                Some(more) => rest = more,
                None => return Ok(()),
            }
        } else {
            let (own, more) = rest.split_once(delimiter).unzip();
            let own = own.unwrap_or(rest);
            if own.contains('"') {
                return Err(Fault::Inside);
            }
            each(own);
            match more {
                Some(more) => rest = more,
                None => return Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Result<Vec<String>, Fault> {
        let mut found = Vec::new();
        split(text, b',', |cell| found.push(cell.to_owned())).map(|()| found)
    }

    #[test]
    fn cells_are_unquoted_as_the_standard_says() {
        let of = |list: &[&str]| Ok(list.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>());
        assert_eq!(cells("a,b,"), of(&["a", "b", ""]));
        assert_eq!(cells("\"a\",\"b,\"\"c\"\"\",\"\""), of(&["a", "b,\"c\"", ""]));
        assert_eq!(cells("\"\"\"\"\"\",x"), of(&["\"\"", "x"]));
        assert_eq!(cells(" \"a\" ,b"), of(&["a", "b"]));
        assert_eq!(cells("\"two\nlines\",b"), of(&["two\nlines", "b"]));
        assert_eq!(cells("a\"b,c"), Err(Fault::Inside));
        assert_eq!(cells("\"a\"b,c"), Err(Fault::Behind));
        assert_eq!(cells("\"a,c"), Err(Fault::Unclosed));
        assert_eq!(cells("\"a\"\",c"), Err(Fault::Unclosed));
    }
}
