//! The figures that sessions of guided fuzzing add up, in a file of the repository.

use report::record::Provenance;
use report::table::{Cell, Table};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// What all sessions did, by target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Hours {
    pub(super) targets: BTreeMap<String, Effort>,
}

/// What all sessions did with a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Effort {
    /// Executions, those of the corpora included.
    pub(super) executions: u64,
    /// Seconds of one core.
    pub(super) seconds: f64,
    /// Edges of the code that the last turn's corpus reaches.
    pub(super) edges: u64,
    /// Inputs of that corpus.
    pub(super) inputs: u64,
    /// Findings so far; a fixed one counts too.
    pub(super) findings: u64,
}

impl Effort {
    fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.executions as f64 / self.seconds } else { 0.0 }
    }
}

impl Hours {
    /// The figures of a file; none where there is no file yet.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        match fs::read(path) {
            Ok(text) => Ok(serde_json::from_slice(&text)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// Replaces the file at once, so that an interruption leaves the old figures or the new ones.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        fs::create_dir_all(folder)?;
        let text = serde_json::to_string_pretty(self)? + "\n";
        atomic_files::write(path, |file| file.write_all(text.as_bytes()))
    }

    fn total(&self) -> Effort {
        let mut total = Effort::default();
        for effort in self.targets.values() {
            total.executions += effort.executions;
            total.seconds += effort.seconds;
            total.inputs += effort.inputs;
            total.findings += effort.findings;
        }
        total
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = ["executions", "a second", "core hours", "edges", "corpus", "findings"];
        let mut table = Table::new("target", &columns);
        for (name, effort) in &self.targets {
            let cells = vec![
                Cell::Count(effort.executions),
                Cell::Text(format!("{:.0}", effort.rate())),
                Cell::Text(format!("{:.3}", effort.seconds / 3600.0)),
                Cell::Count(effort.edges),
                Cell::Count(effort.inputs),
                Cell::Count(effort.findings),
            ];
            table.push(name, Provenance::Official, cells).map_err(|_| fmt::Error)?;
        }
        writeln!(out, "{}", table.to_terminal())?;
        let total = self.total();
        write!(
            out,
            "{} targets, {} executions in {:.2} core hours, {:.0} a second, {} findings",
            self.targets.len(),
            total.executions,
            total.seconds / 3600.0,
            total.rate(),
            total.findings
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_added_up_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/fuzzing.json");
        let mut hours = Hours::read(&path).unwrap();
        for (name, executions) in [("one", 5_000), ("two", 1_000)] {
            let effort = Effort { executions, seconds: 1800.0, edges: 7, inputs: 2, findings: 1 };
            hours.targets.insert(name.to_owned(), effort);
        }
        hours.write(&path).unwrap();
        assert_eq!(Hours::read(&path).unwrap(), hours);
        let text = hours.to_string();
        assert!(
            text.ends_with("2 targets, 6000 executions in 1.00 core hours, 2 a second, 2 findings"),
            "{text}"
        );
        fs::write(&path, "{").unwrap();
        assert!(Hours::read(&path).is_err());
    }
}
