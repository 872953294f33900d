//! What a run came to.

use super::finding::Finding;
use report::record::Provenance;
use report::table::{Cell, Table};
use std::fmt;
use std::time::Duration;

/// The cases of one target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases that were begun.
    pub cases: u64,
    /// Taken, and of use.
    pub accepted: u64,
    /// Refused.
    pub refused: u64,
    /// Failed.
    pub failed: u64,
    /// The case to go on with.
    pub next: u64,
    /// Workers that this target has ended.
    pub ends: u64,
}

impl Tally {
    /// A target that takes everything, or nothing, tests nothing.
    #[must_use]
    pub fn is_vacuous(&self) -> bool {
        self.accepted == 0 || self.refused == 0
    }
}

/// All targets, and every finding with the number of cases that made it.
#[derive(Debug)]
pub struct Summary {
    /// By name, in the order of the list.
    pub targets: Vec<(String, Tally)>,
    /// By target, kind and place.
    pub findings: Vec<(Finding, u64)>,
    /// What the run took.
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
