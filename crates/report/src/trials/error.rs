//! The errors of the store.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// The reason why the store could not be opened, or a unit not stored.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrialsError {
    /// A file system error.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The settings or a value have no JSON form, or their JSON does not read back as the same type.
    #[error("{what} cannot be kept as JSON: {source}")]
    Json {
        /// `settings`, or the unit.
        what: String,
        /// The reason.
        source: serde_json::Error,
    },
    /// The file is not a store of trials.
    #[error("{}: not a file of trials", path.display())]
    NotTrials {
        /// The file.
        path: PathBuf,
    },
    /// A complete line that is not a unit.
    #[error("{}:{line}:{column}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The reason.
        reason: String,
    },
    /// A line with the unit of an earlier one.
    #[error("{}:{line}: the unit {unit:?} is on an earlier line too", path.display())]
    Repeated {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The unit.
        unit: String,
    },
    /// Another process, or another store of this one, has the file open.
    #[error("{}: in use by another run", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The unit is already stored.
    #[error("unit {unit:?} is already there")]
    Duplicate {
        /// The unit.
        unit: String,
    },
}

/// The reason why a unit has no value.
#[derive(Debug, Error)]
pub enum WorkError<E> {
    /// The work failed.
    #[error(transparent)]
    Work(E),
    /// The work was done, but its value could not be stored.
    #[error(transparent)]
    Store(TrialsError),
}

impl<E: From<TrialsError>> WorkError<E> {
    /// The error of an experiment, from either variant.
    pub fn into_error(self) -> E {
        match self {
            Self::Work(error) => error,
            Self::Store(error) => error.into(),
        }
    }
}
