//! Whole files through the public readers and writers.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod broken;
mod candidates;
mod decisions;
mod examples;
mod inference;
mod ranks;
mod reading;
mod round_trip;
mod same_log;
mod several;
mod vw_files;

use formats::{FormatError, LogOptions, ReadLog, Source, quiet, read_log};
use std::path::PathBuf;

/// A file of `tests/data`.
fn data(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", name].iter().collect()
}

/// A text as a file of this name, by default options.
fn read(name: &str, text: &str) -> Result<ReadLog, FormatError> {
    read_log(Source::bytes(name, text), &LogOptions::default(), &mut quiet)
}

/// The rows of the contexts.
fn dense(log: &ReadLog) -> Vec<Vec<f64>> {
    log.contexts.iter().map(|row| row.to_dense()).collect()
}
