//! Where an answer goes: the standard output, or a file that appears whole or not at all.

use crate::failure::Failure;
use boosters::saved::write_atomically_with;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Why an answer was not written to its end.
pub(super) enum Unwritten {
    Io(io::Error),
    Failed(Box<Failure>),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Failure> for Unwritten {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}

/// Writes an answer to a file, or to the standard output for `-` and for `None`. A closed pipe is no error:
/// whoever reads has read enough.
pub(super) fn write_to(
    target: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Unwritten>,
) -> Result<(), Failure> {
    match target.filter(|path| path.as_os_str() != "-") {
        Some(path) => write_atomically_with(path, write).map_err(|error| match error {
            Unwritten::Io(source) => Failure::WriteFile { path: path.to_owned(), source },
            Unwritten::Failed(failure) => *failure,
        }),
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            match write(&mut out).and_then(|()| Ok(out.flush()?)) {
                Err(Unwritten::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                Err(Unwritten::Io(error)) => Err(error.into()),
                Err(Unwritten::Failed(failure)) => Err(*failure),
                Ok(()) => Ok(()),
            }
        }
    }
}

/// Cells as RFC 4180 has them.
pub(super) fn cells(out: &mut dyn Write, cells: &[String]) -> io::Result<()> {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let cells: Vec<String> = cells.iter().map(quoted).collect();
    writeln!(out, "{}", cells.join(","))
}
