//! Errors of label sets.

use thiserror::Error;

/// Why labels were refused. Positions count from 0.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LabelsError {
    /// Offsets must start at 0, not fall, and end at the number of labels.
    #[error(
        "label offset {position} is {value}: offsets start at 0, do not fall, and end at the number of labels"
    )]
    BadOffset {
        /// Position in the list of offsets.
        position: usize,
        /// The offset found there; 0 beyond the list.
        value: usize,
    },
    /// A label outside the classes.
    #[error("label {label} at position {position} is none of {classes} classes")]
    UnknownClass {
        /// Position in the list of labels.
        position: usize,
        /// The label found there.
        label: u32,
        /// The number of classes.
        classes: usize,
    },
    /// Labels of one example must rise strictly.
    #[error("label {label} at position {position} does not exceed the label before it")]
    NotRising {
        /// Position in the list of labels.
        position: usize,
        /// The label found there.
        label: u32,
    },
    /// More classes than examples could tell apart.
    #[error("{classes} classes, more than {limit}")]
    TooManyClasses {
        /// The number asked for.
        classes: usize,
        /// The largest number.
        limit: usize,
    },
    /// As many sets of labels as contexts are needed.
    #[error("{labels} sets of labels for {contexts} contexts")]
    OtherLength {
        /// The number of sets.
        labels: usize,
        /// The number of contexts.
        contexts: usize,
    },
}
