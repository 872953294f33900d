//! What a reader or a writer refuses.

use crate::facts::Skipped;
use off_policy::{LogError, SchemaError};
use ranks::RankError;
use rows::RowError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::sync::Arc;
use thiserror::Error;

/// Where in a file something is: `log.csv, line 3`. Rows count from 1, without the header, and from 0 where
/// columns are in memory; lines count from 1, with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as the caller called it.
    pub file: Arc<str>,
    /// The row; `None` before the first one.
    pub row: Option<u64>,
    /// The line on which the row begins; `None` where a format has no lines.
    pub line: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        match (self.line, self.row) {
            (Some(line), _) => write!(f, ", line {line}"),
            (None, Some(row)) => write!(f, ", row {row}"),
            (None, None) => Ok(()),
        }
    }
}

/// A place, or a cell that was seen there, as ranks tell each other of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    file: String,
    row: Option<u64>,
    line: Option<u64>,
    pub(crate) value: String,
}

impl Seen {
    pub(crate) fn new(place: Place, value: &str) -> Self {
        let Place { file, row, line } = place;
        Self { file: file.to_string(), row, line, value: value.to_owned() }
    }

    pub(crate) fn place(&self) -> Place {
        Place { file: self.file.as_str().into(), row: self.row, line: self.line }
    }
}

