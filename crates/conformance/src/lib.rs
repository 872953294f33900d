//! Conformance: the crates against vectors of an independent implementation.
//!
//! A vector file holds the cases of one family. A case is an input of one kernel with the expected outputs or
//! the expected refusal. The kernels here are glue: they decode a case, call the public interface of the
//! crates, and return the result. Of the input they check only properties invisible to the crates, such as
//! equal numbers of rows in two JSON arrays.
//!
//! Reading order: [`run`]; the private modules `input` (a case's input, decoded), `projections`, `oco` with
//! `mirror_descent` and `adaptive_and_mistakes`, `projection_free`, `gradient_boosting`, `agnostic` with
//! `boosting` and `statistical`, `maboost`, `bopl` with `weighted_tree`, `off_policy` (the kernels, by
//! family), `code` (the codes of refusals), `compare` (the agreement of results).

mod agnostic;
mod adaptive_and_mistakes;
mod boosting;
mod code;
mod compare;
mod gradient_boosting;
mod input;
mod mirror_descent;
mod oco;
mod projection_free;
mod projections;
mod statistical;
mod given;
mod bopl;
mod maboost;
mod weighted_tree;
mod off_policy;
#[cfg(test)]
mod tests;

use code::Refusal;
use compare::{Tolerance, Value, disagreements};
use input::Input;
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The folder of the repository's vectors.
#[must_use]
pub fn official_vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// Runs every case of every `*.json` of a folder, in the order of the file names, and reports to `out`: per
/// family its failing cases and a line of counts, and on the last line the counts of the whole folder.
///
/// A case of an unknown kernel fails; with `allow_unknown` it is skipped and counted by kernel.
///
/// ```
/// let dir = tempfile::tempdir()?;
/// let vectors = r#"{"family": "projections", "version": 1, "cases": [
///   {"kernel": "lmo", "name": "a vertex", "input": {"set": {"type": "simplex", "s": 2}, "g": [3, -1.5]},
///    "expected": {"x": [0, 2], "value": -3.0}, "tolerance": {"abs": 1e-9, "rel": 1e-9}},
///   {"kernel": "lmo", "name": "a fault", "input": {"set": {"type": "simplex", "s": 2}, "g": ["NaN"]},
///    "expected": {"error": "not-finite"}, "tolerance": {"abs": 1e-9, "rel": 1e-9}}]}"#;
/// std::fs::write(dir.path().join("projections.json"), vectors)?;
/// let mut report = Vec::new();
/// let summary = conformance::run(dir.path(), false, &mut report)?;
/// assert_eq!((summary.passed, summary.failed, summary.skipped), (2, 0, 0));
/// assert!(String::from_utf8(report)?.ends_with("\n2 passed, 0 failed, 0 skipped\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A folder or a file that cannot be read, a file that is not a vector file of version 1, a folder without a
/// case, or a report that cannot be written. A disagreeing case is not an error: it is counted.
pub fn run(dir: &Path, allow_unknown: bool, out: &mut dyn Write) -> Result<Summary, ConformError> {
    let mut total = Summary::default();
    for path in vector_files(dir)? {
        let counts = read(&path)?.run(allow_unknown, out)?;
        total.passed += counts.passed;
        total.failed += counts.failed;
        total.skipped += counts.skipped;
    }
    if total == Summary::default() {
        return Err(ConformError::NoVectors { dir: dir.to_path_buf() });
    }
    writeln!(out, "{total}")?;
    Ok(total)
}

/// The numbers of cases that passed, failed, and were skipped for an unknown kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Cases with all expected outputs, or with the expected refusal.
    pub passed: usize,
    /// Cases that disagree.
    pub failed: usize,
    /// Cases of unknown kernels, if allowed.
    pub skipped: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// The reason why a run over a folder of vectors ended early.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConformError {
    /// The folder or one of its files cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The folder has no case.
    #[error("{} holds no conformance vectors (*.json)", dir.display())]
    NoVectors {
        /// The folder.
        dir: PathBuf,
    },
    /// A file is not JSON, or not in the format of a vector file.
    #[error("{} is not a vector file: {source}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The departure from the format.
        source: serde_json::Error,
    },
    /// A file with another version of the format.
    #[error("{} has version {version}, not 1", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        version: f64,
    },
    /// The report cannot be written.
    #[error("cannot write the report: {0}")]
    Report(#[from] io::Error),
}

