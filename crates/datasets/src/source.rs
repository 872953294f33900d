//! A data file as a stream of its uncompressed bytes, hashed while it is read.

use crate::{DataError, SourceFile};
use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Reads a plain file, or a compressed one, and keeps the SHA-256 of what went by. A file is compressed if it opens with
/// the two bytes that mark the gzip format; its name does not matter, so that a download can be checked under any.
pub(crate) struct Source {
    path: PathBuf,
    content: Box<dyn Read>,
    hasher: Sha256,
    bytes: u64,
}

impl Source {
    pub(crate) fn open(path: &Path) -> Result<Self, DataError> {
        let failure = |source| DataError::Io { path: path.to_owned(), source };
        let mut file = BufReader::with_capacity(1 << 16, File::open(path).map_err(failure)?);
        let compressed = file.fill_buf().map_err(failure)?.starts_with(&[0x1f, 0x8b]);
        let content: Box<dyn Read> =
            if compressed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
        Ok(Self { path: path.to_owned(), content, hasher: Sha256::new(), bytes: 0 })
    }

    /// Reads what is left, and states the sum of the whole content.
    pub(crate) fn finish(mut self) -> Result<SourceFile, DataError> {
        io::copy(&mut self, &mut io::sink()).map_err(|e| read_failure(&self.path, 0, e))?;
        Ok(SourceFile { path: self.path, sha256: hexadecimal(&self.hasher.finalize()), bytes: self.bytes })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.content.read(buffer)?;
        self.hasher.update(buffer.get(..n).unwrap_or_default());
        self.bytes += n as u64;
        Ok(n)
    }
}

/// A read that failed after `line` complete lines: only a compressed stream knows that it ends too soon.
pub(crate) fn read_failure(path: &Path, line: u64, source: io::Error) -> DataError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::UnexpectedEof => DataError::Truncated { path, line },
        _ => DataError::Io { path, source },
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