/// Why a file was not read or written. Every message is one line and begins with the file.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The system refused.
    #[error("{file}: {message}")]
    Io {
        /// The file.
        file: Arc<str>,
        /// The kind of failure.
        kind: io::ErrorKind,
        /// What the system said.
        message: String,
    },
    /// Neither the name nor the first bytes say which format it is.
    #[error(
        "{file}: neither the name nor the content says which format this is; name it: csv, tsv, json-lines, \
         parquet, arrow, vw, vw-eval, dsjson or open-bandit"
    )]
    UnknownFormat {
        /// The file.
        file: Arc<str>,
    },
    /// A file to write, whose name does not say in which format.
    #[error(
        "{file}: the end of the name does not say which format to write; there are .csv, .tsv, .jsonl, .parquet, \
         .arrow and .vw, each also with .gz or .zst"
    )]
    UnknownEnding {
        /// The file.
        file: Arc<str>,
    },
    /// A format that cannot hold what is asked for.
    #[error("{file}: {format} {reason}")]
    WrongFormat {
        /// The file.
        file: Arc<str>,
        /// The format.
        format: &'static str,
        /// What it lacks.
        reason: &'static str,
    },
    /// Nothing to read.
    #[error("there is no file to read")]
    NoFile,
    /// A file of several whose format does not go with that of the first.
    #[error("{file}: {format} cannot be read as one log with {first}, which is {first_format}")]
    OtherFormat {
        /// The file.
        file: Arc<str>,
        /// Its format.
        format: &'static str,
        /// The first file.
        first: Arc<str>,
        /// Its format.
        first_format: &'static str,
    },
    /// A file of several without a column of the first.
    #[error("{file}: there is no column {}, and {first} has one", quoted(.column))]
    ColumnOfFirst {
        /// The file.
        file: Arc<str>,
        /// The column.
        column: String,
        /// The first file.
        first: Arc<str>,
    },
    /// A file of several with a column that the first lacks.
    #[error(
        "{file}: there is a column {}, and {first} has none; leave it out or add it", quoted(.column)
    )]
    ColumnNotOfFirst {
        /// The file.
        file: Arc<str>,
        /// The column.
        column: String,
        /// The first file.
        first: Arc<str>,
    },
    /// No byte.
    #[error("{file}: the file is empty")]
    Empty {
        /// The file.
        file: Arc<str>,
    },
    /// No row, or only such as are skipped.
    #[error("{file}: there is no row to read{}", reasons(.skipped))]
    NoRows {
        /// The file.
        file: Arc<str>,
        /// What was skipped.
        skipped: Vec<Skipped>,
    },
    /// A compressed, Parquet or Arrow file that ends early or whose bytes are not what they were.
    #[error("{place}: the {format} data are damaged or cut off: {message}")]
    Damaged {
        /// Where, as far as rows were read.
        place: Place,
        /// gzip, zstd, Parquet or Arrow.
        format: &'static str,
        /// What the decoder said.
        message: String,
    },
    /// Bytes that decompress to more than a log would.
    #[error("{file}: {bytes} bytes decompress to more than {limit}: this is no log")]
    DecompressesTooFar {
        /// The file.
        file: Arc<str>,
        /// Compressed bytes so far.
        bytes: u64,
        /// The largest number of decompressed bytes.
        limit: u64,
    },
    /// A line or record that is longer than any is read.
    #[error("{place}: longer than {limit} bytes")]
    LineTooLong {
        /// The line.
        place: Place,
        /// The largest number of bytes.
        limit: u64,
    },
    /// More rows, columns or cells than the bytes of the file account for, or than can be numbered.
    #[error("{place}: more than {limit} {what}")]
    TooMany {
        /// Where.
        place: Place,
        /// What there is too much of.
        what: &'static str,
        /// The largest number.
        limit: u64,
    },
    /// A column that was asked for, or that the model was learnt with.
    #[error("{file}: there is no column {}; there are {}", quoted(.column), listed(.columns))]
    MissingColumn {
        /// The file.
        file: Arc<str>,
        /// The column.
        column: String,
        /// The columns there are.
        columns: Vec<String>,
    },
    /// Two columns of one name.
    #[error("{place}: two columns are called {}", quoted(.column))]
    DuplicateColumn {
        /// The header, or the line of the object.
        place: Place,
        /// The name.
        column: String,
    },
    /// A column that was asked for in two roles.
    #[error("column {} is asked for as {first} and as {second}", quoted(.column))]
    ColumnAskedTwice {
        /// The name.
        column: String,
        /// One role.
        first: &'static str,
        /// The other role.
        second: &'static str,
    },
    /// Neither a reward nor a cost was named, and no column is called `reward`. The sign is never guessed.
    #[error(
        "{file}: there is no column \"reward\"; name the column of the rewards or of the costs; \
         there are {}", listed(.columns)
    )]
    NoOutcome {
        /// The file.
        file: Arc<str>,
        /// The columns there are.
        columns: Vec<String>,
    },
    /// Bytes that are no text.
    #[error("{place}{}: not UTF-8", in_column(.column))]
    NotUtf8 {
        /// Where.
        place: Place,
        /// The column, where it is known.
        column: Option<String>,
    },
    /// A quoted cell that the file ends in.
    #[error("{place}, column {}: the quotation mark of the cell is not closed", quoted(.column))]
    UnclosedQuote {
        /// Where the record begins.
        place: Place,
        /// The column.
        column: String,
    },
    /// A quotation mark inside a bare cell, or text behind a closing one.
    #[error("{place}, column {}: {fault}; quote the whole cell and double the marks inside it", quoted(.column))]
    StrayQuote {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// A mark inside a cell, or text behind one.
        fault: &'static str,
    },
    /// A line of another number of cells than the header.
    #[error("{place}: {got} cells, the header has {expected}")]
    Ragged {
        /// The line.
        place: Place,
        /// Cells of the header.
        expected: usize,
        /// Cells of the line.
        got: usize,
    },
    /// A cell outside what its column holds.
    #[error("{place}, column {}: {} is not {expected}", quoted(.column), quoted(.value))]
    BadCell {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// The cell.
        value: String,
        /// What was expected.
        expected: &'static str,
    },
    /// An empty cell where there must be a value.
    #[error("{place}, column {}: the value is missing{hint}", quoted(.column))]
    MissingCell {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// What to do.
        hint: &'static str,
    },
    /// A column of numbers or dates with a text in it, and too many values to be labels.
    #[error("{place}, column {}: {} is not {expected} as the other cells are; correct it, leave the \
         column out, or read it as labels", quoted(.column), quoted(.value))]
    MixedColumn {
        /// The first text.
        place: Place,
        /// The column.
        column: String,
        /// The text.
        value: String,
        /// A number or a date.
        expected: &'static str,
    },
    /// No column is left for the contexts.
    #[error("{file}: no column is left to learn from{}", because(.left_out))]
    NoContexts {
        /// The file.
        file: Arc<str>,
        /// What was left out, and why.
        left_out: Vec<String>,
    },
    /// A log in which nothing was chosen.
    #[error("{file}, column {}: every row has the action {}; there is nothing to choose", quoted(.column), quoted(.action))]
    OneAction {
        /// The file.
        file: Arc<str>,
        /// The column.
        column: String,
        /// The action.
        action: String,
    },
    /// An action that the model, or the format, does not know.
    #[error("{place}, column {}: {} is not one of the {actions} known actions", quoted(.column), quoted(.value))]
    UnknownAction {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// The action.
        value: String,
        /// |A|.
        actions: usize,
    },
    /// A class that the model does not know.
    #[error("{place}, column {column:?}: {value:?} is not one of the {classes} classes that are known")]
    UnknownClass {
        /// Where.
        place: Place,
        /// The column of the class.
        column: String,
        /// The class.
        value: String,
        /// How many are known.
        classes: usize,
    },
    /// A logged action that is not on the list of those on offer.
    #[error("{place}, column {}: the action {} is not among those on offer", quoted(.column), quoted(.value))]
    NotOnOffer {
        /// Where.
        place: Place,
        /// The column of the action.
        column: String,
        /// The action.
        value: String,
    },
    /// Actions with features of their own.
    #[error("{place}: the actions have features of their own ({}), which are not used here; \
         leave those out to go by the contexts alone", quoted(.feature))]
    ActionFeatures {
        /// The first one.
        place: Place,
        /// A feature.
        feature: String,
    },
    /// The same of a log that several ranks read.
    #[error(
        "{place}: the actions have features of their own ({}), which several processes do not train on, and one \
         does; leave those out to go by the contexts alone", quoted(.feature)
    )]
    FeaturesOfRanks {
        /// The first one of a rank.
        place: Place,
        /// A feature.
        feature: String,
    },
    /// A line that is not JSON.
    #[error("{place}: not JSON: {message}")]
    BadJson {
        /// The line.
        place: Place,
        /// What is wrong.
        message: String,
    },
    /// A line that is not what its format has.
    #[error("{place}: {} is not {expected}", quoted(.value))]
    BadSyntax {
        /// The line.
        place: Place,
        /// The part of the line.
        value: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A column of a type that no coordinate is made of.
    #[error("{file}: column {} holds {found}, which cannot be read as {role}", quoted(.column))]
    ColumnType {
        /// The file.
        file: Arc<str>,
        /// The column.
        column: String,
        /// Its type.
        found: String,
        /// What it was asked for as.
        role: &'static str,
    },
    /// A log without propensities, where they are needed.
    #[error(
        "the log has no propensities: name their column, or estimate them before a policy is learnt or judged"
    )]
    NoPropensities,
    /// Rows of different weights, which a log cannot hold.
    #[error(
        "the rows have different weights (from pdrop), which a log cannot hold; leave the weights out to \
         count every row once"
    )]
    Weights,
    /// An option outside its domain.
    #[error("{name} = {} is not {expected}", quoted(.value))]
    BadOption {
        /// The option.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it had to be.
        expected: &'static str,
    },
    /// The caller stopped the reading.
    #[error("stopped after {rows} rows")]
    Interrupted {
        /// Rows that were read.
        rows: u64,
    },
    /// An error that another rank has met: it names the file and the line. This rank stops with it.
    #[error("rank {rank}: {message}")]
    OtherRank {
        /// Its number.
        rank: usize,
        /// What its error says.
        message: String,
    },
    /// A log of several ranks in a stream, whose bytes one process alone can have.
    #[error(
        "{file}: several processes read files on a disk, which this is not; write it to one, or use one process"
    )]
    StreamOfRanks {
        /// The stream.
        file: Arc<str>,
    },
    /// A log of another number of files on another rank.
    #[error("rank {rank} was given {found} files, and rank 0 {expected}; the ranks must have the same files")]
    OtherFiles {
        /// The other rank.
        rank: usize,
        /// The files of rank 0.
        expected: usize,
        /// Those of the other one.
        found: usize,
    },
    /// A file that two ranks see differently, as copies on two machines may be.
    #[error(
        "{file}: rank {rank} has a file of {found} bytes, and rank 0 has one of {expected}; the ranks must have \
         the same files"
    )]
    OtherCopy {
        /// The file of rank 0.
        file: Arc<str>,
        /// The other rank.
        rank: usize,
        /// The bytes of rank 0.
        expected: u64,
        /// Those of the other one.
        found: u64,
    },
    /// The ranks could not go on together.
    #[error(transparent)]
    Ranks(#[from] RankError),
    /// The rows do not make a matrix.
    #[error(transparent)]
    Rows(#[from] RowError),
    /// The columns do not make a log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The columns do not make a schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

impl FormatError {
    /// A failure of the system, or of a decoder that speaks like it.
    pub(crate) fn io(file: &Arc<str>, error: &io::Error) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            // A source below a decoder knows better what is wrong.
            Some(own) => own.clone(),
            None => Self::Io { file: file.clone(), kind: error.kind(), message: error.to_string() },
        }
    }
}

