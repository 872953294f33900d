//! The error of this crate, and the checks that return it.

use projections::{ProjectionError, check_finite};
use rows::Row;
use rows::numeric::{LARGEST, first_beyond};
use thiserror::Error;

/// Why a learner, a loss or an account refused its input. A refusal leaves its state unchanged.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OcoError {
    /// An argument that the geometry refuses: a wrong length, a NaN, a non-positive radius or step.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// A finite number beyond [`LARGEST`].
    #[error("{argument}[{index}] is {value:e}: magnitudes above 1e140 are not supported")]
    TooLarge {
        /// The argument.
        argument: &'static str,
        /// Where in the argument; 0 for a scalar.
        index: usize,
        /// The value found there.
        value: f64,
    },
    /// The observed loss of a bandit round is NaN or ±∞.
    #[error("the observed loss is {value}, not a finite number")]
    NotFiniteLoss {
        /// The observed value.
        value: f64,
    },
    /// A loss was observed before a play.
    #[error("a loss was observed before a play in this round")]
    NothingPlayed,
    /// A label that is neither −1 nor +1.
    #[error("the label is {value}, neither -1 nor +1")]
    BadLabel {
        /// The label.
        value: f64,
    },
    /// A point outside the decision set that must contain it.
    #[error("{argument} lies outside the decision set")]
    OutsideSet {
        /// Which argument.
        argument: &'static str,
    },
    /// A mixed strategy with a negative entry, or whose entries do not sum to 1 within 1e−9.
    #[error("{argument} is not a distribution: its lowest entry is {lowest:?}, its sum {total:?}")]
    NotADistribution {
        /// Which argument.
        argument: &'static str,
        /// Its lowest entry.
        lowest: f64,
        /// The sum of its entries.
        total: f64,
    },
}

/// Numbers from a caller: finite, of magnitude at most [`LARGEST`].
pub(crate) fn check_magnitudes(argument: &'static str, values: &[f64]) -> Result<(), OcoError> {
    let Some(index) = first_beyond(values) else { return Ok(()) };
    let value = values[index];
    Err(if value.is_finite() {
        OcoError::TooLarge { argument, index, value }
    } else {
        ProjectionError::NotFinite { argument, index, value }.into()
    })
}

/// A vector from a caller: of the expected length, with entries as in [`check_magnitudes`].
pub(crate) fn check_vector(argument: &'static str, values: &[f64], expected: usize) -> Result<(), OcoError> {
    check_magnitudes(argument, values)?;
    check_length(argument, values, expected)
}

/// The largest sum of 2^53 numbers from a caller.
const LARGEST_SUM: f64 = 9_007_199_254_740_992.0 * LARGEST;

/// A saved sum of vectors from a caller: of the expected length, with entries that 2^53 rounds can reach.
pub(crate) fn check_sum(argument: &'static str, sum: &[f64], expected: usize) -> Result<(), OcoError> {
    check_finite(argument, sum)?;
    if let Some((index, &value)) = sum.iter().enumerate().find(|(_, v)| v.abs() > LARGEST_SUM) {
        return Err(OcoError::TooLarge { argument, index, value });
    }
    check_length(argument, sum, expected)
}

/// A vector of the expected length.
pub(crate) fn check_length(argument: &'static str, values: &[f64], expected: usize) -> Result<(), OcoError> {
    if values.len() != expected {
        return Err(ProjectionError::LengthMismatch { argument, expected, got: values.len() }.into());
    }
    Ok(())
}

/// An observed loss; returned if it is legal.
pub(crate) fn check_loss(value: f64) -> Result<f64, OcoError> {
    if !value.is_finite() {
        return Err(OcoError::NotFiniteLoss { value });
    }
    check_magnitudes("loss", &[value])?;
    Ok(value)
}

/// A label ±1.
pub(crate) fn check_label(y: f64) -> Result<(), OcoError> {
    check_finite("label", &[y])?;
    if y.abs() != 1.0 {
        return Err(OcoError::BadLabel { value: y });
    }
    Ok(())
}

/// A row of the expected dimension.
pub(crate) fn check_dimension(x: Row<'_>, expected: usize) -> Result<(), OcoError> {
    if x.dimension() != expected {
        let (argument, got) = ("row", x.dimension());
        return Err(ProjectionError::LengthMismatch { argument, expected, got }.into());
    }
    Ok(())
}
