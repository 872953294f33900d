//! Errors of data files, folders and requests.

mod arff;
mod encode;
mod idx;
mod labels;

pub use arff::ArffProblem;
pub use encode::EncodeError;
pub use idx::IdxProblem;
pub use labels::LabelsError;

use crate::names::{Set, UnknownName};
use rows::RowError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a data set was not read. Lines and columns count from 1, as editors count them.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// A name that no data set has.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// The folder that was asked for explicitly is not there.
    #[error("{} is not a directory", directory.display())]
    NoSuchDirectory {
        /// The folder asked for.
        directory: PathBuf,
    },
    /// A folder holds a part of a data set only. Training on that part would not be the experiment.
    #[error("{} holds a part of {set} only: {missing} is not there", directory.display())]
    Incomplete {
        /// The data set.
        set: Set,
        /// The folder looked at.
        directory: PathBuf,
        /// The first file that is missing.
        missing: &'static str,
    },
    /// The operating system refused, or a compressed file is damaged.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A compressed file ends too soon.
    #[error("{}: the compressed file ends after line {line}, before its end mark", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The last complete line.
        line: u64,
    },
    /// The content of a file goes on behind the size that it may have: that of the official file, or 1 GiB
    /// for a compressed file of unknown size.
    #[error("{}: the content goes on behind {limit} bytes, its limit", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most bytes, uncompressed.
        limit: u64,
    },
    /// An order of more examples than can be held, or than 2³² − 1.
    #[error("an order of {n} examples is longer than can be held")]
    OrderTooLong {
        /// The number of examples.
        n: usize,
    },
    /// The content is not that of the official file.
    #[error("{}: SHA-256 of the content is {got}, the official file has {expected}", path.display())]
    WrongChecksum {
        /// The file.
        path: PathBuf,
        /// The official sum, hexadecimal.
        expected: String,
        /// The sum found.
        got: String,
    },
    /// No example in any of the files.
    #[error("{}: no rows", path.display())]
    NoRows {
        /// The first file.
        path: PathBuf,
    },
    /// A reader was called without a file.
    #[error("no file was named for {set}")]
    NoFiles {
        /// The data set.
        set: Set,
    },
    /// The header does not name the expected columns.
    #[error("{}: column {column} is headed {got:?}, not {expected:?}", path.display())]
    WrongHeader {
        /// The file.
        path: PathBuf,
        /// The column, from 1.
        column: usize,
        /// The name expected.
        expected: String,
        /// The name found.
        got: String,
    },
    /// A line with too many or too few columns.
    #[error("{}:{line}: {got} columns, expected {expected}", path.display())]
    ColumnCount {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Columns of the format.
        expected: usize,
        /// Columns found.
        got: usize,
    },
    /// An empty cell or a question mark in a column that has no missing values.
    #[error("{}:{line}: column {column} ({name}) is missing", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// The column's name.
        name: String,
    },
    /// A cell that is not a number up to 1e140 in magnitude.
    #[error("{}:{line}: column {column} ({name}) is {text:?}, not a number up to 1e140", path.display())]
    BadNumber {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// The column's name.
        name: String,
        /// The cell.
        text: String,
    },
    /// A category or class label that the data set does not have.
    #[error("{}:{line}: column {column} ({name}) has no category {text:?}", path.display())]
    UnknownCategory {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// The column's name.
        name: String,
        /// The cell.
        text: String,
    },
    /// A zip archive that is damaged, or that does not hold the one expected member.
    #[error("{}: {problem}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        problem: ArchiveProblem,
    },
    /// An ARFF file that is not as it should be.
    #[error("{}:{line}:{column}: {problem}", path.display())]
    Arff {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The byte of the line, from 1.
        column: usize,
        /// What is wrong there.
        problem: ArffProblem,
    },
    /// An IDX file that is not as it should be.
    #[error("{}, byte {offset}: {problem}", path.display())]
    Idx {
        /// The file.
        path: PathBuf,
        /// The byte of the uncompressed content, from 0.
        offset: u64,
        /// What is wrong there.
        problem: IdxProblem,
    },
    /// Labels that are not sets of classes, or too few or too many of them.
    #[error(transparent)]
    Labels(#[from] LabelsError),
    /// An example that is not there.
    #[error("example {row} is none of {rows}, which count from 0")]
    NoSuchExample {
        /// The example asked for.
        row: usize,
        /// The number of examples.
        rows: usize,
    },
    /// More examples than can be held, or than 2³² − 1.
    #[error("{rows} examples of {dimension} features are more than can be held")]
    TooManyExamples {
        /// The number asked for.
        rows: usize,
        /// The features of each.
        dimension: usize,
    },
    /// The rows do not make a matrix.
    #[error(transparent)]
    Rows(#[from] RowError),
    /// An encoder refused.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// What is wrong with a zip archive.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArchiveProblem {
    /// Not a zip archive, or cut short.
    #[error("not a complete zip archive")]
    Malformed,
    /// The archive does not hold exactly one file.
    #[error("the archive holds {count} files, expected one")]
    Members {
        /// How many.
        count: usize,
    },
    /// The one file has another name.
    #[error("the archive holds {got:?}, expected {expected:?}")]
    OtherMember {
        /// The name expected.
        expected: String,
        /// The name found.
        got: String,
    },
    /// A compression method other than "stored" and "deflate".
    #[error("compression method {method} is not supported")]
    Method {
        /// The method's number in the zip format.
        method: u16,
    },
    /// The file is larger than it may be.
    #[error("the unpacked file has {got} bytes, at most {limit} are unpacked")]
    TooLarge {
        /// The most bytes.
        limit: u64,
        /// The size the archive states.
        got: u64,
    },
    /// The archive holds more bytes or fewer than it states.
    #[error("the archive states {expected} unpacked bytes, unpacking stopped at {got}")]
    WrongSize {
        /// The size the archive states.
        expected: u64,
        /// The size found, or one byte more than was stated.
        got: u64,
    },
    /// The unpacked bytes differ from the packed ones.
    #[error("the unpacked content has CRC-32 {got:08x}, the archive states {expected:08x}")]
    WrongCrc {
        /// The sum the archive states.
        expected: u32,
        /// The sum found.
        got: u32,
    },
}
