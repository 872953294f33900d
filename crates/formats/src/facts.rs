//! What a reader found besides the log itself.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// How far a reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that were read of the file at hand, as they lie on the disk.
    pub bytes: u64,
    /// All of them, where it is known.
    pub total_bytes: Option<u64>,
    /// Rows that were read, of all files so far.
    pub rows: u64,
}

/// Records that were left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.count, self.reason)
    }
}

/// What a reader found in a file besides the rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadFacts {
    /// The file, as the caller called it; of several the first, and how many others.
    pub file: String,
    /// Its format; of several that of the first.
    pub format: String,
    /// Rows that were read.
    pub rows: u64,
    /// Records that were skipped.
    pub skipped: Vec<Skipped>,
    /// Missing values of the columns that have some.
    pub missing: BTreeMap<String, u64>,
    /// Labels outside the schema that the file was read by, by column.
    pub unknown_labels: BTreeMap<String, u64>,
    /// What a reader of the results should know, a sentence each.
    pub notes: Vec<String>,
    /// Bytes after decompression.
    pub bytes: u64,
    /// SHA-256 of these bytes, in hexadecimal digits; empty for several files.
    pub sha256: String,
}

/// A file that was read to its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFile {
    /// The file, as the caller called it.
    pub file: String,
    /// Its format.
    pub format: String,
    /// Rows that were read, with those that were skipped.
    pub rows: u64,
    /// Bytes after decompression.
    pub bytes: u64,
    /// SHA-256 of these bytes, in hexadecimal digits.
    pub sha256: String,
}

/// Counts of skipped records, by reason.
#[derive(Debug, Default)]
pub(crate) struct SkipCounts(BTreeMap<&'static str, u64>);

impl SkipCounts {
    pub(crate) fn add(&mut self, reason: &'static str) {
        *self.0.entry(reason).or_default() += 1;
    }

    /// One of each reason, in the order of a list of counts.
    pub(crate) fn added(counts: Vec<Skipped>) -> Vec<Skipped> {
        let mut all: BTreeMap<String, u64> = BTreeMap::new();
        for Skipped { count, reason } in counts {
            *all.entry(reason).or_default() += count;
        }
        all.into_iter().map(|(reason, count)| Skipped { count, reason }).collect()
    }

    pub(crate) fn list(&self) -> Vec<Skipped> {
        self.0.iter().map(|(reason, count)| Skipped { count: *count, reason: (*reason).to_owned() }).collect()
    }
}

/// The name of a file in messages.
pub(crate) type FileName = Arc<str>;

/// Goes on, and shows nothing: the progress of a caller who does not ask.
#[allow(clippy::needless_pass_by_value, reason = "it is called as the closures of others are")]
pub fn quiet(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
