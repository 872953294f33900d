//! Comma- and tab-separated values.

use super::numbers::written;
use super::row::{Rows, Value};
use crate::FormatError;
use std::io::{self, Write};

pub(super) fn write(rows: &Rows<'_>, writer: &mut dyn Write, delimiter: char) -> Result<(), FormatError> {
    let io = |error: io::Error| FormatError::io(rows.file(), &error);
    let mut line = Line { text: String::new(), delimiter };
    rows.columns().iter().for_each(|column| line.cell(column.name()));
    line.cell(&rows.names.action);
    let names = [
        (rows.log.on_offer.is_some(), &rows.names.available),
        (rows.log.propensities.is_some(), &rows.names.propensity),
        (true, &rows.names.reward),
        (rows.log.time.is_some(), &rows.names.time),
    ];
    names.iter().filter(|(is_there, _)| *is_there).for_each(|(_, name)| line.cell(name));
    line.end(writer).map_err(io)?;
    let mut values = Vec::new();
    for row in 0..rows.len() {
        rows.fill(row, &mut values);
        for (column, value) in values.iter().enumerate() {
            match value {
                Value::Missing => line.cell(""),
                Value::Number(number) => line.cell(&written(*number)),
                Value::Date(days) => line.cell(&rows.date(row, column, *days)?),
                Value::Label(label) => line.cell(label),
            }
        }
        line.cell(rows.action(row));
        if let Some(names) = rows.available_names(row) {
            line.cell(&names.collect::<Vec<_>>().join(&rows.separator.to_string()));
        }
        if let Some(propensity) = rows.propensity(row) {
            line.cell(&written(propensity));
        }
        line.cell(&written(rows.reward(row)));
        if let Some(time) = rows.time(row) {
            line.cell(&written(time));
        }
        line.end(writer).map_err(io)?;
    }
    Ok(())
}

/// A line while it is written.
struct Line {
    text: String,
    delimiter: char,
}

impl Line {
    fn cell(&mut self, cell: &str) {
        if !self.text.is_empty() {
            self.text.push(self.delimiter);
        }
        let is_special = |letter: char| letter == self.delimiter || matches!(letter, '"' | '\n' | '\r');
        // An empty cell in front has to leave a trace, and so has a mark that is no byte order mark.
        let is_first_empty = self.text.is_empty() && cell.is_empty();
        if is_first_empty || cell.contains(is_special) || cell.starts_with('\u{feff}') {
            self.text.push('"');
            self.text.push_str(&cell.replace('"', "\"\""));
            self.text.push('"');
        } else {
            self.text.push_str(cell);
        }
    }

    fn end(&mut self, writer: &mut dyn Write) -> io::Result<()> {
        self.text.push('\n');
        writer.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }
}
