//! Columns of numbers behind a head of four counts.

use super::ModelFileError;

/// Four counts of eight bytes.
const HEAD: usize = 4 * 8;

/// The four counts.
pub(super) fn push_head(bytes: &mut Vec<u8>, counts: [usize; 4]) {
    for count in counts {
        bytes.extend_from_slice(&(count as u64).to_le_bytes());
    }
}

/// A column byte by byte, the first byte of every number before all second ones: like bytes stand together,
/// and deflate well.
pub(super) fn push_column<const N: usize>(bytes: &mut Vec<u8>, column: &[[u8; N]]) {
    for byte in 0..N {
        bytes.extend(column.iter().map(|number| number[byte]));
    }
}

/// Reads them back.
pub(super) struct Reader<'a> {
    section: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(section: &'a str, bytes: &'a [u8]) -> Self {
        Self { section, bytes, at: 0 }
    }

    /// Four counts, which nothing is allocated by before a column of that length was there.
    pub(super) fn head(&mut self) -> Result<[usize; 4], ModelFileError> {
        let too_large = || ModelFileError::State {
            section: self.section.to_owned(),
            reason: "a count is beyond what the file holds".to_owned(),
        };
        let head = self.bytes.get(..HEAD).ok_or_else(too_large)?;
        let mut counts = [0; 4];
        for (count, bytes) in counts.iter_mut().zip(head.as_chunks::<8>().0) {
            *count = usize::try_from(u64::from_le_bytes(*bytes)).map_err(|_| too_large())?;
        }
        self.at = HEAD;
        Ok(counts)
    }

    /// The next column of so many numbers of N bytes; nothing is allocated.
    pub(super) fn column<const N: usize>(
        &mut self,
        count: usize,
    ) -> Result<impl Iterator<Item = [u8; N]> + Clone + use<'a, N>, ModelFileError> {
        let end = count.checked_mul(N).and_then(|length| self.at.checked_add(length));
        let column = end.and_then(|end| self.bytes.get(self.at..end));
        let column = column.ok_or_else(|| ModelFileError::State {
            section: self.section.to_owned(),
            reason: "a column ends before its end".to_owned(),
        })?;
        self.at += column.len();
        Ok((0..count).map(move |k| std::array::from_fn(|byte| column[byte * count + k])))
    }

    /// Refuses bytes behind the last column.
    pub(super) fn end(&self) -> Result<(), ModelFileError> {
        if self.at == self.bytes.len() {
            return Ok(());
        }
        let (section, reason) = (self.section.to_owned(), "bytes are left over".to_owned());
        Err(ModelFileError::State { section, reason })
    }
}
