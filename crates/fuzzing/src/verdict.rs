//! What became of an input.

use std::error::Error;

/// An error of any crate; what it says is looked at, not what it is.
pub type AnyError = Box<dyn Error>;

/// What became of one input.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It was taken, and what was made of it survived its use.
    Accepted,
    /// It was refused with an error.
    Refused,
    /// It was taken and should not have been, or was worth nothing then.
    Faulty(Complaint),
}

/// What is wrong with an input that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The law that is broken; complaints of one law are one finding.
    pub law: &'static str,
    /// How.
    pub detail: String,
}
