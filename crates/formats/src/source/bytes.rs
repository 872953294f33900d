//! A decompressed stream that counts and hashes its bytes.

use crate::FormatError;
use crate::error::Place;
use crate::facts::{FileName, Progress};
use crate::options::Limits;
use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::rc::Rc;

/// How many bytes of a decompressed stream are looked at for its format.
const PEEKED: u64 = 1 << 16;

/// A decompressed stream: what it hands out is counted and hashed.
pub(crate) struct Stream {
    name: FileName,
    limits: Limits,
    /// The file itself, where its bytes are handed out as they are.
    file: Option<File>,
    total: Option<u64>,
    /// Bytes of the file so far, before decompression.
    raw: Rc<Cell<u64>>,
    inner: Box<dyn Read>,
    peeked: Cursor<Vec<u8>>,
    hash: Sha256,
    bytes: u64,
}

impl Stream {
    pub(super) fn of_file(
        name: FileName,
        file: File,
        length: u64,
        limits: Limits,
    ) -> Result<Self, FormatError> {
        let own = file.try_clone().map_err(|error| FormatError::io(&name, &error))?;
        let (mut stream, is_compressed) = Self::of_reader(name, file, limits)?;
        stream.total = Some(length);
        stream.file = (!is_compressed).then_some(own);
        Ok(stream)
    }

    /// The stream, and whether it is compressed.
    pub(super) fn of_reader(
        name: FileName,
        reader: impl Read + 'static,
        limits: Limits,
    ) -> Result<(Self, bool), FormatError> {
        let raw = Rc::new(Cell::new(0));
        let mut counted = Counted { reader, count: raw.clone(), name: name.clone() };
        let failed = |error: io::Error| FormatError::io(&name, &error);
        let magic = peek(&mut counted, 6).map_err(failed)?;
        let compression = Compression::of(&magic);
        let whole = BufReader::with_capacity(1 << 16, Cursor::new(magic).chain(counted));
        let decoder: Box<dyn Read> = match compression {
            None => Box::new(whole),
            Some(Compression::Zstd) => {
                Box::new(zstd::stream::read::Decoder::with_buffer(whole).map_err(failed)?)
            }
            Some(Compression::Gzip) => Box::new(MultiGzDecoder::new(whole)),
            Some(Compression::Other(format)) => {
                let reason = "is not read here: unpack the file, or use gzip or zstd";
                return Err(FormatError::WrongFormat { file: name, format, reason });
            }
        };
        let mut inner = match compression {
            None => decoder,
            Some(Compression::Zstd) => Bounded::boxed(decoder, "zstd", &name, limits, &raw),
            Some(_) => Bounded::boxed(decoder, "gzip", &name, limits, &raw),
        };
        let peeked = Cursor::new(peek(&mut inner, PEEKED).map_err(failed)?);
        let hash = Sha256::new();
        let stream = Self { name, limits, file: None, total: None, raw, inner, peeked, hash, bytes: 0 };
        Ok((stream, compression.is_some()))
    }

