//! Findings and their files.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A panic.
    Panic,
    /// The process aborted, as on a panic within a panic or a stack overflow.
    Abort,
    /// The process was killed for an invalid memory access.
    Segfault,
    /// The memory limit of the worker was exceeded.
    Memory,
    /// No answer within the time limit of a case.
    Hang,
    /// The input was accepted, but a law is violated.
    Law,
    /// A valid input was refused.
    Refusal,
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Panic => "panic",
            Self::Abort => "abort",
            Self::Segfault => "segfault",
            Self::Memory => "memory",
            Self::Hang => "hang",
            Self::Law => "law",
            Self::Refusal => "refusal",
        })
    }
}

/// A failure, without the input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind.
    pub kind: Kind,
    /// The place: the location of a panic, the violated law, or the last line of the process.
    pub place: String,
    /// The message.
    pub message: String,
}

/// One failure, with an input that causes it. Others with the same target, kind and place are only counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The target.
    pub target: String,
    /// The failure.
    #[serde(flatten)]
    pub failure: Failure,
    /// The seed of the run.
    pub seed: u64,
    /// The number of the case.
    pub case: u64,
    /// The changes of a seed of the target.
    pub changes: Vec<String>,
    /// Whether the input fails alone, in a separate process.
    pub alone: bool,
}

impl Finding {
    /// Writes a line of JSON, then the raw input.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, folder: &Path, number: usize, input: &[u8]) -> io::Result<PathBuf> {
        fs::create_dir_all(folder)?;
        let safe = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let target: String = self.target.chars().map(safe).take(80).collect();
        let path = folder.join(format!("{number:03}-{}-{target}.case", self.failure.kind));
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        bytes.extend_from_slice(input);
        fs::write(&path, bytes)?;
        Ok(path)
    }

    /// Reads a finding from its file.
    ///
    /// # Errors
    /// The file cannot be read, or is not a finding.
    pub fn read(path: &Path) -> io::Result<(Self, Vec<u8>)> {
        let bytes = fs::read(path)?;
        let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
        let finding = serde_json::from_slice(&bytes[..end])?;
        Ok((finding, bytes.get(end + 1..).unwrap_or_default().to_vec()))
    }
}

/// The innermost location in a backtrace within these crates, except this one.
pub(super) fn crate_place(trace: &str) -> Option<String> {
    let places = trace.lines().filter_map(|line| line.trim().strip_prefix("at "));
    let mut ours = places.filter_map(|place| place.find("crates/").map(|start| &place[start..]));
    let place = ours.find(|place| place.contains("/src/") && !place.starts_with("crates/fuzzing/"))?;
    // Drops the column.
    place.rsplit_once(':').map(|(place, _)| place.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_trace_is_ours_and_not_this_crates() {
        let trace = "
   0: core::panicking::panic_bounds_check
             at /rustc/0a1b/library/core/src/panicking.rs:280:5
   1: nalgebra::base::matrix::index
             at /registry/nalgebra-0.35.0/src/base/indexing.rs:12:9
   2: fuzzing::finding::keep
             at /home/x/crates/fuzzing/src/worker.rs:7:1
   3: off_policy::log::row
             at /home/x/crates/off-policy/src/log.rs:31:17
   4: boosters::bopl::round
             at /home/x/crates/boosters/src/bopl.rs:3:1";
        assert_eq!(crate_place(trace).as_deref(), Some("crates/off-policy/src/log.rs:31"));
        // As without tables of lines.
        assert_eq!(crate_place("   0: off_policy::log::row\n"), None);
    }

    #[test]
    fn a_finding_is_read_back_with_its_input() {
        let folder = tempfile::tempdir().unwrap();
        let failure = Failure { kind: Kind::Hang, place: "p".into(), message: "m".into() };
        let (target, changes) = ("a::B<C>".into(), vec!["cut".into()]);
        let finding = Finding { target, failure, seed: 1, case: 2, changes, alone: true };
        let input = b"\xff\nsecond line";
        let path = finding.write(folder.path(), 7, input).unwrap();
        assert!(path.ends_with("007-hang-a--B-C-.case"));
        assert_eq!(Finding::read(&path).unwrap(), (finding, input.to_vec()));
        fs::write(&path, "not one").unwrap();
        assert!(Finding::read(&path).is_err());
    }
}
