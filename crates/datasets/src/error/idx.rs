//! Problems of an IDX file.

use thiserror::Error;

/// What is wrong with an IDX file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IdxProblem {
    /// The first four bytes are not those of an array of unsigned bytes with the expected number of
    /// dimensions.
    #[error("the file opens with {got:02x?}, expected {expected:02x?}")]
    Magic {
        /// The bytes of the format.
        expected: [u8; 4],
        /// The bytes found, padded with zeros.
        got: [u8; 4],
    },
    /// The file ends within its header.
    #[error("the header has {expected} bytes, the file {got}")]
    ShortHeader {
        /// Bytes of the header.
        expected: usize,
        /// Bytes of the file.
        got: usize,
    },
    /// A dimension that the data set does not have.
    #[error("dimension {dimension} is {got}, expected {expected}")]
    Dimension {
        /// Which one, from 0.
        dimension: usize,
        /// The size expected.
        expected: usize,
        /// The size found.
        got: usize,
    },
    /// The product of the dimensions does not fit into the memory of any machine.
    #[error("an array of dimensions {dimensions:?} is too large")]
    TooLarge {
        /// The dimensions.
        dimensions: Vec<usize>,
    },
    /// Fewer bytes than the dimensions ask for.
    #[error("the file ends here: its dimensions ask for {expected} bytes, it has {got}")]
    Short {
        /// Bytes that the dimensions ask for.
        expected: usize,
        /// Bytes there.
        got: usize,
    },
    /// The file goes on behind the array.
    #[error("the array of {expected} bytes ends here, the file does not")]
    TrailingBytes {
        /// Bytes that the dimensions ask for.
        expected: usize,
    },
    /// A label outside the classes.
    #[error("label {value} is none of {classes} classes, which count from 0")]
    UnknownClass {
        /// The label.
        value: u8,
        /// The number of classes.
        classes: usize,
    },
}
