//! What the crate refuses.

use off_policy::PolicyError;
use thiserror::Error;

/// An error of building or training a net.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NetError {
    /// A parameter outside its domain.
    #[error("{name} = {value} is outside {domain}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Where it had to lie.
        domain: &'static str,
    },
    /// A part of a net of another size than the parts before it ask for.
    #[error("{part} has {got} {unit}, expected {expected}")]
    Mismatch {
        /// Which part.
        part: String,
        /// What was counted.
        unit: &'static str,
        /// The number asked for.
        expected: usize,
        /// The number found.
        got: usize,
    },
    /// A number of a net that is not finite.
    #[error("number {index} of {part} is {value}, not a finite number")]
    NotFinite {
        /// Which part.
        part: String,
        /// Its place in the part.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// More numbers than a net may have, or a layer of more units than a block of pairs has room for.
    #[error(
        "the net would have more than 2^28 weights, or a layer more than 2^28 units for a block of pairs"
    )]
    TooLarge,
    /// A log of fewer than two rows.
    #[error("a log of {rows} rows: batch normalisation needs two or more")]
    TooFewRows {
        /// n.
        rows: usize,
    },
    /// Training left the range of numbers.
    #[error("epoch {epoch}: the loss is no longer a finite number; a smaller learning rate may help")]
    Diverged {
        /// The epoch, from 1 on.
        epoch: usize,
    },
    /// A score that is not finite, a context or an action set of another size.
    #[error(transparent)]
    Policy(#[from] PolicyError),
}
