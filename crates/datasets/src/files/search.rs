//! Where data files are looked for.

use crate::error::DataError;
use crate::files::OfficialFile;
use crate::names::Set;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folders that may hold data files, in the order in which they are looked at.
///
/// These are the folder asked for explicitly, `$OCO_DATA`, and, seen from the root of the workspace, `data`
/// (where `cargo xtask data fetch` writes), `../shared/data`, and `crates/datasets/data` (the small open
/// files of this repository). A file may be plain (`adult.data`) or compressed (`adult.data.gz`).
///
/// ```
/// use datasets::SearchPath;
/// use std::path::Path;
/// let search = SearchPath::new(None, |_| Some("elsewhere".into()), Path::new("root"))?;
/// let expected = ["elsewhere", "root/data", "root/../shared/data", "root/crates/datasets/data"];
/// assert_eq!(search.directories(), expected.map(|d| Path::new(d).to_path_buf()));
/// # Ok::<(), datasets::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPath {
    directories: Vec<PathBuf>,
}

impl SearchPath {
    /// The search path of an environment: `variable` looks a variable up, `root` is the root of the
    /// workspace.
    ///
    /// # Errors
    /// [`DataError::NoSuchDirectory`] where the explicit folder is not there: a misspelt folder must not end
    /// in a run on other data.
    pub fn new(
        explicit: Option<&Path>,
        variable: impl Fn(&str) -> Option<OsString>,
        root: &Path,
    ) -> Result<Self, DataError> {
        if let Some(directory) = explicit.filter(|directory| !directory.is_dir()) {
            return Err(DataError::NoSuchDirectory { directory: directory.to_owned() });
        }
        let from_environment = variable("OCO_DATA").filter(|value| !value.is_empty()).map(PathBuf::from);
        let below_root =
            ["data", "../shared/data", "crates/datasets/data"].map(|directory| root.join(directory));
        let directories = explicit.map(Path::to_owned).into_iter().chain(from_environment).chain(below_root);
        Ok(Self { directories: directories.collect() })
    }

    /// The search path of this process. The root of the workspace is the nearest folder with a `Cargo.lock`,
    /// from the current one upwards, or else the current folder.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_environment(explicit: Option<&Path>) -> Result<Self, DataError> {
        let current = env::current_dir().unwrap_or_default();
        let root = current.ancestors().find(|directory| directory.join("Cargo.lock").is_file());
        Self::new(explicit, |name| env::var_os(name), root.unwrap_or(&current))
    }

    /// A path without any folder: every set is a stand-in.
    pub fn nowhere() -> Self {
        Self { directories: Vec::new() }
    }

    /// The folders, first to last.
    pub fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// The files of a set in the first folder that has any of them, or `None` where no folder has.
    ///
    /// # Errors
    /// [`DataError::Incomplete`] where that folder lacks another file of the set.
    pub fn locate(&self, set: impl Into<Set>) -> Result<Option<Vec<PathBuf>>, DataError> {
        let set = set.into();
        for directory in &self.directories {
            let found: Vec<_> = OfficialFile::of(set).map(|file| (file, file.locate(directory))).collect();
            if found.iter().all(|(_, path)| path.is_none()) {
                continue;
            }
            if let Some((file, _)) = found.iter().find(|(_, path)| path.is_none()) {
                let directory = directory.clone();
                return Err(DataError::Incomplete { set, directory, missing: file.name });
            }
            return Ok(Some(found.into_iter().filter_map(|(_, path)| path).collect()));
        }
        Ok(None)
    }

    /// One official file in the first folder that has it, whatever else of its set is there.
    pub fn find(&self, file: &OfficialFile) -> Option<PathBuf> {
        self.directories.iter().find_map(|directory| file.locate(directory))
    }
}
