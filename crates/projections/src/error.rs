//! What is wrong with a set, a point or a parameter, and the checks that say so.

use thiserror::Error;

/// Why a set, a point or a parameter was refused. Indices count from 0.
///
/// Where an input has several faults, the first of this list wins: a NaN or infinity anywhere, nothing there at all,
/// lengths that disagree, a value outside its domain.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProjectionError {
    /// A NaN or an infinity.
    #[error("{argument}[{index}] is {value:?}, not a finite number")]
    NotFinite {
        /// Which argument holds it.
        argument: &'static str,
        /// Where in the argument; 0 for a scalar.
        index: usize,
        /// The value found there.
        value: f64,
    },
    /// A vector without coordinates.
    #[error("{argument} is empty")]
    Empty {
        /// Which argument is empty.
        argument: &'static str,
    },
    /// Two vectors, or a vector and a set, of different dimension.
    #[error("{argument}: expected {expected} coordinates, got {got}")]
    LengthMismatch {
        /// Which argument has the wrong length.
        argument: &'static str,
        /// The length that would fit.
        expected: usize,
        /// The length handed in.
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
        /// Which cap.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// Caps whose sum falls short of the mass to distribute by more than a relative 1e-9. In the entropic
    /// projection only the caps on the support of the point count.
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
        /// Which coordinate.
        index: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A negative coordinate in the entropic geometry.
    #[error("{argument}[{index}] is {value:?}: the entropic geometry needs entries >= 0")]
    NegativeEntry {
        /// Which argument holds it.
        argument: &'static str,
        /// Where.
        index: usize,
        /// The value found there.
        value: f64,
    },
    /// An entropic projection onto a simplex of a vector that is zero everywhere.
    #[error("the point is zero everywhere: it has no mass to rescale")]
    NoMass,
    /// A step size that is not positive.
    #[error("step {name} = {value:?} is not > 0")]
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
    /// A point that must lie in a set and does not.
    #[error("{argument} lies outside the set")]
    OutsideSet {
        /// Which argument.
        argument: &'static str,
    },
    /// An edge, a source or a sink that is no vertex of the graph.
    #[error("vertex {vertex} is not one of the {vertices} vertices")]
    NoSuchVertex {
        /// The number given.
        vertex: usize,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A graph that must be acyclic and is not.
    #[error("vertex {vertex} lies on a cycle or behind one")]
    Cycle {
        /// A vertex on a cycle or reachable from one.
        vertex: usize,
    },
    /// A graph without a path, of an edge or more, from source to sink.
    #[error("no path leads from vertex {start} to another vertex {end}")]
    NoPath {
        /// Where a path should start.
        start: usize,
        /// Where it should end.
        end: usize,
    },
    /// More vertices than the edges of the graph have ends.
    #[error("{vertices} vertices, and {edges} edges have no more than two each")]
    TooManyVertices {
        /// The number given.
        vertices: usize,
        /// How many edges there are.
        edges: usize,
    },
    /// More entries than can be held, or than [`LARGEST_SIZE`](crate::LARGEST_SIZE).
    #[error("{argument}: {size} entries are more than can be held")]
    TooLarge {
        /// Which argument.
        argument: &'static str,
        /// How many entries were asked for.
        size: usize,
    },
    /// An entropic projection onto a set that offers none.
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
    // v·0 is NaN exactly when v is not finite, and a sum of such products has no branch to stop vectorisation.
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

/// Refuses dimension 0; where the set has a dimension of its own, refuses any other.
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
