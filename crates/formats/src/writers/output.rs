//! Files that appear whole or not at all, compressed or not.

use crate::FormatError;
use crate::facts::FileName;
use atomic_files::AtomicFile;
use std::io::{self, Write};
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    Plain,
    Gzip,
    Zstd,
}

type Writer<'a> = &'a mut (dyn Write + Send);

/// Writes beside the target, syncs and renames.
pub(super) fn atomically(
    path: &Path,
    file: &FileName,
    write: impl FnOnce(Writer<'_>) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let io = |error: io::Error| FormatError::io(file, &error);
    let mut out = AtomicFile::create(path).map_err(io)?;
    write(&mut out)?;
    out.commit().map_err(io)
}

/// Compresses what is written.
pub(super) fn with_compression(
    writer: Writer<'_>,
    output: Output,
    file: &FileName,
    write: impl FnOnce(Writer<'_>) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let io = |error: io::Error| FormatError::io(file, &error);
    match output {
        Output::Plain => write(writer),
        Output::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(writer, flate2::Compression::default());
            write(&mut encoder)?;
            encoder.finish().map(drop).map_err(io)
        }
        Output::Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(writer, 0).map_err(io)?;
            write(&mut encoder)?;
            encoder.finish().map(drop).map_err(io)
        }
    }
}