/// A name or a cell as messages have it: in quotation marks, on one line, and not longer than one can read.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// `"age", "device" and 3 more`.
pub(crate) fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut text = names.iter().take(SHOWN).map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => text.push_str("no columns"),
        n if n > SHOWN => text.push_str(&format!(" and {} more", n - SHOWN)),
        _ => {}
    }
    text
}

fn in_column(column: &Option<String>) -> String {
    column.as_ref().map(|column| format!(", column {}", quoted(column))).unwrap_or_default()
}

fn reasons(skipped: &[Skipped]) -> String {
    let reasons: Vec<String> = skipped.iter().map(ToString::to_string).collect();
    if reasons.is_empty() { String::new() } else { format!(" (skipped: {})", reasons.join("; ")) }
}

fn because(notes: &[String]) -> String {
    if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_the_beginning_of_a_long_cell_on_one_line() {
        let place = Place { file: "log.csv".into(), row: Some(1), line: Some(2) };
        let (column, value) = ("a\nb".to_owned(), "é".repeat(1_000_000));
        let message = FormatError::BadCell { place, column, value, expected: "a number" }.to_string();
        let shown = "é".repeat(80);
        assert_eq!(message, format!("log.csv, line 2, column \"a\\nb\": \"{shown}\"… is not a number"));
        assert_eq!([quoted(&shown), quoted("")], [format!("\"{shown}\""), "\"\"".to_owned()]);
    }
}
