//! The text files of the working tree: tracked ones, and new ones that git does not ignore.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cargo::Failure;

/// A text file and its path relative to the workspace root, with `/` as the separator.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

impl File {
    pub(super) fn is_rust(&self) -> bool {
        self.has_extension("rs")
    }

    pub(super) fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == extension)
    }

    /// The lines with their numbers from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }
}

/// The view of the repository for the rules.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) files: Vec<File>,
    /// Every path, including binary files.
    paths: Vec<String>,
}

impl Tree {
    /// Reads every text file below `root`; binary files are only listed.
    pub(super) fn read(root: &Path) -> Result<Self, Failure> {
        let mut paths = match listed_by_git(root) {
            Some(paths) => paths,
            None => walked(root)?,
        };
        // Git still lists files removed since the last commit.
        paths.retain(|path| root.join(path).is_file());
        paths.sort();
        let mut files = Vec::new();
        for path in &paths {
            let full = root.join(path);
            let bytes = fs::read(&full).map_err(|source| Failure::Read { path: full, source })?;
            if let Ok(text) = String::from_utf8(bytes) {
                files.push(File { path: path.clone(), text });
            }
        }
        Ok(Self { files, paths })
    }

    pub(super) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Whether a file or folder with this path exists.
    pub(super) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let below = |found: &String| found.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        path.is_empty() || self.paths.iter().any(|found| found == path || below(found))
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let files = files.iter().map(|(path, text)| File { path: (*path).into(), text: (*text).into() });
        Self { files: files.collect(), paths }
    }
}

/// The files known to git; `None` without git or its folder, as in an unpacked archive.
fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(arguments).current_dir(root).output().ok()?;
    let listing = output.status.success().then(|| String::from_utf8(output.stdout).ok())??;
    Some(listing.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

/// Every file below `root` except build outputs, data and hidden folders, but with the two hidden folders of
/// this repository.
fn walked(root: &Path) -> Result<Vec<String>, Failure> {
    let mut paths = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let full = root.join(&folder);
        let failure = |source| Failure::Read { path: full.clone(), source };
        for entry in fs::read_dir(&full).map_err(failure)? {
            let entry = entry.map_err(failure)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let kind = entry.file_type().map_err(failure)?;
            let ours = !name.starts_with('.') || [".ci", ".cargo"].contains(&name.as_str());
            if kind.is_file() {
                paths.push(path);
            } else if kind.is_dir() && ours && !["target", "data", "out"].contains(&path.as_str()) {
                folders.push(path);
            }
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::root;

    #[test]
    fn the_walk_finds_this_file_but_no_build_output() {
        let paths = walked(&root()).unwrap();
        assert!(paths.iter().any(|path| path == "xtask/src/tidy/tree.rs"));
        assert!(paths.iter().any(|path| path == ".cargo/config.toml"));
        assert!(!paths.iter().any(|path| path.starts_with("target/") || path.starts_with(".git/")));
    }

    #[test]
    fn the_tree_knows_files_and_folders() {
        let tree = Tree::read(&root()).unwrap();
        assert!(tree.file("Cargo.toml").is_some_and(|manifest| manifest.text.contains("[workspace]")));
        assert!(tree.has("xtask/src") && tree.has("xtask/") && !tree.has("xtask/sr"));
    }
}
