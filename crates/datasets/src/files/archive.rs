//! The one file inside a zip archive: how the repository publishes a set that has no plain file there.

use crate::error::{ArchiveProblem, DataError};
use flate2::CrcWriter;
use flate2::read::DeflateDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

const END_OF_DIRECTORY: [u8; 4] = *b"PK\x05\x06";
const DIRECTORY_ENTRY: [u8; 4] = *b"PK\x01\x02";
const LOCAL_HEADER: [u8; 4] = *b"PK\x03\x04";
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// Unpacks the single member of an archive, which must be called `expected`, and compares its CRC-32. Returns
/// its size.
///
/// The archive may be stored or deflated, of less than 4 GiB. A member of more than `limit` bytes is refused
/// by the size that the archive states, before anything is written; no more bytes are unpacked than it
/// states. `out` is written to before the sum is known: keep it only if this returns `Ok`.
///
/// # Errors
/// [`DataError::Archive`], [`DataError::Io`].
pub fn unpack_single_member(
    archive: &Path,
    expected: &str,
    limit: u64,
    out: &mut impl Write,
) -> Result<u64, DataError> {
    let refuse = |problem| DataError::Archive { path: archive.to_owned(), problem };
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput => refuse(ArchiveProblem::Malformed),
        _ => DataError::Io { path: archive.to_owned(), source },
    };
    let mut file = BufReader::new(File::open(archive).map_err(failed)?);
    let entry = directory_entry(&mut file).map_err(failed)?.map_err(refuse)?;
    if entry.name != expected.as_bytes() {
        let (expected, got) = (expected.to_owned(), String::from_utf8_lossy(&entry.name).into_owned());
        return Err(refuse(ArchiveProblem::OtherMember { expected, got }));
    }
    let stated = u64::from(entry.size);
    if stated > limit {
        return Err(refuse(ArchiveProblem::TooLarge { limit, got: stated }));
    }
    seek_to_content(&mut file, entry.header).map_err(failed)?.map_err(refuse)?;

    let packed = file.take(u64::from(entry.packed));
    let content: Box<dyn Read> = match entry.method {
        STORED => Box::new(packed),
        DEFLATED => Box::new(DeflateDecoder::new(packed)),
        method => return Err(refuse(ArchiveProblem::Method { method })),
    };
    let mut out = CrcWriter::new(out);
    let size = io::copy(&mut content.take(stated + 1), &mut out).map_err(failed)?;
    if size != stated {
        return Err(refuse(ArchiveProblem::WrongSize { expected: stated, got: size }));
    }
    if out.crc().sum() != entry.crc {
        return Err(refuse(ArchiveProblem::WrongCrc { expected: entry.crc, got: out.crc().sum() }));
    }
    Ok(size)
}

/// What the central directory says of a member.
struct Entry {
    name: Vec<u8>,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
    header: u32,
}

/// The only entry of the central directory, which the end of the file points to.
fn directory_entry(file: &mut (impl Read + Seek)) -> io::Result<Result<Entry, ArchiveProblem>> {
    // The end record has 22 bytes, and a comment of up to 65,535 may follow.
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(22 + 65_535)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let Some(start) = tail.windows(4).rposition(|bytes| bytes == END_OF_DIRECTORY) else {
        return Ok(Err(ArchiveProblem::Malformed));
    };
    let end = &tail[start..];
    let (Some(count), Some(directory)) = (u16_at(end, 10), u32_at(end, 16)) else {
        return Ok(Err(ArchiveProblem::Malformed));
    };
    if count != 1 {
        return Ok(Err(ArchiveProblem::Members { count: usize::from(count) }));
    }
    file.seek(SeekFrom::Start(u64::from(directory)))?;
    let mut fixed = [0; 46];
    file.read_exact(&mut fixed)?;
    let [method, name_length] = [10, 28].map(|at| u16_at(&fixed, at));
    let [crc, packed, size, header] = [16, 20, 24, 42].map(|at| u32_at(&fixed, at));
    let (Some(method), Some(name_length), Some(crc), Some(packed), Some(size), Some(header)) =
        (method, name_length, crc, packed, size, header)
    else {
        return Ok(Err(ArchiveProblem::Malformed));
    };
    let mut name = vec![0; usize::from(name_length)];
    file.read_exact(&mut name)?;
    if !fixed.starts_with(&DIRECTORY_ENTRY) {
        return Ok(Err(ArchiveProblem::Malformed));
    }
    Ok(Ok(Entry { name, method, crc, packed, size, header }))
}

/// Steps over the member's own header, whose two last fields have lengths of their own.
fn seek_to_content(file: &mut (impl Read + Seek), header: u32) -> io::Result<Result<(), ArchiveProblem>> {
    file.seek(SeekFrom::Start(u64::from(header)))?;
    let mut fixed = [0; 30];
    file.read_exact(&mut fixed)?;
    match (fixed.starts_with(&LOCAL_HEADER), u16_at(&fixed, 26), u16_at(&fixed, 28)) {
        (true, Some(name), Some(extra)) => {
            file.seek(SeekFrom::Current(i64::from(name) + i64::from(extra)))?;
            Ok(Ok(()))
        }
        _ => Ok(Err(ArchiveProblem::Malformed)),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().copied().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}
