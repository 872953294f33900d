//! The figures that runs of fuzzing add up, in a file of the repository.

use super::summary::Summary;
use report::record::Provenance;
use report::table::{Cell, Table};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// What all runs did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Hours {
    /// The guided sessions, by target.
    pub(super) targets: BTreeMap<String, Effort>,
    /// The runs on mutated seeds.
    #[serde(default)]
    pub(super) mutated: Mutated,
}

/// What all runs on mutated seeds did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Mutated {
    /// Cases by target.
    cases: BTreeMap<String, u64>,
    /// Seconds of one core.
    seconds: f64,
    /// Findings so far; a fixed one counts too.
    findings: u64,
    /// The seeds of the runs. The same seed would count the same cases again.
    seeds: BTreeSet<u64>,
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

    /// Reads the file, changes what it says, and writes it: another run may have added its own meanwhile.
    pub(super) fn update(path: &Path, change: impl FnOnce(&mut Self)) -> io::Result<Self> {
        let mut hours = Self::read(path)?;
        change(&mut hours);
        hours.write(path)?;
        Ok(hours)
    }

    /// Whether the cases of this seed are counted.
    pub(super) fn has(&self, seed: u64) -> bool {
        self.mutated.seeds.contains(&seed)
    }

    /// Adds a run on mutated seeds.
    pub(super) fn add(&mut self, run: &Summary, seed: u64) {
        for (name, tally) in &run.targets {
            *self.mutated.cases.entry(name.clone()).or_default() += tally.cases;
            self.mutated.seconds += tally.time.as_secs_f64();
        }
        self.mutated.findings += run.findings.len() as u64;
        self.mutated.seeds.insert(seed);
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
        let columns =
            ["executions", "a second", "core hours", "edges", "corpus", "findings", "mutated cases"];
        let mut table = Table::new("target", &columns);
        let none = Effort::default();
        let names: BTreeSet<&String> = self.targets.keys().chain(self.mutated.cases.keys()).collect();
        for name in &names {
            let effort = self.targets.get(*name).unwrap_or(&none);
            let cells = vec![
                Cell::Count(effort.executions),
                Cell::Text(format!("{:.0}", effort.rate())),
                Cell::Text(format!("{:.3}", effort.seconds / 3600.0)),
                Cell::Count(effort.edges),
                Cell::Count(effort.inputs),
                Cell::Count(effort.findings),
                Cell::Count(self.mutated.cases.get(*name).copied().unwrap_or_default()),
            ];
            table.push(name, Provenance::Official, cells).map_err(|_| fmt::Error)?;
        }
        writeln!(out, "{}", table.to_terminal())?;
        let total = self.total();
        let cases: u64 = self.mutated.cases.values().sum();
        writeln!(
            out,
            "mutated seeds: {} targets, {cases} cases in {:.2} core hours, the fewest of a target {}, {} findings",
            self.mutated.cases.len(),
            self.mutated.seconds / 3600.0,
            self.mutated.cases.values().min().copied().unwrap_or_default(),
            self.mutated.findings,
        )?;
        write!(
            out,
            "guided: {} targets, {} executions in {:.2} core hours, {:.0} a second, {} findings",
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
    use crate::summary::Tally;
    use std::time::Duration;

    #[test]
    fn figures_are_added_up_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/fuzzing.json");
        let mut hours = Hours::read(&path).unwrap();
        for (name, executions) in [("one", 5_000), ("two", 1_000)] {
            let effort = Effort { executions, seconds: 1800.0, edges: 7, inputs: 2, findings: 1 };
            hours.targets.insert(name.to_owned(), effort);
        }
        let time = Duration::from_secs(900);
        let tally = |cases| Tally { cases, time, ..Tally::default() };
        let run = Summary {
            targets: vec![("two".to_owned(), tally(70)), ("three".to_owned(), tally(9))],
            findings: Vec::new(),
            elapsed: time,
        };
        hours.write(&path).unwrap();
        for seed in [3, 8] {
            hours = Hours::update(&path, |hours| hours.add(&run, seed)).unwrap();
        }
        assert!(hours.has(3) && hours.has(8) && !hours.has(1));
        assert_eq!(Hours::read(&path).unwrap(), hours);
        let text = hours.to_string();
        let lines: Vec<&str> = text.lines().rev().take(2).collect();
        assert_eq!(
            lines,
            [
                "guided: 2 targets, 6000 executions in 1.00 core hours, 2 a second, 2 findings",
                "mutated seeds: 2 targets, 158 cases in 1.00 core hours, the fewest of a target 18, 0 findings"
            ]
        );
        // A file from before the runs on mutated seeds were counted.
        fs::write(&path, "{\"targets\":{}}").unwrap();
        assert_eq!(Hours::read(&path).unwrap(), Hours::default());
        fs::write(&path, "{").unwrap();
        assert!(Hours::read(&path).is_err());
    }
}
