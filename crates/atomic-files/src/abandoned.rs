//! Temporary files of programs that were killed.
//!
//! Their names are `.ocoboost-BOOT-LETTERS.part`, where BOOT is of the present start of this machine. Locks
//! are sure among the programs of one kernel. On a file system that several machines share, they may hold on
//! one machine alone. So the files of another machine, and of an earlier start, are left alone.

use std::fs::File;
use std::path::Path;

pub(crate) const PREFIX: &str = ".ocoboost-";
pub(crate) const SUFFIX: &str = ".part";
/// The random letters and digits of a name.
pub(crate) const RANDOM: usize = 6;

/// What the names of this start of the machine begin with.
pub(crate) fn prefix() -> String {
    format!("{PREFIX}{}-", boot().unwrap_or_default())
}

/// Eight digits of the start of this machine; `None` where the system has none to tell.
fn boot() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    id.get(..8).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit())).map(str::to_owned)
}

/// Locks a new temporary file for as long as it is open. False if another program has taken it for abandoned
/// before that. Where the file system has no locks, nobody takes it for abandoned.
#[cfg(unix)]
pub(crate) fn is_ours(file: &File, path: &Path) -> bool {
    use std::fs::TryLockError;
    use std::os::unix::fs::MetadataExt;

    match file.try_lock() {
        Ok(()) => match (file.metadata(), std::fs::symlink_metadata(path)) {
            (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
            _ => false,
        },
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => true,
    }
}

/// Removes temporary files of this start of the machine that no program holds. What cannot be removed stays.
#[cfg(unix)]
pub(crate) fn remove_abandoned(folder: &Path) {
    if boot().is_none() {
        return;
    }
    let prefix = prefix();
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(&prefix)?.strip_suffix(SUFFIX));
        let is_temporary = random.is_some_and(|random| {
            random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        // A link or a pipe of such a name is not ours.
        if !is_temporary || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // To read as well: opening a pipe that has just come in its place does not wait then.
        let open = std::fs::OpenOptions::new().read(true).write(true).open(entry.path());
        let Ok(file) = open else { continue };
        if file.try_lock().is_ok() {
            // While the lock is held: whoever has just made the file sees that it is gone.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A file that is open cannot be removed elsewhere, and its lock would keep others from reading it.
#[cfg(not(unix))]
pub(crate) fn is_ours(_: &File, _: &Path) -> bool {
    true
}

#[cfg(not(unix))]
pub(crate) fn remove_abandoned(_: &Path) {}
