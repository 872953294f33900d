//! The summary of a run.

use super::finding::Finding;
use report::record::Provenance;
use report::table::{Cell, Table};
use std::fmt;
use std::time::Duration;

/// The cases of one target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of cases begun.
    pub cases: u64,
    /// The number of accepted cases.
    pub accepted: u64,
    /// The number of refused cases.
    pub refused: u64,
    /// The number of failed cases.
    pub failed: u64,
    /// The next case.
    pub next: u64,
    /// The time of its workers.
    pub time: Duration,
    /// The number of workers ended by this target.
    pub ends: u64,
    /// Whether the target may have nothing to refuse.
    pub is_of_any_bytes: bool,
}

impl Tally {
    /// Whether the target tests nothing: all cases are accepted, or none.
    #[must_use]
    pub fn is_vacuous(&self) -> bool {
        self.accepted == 0 || (self.refused == 0 && !self.is_of_any_bytes)
    }
}

/// All targets, and every finding with its number of cases.
#[derive(Debug)]
pub struct Summary {
    /// The targets by name, in the order of the list.
    pub targets: Vec<(String, Tally)>,
    /// The findings by target, kind and place.
    pub findings: Vec<(Finding, u64)>,
    /// The duration of the run.
    pub elapsed: Duration,
}

impl fmt::Display for Summary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new("target", &["cases", "accepted", "refused", "failed", ""]);
        for (name, tally) in &self.targets {
            let note = if tally.is_vacuous() { "vacuous" } else { "" };
            let counts = [tally.cases, tally.accepted, tally.refused, tally.failed].map(Cell::Count);
            let cells = counts.into_iter().chain([Cell::Text(note.to_owned())]).collect();
            // A label without a mark; the row is as wide as the header.
            table.push(name, Provenance::Official, cells).map_err(|_| fmt::Error)?;
        }
        writeln!(out, "{}", table.to_terminal())?;
        for (finding, count) in &self.findings {
            let (failure, target) = (&finding.failure, &finding.target);
            writeln!(out, "{} in {target}: {} ({count} cases)", failure.kind, failure.place)?;
        }
        let cases: u64 = self.targets.iter().map(|(_, tally)| tally.cases).sum();
        let vacuous = self.targets.iter().filter(|(_, tally)| tally.is_vacuous()).count();
        let (targets, findings, seconds) = (self.targets.len(), self.findings.len(), self.elapsed.as_secs());
        write!(out, "{targets} targets, {vacuous} vacuous, {cases} cases in {seconds} s, {findings} findings")
    }
}
