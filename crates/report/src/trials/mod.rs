//! Finished units of work on disc, from which a stopped experiment resumes.
//!
//! The file is append-only JSON lines. The first line holds a fingerprint of the settings; each further line
//! holds one unit and is on the disc before [`Trials::put`] returns. A run with other settings moves the file
//! aside and starts afresh; a last line cut off by a kill is dropped.

mod error;

pub use error::{TrialsError, WorkError};

use crate::progress::Stage;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const FORMAT: &str = "experiment-trials 1";
/// How often, and after which pause, a locked file is tried again.
const ATTEMPTS: u32 = 25;
const PAUSE: Duration = Duration::from_millis(10);
/// The beginning of the first line, for all settings.
const OPENING: &[u8] = b"{\"format\":\"experiment-trials";

/// The store. Workers share it by reference.
///
/// ```
/// use report::trials::Trials;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("trials.jsonl");
/// let trials = Trials::<f64>::open(&path, &("rounds", 100))?;
/// assert_eq!(*trials.get_or_try_run("abalone/0", || Ok::<_, std::io::Error>(0.5)).unwrap(), 0.5);
/// drop(trials);
/// // Another process, later: the unit is there and its work is not repeated.
/// let trials = Trials::<f64>::open(&path, &("rounds", 100))?;
/// assert_eq!(trials.get("abalone/0").as_deref(), Some(&0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Trials<T> {
    path: PathBuf,
    inner: Mutex<Inner<T>>,
}