fn vector_files(dir: &Path) -> Result<Vec<PathBuf>, ConformError> {
    let unreadable = |source| ConformError::Unreadable { path: dir.to_path_buf(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> Result<Family, ConformError> {
    let path = path.to_path_buf();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) => return Err(ConformError::Unreadable { path, source }),
    };
    let family: Family = match serde_json::from_str(&text) {
        Ok(family) => family,
        Err(source) => return Err(ConformError::Malformed { path, source }),
    };
    // An integer may be written 1 or 1.0, so the version is read as a double.
    if (family.version - 1.0).abs() > 0.0 {
        return Err(ConformError::Version { path, version: family.version });
    }
    Ok(family)
}

#[derive(Deserialize)]
struct Family {
    family: String,
    version: f64,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    kernel: String,
    name: String,
    input: Map<String, Json>,
    expected: Map<String, Json>,
    tolerance: Tolerance,
}

/// A kernel: a function from an input to named outputs or to a crate's refusal.
type Kernel = fn(&Input<'_>) -> Result<Value, Refusal>;

fn kernel(family: &str, name: &str) -> Option<Kernel> {
    match family {
        "projections" => projections::kernel(name),
        "oco" => oco::kernel(name).or_else(|| adaptive_and_mistakes::kernel(name)),
        "projection_free" => projection_free::kernel(name),
        "gradient_boosting" => gradient_boosting::kernel(name),
        "agnostic" => {
            agnostic::kernel(name).or_else(|| boosting::kernel(name)).or_else(|| statistical::kernel(name))
        }
        "maboost" => maboost::kernel(name),
        "bopl" => bopl::kernel(name).or_else(|| weighted_tree::kernel(name)),
        "off_policy" => off_policy::kernel(name),
        _ => None,
    }
}

impl Family {
    fn run(&self, allow_unknown: bool, out: &mut dyn Write) -> Result<Summary, ConformError> {
        let (family, mut counts, mut unknown) = (&self.family, Summary::default(), BTreeMap::new());
        for case in &self.cases {
            let Some(kernel) = kernel(family, &case.kernel) else {
                *unknown.entry(&case.kernel).or_insert(0_usize) += 1;
                continue;
            };
            let complaints = case.complaints(kernel);
            if complaints.is_empty() {
                counts.passed += 1;
                continue;
            }
            counts.failed += 1;
            for complaint in complaints {
                writeln!(out, "FAILED {family} {} '{}': {complaint}", case.kernel, case.name)?;
            }
        }
        for (kernel, cases) in unknown {
            let verdict = if allow_unknown { "skipped" } else { "FAILED" };
            writeln!(out, "{verdict} {family} {kernel}: unknown kernel, {cases} cases")?;
            *(if allow_unknown { &mut counts.skipped } else { &mut counts.failed }) += cases;
        }
        writeln!(out, "{family}: {counts}")?;
        Ok(counts)
    }
}

impl Case {
    /// The disagreements of the kernel; empty if the case passes.
    fn complaints(&self, kernel: Kernel) -> Vec<String> {
        let outcome = kernel(&Input::new(&self.input));
        match (self.expected.get("error").and_then(Json::as_str), outcome) {
            (None, Ok(got)) => disagreements(&got, &self.expected, self.tolerance),
            (None, Err(refusal)) => vec![format!("refused: {refusal}")],
            (Some(want), Ok(_)) => vec![format!("error: got none, want {want}")],
            (Some(want), Err(refusal)) if refusal.code() == Some(want) => Vec::new(),
            (Some(want), Err(refusal)) => {
                let got = refusal.code().unwrap_or("an error without a code");
                vec![format!("error: got {got} ({refusal}), want {want}")]
            }
        }
    }
}
