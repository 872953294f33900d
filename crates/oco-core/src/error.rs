//! What an online learner refuses.

use projections::{ProjectionError, check_finite};
use thiserror::Error;

/// Why a learner, a loss or an account refused its input. Whoever returns it is unchanged.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OcoError {
    /// An argument that the geometry refuses: a wrong length, a NaN, a radius or a step that is not positive.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// The observed loss of a bandit round is not a number.
    #[error("the observed loss is {value}, not a finite number")]
    NotFiniteLoss {
        /// What was observed.
        value: f64,
    },
    /// A loss was reported for a round in which nothing had been played.
    #[error("a loss was observed before anything was played in this round")]
    NothingPlayed,
    /// A label that is neither −1 nor +1.
    #[error("the label is {value}, neither -1 nor +1")]
    BadLabel {
        /// The label.
        value: f64,
    },
    /// A point that must lie in the decision set does not.
    #[error("{argument} lies outside the decision set")]
    OutsideSet {
        /// Which argument.
        argument: &'static str,
    },
    /// A mixed strategy with a negative entry, or whose entries do not sum to 1 within 1e−9.
    #[error("{argument} is no distribution: its lowest entry is {lowest:?}, its sum {total:?}")]
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
