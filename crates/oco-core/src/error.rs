//! The error of this crate, and the checks that return it.

use projections::{ProjectionError, check_finite};
use rows::Row;
use thiserror::Error;

/// Why a learner, a loss or an account refused its input. A refusal leaves its state unchanged.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OcoError {
    /// An argument that the geometry refuses: a wrong length, a NaN, a non-positive radius or step.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
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

/// A vector of the expected length with finite entries.
pub(crate) fn check_vector(argument: &'static str, values: &[f64], expected: usize) -> Result<(), OcoError> {
    check_finite(argument, values)?;
    if values.len() != expected {
        return Err(ProjectionError::LengthMismatch { argument, expected, got: values.len() }.into());
    }
    Ok(())
}

/// A label ±1.
pub(crate) fn check_label(y: f64) -> Result<(), OcoError> {
    if !y.is_finite() {
        return Err(ProjectionError::NotFinite { argument: "label", index: 0, value: y }.into());
    }
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
