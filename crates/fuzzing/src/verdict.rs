//! The verdict on an input.

use std::error::Error;

/// An error of any crate; only its message matters.
pub type AnyError = Box<dyn Error>;

/// The verdict on one input.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The input was accepted, and the value survived its use.
    Accepted,
    /// The input was refused with an error.
    Refused,
    /// The input was accepted, but the value violates a law.
    Faulty(Complaint),
}

/// The violated law of an accepted input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The violated law; all complaints about one law are one finding.
    pub law: &'static str,
    /// The details.
    pub detail: String,
}
