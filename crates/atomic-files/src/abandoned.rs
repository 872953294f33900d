//! Temporary files of programs that were killed.

use std::fs::File;
use std::path::Path;

pub(crate) const PREFIX: &str = ".ocoboost-";
pub(crate) const SUFFIX: &str = ".part";

/// Locks a new temporary file for as long as it is open. False if another program has taken it for abandoned
/// before that. Where the file system has no locks, nobody takes it for abandoned.
#[cfg(unix)]
pub(crate) fn is_ours(file: &File) -> bool {
    use std::fs::TryLockError;
    use std::os::unix::fs::MetadataExt;

    match file.try_lock() {
        Ok(()) => file.metadata().map_or(true, |found| found.nlink() > 0),
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => true,
    }
}

/// Removes temporary files that no program holds. What cannot be removed stays.
#[cfg(unix)]
pub(crate) fn remove_abandoned(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_temporary = name.starts_with(PREFIX.as_bytes()) && name.ends_with(SUFFIX.as_bytes());
        // A link or a pipe of such a name is not ours; opening a pipe would wait.
        if !is_temporary || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let Ok(file) = std::fs::OpenOptions::new().write(true).open(entry.path()) else { continue };
        if file.try_lock().is_ok() {
            // While the lock is held: whoever has just made the file sees that it is gone.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A file that is open cannot be removed elsewhere, and its lock would keep others from reading it.
#[cfg(not(unix))]
pub(crate) fn is_ours(_: &File) -> bool {
    true
}

#[cfg(not(unix))]
pub(crate) fn remove_abandoned(_: &Path) {}
