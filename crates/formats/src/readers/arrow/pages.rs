//! The bytes of a Parquet file, whose pages may not state to be longer than their bytes account for.

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufRead, BufReader};

/// A file. The decoder allocates what the header of a page states before it reads the page; so the header is
/// looked at when the decoder asks for its bytes.
pub(super) struct Pages {
    pub(super) file: File,
    /// The most bytes that a byte decompresses to.
    pub(super) ratio: u64,
}

/// Bytes that a page may decompress to whatever its length.
const FREE_BYTES: u64 = 64 << 20;

impl Length for Pages {
    fn len(&self) -> u64 {
        Length::len(&self.file)
    }
}

impl ChunkReader for Pages {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut reader = self.file.get_read(start)?;
        if let Some((uncompressed, compressed)) = sizes(reader.fill_buf()?) {
            let most = compressed.saturating_mul(self.ratio).max(FREE_BYTES);
            if uncompressed > most {
                let text = format!("a page of {compressed} bytes states to be {uncompressed} bytes long");
                return Err(ParquetError::General(text));
            }
        }
        Ok(reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // The length is a number of the file.
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > Length::len(&self.file)) {
            return Err(ParquetError::General(format!("{length} bytes are missing at {start}")));
        }
        self.file.get_bytes(start, length)
    }
}

/// The decompressed and the compressed size that the header of a page begins with: after its kind, three
/// numbers in Thrift's compact protocol, each a byte 0x15 (the next field, a whole number) and zigzag digits.
/// `None` for bytes that are no such header.
fn sizes(bytes: &[u8]) -> Option<(u64, u64)> {
    let mut bytes = bytes.iter();
    let mut number = || {
        if *bytes.next()? != 0x15 {
            return None;
        }
        let mut value = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = *bytes.next()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                // An odd number stands for a negative one, which the decoder refuses.
                return Some(value / 2);
            }
        }
        None
    };
    number()?;
    Some((number()?, number()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_thrift_writes_them() {
        assert_eq!(sizes(&[0x15, 0, 0x15, 0x80, 0x02, 0x15, 0x14]), Some((128, 10)));
        assert_eq!(
            sizes(&[0x15, 0, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 0x14]),
            Some((i32::MAX as u64, 10))
        );
        assert_eq!(sizes(&[0x15, 0, 0x25, 1]), None);
        assert_eq!(sizes(&[0x15, 0, 0x15, 0x80]), None);
        assert_eq!(sizes(b""), None);
    }

    #[test]
    fn a_page_that_states_a_gigabyte_is_refused_before_it_is_read() {
        use std::io::Write;
        let header =
            |uncompressed: [u8; 5]| [&[0x15, 0, 0x15][..], &uncompressed, &[0x15, 0x14, 0x2c]].concat();
        let pages = |header: &[u8]| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(header).unwrap();
            Pages { file, ratio: 1000 }
        };
        // 2^30 and 2^26, doubled and in digits of seven bits.
        let large = pages(&header([0x80, 0x80, 0x80, 0x80, 0x08]));
        let message = large.get_read(0).map(drop).unwrap_err().to_string();
        assert!(message.ends_with("a page of 10 bytes states to be 1073741824 bytes long"), "{message}");
        assert!(pages(&header([0x80, 0x80, 0x80, 0xc0, 0x00])).get_read(0).is_ok());
        assert!(large.get_bytes(4, 100).is_err() && large.get_bytes(u64::MAX, 1).is_err());
        assert_eq!(large.get_bytes(1, 2).unwrap().len(), 2);
    }
}
