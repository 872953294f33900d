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
    /// More features than can be held, or than 2³² − 1.
    #[error("{got} features are more than can be held")]
    TooManyFeatures {
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
