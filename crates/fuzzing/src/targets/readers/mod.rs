//! Readers of files and streams.

mod data_files;
mod formats;
mod logs;
mod results;
mod specifications;

use crate::target::{Format, Target};
use crate::verdict::{AnyError, Complaint, Verdict};
use flate2::{Compression, write::GzEncoder};
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) fn all() -> Vec<Target> {
    let mut list = logs::all();
    list.extend(formats::all());
    list.extend(data_files::all());
    list.extend(results::all());
    list.extend(specifications::all());
    list
}

/// A target that reads its input from a file. One file per worker holds one input at a time.
fn with_file<T: 'static>(
    name: &'static str,
    format: Format,
    seeds: impl Fn() -> Result<Vec<Vec<u8>>, AnyError> + Send + Sync + 'static,
    read: fn(&Path) -> Result<T, AnyError>,
    check: fn(&T) -> Result<(), Complaint>,
) -> Target {
    Target::new(name, format, move || {
        let folder = tempfile::tempdir()?;
        let path: PathBuf = folder.path().join("file");
        let judge = move |input: &[u8]| {
            // The folder is dropped with the closure.
            let _ = &folder;
            // Some file systems flush an overwritten file to the disk; a fresh file is not flushed.
            drop(std::fs::remove_file(&path));
            match std::fs::write(&path, input).map_err(AnyError::from).and_then(|()| read(&path)) {
                Ok(value) => check(&value).map_or_else(Verdict::Faulty, |()| Verdict::Accepted),
                Err(error) => refused(&error),
            }
        };
        Ok(crate::target::Prepared { seeds: seeds()?, judge: Box::new(judge) })
    })
}

fn refused(error: &impl Display) -> Verdict {
    std::hint::black_box(error.to_string());
    Verdict::Refused
}

fn law(law: &'static str, holds: bool, detail: impl Display) -> Result<(), Complaint> {
    if holds { Ok(()) } else { Err(Complaint { law, detail: detail.to_string() }) }
}

fn compressed(bytes: &[u8]) -> Result<Vec<u8>, AnyError> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}
