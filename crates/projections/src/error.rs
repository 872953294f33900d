//! The error of this crate, and the checks that return it.

use thiserror::Error;

/// Why a set, a point or a parameter was refused. Indices count from 0.
///
/// An input with several faults gets the first of: a NaN or infinity, an empty vector, a length mismatch, a
/// value outside its domain.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProjectionError {
    /// A NaN or an infinity.
    #[error("{argument}[{index}] is {value:?}, not a finite number")]
    NotFinite {
        /// The argument.
        argument: &'static str,
        /// The index in the argument; 0 for a scalar.
        index: usize,
        /// The value found there.
        value: f64,
    },
    /// A vector without coordinates.
    #[error("{argument} is empty")]
    Empty {
        /// The empty argument.
        argument: &'static str,
    },
    /// Two vectors, or a vector and a set, of different dimensions.
    #[error("{argument}: expected {expected} coordinates, got {got}")]
    LengthMismatch {
        /// The argument of the wrong length.
        argument: &'static str,
        /// The expected length.
        expected: usize,
        /// The actual length.
        got: usize,
    },
    /// A radius or a total mass that is not positive.
    #[error("{name} = {value:?} is not > 0")]
    BadRadius {
        /// The parameter's letter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A cap of a capped simplex below 0.
    #[error("cap {index} is {value:?}, below 0")]
    NegativeCap {
        /// The index of the cap.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// Caps whose sum is below the mass by more than a relative 1e-9. The entropic projection counts only
    /// caps on the support of the point.
    #[error("the caps sum to {total:?}, below the required {required:?}")]
    InfeasibleCaps {
        /// Sum of the caps that count.
        total: f64,
        /// The mass they must hold.
        required: f64,
    },
    /// A lower bound above its upper bound.
    #[error("bound {index}: lower {lower:?} exceeds upper {upper:?}")]
    BadBounds {
        /// The coordinate.
        index: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A negative coordinate in the entropic geometry.
    #[error("{argument}[{index}] is {value:?}: the entropic geometry needs entries >= 0")]
    NegativeEntry {
        /// The argument.
        argument: &'static str,
        /// The index in the argument.
        index: usize,
        /// The value found there.
        value: f64,
    },
    /// An entropic projection of the zero vector onto a simplex.
    #[error("the point is zero everywhere: it has no mass to rescale")]
    NoMass,
    /// A step size that is not positive.
    #[error("{name} = {value:?} is not > 0")]
    BadStep {
        /// The parameter's letter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// Another scalar outside its domain.
    #[error("{name} = {value:?} is outside {domain}")]
    BadParameter {
        /// The parameter's name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The domain, in words.
        domain: &'static str,
    },
    /// A point outside the set that must contain it.
    #[error("{argument} lies outside the set")]
    OutsideSet {
        /// The argument.
        argument: &'static str,
    },
    /// An edge, source or sink that names no vertex of the graph.
    #[error("vertex {vertex} is not one of the {vertices} vertices")]
    NoSuchVertex {
        /// The given number.
        vertex: usize,
        /// The number of vertices.
        vertices: usize,
    },
    /// A cyclic graph.
    #[error("vertex {vertex} lies on a cycle or is reachable from one")]
    Cycle {
        /// A vertex on a cycle, or reachable from one.
        vertex: usize,
    },
    /// A graph without a path of at least one edge from source to sink.
    #[error("no path leads from vertex {start} to another vertex {end}")]
    NoPath {
        /// The source.
        start: usize,
        /// The sink.
        end: usize,
    },
    /// More vertices than twice the number of edges.
    #[error("{vertices} vertices are more than twice the {edges} edges")]
    TooManyVertices {
        /// The given number.
        vertices: usize,
        /// The number of edges.
        edges: usize,
    },
    /// More entries than [`LARGEST_SIZE`](crate::LARGEST_SIZE) or than memory can hold.
    #[error("{argument}: {size} entries are more than memory can hold")]
    TooLarge {
        /// The argument.
        argument: &'static str,
        /// The requested number of entries.
        size: usize,
    },
    /// An entropic projection onto a set without one.
    #[error("{set} has no entropic projection")]
    NoEntropicGeometry {
        /// The set's name.
        set: &'static str,
    },
}

/// Refuses the first NaN or infinity of `values`. An empty slice passes. One pass.
///
/// ```
/// use projections::{ProjectionError, check_finite};
/// assert!(check_finite("g", &[0.0, f64::MAX]).is_ok());
/// let refused = check_finite("g", &[0.0, f64::INFINITY]);
/// assert_eq!(refused, Err(ProjectionError::NotFinite { argument: "g", index: 1, value: f64::INFINITY }));
/// ```
pub fn check_finite(argument: &'static str, values: &[f64]) -> Result<(), ProjectionError> {
    // v·0 is NaN exactly when v is not finite, and a sum of such products has no branch to stop
    // vectorisation.
    let mut lanes = [0.0; 8];
    let (blocks, rest) = values.as_chunks::<8>();
    for block in blocks {
        for (lane, v) in lanes.iter_mut().zip(block) {
            *lane += v * 0.0;
        }
    }
    let poison = lanes.iter().sum::<f64>() + rest.iter().map(|v| v * 0.0).sum::<f64>();
    if !poison.is_nan() {
        return Ok(());
    }
    match values.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        Some((index, &value)) => Err(ProjectionError::NotFinite { argument, index, value }),
        None => Ok(()),
    }
}

/// Refuses a radius or mass that is not a positive finite number.
pub(crate) fn check_radius(name: &'static str, value: f64) -> Result<(), ProjectionError> {
    check_finite(name, &[value])?;
    if value > 0.0 { Ok(()) } else { Err(ProjectionError::BadRadius { name, value }) }
}

/// Refuses dimension 0, and any dimension other than the set's if the set has one.
pub(crate) fn check_length(
    argument: &'static str,
    expected: Option<usize>,
    got: usize,
) -> Result<(), ProjectionError> {
    match expected {
        _ if got == 0 => Err(ProjectionError::Empty { argument }),
        Some(expected) if expected != got => Err(ProjectionError::LengthMismatch { argument, expected, got }),
        _ => Ok(()),
    }
}

/// Refuses the first negative entry; −0 passes.
pub(crate) fn check_non_negative(argument: &'static str, values: &[f64]) -> Result<(), ProjectionError> {
    match values.iter().enumerate().find(|(_, v)| **v < 0.0) {
        Some((index, &value)) => Err(ProjectionError::NegativeEntry { argument, index, value }),
        None => Ok(()),
    }
}

/// Refuses a vector of logarithms that holds NaN or +∞. −∞, the logarithm of zero, passes.
pub(crate) fn check_logarithms(argument: &'static str, values: &[f64]) -> Result<(), ProjectionError> {
    match values.iter().enumerate().find(|(_, v)| !(**v < f64::INFINITY)) {
        Some((index, &value)) => Err(ProjectionError::NotFinite { argument, index, value }),
        None => Ok(()),
    }
}