#[derive(Debug)]
struct Inner<T> {
    file: File,
    /// The length of the file's complete lines. Bytes after it are the remains of a failed write.
    complete: u64,
    units: HashMap<String, Arc<T>>,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Header {
    format: String,
    fingerprint: String,
}

#[derive(Serialize, Deserialize)]
struct Line<V> {
    unit: String,
    value: V,
}

impl<T: Serialize + DeserializeOwned> Trials<T> {
    /// Opens the store at `path`. `key` holds all inputs that determine the value of a unit. A file written
    /// under another key is renamed: to a name that ends in `.old`, or in `.old2` and so on if that is taken.
    ///
    /// # Errors
    /// Every variant of [`TrialsError`] but `Duplicate`; the file is as before, or has its new name.
    pub fn open(path: &Path, key: &impl Serialize) -> Result<Self, TrialsError> {
        let io = |source| TrialsError::Io { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        let header = Header { format: FORMAT.to_owned(), fingerprint: fingerprint(key)? };
        let opening = json("settings", &header)?;
        let mut file = open_locked(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let mut lines = bytes.get(..complete).unwrap_or_default().split_inclusive(|&byte| byte == b'\n');
        let same = match lines.next() {
            // An empty file, or a file whose writer was killed within the first line. What is longer than the
            // line is another file, or one without its ends of lines.
            None if OPENING.starts_with(&bytes)
                || (bytes.starts_with(OPENING) && bytes.len() < opening.len()) =>
            {
                None
            }
            None => return Err(TrialsError::NotTrials { path: path.to_owned() }),
            Some(first) => match serde_json::from_slice::<Header>(first) {
                Ok(found) if found.format == FORMAT => Some(found == header),
                _ => return Err(TrialsError::NotTrials { path: path.to_owned() }),
            },
        };
        let mut units = HashMap::new();
        if same == Some(true) {
            for (index, line) in lines.enumerate() {
                let damaged = |error: serde_json::Error| {
                    // The place that its text names is within the line.
                    let text = error.to_string();
                    let reason =
                        text.rsplit_once(" at line ").map_or(&text[..], |(reason, _)| reason).to_owned();
                    let (line, column) = (index + 2, error.column().max(1));
                    TrialsError::Damaged { path: path.to_owned(), line, column, reason }
                };
                let Line { unit, value } = serde_json::from_slice(line).map_err(damaged)?;
                if units.contains_key(&unit) {
                    return Err(TrialsError::Repeated { path: path.to_owned(), line: index + 2, unit });
                }
                units.insert(unit, Arc::new(value));
            }
        } else if same == Some(false) {
            std::fs::rename(path, aside(path).map_err(io)?).map_err(io)?;
            file = open_locked(path)?;
        }
        let complete = if same == Some(true) { complete as u64 } else { 0 };
        let mut inner = Inner { file, complete, units };
        if inner.complete == 0 {
            inner.append(&opening).map_err(io)?;
        }
        Ok(Self { path: path.to_owned(), inner: Mutex::new(inner) })
    }

    /// Opens the store of an experiment in `folder`. Its file is named after the experiment and its settings,
    /// so that a quick run never displaces the trials of a long one.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn of_experiment(
        folder: &Path,
        experiment: &str,
        settings: &impl Serialize,
    ) -> Result<Self, TrialsError> {
        let settings_json = json("settings", settings)?;
        let digest = Sha256::digest(settings_json.trim_ascii_end());
        let short: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        Self::open(&folder.join(format!("{experiment}-{short}.trials")), settings)
    }

    /// The value of a finished unit.
    #[must_use]
    pub fn get(&self, unit: &str) -> Option<Arc<T>> {
        self.lock().units.get(unit).cloned()
    }

    /// Stores the value of a unit; it is on the disc when this returns.
    ///
    /// # Errors
    /// [`TrialsError::Duplicate`]; [`TrialsError::Json`] for a value that would not read back, such as a NaN,
    /// which JSON does not have; [`TrialsError::Io`]. The store is as before.
    pub fn put(&self, unit: &str, value: T) -> Result<Arc<T>, TrialsError> {
        let line = json(unit, &Line { unit: unit.to_owned(), value: &value })?;
        serde_json::from_slice::<Line<T>>(&line)
            .map_err(|source| TrialsError::Json { what: unit.to_owned(), source })?;
        let mut inner = self.lock();
        if inner.units.contains_key(unit) {
            return Err(TrialsError::Duplicate { unit: unit.to_owned() });
        }
        inner.append(&line).map_err(|source| TrialsError::Io { path: self.path.clone(), source })?;
        let value = Arc::new(value);
        inner.units.insert(unit.to_owned(), Arc::clone(&value));
        Ok(value)
    }

    /// The value of a unit: the stored one, or else the result of the work, which is then stored. The work
    /// runs without a lock, so workers run in parallel as long as no two request the same unit.
    ///
    /// # Errors
    /// That of the work, or that of [`put`](Self::put).
    pub fn get_or_try_run<E>(
        &self,
        unit: &str,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, WorkError<E>> {
        if let Some(value) = self.get(unit) {
            return Ok(value);
        }
        let value = work().map_err(WorkError::Work)?;
        self.put(unit, value).map_err(WorkError::Store)
    }

    /// [`get_or_try_run`](Self::get_or_try_run) for a unit of a stage, which counts the unit as resumed or as
    /// done.
    ///
    /// # Errors
    /// That of the work, or that of [`put`](Self::put).
    pub fn kept_or_run<E: From<TrialsError>>(
        &self,
        unit: &str,
        stage: &Stage,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(kept) = self.get(unit) {
            stage.resume(1);
            return Ok(kept);
        }
        let value = self.get_or_try_run(unit, work).map_err(WorkError::into_error)?;
        stage.done(1);
        Ok(value)
    }

    /// The number of finished units.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().units.len()
    }

    /// Whether no unit is finished.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Locks the content. No code here panics while it holds the lock, and the content is consistent after
    /// every statement.
    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Inner<T> {
    /// Writes a line after the last complete one.
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.file.metadata()?.len() != self.complete {
            self.file.set_len(self.complete)?;
        }
        self.file.seek(SeekFrom::Start(self.complete))?;
        self.file.write_all(line)?;
        self.file.sync_data()?;
        self.complete += line.len() as u64;
        Ok(())
    }
}

/// Opens or creates the file for this store alone: the lock lives as long as the file handle.
fn open_locked(path: &Path) -> Result<File, TrialsError> {
    let io = |source| TrialsError::Io { path: path.to_owned(), source };
    // A child process that another thread starts has the files of this one for a moment, with their locks: a
    // store that was closed meanwhile looks as if it were open.
    for _ in 0..ATTEMPTS {
        // Opened anew each time: who holds the lock may rename the file.
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        match file.try_lock() {
            Ok(()) if is_at(&file, path).map_err(io)? => return Ok(file),
            Ok(()) | Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
    }
    Err(TrialsError::InUse { path: path.to_owned() })
}

/// Whether the path still leads to the file that was opened by it, and not to one that has taken its place.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(found) => Ok((own.dev(), own.ino()) == (found.dev(), found.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Taken for granted elsewhere.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// The first name beside the file that nothing has.
fn aside(path: &Path) -> io::Result<PathBuf> {
    let endings = std::iter::once(".old".to_owned()).chain((2_u32..).map(|number| format!(".old{number}")));
    for ending in endings {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        if let Err(error) = std::fs::symlink_metadata(&name) {
            return if error.kind() == io::ErrorKind::NotFound { Ok(name.into()) } else { Err(error) };
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn json(what: &str, value: &impl Serialize) -> Result<Vec<u8>, TrialsError> {
    let mut line =
        serde_json::to_vec(value).map_err(|source| TrialsError::Json { what: what.to_owned(), source })?;
    line.push(b'\n');
    Ok(line)
}

/// SHA-256 of the settings as JSON with sorted keys, so that the order of fields does not matter.
fn fingerprint(key: &impl Serialize) -> Result<String, TrialsError> {
    let value = serde_json::to_value(key)
        .map_err(|source| TrialsError::Json { what: "settings".to_owned(), source })?;
    let mut text = String::new();
    canonical(&value, &mut text);
    Ok(Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect())
}

fn canonical(value: &serde_json::Value, text: &mut String) {
    match value {
        serde_json::Value::Object(map) => {
            let mut fields: Vec<_> = map.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in fields {
                text.push_str(&serde_json::Value::from(name.as_str()).to_string());
                text.push(':');
                canonical(value, text);
                text.push(',');
            }
            text.push('}');
        }
        serde_json::Value::Array(list) => {
            text.push('[');
            for value in list {
                canonical(value, text);
                text.push(',');
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests;
