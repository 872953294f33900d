//! What a generator refuses.

use thiserror::Error;

/// Why a generator was not made.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GeneratorError {
    /// Too few features.
    #[error("{got} features, this generator needs at least {least}")]
    TooFewFeatures {
        /// The least number.
        least: usize,
        /// The number asked for.
        got: usize,
    },
    /// A parameter outside its range.
    #[error("{name} is {value}: {requirement}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        requirement: &'static str,
    },
}
