//! Learners on disc.
//!
//! A saved file is two lines of JSON: a header with the format, its version, the kind of the learner and the
//! SHA-256 of the second line; and the learner. Doubles round-trip bit for bit, and random streams with their
//! position.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use thiserror::Error;

const FORMAT: &str = "boosting-as-oco learner";
const VERSION: u32 = 2;

/// An error of writing or reading a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SavedError {
    /// An error of the file system.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A learner that cannot be written as JSON, or a state that no constructor accepts.
    #[error("{}: {source}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: serde_json::Error,
    },
    /// A missing or foreign header.
    #[error("{}: not a {FORMAT} file", path.display())]
    NotASavedLearner {
        /// The file.
        path: PathBuf,
    },
    /// An unknown version.
    #[error("{}: format version {found}, this program reads version {VERSION}", path.display())]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: u32,
    },
    /// Another kind of learner than the one asked for.
    #[error("{}: holds a {found}, not a {expected}", path.display())]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// The kind asked for.
        expected: String,
        /// The kind in the file.
        found: String,
    },
    /// A truncated or changed state.
    #[error("{}: the checksum of the state does not match, the file is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    kind: String,
    sha256: String,
}

/// Writes a learner atomically: a reader finds either the old file or the new one.
///
/// ```
/// use boosters::saved::{load, save};
/// use oco_core::StepSchedule;
/// use weak_learners::{OgdLinear, Shape};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("learner.json");
/// let learner = OgdLinear::new(Shape { inputs: 3, outputs: 1 }, StepSchedule::constant(0.1)?, 1.0)?;
/// save(&path, "ogd-linear", &learner)?;
/// assert_eq!(load::<OgdLinear>(&path, "ogd-linear")?, learner);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SavedError::Io`], [`SavedError::State`]; an old file is then untouched.
pub fn save<T: Serialize>(path: &Path, kind: &str, learner: &T) -> Result<(), SavedError> {
    let state = |source| SavedError::State { path: path.to_owned(), source };
    let io = |source| SavedError::Io { path: path.to_owned(), source };
    let body = serde_json::to_string(learner).map_err(state)?;
    let (format, kind) = (FORMAT.to_owned(), kind.to_owned());
    let header = Header { format, version: VERSION, kind, sha256: checksum(&body) };
    let header = serde_json::to_string(&header).map_err(state)?;
    write_atomically(path, format!("{header}\n{body}\n").as_bytes()).map_err(io)
}

/// Writes bytes beside a path, syncs them and renames them to it: a reader finds either the old file or the
/// new one. What holds of links, devices and killed programs is said in `atomic-files`.
///
/// ```
/// use boosters::saved::write_atomically;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("model");
/// write_atomically(&path, b"one")?;
/// write_atomically(&path, b"two")?;
/// assert_eq!(std::fs::read(&path)?, b"two");
/// assert!(write_atomically(&path.join("below a file"), b"three").is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Those of the file system; an old file is then untouched.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), std::io::Error> {
    atomic_files::write(path, |file| file.write_all(bytes))
}

/// Reads a learner back and checks it as its constructor would.
///
/// # Errors
/// Every variant of [`SavedError`].
pub fn load<T: DeserializeOwned>(path: &Path, kind: &str) -> Result<T, SavedError> {
    let owned = || path.to_owned();
    let bytes = std::fs::read(path).map_err(|source| SavedError::Io { path: owned(), source })?;
    let text = String::from_utf8(bytes).map_err(|_| SavedError::Damaged { path: owned() })?;
    let not_ours = || SavedError::NotASavedLearner { path: owned() };
    let (first, body) = text.split_once('\n').ok_or_else(not_ours)?;
    let header: Header = serde_json::from_str(first).map_err(|_| not_ours())?;
    if header.format != FORMAT {
        return Err(not_ours());
    }
    if header.version != VERSION {
        return Err(SavedError::UnknownVersion { path: owned(), found: header.version });
    }
    if header.kind != kind {
        return Err(SavedError::WrongKind { path: owned(), expected: kind.to_owned(), found: header.kind });
    }
    let body = body.trim_end_matches('\n');
    if checksum(body) != header.sha256 {
        return Err(SavedError::Damaged { path: owned() });
    }
    serde_json::from_str(body).map_err(|source| SavedError::State { path: owned(), source })
}

fn checksum(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
