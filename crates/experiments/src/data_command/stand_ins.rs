//! Sets without official files: an experiment runs on stand-ins of them.

use datasets::{OfficialFile, SearchPath, Set};
use std::fmt;
use std::path::PathBuf;

/// The sets of an experiment found in no folder, and the folders searched.
///
/// Its display is a warning about the stand-ins, with the command that gets the files.
///
/// ```
/// use datasets::{Name, SearchPath};
/// use experiments::data_command::stand_ins::StandIns;
/// let letter = [Name::Letter.into()];
/// let found = StandIns::among(&letter, &SearchPath::nowhere()).unwrap();
/// assert_eq!(found.sets, letter);
/// assert!(found.to_string().contains("cargo xtask data fetch letter"));
/// assert!(StandIns::among(&[], &SearchPath::nowhere()).is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StandIns {
    /// The sets without files, at least one.
    pub sets: Vec<Set>,
    /// The folders searched.
    pub folders: Vec<PathBuf>,
}

impl StandIns {
    /// The sets without a file in `search`; `None` if every set has one. A folder with only a part of a set
    /// passes this check: the experiment refuses it.
    pub fn among(sets: &[Set], search: &SearchPath) -> Option<Self> {
        let is_absent = |set: &&Set| match set {
            // Both logs are needed; the item descriptions are not read.
            Set::OpenBandit => {
                let logs = OfficialFile::of(**set).filter(|file| file.name.ends_with("/men.csv"));
                logs.into_iter().any(|log| search.find(log).is_none())
            }
            _ => matches!(search.locate(**set), Ok(None)),
        };
        let mut absent: Vec<Set> = Vec::new();
        for set in sets.iter().filter(is_absent) {
            // Two tasks may share a set.
            if !absent.contains(set) {
                absent.push(*set);
            }
        }
        let sets = absent;
        (!sets.is_empty()).then(|| Self { sets, folders: search.directories().to_vec() })
    }

    fn names(&self, separator: &str) -> String {
        self.sets.iter().map(Set::to_string).collect::<Vec<_>>().join(separator)
    }
}

impl fmt::Display for StandIns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folders: Vec<_> = self.folders.iter().map(|folder| folder.display().to_string()).collect();
        write!(
            f,
            "no official files of {}: synthetic stand-ins take their place, and the results say nothing about the real \
             data. Folders searched: {}.",
            self.names(", "),
            if folders.is_empty() { "none".to_owned() } else { folders.join(", ") },
        )?;
        let is_published = |set: &&Set| OfficialFile::of(**set).all(|file| file.home.address().is_some());
        let (fetched, by_hand): (Vec<&Set>, Vec<&Set>) = self.sets.iter().partition(is_published);
        let names = |sets: &[&Set]| sets.iter().map(|set| format!(" {set}")).collect::<String>();
        if !fetched.is_empty() {
            write!(f, " `cargo xtask data fetch{}` gets the files.", names(&fetched))?;
        }
        if !by_hand.is_empty() {
            write!(f, " Files to put in place by hand (see `cargo xtask data list`):{}.", names(&by_hand))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datasets::{ClassificationName, Name};
    use std::path::Path;

    #[test]
    fn absent_sets_are_named_with_the_command_that_gets_them() {
        let folder = tempfile::tempdir().unwrap();
        let search = SearchPath::new(Some(folder.path()), |_| None, &folder.path().join("root")).unwrap();
        let scene = ClassificationName::Scene.into();
        let sets = [Name::Abalone.into(), Name::Adult.into(), Set::OpenBandit, scene, scene];
        let text = StandIns::among(&sets, &search).unwrap().to_string();
        assert!(text.contains("files of abalone, adult, obd, scene:"), "{text}");
        assert!(
            text.contains("data fetch abalone adult obd`")
                && text.contains("by hand")
                && text.ends_with(": scene.")
        );
        assert!(text.contains(&folder.path().display().to_string()));

        // A part of a set is a separate error, and both logs of a campaign are needed.
        let write = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).unwrap();
            std::fs::write(path, "").unwrap();
        };
        ["abalone.data", "adult.data", "obd/random/men/men.csv"].into_iter().for_each(write);
        let found = StandIns::among(&sets[..3], &search).unwrap();
        assert_eq!(found.sets, [Set::OpenBandit]);
        write("obd/bts/men/men.csv");
        assert_eq!(StandIns::among(&sets[..3], &search), None);
    }
}
