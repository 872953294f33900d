//! What became of the mutants, in `docs/reliability`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::fs;
use std::path::PathBuf;

use super::Wanted;
use crate::cargo::{Failure, root};

/// A mutant: where it is, and what it changes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mutant {
    /// From the root of the workspace.
    pub(super) file: String,
    /// As `12:30`: line and column.
    place: String,
    /// As `replace + with - in f`.
    change: String,
    /// The same change may be made at several places of a file: 1 is the first.
    nth: usize,
}

impl Mutant {
    /// The mutants that cargo-mutants lists, one a line: `file:line:column: change`.
    pub(super) fn all(listed: &str) -> Vec<Self> {
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut mutants = Vec::new();
        for name in listed.lines() {
            let Some((place, change)) = name.split_once(": ") else { continue };
            let mut parts = place.splitn(2, ':');
            let (Some(file), Some(place)) = (parts.next(), parts.next()) else { continue };
            let nth = counts.entry((file.to_owned(), change.to_owned())).or_default();
            *nth += 1;
            mutants.push(Self { file: file.into(), place: place.into(), change: change.into(), nth: *nth });
        }
        mutants
    }

    /// The name that cargo-mutants gives it.
    pub(super) fn name(&self) -> String {
        format!("{}:{}: {}", self.file, self.place, self.change)
    }

    /// The name in the record, which an edit elsewhere in the file does not change.
    fn key(&self) -> String {
        format!("{}: {} #{}", self.file, self.change, self.nth)
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (line {})", self.key(), self.place)
    }
}

/// What became of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A test failed.
    Caught,
    /// No test failed.
    Missed,
    /// The tests did not end in their time, as where a loop has become endless.
    Timeout,
    /// It does not compile.
    Unviable,
}

impl Outcome {
    pub(super) const ALL: [Self; 4] = [Self::Caught, Self::Missed, Self::Timeout, Self::Unviable];

    /// Its word in the record, and in cargo-mutants' names of files.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Caught => "caught",
            Self::Missed => "missed",
            Self::Timeout => "timeout",
            Self::Unviable => "unviable",
        }
    }
}

/// The outcomes by mutants, and the explained ones.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// The shard and the outcome.
    outcomes: BTreeMap<String, (String, Outcome)>,
    explained: BTreeSet<String>,
}

impl Record {
    pub(super) fn read() -> Result<Self, Failure> {
        let read = |path: PathBuf| match fs::read_to_string(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(Failure::Read { path, source })
            }
            text => Ok(text.unwrap_or_default()),
        };
        Ok(Self { outcomes: parse(&read(outcomes())?), explained: explained(&read(equivalents())?) })
    }

    pub(super) fn write(&self) -> Result<(), Failure> {
        let path = outcomes();
        fs::write(&path, self.to_string()).map_err(|source| Failure::Write { source })
    }

    pub(super) fn add(&mut self, wanted: Wanted, outcome: Outcome) {
        self.outcomes.insert(wanted.mutant.key(), (wanted.shard, outcome));
    }

    pub(super) fn outcome(&self, mutant: &Mutant) -> Option<Outcome> {
        self.outcomes.get(&mutant.key()).map(|(_, outcome)| *outcome)
    }

    /// Whether it changes nothing that a caller can see, with the reason written down.
    pub(super) fn is_explained(&self, mutant: &Mutant) -> bool {
        self.explained.contains(&mutant.key())
    }

    /// The missed ones without a reason.
    pub(super) fn unexplained<'a>(&self, listed: &'a BTreeMap<&str, Vec<Mutant>>) -> Vec<&'a Mutant> {
        let is_open =
            |mutant: &&Mutant| self.outcome(mutant) == Some(Outcome::Missed) && !self.is_explained(mutant);
        listed.values().flatten().filter(is_open).collect()
    }

    /// A row for each crate. A mutant of the record that is no longer listed is not counted.
    pub(super) fn table(&self, crates: &[&str], listed: &BTreeMap<&str, Vec<Mutant>>) -> String {
        let mut table =
            "| crate | listed | tried | unviable | caught | timeout | missed | equivalent | share |\n\
                         |---|---|---|---|---|---|---|---|---|\n"
                .to_owned();
        for package in crates {
            let mutants = listed.get(package).map_or(&[][..], Vec::as_slice);
            let count = |wanted| mutants.iter().filter(|mutant| self.outcome(mutant) == Some(wanted)).count();
            let [caught, missed, timeout, unviable] = Outcome::ALL.map(count);
            let is_equivalent =
                |m: &&Mutant| self.outcome(m) == Some(Outcome::Missed) && self.is_explained(m);
            let equivalent = mutants.iter().filter(is_equivalent).count();
            let tried = caught + missed + timeout + unviable;
            let found = caught + timeout;
            let share = 100.0 * found as f64 / (found + missed - equivalent).max(1) as f64;
            let _ = writeln!(
                table,
                "| {package} | {} | {tried} | {unviable} | {caught} | {timeout} | {} | {equivalent} | {share:.1}% |",
                mutants.len(),
                missed - equivalent
            );
        }
        table
    }
}

