//! Errors of rows and matrices of rows.

use thiserror::Error;

/// Why a row or a matrix was refused. Positions count from 0.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RowError {
    /// A row without coordinates, or a matrix without columns.
    #[error("a row needs at least one coordinate")]
    Empty,
    /// More coordinates than 32-bit indices can name.
    #[error("{dimension} coordinates, a row or a matrix has at most {limit}")]
    TooManyCoordinates {
        /// The number asked for.
        dimension: usize,
        /// The largest number.
        limit: usize,
    },
    /// More rows than 32-bit numbers can name.
    #[error("{rows} rows or pairs, at most {limit} are supported")]
    TooManyRows {
        /// The number asked for.
        rows: usize,
        /// The largest number.
        limit: usize,
    },
    /// Candidates that nothing tells apart.
    #[error("{pairs} pairs have contexts alone, which tell no candidate of a choice from another")]
    ContextsAlone {
        /// How many.
        pairs: usize,
    },
    /// A NaN or an infinity in a row.
    #[error("entry {position} is {value}, not a finite number")]
    NotFinite {
        /// Position in the list of values.
        position: usize,
        /// The value found there.
        value: f64,
    },
    /// A number beyond [`LARGEST`](crate::numeric::LARGEST) in a row.
    #[error("entry {position} is {value:e}: magnitudes above 1e140 are not supported")]
    TooLarge {
        /// Position in the list of values.
        position: usize,
        /// The value found there.
        value: f64,
    },
    /// A NaN or an infinity in a matrix.
    #[error("row {row}, column {column}: {value} is not a finite number")]
    NotFiniteAt {
        /// The row.
        row: usize,
        /// The coordinate.
        column: usize,
        /// The value found there.
        value: f64,
    },
    /// A number beyond [`LARGEST`](crate::numeric::LARGEST) in a matrix.
    #[error("row {row}, column {column}: {value:e}: magnitudes above 1e140 are not supported")]
    TooLargeAt {
        /// The row.
        row: usize,
        /// The coordinate.
        column: usize,
        /// The value found there.
        value: f64,
    },
    /// As many indices as values, or as many values as rows × columns, were expected.
    #[error("{what}: expected {expected}, got {got}")]
    LengthMismatch {
        /// Which length disagrees.
        what: &'static str,
        /// The expected length.
        expected: usize,
        /// The actual length.
        got: usize,
    },
    /// An index of a sparse row that is not below the dimension.
    #[error("index {index} at position {position} is outside a row of dimension {dimension}")]
    IndexOutOfRange {
        /// Position in the list of indices.
        position: usize,
        /// The index found there.
        index: u32,
        /// The dimension of the row.
        dimension: usize,
    },
    /// Indices of a sparse row that do not rise strictly.
    #[error("index {index} at position {position} does not exceed the index before it")]
    IndicesNotRising {
        /// Position in the list of indices.
        position: usize,
        /// The index found there.
        index: u32,
    },
    /// A row index that is not below the number of rows.
    #[error("there is no row {row}, only {rows}")]
    NoSuchRow {
        /// The requested row.
        row: usize,
        /// The number of rows.
        rows: usize,
    },
    /// Row offsets of a sparse matrix that do not start at 0, fall, or do not end at the number of values.
    #[error(
        "row offset {position} is {value}: offsets start at 0, do not fall, and end at the number of values"
    )]
    BadOffset {
        /// Position in the list of offsets.
        position: usize,
        /// The offset found there.
        value: usize,
    },
}