    pub(crate) fn name(&self) -> &FileName {
        &self.name
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// The first bytes, of which none is read by this.
    pub(crate) fn beginning(&self) -> &[u8] {
        self.peeked.get_ref()
    }

    /// How far the file is read, with this number of rows.
    pub(crate) fn progress(&self, rows: u64) -> Progress {
        Progress { bytes: self.raw.get(), total_bytes: self.total, rows }
    }

    /// Decompressed bytes that were handed out.
    pub(crate) fn decoded(&self) -> u64 {
        self.bytes
    }

    /// Decompressed bytes, and their SHA-256 in hexadecimal digits.
    pub(crate) fn fingerprint(&self) -> (u64, String) {
        let mut text = String::new();
        for byte in self.hash.clone().finalize() {
            // A string takes all that is written to it.
            let _ = write!(text, "{byte:02x}");
        }
        (self.bytes, text)
    }

    /// Reads what is left, so that the count and the hash are of all bytes.
    pub(crate) fn drain(
        &mut self,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
        to: &mut dyn Write,
    ) -> Result<(), FormatError> {
        let (mut buffer, mut written) = (vec![0; 1 << 18], 0_u64);
        loop {
            let n = self.read(&mut buffer).map_err(|error| FormatError::io(&self.name, &error))?;
            if n == 0 {
                return Ok(());
            }
            written = written.saturating_add(n as u64);
            to.write_all(buffer.get(..n).unwrap_or_default())
                .map_err(|error| FormatError::io(&self.name, &error))?;
            if written > self.limits.spooled_bytes && self.file.is_none() {
                let (bytes, limit) = (self.raw.get(), self.limits.spooled_bytes);
                return Err(FormatError::DecompressesTooFar { file: self.name.clone(), bytes, limit });
            }
            if progress(self.progress(0)).is_break() {
                return Err(FormatError::Interrupted { rows: 0 });
            }
        }
    }

    /// The file itself, where its bytes are handed out as they are, and its length. Nothing is hashed by this.
    pub(crate) fn as_file(&self) -> Result<Option<(File, u64)>, FormatError> {
        let Some((file, length)) = self.file.as_ref().zip(self.total) else { return Ok(None) };
        let file = file.try_clone().map_err(|error| FormatError::io(&self.name, &error))?;
        Ok(Some((file, length)))
    }

    /// A file that can be read in any order, of the same bytes: the file itself, or a temporary one where
    /// they come from a stream or are decompressed. All bytes are hashed by this.
    pub(crate) fn seekable(
        &mut self,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<File, FormatError> {
        let name = self.name.clone();
        let failed = |error: io::Error| FormatError::io(&name, &error);
        let mut file = match self.file.as_ref() {
            Some(file) => {
                let file = file.try_clone().map_err(failed)?;
                self.drain(progress, &mut io::sink())?;
                file
            }
            None => {
                let mut spooled = tempfile::tempfile().map_err(failed)?;
                self.drain(progress, &mut spooled)?;
                spooled
            }
        };
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        Ok(file)
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut n = self.peeked.read(buffer)?;
        if n == 0 {
            n = self.inner.read(buffer)?;
        }
        self.hash.update(buffer.get(..n).unwrap_or_default());
        self.bytes = self.bytes.saturating_add(n as u64);
        Ok(n)
    }
}

/// Up to `count` bytes; a slow stream may hand out a part at a time.
fn peek(reader: &mut impl Read, count: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.by_ref().take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[derive(Clone, Copy)]
enum Compression {
    Gzip,
    Zstd,
    /// Known by name only.
    Other(&'static str),
}

impl Compression {
    fn of(magic: &[u8]) -> Option<Self> {
        const MAGIC: [(&[u8], Compression); 6] = [
            (b"\x1f\x8b", Compression::Gzip),
            (b"\x28\xb5\x2f\xfd", Compression::Zstd),
            (b"BZh", Compression::Other("bzip2")),
            (b"\xfd7zXZ\0", Compression::Other("xz")),
            (b"PK\x03\x04", Compression::Other("a zip archive or a spreadsheet")),
            (b"7z\xbc\xaf\x27\x1c", Compression::Other("7z")),
        ];
        MAGIC.into_iter().find(|(bytes, _)| magic.starts_with(bytes)).map(|(_, compression)| compression)
    }
}

/// Counts the bytes of a file, and says of a failure that it is the file's and not a decoder's.
struct Counted<R> {
    reader: R,
    count: Rc<Cell<u64>>,
    name: FileName,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(io::Error::other(FormatError::io(&self.name, &error))),
                Ok(n) => break n,
            }
        };
        self.count.set(self.count.get().saturating_add(n as u64));
        Ok(n)
    }
}

/// A decoder that may not hand out more than a log would have, and whose failures are those of the data.
struct Bounded {
    decoder: Box<dyn Read>,
    format: &'static str,
    name: FileName,
    limits: Limits,
    raw: Rc<Cell<u64>>,
    bytes: u64,
}

/// Decompressed bytes that no ratio is asked of.
const FREE_BYTES: u64 = 64 << 20;

impl Bounded {
    fn boxed(
        decoder: Box<dyn Read>,
        format: &'static str,
        name: &FileName,
        limits: Limits,
        raw: &Rc<Cell<u64>>,
    ) -> Box<dyn Read> {
        Box::new(Self { decoder, format, name: name.clone(), limits, raw: raw.clone(), bytes: 0 })
    }
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(buffer);
        let n = read.map_err(|error| match error.get_ref() {
            Some(inner) if inner.is::<FormatError>() => error,
            _ => {
                let place = Place { file: self.name.clone(), row: None, line: None };
                let (format, message) = (self.format, error.to_string());
                io::Error::other(FormatError::Damaged { place, format, message })
            }
        })?;
        self.bytes = self.bytes.saturating_add(n as u64);
        let by_ratio = self.raw.get().saturating_mul(self.limits.ratio).max(FREE_BYTES);
        let limit = by_ratio.min(self.limits.decompressed_bytes);
        if self.bytes > limit {
            let (file, bytes) = (self.name.clone(), self.raw.get());
            return Err(io::Error::other(FormatError::DecompressesTooFar { file, bytes, limit }));
        }
        Ok(n)
    }
}
