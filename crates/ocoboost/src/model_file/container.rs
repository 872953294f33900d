//! Sections with a checksum.

use super::ModelFileError;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};
use std::io::{Read, Write};

/// As of PNG: no text, and changed by whatever changes ends of lines.
const MAGIC: [u8; 8] = *b"\x89ocob\r\n\x1a";
const VERSION: u32 = 1;
/// The most sections.
const MOST_SECTIONS: u32 = 64;
/// Tag, stored length, raw length.
const ENTRY: usize = 4 + 8 + 8;
const HEAD: usize = MAGIC.len() + 4 + 4;
const CHECKSUM: usize = 32;
/// The most bytes that a stored byte may become.
const MOST_RATIO: usize = 64;

/// A section by its tag of four letters.
pub(super) struct Section {
    pub(super) tag: [u8; 4],
    pub(super) bytes: Vec<u8>,
}

/// The file of these sections.
pub(super) fn write(sections: &[Section], compression: Compression) -> Result<Vec<u8>, ModelFileError> {
    let (mut table, mut bodies) = (Vec::new(), Vec::new());
    for Section { tag, bytes } in sections {
        let refused = |error: std::io::Error| ModelFileError::NotSerialisable {
            section: name(*tag),
            reason: error.to_string(),
        };
        let mut encoder = DeflateEncoder::new(Vec::new(), compression);
        encoder.write_all(bytes).map_err(refused)?;
        let mut stored = encoder.finish().map_err(refused)?;
        // What shrinks too far, no reader would inflate: zeros behind the end of the stream, which is not
        // read beyond it, make it as long as it has to be.
        let least = bytes.len().div_ceil(MOST_RATIO);
        stored.resize(stored.len().max(least), 0);
        // Of equal length is what is not deflated.
        if stored.len() >= bytes.len() {
            stored.clone_from(bytes);
        }
        table.extend_from_slice(tag);
        table.extend_from_slice(&(stored.len() as u64).to_le_bytes());
        table.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        bodies.extend_from_slice(&stored);
    }
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.extend_from_slice(&u32::try_from(sections.len()).unwrap_or(u32::MAX).to_le_bytes());
    file.extend_from_slice(&table);
    file.extend_from_slice(&bodies);
    let checksum = Sha256::digest(&file);
    file.extend_from_slice(&checksum);
    Ok(file)
}

/// The sections of a file.
pub(super) fn read(file: &[u8]) -> Result<Vec<Section>, ModelFileError> {
    let got = file.len() as u64;
    let truncated = |expected: u64| ModelFileError::Truncated { expected, got };
    let begins = file.iter().zip(&MAGIC).all(|(a, b)| a == b);
    if !begins || file.is_empty() {
        return Err(ModelFileError::NotAModel);
    }
    if file.len() < HEAD + CHECKSUM {
        return Err(truncated((HEAD + CHECKSUM) as u64));
    }
    let version = number(file, MAGIC.len());
    if version != VERSION {
        return Err(ModelFileError::UnknownVersion { found: version, readable: VERSION });
    }
    let count = number(file, MAGIC.len() + 4);
    let section = || "the table of sections".to_owned();
    if count > MOST_SECTIONS {
        return Err(ModelFileError::Section { section: section(), reason: "there are more than 64" });
    }
    let table_end = HEAD + count as usize * ENTRY;
    if file.len() < table_end + CHECKSUM {
        return Err(truncated((table_end + CHECKSUM) as u64));
    }
    let entries: Vec<([u8; 4], u64, u64)> =
        file[HEAD..table_end].as_chunks::<ENTRY>().0.iter().map(entry).collect();
    let bodies = entries.iter().try_fold(0_u64, |sum, (_, stored, _)| sum.checked_add(*stored));
    let expected = bodies.and_then(|sum| sum.checked_add((table_end + CHECKSUM) as u64));
    match expected {
        Some(expected) if expected == got => {}
        Some(expected) if expected < got => {
            return Err(ModelFileError::Section { section: section(), reason: "bytes are left over" });
        }
        _ => return Err(truncated(expected.unwrap_or(u64::MAX))),
    }
    let (content, checksum) = file.split_at(file.len() - CHECKSUM);
    if Sha256::digest(content)[..] != *checksum {
        return Err(ModelFileError::Damaged);
    }
    let mut rest = &content[table_end..];
    let mut sections = Vec::new();
    for (tag, stored, raw) in entries {
        // The sum of the stored lengths is that of the file.
        let (body, behind) = rest.split_at(usize::try_from(stored).unwrap_or(usize::MAX).min(rest.len()));
        rest = behind;
        sections.push(Section { tag, bytes: inflate(tag, body, raw)? });
    }
    Ok(sections)
}

/// The bytes of a section, at most as many as it may have.
fn inflate(tag: [u8; 4], body: &[u8], raw: u64) -> Result<Vec<u8>, ModelFileError> {
    let stored = body.len() as u64;
    if raw == stored {
        return Ok(body.to_vec());
    }
    let limit = limit(stored);
    if raw > limit {
        return Err(ModelFileError::TooLarge { section: name(tag), stored, raw, limit });
    }
    let mut bytes = Vec::new();
    let read = DeflateDecoder::new(body).take(raw + 1).read_to_end(&mut bytes);
    if read.is_err() || bytes.len() as u64 != raw {
        return Err(ModelFileError::Section {
            section: name(tag),
            reason: "it does not inflate to its length",
        });
    }
    Ok(bytes)
}

/// The most bytes that so many stored ones may become.
fn limit(stored: u64) -> u64 {
    stored.saturating_mul(MOST_RATIO as u64)
}

fn number(bytes: &[u8], at: usize) -> u32 {
    let mut digits = [0; 4];
    digits.iter_mut().zip(&bytes[at..]).for_each(|(digit, byte)| *digit = *byte);
    u32::from_le_bytes(digits)
}

fn entry(bytes: &[u8; ENTRY]) -> ([u8; 4], u64, u64) {
    let [a, b, c, d, rest @ ..] = *bytes;
    let ([stored, raw], _) = rest.as_chunks::<8>() else { return ([a, b, c, d], 0, 0) };
    ([a, b, c, d], u64::from_le_bytes(*stored), u64::from_le_bytes(*raw))
}

/// A tag in letters.
pub(super) fn name(tag: [u8; 4]) -> String {
    String::from_utf8_lossy(&tag).into_owned()
}
