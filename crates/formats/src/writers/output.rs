//! Files that appear whole or not at all, compressed or not.

use crate::FormatError;
use crate::facts::FileName;
use std::io::{self, BufWriter, Write};
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
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // What the system says of the folder, and not of the temporary file: its user asked for another one.
    std::fs::metadata(folder).map_err(io)?;
    let unnamed = |error: io::Error| io(error.kind().into());
    let mut builder = tempfile::Builder::new();
    // A temporary file is private to its owner; a log is readable like any other file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder).map_err(unnamed)?;
    let mut buffered = BufWriter::with_capacity(1 << 16, temporary.as_file_mut());
    write(&mut buffered)?;
    buffered.flush().map_err(io)?;
    drop(buffered);
    temporary.as_file().sync_all().map_err(io)?;
    temporary.persist(path).map_err(|refused| io(refused.error))?;
    Ok(())
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
