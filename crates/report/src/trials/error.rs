//! Why a unit of work is not kept.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why the store could not be opened, or a unit not kept.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrialsError {
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The settings or a value have no JSON form, or one that does not read back as the value's type.
    #[error("{what} cannot be kept as JSON: {source}")]
    Json {
        /// `settings`, or the unit.
        what: String,
        /// The reason.
        source: serde_json::Error,
    },
    /// The file is of something else.
    #[error("{}: not a file of trials", path.display())]
    NotTrials {
        /// The file.
        path: PathBuf,
    },
    /// A complete line that is not a unit.
    #[error("{}:{line}: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The reason.
        source: serde_json::Error,
    },
    /// Another process, or another store of this one, has the file open.
    #[error("{}: in use by another run", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The unit is there already.
    #[error("unit {unit:?} is already there")]
    Duplicate {
        /// The unit.
        unit: String,
    },
}

/// Why a unit has no value.
#[derive(Debug, Error)]
pub enum WorkError<E> {
    /// The work failed.
    #[error(transparent)]
    Work(E),
    /// The work was done, but its value could not be kept.
    #[error(transparent)]
    Store(TrialsError),
}

impl<E: From<TrialsError>> WorkError<E> {
    /// The error of an experiment that has a place for both.
    pub fn into_error(self) -> E {
        match self {
            Self::Work(error) => error,
            Self::Store(error) => error.into(),
        }
    }
}
