//! A copy of the working tree, in which only what has changed is written again.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{failed, folder};
use crate::cargo::{Failure, root, tool};

/// Makes the copy equal to the files that git knows or does not ignore.
pub(super) fn write() -> Result<(), Failure> {
    let mut command: Command = tool("git");
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let process = |source| Failure::Process { command: "git ls-files".to_owned(), source };
    let output = command.output().map_err(process)?;
    if !output.status.success() {
        return Err(failed("git ls-files", "the mutants are written into a copy of what git knows"));
    }
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let to = folder().join("tree");
    let mut names = BTreeSet::new();
    for name in listed.split('\0').filter(|name| root().join(name).is_file()) {
        let path = root().join(name);
        update(&path, &to.join(name)).map_err(|source| Failure::Read { path, source })?;
        names.insert(to.join(name));
    }
    remove_others(&to, &names).map_err(|source| Failure::Read { path: to, source })
}

/// A file that is equal keeps its time, so that cargo does not build it again.
fn update(from: &Path, to: &Path) -> io::Result<()> {
    let bytes = fs::read(from)?;
    if fs::read(to).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(to, bytes)
}

/// A text that differs if a file of the copy does: tests of a crate depend on the crates below it, too.
pub(super) fn state() -> Result<String, Failure> {
    let mut hasher = DefaultHasher::new();
    let mut folders = vec![folder().join("tree")];
    while let Some(path) = folders.pop() {
        let read = |source| Failure::Read { path: path.clone(), source };
        let entries: io::Result<Vec<_>> = fs::read_dir(&path).map_err(read)?.collect();
        let mut paths: Vec<PathBuf> = entries.map_err(read)?.iter().map(fs::DirEntry::path).collect();
        paths.sort();
        for path in paths {
            path.hash(&mut hasher);
            match path.is_dir() {
                true => folders.push(path),
                false => fs::read(&path).map_err(|source| Failure::Read { path, source })?.hash(&mut hasher),
            }
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Files that the working tree does not have are gone.
fn remove_others(folder: &Path, names: &BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, names)?;
        } else if !names.contains(&path) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}
