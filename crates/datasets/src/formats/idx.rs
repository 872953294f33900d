//! The IDX format: an array of bytes behind its dimensions.

use crate::dataset::SourceFile;
pub use crate::error::IdxProblem;

use crate::error::DataError;
use crate::files::source::{Source, read_failure};
use std::io::Read;
use std::path::Path;

/// An array of bytes, the last dimension running fastest.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two-by-three");
/// std::fs::write(&path, [0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6])?;
/// let array = datasets::idx::read(&path, 2)?;
/// assert_eq!((array.dimensions, array.bytes), (vec![2, 3], vec![1, 2, 3, 4, 5, 6]));
/// assert!(datasets::idx::read(&path, 1).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Idx {
    /// The dimensions.
    pub dimensions: Vec<usize>,
    /// As many bytes as the product of the dimensions.
    pub bytes: Vec<u8>,
    /// The file.
    pub file: SourceFile,
}

/// Reads an array of unsigned bytes with `rank` dimensions, plain or compressed.
///
/// The format is two zero bytes, the type (8, unsigned bytes), the number of dimensions, each dimension as a
/// big-endian number of four bytes, and the array. Memory grows with what the file holds, not with what its
/// header says.
///
/// # Errors
/// [`DataError::Idx`], [`DataError::Io`], [`DataError::Truncated`], [`DataError::TooLarge`].
pub fn read(path: &Path, rank: u8) -> Result<Idx, DataError> {
    let refuse =
        |offset: usize, problem| DataError::Idx { path: path.to_owned(), offset: offset as u64, problem };
    let mut source = Source::open(path)?;
    let mut up_to = |length: usize| {
        let mut bytes = Vec::new();
        let read = source.by_ref().take(length as u64).read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|e| read_failure(path, 0, e))
    };

    let expected = [0, 0, 8, rank];
    let magic = up_to(4)?;
    if magic != expected {
        let mut got = [0; 4];
        got.iter_mut().zip(&magic).for_each(|(to, from)| *to = *from);
        return Err(refuse(0, IdxProblem::Magic { expected, got }));
    }
    let header = up_to(4 * usize::from(rank))?;
    if header.len() < 4 * usize::from(rank) {
        let (expected, got) = (4 + 4 * usize::from(rank), 4 + header.len());
        return Err(refuse(got, IdxProblem::ShortHeader { expected, got }));
    }
    let (words, _) = header.as_chunks::<4>();
    let dimensions: Vec<usize> = words.iter().map(|&word| u32::from_be_bytes(word) as usize).collect();
    // One more than the size must fit too: it is how bytes behind the array are noticed.
    let size = dimensions.iter().try_fold(1usize, |product, &d| product.checked_mul(d));
    let Some(size) = size.filter(|&size| size < isize::MAX as usize) else {
        return Err(refuse(4, IdxProblem::TooLarge { dimensions }));
    };
    let bytes = up_to(size + 1)?;
    let start = 4 + header.len();
    if bytes.len() < size {
        let problem = IdxProblem::Short { expected: size, got: bytes.len() };
        return Err(refuse(start + bytes.len(), problem));
    }
    if bytes.len() > size {
        return Err(refuse(start + size, IdxProblem::TrailingBytes { expected: size }));
    }
    Ok(Idx { dimensions, bytes, file: source.finish()? })
}