/// The outcomes as JSON, one mutant a line.
impl fmt::Display for Record {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[\n")?;
        for (place, (key, (shard, outcome))) in self.outcomes.iter().enumerate() {
            let key = escaped(key);
            let comma = if place + 1 < self.outcomes.len() { "," } else { "" };
            writeln!(
                out,
                "{{\"mutant\": \"{key}\", \"shard\": \"{shard}\", \"outcome\": \"{}\"}}{comma}",
                outcome.word()
            )?;
        }
        out.write_str("]\n")
    }
}

/// The lines that [`Record`] writes.
fn parse(text: &str) -> BTreeMap<String, (String, Outcome)> {
    let line = |line: &str| {
        let (key, rest) = line.strip_prefix("{\"mutant\": \"")?.split_once("\", \"shard\": \"")?;
        let (shard, rest) = rest.split_once("\", \"outcome\": \"")?;
        let outcome = Outcome::ALL.into_iter().find(|outcome| rest.starts_with(outcome.word()))?;
        Some((unescaped(key), (shard.to_owned(), outcome)))
    };
    text.lines().filter_map(line).collect()
}

/// The mutants with a reason: lines `mutant = "..."`, each with a line `reason = "..."` after it.
fn explained(text: &str) -> BTreeSet<String> {
    let value = |line: &str, name: &str| {
        let value = line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"')?;
        (!value.is_empty()).then(|| unescaped(value))
    };
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.windows(2).filter(|pair| value(pair[1], "reason").is_some());
    pairs.filter_map(|pair| value(pair[0], "mutant")).collect()
}

/// A text between quotation marks, of JSON or TOML.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn unescaped(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\\\", "\\")
}

fn outcomes() -> PathBuf {
    root().join("docs/reliability/mutants.json")
}

fn equivalents() -> PathBuf {
    root().join("docs/reliability/equivalent-mutants.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "a.rs:3:4: replace + with - in f\na.rs:9:4: replace f -> &str with \"\\\\\"\n\
                          a.rs:3:9: replace + with - in f\n";

    fn record(outcomes: &[Outcome]) -> (Record, Vec<Mutant>) {
        let (mut record, mutants) = (Record::default(), Mutant::all(LISTED));
        for (mutant, outcome) in mutants.iter().zip(outcomes) {
            record.add(
                Wanted { mutant: mutant.clone(), shard: "0/3".to_owned(), alone: String::new() },
                *outcome,
            );
        }
        (record, mutants)
    }

    #[test]
    fn the_same_change_at_two_places_is_two_mutants_wherever_its_line_is() {
        let mutants = Mutant::all(LISTED);
        let keys: Vec<_> = mutants.iter().map(Mutant::key).collect();
        assert_eq!(keys[0], "a.rs: replace + with - in f #1");
        assert_eq!(keys[2], "a.rs: replace + with - in f #2");
        assert_eq!(mutants[2].name(), "a.rs:3:9: replace + with - in f");
        let moved = Mutant::all(&LISTED.replace(":3:", ":8:"));
        assert_eq!(moved.iter().map(Mutant::key).collect::<Vec<_>>(), keys);
    }

    #[test]
    fn what_is_written_is_read() {
        let (record, _) = record(&[Outcome::Caught, Outcome::Timeout, Outcome::Missed]);
        assert_eq!(parse(&record.to_string()), record.outcomes);
        assert_eq!(record.outcomes.len(), 3);
    }

    #[test]
    fn explained_and_unviable_mutants_are_no_part_of_the_share() {
        let (mut record, mutants) = record(&[Outcome::Caught, Outcome::Unviable, Outcome::Missed]);
        let listed = BTreeMap::from([("a", mutants)]);
        assert!(record.table(&["a"], &listed).ends_with("| a | 3 | 3 | 1 | 1 | 0 | 1 | 0 | 50.0% |\n"));
        assert_eq!(record.unexplained(&listed).len(), 1);
        let entry = "[[equivalent]]\nmutant = \"a.rs: replace + with - in f #2\"\n";
        record.explained = explained(entry);
        assert_eq!(record.unexplained(&listed).len(), 1, "without a reason");
        record.explained = explained(&format!("{entry}reason = \"f is symmetric\"\n"));
        assert!(record.table(&["a"], &listed).ends_with("| a | 3 | 3 | 1 | 1 | 0 | 0 | 1 | 100.0% |\n"));
        assert!(record.unexplained(&listed).is_empty());
    }

    #[test]
    fn every_explained_mutant_was_missed() {
        let record = Record::read().unwrap();
        for key in &record.explained {
            let outcome = record.outcomes.get(key).map(|(_, outcome)| *outcome);
            assert_eq!(outcome, Some(Outcome::Missed), "{key}");
        }
        let text = fs::read_to_string(equivalents()).unwrap_or_default();
        assert_eq!(record.explained.len(), text.matches("[[equivalent]]").count());
    }
}
