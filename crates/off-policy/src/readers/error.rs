//! What a reader refuses.

use crate::{LogError, SchemaError};
use rows::RowError;
use std::io;
use thiserror::Error;

/// Why a stream was not read as a log. Lines count from 1, the header included, and end with \n, \r\n or \r
/// alone. A record may span several: the number is that of the line on which the record begins, wherever in
/// it the fault is.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The stream failed.
    #[error("reading failed after line {line}: {message}")]
    Io {
        /// The last line that was read.
        line: u64,
        /// The kind of failure.
        kind: io::ErrorKind,
        /// What the stream said.
        message: String,
    },
    /// Not even a header.
    #[error("the stream is empty")]
    NoHeader,
    /// A header and no row.
    #[error("no row follows the header")]
    NoRows,
    /// A column that was asked for.
    #[error("there is no column {column:?}")]
    MissingColumn {
        /// Its name.
        column: String,
    },
    /// Two columns of one name.
    #[error("two columns are called {column:?}")]
    DuplicateColumn {
        /// The name.
        column: String,
    },
    /// A column that was asked for in two places.
    #[error("column {column:?} is asked for twice")]
    ColumnAskedTwice {
        /// Its name.
        column: String,
    },
    /// A column that the other streams do not have.
    #[error("column {column:?} is in this stream and not in the first")]
    UnexpectedColumn {
        /// Its name.
        column: String,
    },
    /// No column is left for the contexts.
    #[error("there is no column of contexts")]
    NoContexts,
    /// A column of labels that is missing from the contexts.
    #[error("column {column:?} of labels is not one of the contexts")]
    NotAContext {
        /// Its name.
        column: String,
    },
    /// The same label twice among those known.
    #[error("label {label:?} of column {column:?} is known twice")]
    DuplicateLabel {
        /// The column.
        column: String,
        /// The label.
        label: String,
    },
    /// A quoted cell that the stream ends in: its closing mark is missing, and what follows is not known to
    /// be its text.
    #[error("line {line}, column {column:?}: the quotation mark of the cell is not closed")]
    UnclosedQuote {
        /// The line on which the record begins.
        line: u64,
        /// The column.
        column: String,
    },
    /// A quotation mark inside a bare cell, perhaps half of a pair.
    #[error(
        "line {line}, column {column:?}: a quotation mark inside a cell; \
         put the whole cell into quotation marks, and two for each that is meant"
    )]
    StrayQuote {
        /// The line on which the record begins.
        line: u64,
        /// The column.
        column: String,
    },
    /// Text, other than blanks, between the closing quotation mark of a cell and its end.
    #[error("line {line}, column {column:?}: text behind the closing quotation mark of the cell")]
    TextBehindQuote {
        /// The line on which the record begins.
        line: u64,
        /// The column.
        column: String,
    },
    /// A line of another number of cells than the header.
    #[error("line {line}: {got} cells, the header has {expected}")]
    Ragged {
        /// The line.
        line: u64,
        /// Cells of the header.
        expected: usize,
        /// Cells of the line.
        got: usize,
    },
    /// A cell that is not UTF-8.
    #[error("line {line}, column {column:?}: not UTF-8")]
    NotUtf8 {
        /// The line.
        line: u64,
        /// The column.
        column: String,
    },
    /// A cell outside what its column holds.
    #[error("line {line}, column {column:?}: {text:?} is not {expected}")]
    BadCell {
        /// The line.
        line: u64,
        /// The column.
        column: String,
        /// The cell.
        text: String,
        /// What was expected.
        expected: &'static str,
    },
    /// An action outside the known ones.
    #[error("line {line}, column {column:?}: {text:?} is not one of {actions} actions")]
    UnknownAction {
        /// The line.
        line: u64,
        /// The column.
        column: String,
        /// The cell.
        text: String,
        /// |A|.
        actions: usize,
    },
    /// The same label for two actions.
    #[error("two actions are called {label:?}")]
    DuplicateAction {
        /// The label.
        label: String,
    },
    /// An item that is listed twice, or in a gap of the numbering.
    #[error("line {line}: item {item} does not follow item {before}")]
    ItemOrder {
        /// The line.
        line: u64,
        /// The item.
        item: usize,
        /// The number of items before it.
        before: usize,
    },
    /// One of several streams.
    #[error("stream {stream}: {error}")]
    Stream {
        /// Which one, from 0.
        stream: usize,
        /// What is wrong with it.
        error: Box<ReadError>,
    },
    /// The rows do not make a matrix.
    #[error(transparent)]
    Rows(#[from] RowError),
    /// The columns do not make a log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// Contexts to predict for, by columns that leave something to the order of the table.
    #[error("{what} are not named: read contexts by the columns of the log that the policy was learnt from")]
    NotCoded {
        /// What would be numbered by this table alone.
        what: String,
    },
    /// The columns do not make a schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}
