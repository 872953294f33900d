//! The errors of records.

use std::path::PathBuf;
use thiserror::Error;

/// The reason why a record could not be written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A file system error.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// Not JSON, or not of the form of a record.
    #[error("{}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: serde_json::Error,
    },
    /// JSON with another schema.
    #[error("{}: schema {found:?}, expected {expected:?}", path.display())]
    WrongSchema {
        /// The file.
        path: PathBuf,
        /// The schema in the file.
        found: String,
        /// The expected schema.
        expected: &'static str,
    },
    /// An unknown version.
    #[error("{}: version {found}, this program reads version {known}", path.display())]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// A number that is not finite, or a negative spread or duration.
    #[error("{cell}: {field} = {value}, which is not a number a record can hold")]
    BadNumber {
        /// Data set, method and metric, or the record itself.
        cell: String,
        /// The field.
        field: &'static str,
        /// The number.
        value: f64,
    },
    /// A row that is not the summary of the record's own trials.
    #[error(
        "{cell}: the row states mean {}, std {}, n {}; the trials give {}, {}, {}",
        stated.0, stated.1, stated.2, found.0, found.1, found.2
    )]
    RowDisagrees {
        /// Data set, method and metric.
        cell: String,
        /// The row's mean, standard deviation and number of trials.
        stated: (f64, f64, usize),
        /// Those of the trials.
        found: (f64, f64, usize),
    },
}
