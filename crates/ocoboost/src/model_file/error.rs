//! What a model file refuses.

use std::path::PathBuf;
use thiserror::Error;

/// Why a file was not written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// An error of the file system.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// Bytes that do not begin as a model file does.
    #[error("not a model file: it does not begin with the magic number")]
    NotAModel,
    /// A version that this program does not read.
    #[error("model file of version {found}, this program reads version {readable}")]
    UnknownVersion {
        /// The version of the file.
        found: u32,
        /// The version that is read.
        readable: u32,
    },
    /// A file that ends before its end.
    #[error("the file ends after {got} bytes; {expected} are the least that it says it has")]
    Truncated {
        /// The bytes that there should be at least.
        expected: u64,
        /// The bytes that there are.
        got: u64,
    },
    /// A checksum that does not match.
    #[error("the checksum does not match: the file is damaged")]
    Damaged,
    /// A section that is missing, is there twice, or is unknown.
    #[error("section {section:?}: {reason}")]
    Section {
        /// The section.
        section: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A length that no honest file states.
    #[error("section {section:?} would inflate from {stored} to {raw} bytes, more than {limit}")]
    TooLarge {
        /// The section.
        section: String,
        /// Its bytes in the file.
        stored: u64,
        /// Its bytes when inflated, as stated.
        raw: u64,
        /// The most for so many stored bytes.
        limit: u64,
    },
    /// A state that no constructor accepts.
    #[error("section {section:?}: {reason}")]
    State {
        /// The section.
        section: String,
        /// What the constructor says.
        reason: String,
    },
    /// Another content than the one asked for.
    #[error("the file holds {found}, not {expected}")]
    OtherContent {
        /// What was asked for.
        expected: &'static str,
        /// What it holds.
        found: String,
    },
    /// A state that cannot be written as JSON.
    #[error("section {section:?} cannot be written: {reason}")]
    NotSerialisable {
        /// The section.
        section: String,
        /// The message of the writer.
        reason: String,
    },
}
