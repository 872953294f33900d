//! Lines of cells on the standard output.

use crate::failure::Failure;
use std::io::{self, BufWriter, Write};

/// Writes to the standard output.
pub(super) fn printed(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<u8, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        // Whoever reads has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        other => Ok(other.map(|()| 0)?),
    }
}

/// Cells as RFC 4180 has them.
pub(super) fn line(out: &mut dyn Write, cells: &[String]) -> io::Result<()> {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let cells: Vec<String> = cells.iter().map(quoted).collect();
    writeln!(out, "{}", cells.join(","))
}
