//! A data file as a stream of its uncompressed bytes, hashed while it is read.

use crate::dataset::SourceFile;
use crate::error::DataError;
use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The most bytes that a compressed file may unpack to where the size of its content is not known: 1 GiB, ten
/// times the largest official file. A thousandth of it is enough to fill a disc or the memory otherwise.
pub(crate) const MOST_UNPACKED: u64 = 1 << 30;

/// Reads a plain file, or a compressed one, and keeps the SHA-256 of what went by. A file is compressed if it
/// opens with the two bytes that mark the gzip format; its name does not matter, so that a download can be
/// checked under any.
pub(crate) struct Source {
    path: PathBuf,
    content: Box<dyn Read>,
    hasher: Sha256,
    bytes: u64,
    limit: u64,
}

/// The content goes on behind the limit. It travels inside an [`io::Error`] through the readers.
#[derive(Debug, Error)]
#[error("the content goes on behind {limit} bytes")]
struct BeyondLimit {
    limit: u64,
}

impl Source {
    /// Opens a file whose size is not known: a plain one is as large as it is, a compressed one has
    /// [`MOST_UNPACKED`] bytes of content at most.
    pub(crate) fn open(path: &Path) -> Result<Self, DataError> {
        Self::with_limits(path, MOST_UNPACKED, u64::MAX)
    }

    /// Opens a file whose content, plain or compressed, has `limit` bytes at most.
    pub(crate) fn open_at_most(path: &Path, limit: u64) -> Result<Self, DataError> {
        Self::with_limits(path, limit, limit)
    }

    fn with_limits(path: &Path, compressed_limit: u64, plain_limit: u64) -> Result<Self, DataError> {
        let failure = |source| DataError::Io { path: path.to_owned(), source };
        let mut file = BufReader::with_capacity(1 << 16, File::open(path).map_err(failure)?);
        let compressed = file.fill_buf().map_err(failure)?.starts_with(&[0x1f, 0x8b]);
        let (content, limit): (Box<dyn Read>, u64) = if compressed {
            (Box::new(MultiGzDecoder::new(file)), compressed_limit)
        } else {
            (Box::new(file), plain_limit)
        };
        Ok(Self { path: path.to_owned(), content, hasher: Sha256::new(), bytes: 0, limit })
    }

    /// Reads the rest and returns the checksum of the whole content.
    pub(crate) fn finish(mut self) -> Result<SourceFile, DataError> {
        io::copy(&mut self, &mut io::sink()).map_err(|e| read_failure(&self.path, 0, e))?;
        Ok(SourceFile { path: self.path, sha256: hexadecimal(&self.hasher.finalize()), bytes: self.bytes })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.limit - self.bytes;
        // One byte more than there may be: it is how content behind the limit is noticed.
        let most = usize::try_from(left.saturating_add(1)).unwrap_or(usize::MAX).min(buffer.len());
        let n = self.content.read(buffer.get_mut(..most).unwrap_or_default())?;
        if n as u64 > left {
            return Err(io::Error::other(BeyondLimit { limit: self.limit }));
        }
        self.hasher.update(buffer.get(..n).unwrap_or_default());
        self.bytes += n as u64;
        Ok(n)
    }
}

/// A read that failed after `line` complete lines: only a compressed stream knows that it ends too soon.
pub(crate) fn read_failure(path: &Path, line: u64, source: io::Error) -> DataError {
    let path = path.to_owned();
    if let Some(BeyondLimit { limit }) = source.get_ref().and_then(|inner| inner.downcast_ref()) {
        return DataError::TooLarge { path, limit: *limit };
    }
    match source.kind() {
        io::ErrorKind::UnexpectedEof => DataError::Truncated { path, line },
        _ => DataError::Io { path, source },
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn packed(bytes: usize) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&vec![0; bytes]).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn content_ends_at_its_limit_or_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zeros");
        for content in [vec![0; 1_000], packed(1_000), [packed(400), packed(600)].concat()] {
            std::fs::write(&path, content).unwrap();
            let read = |limit| Source::open_at_most(&path, limit).and_then(Source::finish);
            assert_eq!(read(1_000).unwrap().bytes, 1_000);
            for limit in [999, 1, 0] {
                let refused = read(limit).unwrap_err();
                assert!(matches!(refused, DataError::TooLarge { limit: l, .. } if l == limit), "{refused}");
                assert!(refused.to_string().contains(&format!("{limit} bytes")), "{refused}");
            }
        }
    }

    #[test]
    fn a_compressed_file_of_unknown_size_has_a_stated_limit_and_a_plain_one_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zeros");
        std::fs::write(&path, packed(1_000_000)).unwrap();
        assert_eq!(Source::open(&path).unwrap().limit, MOST_UNPACKED);
        let refused = Source::with_limits(&path, 999_999, u64::MAX).and_then(Source::finish).unwrap_err();
        assert!(matches!(refused, DataError::TooLarge { limit: 999_999, .. }), "{refused}");
        std::fs::write(&path, vec![0; 1_000_000]).unwrap();
        assert_eq!(Source::open(&path).unwrap().limit, u64::MAX);
        let read = Source::with_limits(&path, 999_999, u64::MAX).and_then(Source::finish).unwrap();
        assert_eq!(read.bytes, 1_000_000);
    }
}
