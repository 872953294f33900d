//! Files that appear whole or not at all.
//!
//! A file is written beside its target, synced, and renamed to it; then its folder is synced. So a reader,
//! and whoever comes after a power cut, finds the old file or the new one. A program that is killed meanwhile
//! leaves a temporary file, `.ocoboost-*.part`. A living program holds a lock on it, so the next file that is
//! written in the folder finds out, and removes what nobody holds. That is so on Linux, for the files of this
//! machine since its start; others stay.
//!
//! The new file has the owner and the permissions of any new file, whatever those of the old one were.
//!
//! A target that is a symbolic link is replaced, and what the link points to stays as it is. A device or a
//! pipe, also behind a link, is written to and not replaced.

mod abandoned;

use abandoned::{RANDOM, SUFFIX, is_ours, prefix, remove_abandoned};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// Bytes between two writes of the system.
const BUFFER: usize = 1 << 16;
/// A new file is taken for abandoned only in the instant before it is locked.
const ATTEMPTS: usize = 100;

/// A file that gets its name when it is whole.
///
/// Dropped without [`commit`](Self::commit), it leaves the old file as it was, and nothing beside it.
///
/// ```
/// use atomic_files::AtomicFile;
/// use std::io::Write;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("model");
/// let mut file = AtomicFile::create(&path)?;
/// file.write_all(b"whole")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"whole");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    out: BufWriter<File>,
    /// What is renamed; nothing for a device or a pipe.
    beside: Option<Beside>,
}

#[derive(Debug)]
struct Beside {
    temporary: TempPath,
    target: PathBuf,
    /// Opened before the work. A folder that may be written to and not read is not synced.
    folder: Option<File>,
}

impl AtomicFile {
    /// Begins the file that is to be at `path`, and removes what killed programs have left in its folder.
    ///
    /// # Errors
    /// Those of the file system, without the name of the temporary file: its user asked for another one.
    pub fn create(path: &Path) -> io::Result<Self> {
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let device = std::fs::OpenOptions::new().write(true).open(path)?;
            return Ok(Self { out: BufWriter::with_capacity(BUFFER, device), beside: None });
        }
        // The program may go to another folder before the file is whole.
        let target = std::path::absolute(path)?;
        let folder = target.parent().unwrap_or(Path::new("/"));
        std::fs::metadata(folder)?;
        remove_abandoned(folder);
        let (file, temporary) = temporary(folder)?;
        let folder = opened(folder);
        let beside = Beside { temporary, target, folder };
        Ok(Self { out: BufWriter::with_capacity(BUFFER, file), beside: Some(beside) })
    }

    /// Gives the file its name; it is on the disc when this returns.
    ///
    /// # Errors
    /// Those of the file system. The old file is then untouched, unless the folder cannot be synced: the new
    /// file has its name then, and a power cut may bring the old one back.
    pub fn commit(self) -> io::Result<()> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let Some(Beside { temporary, target, folder }) = self.beside else { return Ok(()) };
        file.sync_all()?;
        temporary.persist(target).map_err(|refused| refused.error)?;
        match folder.map(|folder| folder.sync_all()) {
            // Not every file system syncs folders.
            Some(Err(e)) if !matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
                Err(e)
            }
            _ => Ok(()),
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes a file that is made while it is written: a file of any size takes no memory.
///
/// ```
/// use std::io::Error;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("numbers");
/// atomic_files::write(&path, |file| (0..3).try_for_each(|i| writeln!(file, "{i}")))?;
/// assert_eq!(std::fs::read(&path)?, b"0\n1\n2\n");
/// let refused = atomic_files::write(&path, |file| writeln!(file, "3").and(Err(Error::other("no more"))));
/// assert!(refused.is_err());
/// assert_eq!(std::fs::read(&path)?, b"0\n1\n2\n");
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Those of `write`, of [`AtomicFile::create`] and of [`AtomicFile::commit`].
pub fn write<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = AtomicFile::create(path)?;
    write(&mut file)?;
    Ok(file.commit()?)
}

/// Whether a file could be begun at `path`: work of hours is better refused before it than behind it.
///
/// The name is looked up, and a temporary file is made in the folder and removed. A device or a pipe is not
/// opened, because that may wait for its reader. What changes later is not foreseen, nor a disc that becomes
/// full, nor a file that may be written beside and not replaced.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let at = |name: &str| folder.path().join(name);
/// assert!(atomic_files::check(&at("model")).is_ok());
/// assert!(atomic_files::check(&at("missing/model")).is_err());
/// assert!(atomic_files::check(&at("missing/")).is_err());
/// assert!(atomic_files::check(&at(&"m".repeat(300))).is_err());
/// assert!(atomic_files::check(folder.path()).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Those of the file system, and `IsADirectory`.
pub fn check(path: &Path) -> io::Result<()> {
    if path
        .as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|last| std::path::is_separator(char::from(*last)))
    {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // The name itself, whatever a link of it leads to: a name may be too long.
    if let Err(error) = std::fs::symlink_metadata(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => Ok(()),
        _ => AtomicFile::create(path).map(drop),
    }
}

/// A temporary file that is taken for the one of a program that lives.
fn temporary(folder: &Path) -> io::Result<(File, TempPath)> {
    // Readable like any other file. The errors of `tempfile_in` would name its path.
    let (prefix, open) = (prefix(), |path: &Path| File::create_new(path));
    for _ in 0..ATTEMPTS {
        let mut names = tempfile::Builder::new();
        let made = names.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM).make_in(folder, open)?;
        if is_ours(made.as_file(), made.path()) {
            return Ok(made.into_parts());
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

#[cfg(unix)]
fn opened(folder: &Path) -> Option<File> {
    File::open(folder).ok()
}

#[cfg(not(unix))]
fn opened(_: &Path) -> Option<File> {
    None
}

#[cfg(test)]
mod tests;

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
