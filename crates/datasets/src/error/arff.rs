//! Problems of an ARFF file.

use thiserror::Error;

/// The problem at a line and column of an ARFF file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArffProblem {
    /// A line that is not UTF-8.
    #[error("this line is not UTF-8")]
    NotText,
    /// A carriage return that no line feed follows: what stands behind it may be a line, and in a comment it
    /// would be lost.
    #[error("a carriage return inside the line")]
    CarriageReturn,
    /// A header line other than `@relation`, `@attribute` and `@data`, or one in the wrong
    /// order.
    #[error("{got:?} where {expected} should be")]
    Declaration {
        /// What may stand here.
        expected: &'static str,
        /// The word found.
        got: String,
    },
    /// A declaration that lacks its name, or a name in quotation marks that are not closed.
    #[error("a name is missing, or its quotation mark is not closed")]
    Name,
    /// Text behind the end of a declaration or of a row.
    #[error("unexpected {text:?}")]
    Unexpected {
        /// The text.
        text: String,
    },
    /// A type other than `numeric`, `real`, `integer` and `{0,1}`.
    #[error("attribute {name} has the type {text:?}; numbers and {{0,1}} are read")]
    Type {
        /// The attribute.
        name: String,
        /// The type.
        text: String,
    },
    /// Two attributes of the same name.
    #[error("attribute {name} is declared twice")]
    Twice {
        /// The attribute.
        name: String,
    },
    /// The file ends before its `@data` line, or declares no attribute before it.
    #[error("no data: {attributes} attributes and no row of them")]
    NoData {
        /// How many attributes were declared.
        attributes: usize,
    },
    /// A dense row with too many or too few cells.
    #[error("{got} cells, expected {expected}")]
    CellCount {
        /// The number of attributes.
        expected: usize,
        /// The number of cells.
        got: usize,
    },
    /// A dense row in a file whose first row is sparse, or the other way round.
    #[error("dense and sparse rows in one file")]
    Mixed,
    /// A sparse row whose brace is not closed.
    #[error("the row is not closed by a brace")]
    Open,
    /// An entry of a sparse row that is not an index, blanks and a value.
    #[error("entry {text:?} is not an index and a value")]
    Entry {
        /// The entry.
        text: String,
    },
    /// An index beyond the attributes.
    #[error("index {text} is not below the number of attributes, {attributes}")]
    IndexOutOfRange {
        /// The index.
        text: String,
        /// The number of attributes.
        attributes: usize,
    },
    /// An index that does not exceed the one before it.
    #[error("index {index} does not exceed the index before it")]
    IndexNotRising {
        /// The index.
        index: usize,
    },
    /// A question mark.
    #[error("attribute {name} is missing")]
    Missing {
        /// The attribute.
        name: String,
    },
    /// A cell of a numeric attribute that is not a number up to 1e140 in magnitude.
    #[error("attribute {name} is {text:?}, not a number up to 1e140 in magnitude")]
    BadNumber {
        /// The attribute.
        name: String,
        /// The cell.
        text: String,
    },
    /// A cell of a `{0,1}` attribute that is neither.
    #[error("attribute {name} is {text:?}, not 0 or 1")]
    NotBinary {
        /// The attribute.
        name: String,
        /// The cell.
        text: String,
    },
    /// An attribute that the data set does not have at this place.
    #[error("attribute {position} is {got:?}, expected {expected:?}")]
    OtherAttribute {
        /// Which one, from 0.
        position: usize,
        /// The declaration expected.
        expected: String,
        /// The declaration found.
        got: String,
    },
    /// Another number of attributes than the data set has.
    #[error("{got} attributes, expected {expected}")]
    AttributeCount {
        /// The number of the data set.
        expected: usize,
        /// The number declared.
        got: usize,
    },
}
